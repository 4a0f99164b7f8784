//! Barriers.

use super::{Algorithm, Part, Round};

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "dissemination",
        summary: "Each tells the one 1, 2, 4, ... ahead",
        needs_power_of_two: false,
        rounds: Part::doublings,
        round: |part, round, out| {
            out.receive(part.behind(1 << round), 1);
            out.send(part.ahead(1 << round), 1);
        },
    },
    Algorithm {
        name: "recursive-doubling",
        summary: "Pairs tell each other, at distances 1, 2, 4, ...",
        needs_power_of_two: true,
        rounds: Part::doublings,
        round: |part, round, out| out.exchange(part.me ^ 1 << round, 1),
    },
    Algorithm {
        name: "linear",
        summary: "All tell the first, which tells all",
        needs_power_of_two: false,
        rounds: |part| if part.ranks > 1 { 2 } else { 0 },
        round: linear,
    },
];

fn linear(part: &Part, round: u32, out: &mut Round) {
    match (part.me, round) {
        (0, 0) => (1..part.ranks).for_each(|other| out.receive(other, 1)),
        (0, _) => (1..part.ranks).for_each(|other| out.send(other, 1)),
        (_, 0) => out.send(0, 1),
        _ => out.receive(0, 1),
    }
}
