//! What may differ between terminals' channels, short ones and long ones: buffers, intervals.

use crate::network::ChannelClass;
use schemars::JsonSchema;
use serde::Deserialize;

/// One of each: for channels of terminals, for global ones, and for all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    default,
    bound(deserialize = "T: Default + Deserialize<'de>")
)]
#[schemars(bound = "T: Default + JsonSchema")]
pub struct PerClass<T> {
    /// Injection and ejection channels.
    pub terminal: T,
    /// Channels between routers that are not global: all of them in networks without global ones.
    pub local: T,
    /// Channels between the groups of a dragonfly or megafly, and those that a file calls so.
    pub global: T,
}

impl<T> PerClass<T> {
    /// The names of the classes, in their order.
    pub const NAMES: [&'static str; 3] = ["terminal", "local", "global"];

    /// The same for all.
    pub fn all(same: T) -> Self
    where
        T: Clone,
    {
        Self {
            terminal: same.clone(),
            local: same.clone(),
            global: same,
        }
    }

    /// What channels of a class have.
    pub fn of(&self, class: ChannelClass) -> &T {
        match class {
            ChannelClass::Terminal => &self.terminal,
            ChannelClass::Global => &self.global,
            ChannelClass::Local
            | ChannelClass::Dimension { .. }
            | ChannelClass::Up
            | ChannelClass::Down => &self.local,
        }
    }

    /// The same, to be changed.
    pub fn of_mut(&mut self, class: ChannelClass) -> &mut T {
        match class {
            ChannelClass::Terminal => &mut self.terminal,
            ChannelClass::Global => &mut self.global,
            ChannelClass::Local
            | ChannelClass::Dimension { .. }
            | ChannelClass::Up
            | ChannelClass::Down => &mut self.local,
        }
    }

    /// All of them, in the order of their [names](Self::NAMES).
    pub fn each(&self) -> [&T; 3] {
        [&self.terminal, &self.local, &self.global]
    }

    /// Something made of each.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> PerClass<U> {
        PerClass {
            terminal: change(self.terminal),
            local: change(self.local),
            global: change(self.global),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_neither_a_terminals_nor_global_is_local() {
        let mut each = PerClass::<u32>::default();
        let along = ChannelClass::Dimension {
            dimension: 2,
            positive: false,
        };
        for class in [
            ChannelClass::Terminal,
            ChannelClass::Local,
            along,
            ChannelClass::Up,
            ChannelClass::Down,
            ChannelClass::Global,
        ] {
            *each.of_mut(class) += 1;
            assert!(*each.of(class) > 0);
        }
        assert_eq!(each.each(), [&1, &4, &1]);
        assert_eq!(
            each.map(|count| count * 2),
            PerClass {
                terminal: 2,
                local: 8,
                global: 2
            }
        );
        assert_eq!(PerClass::all(7).each(), [&7; 3]);
    }
}
