//! Ports differ: slow channels, and buffers by class of channel.
//!
//! A channel with an interval of `n` takes exactly one flit in `n` cycles, wherever it lies. A buffer of `B` flits
//! passes `B` of them in a round trip of its own channel, whatever buffers are elsewhere.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::toys;

use crate::toys::{Classes, DimensionOrder, Listed, Packet, Senders, Toys};
use turnwise_network::{Network, PerClass};
use turnwise_sim::{Depth, Ending, Outcome, RouterKind, RouterModel};

/// Routers of all kinds: at each, flits wait elsewhere for a slow channel.
fn models() -> Vec<RouterModel> {
    let usual = RouterModel {
        virtual_channels: 4,
        buffers: Depth::everywhere(64),
        ..RouterModel::default()
    };
    let mut models = Vec::new();
    for kind in [RouterKind::InputQueued, RouterKind::InputOutputQueued] {
        for (speedup_permille, output_speedup) in [(1000, 1), (1500, 1), (2000, 1), (1000, 3)] {
            for output_buffer_flits in [None, Some(1), Some(3)] {
                models.push(RouterModel {
                    kind,
                    speedup_permille,
                    output_speedup,
                    output_buffer_flits,
                    ..usual.clone()
                });
            }
        }
    }
    models.push(RouterModel {
        hold_switch: true,
        ..usual.clone()
    });
    // More lanes than one mask word holds.
    models.push(RouterModel {
        virtual_channels: 30,
        ..usual
    });
    models
}

/// Cycles of a router that only heads spend there, in routing and channel allocation: behind a slow channel the
/// tail catches up so much.
const HEADS_ONLY: u64 = 2;

fn pair(latency: u32, intervals: PerClass<u32>) -> Network {
    toys::slowed(toys::mesh(&[2], 1, latency, 1), intervals)
}

fn run(network: &Network, model: &RouterModel, flits: u16, cycles: u64) -> Outcome {
    let routing = DimensionOrder {
        network,
        vcs: model.virtual_channels,
        classes: Classes::None,
    };
    let injector = Senders {
        pairs: vec![(0, 1)],
        flits,
    };
    let phases = toys::window(3_000, cycles);
    let toys = Toys {
        network,
        routing: &routing,
        injector: &injector,
        model,
        phases: &phases,
        seed: 1,
    };
    let outcome = toys.run();
    assert_eq!(outcome.ending, Ending::Completed);
    outcome
}

/// One packet from the first terminal to the second, with all checks.
fn lone(network: &Network, model: &RouterModel, flits: u16) -> Outcome {
    let routing = DimensionOrder {
        network,
        vcs: model.virtual_channels,
        classes: Classes::None,
    };
    let packet = Packet {
        source: 0,
        created: 0,
        destination: 1,
        flits,
    };
    let toys = Toys {
        network,
        routing: &routing,
        injector: &Listed(vec![packet]),
        model,
        phases: &toys::until_all_arrive(10),
        seed: 1,
    };
    toys.run()
}

/// Flits that arrived in the window.
fn arrived(outcome: &Outcome) -> u64 {
    let measured = &outcome.measurement;
    // Per terminal, of which there are two.
    (measured.accepted_load.mean * 2.0 * measured.window as f64).round() as u64
}

#[test]
fn a_slow_channel_takes_a_flit_an_interval() {
    const CYCLES: u64 = 2_520;
    for model in models() {
        for interval in [1u32, 2, 3, 7, 40] {
            let each = |terminal, local| PerClass {
                terminal,
                local,
                global: 1,
            };
            // The last is slow at the source, between the routers and at the destination.
            for intervals in [
                each(1, interval),
                each(interval, 1),
                each(interval, interval),
            ] {
                let outcome = run(&pair(3, intervals), &model, 1, CYCLES);
                let expected = CYCLES / u64::from(interval);
                let found = arrived(&outcome);
                assert_eq!(found, expected, "{intervals:?}, {model:?}");
                let busy = outcome.measurement.utilisation.iter().copied();
                let busy = busy.fold(0.0, f64::max);
                let share = f64::from(intervals.local) / f64::from(interval);
                assert!(
                    (busy - share).abs() < 1e-9,
                    "{busy}, not {share}: {model:?}"
                );
            }
        }
    }
}

/// A lone packet's flits follow each other as the slowest channel on their way lets them.
#[test]
fn nobody_looks_after_a_channel_that_is_not_free() {
    let network = pair(
        1,
        PerClass {
            terminal: 1,
            local: 100,
            global: 1,
        },
    );
    let model = RouterModel {
        buffers: Depth::everywhere(64),
        ..RouterModel::default()
    };
    let outcome = lone(&network, &model, 50);
    assert_eq!(
        outcome.measurement.latencies.max(),
        Some(3 + 2 * 4 + 1 + 49 * 100 - HEADS_ONLY)
    );
    // Each router has something to do for every flit, and for the head's way; not in 4,900 cycles.
    assert!(outcome.router_steps < 2 * 60, "{}", outcome.router_steps);
}

/// A terminal that waits for its slow channel has not been forgotten, though nothing else is under way.
#[test]
fn sources_of_slow_channels_are_not_taken_for_forgotten() {
    for model in models() {
        for interval in [30, 50, 100, 400] {
            let terminal = PerClass {
                terminal: interval,
                ..PerClass::all(1)
            };
            let outcome = lone(&pair(1, terminal), &model, 40);
            assert_eq!(outcome.ending, Ending::Completed, "{interval}: {model:?}");
        }
    }
}

/// As deep as its own channel's round trip a buffer keeps it busy with one virtual channel, whatever is
/// behind others.
#[test]
fn a_buffer_of_a_round_trip_keeps_its_channel_busy() {
    const FLITS: u16 = 1_000;
    for (latency, interval, kind) in [
        (1, 1, RouterKind::InputQueued),
        (30, 1, RouterKind::InputQueued),
        (30, 4, RouterKind::InputQueued),
        (30, 1, RouterKind::InputOutputQueued),
        (30, 7, RouterKind::InputOutputQueued),
    ] {
        let network = pair(
            latency,
            PerClass {
                terminal: 1,
                local: interval,
                global: 1,
            },
        );
        let routing = DimensionOrder {
            network: &network,
            vcs: 1,
            classes: Classes::None,
        };
        let round_trip = RouterModel::default()
            .credit_round_trip(latency)
            .div_ceil(interval);
        for (local, is_enough) in [
            (Depth::RoundTrip { packet: 1 }, true),
            (Depth::Flits(round_trip / 4), false),
        ] {
            let model = RouterModel {
                kind,
                buffers: PerClass {
                    terminal: Depth::Flits(9),
                    local,
                    global: Depth::Flits(1),
                },
                ..RouterModel::default()
            };
            let packet = Packet {
                source: 0,
                created: 0,
                destination: 1,
                flits: FLITS,
            };
            let toys = Toys {
                network: &network,
                routing: &routing,
                injector: &Listed(vec![packet]),
                model: &model,
                phases: &toys::until_all_arrive(10),
                seed: 1,
            };
            let found = toys.run().measurement.latencies.max().unwrap();
            let head = 3 + 2 * u64::from(model.pipeline()) + u64::from(latency);
            let behind = u64::from(FLITS - 1) * u64::from(interval);
            let expected = head + behind - if interval > 1 { HEADS_ONLY } else { 0 };
            match is_enough {
                true => assert_eq!(found, expected, "{latency}, {interval}, {kind:?}"),
                false => assert!(found > 2 * expected, "{latency}, {interval}, {kind:?}"),
            }
        }
    }
}
