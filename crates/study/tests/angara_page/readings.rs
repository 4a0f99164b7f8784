//! Which readings of the paper's BFS have its published loads, and what they add up to.

use super::System;
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

fn outcomes() -> Vec<Outcome<'static>> {
    let rows = READINGS.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        Outcome {
            readings: cells[0].parse().unwrap(),
            boxes: [cells[1], cells[2], cells[3], cells[4]],
            plane: cells[5].parse().unwrap(),
        }
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
    let (fitting, others): (Vec<_>, Vec<_>) = outcomes()
        .into_iter()
        .partition(|outcome| outcome.boxes[0] == ON_FOUR);
    let mut text = "| readings | 4 | 4x2 | 4x2x2 | 4x2x2x2 | plane systems | SSSP below | bound below |\n|---|---|---|---|---|---|---|---|\n".to_owned();
    text.push_str("| the paper's | 2 (2) | 6 (2) | 18 (3) | 48 (3) | | 13 % | |\n");
    for outcome in &fitting {
        let below = |total: f64| 100.0 * (1.0 - total / outcome.plane);
        writeln!(
            text,
            "| {} | {} | {} | {:.1} % | {:.1} % |",
            outcome.readings,
            outcome.boxes.join(" | "),
            outcome.plane,
            below(paths),
            below(bound)
        )
        .unwrap();
    }
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
