//! The links of a network as writers see them: both directions at once where they agree.

use crate::ids::{ChannelId, Port, RouterId};
use crate::network::{Channel, ChannelClass, End, Network};

/// A link, or a channel without an equal in the opposite direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) a: (RouterId, Port),
    pub(super) b: (RouterId, Port),
    pub(super) latency: u32,
    pub(super) interval: u32,
    /// The class from `a` to `b`.
    pub(super) class: ChannelClass,
    /// Does it carry nothing from `b` to `a`?
    pub(super) one_way: bool,
}

/// Every link of a network once, in the order of its first channel.
pub(super) fn links(network: &Network) -> impl Iterator<Item = Link> {
    network.channels().filter_map(|(id, channel)| {
        let (End::Router(from, out), End::Router(to, into)) = (channel.source, channel.target)
        else {
            return None;
        };
        let back = like_reverse(network, id, channel);
        let first = back.is_none_or(|back| id < back);
        first.then_some(Link {
            a: (from, out),
            b: (to, into),
            latency: channel.latency,
            interval: channel.interval,
            class: channel.class,
            one_way: back.is_none(),
        })
    })
}

/// The opposite direction of the same link, unless it differs in latency, interval or class.
///
/// The directions of a link have neighbouring ids. Two one-way channels may happen to join the same
/// ports, as in a butterfly; written as one link they would be read with other ids.
fn like_reverse(network: &Network, id: ChannelId, channel: &Channel) -> Option<ChannelId> {
    let reverse = network.reverse(id)?;
    let other = network.channel(reverse);
    let pace = |channel: &Channel| (channel.latency, channel.interval);
    let alike = pace(other) == pace(channel) && other.class == opposite(channel.class);
    let neighbours = reverse.index().abs_diff(id.index()) == 1;
    (alike && neighbours).then_some(reverse)
}

/// The class of the opposite direction of a link.
pub(super) fn opposite(class: ChannelClass) -> ChannelClass {
    match class {
        ChannelClass::Dimension {
            dimension,
            positive,
        } => ChannelClass::Dimension {
            dimension,
            positive: !positive,
        },
        ChannelClass::Up => ChannelClass::Down,
        ChannelClass::Down => ChannelClass::Up,
        same => same,
    }
}

/// The class between routers that is called `name`, see [`ChannelClass::name`].
pub(super) fn class_named(name: &str) -> Option<ChannelClass> {
    let dimension = |letters: &str| match letters {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        "w" => Some(3),
        more => more
            .strip_prefix('d')?
            .parse()
            .ok()
            .filter(|&number| number > 3),
    };
    let along = |letters, positive| {
        Some(ChannelClass::Dimension {
            dimension: dimension(letters)?,
            positive,
        })
    };
    match name {
        "local" => Some(ChannelClass::Local),
        "global" => Some(ChannelClass::Global),
        "up" => Some(ChannelClass::Up),
        "down" => Some(ChannelClass::Down),
        signed => match signed.strip_prefix('+') {
            Some(letters) => along(letters, true),
            None => along(signed.strip_prefix('-')?, false),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_classes_are_read_back() {
        let along = |dimension, positive| ChannelClass::Dimension {
            dimension,
            positive,
        };
        let some = [
            ChannelClass::Local,
            ChannelClass::Global,
            ChannelClass::Up,
            ChannelClass::Down,
        ];
        for class in some
            .into_iter()
            .chain((0..=255).map(|dimension| along(dimension, true)))
        {
            assert_eq!(class_named(&class.name()), Some(class));
            assert_eq!(class_named(&opposite(class).name()), Some(opposite(class)));
        }
        for wrong in ["terminal", "x", "+d3", "+d256", "", "+"] {
            assert_eq!(class_named(wrong), None, "{wrong}");
        }
    }
}
