//! Reductions to one rank.

use super::tree::Flow;
use super::{Algorithm, PLAIN, Part, Round};

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "binomial",
        summary: "Half of those who are left give what they have to the others",
        needs_power_of_two: false,
        rounds: Part::doublings,
        round: |part, round, out| {
            let (me, distance) = (part.relative(), 1 << round);
            if me % (2 * distance) == distance {
                out.send(part.absolute(me - distance), part.collective.bytes);
            } else if me.is_multiple_of(2 * distance) && me + distance < part.ranks {
                out.receive(part.absolute(me + distance), part.collective.bytes);
            }
        },
        ..PLAIN
    },
    Algorithm {
        name: "reduce-scatter-gather",
        summary: "A part of the sum at each by halves, then together (Rabenseifner)",
        needs_power_of_two: true,
        rounds: |part| 2 * part.doublings(),
        round: rabenseifner,
        ..PLAIN
    },
    Algorithm {
        name: "tree",
        summary: "Up a tree whose radix may be chosen, segment by segment",
        needs_power_of_two: false,
        rounds: |part| Flow::rounds(part.deepest_level(), part.segments(part.collective.bytes)),
        round: |part, round, out| {
            let flow = Flow {
                place: &part.levels(),
                deepest: part.deepest_level(),
                bytes: part.collective.bytes,
                parts: part.segments(part.collective.bytes),
            };
            flow.up(round, out);
        },
        ..PLAIN
    },
];

fn rabenseifner(part: &Part, round: u32, out: &mut Round) {
    let (me, doublings) = (part.relative(), part.doublings());
    if round < doublings {
        // With whom it shares, and what the other keeps and gets.
        let distance = 1 << (doublings - 1 - round);
        let other = me ^ distance;
        let first = |member: u32| member & !(distance - 1);
        out.receive(part.absolute(other), part.blocks(first(me), distance));
        out.send(part.absolute(other), part.blocks(first(other), distance));
        return;
    }
    let distance = 1 << (round - doublings);
    if me % (2 * distance) == distance {
        out.send(part.absolute(me - distance), part.blocks(me, distance));
    } else if me.is_multiple_of(2 * distance) {
        let bytes = part.blocks(me + distance, distance);
        out.receive(part.absolute(me + distance), bytes);
    }
}
