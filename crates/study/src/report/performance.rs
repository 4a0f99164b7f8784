//! The panels of load-latency curves, each with a legend that is also a table of findings.

use super::chart::key;
use super::load_charts::{charts, sorted};
use super::model::{LoadPoint, Panel, Report, Series};
use super::text::{UNKNOWN, escape, number};

/// All panels.
pub(super) fn panels(report: &Report, styles: &[Vec<usize>]) -> String {
    report
        .panels
        .iter()
        .zip(styles)
        .map(|(panel, styles)| draw(panel, styles))
        .collect()
}

fn draw(panel: &Panel, styles: &[usize]) -> String {
    let mut out = format!("<div class=\"panel\">\n<h3>{}</h3>\n", escape(&panel.title));
    if !panel.note.is_empty() {
        out.push_str(&format!("<p class=\"note\">{}</p>\n", escape(&panel.note)));
    }
    out.push_str("<div class=\"charts\">\n");
    out.push_str(&legend(panel, styles));
    for (_, chart) in charts(panel, styles) {
        out.push_str(&format!(
            "<figure class=\"card\">{}</figure>\n",
            chart.draw(false).inline()
        ));
    }
    out.push_str("</div>\n</div>\n");
    out
}

/// What one wants to read off the curves, beside the sample of each curve.
fn legend(panel: &Panel, styles: &[usize]) -> String {
    let mut out = format!(
        "<div class=\"card keys\"><table><caption class=\"hidden\">Curves of {}</caption>\n<thead><tr>\
         <th scope=\"col\">Curve</th><th scope=\"col\" class=\"n\" title=\"mean packet latency at the lowest load, in cycles\">Base latency</th>\
         <th scope=\"col\" class=\"n\" title=\"highest offered load before saturation, in flits per terminal and cycle\">Stable to</th>\
         <th scope=\"col\" class=\"n\" title=\"largest accepted load, in flits per terminal and cycle\">Peak</th></tr></thead>\n<tbody>\n",
        escape(&panel.title)
    );
    for (series, style) in panel.series.iter().zip(styles) {
        let points = sorted(series);
        out.push_str(&format!(
            "<tr><th scope=\"row\"><button type=\"button\" class=\"key\" data-s=\"{style}\" aria-pressed=\"true\">\
             <svg class=\"fig\" viewBox=\"0 0 30 12\" width=\"30\" height=\"12\" aria-hidden=\"true\">{}</svg>\
             <span>{}</span></button></th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
            key(*style),
            escape(&series.label),
            fixed(base_latency(&points), 1),
            stable_to(&points),
            fixed(peak(series), 3),
        ));
    }
    let unstable = panel
        .series
        .iter()
        .flat_map(|s| &s.points)
        .any(|p| p.saturated || p.deadlocked);
    let dead = panel
        .series
        .iter()
        .flat_map(|s| &s.points)
        .any(|p| p.deadlocked);
    out.push_str("</tbody></table>\n<p class=\"how\">Bands are 95 % confidence intervals.");
    if unstable {
        out.push_str(" Open markers and dotted lines are saturated loads.");
    }
    if dead {
        out.push_str(" A cross marks a deadlock.");
    }
    out.push_str("<span class=\"js\"> Press a curve\u{2019}s name to hide it.</span></p></div>\n");
    out
}

/// A figure with as many decimals as the others of its column.
fn fixed(value: f64, decimals: usize) -> String {
    if value.abs() < 1e5 {
        format!("{value:.decimals$}")
    } else {
        number(value)
    }
}

fn unstable(point: &LoadPoint) -> bool {
    point.saturated || point.deadlocked
}

fn base_latency(points: &[&LoadPoint]) -> f64 {
    points
        .iter()
        .find(|p| !unstable(p) && p.mean_latency.is_finite())
        .map_or(f64::NAN, |p| p.mean_latency)
}

/// The highest load below the first saturated one.
fn stable_to(points: &[&LoadPoint]) -> String {
    let first = points
        .iter()
        .position(|p| unstable(p))
        .unwrap_or(points.len());
    let deadlocked = points.get(first).is_some_and(|p| p.deadlocked);
    let load = first
        .checked_sub(1)
        .and_then(|last| points.get(last))
        .map(|p| p.offered_load);
    let text = load.map_or_else(|| UNKNOWN.to_owned(), |load| fixed(load, 3));
    match (deadlocked, first == points.len() && !points.is_empty()) {
        (true, _) => format!("{text} <strong class=\"dead\">deadlock</strong>"),
        // Nothing saturated: the network may carry more than was asked of it.
        (false, true) => format!("\u{2265} {text}"),
        (false, false) => text,
    }
}

fn peak(series: &Series) -> f64 {
    let accepted = series
        .points
        .iter()
        .map(|p| p.accepted_load)
        .filter(|v| v.is_finite());
    accepted.fold(f64::NAN, f64::max)
}
