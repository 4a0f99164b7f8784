//! A packet alone in the network takes exactly as long as the stages it passes.
//!
//! With `D` cycles in a router, `H` routers, channels of latency `L` and `S` flits:
//!
//! `latency = 1 + L_injection + H * D + sum(L) + L_ejection + (S - 1)`
//!
//! A channel that a flit occupies for `I` cycles is left by the tail `(S - 1) * I` cycles after the head. In the routers
//! behind it the tail catches up what only heads do, routing and channel allocation, as far as channels let it.
//! BookSim2's formula, which it was checked against. Remarks for parameters which BookSim2's
//! examples do not use: a virtual channel bids for the switch again only when its last bid is through,
//! so with a switch allocation of `A` cycles flits follow each other every `A` cycles, unless
//! the packet holds the switch; and with `s` steps a cycle and stages of one cycle, `D` is
//! what these make together, divided by `s` and rounded up. The kind of router does not matter: an
//! empty output queue costs nothing. Nor do more crossbar ports.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::toys;

use crate::toys::{Classes, DimensionOrder, Listed, NextHop, Packet, Toys};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Network, PerClass, RouterId, Routing, Shape, TerminalId};
use turnwise_sim::{Depth, Ending, RouterKind, RouterModel};

/// The way of one packet: what its latency depends on, but for the model.
struct Way {
    routers: u64,
    channels: u64,
    /// The intervals of all channels on the way, those of terminals included.
    intervals: Vec<u64>,
}

fn latency(network: &Network, model: &RouterModel, way: &Way, flits: u16) -> u64 {
    let terminal = network
        .channel(network.injection_channel(TerminalId(0)))
        .latency;
    let pipeline = u64::from(model.pipeline().div_ceil(model.speedup_permille / 1000));
    let source = 1 + u64::from(model.injection_delay);
    source
        + 2 * u64::from(terminal)
        + way.routers * pipeline
        + way.channels
        + lag(model, way, flits)
}

/// Cycles from the head's to the tail's arrival: when each flit leaves, router after router.
fn lag(model: &RouterModel, way: &Way, flits: u16) -> u64 {
    let spacing = match model.hold_switch {
        true => 1,
        false => u64::from(model.switch_allocation_delay),
    };
    if way.intervals.iter().all(|&interval| interval == 1) {
        return u64::from(flits - 1) * spacing;
    }
    let body = u64::from(model.switch_allocation_delay + model.switch_traversal_delay);
    let head = u64::from(model.pipeline());
    let source = way.intervals[0];
    let mut leaves: Vec<u64> = (0..u64::from(flits)).map(|flit| flit * source).collect();
    for &interval in &way.intervals[1..] {
        let mut last = None;
        for (flit, at) in leaves.iter_mut().enumerate() {
            let through = *at + if flit == 0 { head } else { body };
            *at = last.map_or(through, |last: u64| {
                through.max(last + interval.max(spacing))
            });
            last = Some(*at);
        }
    }
    leaves[leaves.len() - 1] - leaves[0]
}

/// Buffers that never hold a lone packet up.
fn roomy(model: RouterModel, longest: u32, flits: u16) -> RouterModel {
    let buffer_flits = model.credit_round_trip(longest) + u32::from(flits) + 4;
    RouterModel {
        buffers: Depth::everywhere(buffer_flits),
        ..model
    }
}

/// Sends packets one at a time and compares every one's latency, as well as the mean hops.
fn check(
    network: &Network,
    routing: &dyn Routing,
    model: &RouterModel,
    pairs: &[(u32, u32)],
    flits: u16,
    way: impl Fn(TerminalId, TerminalId) -> Way,
) {
    const GAP: u64 = 1_000;
    let packets = pairs
        .iter()
        .zip(0..)
        .map(|(&(source, destination), index)| Packet {
            source,
            created: index * GAP,
            destination,
            flits,
        });
    let injector = Listed(packets.collect());
    let phases = toys::until_all_arrive(pairs.len() as u64 * GAP);
    let outcome = Toys {
        network,
        routing,
        injector: &injector,
        model,
        phases: &phases,
        seed: 1,
    }
    .run();
    let ways: Vec<Way> = pairs
        .iter()
        .map(|&(from, to)| way(TerminalId(from), TerminalId(to)))
        .collect();
    let mut expected: Vec<u64> = ways
        .iter()
        .map(|way| latency(network, model, way, flits))
        .collect();
    expected.sort_unstable();
    assert!(
        expected.iter().all(|&latency| latency < GAP),
        "packets must not meet"
    );

    let measured = &outcome.measurement;
    let count = pairs.len() as f64;
    assert_eq!(outcome.ending, Ending::Completed);
    assert_eq!(
        (measured.packets, measured.undelivered),
        (pairs.len() as u64, 0)
    );
    let latencies: Vec<u64> = (1..=pairs.len())
        .map(|rank| {
            measured
                .latencies
                .quantile((rank as f64 - 0.5) / count)
                .unwrap()
        })
        .collect();
    assert_eq!(latencies, expected, "{model:?}, {flits} flits");
    let routers: u64 = ways.iter().map(|way| way.routers).sum();
    assert_eq!(measured.mean_routers, routers as f64 / count);
    assert_eq!(
        measured.mean_hops,
        (routers - pairs.len() as u64) as f64 / count
    );
    assert_eq!(
        measured.network_latency,
        expected.iter().sum::<u64>() as f64 / count
    );
    assert_eq!(outcome.flit_hops, routers * u64::from(flits));
    assert_eq!(outcome.packets, pairs.len() as u64);
}

fn random_pairs(network: &Network, count: usize, seed: u64) -> Vec<(u32, u32)> {
    let terminals = network.terminal_count() as u32;
    let mut rng = Random::new(seed, Purpose::Other, 0, 0);
    (0..count)
        .map(|_| (rng.below(terminals), rng.below(terminals)))
        .collect()
}

fn coordinates(network: &Network, router: RouterId) -> Vec<u32> {
    let Shape::Grid(grid) = network.shape() else {
        panic!("no grid")
    };
    grid.coordinates(router.0)
}

/// Any stages, with the packet lengths that are asked for most and some others.
fn stages() -> impl Strategy<Value = (RouterModel, u16)> {
    let plain =
        (0u32..=3, 1u32..=3, 1u32..=3, 0u32..=2).prop_map(|(routing, vc, switch, traversal)| {
            RouterModel {
                routing_delay: routing,
                vc_allocation_delay: vc,
                switch_allocation_delay: switch,
                switch_traversal_delay: traversal,
                ..RouterModel::default()
            }
        });
    let fast = (0u32..=1, 0u32..=1, 2u32..=5).prop_map(|(routing, traversal, steps)| RouterModel {
        routing_delay: routing,
        switch_traversal_delay: traversal,
        speedup_permille: 1000 * steps,
        ..RouterModel::default()
    });
    let kind = prop_oneof![
        Just(RouterKind::InputQueued),
        Just(RouterKind::InputOutputQueued)
    ];
    let crossbar = (1u32..=3, 1u32..=3, any::<bool>(), any::<bool>());
    let crossbar = prop_oneof![1 => Just((1, 1, false, false)), 1 => crossbar];
    let model = (prop_oneof![2 => plain, 1 => fast], kind, crossbar, 1u8..=4).prop_map(
        |(model, kind, (input, output, full, hold), virtual_channels)| RouterModel {
            kind,
            virtual_channels,
            input_speedup: input,
            output_speedup: output,
            busy_when_full: full,
            hold_switch: hold,
            ..model
        },
    );
    (model, prop_oneof![Just(1u16), Just(4), Just(5), 2u16..=20])
}

/// Cycles that a flit occupies channels for, by class.
fn intervals() -> impl Strategy<Value = PerClass<u32>> {
    let any = (1u32..=9, 1u32..=9, 1u32..=9);
    let any = any.prop_map(|(terminal, local, global)| PerClass {
        terminal,
        local,
        global,
    });
    prop_oneof![1 => Just(PerClass::all(1)), 1 => any]
}

/// Of the injection channel, those between routers, and the ejection channel.
fn on_the_way(terminal: u32, between: Vec<u32>) -> Vec<u64> {
    let all = [&[terminal], &between[..], &[terminal]].concat();
    all.into_iter().map(u64::from).collect()
}

/// What the formula knows of slow channels: one step a cycle, and no connections that are kept, because a packet
/// loses its own whenever its flits do not follow each other.
fn unhurried(model: RouterModel, intervals: PerClass<u32>) -> RouterModel {
    if intervals == PerClass::all(1) {
        return model;
    }
    RouterModel {
        hold_switch: false,
        speedup_permille: 1000,
        ..model
    }
}

fn config(cases: u32) -> Config {
    Config {
        cases,
        rng_seed: RngSeed::Fixed(6),
        failure_persistence: None,
        ..Config::default()
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn on_meshes_and_tori(
        sizes in prop::collection::vec(1u32..=5, 1..=3),
        wrap: bool,
        (terminals, channel, terminal) in (1u32..=3, 1u32..=9, 1u32..=4),
        intervals in intervals(),
        (model, flits) in stages(),
        seed: u64,
    ) {
        let network = match wrap {
            true => toys::torus_with(&sizes, terminals, channel, terminal),
            false => toys::mesh(&sizes, terminals, channel, terminal),
        };
        let network = toys::slowed(network, intervals);
        let model = roomy(unhurried(model, intervals), channel.max(terminal), flits);
        let classes = if model.virtual_channels < 2 { Classes::None } else { Classes::Dateline };
        let routing = DimensionOrder { network: &network, vcs: model.virtual_channels, classes };
        check(&network, &routing, &model, &random_pairs(&network, 12, seed), flits, |from, to| {
            let place = |router| coordinates(&network, router);
            let (from, to) = (place(network.router_of(from)), place(network.router_of(to)));
            let steps = from.iter().zip(&to).zip(&sizes).map(|((&from, &to), &size)| {
                let straight = from.abs_diff(to);
                u64::from(if wrap { straight.min(size - straight) } else { straight })
            });
            let hops: u64 = steps.sum();
            let between = vec![intervals.local; hops as usize];
            let intervals = on_the_way(intervals.terminal, between);
            Way { routers: hops + 1, channels: hops * u64::from(channel), intervals }
        });
    }

    #[test]
    fn on_graphs_with_channels_of_different_lengths(
        (routers, chords, terminals) in (1u32..=12, 0u32..=12, 1u32..=3),
        (longest, terminal) in (1u32..=20, 1u32..=4),
        intervals in intervals(),
        (model, flits) in stages(),
        seed: u64,
    ) {
        let network = toys::graph(routers, chords, terminals, longest, terminal, seed);
        let network = toys::slowed(network, intervals);
        let model = roomy(unhurried(model, intervals), longest.max(terminal), flits);
        let routing = NextHop::shortest(&network, model.virtual_channels);
        check(&network, &routing, &model, &random_pairs(&network, 12, seed), flits, |from, to| {
            let path = routing.path(from, to);
            let channels = path.iter().map(|&channel| u64::from(network.channel(channel).latency)).sum();
            let between = path.iter().map(|&channel| network.channel(channel).interval).collect();
            let intervals = on_the_way(intervals.terminal, between);
            Way { routers: path.len() as u64 + 1, channels, intervals }
        });
    }
}

/// The cases the formula was printed with: 113.0 cycles on BookSim2's dragonfly are 3.31
/// routers of 2 cycles, where 4 cycles make 119.7. Here a straight line of four routers.
#[test]
fn the_pipelines_of_the_reference_runs() {
    let line = toys::mesh(&[4], 1, 10, 1);
    let routing = DimensionOrder {
        network: &line,
        vcs: 1,
        classes: Classes::None,
    };
    let usual = RouterModel {
        buffers: Depth::everywhere(64),
        ..RouterModel::default()
    };
    let fast = RouterModel {
        routing_delay: 0,
        speedup_permille: 2000,
        ..usual.clone()
    };
    for (model, depth, flits) in [(&usual, 4, 1), (&usual, 4, 5), (&fast, 2, 1), (&fast, 2, 4)] {
        let injector = Listed(vec![Packet {
            source: 0,
            created: 7,
            destination: 3,
            flits,
        }]);
        let phases = toys::until_all_arrive(10);
        let outcome = Toys {
            network: &line,
            routing: &routing,
            injector: &injector,
            model,
            phases: &phases,
            seed: 1,
        }
        .run();
        let expected = 3 + 4 * depth + 3 * 10 + u64::from(flits - 1);
        assert_eq!(outcome.measurement.latencies.max(), Some(expected));
    }
}
