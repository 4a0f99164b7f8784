//! The comparison as tables in Markdown.

use super::{Comparison, Group};
use crate::comparison::{percent, show};
use std::fmt::Write;

/// Latency and routers visited of load points.
pub(crate) fn first_table(comparisons: &[Comparison], group: Group) -> String {
    let barred = group.bars().is_some();
    let bars = group.bars().map(|bars| [bars.latency, bars.routers]);
    let bars = match bars {
        Some(bars) => bars.map(|bar| format!(" (bar {} %)", 100.0 * bar)),
        None => [String::new(), String::new()],
    };
    let mut text = format!(
        "| experiment | load | of saturation | seeds | latency: BookSim2 | Turnwise | differs by{} | routers: BookSim2 | Turnwise | differs by{} |{}\n",
        bars[0],
        bars[1],
        if barred { " ok |" } else { "" }
    );
    text += if barred {
        "|---|---|---|---|---|---|---|---|---|---|---|\n"
    } else {
        "|---|---|---|---|---|---|---|---|---|---|\n"
    };
    for comparison in comparisons
        .iter()
        .filter(|comparison| !comparison.experiment.is_saturation)
    {
        let Comparison {
            experiment,
            latency,
            routers,
            ..
        } = comparison;
        let _ = write!(
            text,
            "| {} | {} | {:.0} % | {} | {} | {} | {} | {} | {} | {} |",
            experiment.name,
            experiment.load,
            100.0 * experiment.load / experiment.saturation,
            experiment.seeds,
            show(experiment.latency, 2),
            show(*latency, 2),
            percent(*latency, experiment.latency),
            show(experiment.routers, 4),
            show(*routers, 4),
            percent(*routers, experiment.routers),
        );
        text += verdict(comparison, barred);
    }
    text
}

/// Accepted load of saturation points.
pub(crate) fn second_table(comparisons: &[Comparison], group: Group) -> String {
    let barred = group.bars().is_some();
    let bar = match group.bars() {
        Some(bars) => format!(" (bar {} %)", 100.0 * bars.saturation),
        None => String::new(),
    };
    let ok = if barred { " ok |" } else { "" };
    let mut text =
        format!("| experiment | seeds | accepted: BookSim2 | Turnwise | differs by{bar} |{ok}\n");
    text += if barred {
        "|---|---|---|---|---|---|\n"
    } else {
        "|---|---|---|---|---|\n"
    };
    for comparison in comparisons
        .iter()
        .filter(|comparison| comparison.experiment.is_saturation)
    {
        let Comparison {
            experiment,
            accepted,
            ..
        } = comparison;
        let _ = write!(
            text,
            "| {} | {} | {} | {} | {} |",
            experiment.name,
            experiment.seeds,
            show(experiment.accepted, 5),
            show(*accepted, 5),
            percent(*accepted, experiment.accepted),
        );
        text += verdict(comparison, barred);
    }
    text
}

fn verdict(comparison: &Comparison, barred: bool) -> &'static str {
    match (barred, comparison.is_within()) {
        (false, _) => "\n",
        (true, true) => " yes |\n",
        (true, false) => " NO |\n",
    }
}
