//! Which columns are compared, and what rows have for them.

use crate::row::{Cell, Row, all_columns, figure};
use std::collections::BTreeMap;

/// So many repetitions say how much a figure varies.
pub(crate) const REPETITIONS: usize = 3;

/// What has no mean: told where it differs.
pub(super) const EXACT: &[&str] = &["saturated", "deadlocked", "ending"];

/// What says how long and how much was simulated, or how well a figure is known, rather than how the
/// network does.
const NO_RESULTS: &[&str] = &[
    "offered_load",
    "accepted_load_ci",
    "mean_packet_latency_ci",
    "saturation_load_ci",
    "steady",
    "drift",
    "cycles",
    "flit_hops",
    "packets",
    "fingerprint",
    "seconds",
];

/// The figures that any of these rows has.
pub(super) fn figures<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> Vec<&'static str> {
    all_columns()
        .filter(|column| !NO_RESULTS.contains(column) && !EXACT.contains(column))
        .filter(|column| rows.clone().any(|row| row.figure(column).is_some()))
        .collect()
}

/// What rows have for a column; fewer values than rows where it was not measured.
pub(super) fn values(column: &str, rows: &[Row]) -> Vec<f64> {
    rows.iter().filter_map(|row| row.figure(column)).collect()
}

/// The same with half the widths of their intervals; none unless every row has one. That of a
/// saturation load says how far the search went, and not how far chance goes.
pub(super) fn intervals(column: &str, rows: &[Row]) -> Vec<(f64, f64)> {
    let width = format!("{column}_ci");
    let interval = |row: &Row| {
        let is_of_chance = |&width: &f64| width > 0.0 && column != "saturation_load";
        let half_width = row.figure(&width).filter(is_of_chance)?;
        Some((row.figure(column)?, half_width))
    };
    let intervals: Option<Vec<(f64, f64)>> = rows.iter().map(interval).collect();
    intervals.unwrap_or_default()
}

/// Is a figure a mean over so many packets in each of these rows that chance does not make it equal in several of them?
pub(super) fn is_fine<'a>(column: &str, mut rows: impl Iterator<Item = &'a Row>) -> bool {
    let has_many = |row: &Row| {
        row.figure("packets")
            .is_some_and(|packets| packets >= MANY_PACKETS)
    };
    column.starts_with("mean_") && rows.all(has_many)
}

/// Means of so many numbers are the same one in hundreds of pairs at most, and six of them in fewer than a billionth.
const MANY_PACKETS: f64 = 1000.0;

/// The mean, or a dash.
pub(super) fn mean_words(values: &[f64]) -> String {
    match values.is_empty() {
        true => "-".to_owned(),
        false => figure(values.iter().sum::<f64>() / values.len() as f64),
    }
}

/// What repetitions have for a column that has no mean: `yes`, or `yes 2, no 1`.
pub(super) fn words(column: &str, rows: &[Row]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows {
        let word = match row.cell(column) {
            Cell::Flag(true) => "yes".to_owned(),
            Cell::Flag(false) => "no".to_owned(),
            Cell::Text(text) => text.to_string(),
            Cell::Number(number) => number.to_string(),
            Cell::Nothing => "-".to_owned(),
        };
        *counts.entry(word).or_default() += 1;
    }
    match counts.len() {
        1 => counts.into_keys().next().unwrap_or_default(),
        _ => {
            let words = counts.iter().map(|(word, count)| format!("{word} {count}"));
            words.collect::<Vec<_>>().join(", ")
        }
    }
}
