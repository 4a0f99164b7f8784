//! What virtual channels, credit loops and terminals can carry, by counting cycles; see
//! `docs/simulator.md`.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::toys;

use crate::toys::{Classes, DimensionOrder, Listed, NextHop, Packet, Senders, Toys};
use turnwise_network::{Injector, Network, Routing};
use turnwise_sim::{Depth, Ending, Outcome, RouterKind, RouterModel};

fn run(
    network: &Network,
    routing: &dyn Routing,
    injector: &dyn Injector,
    model: &RouterModel,
    cycles: u64,
) -> Outcome {
    let phases = toys::window(2_000, cycles);
    let outcome = Toys {
        network,
        routing,
        injector,
        model,
        phases: &phases,
        seed: 1,
    }
    .run();
    assert_eq!(outcome.ending, Ending::Completed);
    outcome
}

/// A virtual channel works on one packet at a time: after a tail has won the switch, the next
/// head wants its route and its channel first. One packet in `RC + VA + S` cycles.
#[test]
fn one_virtual_channel_passes_one_packet_at_a_time() {
    let network = toys::mesh(&[2], 1, 1, 1);
    let routing = DimensionOrder {
        network: &network,
        vcs: 1,
        classes: Classes::None,
    };
    for routing_delay in 0..=3 {
        for vc_allocation_delay in 1..=3 {
            for flits in [1u16, 2, 4, 5, 17] {
                let model = RouterModel {
                    buffers: Depth::everywhere(64),
                    routing_delay,
                    vc_allocation_delay,
                    ..RouterModel::default()
                };
                let injector = Senders {
                    pairs: vec![(0, 1)],
                    flits,
                };
                let outcome = run(&network, &routing, &injector, &model, 20_000);
                let period = u64::from(routing_delay + vc_allocation_delay) + u64::from(flits);
                let accepted = outcome.measurement.accepted_load.mean * 2.0 * 20_000.0;
                let expected = 20_000.0 * f64::from(flits) / period as f64;
                assert!(
                    (accepted - expected).abs() <= f64::from(flits),
                    "{accepted} flits, not {expected}, of {flits} with {routing_delay} and {vc_allocation_delay}"
                );
            }
        }
    }
}

/// An output virtual channel, too: free in the step after the tail, taken in the next.
/// Two queues that compete for it fill it to `S / (S + 1)`, four virtual channels entirely.
#[test]
fn terminals_take_one_flit_a_cycle() {
    let network = toys::single_router(6, 1);
    for (vcs, flits, expected) in [
        (1, 1, 0.5),
        (1, 4, 0.8),
        (4, 1, 1.0),
        (4, 5, 1.0),
        (4, 2, 1.0),
    ] {
        let routing = NextHop::shortest(&network, vcs);
        let model = RouterModel {
            virtual_channels: vcs,
            ..RouterModel::default()
        };
        let injector = Senders {
            pairs: (1..6).map(|source| (source, 0)).collect(),
            flits,
        };
        let outcome = run(&network, &routing, &injector, &model, 20_000);
        let accepted = outcome.measurement.accepted_load.mean * 6.0;
        assert!(accepted <= 1.0 + 1e-9, "{accepted}");
        assert!(
            (accepted - expected).abs() < 0.001,
            "{vcs} channels, {flits} flits: {accepted}, not {expected}"
        );
    }
}

/// Buffers smaller than the credit loop: one packet crosses a long channel in bursts of a
/// buffer each, one burst a round trip, exactly.
#[test]
fn a_long_channel_carries_a_buffer_a_round_trip() {
    for (latency, buffer, credit_delay, kind) in [
        (10, 4, 2, RouterKind::InputQueued),
        (10, 16, 2, RouterKind::InputQueued),
        (100, 32, 0, RouterKind::InputQueued),
        (25, 7, 3, RouterKind::InputQueued),
        (40, 64, 1, RouterKind::InputQueued),
        (10, 4, 2, RouterKind::InputOutputQueued),
        (25, 7, 3, RouterKind::InputOutputQueued),
        (40, 64, 0, RouterKind::InputOutputQueued),
    ] {
        let network = toys::mesh(&[2], 1, latency, 1);
        let routing = DimensionOrder {
            network: &network,
            vcs: 1,
            classes: Classes::None,
        };
        let model = RouterModel {
            kind,
            buffers: Depth::everywhere(buffer),
            credit_delay,
            ..RouterModel::default()
        };
        // A flit in the middle of a packet needs no route and no channel at the other side.
        let stages = model.routing_delay + model.vc_allocation_delay;
        let round_trip = u64::from(model.credit_round_trip(latency) - stages);
        assert!(round_trip > u64::from(buffer) && buffer >= 4);
        let flits = 1_000u16;
        let list = Listed(vec![Packet {
            source: 0,
            created: 0,
            destination: 1,
            flits,
        }]);
        let phases = toys::until_all_arrive(10);
        let outcome = Toys {
            network: &network,
            routing: &routing,
            injector: &list,
            model: &model,
            phases: &phases,
            seed: 1,
        }
        .run();
        let (rounds, rest) = (
            u64::from(flits - 1) / u64::from(buffer),
            u64::from(flits - 1) % u64::from(buffer),
        );
        let head = 3 + 2 * u64::from(model.pipeline()) + u64::from(latency);
        let expected = head + rounds * round_trip + rest;
        assert_eq!(
            outcome.measurement.latencies.max(),
            Some(expected),
            "latency {latency}, buffer {buffer}"
        );
    }
}

/// The same for packets of one flit: a virtual channel's throughput is a buffer a round trip,
/// and as many buffers as there are virtual channels.
#[test]
fn throughput_of_a_long_channel_is_its_buffers_over_the_round_trip() {
    for (vcs, latency, buffer, kind) in [
        (1, 30, 8, RouterKind::InputQueued),
        (2, 30, 8, RouterKind::InputQueued),
        (3, 100, 16, RouterKind::InputQueued),
        (2, 30, 8, RouterKind::InputOutputQueued),
        (3, 100, 16, RouterKind::InputOutputQueued),
    ] {
        let network = toys::mesh(&[2], 1, latency, 1);
        let routing = DimensionOrder {
            network: &network,
            vcs,
            classes: Classes::None,
        };
        let model = RouterModel {
            kind,
            virtual_channels: vcs,
            buffers: Depth::everywhere(buffer),
            ..RouterModel::default()
        };
        let injector = Senders {
            pairs: vec![(0, 1)],
            flits: 1,
        };
        let outcome = run(&network, &routing, &injector, &model, 50_000);
        let expected =
            f64::from(u32::from(vcs) * buffer) / f64::from(model.credit_round_trip(latency));
        let accepted = outcome.measurement.accepted_load.mean * 2.0;
        assert!(
            (accepted / expected - 1.0).abs() < 0.002,
            "{accepted}, not {expected}"
        );
    }
}

/// Every flit is counted on every channel it crosses, and nowhere else.
#[test]
fn utilisation_adds_up_to_hops() {
    let network = toys::torus_with(&[4, 3], 2, 2, 1);
    let routing = DimensionOrder {
        network: &network,
        vcs: 2,
        classes: Classes::Dateline,
    };
    let model = RouterModel {
        virtual_channels: 2,
        ..RouterModel::default()
    };
    let packets = (0..24).flat_map(|source| {
        (0..20).map(move |n| Packet {
            source,
            created: 3 * n,
            destination: (5 * source + 7 * n as u32) % 24,
            flits: 3,
        })
    });
    let list = Listed(packets.collect());
    let phases = toys::until_all_arrive(5_000);
    let outcome = Toys {
        network: &network,
        routing: &routing,
        injector: &list,
        model: &model,
        phases: &phases,
        seed: 1,
    }
    .run();
    let measured = &outcome.measurement;
    assert_eq!((outcome.packets, measured.window), (480, 5_000));
    let crossed: f64 = measured.utilisation.iter().sum::<f64>() * 5_000.0;
    let expected = measured.mean_hops * 480.0 * 3.0;
    assert!(
        (crossed - expected).abs() < 1e-6,
        "{crossed} flits on channels, {expected} by hops"
    );
    assert_eq!(outcome.flit_hops, expected.round() as u64 + 480 * 3);
    assert!(measured.utilisation.iter().all(|&share| share <= 1.0));
    assert!((measured.accepted_load.mean * 24.0 * 5_000.0 - 1_440.0).abs() < 1e-6);
}
