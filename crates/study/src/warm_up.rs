//! Was the warm-up of a study long enough? What is said if not.

use crate::plan::Plan;
use crate::proofs::names;
use crate::row::{Cell, Row};
use serde_json::Value as Json;
use std::borrow::Borrow;

/// A sentence about points whose latency drifts, with the largest drift and what to try.
pub fn warning(plan: &Plan, rows: impl Iterator<Item = impl Borrow<Row>>) -> Option<String> {
    let (mut judged, mut unsteady) = (0, 0);
    let mut worst: Option<Row> = None;
    let drift = |row: &Row| row.figure("drift").unwrap_or(0.0);
    for row in rows {
        let row = row.borrow();
        judged += usize::from(row.figure("drift").is_some());
        if *row.cell("steady") == Cell::Flag(false) {
            unsteady += 1;
            if worst
                .as_ref()
                .is_none_or(|worst| drift(row).abs() >= drift(worst).abs())
            {
                worst = Some(row.clone());
            }
        }
    }
    let worst = &worst?;
    let simulation = &plan.first.simulation;
    let warmup = cycles(worst, "simulation.warmup_cycles", simulation.warmup_cycles);
    let window = cycles(
        worst,
        "simulation.measure_cycles",
        simulation.measure_cycles,
    );
    let verb = if drift(worst) > 0.0 { "grows" } else { "falls" };
    let words = names(plan).words(&worst.point, &|_| true);
    let point = match words.join(", ") {
        name if name.is_empty() => String::new(),
        name => format!(" ({name})"),
    };
    Some(format!(
        "A warm-up of {warmup} cycles is too short for {} of {} points: latency still {verb} by {:.0} % through the \
         window{point}; try simulation.warmup_cycles = {}, unless the load is close to saturation.",
        unsteady,
        judged,
        100.0 * drift(worst).abs(),
        longer(warmup, window),
    ))
}

/// A field of the point if it is swept, or else of the study.
fn cycles(row: &Row, field: &str, of_study: u64) -> u64 {
    let swept = row.point.get(field).and_then(Json::as_u64);
    swept.unwrap_or(of_study)
}

/// Three times as many cycles, and half the window at least, as a round number.
fn longer(warmup: u64, window: u64) -> u64 {
    let least = warmup
        .saturating_mul(3)
        .max(warmup.saturating_add(window / 2))
        .max(1);
    let mut unit = 1u64;
    while unit.saturating_mul(10) < least {
        unit *= 10;
    }
    let round = [1, 2, 5, 10].map(|times| unit.saturating_mul(times));
    round
        .into_iter()
        .find(|&cycles| cycles >= least)
        .unwrap_or(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_are_round_and_longer() {
        let cases = [
            (3_000, 10_000, 10_000),
            (0, 100, 50),
            (0, 0, 1),
            (5_000, 1_000, 20_000),
            (70, 400, 500),
        ];
        for (warmup, window, expected) in cases {
            assert_eq!(longer(warmup, window), expected, "{warmup} {window}");
        }
        assert_eq!(longer(u64::MAX, 1), u64::MAX);
    }
}
