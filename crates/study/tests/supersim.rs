//! Against SuperSim: its routers' timing to the cycle, and a sample of its runs under load.
//!
//! `docs/validation.md` holds the same figures with explanations; it is made by
//! `cargo run --release -p turnwise-study --example validation > docs/validation.md`.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::sampling::{OneIn, sampled};
use crate::stack;
#[path = "supersim/mod.rs"]
mod reference;

use reference::{Comparison, Experiment};
use std::sync::LazyLock;
use turnwise_network::shape::Shape;
use turnwise_network::{Network, TerminalId};
use turnwise_sim::{Ending, Measurement};

const DOCUMENT: &str = include_str!("../../../docs/validation.md");

/// A dragonfly of 5 groups of 3 routers, on a line: channels as long as SuperSim's `scalar` ones.
fn network(terminal_latency: u32) -> String {
    format!(
        "[network]\nkind = 'dragonfly'\ngroups = 5\nrouters_per_group = 3\nterminals_per_router = 2\n\
         global_ports_per_router = 2\narrangement = 'relative'\n\
         channel_latency = {{ terminal = {terminal_latency}, local = {{ per_router = 2 }}, global = {{ per_group = 7 }} }}\n\
         [routing]\nkind = 'minimal'\n"
    )
}

/// So few packets that none meets another, from terminals `offset` apart.
fn measure(
    preset: &str,
    terminal_latency: u32,
    flits: u32,
    offset: u32,
) -> (Measurement, Vec<u64>) {
    let load = f64::from(flits) * 2e-6;
    let plan = stack::plan(&format!(
        "{}[router]\npreset = '{preset}'\nvirtual_channels = 5\n\
         [traffic]\npattern = 'shift'\noffset = {offset}\nload = {load}\npacket_flits = {flits}\ninjection = 'periodic'\n\
         [simulation]\nwarmup_cycles = 0\nmeasure_cycles = 500_000",
        network(terminal_latency)
    ));
    let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
    let setup = experiment.setup();
    let outcome = stack::simulate(&experiment, true);
    assert_eq!(outcome.ending, Ending::Completed);
    let pipeline = if preset == "supersim-ioq" { 6 } else { 5 };
    let terminals = setup.network.terminal_count() as u32;
    let expected = (0..terminals).map(|source| {
        let destination = (source + offset) % terminals;
        let (routers, channels) = way(setup.network, TerminalId(source), TerminalId(destination));
        let source = 3 + 2 * u64::from(terminal_latency);
        source + pipeline * routers + channels + u64::from(flits - 1)
    });
    (outcome.measurement, expected.collect())
}

/// Routers on the minimal route, and the latency of the channels between them, from SuperSim's wiring: the port for
/// the group `o` further on is `o - 1`, two to a router, and its far end `groups - o - 1`.
fn way(network: &Network, source: TerminalId, destination: TerminalId) -> (u64, u64) {
    let Shape::Dragonfly(shape) = network.shape() else {
        panic!("a dragonfly")
    };
    let place = |terminal| shape.group_and_index(network.router_of(terminal).0);
    let ((from, at), (to, end)) = (place(source), place(destination));
    let local =
        |one: u32, other: u32| (u64::from(one != other), 2 * u64::from(one.abs_diff(other)));
    if from == to {
        let (routers, latency) = local(at, end);
        return (1 + routers, latency);
    }
    let ports = shape.global_ports_per_router;
    let offset = (to + shape.groups - from) % shape.groups;
    let first = local(at, (offset - 1) / ports);
    let last = local((shape.groups - offset - 1) / ports, end);
    let global = 7 * u64::from(from.abs_diff(to));
    (2 + first.0 + last.0, first.1 + global + last.1)
}

#[test]
fn latency_in_an_empty_network_is_supersims_to_the_cycle() {
    for preset in ["supersim-ioq", "supersim-iq"] {
        for (terminal_latency, flits) in [(1, 1), (1, 4), (2, 1), (3, 4)] {
            // Every pair, in as many runs as there are distances.
            for offset in 1..30 {
                let (measured, mut expected) = measure(preset, terminal_latency, flits, offset);
                expected.sort_unstable();
                // Every terminal has sent as many packets.
                let (count, terminals) = (measured.packets, expected.len() as u64);
                assert_eq!(count, terminals, "{preset}");
                let ranks = (1..=terminals).map(|rank| {
                    let share = rank as f64 / terminals as f64;
                    measured.latencies.quantile(share - 1e-9).unwrap()
                });
                let measured: Vec<u64> = ranks.collect();
                assert_eq!(
                    measured, expected,
                    "{preset}, {terminal_latency}, {flits}, {offset}"
                );
            }
        }
    }
}

/// What a virtual channel carries from one router to another, in flits a cycle.
fn carried(preset: &str, fields: &str, latency: u32, flits: u32) -> f64 {
    let rows = stack::rows(&format!(
        "[network]\nkind = 'full-mesh'\nrouters = 2\nchannel_latency = {latency}\n[routing]\nkind = 'shortest-path'\n\
         [router]\npreset = '{preset}'\nvirtual_channels = 1\n{fields}\n\
         [traffic]\npattern = 'shift'\noffset = 1\nload = 1\npacket_flits = {flits}\ninjection = 'periodic'\n\
         [simulation]\nwarmup_cycles = 1_000\nmeasure_cycles = 20_000\ndrain = false\ncheck = true"
    ));
    stack::figure(&rows[0], "accepted_load")
}

#[test]
fn a_virtual_channel_is_not_used_back_to_back() {
    for preset in ["supersim-ioq", "supersim-iq"] {
        for flits in [1, 2, 4, 7] {
            let expected = f64::from(flits) / f64::from(flits + 1);
            let carried = carried(preset, "", 1, flits);
            assert!(
                (carried - expected).abs() < 0.001,
                "{preset}, packets of {flits}: {carried}, not {expected}"
            );
        }
    }
}

#[test]
fn tailored_buffers_are_a_little_less_than_a_round_trip() {
    for (preset, more) in [("supersim-ioq", 2), ("supersim-iq", 3)] {
        for latency in [10, 20, 50] {
            let expected = f64::from(2 * latency) / f64::from(2 * latency + more);
            // Packets so long that what is between them does not matter.
            let fields = "whole_packets = false";
            let carried = carried(preset, fields, latency, 500);
            assert!(
                (carried - expected).abs() < 0.002,
                "{preset}, {latency} cycles: {carried}, not {expected}"
            );
        }
    }
}

/// What tests run of a file: only what has a bar, and nothing on the large network.
fn sample(reference: &'static str) -> Vec<Comparison> {
    let mut experiments = reference::experiments(reference);
    experiments.retain(|one| one.is_barred && !one.name.starts_with("df33x8x4"));
    let family = |one: &Experiment| (one.name.clone(), one.is_saturated);
    let one_in = OneIn {
        below_saturation: 2,
        beyond: 6,
    };
    reference::compare(sampled(experiments, &one_in, family, |one| one.load))
}

/// Everything is run once for all tests.
static MINIMAL: LazyLock<Vec<Comparison>> = LazyLock::new(|| sample(reference::MINIMAL));
static ADAPTIVE: LazyLock<Vec<Comparison>> = LazyLock::new(|| sample(reference::ADAPTIVE));

#[test]
fn nothing_is_left_out() {
    let count = |reference| {
        let all = reference::experiments(reference);
        let saturated = all.iter().filter(|one| one.is_saturated);
        (all.len(), saturated.count())
    };
    assert_eq!(count(reference::MINIMAL), (64, 12));
    assert_eq!(count(reference::ADAPTIVE), (164, 43));
}

#[test]
fn latency_routers_and_throughput_are_within_their_bars() {
    for comparison in MINIMAL.iter().chain(&*ADAPTIVE) {
        let (experiment, broken) = (&comparison.experiment, comparison.broken());
        assert!(
            broken.is_empty(),
            "{} at {}: {broken:?} of latency {:?}, routers {:?}, delivered {:?}, not as in {experiment:?}",
            experiment.name,
            experiment.load,
            comparison.latency,
            comparison.routers,
            comparison.delivered,
        );
    }
}

/// Results are the same on every machine, so the document can be held to them.
#[test]
fn the_document_has_these_very_figures() {
    for comparisons in [&MINIMAL, &ADAPTIVE] {
        let tables = [reference::first_table, reference::second_table];
        for row in tables
            .map(|table| table(comparisons))
            .iter()
            .flat_map(|table| table.lines())
        {
            assert!(
                DOCUMENT.contains(row),
                "docs/validation.md is stale; it should have\n{row}"
            );
        }
    }
}
