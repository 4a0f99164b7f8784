//! Everybody's block to one.
//!
//! Blocks of lengths of their own go in one step: only the root and whose block it is know how long it is.

use super::{Algorithm, PLAIN, Part, Round};

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "binomial",
        summary: "Those half as far from the root give it all they have, again and again",
        needs_power_of_two: false,
        needs_equal_blocks: true,
        rounds: Part::doublings,
        round: |part, round, out| {
            let (me, distance) = (part.relative(), 1 << round);
            if me % (2 * distance) == distance {
                out.send(part.absolute(me - distance), part.below(me, distance));
            } else if me.is_multiple_of(2 * distance) && me + distance < part.ranks {
                let other = me + distance;
                out.receive(part.absolute(other), part.below(other, distance));
            }
        },
        ..PLAIN
    },
    Algorithm {
        name: "linear",
        summary: "All to the root at once",
        needs_power_of_two: false,
        rounds: Part::one_if_several,
        round: linear,
        ..PLAIN
    },
];

impl Part {
    /// One round, unless a member is alone.
    pub(super) fn one_if_several(&self) -> u32 {
        u32::from(self.ranks > 1)
    }

    /// Bytes of the blocks of a member and of those that it stands for, at most so many.
    pub(super) fn below(&self, relative: u32, most: u32) -> u64 {
        self.collective.bytes * u64::from(most.min(self.ranks - relative))
    }
}

/// A block, or a vector, from each to the root.
pub(super) fn linear(part: &Part, _: u32, out: &mut Round) {
    let root = part.collective.root;
    if part.me != root {
        return out.send(root, part.between(part.me, root));
    }
    for distance in 1..part.ranks {
        let other = part.ahead(distance);
        out.receive(other, part.between(other, root));
    }
}
