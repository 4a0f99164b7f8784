//! What is shown of single points beyond their rows: the values, and what its sections share.

use super::model::{Picture, Report};
use super::svg::Figure;
use super::text::escape;
use super::timeline::Timeline;

/// Details of one point; what was not kept or does not apply is empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PointDetails {
    /// Curve, load and panel of the point.
    pub title: String,
    /// Packets of the window by latency.
    pub latencies: LatencyHistogram,
    /// What happened in intervals of warm-up and window.
    pub course: Course,
    /// Accepted flits per cycle of every terminal that sent anything, in any order.
    pub terminals: Vec<f64>,
    /// The fairness of these; NaN if unknown.
    pub fairness: f64,
    /// Flits per cycle of every router-to-router channel, in any order.
    pub channels: Vec<f64>,
    /// The network coloured by them.
    pub picture: Option<Picture>,
    /// What the ranks of its program did, if that was kept.
    pub timeline: Option<Timeline>,
    /// Classes of traffic, if there are several.
    pub classes: Vec<ClassFigures>,
}

/// Packets by latency.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LatencyHistogram {
    /// (least latency, largest latency, packets), in ascending order, without empty bins.
    pub bins: Vec<(u64, u64, u64)>,
    /// Latencies to be marked, in ascending order: what they are called, and cycles.
    pub marks: Vec<(&'static str, f64)>,
}

/// What happened over time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Course {
    /// The cycle in which the measurement window opened.
    pub window_start: f64,
    /// The cycle in which it closed.
    pub end: f64,
    /// The cycles in which the traffic switched.
    pub switches: Vec<f64>,
    /// Cycles of an interval.
    pub interval: f64,
    /// The intervals from cycle 0 on, as far as they lie before the end.
    pub moments: Vec<Moment>,
}

/// One interval of a [`Course`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Moment {
    /// Flits per terminal and cycle of packets created in it.
    pub injected_load: f64,
    /// Flits per terminal and cycle of packets that arrived in it.
    pub accepted_load: f64,
    /// Mean latency of the packets created in it, in cycles; NaN if none of them arrived.
    pub mean_latency: f64,
}

/// What was measured of one class of traffic; what was not is NaN.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClassFigures {
    /// The class's name.
    pub name: String,
    /// Flits per terminal and cycle of created packets.
    pub injected_load: f64,
    /// Flits per terminal and cycle that arrived.
    pub accepted_load: f64,
    /// Mean packet latency in cycles.
    pub mean_latency: f64,
    /// 99th percentile of the packet latency.
    pub latency_p99: f64,
}

/// The name of a figure; a file of its own also says what it is about.
pub(super) fn titled(title: &str, about: &str) -> String {
    match about.is_empty() {
        true => title.to_owned(),
        false => format!("{title}: {about}"),
    }
}

/// What a section shows of one point: a card under the point's name.
pub(super) fn card(point: &PointDetails, class: &str, figure: &Figure) -> String {
    card_with(point, class, figure, "")
}

/// The same with data for the page's script.
pub(super) fn card_with(point: &PointDetails, class: &str, figure: &Figure, data: &str) -> String {
    let caption = match figure.caption.is_empty() {
        true => String::new(),
        false => {
            let words = escape(&figure.caption.join(" "));
            format!("<figcaption>{words}</figcaption>")
        }
    };
    let heading = match point.title.is_empty() {
        true => String::new(),
        false => format!("<p class=\"of\">{}</p>", escape(&point.title)),
    };
    format!(
        "<figure class=\"card {class}\">{heading}{}{caption}{data}</figure>\n",
        figure.inline()
    )
}

/// A section with a figure for each point that has one, under a sentence on how to read them.
pub(super) fn section(
    report: &Report,
    how: &str,
    figure: fn(&PointDetails, &str) -> Option<Figure>,
) -> String {
    let points = report.details.iter();
    let cards: String = points
        .filter_map(|point| Some(card(point, "", &figure(point, "")?)))
        .collect();
    match cards.is_empty() {
        true => cards,
        false => format!("<p class=\"note\">{how}</p>\n<div class=\"views few\">\n{cards}</div>\n"),
    }
}

/// Which points are shown; said once, by the first section that shows them.
pub(super) fn selection(report: &Report) -> String {
    match report.details_note.is_empty() {
        true => String::new(),
        false => format!("<p class=\"note\">{}</p>\n", escape(&report.details_note)),
    }
}
