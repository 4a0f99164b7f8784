//! A block from each to each, of one length or of lengths of their own.

use super::{Algorithm, PLAIN, Part, Round};

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "pairwise",
        summary: "One partner after the other: by exclusive or if there are a power of two, else ahead and behind",
        needs_power_of_two: false,
        rounds: |part| part.ranks - 1,
        round: pairwise,
        ..PLAIN
    },
    Algorithm {
        name: "bruck",
        summary: "To the one 1, 2, 4, ... ahead, what goes on over it too",
        needs_power_of_two: false,
        needs_equal_blocks: true,
        rounds: Part::doublings,
        round: bruck,
        ..PLAIN
    },
    Algorithm {
        name: "scattered",
        summary: "All partners, 32 at a time, from the next one on",
        needs_power_of_two: false,
        rounds: |part| (part.ranks - 1).div_ceil(AT_ONCE),
        round: |part, round, out| {
            let first = 1 + round * AT_ONCE;
            several(part, first..(first + AT_ONCE).min(part.ranks), out);
        },
        ..PLAIN
    },
    Algorithm {
        name: "linear",
        summary: "All partners at once, from the next one on",
        needs_power_of_two: false,
        rounds: |part| if part.ranks > 1 { 1 } else { 0 },
        round: |part, _, out| several(part, 1..part.ranks, out),
        ..PLAIN
    },
];

const AT_ONCE: u32 = 32;

fn pairwise(part: &Part, round: u32, out: &mut Round) {
    let step = round + 1;
    let (from, to) = match part.ranks.is_power_of_two() {
        true => (part.me ^ step, part.me ^ step),
        false => (part.behind(step), part.ahead(step)),
    };
    out.receive(from, part.between(from, part.me));
    out.send(to, part.between(part.me, to));
}

fn several(part: &Part, distances: std::ops::Range<u32>, out: &mut Round) {
    for distance in distances {
        let (from, to) = (part.behind(distance), part.ahead(distance));
        out.receive(from, part.between(from, part.me));
        out.send(to, part.between(part.me, to));
    }
}

/// Blocks whose distance has a bit go as far in its round.
fn bruck(part: &Part, round: u32, out: &mut Round) {
    let distance = 1 << round;
    let (whole, rest) = (part.ranks / (2 * distance), part.ranks % (2 * distance));
    let blocks = whole * distance + rest.saturating_sub(distance);
    let bytes = part.collective.bytes * u64::from(blocks);
    out.receive(part.behind(distance), bytes);
    out.send(part.ahead(distance), bytes);
}
