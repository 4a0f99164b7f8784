//! The same setup gives the same outcome; another seed gives another one.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::toys;

use crate::toys::{Classes, DimensionOrder, Listed, NextHop, Packet, Toys, Uniform};
use turnwise_network::FlowControl;
use turnwise_sim::{Allocator, Depth, Outcome, Phases, RouterKind, RouterModel};

fn run(model: &RouterModel, traffic_seed: u64, seed: u64, flits: u16) -> Outcome {
    let network = toys::torus(&[4, 4], 2);
    let routing = DimensionOrder {
        network: &network,
        vcs: 4,
        classes: Classes::Dateline,
    };
    let injector = Uniform {
        terminals: 16,
        load: 0.5,
        flits,
        seed: traffic_seed,
    };
    let phases = Phases {
        warmup: 200,
        measure: 1_000,
        drain: true,
        limit: 100_000,
    };
    Toys {
        network: &network,
        routing: &routing,
        injector: &injector,
        model,
        phases: &phases,
        seed,
    }
    .run()
}

fn models() -> Vec<RouterModel> {
    let base = RouterModel {
        virtual_channels: 4,
        ..RouterModel::default()
    };
    vec![
        base.clone(),
        RouterModel {
            vc_allocator: Allocator::SeparableInputFirst,
            switch_allocator: Allocator::SeparableInputFirst,
            allocation_iterations: 2,
            ..base.clone()
        },
        RouterModel {
            speedup_permille: 1500,
            routing_delay: 0,
            ..base.clone()
        },
        RouterModel {
            flow_control: FlowControl::VirtualCutThrough,
            wait_for_tail_credit: true,
            ..base.clone()
        },
        RouterModel {
            kind: RouterKind::InputOutputQueued,
            speedup_permille: 2000,
            ..base.clone()
        },
        RouterModel {
            kind: RouterKind::InputOutputQueued,
            output_buffer_flits: Some(1),
            ..base.clone()
        },
        RouterModel {
            input_speedup: 2,
            ..base.clone()
        },
        RouterModel {
            output_speedup: 2,
            ..base.clone()
        },
        RouterModel {
            hold_switch: true,
            ..base.clone()
        },
        RouterModel {
            busy_when_full: true,
            buffers: Depth::everywhere(3),
            ..base.clone()
        },
        RouterModel {
            buffers: Depth::everywhere(3),
            ..base
        },
    ]
}

#[test]
fn the_same_setup_gives_the_same_outcome() {
    for model in models() {
        let (first, second) = (run(&model, 1, 2, 3), run(&model, 1, 2, 3));
        assert_eq!(first.fingerprint, second.fingerprint);
        assert_eq!(first.measurement, second.measurement);
        assert_eq!(
            (first.ending, first.cycles, first.flit_hops, first.packets),
            (
                second.ending,
                second.cycles,
                second.flit_hops,
                second.packets
            )
        );
    }
}

#[test]
fn everything_that_matters_changes_the_fingerprint() {
    let base = models()[0].clone();
    let mut fingerprints = vec![
        run(&base, 1, 2, 3).fingerprint,
        // Other traffic, other choices among ties, other packets.
        run(&base, 9, 2, 3).fingerprint,
        run(&base, 1, 9, 3).fingerprint,
        run(&base, 1, 2, 2).fingerprint,
    ];
    fingerprints.extend(
        models()[1..]
            .iter()
            .map(|model| run(model, 1, 2, 3).fingerprint),
    );
    let slower = RouterModel {
        credit_delay: 3,
        buffers: Depth::everywhere(4),
        ..base
    };
    fingerprints.push(run(&slower, 1, 2, 3).fingerprint);
    let count = fingerprints.len();
    fingerprints.sort_unstable();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), count);
}

/// Checking watches; it changes nothing.
#[test]
fn checking_changes_nothing() {
    let network = toys::torus(&[5], 1);
    let routing = DimensionOrder {
        network: &network,
        vcs: 2,
        classes: Classes::Dateline,
    };
    let injector = Uniform {
        terminals: 5,
        load: 0.7,
        flits: 2,
        seed: 1,
    };
    let model = RouterModel {
        virtual_channels: 2,
        ..RouterModel::default()
    };
    let phases = Phases {
        warmup: 200,
        measure: 1_000,
        drain: true,
        limit: 100_000,
    };
    let run = |check| {
        let setup = turnwise_sim::Setup {
            network: &network,
            routing: &routing,
            demand: turnwise_sim::Demand::Open(&injector),
            model: &model,
            schedule: turnwise_sim::Schedule::Window(phases),
            seed: 1,
            minimal: None,
            interval: None,
            check,
            threads: 1,
        };
        turnwise_sim::Simulation::new(setup)
            .run()
            .unwrap()
            .fingerprint
    };
    assert_eq!(run(true), run(false));
}

/// A few packets far apart from each other in a router take as long as if the clock never jumped,
/// which a very long packet between other terminals prevents. With a fraction of a step more a
/// cycle, how long they take depends on the cycle they come in.
#[test]
fn cycles_in_which_nothing_happens_may_be_skipped() {
    let network = toys::single_router(4, 1);
    let routing = NextHop::shortest(&network, 1);
    for speedup_permille in [1010, 1250, 1700] {
        let model = RouterModel {
            speedup_permille,
            ..RouterModel::default()
        };
        let few = (0..2_000u64).map(|n| Packet {
            source: 0,
            created: 10 + 13 * n + n * n % 7,
            destination: 1,
            flits: 2,
        });
        let long = Packet {
            source: 2,
            created: 0,
            destination: 3,
            flits: 40_000,
        };
        let latencies = |packets: Vec<Packet>| {
            let outcome = Toys {
                network: &network,
                routing: &routing,
                injector: &Listed(packets),
                model: &model,
                phases: &Phases {
                    warmup: 5,
                    measure: 30_000,
                    drain: true,
                    limit: 100_000,
                },
                seed: 1,
            }
            .run();
            assert_eq!(outcome.measurement.packets, 2_000);
            outcome.measurement.latencies
        };
        let jumping = latencies(few.clone().collect());
        let walking = latencies(few.chain([long]).collect());
        assert_eq!(jumping, walking, "{speedup_permille}");
        assert!(jumping.quantile(0.0) < jumping.max(), "it does not depend");
    }
}
