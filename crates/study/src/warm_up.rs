//! Were the warm-up and the window of a study long enough? What is said if not.

use crate::plan::Plan;
use crate::proofs::names;
use crate::row::{Cell, Row};
use crate::simulation::SimulationTable;
use std::borrow::Borrow;

/// Shares of a window that are worth a sentence: in which the network still fills, and of whose packets nothing is known.
const FILLING: f64 = 0.01;
const UNKNOWN: f64 = 0.05;
/// Where nobody has sent anything while so many packets of each were due, nobody ever does.
const DUE_PACKETS: f64 = 100.0;
/// So many transactions one after the other make a window.
const TRANSACTIONS: f64 = 4.0;

/// Sentences about points whose latency drifts, whose network still fills in the window, many of whose packets did not arrive, of which nobody
/// sends any, or whose transactions are as long as their phases, each with the worst point and what to try.
pub fn warnings<R: Borrow<Row>>(
    plan: &Plan,
    rows: impl Iterator<Item = (usize, R)>,
) -> Vec<String> {
    let (mut drift, mut filling) = (Worst::default(), Worst::default());
    let (mut unknown, mut slow) = (Worst::default(), Worst::default());
    let (mut judged, mut open, mut lost) = (0, 0, 0);
    let (mut endless, mut idle, mut silent) = (0, 0, 0);
    for (index, row) in rows {
        let row = row.borrow();
        let phases = Phases::of(plan.simulation(index));
        if row.figure("offered_load").is_none() {
            // One that ends has no warm-up, also where it is cut off before.
            let ends = row.figure("makespan").is_some() || row.reached_limit();
            if !ends && !row.flag("deadlocked") {
                endless += 1;
                let Some(time) = row.figure("mean_transaction_time") else {
                    idle += 1;
                    continue;
                };
                let window = phases.window.max(1) as f64;
                let is_late = (time - phases.warmup as f64) / window > FILLING;
                let is_long = time > window / TRANSACTIONS;
                slow.offer((row, phases), time / window, is_late || is_long);
            }
            continue;
        }
        // What a network that cannot keep up does is the same after any warm-up.
        open += 1;
        let is_silent = !row.flag("deadlocked") && row.figure("injected_load") == Some(0.0);
        silent += usize::from(is_silent && plan.due_packets(index) >= DUE_PACKETS);
        if row.flag("saturated") {
            continue;
        }
        let Some(latency) = row.figure("mean_network_latency") else {
            // Not a packet of the window arrived.
            lost += usize::from(row.figure("injected_load").is_some_and(|load| load > 0.0));
            continue;
        };
        let window = phases.window.max(1) as f64;
        let share = (latency - phases.warmup as f64) / window;
        filling.offer((row, phases), share, share > FILLING);
        let share = undelivered(row, phases);
        unknown.offer((row, phases), share, share > UNKNOWN);
        if let Some(change) = row.figure("drift") {
            judged += 1;
            // Where the longest latencies are missing, those of the last packets are too low.
            let is_unsteady = *row.cell("steady") == Cell::Flag(false) && share <= UNKNOWN;
            drift.offer((row, phases), change.abs(), is_unsteady);
        }
    }
    let mut sentences = Vec::new();
    if let Some((worst, phases)) = &drift.row {
        let change = worst.figure("drift").unwrap_or(0.0);
        let verb = if change > 0.0 { "grows" } else { "falls" };
        sentences.push(format!(
            "A warm-up of {} cycles is too short for {} of {judged} points: latency still {verb} by {:.0} % through the \
             window{}; try simulation.warmup_cycles = {}, unless the load is close to saturation.",
            phases.warmup,
            drift.count,
            100.0 * change.abs(),
            point(plan, worst),
            longer(phases.warmup, phases.window),
        ));
    }
    if let Some((worst, phases)) = &filling.row {
        let latency = worst.figure("mean_network_latency").unwrap_or(0.0);
        sentences.push(format!(
            "Packets take {latency:.0} cycles through the network, longer than the warm-up of {} cycles{}: in the windows of {} of {open} points it \
             still fills, so accepted loads are too low, and saturation may not be told; try simulation.warmup_cycles = {}.",
            phases.warmup,
            point(plan, worst),
            filling.count,
            round_up((3.0 * latency) as u64),
        ));
    }
    if silent > 0 {
        sentences.push(format!(
            "Nobody sends anything in {silent} of {open} points: by the pattern, every terminal would send to itself or to nobody who lives."
        ));
    }
    if lost > 0 {
        sentences.push(format!(
            "Not a packet of the window arrived for {lost} of {open} points; try a longer window, or a higher simulation.cycles_limit."
        ));
    }
    if let Some((worst, phases)) = &slow.row {
        let time = worst.figure("mean_transaction_time").unwrap_or(0.0);
        let enough = [2.0, 10.0].map(|times| round_up((times * time) as u64));
        let fields = [
            ("simulation.warmup_cycles", phases.warmup, enough[0]),
            ("simulation.measure_cycles", phases.window, enough[1]),
        ];
        let fields = fields.iter().filter(|(_, is, enough)| is < enough);
        let fields: Vec<String> = fields
            .map(|(name, _, enough)| format!("{name} = {enough}"))
            .collect();
        sentences.push(format!(
            "A transaction takes {time:.0} cycles{}: for {} of {endless} points that is long against the warm-up or the window, so that those \
             that all began together are counted; try {}.",
            point(plan, worst),
            slow.count,
            fields.join(" and "),
        ));
    }
    if idle > 0 {
        sentences.push(format!(
            "Not a transaction was completed in the windows of {idle} of {endless} points; try a longer warm-up and a longer window."
        ));
    }
    if let Some((worst, phases)) = &unknown.row {
        sentences.push(format!(
            "{:.0} % of the packets of the window were still under way when the run ended{}, so for {} of {open} points the longest ways are in \
             no latency and no path length, and their means are too low; try {}a longer window or a higher simulation.cycles_limit.",
            100.0 * unknown.worst,
            point(plan, worst),
            unknown.count,
            if phases.drain { "" } else { "simulation.drain = true, " },
        ));
    }
    sentences
}

/// The worst row of some, and how many there are.
#[derive(Default)]
struct Worst {
    count: usize,
    worst: f64,
    row: Option<(Row, Phases)>,
}

impl Worst {
    fn offer(&mut self, (row, phases): (&Row, Phases), how_bad: f64, counts: bool) {
        if !counts {
            return;
        }
        self.count += 1;
        if self.row.is_none() || how_bad >= self.worst {
            (self.worst, self.row) = (how_bad, Some((row.clone(), phases)));
        }
    }
}

/// The phases of a point's run, in cycles.
#[derive(Clone, Copy)]
struct Phases {
    warmup: u64,
    window: u64,
    drain: bool,
}

impl Phases {
    fn of(simulation: &SimulationTable) -> Self {
        Self {
            warmup: simulation.warmup_cycles,
            window: simulation.measure_cycles,
            drain: simulation.drain,
        }
    }
}

/// The share of the window's packets that did not arrive, about: as many are created in the warm-up, cycle for cycle.
fn undelivered(row: &Row, phases: Phases) -> f64 {
    let [left, all] =
        ["undelivered_packets", "packets"].map(|name| row.figure(name).unwrap_or(0.0));
    let cycles = (phases.warmup + phases.window).max(1) as f64;
    let created = all * phases.window as f64 / cycles;
    if left > 0.0 {
        (left / created.max(left)).min(1.0)
    } else {
        0.0
    }
}

/// What tells a point from others, in brackets.
fn point(plan: &Plan, row: &Row) -> String {
    let words = names(plan).words(&row.point, &|_| true);
    match words.join(", ") {
        name if name.is_empty() => String::new(),
        name => format!(" ({name})"),
    }
}

/// Three times as many cycles, and half the window at least, as a round number.
fn longer(warmup: u64, window: u64) -> u64 {
    let least = warmup
        .saturating_mul(3)
        .max(warmup.saturating_add(window / 2))
        .max(1);
    round_up(least)
}

/// The next number that is 1, 2 or 5 with zeros behind.
fn round_up(least: u64) -> u64 {
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
