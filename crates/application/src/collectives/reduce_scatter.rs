//! A part of the sum to each.

use super::all_reduce::{Folded, doubling_rounds, fold};
use super::{Algorithm, PLAIN, Part, Round};

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "recursive-halving",
        summary: "Pairs exchange what the other's half is to keep, at distances n/2, n/4, ...",
        needs_power_of_two: false,
        rounds: doubling_rounds,
        round: recursive_halving,
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

/// Of members beyond a power of two, an even one gives its vector to the next, which gets both parts of the sum and gives one back.
fn recursive_halving(part: &Part, round: u32, out: &mut Round) {
    let (power, _) = part.power();
    let back = part.blocks(part.me & !1, 1);
    let bytes = [part.collective.bytes, back];
    let Some(folded) = fold(part, round, out, doubling_rounds(part), bytes) else {
        return;
    };
    let distance = power >> (folded.round + 1);
    let other = folded.me ^ distance;
    // Those with numbers from one on have so many parts between them.
    let parts = |member: u32| {
        let first = member & !(distance - 1);
        let from = first_part(&folded, first);
        part.blocks(from, first_part(&folded, first + distance) - from)
    };
    let (own, others) = (parts(folded.me), parts(other));
    let other = folded.member(other);
    out.receive(other, own);
    out.send(other, others);
}

/// The first of the parts of a member with a number among the power of two, of which some have two.
fn first_part(folded: &Folded, number: u32) -> u32 {
    number + number.min(folded.extra)
}
