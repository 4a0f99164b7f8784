//! Reductions to one rank.

use super::tree::Flow;
use super::{Algorithm, PLAIN, Part, Round, chain, gather, nomial};

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
        needs_power_of_two: false,
        rounds: |part| 2 * part.power().0.trailing_zeros() + u32::from(part.power().1 > 0),
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
    Algorithm {
        name: "linear",
        summary: "All to the root at once",
        needs_power_of_two: false,
        rounds: Part::one_if_several,
        round: gather::linear,
        ..PLAIN
    },
    Algorithm {
        name: "chain",
        summary: "From each to the one before, segment by segment",
        needs_power_of_two: false,
        rounds: chain::rounds,
        round: chain::to_root,
        ..PLAIN
    },
    Algorithm {
        name: "knomial",
        summary: "Of k who are left, k - 1 give what they have to the other, the near ones first (Open MPI)",
        needs_power_of_two: false,
        radix: nomial::RADIX,
        rounds: |part| nomial::rounds(part, part.tuning.radix),
        round: |part, round, out| {
            nomial::up(part, round, part.tuning.radix, part.collective.bytes, out);
        },
        ..PLAIN
    },
];

/// Of the first members, twice as many as there are beyond a power of two, each odd one gives its vector to the one before. Those who
/// are left share the sum by halves, and then give their shares to the root, which is the first of them. So in MPICH.
fn rabenseifner(part: &Part, round: u32, out: &mut Round) {
    let (power, extra) = part.power();
    let (me, doublings) = (part.relative(), power.trailing_zeros());
    let is_folded = me < 2 * extra;
    let gives = is_folded && !me.is_multiple_of(2);
    if extra > 0 && round == 0 {
        match (is_folded, gives) {
            (false, _) => {}
            (true, true) => out.send(part.absolute(me - 1), part.collective.bytes),
            (true, false) => out.receive(part.absolute(me + 1), part.collective.bytes),
        }
        return;
    }
    if gives {
        return;
    }
    let round = round - u32::from(extra > 0);
    let me = if is_folded { me / 2 } else { me - extra };
    let member = |number: u32| match number < extra {
        true => part.absolute(2 * number),
        false => part.absolute(number + extra),
    };
    let bytes = |first: u32, count: u32| part.blocks_of(power, first, count);
    if round < doublings {
        // With whom it shares, and what the other keeps and gets.
        let distance = 1 << (doublings - 1 - round);
        let other = me ^ distance;
        let first = |member: u32| member & !(distance - 1);
        out.receive(member(other), bytes(first(me), distance));
        out.send(member(other), bytes(first(other), distance));
        return;
    }
    let distance = 1 << (round - doublings);
    if me % (2 * distance) == distance {
        out.send(member(me - distance), bytes(me, distance));
    } else if me.is_multiple_of(2 * distance) {
        out.receive(member(me + distance), bytes(me + distance, distance));
    }
}
