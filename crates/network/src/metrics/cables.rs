//! Cables between routers, which is what a network costs beside its routers.

use crate::network::{ChannelClass, Network};
use crate::shape::dimension_name;

/// How many cables between living routers there are, by kind in the order of their first channels: `local`, `global`, a dimension's
/// letter, or `levels` between those of a fat tree; slow ones are kinds of their own, `local (2 cycles a flit)`. A cable is a channel and the one that leads back between the same ports, or a channel
/// alone where none does. O(channels).
pub fn cables(network: &Network) -> Vec<(String, usize)> {
    let mut counts: Vec<((ChannelClass, u32), usize)> = Vec::new();
    for link in network.links() {
        let channel = network.channel(link);
        let kind = (kind(channel.class), channel.interval);
        match counts.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => counts.push((kind, 1)),
        }
    }
    let named = |((kind, interval), count)| match interval {
        1 => (name(kind), count),
        _ => (format!("{} ({interval} cycles a flit)", name(kind)), count),
    };
    counts.into_iter().map(named).collect()
}

/// The class of a cable: that of one of its channels, whichever way they lead.
fn kind(class: ChannelClass) -> ChannelClass {
    match class {
        ChannelClass::Dimension { dimension, .. } => ChannelClass::Dimension {
            dimension,
            positive: true,
        },
        ChannelClass::Down => ChannelClass::Up,
        other => other,
    }
}

fn name(kind: ChannelClass) -> String {
    match kind {
        ChannelClass::Dimension { dimension, .. } => dimension_name(dimension.into()),
        ChannelClass::Up => "levels".into(),
        other => other.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::{Amount, Faults};
    use crate::topologies::{Dragonfly, KAryNFly, KAryNTree, Topology, Torus};

    fn counted(topology: &dyn Topology) -> Vec<(String, usize)> {
        cables(&topology.build(None).unwrap())
    }

    fn named(counts: &[(&str, usize)]) -> Vec<(String, usize)> {
        let owned = |&(name, count): &(&str, usize)| (name.to_owned(), count);
        counts.iter().map(owned).collect()
    }

    #[test]
    fn cables_are_counted_once_whichever_way_they_are_used() {
        // 9 groups of 4 routers: 6 cables in each, and one for each pair of groups.
        let dragonfly = counted(&Dragonfly::default());
        assert_eq!(dragonfly, named(&[("local", 54), ("global", 36)]));
        let sizes = vec![4, 2, 3];
        let torus = Torus {
            sizes,
            ..Torus::default()
        };
        // A ring of two is a link.
        assert_eq!(counted(&torus), named(&[("x", 24), ("y", 12), ("z", 24)]));
        let tree = KAryNTree::default();
        let whole = tree.build(None).unwrap();
        assert_eq!(
            cables(&whole),
            named(&[("levels", whole.channel_count() / 2)])
        );
        // Its channels lead one way.
        let fly = KAryNFly::default().build(None).unwrap();
        assert_eq!(cables(&fly), named(&[("local", fly.channel_count())]));
        // So each fails on its own, also where two happen to join the same ports.
        assert_eq!(fly.links().count(), fly.channel_count());
        let all = Faults {
            random_links: Amount::Count(fly.channel_count() as u32 - 1),
            ..Faults::default()
        };
        assert_eq!(fly.without(&all).unwrap().channel_count(), 1);
    }

    #[test]
    fn dead_cables_are_not_counted() {
        let whole = Torus::default().build(None).unwrap();
        let faults = Faults {
            random_links: 3.into(),
            ..Faults::default()
        };
        let torn = whole.without(&faults).unwrap();
        let count = |network| {
            cables(network)
                .iter()
                .map(|(_, count)| count)
                .sum::<usize>()
        };
        assert_eq!(count(&torn) + 3, count(&whole));
    }
}
