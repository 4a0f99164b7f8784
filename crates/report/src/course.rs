//! The section on the course in time: did the network settle before it was measured?

use super::axis::Axis;
use super::detailed::{self, Course, Moment, PointDetails, titled};
use super::model::Report;
use super::svg::{Figure, heading, label, line, px, shade};
use super::text::{number, width};

const WIDTH: f64 = 560.0;
const RIGHT: f64 = 28.0;
/// Top and bottom of the frame of loads, and of that of latencies.
const LOADS: (f64, f64) = (52.0, 172.0);
const LATENCIES: (f64, f64) = (214.0, 334.0);
/// The size of text on narrow screens.
const LARGEST: f64 = 15.0;

/// The section; empty if no point has a course.
pub(super) fn section(report: &Report) -> String {
    let how = "From the first cycle to the end of the measurement window; the warm-up is shaded. \
               Latencies are those of packets created in an interval. A run that has settled is level in the window, but for \
               what follows a dashed line, where the traffic switches.";
    detailed::section(report, how, figure)
}

/// Loads and latency of a point over its cycles.
pub(super) fn figure(point: &PointDetails, about: &str) -> Option<Figure> {
    let course = &point.course;
    let known = |value: fn(&Moment) -> f64| {
        let values = course.moments.iter().map(value);
        values.filter(|value| value.is_finite()).reduce(f64::max)
    };
    let load = known(|moment| moment.injected_load.max(moment.accepted_load))?;
    let latency = known(|moment| moment.mean_latency).unwrap_or(f64::NAN);
    let loads = Axis::new(load * 1.05, 3, LOADS.1, LOADS.0);
    let latencies = Axis::new(latency * 1.05, 3, LATENCIES.1, LATENCIES.0);
    let room = loads.text_room().max(latencies.text_room());
    let left = (room + 11.0).max(40.0);
    let x = Axis::new(course.end, 5, left, WIDTH - RIGHT);

    let title = titled("Loads", about);
    let mut body = heading(14.0, 18.0, WIDTH - 28.0, &title, "flits/terminal/cycle");
    body.push_str(&heading(
        14.0,
        LATENCIES.0 - 14.0,
        WIDTH - 28.0,
        "Mean latency",
        "cycles",
    ));
    for frame in [LOADS, LATENCIES] {
        body.push_str(&shade((left, x.at(course.window_start)), frame));
    }
    body.push_str(&loads.draw_left(left, WIDTH - RIGHT));
    body.push_str(&line(left, LOADS.1, WIDTH - RIGHT, LOADS.1, "axis"));
    body.push_str(&latencies.draw_left(left, WIDTH - RIGHT));
    body.push_str(&x.draw_bottom(LATENCIES.0, LATENCIES.1, "cycle"));
    for switch in &course.switches {
        for (top, bottom) in [LOADS, LATENCIES] {
            body.push_str(&line(x.at(*switch), top, x.at(*switch), bottom, "rule"));
        }
    }
    body.push_str(&curve(course, &x, &loads, "s1", |m| m.injected_load));
    body.push_str(&curve(course, &x, &loads, "s0", |m| m.accepted_load));
    body.push_str(&curve(course, &x, &latencies, "s0", |m| m.mean_latency));
    body.push_str(&keys(left));
    Some(Figure {
        width: WIDTH,
        height: LATENCIES.1 + 44.0,
        label: format!(
            "{title}: injected and accepted load and mean latency over {} cycles, {} of them warm-up",
            number(course.end),
            number(course.window_start)
        ),
        class: "small-chart",
        caption: Vec::new(),
        body,
    })
}

/// What the colours of the upper frame mean.
fn keys(left: f64) -> String {
    let (mut out, mut at) = (String::new(), left);
    for (name, style) in [("accepted", "s0"), ("injected", "s1")] {
        let class = format!("curve {style}");
        out.push_str(&line(at, 36.0, at + 22.0, 36.0, &class));
        out.push_str(&label(at + 28.0, 40.0, "", name));
        at += 28.0 + width(name, LARGEST) + 18.0;
    }
    out
}

/// A value of every interval.
fn curve(course: &Course, x: &Axis, y: &Axis, style: &str, value: fn(&Moment) -> f64) -> String {
    let values: Vec<f64> = course.moments.iter().map(value).collect();
    let path = trace(&values, course.interval, x, y);
    match path.is_empty() {
        true => path,
        false => format!("<path class=\"curve {style}\" d=\"{path}\"/>"),
    }
}

/// A value in the middle of every interval, as path data: with gaps where it is not known, and as far as it is
/// not above the axis.
pub(super) fn trace(values: &[f64], interval: f64, x: &Axis, y: &Axis) -> String {
    let mut path = String::new();
    let mut last: Option<(f64, f64)> = None;
    for (index, &value) in values.iter().enumerate() {
        let here = ((index as f64 + 0.5) * interval, value);
        let next = value.is_finite().then_some(here);
        let crossing = |(a, b): ((f64, f64), (f64, f64))| {
            let part = (y.max - a.1) / (b.1 - a.1);
            format!("{} {}", px(x.at(a.0 + part * (b.0 - a.0))), px(y.at(y.max)))
        };
        let point = format!("{} {}", px(x.at(here.0)), px(y.at(value)));
        let is_above = |at: Option<(f64, f64)>| at.is_some_and(|at| at.1 > y.max);
        match (last, next) {
            (_, None) => {}
            (None, Some(_)) if is_above(next) => {}
            (None, Some(_)) => path.push_str(&format!("M{point}")),
            (Some(before), Some(here)) => match (is_above(last), is_above(next)) {
                (false, false) => path.push_str(&format!("L{point}")),
                (false, true) => path.push_str(&format!("L{}", crossing((before, here)))),
                (true, false) => {
                    path.push_str(&format!("M{}L{point}", crossing((before, here))));
                }
                (true, true) => {}
            },
        }
        last = next;
    }
    path
}
