//! Deadlock: found where it happens, named by the cycle of channels, and never where it cannot happen.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::toys;

use crate::storms::{assert_ring_cycle, deadlock, half_way_round, model, storm};
use crate::toys::{Classes, DimensionOrder, Listed, Packet, Toys, Uniform};
use turnwise_network::{FlowControl, Vc};
use turnwise_sim::{Ending, Outcome, Phases, RouterKind, RouterModel};

/// Storms that stop for good: tori by their sizes, virtual channels, packets, buffers.
const WORMHOLE_STORMS: &[(&[u32], Vc, u16, u32)] = &[
    (&[4], 1, 1, 1),
    (&[5], 1, 5, 4),
    (&[7], 1, 1, 2),
    (&[7], 1, 5, 4),
    (&[4, 4], 1, 1, 2),
    (&[5, 4], 1, 1, 2),
    (&[3, 4, 3], 1, 1, 1),
];

#[test]
fn rings_without_datelines_deadlock_and_the_cycle_goes_round_one_ring() {
    for &(sizes, vcs, flits, buffer) in WORMHOLE_STORMS {
        let network = toys::torus(sizes, 1);
        let model = model(vcs, buffer, FlowControl::Wormhole);
        let outcome = storm(&network, Classes::None, &model, flits, 100_000);
        let cycle = deadlock(&outcome);
        let around = assert_ring_cycle(&network, cycle);
        assert!(
            sizes.contains(&(around as u32)),
            "{cycle:?} does not go round a ring of {sizes:?}"
        );
        assert_eq!(cycle.len(), around, "once");
        assert!(outcome.cycles < 100_000, "it was noticed before the end");
    }
}

/// With two virtual channels to choose from, a packet waits for both, and the cycle goes through
/// some of them.
#[test]
fn more_virtual_channels_alone_do_not_help() {
    let network = toys::torus(&[7], 1);
    let outcome = half_way_round(&network, &model(2, 4, FlowControl::Wormhole), 5, 20_000);
    assert_eq!(assert_ring_cycle(&network, deadlock(&outcome)), 7);
}

/// Four packets, each with its head at its second router and its tail still before its first:
/// the smallest deadlock, drawn by hand. It is noticed although nothing else happens any more.
#[test]
fn a_deadlock_of_four_packets() {
    let network = toys::torus(&[4], 1);
    let routing = DimensionOrder {
        network: &network,
        vcs: 1,
        classes: Classes::None,
    };
    // All go two hops up; random numbers decide ties, so the seed is one that sends all of them the same way.
    let packets = (0..4).map(|source| Packet {
        source,
        created: 10,
        destination: (source + 2) % 4,
        flits: 12,
    });
    let list = Listed(packets.collect());
    let model = model(1, 3, FlowControl::Wormhole);
    let phases = toys::until_all_arrive(100);
    let endings = (0..64).map(|seed| {
        let toys = Toys {
            network: &network,
            routing: &routing,
            injector: &list,
            model: &model,
            phases: &phases,
            seed,
        };
        toys.run()
    });
    let stuck: Vec<Outcome> = endings
        .filter(|outcome| matches!(outcome.ending, Ending::Deadlocked(_)))
        .collect();
    // All up or all down: two of sixteen draws.
    assert!((2..=20).contains(&stuck.len()), "{} of 64", stuck.len());
    for outcome in &stuck {
        let cycle = deadlock(outcome);
        assert_eq!((cycle.len(), assert_ring_cycle(&network, cycle)), (4, 4));
        assert_eq!((outcome.packets, outcome.measurement.undelivered), (0, 4));
        assert!(outcome.cycles < 10_000, "{}", outcome.cycles);
    }
}

/// Queues behind the crossbar fill up, too, and belong to the cycle without being named: every
/// channel of the ring is waited for.
#[test]
fn output_queues_do_not_hide_a_deadlock() {
    for &(sizes, vcs, flits, buffer) in WORMHOLE_STORMS {
        let network = toys::torus(sizes, 1);
        for (queue, wait) in [(1, false), (3, true)] {
            let model = RouterModel {
                kind: RouterKind::InputOutputQueued,
                output_buffer_flits: Some(queue),
                speedup_permille: 2000,
                wait_for_tail_credit: wait,
                ..model(vcs, buffer, FlowControl::Wormhole)
            };
            let outcome = storm(&network, Classes::None, &model, flits, 100_000);
            let around = assert_ring_cycle(&network, deadlock(&outcome));
            assert!(sizes.contains(&(around as u32)));
        }
    }
}

#[test]
fn an_output_that_waits_for_its_tails_credit_does_not_hide_a_deadlock() {
    let network = toys::torus(&[5], 1);
    let model = RouterModel {
        wait_for_tail_credit: true,
        ..model(1, 8, FlowControl::Wormhole)
    };
    let outcome = storm(&network, Classes::None, &model, 3, 50_000);
    assert_eq!(assert_ring_cycle(&network, deadlock(&outcome)), 5);
}

#[test]
fn datelines_keep_rings_moving() {
    for sizes in [&[4][..], &[7], &[4, 4], &[5, 4]] {
        let network = toys::torus(sizes, 1);
        for (vcs, flits, buffer) in [(2, 1, 1), (2, 5, 4), (3, 9, 2), (4, 5, 4)] {
            for kind in [RouterKind::InputQueued, RouterKind::InputOutputQueued] {
                let model = RouterModel {
                    kind,
                    ..model(vcs, buffer, FlowControl::Wormhole)
                };
                let outcome = storm(&network, Classes::Dateline, &model, flits, 20_000);
                assert_eq!(outcome.ending, Ending::Completed);
                assert!(outcome.measurement.accepted_load.mean > 0.02);
            }
        }
    }
}

#[test]
fn drained_runs_with_datelines_complete() {
    let network = toys::torus(&[4, 4], 2);
    let routing = DimensionOrder {
        network: &network,
        vcs: 2,
        classes: Classes::Dateline,
    };
    let injector = Uniform {
        terminals: 16,
        load: 1.0,
        flits: 4,
        seed: 3,
    };
    let model = model(2, 6, FlowControl::Wormhole);
    let phases = Phases {
        warmup: 500,
        measure: 1_000,
        drain: true,
        limit: 100_000,
    };
    let outcome = Toys {
        network: &network,
        routing: &routing,
        injector: &injector,
        model: &model,
        phases: &phases,
        seed: 4,
    }
    .run();
    assert_eq!(outcome.ending, Ending::Completed);
    assert_eq!(outcome.measurement.undelivered, 0);
}
