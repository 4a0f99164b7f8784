//! The panels of load-latency curves, each with a legend that is also a table of findings.

use super::beside::Units;
use super::chart::{BEYOND, key};
use super::load_charts::{charts, sorted};
use super::model::{Across, LoadPoint, Panel, Report, Series};
use super::single;
use super::text::{UNKNOWN, escape, number};
use std::io::{self, Write};

/// More curves than this make a legend taller than a chart, which then gets a row of its own.
const MANY: usize = 9;

/// Writes all panels, a chart at a time.
pub(super) fn write(report: &Report, styles: &[Vec<usize>], out: &mut dyn Write) -> io::Result<()> {
    let mut panels = report.panels.iter().zip(styles);
    panels.try_for_each(|(panel, styles)| draw(panel, styles, out))
}

fn draw(panel: &Panel, styles: &[usize], out: &mut dyn Write) -> io::Result<()> {
    let title = escape(&panel.title);
    writeln!(out, "<div class=\"panel\">\n<h3>{title}</h3>")?;
    if !panel.note.is_empty() {
        writeln!(out, "<p class=\"note\">{}</p>", escape(&panel.note))?;
    }
    if panel.is_single() {
        write!(out, "{}", single::table(panel, styles))?;
        let figures = single::figures(panel, styles, false);
        if !figures.is_empty() {
            writeln!(out, "<div class=\"charts\">")?;
            for (_, figure) in figures {
                let svg = figure.inline();
                writeln!(out, "<figure class=\"card\">{svg}</figure>")?;
            }
            writeln!(out, "</div>")?;
        }
        return writeln!(out, "</div>");
    }
    let class = match panel.series.len() > MANY {
        true => "charts many",
        false => "charts",
    };
    writeln!(out, "<div class=\"{class}\">")?;
    let charts = charts(panel, styles);
    let leaves = charts.iter().any(|(_, chart)| chart.leaves());
    write!(out, "{}", legend(panel, styles, leaves))?;
    for (_, chart) in charts {
        let svg = chart.draw(false).inline();
        writeln!(out, "<figure class=\"card\">{svg}</figure>")?;
    }
    writeln!(out, "</div>\n</div>")
}

/// A column of the legend: heading, what it says, the figure of a curve, the same in other units.
type Column<'a> = (&'a str, String, fn(&Series) -> String, InUnits);

/// The figure of a curve in other units, if these are known.
type InUnits = fn(&Series, &Units) -> Option<String>;

fn columns(panel: &Panel) -> Vec<Column<'_>> {
    let load = "in flits per terminal and cycle";
    let mut columns: Vec<Column<'_>> = Vec::new();
    if panel.across == Across::Load {
        let words = "mean packet latency at the lowest load, in cycles";
        columns.push((
            "Base latency",
            words.to_owned(),
            |series| fixed(base_latency(&sorted(series)), 1),
            |series, units| units.latency(base_latency(&sorted(series))),
        ));
        let words = format!("highest offered load before saturation, {load}");
        columns.push((
            "Stable to",
            words,
            |series| stable_to(&sorted(series)),
            |series, units| units.load(last_stable(&sorted(series))?),
        ));
    }
    if panel.is_workload() {
        let words = "smallest mean transaction time, in cycles";
        columns.push((
            "Fastest",
            words.to_owned(),
            |series| fixed(least(series, |p| p.transaction_time), 1),
            |series, units| units.latency(least(series, |p| p.transaction_time)),
        ));
        let words = "smallest makespan, in cycles";
        columns.push((
            "Makespan",
            words.to_owned(),
            |series| fixed(least(series, |p| p.makespan), 0),
            |series, units| units.latency(least(series, |p| p.makespan)),
        ));
    }
    columns.push((
        "Peak",
        format!("largest accepted load, {load}"),
        |series| fixed(peak(series), 3),
        |series, units| units.load(peak(series)),
    ));
    if panel
        .series
        .iter()
        .any(|series| series.saturation_load.is_some())
    {
        let words = format!("highest load that is still accepted, searched for, {load}");
        columns.push((
            "Saturation",
            words,
            |series| {
                let load = series.saturation_load;
                load.map_or(UNKNOWN.to_owned(), |load| fixed(load, 3))
            },
            |series, units| units.load(series.saturation_load?),
        ));
    }
    columns
}

/// What one wants to read off the curves, beside the sample of each curve; some points may be beyond the scale.
fn legend(panel: &Panel, styles: &[usize], leaves: bool) -> String {
    let columns = columns(panel);
    let heads = columns.iter().map(|(name, words, ..)| {
        format!("<th scope=\"col\" class=\"n\" title=\"{words}\">{name}</th>")
    });
    let mut out = format!(
        "<div class=\"card keys\"><table><caption class=\"hidden\">Curves of {}</caption>\n<thead><tr>\
         <th scope=\"col\">Curve</th>{}</tr></thead>\n<tbody>\n",
        escape(&panel.title),
        heads.collect::<String>()
    );
    for (series, style) in panel.series.iter().zip(styles) {
        let cells = columns.iter().map(|(name, _, value, in_units)| {
            let mut value = value(series);
            let words = in_units(series, &panel.units);
            value.extend(words.map(|words| format!("<small>{words}</small>")));
            format!("<td class=\"n\" data-name=\"{name}\">{value}</td>")
        });
        out.push_str(&format!(
            "<tr><th scope=\"row\"><button type=\"button\" class=\"key\" data-s=\"{style}\" aria-pressed=\"true\">\
             <svg class=\"fig\" viewBox=\"0 0 30 12\" width=\"30\" height=\"12\" aria-hidden=\"true\">{}</svg>\
             <span>{}</span></button></th>{}</tr>\n",
            key(*style),
            escape(&series.label),
            cells.collect::<String>(),
        ));
    }
    out.push_str(&format!(
        "</tbody></table>\n<p class=\"how\">{}</p></div>\n",
        how(panel, leaves)
    ));
    out
}

/// How to read the curves.
fn how(panel: &Panel, leaves: bool) -> String {
    let any =
        |state: fn(&LoadPoint) -> bool| panel.series.iter().flat_map(|s| &s.points).any(state);
    let mut text = "Bands are 95 % confidence intervals.".to_owned();
    if any(unstable) {
        text.push_str(" Open markers and dotted lines are saturated.");
    }
    if leaves {
        text.push_str(&format!(" {BEYOND}."));
    }
    if any(|point| point.deadlocked) {
        text.push_str(" A cross marks a deadlock.");
    }
    let by_load = panel.across == Across::Load;
    if by_load
        && panel
            .series
            .iter()
            .any(|series| series.saturation_load.is_some())
    {
        text.push_str(
            " Arrows on the axis of the first chart are saturation loads that were searched for.",
        );
    }
    text + "<span class=\"js\"> Press a curve\u{2019}s name to hide it.</span>"
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
fn last_stable(points: &[&LoadPoint]) -> Option<f64> {
    let stable = points.iter().take_while(|p| !unstable(p) && !p.untold);
    stable.last().map(|p| p.offered_load)
}

/// The same in words.
fn stable_to(points: &[&LoadPoint]) -> String {
    let first = points
        .iter()
        .position(|p| unstable(p) || p.untold)
        .unwrap_or(points.len());
    let deadlocked = points.get(first).is_some_and(|p| p.deadlocked);
    let text = last_stable(points).map_or_else(|| UNKNOWN.to_owned(), |load| fixed(load, 3));
    match (deadlocked, first == points.len() && !points.is_empty()) {
        (true, _) => format!("{text} <strong class=\"dead\">deadlock</strong>"),
        // Nothing saturated: the network may carry more than was asked of it.
        (false, true) => format!("\u{2265} {text}"),
        (false, false) => text,
    }
}

/// The smallest figure of a curve.
fn least(series: &Series, value: fn(&LoadPoint) -> f64) -> f64 {
    let values = series.points.iter().map(value).filter(|v| v.is_finite());
    values.fold(f64::NAN, f64::min)
}

fn peak(series: &Series) -> f64 {
    let accepted = series
        .points
        .iter()
        .map(|p| p.accepted_load)
        .filter(|v| v.is_finite());
    accepted.fold(f64::NAN, f64::max)
}
