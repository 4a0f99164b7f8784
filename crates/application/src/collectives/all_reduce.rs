//! Reductions whose result all get.

use super::tree::{self, Flow};
use super::{Algorithm, PLAIN, Part, Round, broadcast, double_tree, reduce};

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "recursive-doubling",
        summary: "Pairs exchange all they have, at distances 1, 2, 4, ...",
        needs_power_of_two: false,
        rounds: doubling_rounds,
        round: recursive_doubling,
        ..PLAIN
    },
    Algorithm {
        name: "rabenseifner",
        summary: "A part of the sum at each by halves, then all parts to all by doubling",
        needs_power_of_two: false,
        rounds: |part| 2 * part.power().0.trailing_zeros() + folds(part),
        round: rabenseifner,
        ..PLAIN
    },
    Algorithm {
        name: "ring",
        summary: "Parts go around a ring twice: once to be added up, once to be spread",
        needs_power_of_two: false,
        rounds: |part| 2 * (part.ranks - 1),
        round: ring,
        ..PLAIN
    },
    Algorithm {
        name: "reduce-broadcast",
        summary: "To the first and from there to all, by binomial trees",
        needs_power_of_two: false,
        rounds: |part| 2 * part.doublings(),
        round: |part, round, out| {
            let doublings = part.doublings();
            match round.checked_sub(doublings) {
                None => (reduce::ALGORITHMS[0].round)(part, round, out),
                Some(round) => (broadcast::ALGORITHMS[0].round)(part, round, out),
            }
        },
        ..PLAIN
    },
    Algorithm {
        name: "tree",
        summary: "Up and down a tree whose radix may be chosen, segment by segment",
        needs_power_of_two: false,
        strands: |part| tree::strands_of_both(part.relative() == 0),
        rounds: |part| {
            let segments = part.segments(part.collective.bytes);
            Flow::rounds_of_both(part.deepest_level(), segments)
        },
        round: |part, round, out| {
            let flow = Flow {
                place: &part.levels(),
                deepest: part.deepest_level(),
                bytes: part.collective.bytes,
                parts: part.segments(part.collective.bytes),
            };
            flow.both(round, out);
        },
        ..PLAIN
    },
    Algorithm {
        name: "double-tree",
        summary: "Halves up and down two trees at once, segment by segment (NCCL)",
        needs_power_of_two: false,
        strands: double_tree::strands,
        rounds: double_tree::rounds,
        round: double_tree::round,
        ..PLAIN
    },
];

/// Rounds before and after for ranks beyond a power of two.
fn folds(part: &Part) -> u32 {
    if part.power().1 > 0 { 2 } else { 0 }
}

/// A member of the power of two, and the number of a round among theirs.
pub(super) struct Folded {
    pub(super) me: u32,
    pub(super) round: u32,
    /// How many are two members.
    pub(super) extra: u32,
}

impl Folded {
    /// The member with a number among them.
    pub(super) fn member(&self, number: u32) -> u32 {
        match number < self.extra {
            true => 2 * number + 1,
            false => number + self.extra,
        }
    }
}

/// Of the first members, twice as many as there are too many, each even one gives its vector to the next, and gets
/// the result from it in the end. Those who are left go on.
///
/// `bytes` are what an even one gives, and what it gets.
pub(super) fn fold(
    part: &Part,
    round: u32,
    out: &mut Round,
    rounds: u32,
    bytes: [u64; 2],
) -> Option<Folded> {
    let (_, extra) = part.power();
    let bytes = bytes[usize::from(round > 0)];
    let folds = folds(part);
    let is_folded = part.me < 2 * extra;
    if folds > 0 && (round == 0 || round + 1 == rounds) {
        // Even members give first, and odd ones give back.
        let gives = part.me.is_multiple_of(2) == (round == 0);
        match (is_folded, gives) {
            (false, _) => {}
            (true, true) => out.send(part.me ^ 1, bytes),
            (true, false) => out.receive(part.me ^ 1, bytes),
        }
        return None;
    }
    if is_folded && part.me.is_multiple_of(2) {
        return None;
    }
    let me = match is_folded {
        true => part.me / 2,
        false => part.me - extra,
    };
    Some(Folded {
        me,
        round: round - folds / 2,
        extra,
    })
}

pub(super) fn doubling_rounds(part: &Part) -> u32 {
    part.power().0.trailing_zeros() + folds(part)
}

fn recursive_doubling(part: &Part, round: u32, out: &mut Round) {
    let bytes = part.collective.bytes;
    if let Some(folded) = fold(part, round, out, doubling_rounds(part), [bytes; 2]) {
        let other = folded.member(folded.me ^ 1 << folded.round);
        out.exchange(other, bytes);
    }
}

fn rabenseifner(part: &Part, round: u32, out: &mut Round) {
    let (power, _) = part.power();
    let doublings = power.trailing_zeros();
    let bytes = [part.collective.bytes; 2];
    let Some(folded) = fold(part, round, out, 2 * doublings + folds(part), bytes) else {
        return;
    };
    let bytes = |first: u32, count: u32| part.blocks_of(power, first, count);
    let is_halving = folded.round < doublings;
    let distance = match is_halving {
        true => 1 << (doublings - 1 - folded.round),
        false => 1 << (folded.round - doublings),
    };
    let other = folded.me ^ distance;
    let first = |member: u32| member & !(distance - 1);
    let (own, others) = (
        bytes(first(folded.me), distance),
        bytes(first(other), distance),
    );
    let member = folded.member(other);
    match is_halving {
        true => {
            out.receive(member, own);
            out.send(member, others);
        }
        false => {
            out.receive(member, others);
            out.send(member, own);
        }
    }
}

fn ring(part: &Part, round: u32, out: &mut Round) {
    let ranks = part.ranks;
    let behind = |member: u32| (member + ranks - round % ranks) % ranks;
    let before = part.behind(1);
    out.receive(before, part.blocks(behind(before), 1));
    out.send(part.ahead(1), part.blocks(behind(part.me), 1));
}
