//! The section on latencies: how many packets took how long.

use super::axis::Axis;
use super::detailed::{self, PointDetails, selection, titled};
use super::model::Report;
use super::scale::Scale;
use super::svg::{Figure, heading, label, line, px, tip};
use super::text::{count, number, width};

const WIDTH: f64 = 560.0;
const TOP: f64 = 84.0;
const BOTTOM: f64 = 290.0;
const RIGHT: f64 = 28.0;
/// Largest over smallest latency from which the axis is logarithmic.
const DECADE: f64 = 10.0;
/// The width of a range of a logarithmic axis that shares are given for.
const RANGE: f64 = 1.01;
/// The size of text on narrow screens.
const LARGEST: f64 = 15.0;

/// The section; empty if no point has a histogram.
pub(super) fn section(report: &Report) -> String {
    let how = "Latencies of the packets of the measurement window. Equal areas are equal numbers of packets; \
               dashed lines mark the median and the latencies that 99 % and 99.9 % of the packets stay within.";
    let section = detailed::section(report, how, figure);
    match section.is_empty() {
        true => section,
        false => selection(report) + &section,
    }
}

/// The histogram of a point.
pub(super) fn figure(point: &PointDetails, about: &str) -> Option<Figure> {
    let histogram = &point.latencies;
    let (first, last) = (histogram.bins.first()?, histogram.bins.last()?);
    // Each bin from half a cycle below to half a cycle above, so that neighbours touch.
    let edges = |from: u64, to: u64| (from as f64 - 0.5, to as f64 + 0.5);
    let (low, high) = (edges(first.0, first.1).0.max(0.5), edges(last.0, last.1).1);
    let is_logarithmic = high > DECADE * low;
    let total: u64 = histogram.bins.iter().map(|bin| bin.2).sum();
    let share = |packets: u64| 100.0 * packets as f64 / total.max(1) as f64;
    let density = |&(from, to, packets): &(u64, u64, u64)| {
        let (from, to) = edges(from, to);
        match is_logarithmic {
            true => share(packets) * RANGE.ln() / (to / from.max(0.5)).ln(),
            false => share(packets) / (to - from),
        }
    };
    let tallest = histogram.bins.iter().map(density).fold(0.0, f64::max);
    let y = Axis::new(tallest * 1.05, 4, BOTTOM, TOP);
    let left = (y.text_room() + 11.0).max(40.0);
    let (from, to) = (left, WIDTH - RIGHT);
    let x = match is_logarithmic {
        true => Scale::Decades {
            with_zero: false,
            low,
            high,
            from,
            to,
        },
        false => Scale::Linear(Axis::new(high, 6, from, to)),
    };
    let title = titled("Latencies", about);
    let unit = match is_logarithmic {
        true => "% of packets per 1 % of latency",
        false => "% of packets per cycle",
    };
    let mut body = heading(14.0, 18.0, WIDTH - 28.0, &title, unit);
    body.push_str(&y.draw_left(left, to));
    body.push_str(&x.draw_bottom(TOP, BOTTOM, "packet latency [cycles]"));
    for bin in &histogram.bins {
        let (a, b) = edges(bin.0, bin.1);
        let (a, b, top) = (x.at(a.max(0.0)), x.at(b), y.at(density(bin)));
        let cycles = match bin.0 == bin.1 {
            true => format!("{} cycles", count(bin.0)),
            false => format!("{} to {} cycles", count(bin.0), count(bin.1)),
        };
        let packets = format!(
            "{cycles}: {} packets ({} %)",
            count(bin.2),
            number(share(bin.2))
        );
        body.push_str(&format!(
            "<rect class=\"bar\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">{}</rect>",
            px(a),
            px(top),
            px((b - a).max(0.3)),
            px(BOTTOM - top),
            tip(&packets)
        ));
    }
    body.push_str(&marks(&histogram.marks, &x, (from, to)));
    let told: Vec<String> = histogram
        .marks
        .iter()
        .filter(|mark| mark.1.is_finite())
        .map(|(name, cycles)| format!("{name} {}", number(*cycles)))
        .collect();
    Some(Figure {
        width: WIDTH,
        height: BOTTOM + 44.0,
        label: format!("{title}: {} cycles", told.join(", ")),
        class: "small-chart",
        caption: Vec::new(),
        body,
    })
}

/// Lines with their names above the frame, each lower than that of the next larger latency.
fn marks(marks: &[(&'static str, f64)], x: &Scale, (from, to): (f64, f64)) -> String {
    let known: Vec<_> = marks.iter().filter(|mark| mark.1.is_finite()).collect();
    let (mut lines, mut names) = (String::new(), String::new());
    for (index, (name, cycles)) in known.iter().enumerate() {
        let (at, base) = (x.at(*cycles), TOP - 6.0 - 17.0 * index as f64);
        lines.push_str(&line(at, base + 3.0, at, BOTTOM, "rule"));
        let text = format!("{name} {}", number(*cycles));
        let room = width(&text, LARGEST);
        let place = match at - room > from {
            true => label(at - 4.0, base, "end halo", &text),
            false => label((at + 4.0).min(to - room), base, "halo", &text),
        };
        names.push_str(&place);
    }
    lines + &names
}
