//! Against BookSim2: latency, hops and saturation of its torus and minimal dragonfly runs.
//!
//! `docs/validation.md` holds the same figures with explanations; it is made by
//! `cargo run --release -p turnwise-study --example validation > docs/validation.md`.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[path = "booksim/mod.rs"]
mod booksim;
mod stack;

use booksim::{Comparison, Group, compare, difference, experiments, first_table, second_table};
use booksim::{LATENCY_BAR, ROUTERS_BAR, THROUGHPUT_BAR};
use std::sync::LazyLock;

const DOCUMENT: &str = include_str!("../../../docs/validation.md");

/// Everything is run once for all tests.
static BARRED: LazyLock<Vec<Comparison>> = LazyLock::new(|| compare(experiments(Group::Barred)));

fn load_points() -> impl Iterator<Item = &'static Comparison> {
    BARRED
        .iter()
        .filter(|comparison| !comparison.experiment.is_saturation)
}

#[test]
fn nothing_that_has_a_bar_is_left_out() {
    let barred = experiments(Group::Barred);
    let count = |name: &str, saturation: bool| {
        let of_it = barred
            .iter()
            .filter(|e| e.name == name && e.is_saturation == saturation);
        (of_it.clone().count(), of_it.map(|e| e.seeds).sum::<usize>())
    };
    let expected = [
        ("a_torus8x8_p1", 3, 9, 3),
        ("a_torus8x8_p5", 4, 12, 3),
        ("c2_dfly_k2_min_adv", 3, 9, 1),
        ("c2_dfly_k2_min_un", 4, 12, 1),
        ("c_dfly_k2_min_adv", 4, 12, 1),
        ("c_dfly_k2_min_un", 5, 15, 1),
        ("c_dfly_k3_min_adv", 4, 4, 1),
        ("c_dfly_k3_min_un", 4, 4, 1),
    ];
    for (name, points, runs, saturation_runs) in expected {
        assert_eq!(count(name, false), (points, runs), "{name}");
        assert_eq!(count(name, true), (1, saturation_runs), "{name}");
    }
    assert_eq!(barred.len(), 31 + 8);
    assert_eq!(experiments(Group::Further).len(), 41 + 4);
}

#[test]
fn latency_is_within_two_percent() {
    for comparison in load_points() {
        let Comparison {
            experiment,
            latency,
            ..
        } = comparison;
        let off = difference(*latency, experiment.latency);
        assert!(
            off.abs() <= LATENCY_BAR,
            "{} at {}: {off:+.4}",
            experiment.name,
            experiment.load
        );
    }
}

#[test]
fn routers_visited_are_within_half_a_percent() {
    for comparison in load_points() {
        let Comparison {
            experiment,
            routers,
            ..
        } = comparison;
        let off = difference(*routers, experiment.routers);
        assert!(
            off.abs() <= ROUTERS_BAR,
            "{} at {}: {off:+.4}",
            experiment.name,
            experiment.load
        );
    }
}

#[test]
fn saturation_throughput_is_within_three_percent() {
    for comparison in BARRED
        .iter()
        .filter(|comparison| comparison.experiment.is_saturation)
    {
        let Comparison {
            experiment,
            accepted,
            ..
        } = comparison;
        let off = difference(*accepted, experiment.accepted);
        assert!(
            off.abs() <= THROUGHPUT_BAR,
            "{}: {off:+.4}",
            experiment.name
        );
    }
}

/// Results are the same on every machine, so the document can be held to them.
#[test]
fn the_document_has_these_very_figures() {
    for table in [first_table(&BARRED, true), second_table(&BARRED, true)] {
        assert!(
            DOCUMENT.contains(&table),
            "docs/validation.md is stale; it should have\n{table}"
        );
    }
}
