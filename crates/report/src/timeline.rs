//! The section on time lines: what the ranks of a program did, and the critical path through them, in a figure and in tables.

use super::beside::Units;
use super::detailed::PointDetails;
use super::model::Report;
use super::text::{UNKNOWN, count, escape, number};
use super::timeline_figure::figure;

/// What the ranks of a program did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Timeline {
    /// What time is counted in: `cycle` or `ns`.
    pub unit: &'static str,
    /// When the last thing happened.
    pub end: f64,
    /// The time of a column.
    pub column: f64,
    /// What a cycle is in other units.
    pub units: Units,
    /// The rows, from above; the last one may stand for many ranks.
    pub rows: Vec<TimelineRow>,
    /// The critical path from its beginning.
    pub path: Vec<PathStretch>,
    /// Steps of the critical path.
    pub steps: u64,
    /// What the critical path is made of: what it is, and cycles.
    pub kinds: Vec<(String, f64)>,
    /// Pairs of ranks whose messages have most of it: which, steps, cycles.
    pub pairs: Vec<(String, u64, f64)>,
    /// Ranks that others waited for longest: which, and cycles of all that waited.
    pub awaited: Vec<(String, f64)>,
}

/// A rank of a [`Timeline`], or several.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TimelineRow {
    /// Which.
    pub label: String,
    /// By column, the share of time spent computing, on messages, sending and receiving; the rest is waiting.
    pub columns: Vec<[f64; 4]>,
    /// The first column in which it did anything or waited, and the one behind the last.
    pub lives: (usize, usize),
}

/// A part of the critical path.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PathStretch {
    /// The cycle in which it begins.
    pub from: f64,
    /// The cycle in which it ends.
    pub to: f64,
    /// The number of the row at which it begins.
    pub row: usize,
    /// The one at which it ends.
    pub to_row: usize,
}

/// The section; empty if no point has a time line.
pub(super) fn section(report: &Report) -> String {
    let points = report.details.iter();
    let shown: String = points.filter_map(draw).collect();
    match shown.is_empty() {
        true => shown,
        false => format!(
            "<p class=\"note\">A row is a rank, and its height the time of a column. What of it is empty was spent waiting. The line is the \
             critical path: the computing and the messages of which each waited for the one before, and which together took as long \
             as the program.</p>\n{shown}"
        ),
    }
}

fn draw(point: &PointDetails) -> Option<String> {
    let timeline = point.timeline.as_ref()?;
    let drawn = figure(timeline, "")?;
    let title = match point.title.is_empty() {
        true => String::new(),
        false => format!("<h3>{}</h3>\n", escape(&point.title)),
    };
    let tables = [kinds(timeline), pairs(timeline), awaited(timeline)].concat();
    Some(format!(
        "<div class=\"panel\">\n{title}<figure class=\"card\">{}</figure>\n<div class=\"views few\">\n{tables}</div>\n</div>\n",
        drawn.inline()
    ))
}

fn cycles(timeline: &Timeline, value: f64) -> String {
    let beside = timeline.units.latency(value);
    let beside = beside.map(|words| format!(" <small>{words}</small>"));
    format!("{}{}", number(value), beside.unwrap_or_default())
}

fn share(timeline: &Timeline, value: f64) -> String {
    let share = 100.0 * value / timeline.end.max(1.0);
    match share.is_finite() {
        true => format!("{share:.1}&nbsp;%"),
        false => UNKNOWN.to_owned(),
    }
}

fn kinds(timeline: &Timeline) -> String {
    let row = |(name, time): &(String, f64)| {
        vec![
            escape(name),
            cycles(timeline, *time),
            share(timeline, *time),
        ]
    };
    let rows = timeline.kinds.iter().map(row).collect();
    let title = format!("The critical path, {} steps", count(timeline.steps));
    table(&title, &["", "Cycles", "Share"], rows)
}

fn pairs(timeline: &Timeline) -> String {
    let row = |(name, steps, time): &(String, u64, f64)| {
        vec![
            escape(name),
            count(*steps),
            cycles(timeline, *time),
            share(timeline, *time),
        ]
    };
    let rows = timeline.pairs.iter().map(row).collect();
    table(
        "Messages on it that took longest together",
        &["Ranks", "Steps", "Cycles", "Share"],
        rows,
    )
}

fn awaited(timeline: &Timeline) -> String {
    let row = |(name, time): &(String, f64)| vec![escape(name), cycles(timeline, *time)];
    let rows = timeline.awaited.iter().map(row).collect();
    table(
        "Whose messages ranks waited for longest",
        &["Rank", "Cycles of all that waited"],
        rows,
    )
}

/// A table of cells that are markup; empty without rows.
fn table(title: &str, heads: &[&str], rows: Vec<Vec<String>>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let class = |index| if index == 0 { "" } else { " class=\"n\"" };
    let heads = heads.iter().enumerate();
    let heads: String = heads
        .map(|(index, head)| format!("<th scope=\"col\"{}>{head}</th>", class(index)))
        .collect();
    let row = |cells: Vec<String>| {
        let cells = cells.into_iter().enumerate();
        let cells = cells.map(|(index, cell)| match index {
            0 => format!("<th scope=\"row\">{cell}</th>"),
            _ => format!("<td{}>{cell}</td>", class(index)),
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let rows: String = rows.into_iter().map(row).collect();
    format!(
        "<div class=\"card classes\"><p class=\"of\">{title}</p><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\">\
         <table class=\"grid\"><caption class=\"hidden\">{title}</caption>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table></div></div>\n"
    )
}
