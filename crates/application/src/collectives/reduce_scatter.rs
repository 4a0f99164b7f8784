//! A part of the sum to each.

use super::{Algorithm, PLAIN, Part};

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "recursive-halving",
        summary: "Pairs exchange what the other's half is to keep, at distances n/2, n/4, ...",
        needs_power_of_two: true,
        rounds: Part::doublings,
        round: |part, round, out| {
            let distance = 1 << (part.doublings() - 1 - round);
            let other = part.me ^ distance;
            let first = |member: u32| member & !(distance - 1);
            out.receive(other, part.blocks(first(part.me), distance));
            out.send(other, part.blocks(first(other), distance));
        },
        ..PLAIN
    },
    Algorithm {
        name: "pairwise",
        summary: "To each partner its part, one after the other",
        needs_power_of_two: false,
        rounds: |part| part.ranks - 1,
        round: |part, round, out| {
            let (from, to) = (part.behind(round + 1), part.ahead(round + 1));
            out.receive(from, part.blocks(part.me, 1));
            out.send(to, part.blocks(to, 1));
        },
        ..PLAIN
    },
    Algorithm {
        name: "ring",
        summary: "Parts go around a ring and are added up on the way",
        needs_power_of_two: false,
        rounds: |part| part.ranks - 1,
        round: |part, round, out| {
            let behind = |member: u32| (member + part.ranks - 1 - round) % part.ranks;
            let before = part.behind(1);
            out.receive(before, part.blocks(behind(before), 1));
            out.send(part.ahead(1), part.blocks(behind(part.me), 1));
        },
        ..PLAIN
    },
];
