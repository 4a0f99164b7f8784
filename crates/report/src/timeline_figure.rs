//! The figure of a time line: a row a rank, and the critical path over them.

use super::axis::Axis;
use super::detailed::titled;
use super::svg::{Figure, heading, label, px, shade, tip};
use super::text::{number, shorten, width};
use super::timeline::{Timeline, TimelineRow};

const WIDTH: f64 = 960.0;
const RIGHT: f64 = 28.0;
const TOP: f64 = 52.0;
/// Rows are as high as there is room for, within these.
const ROOM: f64 = 560.0;
const ROWS: (f64, f64) = (6.0, 22.0);
/// Labels of rows are not closer than this, and not wider than that.
const APART: f64 = 13.0;
const WIDEST: f64 = 150.0;
/// The size of text on narrow screens.
const LARGEST: f64 = 15.0;
/// Shares of a column are told in so many steps.
const STEPS: f64 = 8.0;

/// What is drawn of a column, from below, and its colour.
const STATES: [(&str, &str); 4] = [
    ("computes", "f0"),
    ("is busy with a message", "f3"),
    ("sends", "f1"),
    ("receives", "f2"),
];

/// Rows and path; nothing if there are no rows.
pub(super) fn figure(timeline: &Timeline, about: &str) -> Option<Figure> {
    if timeline.rows.is_empty() || timeline.end <= 0.0 {
        return None;
    }
    let pitch = (ROOM / timeline.rows.len() as f64).clamp(ROWS.0, ROWS.1);
    let height = if pitch > 9.0 {
        pitch - 3.0
    } else {
        pitch - 1.0
    };
    let top = |row: usize| TOP + row as f64 * pitch;
    let bottom = top(timeline.rows.len());
    let names = timeline.rows.iter().map(|row| width(&row.label, LARGEST));
    let left = (names.fold(0.0, f64::max).min(WIDEST) + 14.0).max(44.0);
    let x = Axis::new(timeline.end, 6, left, WIDTH - RIGHT);
    let title = titled("What ranks did", about);
    let mut body = heading(14.0, 18.0, WIDTH - 28.0, &title, "");
    body.push_str(&keys(left));
    body.push_str(&x.draw_bottom(TOP, bottom, timeline.unit));
    let every = (APART / pitch).ceil().max(1.0) as usize;
    let is_last = |number: usize| number + 1 == timeline.rows.len();
    for (number, row) in timeline.rows.iter().enumerate() {
        body.push_str(&draw_row(row, timeline, &x, (top(number), height)));
        let has_room = number % every == 0 && number + every <= timeline.rows.len();
        if has_room || is_last(number) {
            let name = shorten(&row.label, LARGEST, WIDEST);
            let y = top(number) + height / 2.0 + 4.0;
            body.push_str(&label(left - 6.0, y, "end small", &name));
        }
    }
    body.push_str(&path(timeline, &x, &|row| top(row) + height / 2.0));
    Some(Figure {
        width: WIDTH,
        height: bottom + 44.0,
        label: format!(
            "{title}: {} rows to {} {}, with a critical path of {} steps",
            timeline.rows.len(),
            timeline.unit,
            number(timeline.end),
            timeline.steps
        ),
        class: "timeline",
        caption: Vec::new(),
        body,
    })
}

/// The figure as a file of its own; nothing if there are no rows.
pub fn timeline_svg(timeline: &Timeline, about: &str) -> Option<String> {
    figure(timeline, about).map(|figure| figure.standalone(""))
}

/// What the colours mean.
fn keys(left: f64) -> String {
    let (mut out, mut at) = (String::new(), left);
    let square = |at: f64, class: &str| {
        format!(
            "<rect class=\"{class}\" x=\"{}\" y=\"31\" width=\"11\" height=\"11\"/>",
            px(at)
        )
    };
    let states = STATES.iter().copied().chain([("waits", "shade")]);
    for (name, class) in states {
        out.push_str(&square(at, class));
        out.push_str(&label(at + 16.0, 41.0, "", name));
        at += 16.0 + width(name, LARGEST) + 14.0;
    }
    let (from, to) = (px(at), px(at + 20.0));
    out.push_str(&format!(
        "<path class=\"critical\" d=\"M{from} 36.5L{to} 36.5\"/>"
    ));
    out.push_str(&label(at + 26.0, 41.0, "", "critical path"));
    out
}

/// A row: columns that look alike are one rectangle.
fn draw_row(row: &TimelineRow, timeline: &Timeline, x: &Axis, (top, height): (f64, f64)) -> String {
    let at = |column: usize| x.at(column as f64 * timeline.column);
    let (first, last) = row.lives;
    if first >= last {
        return String::new();
    }
    let mut body = shade((at(first), at(last)), (top, top + height));
    let levels = row.columns.iter().map(levels).collect::<Vec<_>>();
    for (state, (_, class)) in STATES.iter().enumerate() {
        let mut outline = String::new();
        let mut column = 0;
        while column < levels.len() {
            let edges = (levels[column][state], levels[column][state + 1]);
            let alike = levels[column..]
                .iter()
                .take_while(|levels| (levels[state], levels[state + 1]) == edges)
                .count();
            if edges.0 < edges.1 {
                let [low, high] =
                    [edges.0, edges.1].map(|edge| top + height * (1.0 - edge / STEPS));
                outline.push_str(&format!(
                    "M{} {}H{}V{}H{}z",
                    px(at(column)),
                    px(low),
                    px(at(column + alike)),
                    px(high),
                    px(at(column))
                ));
            }
            column += alike;
        }
        if !outline.is_empty() {
            body.push_str(&format!("<path class=\"{class}\" d=\"{outline}\"/>"));
        }
    }
    format!("<g>{}{body}</g>", tip(&row.label))
}

/// Where the states of a column begin and end, from below.
fn levels(shares: &[f64; 4]) -> [f64; 5] {
    let (mut levels, mut sum) = ([0.0; 5], 0.0);
    for (level, share) in levels[1..].iter_mut().zip(shares) {
        sum += if share.is_finite() {
            share.max(0.0)
        } else {
            0.0
        };
        *level = (sum * STEPS).round().min(STEPS);
    }
    levels
}

/// The critical path. Points that cannot be told apart are one.
fn path(timeline: &Timeline, x: &Axis, y: &dyn Fn(usize) -> f64) -> String {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for stretch in &timeline.path {
        let ends = [(stretch.from, stretch.row), (stretch.to, stretch.to_row)];
        for (time, row) in ends {
            let point = (x.at(time), y(row));
            let is_new = points.last().is_none_or(|last| {
                (last.0 - point.0).abs() > 0.4 || (last.1 - point.1).abs() > 0.4
            });
            if is_new {
                points.push(point);
            }
        }
    }
    let points: Vec<String> = points
        .iter()
        .map(|(x, y)| format!("{} {}", px(*x), px(*y)))
        .collect();
    match points.is_empty() {
        true => String::new(),
        false => {
            let d = format!("M{}", points.join("L"));
            format!("<path class=\"around\" d=\"{d}\"/><path class=\"critical\" d=\"{d}\"/>")
        }
    }
}
