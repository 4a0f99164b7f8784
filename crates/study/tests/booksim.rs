//! Against BookSim2: latency, hops and saturation of its torus and dragonfly runs.
//!
//! `docs/validation.md` holds the same figures with explanations; it is made by
//! `cargo run --release -p turnwise-study --example validation > docs/validation.md`.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[path = "booksim/mod.rs"]
mod reference;

use crate::sampling::{OneIn, sampled};
use reference::{Comparison, Experiment, Group, compare, experiments, first_table, second_table};
use std::sync::LazyLock;

const DOCUMENT: &str = include_str!("../../../docs/validation.md");

/// What is run of a group, once for all tests.
fn sample(group: Group) -> Vec<Comparison> {
    let mut points = experiments(group);
    // Saturations of options are in the document only.
    points.retain(|point| group != Group::Options || !point.is_saturation);
    let family = |point: &Experiment| (point.name.clone(), point.is_saturation);
    let one_in = OneIn {
        // Options are many, and each differs from the same router by little.
        below_saturation: if group == Group::Options { 3 } else { 1 },
        beyond: 6,
    };
    compare(sampled(points, &one_in, family, |point| point.load))
}

static BARRED: LazyLock<Vec<Comparison>> = LazyLock::new(|| sample(Group::Barred));
static ADAPTIVE: LazyLock<Vec<Comparison>> = LazyLock::new(|| sample(Group::Adaptive));
static SHAPES: LazyLock<Vec<Comparison>> = LazyLock::new(|| sample(Group::Shapes));
static OPTIONS: LazyLock<Vec<Comparison>> = LazyLock::new(|| sample(Group::Options));

#[test]
fn nothing_that_has_a_bar_is_left_out() {
    let all = [Group::Barred, Group::Adaptive, Group::Shapes].map(experiments);
    let count = |name: &str, saturation: bool| {
        let of_it = all
            .iter()
            .flatten()
            .filter(|e| e.name == name && e.is_saturation == saturation);
        (of_it.clone().count(), of_it.map(|e| e.seeds).sum::<usize>())
    };
    let expected = [
        ("a_torus8x8_p1", (3, 9), (1, 3)),
        ("a_torus8x8_p5", (4, 12), (1, 3)),
        ("c2_dfly_k2_min_adv", (3, 9), (1, 1)),
        ("c2_dfly_k2_min_un", (4, 12), (1, 1)),
        ("c_dfly_k2_min_adv", (4, 12), (1, 1)),
        ("c_dfly_k2_min_un", (5, 15), (1, 1)),
        ("c_dfly_k3_min_adv", (4, 4), (1, 1)),
        ("c_dfly_k3_min_un", (4, 4), (1, 1)),
        // BookSim2 deadlocks at saturation.
        ("c2_dfly_k2_ugal_adv", (2, 6), (0, 0)),
        ("c2_dfly_k2_ugal_un", (4, 12), (1, 1)),
        ("c_dfly_k2_ugal_adv", (4, 10), (1, 1)),
        ("c_dfly_k2_ugal_un", (5, 15), (1, 1)),
        ("c_dfly_k3_ugal_adv", (1, 1), (1, 1)),
        ("c_dfly_k3_ugal_un", (4, 4), (1, 1)),
        ("b_torus8x8x8_p1", (4, 12), (1, 1)),
        ("d_fattree8x3_nca", (3, 9), (1, 1)),
        ("e_mesh16_bitcomp", (1, 3), (1, 1)),
        ("e_mesh16_transpose", (6, 18), (1, 1)),
    ];
    for (name, points, saturation) in expected {
        assert_eq!(count(name, false), points, "{name}");
        assert_eq!(count(name, true), saturation, "{name}");
    }
    assert_eq!(all.map(|group| group.len()), [31 + 8, 20 + 5, 14 + 4]);
    assert_eq!(experiments(Group::Further).len(), 60 - 18);
    let options = experiments(Group::Options);
    let saturations = options.iter().filter(|e| e.is_saturation).count();
    assert_eq!((options.len(), saturations), (301, 73));
}

#[test]
fn latency_routers_and_throughput_are_within_their_bars() {
    for comparison in BARRED
        .iter()
        .chain(&*ADAPTIVE)
        .chain(&*SHAPES)
        .chain(&*OPTIONS)
    {
        let (theirs, broken) = (&comparison.experiment, comparison.broken());
        assert!(
            broken.is_empty(),
            "{} at {}: {broken:?} of latency {:?}, routers {:?}, accepted {:?}, not {:?}, {:?}, {:?}",
            theirs.name,
            theirs.load,
            comparison.latency,
            comparison.routers,
            comparison.accepted,
            theirs.latency,
            theirs.routers,
            theirs.accepted,
        );
    }
}

/// Results are the same on every machine, so the document can be held to them.
#[test]
fn the_document_has_these_very_figures() {
    for (comparisons, group) in [
        (&BARRED, Group::Barred),
        (&ADAPTIVE, Group::Adaptive),
        (&SHAPES, Group::Shapes),
        (&OPTIONS, Group::Options),
    ] {
        let mut tables = vec![first_table(comparisons, group)];
        if group != Group::Options {
            tables.push(second_table(comparisons, group));
        }
        for line in tables.iter().flat_map(|table| table.lines()) {
            assert!(
                DOCUMENT.contains(line),
                "docs/validation.md is stale; it should have\n{line}"
            );
        }
    }
}
