//! Barriers.
//!
//! Dissemination with a radix k tells k - 1 others in each round (Hoefler et al., "Fast barrier synchronization for
//! InfiniBand", IPDPS 2006). What interfaces or switches do is a tree of packets without payload, up and down.

use super::all_reduce::doubling_rounds;
use super::tree::{self, Flow};
use super::{Algorithm, PLAIN, Part, Round, nomial};

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "dissemination",
        summary: "Each tells the one 1, 2, 4, ... ahead; with a radix k, those 1 to k - 1 times 1, k, k^2, ... ahead",
        needs_power_of_two: false,
        rounds: |part| {
            let reaches = |reach: &u64| *reach < part.ranks.into();
            part.reaches().take_while(reaches).count() as u32
        },
        round: |part, round, out| {
            for distance in part.distances(round) {
                out.receive(part.behind(distance), 1);
                out.send(part.ahead(distance), 1);
            }
        },
        ..PLAIN
    },
    Algorithm {
        name: "recursive-doubling",
        summary: "Pairs tell each other, at distances 1, 2, 4, ...",
        needs_power_of_two: false,
        rounds: doubling_rounds,
        round: recursive_doubling,
        ..PLAIN
    },
    Algorithm {
        name: "linear",
        summary: "All tell the first, which tells all",
        needs_power_of_two: false,
        rounds: |part| if part.ranks > 1 { 2 } else { 0 },
        round: linear,
        ..PLAIN
    },
    Algorithm {
        name: "binomial",
        summary: "Up a binomial tree and down again",
        needs_power_of_two: false,
        rounds: |part| 2 * part.doublings(),
        round: |part, round, out| match round.checked_sub(part.doublings()) {
            None => nomial::up(part, round, 2, 1, out),
            Some(round) => nomial::down(part, round, 2, 1, out),
        },
        ..PLAIN
    },
    Algorithm {
        name: "offloaded",
        summary: "Up and down a tree of interfaces or switches, whose radix may be chosen, without the ranks' processors",
        needs_power_of_two: false,
        is_offloaded: true,
        strands: |part| tree::strands_of_both(part.relative() == 0),
        rounds: |part| Flow::rounds_of_both(part.deepest_level(), 1),
        round: |part, round, out| {
            let flow = Flow {
                place: &part.levels(),
                deepest: part.deepest_level(),
                bytes: 0,
                parts: 1,
            };
            flow.both(round, out);
        },
        ..PLAIN
    },
];

impl Part {
    /// How far ahead somebody has heard of one before each round of dissemination.
    fn reaches(&self) -> impl Iterator<Item = u64> {
        let radix = u64::from(self.tuning.radix.max(2));
        std::iter::successors(Some(1), move |reach| Some(reach * radix))
    }

    /// How far ahead those are who are told in a round.
    fn distances(&self, round: u32) -> impl Iterator<Item = u32> {
        let radix = u64::from(self.tuning.radix.max(2));
        let reach = self.reaches().nth(round as usize).unwrap_or(u64::MAX);
        let distances = (1..radix).map(move |times| times * reach);
        let ranks = u64::from(self.ranks);
        let within = distances.take_while(move |&distance| distance < ranks);
        within.map(|distance| distance as u32)
    }
}

/// Members beyond a power of two tell those as far before them, and are told by them in the end.
fn recursive_doubling(part: &Part, round: u32, out: &mut Round) {
    let (power, extra) = part.power();
    let is_last = round + 1 == doubling_rounds(part);
    if extra > 0 && (round == 0 || is_last) {
        match (part.me.checked_sub(power), round == 0) {
            (Some(before), true) => out.send(before, 1),
            (Some(before), false) => out.receive(before, 1),
            (None, _) if part.me >= extra => {}
            (None, true) => out.receive(part.me + power, 1),
            (None, false) => out.send(part.me + power, 1),
        }
    } else if part.me < power {
        let among_them = round - u32::from(extra > 0);
        out.exchange(part.me ^ 1 << among_them, 1);
    }
}

fn linear(part: &Part, round: u32, out: &mut Round) {
    match (part.me, round) {
        (0, 0) => (1..part.ranks).for_each(|other| out.receive(other, 1)),
        (0, _) => (1..part.ranks).for_each(|other| out.send(other, 1)),
        (_, 0) => out.send(0, 1),
        _ => out.receive(0, 1),
    }
}
