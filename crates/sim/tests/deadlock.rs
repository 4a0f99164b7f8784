//! Deadlock: found where it happens, named by the cycle of channels, and never where it cannot happen.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

mod toys;

use toys::{Classes, DimensionOrder, Listed, Packet, Senders, Toys, Uniform};
use turnwise_network::{ChannelClass, FlowControl, Network, Vc};
use turnwise_sim::{Ending, Outcome, Phases, RouterModel, WaitingChannel};

fn model(virtual_channels: Vc, buffer_flits: u32, flow_control: FlowControl) -> RouterModel {
    RouterModel {
        virtual_channels,
        buffer_flits,
        flow_control,
        ..RouterModel::default()
    }
}

/// Uniform traffic at full load for so many cycles.
fn storm(
    network: &Network,
    classes: Classes,
    model: &RouterModel,
    flits: u16,
    cycles: u64,
) -> Outcome {
    let routing = DimensionOrder {
        network,
        vcs: model.virtual_channels,
        classes,
    };
    let terminals = network.terminal_count() as u32;
    let injector = Uniform {
        terminals,
        load: 1.0,
        flits,
        seed: 3,
    };
    let phases = toys::window(cycles * 3 / 4, cycles / 4);
    Toys {
        network,
        routing: &routing,
        injector: &injector,
        model,
        phases: &phases,
        seed: 4,
    }
    .run()
}

/// Everybody sends to the other side of a ring as fast as possible.
fn half_way_round(network: &Network, model: &RouterModel, flits: u16, cycles: u64) -> Outcome {
    let routing = DimensionOrder {
        network,
        vcs: model.virtual_channels,
        classes: Classes::None,
    };
    let size = network.terminal_count() as u32;
    let pairs = (0..size).map(|source| (source, (source + size / 2) % size));
    let injector = Senders {
        pairs: pairs.collect(),
        flits,
    };
    let phases = toys::window(cycles * 3 / 4, cycles / 4);
    Toys {
        network,
        routing: &routing,
        injector: &injector,
        model,
        phases: &phases,
        seed: 4,
    }
    .run()
}

/// Each channel leads to where the next one starts, all along one ring; returns the ring's routers.
fn assert_ring_cycle(network: &Network, cycle: &[WaitingChannel]) -> usize {
    let channel = |waiting: &WaitingChannel| network.channel(waiting.channel);
    assert!(!cycle.is_empty());
    for (index, waiting) in cycle.iter().enumerate() {
        let next = channel(&cycle[(index + 1) % cycle.len()]);
        assert_eq!(
            channel(waiting).to_router(),
            next.from_router(),
            "{cycle:?} is broken at {index}"
        );
        assert_eq!(
            channel(waiting).class,
            next.class,
            "{cycle:?} leaves its ring at {index}"
        );
        assert!(matches!(next.class, ChannelClass::Dimension { .. }));
    }
    let mut routers: Vec<_> = cycle
        .iter()
        .map(|waiting| channel(waiting).from_router())
        .collect();
    routers.sort_unstable();
    routers.dedup();
    routers.len()
}

fn deadlock(outcome: &Outcome) -> &[WaitingChannel] {
    match &outcome.ending {
        Ending::Deadlocked(cycle) => cycle,
        other => panic!(
            "expected a deadlock, not {other:?} after {} cycles",
            outcome.cycles
        ),
    }
}

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
    // All go two hops up; dice decide ties, so the seed is one that sends all of them the same way.
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
            let model = model(vcs, buffer, FlowControl::Wormhole);
            let outcome = storm(&network, Classes::Dateline, &model, flits, 20_000);
            assert_eq!(outcome.ending, Ending::Completed);
            assert!(outcome.measurement.accepted_load.mean > 0.02);
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

/// Cycles of the bubble's trial by storm: 10^5, or what `TURNWISE_SOAK_CYCLES` says.
fn soak_cycles() -> u64 {
    std::env::var("TURNWISE_SOAK_CYCLES")
        .ok()
        .and_then(|cycles| cycles.parse().ok())
        .unwrap_or(100_000)
}

/// Rings and tori, and packets: what the bubble rule must keep moving, and nothing else does.
/// All have one virtual channel and buffers of two packets.
const CUT_THROUGH_STORMS: &[(&[u32], u16)] = &[
    (&[7], 1),
    (&[7], 4),
    (&[4, 4], 4),
    (&[5, 4], 1),
    (&[3, 4, 3], 1),
];

/// A full 10^6 cycles with `TURNWISE_SOAK_CYCLES=1000000`.
#[test]
fn bubbles_keep_rings_moving() {
    for &(sizes, flits) in CUT_THROUGH_STORMS {
        let network = toys::torus(sizes, 1);
        let model = model(1, 2 * u32::from(flits), FlowControl::Bubble);
        let cycles = soak_cycles() / network.router_count() as u64 * 7;
        let mut outcomes = vec![storm(&network, Classes::None, &model, flits, cycles)];
        if sizes.len() == 1 {
            outcomes.push(half_way_round(&network, &model, flits, cycles));
        }
        for outcome in outcomes {
            assert_eq!(outcome.ending, Ending::Completed);
            // The window is the last part of the run: it moved to the end.
            let accepted = outcome.measurement.accepted_load.mean;
            assert!(accepted > 0.05, "{sizes:?} with {flits} flits: {accepted}");
        }
    }
}

#[test]
fn without_the_rule_they_deadlock() {
    for &(sizes, flits) in CUT_THROUGH_STORMS {
        let network = toys::torus(sizes, 1);
        let model = model(1, 2 * u32::from(flits), FlowControl::VirtualCutThrough);
        let outcome = storm(&network, Classes::None, &model, flits, 100_000);
        assert_ring_cycle(&network, deadlock(&outcome));
    }
}

/// Atomic virtual channels hold one packet each however deep they are: the free space that
/// the rule leaves is of no use to a ring.
#[test]
fn bubbles_and_atomic_virtual_channels_do_not_go_together() {
    let model = RouterModel {
        wait_for_tail_credit: true,
        ..model(1, 8, FlowControl::Bubble)
    };
    assert_eq!(model.check().unwrap_err().0, "wait_for_tail_credit");
}
