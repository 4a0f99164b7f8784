//! A block from one to each.
//!
//! Blocks of lengths of their own go in one step: only the root and whose block it is know how long it is.

use super::{Algorithm, PLAIN, Part, Round};

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "binomial",
        summary: "Those who have blocks give half of them away, again and again",
        needs_power_of_two: false,
        needs_equal_blocks: true,
        rounds: Part::doublings,
        round: |part, round, out| {
            let (me, distance) = (part.relative(), 1 << (part.doublings() - 1 - round));
            if me % (2 * distance) == distance {
                out.receive(part.absolute(me - distance), part.below(me, distance));
            } else if me.is_multiple_of(2 * distance) && me + distance < part.ranks {
                let other = me + distance;
                out.send(part.absolute(other), part.below(other, distance));
            }
        },
        ..PLAIN
    },
    Algorithm {
        name: "linear",
        summary: "From the root to all at once",
        needs_power_of_two: false,
        rounds: Part::one_if_several,
        round: linear,
        ..PLAIN
    },
];

/// A block, or a vector, from the root to each.
pub(super) fn linear(part: &Part, _: u32, out: &mut Round) {
    let root = part.collective.root;
    if part.me != root {
        return out.receive(root, part.between(root, part.me));
    }
    for distance in 1..part.ranks {
        let other = part.ahead(distance);
        out.send(other, part.between(root, other));
    }
}
