//! The sentences at the top of the report and at the end of a run: bad news first, and what
//! is left out is counted.

use super::sentences;
use crate::finding::Finding;
use crate::plan::Plan;
use crate::proofs::Proofs;
use crate::row::{Cell, Row, figure};
use crate::warm_up;
use turnwise_report::{Across, LoadPoint, Panel, Series};
use turnwise_verify::Verdict;

/// Sentences on negative verdicts, on what was not proved, and on panels.
const MOST: usize = 5;
/// Sentences on verdicts of any kind, as far as these are positive.
const MOST_POSITIVE: usize = 3;

/// The summary of a study; `waiting` says what waited for what where a simulation deadlocked.
pub(super) fn summary(
    plan: &Plan,
    rows: &[(usize, &Row)],
    proofs: &Proofs,
    (panels, waiting): (&[Panel], Option<String>),
) -> Vec<String> {
    let is = |word: &'static str| move |finding: &&Finding| finding.verdict_word() == word;
    let negative = proofs
        .findings
        .iter()
        .filter(|finding| finding.is_negative());
    let negative: Vec<String> = negative.map(verdict_sentence).collect();
    let unexplored = proofs
        .findings
        .iter()
        .filter(is(crate::finding::NOT_PROVED));
    let left_out = proofs.unproved.iter().map(|unproved| {
        format!(
            "{} on {}: not proved, for about {} states would have to be explored; prove it with: {}",
            unproved.routing_name, unproved.network_name, rough(unproved.states), unproved.command
        )
    });
    let unproved: Vec<String> = unexplored.map(verdict_sentence).chain(left_out).collect();
    let positive: Vec<String> = proofs
        .findings
        .iter()
        .filter(is("deadlock-free"))
        .map(verdict_sentence)
        .collect();

    let bad = negative.len() + unproved.len();
    let mut sentences = Vec::new();
    few(
        &mut sentences,
        negative,
        MOST,
        "can deadlock or leave pairs without a route",
    );
    few(
        &mut sentences,
        deadlocks(panels),
        MOST,
        "deadlocked while they were simulated",
    );
    sentences.extend(waiting);
    few(&mut sentences, unproved, MOST, "were not proved");
    let room = MOST_POSITIVE.saturating_sub(bad).max(1);
    few(&mut sentences, positive, room, "proved deadlock-free");
    // Of a load that changes during the run, what is accepted is of all its phases and compares with none of them.
    let changes = (0..plan.len()).any(|index| plan.changes_load(index));
    let compared = panels
        .iter()
        .filter(|panel| !changes || panel.across != Across::Load);
    let told: Vec<String> = compared.filter_map(sentences::sentence).collect();
    few(&mut sentences, told, MOST, "sets of curves in the report");
    sentences.push(counts(plan, rows));
    sentences.extend(warm_up::warnings(plan, rows.iter().copied()));
    sentences
}

/// Adds up to `most` sentences, and one that counts the others.
fn few(sentences: &mut Vec<String>, mut of: Vec<String>, most: usize, what: &str) {
    let more = of.len().saturating_sub(most);
    of.truncate(most);
    sentences.extend(of);
    if more > 0 {
        sentences.push(format!("And {more} more {what}."));
    }
}

/// Did a point not come to the end that it has?
pub fn is_cut_off(plan: &Plan, row: &Row) -> bool {
    plan.first.workload().is_some() && row.reached_limit()
}

/// What is said of so many such points, behind how many points there are.
pub fn cut_off(count: usize) -> String {
    match count {
        0 => String::new(),
        _ => format!(", {count} of them cut off at `simulation.cycles_limit` before all was done"),
    }
}

/// Was the window too short to tell whether the network keeps up?
pub(super) fn is_untold(row: &Row) -> bool {
    *row.cell("saturated") == Cell::Nothing && row.figure("offered_load").is_some()
}

fn counts(plan: &Plan, rows: &[(usize, &Row)]) -> String {
    let with = |flag: &str| rows.iter().filter(|(_, row)| row.flag(flag)).count();
    let scale = plan.study.other_scale();
    let of_scale = scale.map_or(String::new(), |scale| format!(" of the scale \"{scale}\""));
    let mut text = format!(
        "{} of {} points{of_scale} simulated",
        rows.len(),
        plan.len()
    );
    // Where messages answer others nothing saturates, but all has to come to an end.
    if plan.first.workload().is_none() {
        text.push_str(&format!(", {} of them saturated", with("saturated")));
        let untold = rows.iter().filter(|(_, row)| is_untold(row)).count();
        if untold > 0 {
            text.push_str(&format!(", {untold} in windows too short to tell"));
        }
    } else {
        let cut = rows.iter().filter(|(_, row)| is_cut_off(plan, row));
        text.push_str(&cut_off(cut.count()));
    }
    let deadlocked = with("deadlocked");
    if deadlocked > 0 {
        text.push_str(&format!(", {deadlocked} deadlocked"));
    }
    text + "."
}

/// One sentence for each curve on which runs ended in a deadlock.
fn deadlocks(panels: &[Panel]) -> Vec<String> {
    let sentence = |panel: &Panel, series: &Series| {
        let dead: Vec<_> = series
            .points
            .iter()
            .filter(|point| point.deadlocked)
            .collect();
        let (name, value): (&str, fn(&LoadPoint) -> f64) = match &panel.across {
            _ if dead.first()?.offered_load.is_finite() => ("load", |point| point.offered_load),
            Across::Numbers { name, .. } => (name, |point| point.x),
            _ => ("", |_| f64::NAN),
        };
        let mut places: Vec<f64> = dead.iter().map(|point| value(point)).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let least = places[0];
        let lives = |point: &LoadPoint| !point.deadlocked && value(point) >= least;
        let place = match places.as_slice() {
            _ if name.is_empty() => String::new(),
            [_, _, ..] if !series.points.iter().any(lives) => {
                format!(", from {name} {} on", figure(least))
            }
            [one] => format!(", at {name} {}", figure(*one)),
            [first, .., last] => format!(
                ", at {} of {} points, from {name} {} to {}",
                dead.len(),
                series.points.len(),
                figure(*first),
                figure(*last)
            ),
            [] => return None,
        };
        Some(format!(
            "{}, {}: deadlocked while it was simulated{place}.",
            series.label, panel.title
        ))
    };
    panels
        .iter()
        .flat_map(|panel| {
            panel
                .series
                .iter()
                .filter_map(move |series| sentence(panel, series))
        })
        .collect()
}

/// The verdict and the quality of a finding.
fn verdict_sentence(finding: &Finding) -> String {
    let quality = &finding.analysis.quality;
    let subject = format!("{} on {}", finding.routing_name, finding.network_name);
    let verdict = match &finding.analysis.verdict {
        Verdict::DeadlockFree(proof) => format!(
            "proved deadlock-free ({} dependencies numbered)",
            proof.dependencies.len()
        ),
        Verdict::Cyclic(cycle) => format!(
            "can deadlock (cycle of {} channels found)",
            cycle.waiting.len()
        ),
        Verdict::Unexplored(given_up) => {
            return format!(
                "{subject}: not proved, for packets to terminal {} have more than {} states.",
                given_up.destination, given_up.limit
            );
        }
    };
    let lost = match finding.unroutable_pairs() {
        0 => String::new(),
        pairs => format!(", {pairs} of {} pairs have no route", quality.pairs),
    };
    let lowest = finding.lower_bound();
    let bound = lowest.map(|bound| format!(" against a lower bound of {}", figure(bound)));
    // Where congestion decides it is not chance, and mostly for short ways.
    let is_above = lowest.is_some_and(|bound| quality.edge_forwarding_index > 1.05 * bound);
    let likely = match quality.single_path || !is_above {
        true => "",
        false => " with every way as likely",
    };
    format!(
        "{subject}: {verdict}{lost}; largest channel load{likely} {}{}.",
        figure(quality.edge_forwarding_index),
        bound.unwrap_or_default()
    )
}

/// A large number, to two digits.
fn rough(number: u64) -> String {
    format!("{:.1e}", number as f64)
}

/// Why a study ends with exit code 1, in a few words.
pub(super) fn negative_words(proofs: &Proofs, rows: impl Iterator<Item = Row>) -> Option<String> {
    let all = proofs.findings.len() + proofs.unproved.len();
    let cyclic = proofs
        .findings
        .iter()
        .filter(|f| matches!(f.analysis.verdict, Verdict::Cyclic(_)))
        .count();
    let lossy = proofs
        .findings
        .iter()
        .filter(|f| f.unroutable_pairs() > 0)
        .count();
    let (mut points, mut deadlocked, mut stalled) = (0, 0, 0);
    for row in rows {
        points += 1;
        deadlocked += usize::from(row.flag("deadlocked"));
        stalled += usize::from(row.text("ending") == Some("stalled"));
    }
    let mut reasons = Vec::new();
    let routings = if all == 1 { "routing" } else { "routings" };
    if cyclic > 0 {
        reasons.push(format!("{cyclic} of {all} {routings} can deadlock"));
    }
    if lossy > 0 {
        let verb = if lossy == 1 { "leaves" } else { "leave" };
        reasons.push(format!(
            "{lossy} of {all} {routings} {verb} pairs without a route"
        ));
    }
    if deadlocked > 0 {
        reasons.push(format!(
            "{deadlocked} of {points} simulated points deadlocked"
        ));
    }
    if stalled > 0 {
        reasons.push(format!(
            "in {stalled} of {points} simulated points terminals wait for each other for ever"
        ));
    }
    (!reasons.is_empty()).then(|| reasons.join(", "))
}
