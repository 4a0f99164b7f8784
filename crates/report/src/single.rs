//! What there is to say of one load: a table, and bars to compare its rows.
//!
//! Curves of one point would be empty frames.

use super::axis::Axis;
use super::beside::{Beside, CYCLES, LOADS};
use super::model::{LoadPoint, Panel, Series};
use super::svg::{Figure, heading, label, line, px, tip};
use super::text::{count, cut, cut_at, escape, number, shorten, width};

/// More bars than this are neither legible nor quick to find one's way in.
const MOST_BARS: usize = 40;
/// More rows than this are left to the table of all results.
const MOST_ROWS: usize = 200;

const WIDTH: f64 = 560.0;
/// The size of text on narrow screens.
const LARGEST: f64 = 14.0;
const TOP: f64 = 36.0;
const ROW: f64 = 19.0;
const RIGHT: f64 = 26.0;

/// Series that have been measured, with their only point and their style.
fn measured<'a>(
    panel: &'a Panel,
    styles: &'a [usize],
) -> impl Iterator<Item = (&'a Series, &'a LoadPoint, usize)> {
    let series = panel.series.iter().zip(styles);
    series.filter_map(|(series, style)| Some((series, series.points.first()?, *style)))
}

/// The bar charts of a panel, each with the beginning of its file name.
pub(super) fn figures(
    panel: &Panel,
    styles: &[usize],
    titled: bool,
) -> Vec<(&'static str, Figure)> {
    let rows: Vec<_> = measured(panel, styles).collect();
    if rows.len() < 2 || rows.len() > MOST_BARS {
        return Vec::new();
    }
    let heading = if titled { panel.title.as_str() } else { "" };
    let mut figures = Vec::new();
    let mut add = |file, title, unit, value: fn(&LoadPoint) -> f64| {
        if rows.iter().any(|(_, point, _)| value(point).is_finite()) {
            let beside = panel.units.beside(unit);
            figures.push((file, bars(&rows, heading, (title, unit, beside), value)));
        }
    };
    add("makespan", "Makespan", CYCLES, |p| p.makespan);
    add("transaction-time", "Mean transaction time", CYCLES, |p| {
        p.transaction_time
    });
    add("latency", "Mean packet latency", CYCLES, |p| p.mean_latency);
    add("message-latency", "Mean message latency", CYCLES, |p| {
        p.message_latency
    });
    add("accepted-load", "Accepted load", LOADS, |p| p.accepted_load);
    figures
}

fn bars(
    rows: &[(&Series, &LoadPoint, usize)],
    about: &str,
    (title, unit, beside): (&str, &str, Option<Beside>),
    value: fn(&LoadPoint) -> f64,
) -> Figure {
    let shift = if about.is_empty() { 0.0 } else { 22.0 };
    let (top, bottom) = (TOP + shift, TOP + shift + rows.len() as f64 * ROW + 6.0);
    let most = rows
        .iter()
        .map(|(_, point, _)| value(point))
        .filter(|v| v.is_finite());
    let names: Vec<&str> = rows
        .iter()
        .map(|(series, ..)| series.label.as_str())
        .collect();
    let widths = names.iter().map(|name| width(name, LARGEST));
    let left = widths.fold(40.0, f64::max).min(0.5 * WIDTH) + 20.0;
    let share = cut(&names, LARGEST, left - 16.0);
    // Every value stands behind its bar.
    let texts: Vec<String> = rows
        .iter()
        .map(|(_, point, _)| text(point, value, beside))
        .collect();
    let room = texts
        .iter()
        .map(|text| width(text, LARGEST))
        .fold(0.0, f64::max);
    let right = (WIDTH - RIGHT - room).max(left + 40.0);
    let x = Axis::new(most.fold(0.0, f64::max), 4, left, right);
    let mut body = String::new();
    if shift > 0.0 {
        body.push_str(&label(
            14.0,
            20.0,
            "title",
            &shorten(about, 13.5, WIDTH - 28.0),
        ));
    }
    body.push_str(&heading(14.0, 18.0 + shift, WIDTH - 28.0, title, unit));
    body.push_str(&x.draw_bottom(top, bottom, ""));
    for (index, (series, point, style)) in rows.iter().enumerate() {
        let y = top + 4.0 + index as f64 * ROW;
        let (end, text) = (x.at(value(point)), &texts[index]);
        let class = if state(point).is_empty() {
            "bar"
        } else {
            "hollow s0"
        };
        body.push_str(&format!(
            "<g data-s=\"{style}\"><rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">{}</rect>",
            px(left),
            px(y),
            px((end - left).max(0.5)),
            px(ROW - 7.0),
            tip(&format!("{}\n{}: {text}", series.label, title.to_lowercase())),
        ));
        let name = cut_at(share, &series.label, LARGEST, left - 16.0);
        body.push_str(&label(left - 7.0, y + 10.0, "end", &name));
        body.push_str(&label(end + 5.0, y + 10.0, "small halo", text));
        body.push_str("</g>");
    }
    body.push_str(&line(left, top, left, bottom, "axis"));
    Figure {
        width: WIDTH,
        height: bottom + 26.0,
        label: format!("{title} of {}", names.join("; ")),
        class: "chart",
        caption: Vec::new(),
        body,
    }
}

/// A figure, and what keeps it from being a measurement.
fn text(point: &LoadPoint, value: fn(&LoadPoint) -> f64, beside: Option<Beside>) -> String {
    let mut text = number(value(point));
    let beside = beside.filter(|_| value(point).is_finite());
    text.extend(beside.map(|unit| format!(" ({})", unit.words(value(point)))));
    match state(point) {
        "" => text,
        state => format!("{text} {state}"),
    }
}

fn state(point: &LoadPoint) -> &'static str {
    match (point.deadlocked, point.saturated) {
        (true, _) => "deadlocked",
        (false, true) => "saturated",
        (false, false) => "",
    }
}

/// Which panels have a column.
enum Of {
    All,
    Traffic,
    /// Those some point of which has a figure for it.
    Known,
}

/// A column of the table.
struct Column {
    name: &'static str,
    of: Of,
    value: fn(&LoadPoint) -> f64,
}

const fn column(name: &'static str, of: Of, value: fn(&LoadPoint) -> f64) -> Column {
    Column { name, of, value }
}

/// The column of messages that are more than packets.
const MESSAGES: &str = "Message latency";

const COLUMNS: [Column; 12] = [
    column("Makespan", Of::Known, |p| p.makespan),
    column("Transaction time", Of::Known, |p| p.transaction_time),
    column("Its 99 %", Of::Known, |p| p.transaction_time_p99),
    column("Offered load", Of::Traffic, |p| p.offered_load),
    column("Accepted load", Of::All, |p| p.accepted_load),
    column("Mean latency", Of::All, |p| p.mean_latency),
    column("Median", Of::All, |p| p.latency_p50),
    column("99 %", Of::All, |p| p.latency_p99),
    column("99.9 %", Of::All, |p| p.latency_p999),
    column(MESSAGES, Of::Known, |p| p.message_latency),
    column("Its 99 %", Of::Known, |p| p.message_latency_p99),
    column("Mean hops", Of::All, |p| p.mean_hops),
];

/// A column of the table, the unit of its figures, and where they are from.
type InUnits<Unit> = (&'static str, Unit, fn(&LoadPoint) -> f64);

/// Has any point of a panel a figure?
fn has(panel: &Panel, value: fn(&LoadPoint) -> f64) -> bool {
    let mut points = panel.series.iter().flat_map(|series| &series.points);
    points.any(|point| value(point).is_finite())
}

/// The figures that are told in other units as well.
fn in_units(panel: &Panel) -> Vec<InUnits<Beside>> {
    let columns: [InUnits<&str>; 7] = [
        ("Makespan", CYCLES, |p| p.makespan),
        ("Transaction time", CYCLES, |p| p.transaction_time),
        ("Offered", LOADS, |p| p.offered_load),
        ("Accepted", LOADS, |p| p.accepted_load),
        ("Mean latency", CYCLES, |p| p.mean_latency),
        ("99 %", CYCLES, |p| p.latency_p99),
        (MESSAGES, CYCLES, |p| p.message_latency),
    ];
    let offers = !panel.is_workload();
    let known = columns
        .into_iter()
        .filter(|(name, _, value)| has(panel, *value) && (offers || *name != "Offered"))
        .filter_map(|(name, unit, value)| Some((name, panel.units.beside(unit)?, value)));
    known.collect()
}

/// All figures of all curves, as a table.
pub(super) fn table(panel: &Panel, styles: &[usize]) -> String {
    let searched = panel
        .series
        .iter()
        .any(|series| series.saturation_load.is_some());
    let is_workload = panel.is_workload();
    let columns = COLUMNS.iter().filter(|column| match column.of {
        Of::All => true,
        Of::Known => has(panel, column.value),
        Of::Traffic => !is_workload,
    });
    let columns: Vec<&Column> = columns.collect();
    let in_units = in_units(panel);
    // Paper is too narrow for this many columns in letters of the usual size.
    let class = match columns.len() + in_units.len() > 10 {
        true => "grid sortable tight",
        false => "grid sortable",
    };
    let mut out = format!(
        "<div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"Figures of {0}\"><table class=\"{class}\">\
         <caption class=\"hidden\">Figures of {0}</caption>\n<thead><tr>",
        escape(&panel.title)
    );
    let head = |name: &str, class: &str| {
        format!(
            "<th scope=\"col\"{class}><button type=\"button\" class=\"sort\">{name}</button></th>"
        )
    };
    out.push_str(&head("Curve", ""));
    let names = columns.iter().map(|column| column.name);
    for name in names.chain(searched.then_some("Saturation load")) {
        out.push_str(&head(name, " class=\"n\""));
    }
    for (name, unit, _) in &in_units {
        out.push_str(&head(&format!("{name}, {}", unit.unit), " class=\"n\""));
    }
    out.push_str(&head("State", ""));
    out.push_str("</tr></thead>\n<tbody>\n");
    for (series, p, _) in measured(panel, styles).take(MOST_ROWS) {
        let figures = columns.iter().map(|column| (column.value)(p));
        let searched = searched.then(|| series.saturation_load.unwrap_or(f64::NAN));
        let in_units = in_units
            .iter()
            .map(|(_, unit, value)| value(p) * unit.factor);
        let cells = figures.chain(searched).chain(in_units);
        let cells: String = cells
            .map(|value| format!("<td class=\"n\">{}</td>", number(value)))
            .collect();
        let state = match state(p) {
            "" => "stable",
            other => other,
        };
        out.push_str(&format!(
            "<tr><th scope=\"row\">{}</th>{cells}<td>{state}</td></tr>\n",
            escape(&series.label)
        ));
    }
    out.push_str("</tbody></table></div>\n");
    let unmeasured = panel.series.len() - measured(panel, styles).count();
    let left_out = measured(panel, styles).count().saturating_sub(MOST_ROWS);
    if left_out > 0 {
        out.push_str(&format!(
            "<p class=\"note\">{} more rows are below, under all results.</p>\n",
            count(left_out as u64)
        ));
    }
    if unmeasured == panel.series.len() {
        return "<p class=\"note\">No points yet.</p>\n".to_owned();
    }
    out
}
