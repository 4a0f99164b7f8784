//! The section on traffic that switches: what latency and detours do before and after, all curves of a panel
//! in one figure.
//!
//! Latencies of a curve that does not keep up leave the frame, as in the charts against the load: the others are
//! what one wants to see.

use super::axis::Axis;
use super::chart::{Legend, key};
use super::course::trace;
use super::model::{Panel, Report};
use super::palette;
use super::svg::{Figure, heading, label, line, shade, tip};
use super::text::{UNKNOWN, escape, number, shorten};

/// What a panel's curves did at one load while the traffic switched.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Transient {
    /// Number of the panel whose curves these are.
    pub panel: usize,
    /// Panel and load.
    pub title: String,
    /// What is sent, phase by phase, in a sentence that is true of all curves; may be empty.
    pub phases: String,
    /// The cycle in which the last of the measurement windows closed.
    pub end: f64,
    /// The curves that were measured.
    pub responses: Vec<Response>,
}

/// What one curve did. Each has a clock of its own: windows, intervals and switches may be swept too.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Response {
    /// Number of the curve in its panel.
    pub series: usize,
    /// The cycles in which its traffic switched, in ascending order.
    pub switches: Vec<f64>,
    /// The cycle in which its measurement window opened.
    pub window_start: f64,
    /// Cycles of an interval.
    pub interval: f64,
    /// By interval: mean latency of the packets created in it, in cycles; NaN if none of them arrived.
    pub latency: Vec<f64>,
    /// By interval: the share of these that took more channels than necessary; NaN if unknown.
    pub nonminimal: Vec<f64>,
    /// Cycles from the last switch until the latency had settled; NaN if it did not.
    pub settling: f64,
    /// The mean it settled at; NaN if it did not.
    pub settled_latency: f64,
    /// Did the network not keep up?
    pub saturated: bool,
}

const WIDTH: f64 = 560.0;
const TOP: f64 = 34.0;
const HEIGHT: f64 = 232.0;
const RIGHT: f64 = 28.0;

/// What a figure shows of each response.
struct Measure {
    /// Beginning of the name of a stand-alone file.
    file: &'static str,
    title: &'static str,
    unit: &'static str,
    values: fn(&Response) -> &[f64],
    /// Do curves that saturate leave the frame?
    leaves: bool,
}

const MEASURES: [Measure; 2] = [
    Measure {
        file: "transient-latency",
        title: "Mean latency",
        unit: "cycles",
        values: |response| &response.latency,
        leaves: true,
    },
    Measure {
        file: "transient-nonminimal",
        title: "Share of non-minimal packets",
        unit: "",
        values: |response| &response.nonminimal,
        leaves: false,
    },
];

/// The section; empty if nothing switches.
pub(super) fn section(report: &Report, styles: &[Vec<usize>]) -> String {
    let shown = report.transients.iter();
    let panels: String = shown
        .filter_map(|transient| {
            let panel = report.panels.get(transient.panel)?;
            Some(draw(transient, panel, styles.get(transient.panel)?))
        })
        .collect();
    if panels.is_empty() {
        return panels;
    }
    let note = match report.transients_note.is_empty() {
        true => String::new(),
        false => format!(" {}", escape(&report.transients_note)),
    };
    format!(
        "<p class=\"note\">Packets by the interval that created them: mean latency, and the share that took more channels than \
         necessary. Dashed lines are switches of the traffic, those of a single curve in its colour; the warm-up is shaded.{note}</p>\n{panels}"
    )
}

fn draw(transient: &Transient, panel: &Panel, styles: &[usize]) -> String {
    let mut out = format!(
        "<div class=\"panel\">\n<h3>{}</h3>\n",
        escape(&transient.title)
    );
    if !transient.phases.is_empty() {
        out.push_str(&format!(
            "<p class=\"note\">{}</p>\n",
            escape(&transient.phases)
        ));
    }
    out.push_str("<div class=\"charts\">\n");
    out.push_str(&keys(transient, panel, styles));
    for (_, figure) in figures(transient, panel, styles, false) {
        out.push_str(&format!(
            "<figure class=\"card\">{}</figure>\n",
            figure.inline()
        ));
    }
    out + "</div>\n</div>\n"
}

/// Curves with their names and styles.
fn curves<'a>(
    transient: &'a Transient,
    panel: &'a Panel,
    styles: &'a [usize],
) -> impl Iterator<Item = (&'a Response, &'a str, usize)> {
    let named = |response: &'a Response| {
        let series = panel.series.get(response.series)?;
        Some((
            response,
            series.label.as_str(),
            *styles.get(response.series)?,
        ))
    };
    transient.responses.iter().filter_map(named)
}

/// The legend, which is also a table of when the curves settled.
fn keys(transient: &Transient, panel: &Panel, styles: &[usize]) -> String {
    let heads = [
        (
            "Settled after",
            "cycles from the last switch until the mean latency stayed at its final mean",
        ),
        ("Settled at", "final mean latency, in cycles"),
    ];
    let heads = heads.map(|(name, words)| {
        format!("<th scope=\"col\" class=\"n\" title=\"{words}\">{name}</th>")
    });
    let row = |(response, name, style): (&Response, &str, usize)| {
        let settled = match (response.saturated, response.settling.is_finite()) {
            (true, _) => "saturated".to_owned(),
            (false, true) => number(response.settling),
            (false, false) => UNKNOWN.to_owned(),
        };
        let is_known = response.settling.is_finite() && !response.saturated;
        let in_units = panel.units.latency(response.settling);
        let in_units = in_units.filter(|_| is_known);
        let in_units = in_units.map(|words| format!("<small>{words}</small>"));
        format!(
            "<tr><th scope=\"row\"><button type=\"button\" class=\"key\" data-s=\"{style}\" aria-pressed=\"true\">\
             <svg class=\"fig\" viewBox=\"0 0 30 12\" width=\"30\" height=\"12\" aria-hidden=\"true\">{}</svg>\
             <span>{}</span></button></th><td class=\"n\" data-name=\"Settled after\">{settled}{}</td>\
             <td class=\"n\" data-name=\"Settled at\">{}</td></tr>\n",
            key(style),
            escape(name),
            in_units.unwrap_or_default(),
            number(response.settled_latency),
        )
    };
    format!(
        "<div class=\"card keys\"><table><caption class=\"hidden\">Curves of {}</caption>\n<thead><tr>\
         <th scope=\"col\">Curve</th>{}</tr></thead>\n<tbody>\n{}</tbody></table>\n\
         <p class=\"how\">In cycles, from the last switch until the mean latency stays within 5 % of that of the second half behind it, or \
         within four standard deviations where chance moves it by more; nothing unless it is known to be level there. Markers are at these intervals.\
         <span class=\"js\"> Press a curve\u{2019}s name to hide it.</span></p></div>\n",
        escape(&transient.title),
        heads.concat(),
        curves(transient, panel, styles)
            .map(row)
            .collect::<String>()
    )
}

/// The figures, each with the beginning of its file name; with `alone`, for files, which name what they show.
pub(super) fn figures(
    transient: &Transient,
    panel: &Panel,
    styles: &[usize],
    alone: bool,
) -> Vec<(&'static str, Figure)> {
    let figure = |measure: &Measure| {
        let figure = figure(measure, transient, panel, styles, alone)?;
        Some((measure.file, figure))
    };
    MEASURES.iter().filter_map(figure).collect()
}

/// The largest value that must be seen; `None` if there is nothing to see.
fn most(measure: &Measure, transient: &Transient) -> Option<f64> {
    let largest = |all: bool| {
        let shown = transient.responses.iter();
        let shown = shown.filter(|response| all || !(measure.leaves && response.saturated));
        let values = shown.flat_map(|response| (measure.values)(response));
        values
            .copied()
            .filter(|value| value.is_finite())
            .reduce(f64::max)
    };
    largest(false).or_else(|| largest(true))
}

fn figure(
    measure: &Measure,
    transient: &Transient,
    panel: &Panel,
    styles: &[usize],
    alone: bool,
) -> Option<Figure> {
    let most = most(measure, transient)?;
    let names = curves(transient, panel, styles).map(|(_, name, style)| (style, name));
    let names: Vec<(usize, &str)> = names.collect();
    let shift = if alone { 22.0 } else { 0.0 };
    let (top, bottom) = (TOP + shift, TOP + shift + HEIGHT);
    let y = Axis::new(most * 1.08, 5, bottom, top);
    let left = (y.text_room() + 11.0).max(40.0);
    let x = Axis::new(transient.end, 5, left, WIDTH - RIGHT);
    let mut body = String::new();
    if alone {
        let title = shorten(&transient.title, 13.5, WIDTH - 28.0);
        body.push_str(&label(14.0, 20.0, "title", &title));
    }
    let room = WIDTH - 28.0;
    body.push_str(&heading(
        14.0,
        18.0 + shift,
        room,
        measure.title,
        measure.unit,
    ));
    for start in starts(transient) {
        body.push_str(&shade((left, x.at(start)), (top, bottom)));
    }
    body.push_str(&y.draw_left(left, WIDTH - RIGHT));
    body.push_str(&x.draw_bottom(top, bottom, "cycle"));
    let switches = switches(curves(transient, panel, styles));
    for (at, of) in &switches {
        body.push_str(&switch(x.at(*at), (top, bottom), of));
    }
    for (response, name, style) in curves(transient, panel, styles) {
        body.push_str(&curve(measure, response, (name, style), (&x, &y)));
    }
    let legend = Legend::new(if alone { &names } else { &[] }, WIDTH);
    body.push_str(&legend.draw(bottom));
    let all: Vec<&str> = names.iter().map(|(_, name)| *name).collect();
    Some(Figure {
        width: WIDTH,
        height: bottom + 44.0 + legend.height(),
        label: format!(
            "{} over {} cycles for {}: {}",
            measure.title,
            number(transient.end),
            transient.title,
            all.join("; ")
        ),
        class: "chart",
        caption: Vec::new(),
        body,
    })
}

/// Where the windows open, each cycle once.
fn starts(transient: &Transient) -> Vec<f64> {
    let mut starts: Vec<f64> = transient
        .responses
        .iter()
        .map(|response| response.window_start)
        .collect();
    starts.sort_by(f64::total_cmp);
    starts.dedup();
    starts
}

/// The cycles of all switches, in ascending order, each with the names and styles of the curves that switch there; with none
/// where all do that switch at all.
fn switches<'a>(
    curves: impl Iterator<Item = (&'a Response, &'a str, usize)>,
) -> Vec<(f64, Vec<(&'a str, usize)>)> {
    let mut switches: Vec<(f64, Vec<(&str, usize)>)> = Vec::new();
    let mut switching = 0;
    for (response, name, style) in curves {
        switching += usize::from(!response.switches.is_empty());
        for &at in &response.switches {
            match switches.iter_mut().find(|(known, _)| *known == at) {
                Some((_, of)) => of.push((name, style)),
                None => switches.push((at, vec![(name, style)])),
            }
        }
    }
    switches.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    for (_, of) in &mut switches {
        if of.len() == switching {
            of.clear();
        }
    }
    switches
}

/// The line of a switch: that of a single curve has its colour and is hidden with it.
fn switch(at: f64, (top, bottom): (f64, f64), of: &[(&str, usize)]) -> String {
    let names = of.iter().map(|(name, _)| format!("\n{name}"));
    let told = match of.is_empty() {
        true => String::new(),
        false => tip(&format!("switches{}", names.collect::<String>())),
    };
    match of {
        [(_, style)] => {
            let class = format!("rule s{}", style % palette::SERIES);
            let line = line(at, top, at, bottom, &class);
            format!("<g data-s=\"{style}\">{told}{line}</g>")
        }
        _ => format!("<g>{told}{}</g>", line(at, top, at, bottom, "rule")),
    }
}

/// A curve, with a marker where it settled or else at its end.
fn curve(
    measure: &Measure,
    response: &Response,
    (name, style): (&str, usize),
    (x, y): (&Axis, &Axis),
) -> String {
    let values = (measure.values)(response);
    let path = trace(values, response.interval, x, y);
    if path.is_empty() {
        return path;
    }
    let colour = style % palette::SERIES;
    let switch = response.switches.last().copied().unwrap_or(0.0);
    let settled = match response.settling.is_finite() {
        true => ((switch + response.settling) / response.interval) as usize,
        false => values.len(),
    };
    let is_seen = |&index: &usize| {
        let value = values.get(index);
        value.is_some_and(|value| value.is_finite() && *value <= y.max)
    };
    let mark = Some(settled).filter(is_seen);
    let mark = mark.or_else(|| (0..values.len()).rev().find(is_seen));
    let mark = mark.map_or_else(String::new, |index| {
        let at = x.at((index as f64 + 0.5) * response.interval);
        let marker = palette::marker(style, at, y.at(values[index]));
        format!("<path class=\"mark s{colour} f{colour}\" d=\"{marker}\"/>")
    });
    let text = match response.settling.is_finite() {
        true => format!("{name}\nsettled after {} cycles", number(response.settling)),
        false => name.to_owned(),
    };
    format!(
        "<g data-s=\"{style}\"><path class=\"curve s{colour}\" d=\"{path}\">{}</path>{mark}</g>",
        tip(&text)
    )
}
