//! Everybody's block to everybody.

use super::{Algorithm, PLAIN, Part};

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "ring",
        summary: "Blocks go around a ring",
        needs_power_of_two: false,
        rounds: |part| part.ranks - 1,
        round: |part, _, out| {
            out.receive(part.behind(1), part.collective.bytes);
            out.send(part.ahead(1), part.collective.bytes);
        },
        ..PLAIN
    },
    Algorithm {
        name: "recursive-doubling",
        summary: "Pairs exchange all they have, at distances 1, 2, 4, ...",
        needs_power_of_two: true,
        rounds: Part::doublings,
        round: |part, round, out| {
            out.exchange(part.me ^ 1 << round, part.collective.bytes << round);
        },
        ..PLAIN
    },
    Algorithm {
        name: "bruck",
        summary: "All they have to the one 1, 2, 4, ... behind",
        needs_power_of_two: false,
        rounds: Part::doublings,
        round: |part, round, out| {
            let distance = 1 << round;
            let blocks = distance.min(part.ranks - distance);
            let bytes = part.collective.bytes * u64::from(blocks);
            out.receive(part.ahead(distance), bytes);
            out.send(part.behind(distance), bytes);
        },
        ..PLAIN
    },
];
