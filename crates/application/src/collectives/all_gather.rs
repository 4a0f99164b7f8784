//! Everybody's block to everybody.
//!
//! Neighbour exchange: Chen et al., "Performance evaluation of allgather algorithms on terascale Linux cluster with fast
//! Ethernet", HPC Asia 2005, as in Open MPI.

use super::{Algorithm, PLAIN, Part, Round};

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
    Algorithm {
        name: "neighbor-exchange",
        summary: "What is new is exchanged with one neighbour and the other in turn; needs an even number of ranks",
        needs_power_of_two: false,
        needs_even: true,
        rounds: |part| part.ranks / 2,
        round: neighbor_exchange,
        ..PLAIN
    },
];

/// Even members begin with the next one, odd ones with the one before. From the second round on two blocks are new.
fn neighbor_exchange(part: &Part, round: u32, out: &mut Round) {
    let with = match part.me.is_multiple_of(2) == round.is_multiple_of(2) {
        true => part.ahead(1),
        false => part.behind(1),
    };
    let blocks = if round == 0 { 1 } else { 2 };
    out.exchange(with, part.collective.bytes * blocks);
}
