//! Which readings of the paper's BFS have its published loads, and what they add up to.

use super::System;
use crate::pages::{Csv, table};
use std::fmt::Write as _;

const READINGS: &str = include_str!("../../../../docs/results/angara-readings.csv");

/// What is published of the ring of four; readings in the CSV have the published index of the other boxes.
const ON_FOUR: &str = "2 (2)";

/// One row of the readings' CSV: readings with the same outcome.
struct Outcome<'a> {
    readings: u64,
    /// Index and least load of the boxes of Table II from 4 nodes on.
    boxes: [&'a str; 4],
    plane: f64,
}

fn outcomes(csv: &Csv) -> Vec<Outcome<'_>> {
    let rows = csv.records().map(|record| Outcome {
        readings: record.text("readings").parse().unwrap(),
        boxes: ["4", "4x2", "4x2x2", "4x2x2x2"].map(|sizes| record.text(sizes)),
        plane: record.number("plane systems"),
    });
    rows.collect()
}

/// Outcomes with all published indices, and a sentence on the others.
pub(super) fn readings(systems: &[System<'_>]) -> String {
    let plane = |kind| {
        let of_kind = systems
            .iter()
            .filter(move |system| system.dimensions == 2 && system.algorithm == kind);
        of_kind.map(|system| (system.index, system.bound))
    };
    let paths: f64 = plane("angara-sssp").map(|(index, _)| index).sum();
    let bound: f64 = plane("angara-sssp").map(|(_, bound)| bound).sum();
    let csv = Csv::read(READINGS);
    let (fitting, others): (Vec<_>, Vec<_>) = outcomes(&csv)
        .into_iter()
        .partition(|outcome| outcome.boxes[0] == ON_FOUR);
    let theirs = [
        "the paper's",
        "2 (2)",
        "6 (2)",
        "18 (3)",
        "48 (3)",
        "",
        "13 %",
        "",
    ];
    let ours = fitting.iter().map(|outcome| {
        let below = |total: f64| format!("{:.1} %", 100.0 * (1.0 - total / outcome.plane));
        let mut row = vec![outcome.readings.to_string()];
        row.extend(outcome.boxes.map(str::to_owned));
        row.extend([outcome.plane.to_string(), below(paths), below(bound)]);
        row
    });
    let rows = std::iter::once(theirs.map(str::to_owned).to_vec()).chain(ours);
    let header = [
        "readings",
        "4",
        "4x2",
        "4x2x2",
        "4x2x2x2",
        "plane systems",
        "SSSP below",
        "bound below",
    ];
    let mut text = table(&header, rows) + "\n";
    let plane = |least: fn(f64, f64) -> f64| {
        let totals = others.iter().map(|other| other.plane);
        totals.reduce(least).unwrap()
    };
    let (least, most) = (plane(f64::min), plane(f64::max));
    let below = |total: f64| 100.0 * (1.0 - paths / total);
    write!(
        text,
        "\nAnother {} readings have the published indices on 8, 16 and 32 nodes, but not on 4. There the plane \
         systems add up to {least} to {most}, and SSSP is {:.1} to {:.1} % below.",
        others.iter().map(|other| other.readings).sum::<u64>(),
        below(least),
        below(most)
    )
    .unwrap();
    text
}
