//! The names of things: plain numbers with a type, so that a router is never taken for a terminal.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an index into a flat array.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            /// Networks are limited to fewer than 2^32 of anything, see
            /// [`MAX_CHANNELS`](crate::builder::MAX_CHANNELS).
            #[inline]
            fn from(index: usize) -> Self {
                Self(index as u32)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}

id!(
    /// A router (switch).
    RouterId
);
id!(
    /// A terminal (host, node): what sends and receives packets.
    TerminalId
);
id!(
    /// A directed channel. Router-to-router channels come first, then one injection
    /// channel per terminal, then one ejection channel per terminal.
    ChannelId
);

/// A router's port: one outgoing and one incoming channel. Ports of terminals come first.
pub type Port = u16;

/// A virtual channel of a channel.
pub type Vc = u8;

/// A set of virtual channels of one channel, as a bit mask; at most [`VcSet::CAPACITY`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VcSet(pub u32);

impl VcSet {
    /// How many virtual channels a channel may have.
    pub const CAPACITY: u8 = 32;

    /// All virtual channels that a channel may have.
    pub const EVERY: Self = Self(u32::MAX);

    /// Only this one.
    #[inline]
    pub fn one(vc: Vc) -> Self {
        debug_assert!(vc < Self::CAPACITY);
        Self(1 << vc)
    }

    /// `from`, `from + 1`, ... up to but without `to`.
    #[inline]
    pub fn range(from: Vc, to: Vc) -> Self {
        debug_assert!(from <= to && to <= Self::CAPACITY);
        let below = |n: Vc| ((1u64 << n) - 1) as u32;
        Self(below(to) & !below(from))
    }

    /// The first `count` virtual channels.
    #[inline]
    pub fn all(count: Vc) -> Self {
        Self::range(0, count)
    }

    /// Is this virtual channel in the set?
    #[inline]
    pub fn contains(self, vc: Vc) -> bool {
        vc < Self::CAPACITY && self.0 >> vc & 1 == 1
    }

    /// Has the set no member?
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members in ascending order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Vc> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let vc = (rest != 0).then(|| rest.trailing_zeros() as Vc)?;
            rest &= rest - 1;
            Some(vc)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vc_sets() {
        assert_eq!(VcSet::range(1, 3), VcSet(0b110));
        assert_eq!(VcSet::all(32), VcSet(u32::MAX));
        assert_eq!(VcSet(0b1010).iter().collect::<Vec<_>>(), [1, 3]);
        assert!(VcSet::one(31).contains(31) && !VcSet::one(31).contains(32));
        assert!(VcSet::range(2, 2).is_empty());
    }
}
