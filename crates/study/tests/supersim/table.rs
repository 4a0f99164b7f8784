//! The comparison as tables in Markdown.

use super::{Comparison, LATENCY_BAR, ROUTERS_BAR, SATURATION_BAR};
use crate::comparison::{percent, show};
use std::fmt::Write;

/// Latency and routers visited of stable runs.
pub(crate) fn first_table(comparisons: &[Comparison]) -> String {
    let bars = [LATENCY_BAR, ROUTERS_BAR].map(|bar| 100.0 * bar);
    let mut text = format!(
        "| experiment | load | latency: SuperSim | Turnwise | differs by (bar {} %) | routers: SuperSim | Turnwise | differs by (bar {} %) | ok |\n\
         |---|---|---|---|---|---|---|---|---|\n",
        bars[0], bars[1]
    );
    let stable = |comparison: &&Comparison| !comparison.experiment.is_saturated;
    for comparison in comparisons.iter().filter(stable) {
        let (latency, routers) = (comparison.theirs("latency"), comparison.theirs("routers"));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            comparison.experiment.name,
            comparison.experiment.load,
            show(latency, 2),
            show(comparison.latency, 2),
            percent(comparison.latency, latency),
            show(routers, 4),
            show(comparison.routers, 4),
            percent(comparison.routers, routers),
            verdict(comparison),
        );
    }
    text
}

/// Delivered load of saturated runs.
pub(crate) fn second_table(comparisons: &[Comparison]) -> String {
    let mut text = format!(
        "| experiment | load | delivered: SuperSim | Turnwise | differs by (bar {} %) | ok |\n|---|---|---|---|---|---|\n",
        100.0 * SATURATION_BAR
    );
    let saturated = |comparison: &&Comparison| comparison.experiment.is_saturated;
    for comparison in comparisons.iter().filter(saturated) {
        let delivered = comparison.theirs("delivered");
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            comparison.experiment.name,
            comparison.experiment.load,
            show(delivered, 5),
            show(comparison.delivered, 5),
            percent(comparison.delivered, delivered),
            verdict(comparison),
        );
    }
    text
}

fn verdict(comparison: &Comparison) -> &'static str {
    match comparison.broken().is_empty() {
        _ if !comparison.experiment.is_barred => "no bar",
        true => "yes",
        false => "NO",
    }
}
