//! What the curves of a panel show, in one sentence each.

use crate::row::figure;
use turnwise_report::{Across, LoadPoint, Panel, Series, separate};

/// Curves that are named in a sentence; the others are counted.
const NAMED: usize = 3;

/// The sentence of a panel, if anything was measured.
pub(super) fn sentence(panel: &Panel) -> Option<String> {
    let text = match &panel.across {
        Across::Nothing => once(panel),
        Across::Load if panel.is_single() => one_load(panel),
        Across::Load => loads(panel),
        Across::Numbers { .. } | Across::Names { .. } => changes(panel),
    };
    text.map(|text| format!("{}: {text}.", panel.title))
}

/// What a curve says of how much load is accepted.
enum Accepted {
    /// The load at which it saturates, by a search.
    Searched(f64),
    /// The most that was accepted, where something saturated.
    Limit(f64),
    /// The most that was offered, where nothing did.
    All(f64),
    /// The same, where a run kept up by our rule for saturation, but what was accepted is less than what sources created
    /// by more than its interval; and the most that was accepted.
    Nearly(f64, f64),
    /// Some run deadlocked, and what it had accepted until then says nothing.
    Nothing,
    /// Nobody sent anything in any run.
    Silence,
}

fn accepted(series: &Series) -> Option<Accepted> {
    if series.points.iter().any(|point| point.deadlocked) {
        return Some(Accepted::Nothing);
    }
    // Of what cannot be told the sentences on warm-ups say why.
    if series.points.iter().any(|point| point.untold) {
        return None;
    }
    let is_silent = |point: &LoadPoint| point.injected_load == 0.0 && point.offered_load > 0.0;
    if !series.points.is_empty() && series.points.iter().all(is_silent) {
        return Some(Accepted::Silence);
    }
    if let Some(load) = series.saturation_load {
        return Some(Accepted::Searched(load));
    }
    let most = |value: fn(&LoadPoint) -> f64| {
        let values = series.points.iter().map(value);
        values.filter(|value| value.is_finite()).reduce(f64::max)
    };
    // Little is left over in any window: what is under way at its end.
    let short = |point: &LoadPoint| {
        let width = point.accepted_half_width.max(0.005 * point.injected_load);
        point.accepted_load + width < point.injected_load
    };
    let (offered, taken) = (
        most(|point| point.offered_load)?,
        most(|point| point.accepted_load),
    );
    Some(match taken {
        Some(taken) if series.points.iter().any(|point| point.saturated) => Accepted::Limit(taken),
        Some(taken) if series.points.iter().any(short) => Accepted::Nearly(offered, taken),
        _ => Accepted::All(offered),
    })
}

/// A load, and what it is in other units if these are known: `0.432 (86.4 Gb/s)`.
fn load_words(panel: &Panel, load: f64) -> String {
    let beside = panel.units.load(load);
    format!("{load:.3}{}", in_brackets(beside))
}

/// Cycles, their thousands parted as they are in the unit beside them: `196,704 (393,408 ns)`.
fn cycles_words(panel: &Panel, cycles: f64) -> String {
    format!("{}{}", parted(cycles), latency_words(panel, cycles))
}

/// A whole number with its thousands parted.
fn parted(value: f64) -> String {
    separate(&format!("{value:.0}"))
}

/// What a latency is in other units, if these are known: ` (85.6 ns)`.
fn latency_words(panel: &Panel, cycles: f64) -> String {
    in_brackets(panel.units.latency(cycles))
}

fn in_brackets(words: Option<String>) -> String {
    words.map_or(String::new(), |words| format!(" ({words})"))
}

fn loads(panel: &Panel) -> Option<String> {
    let mut limited: Vec<(f64, String)> = Vec::new();
    let mut all: Vec<(f64, &str)> = Vec::new();
    let mut nearly: Vec<String> = Vec::new();
    let mut dead: Vec<&str> = Vec::new();
    let mut silent: Vec<&str> = Vec::new();
    for series in &panel.series {
        let label = &series.label;
        match accepted(series) {
            None => {}
            Some(Accepted::Searched(load)) => {
                limited.push((load, format!("{label} saturates at")));
            }
            Some(Accepted::Limit(load)) => {
                limited.push((load, format!("{label} accepts up to")));
            }
            Some(Accepted::All(load)) => all.push((load, label)),
            Some(Accepted::Nothing) => dead.push(label),
            Some(Accepted::Silence) => silent.push(label),
            Some(Accepted::Nearly(offered, taken)) => nearly.push(format!(
                "{label} kept up to {} and accepted {taken:.3} at most",
                load_words(panel, offered)
            )),
        }
    }
    limited.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut text = String::new();
    if let Some((least, _)) = limited.last() {
        // The last of them names the unit, which is that of the number and not of what is in brackets.
        let last = limited.len().min(NAMED) - 1;
        let named = limited.iter().take(NAMED).enumerate();
        let named = named.map(|(i, (load, words))| match i == last {
            false => format!("{words} {}", load_words(panel, *load)),
            true => {
                let beside = in_brackets(panel.units.load(*load));
                format!("{words} {load:.3} flits per terminal and cycle{beside}")
            }
        });
        text = named.collect::<Vec<_>>().join(", ");
        match limited.len().saturating_sub(NAMED) {
            0 => {}
            1 => text.push_str(&format!(", 1 more {least:.3}")),
            more => text.push_str(&format!(", {more} more at least {least:.3}")),
        }
    }
    // Not each curve is offered as much.
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut clauses: Vec<String> = Some(text)
        .filter(|text| !text.is_empty())
        .into_iter()
        .collect();
    let together: Vec<&[(f64, &str)]> = all.chunk_by(|a, b| a.0 == b.0).collect();
    for curves in together.iter().take(NAMED) {
        let labels: Vec<&str> = curves.iter().map(|(_, label)| *label).collect();
        clauses.push(format!(
            "{} accepted all that was offered, up to {}",
            who(&labels),
            load_words(panel, curves[0].0)
        ));
    }
    let others: usize = together.iter().skip(NAMED).map(|curves| curves.len()).sum();
    if let (1.., Some((least, _))) = (others, all.last()) {
        clauses.push(format!("{others} more did, up to {least:.3} at least"));
    }
    if !nearly.is_empty() {
        clauses.push(who(&nearly.iter().map(String::as_str).collect::<Vec<_>>()));
    }
    if !dead.is_empty() {
        clauses.push(format!("{} deadlocked", who(&dead)));
    }
    if !silent.is_empty() {
        let words = "carried nothing, as no terminal has another one to send to";
        clauses.push(format!("{} {words}", who(&silent)));
    }
    (!clauses.is_empty()).then(|| clauses.join("; "))
}

/// A few names, and how many more there are.
fn who(names: &[&str]) -> String {
    let named = names[..names.len().min(NAMED)].join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// Latencies of a study of one load, the lowest first.
fn one_load(panel: &Panel) -> Option<String> {
    let points = || {
        panel
            .series
            .iter()
            .filter_map(|s| Some((&s.label, s.points.first()?)))
    };
    let load = points().next()?.1.offered_load;
    let saturated = points().filter(|(_, point)| point.saturated).count();
    let stable =
        |point: &LoadPoint| !point.saturated && !point.untold && point.mean_latency.is_finite();
    let mut curves: Vec<(f64, &String)> = points()
        .filter(|(_, point)| stable(point))
        .map(|(label, point)| (point.mean_latency, label))
        .collect();
    curves.sort_by(|a, b| a.0.total_cmp(&b.0));
    let texts: Vec<String> = curves
        .iter()
        .take(NAMED)
        .map(|(latency, label)| format!("{label} {latency:.1}{}", latency_words(panel, *latency)))
        .collect();
    let mut text = format!("at load {}", load_words(panel, load));
    if let Some((most, _)) = curves.last() {
        match points().count() {
            1 => text.push_str(&format!(
                ", mean latency is {most:.1} cycles{}",
                latency_words(panel, *most)
            )),
            _ => text.push_str(&format!(", mean latency in cycles: {}", texts.join(", "))),
        }
        match curves.len().saturating_sub(NAMED) {
            0 => {}
            more => text.push_str(&format!(", and up to {most:.1} for {more} more")),
        }
    }
    if saturated > 0 {
        text.push_str(&format!(", {saturated} of {} saturated", points().count()));
    }
    (!curves.is_empty() || saturated > 0).then_some(text)
}

/// A figure of a point.
type Figure = fn(&LoadPoint) -> f64;

/// What workloads are judged by: how long everything took, or else each transaction. No words if there is no workload.
fn of_workload(panel: &Panel) -> (&'static str, Figure) {
    let known = |value: Figure| {
        let mut points = panel.series.iter().flat_map(|series| &series.points);
        points.any(|point| value(point).is_finite())
    };
    let makespan: Figure = |point| point.makespan;
    let time: Figure = |point| point.transaction_time;
    match (known(makespan), known(time)) {
        (true, _) => ("makespan in cycles", makespan),
        (false, true) => ("mean transaction time in cycles", time),
        (false, false) => ("", time),
    }
}

/// What one run of each curve took, the fastest first.
fn once(panel: &Panel) -> Option<String> {
    let (what, figure) = of_workload(panel);
    let points = panel
        .series
        .iter()
        .filter_map(|series| Some((figure(series.points.first()?), &series.label)));
    let mut runs: Vec<(f64, &String)> = points.filter(|(time, _)| time.is_finite()).collect();
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let named = runs
        .iter()
        .take(NAMED)
        .map(|(time, label)| format!("{label} {}", cycles_words(panel, *time)));
    let mut text = format!("{what}: {}", named.collect::<Vec<_>>().join(", "));
    if let Some((most, _)) = runs.last().filter(|_| runs.len() > NAMED) {
        text.push_str(&format!(
            ", and up to {} for {} more",
            parted(*most),
            runs.len() - NAMED
        ));
    }
    (!runs.is_empty()).then_some(text)
}

/// A place on an axis that is not the load.
fn place(across: &Across, x: f64) -> String {
    match across {
        Across::Names { values, .. } => values.get(x as usize).cloned().unwrap_or_default(),
        _ => figure(x),
    }
}

/// How each curve begins and ends along an axis that is not the load.
fn changes(panel: &Panel) -> Option<String> {
    let mut points = panel.series.iter().flat_map(|series| &series.points);
    let searched = points.any(|point| point.saturation_load.is_finite());
    let (of_workload, figure) = of_workload(panel);
    let value = |point: &LoadPoint| match (of_workload.is_empty(), searched) {
        (false, _) => figure(point),
        (true, true) => point.saturation_load,
        (true, false) => point.accepted_load,
    };
    let words = |value: f64| match of_workload {
        "" => format!("{value:.3}"),
        _ => cycles_words(panel, value),
    };
    let is_known = |point: &&LoadPoint| point.x.is_finite() && value(point).is_finite();
    let all = || panel.series.iter().flat_map(|series| &series.points);
    let xs = || all().filter(is_known).map(|point| point.x);
    let (begin, end) = (xs().reduce(f64::min), xs().reduce(f64::max));
    let ends = |series: &Series| {
        let mut points: Vec<&LoadPoint> = series.points.iter().filter(is_known).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        let (first, last) = (points.first()?, points.last()?);
        // Who has not all of the axis is told where it begins and ends.
        let at = |point: &LoadPoint, usual: Option<f64>| match usual == Some(point.x) {
            true => words(value(point)),
            false => format!(
                "{} at {}",
                words(value(point)),
                place(&panel.across, point.x)
            ),
        };
        let (from, to) = (at(first, begin), at(last, end));
        // Of a workload with an end, what deadlocks has no makespan.
        Some(match points.len() {
            1 if !of_workload.is_empty() => format!("{} {from}", series.label),
            _ => format!("{} {from} to {to}", series.label),
        })
    };
    let curves: Vec<String> = panel.series.iter().filter_map(ends).collect();
    let what = match (of_workload, searched) {
        ("", true) => "saturation load",
        ("", false) => "accepted load",
        (of_workload, _) => of_workload,
    };
    let more = match curves.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let named: Vec<String> = curves.into_iter().take(NAMED).collect();
    let [first, last] = [begin?, end?].map(|x| place(&panel.across, x));
    let text = format!(
        "{what} from {} {first} to {last}: {}{more}",
        panel.across.name(),
        named.join(", ")
    );
    (!named.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(label: &str, loads: &[(f64, f64, bool)]) -> Series {
        let point = |&(x, accepted_load, saturated): &(f64, f64, bool)| LoadPoint {
            x,
            offered_load: x,
            accepted_load,
            mean_latency: 10.0,
            saturated,
            ..LoadPoint::default()
        };
        Series {
            label: label.to_owned(),
            points: loads.iter().map(point).collect(),
            saturation_load: None,
        }
    }

    fn said(series: Vec<Series>) -> String {
        let title = "uniform".to_owned();
        sentence(&Panel {
            title,
            series,
            ..Panel::default()
        })
        .unwrap()
    }

    #[test]
    fn only_what_saturated_has_a_limit() {
        let low = [(0.1, 0.1, false), (0.2, 0.2, false)];
        let high = [(0.1, 0.1, false), (0.2, 0.15, true)];
        assert_eq!(
            said(vec![series("a", &low), series("b", &high)]),
            "uniform: b accepts up to 0.150 flits per terminal and cycle; a accepted all that was offered, up to 0.200."
        );
        let searched = Series {
            saturation_load: Some(0.432),
            ..series("c", &low)
        };
        assert_eq!(
            said(vec![searched]),
            "uniform: c saturates at 0.432 flits per terminal and cycle."
        );
    }

    /// A pattern in which nobody has anybody to send to once was one of which everything was accepted.
    #[test]
    fn who_sends_nothing_is_not_said_to_be_accepted() {
        let mut silent = series("a", &[(0.1, 0.0, false), (0.5, 0.0, false)]);
        for point in &mut silent.points {
            point.injected_load = 0.0;
        }
        assert_eq!(
            said(vec![silent]),
            "uniform: a carried nothing, as no terminal has another one to send to."
        );
    }

    /// A unit stands behind its own number.
    #[test]
    fn other_units_are_in_brackets_behind_the_unit() {
        let series = series("a", &[(0.1, 0.1, false), (0.9, 0.74, true)]);
        let mut panel = Panel {
            title: "uniform".to_owned(),
            series: vec![series.clone(), series],
            ..Panel::default()
        };
        panel.units.gigabits = Some(10.0);
        assert_eq!(
            sentence(&panel).unwrap(),
            "uniform: a accepts up to 0.740 (7.4 Gb/s), a accepts up to 0.740 flits per terminal and cycle (7.4 Gb/s)."
        );
        let took = LoadPoint {
            makespan: 196_704.0,
            ..LoadPoint::default()
        };
        panel.series.truncate(1);
        panel.series[0].points = vec![took];
        panel.across = Across::Nothing;
        panel.units.nanoseconds = Some(1.0);
        assert_eq!(
            sentence(&panel).unwrap(),
            "uniform: makespan in cycles: a 196,704 (196,704 ns)."
        );
        assert_eq!(
            [0.0, 999.0, 1_000.0, 1_234_567.0].map(parted),
            ["0", "999", "1,000", "1,234,567"]
        );
    }

    #[test]
    fn what_deadlocks_is_not_ranked() {
        let low = [(0.1, 0.1, false), (0.2, 0.15, true)];
        let mut dead = series("a", &low);
        dead.points[1].deadlocked = true;
        assert_eq!(
            said(vec![dead, series("b", &low)]),
            "uniform: b accepts up to 0.150 flits per terminal and cycle; a deadlocked."
        );
    }

    #[test]
    fn who_accepts_less_than_was_sent_did_not_accept_all() {
        let mut nearly = series("a", &[(0.1, 0.1, false), (0.9, 0.874, false)]);
        for point in &mut nearly.points {
            point.injected_load = point.x;
            point.accepted_half_width = 0.012;
        }
        let all = series("b", &[(0.1, 0.1, false), (0.9, 0.9, false)]);
        assert_eq!(
            said(vec![nearly, all]),
            "uniform: b accepted all that was offered, up to 0.900; a kept up to 0.900 and accepted 0.874 at most."
        );
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let curve = |i: u32| {
            let peak = f64::from(i) / 10.0;
            series(&i.to_string(), &[(0.1, peak, false), (1.0, peak, true)])
        };
        let text = said((1..=8).map(curve).collect());
        assert!(text.contains("8 accepts up to 0.800"), "{text}");
        assert!(text.ends_with("cycle, 5 more at least 0.100."), "{text}");
        let idle = |i: u32| series(&i.to_string(), &[(0.1, 0.1, false), (0.2, 0.2, false)]);
        assert_eq!(
            said((1..=8).map(idle).collect()),
            "uniform: 1, 2, 3 and 5 more accepted all that was offered, up to 0.200."
        );
    }

    #[test]
    fn a_single_load_is_told_by_its_latencies() {
        let text = said(vec![
            series("a", &[(0.3, 0.3, false)]),
            series("b", &[(0.3, 0.2, true)]),
        ]);
        assert_eq!(
            text,
            "uniform: at load 0.300, mean latency in cycles: a 10.0, 1 of 2 saturated."
        );
    }
}
