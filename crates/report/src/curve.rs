//! What is drawn of one curve: band, line, tail and markers.

use super::axis::Axis;
use super::beside::Beside;
use super::chart::{Chart, Curve, Extent, Mark, State};
use super::model::Across;
use super::palette;
use super::scale::Scale;
use super::svg::{px, tip};
use super::text::{number, trim_zeros};

/// A curve of more points than about this many shows only some of them as markers.
const MOST_MARKERS: usize = 12;
/// From arrow to arrow, where several would stand at one place.
const BETWEEN_ARROWS: f64 = 9.5;

/// The area curves are drawn in.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) x: Scale,
    pub(super) y: Axis,
    /// Pixels of the left, the right and the upper edge.
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
}

impl Frame {
    fn point(&self, mark: &Mark) -> (f64, f64) {
        (self.x.at(mark.x), self.y.at(mark.y))
    }

    fn above(&self, mark: &Mark) -> bool {
        mark.y > self.y.max
    }

    /// Whether a point has no place in the frame: it is higher, or a deadlock without an end to its latency.
    fn beyond(&self, mark: &Mark) -> bool {
        self.above(mark) || !mark.y.is_finite()
    }
}

/// Whether any point of a chart that ends at `most` is beyond it, where an arrow says so.
pub(super) fn any_beyond(chart: &Chart, most: f64) -> bool {
    let beyond = |mark: &&Mark| mark.y > most || !mark.y.is_finite();
    let mut curves = chart.curves.iter();
    curves.any(|curve| visible(curve, chart).iter().any(beyond))
}

/// The points that can be drawn: saturated ones of a latency chart only where a run of
/// them begins, since how high they are says how long the run was and nothing else.
pub(super) fn visible<'a>(curve: &'a Curve, chart: &Chart) -> Vec<&'a Mark> {
    let extent = chart.extent;
    let mut out: Vec<&Mark> = Vec::new();
    for mark in curve.marks.iter().filter(|m| m.x.is_finite()) {
        let stable = mark.state == State::Stable;
        let repeated = || out.last().is_some_and(|last| last.state != State::Stable);
        // A deadlocked run may have no latency at all, yet the load it happened at counts.
        let known = mark.y.is_finite() || (!stable && extent == Extent::Latency);
        // Along an axis that is not the load, saturation does not begin but come and go.
        let all = extent == Extent::Everything || chart.across != Across::Load;
        if known && (stable || all || !repeated()) {
            out.push(mark);
        }
    }
    out
}

/// The confidence band of a curve.
pub(super) fn band(curve: &Curve, frame: &Frame, chart: &Chart) -> String {
    let marks = visible(curve, chart);
    let mut out = String::new();
    let usable = |m: &&Mark| {
        m.state == State::Stable && m.half.is_finite() && m.half > 0.0 && !frame.above(m)
    };
    for run in marks.chunk_by(|a, b| usable(a) && usable(b)) {
        if run.len() < 2 {
            continue;
        }
        let edge = |m: &Mark, sign: f64| {
            format!(
                "{} {}",
                px(frame.x.at(m.x)),
                px(frame.y.at(m.y + sign * m.half))
            )
        };
        let upper = run.iter().map(|m| edge(m, 1.0));
        let lower = run.iter().rev().map(|m| edge(m, -1.0));
        let points: Vec<String> = upper.chain(lower).collect();
        out.push_str(&format!(
            "<path class=\"band f{}\" data-s=\"{}\" d=\"M{}z\"/>",
            curve.style % palette::SERIES,
            curve.style,
            points.join("L")
        ));
    }
    out
}

/// Line, tail and markers of a curve.
///
/// `taken` holds where on the upper edge arrows are, so that those of curves which leave the frame at the
/// same load stand beside each other and all can be seen.
pub(super) fn draw(curve: &Curve, frame: &Frame, chart: &Chart, taken: &mut Vec<f64>) -> String {
    let marks = visible(curve, chart);
    let colour = curve.style % palette::SERIES;
    let shown = shown(curve.style, &marks, frame);
    let places: Vec<(f64, f64)> = (marks.iter().zip(&shown))
        .map(|(mark, shown)| match (frame.beyond(mark), shown) {
            (false, _) => frame.point(mark),
            (true, false) => (frame.x.at(mark.x), frame.top),
            (true, true) => (free(frame.x.at(mark.x), frame, taken), frame.top),
        })
        .collect();
    let (mut solid, mut dotted) = (String::new(), String::new());
    let mut pen: Option<(f64, f64)> = None;
    for (i, pair) in marks.windows(2).enumerate() {
        let (a, b) = (pair[0], pair[1]);
        let tail = b.state != State::Stable || a.state != State::Stable;
        if tail {
            pen = None;
            let leads = chart.extent == Extent::Everything || a.state == State::Stable;
            if leads && !frame.beyond(a) {
                let (start, end) = (places[i], places[i + 1]);
                dotted.push_str(&format!(
                    "M{} {}L{} {}",
                    px(start.0),
                    px(start.1),
                    px(end.0),
                    px(end.1)
                ));
            }
        } else if let Some((start, end)) = clipped(a, b, frame) {
            if pen != Some(start) {
                solid.push_str(&format!("M{} {}", px(start.0), px(start.1)));
            }
            solid.push_str(&format!("L{} {}", px(end.0), px(end.1)));
            pen = Some(end);
        }
    }
    let mut out = format!("<g data-s=\"{}\">", curve.style);
    if !solid.is_empty() {
        out.push_str(&format!("<path class=\"curve s{colour}\" d=\"{solid}\"/>"));
    }
    if !dotted.is_empty() {
        out.push_str(&format!("<path class=\"tail s{colour}\" d=\"{dotted}\"/>"));
    }
    for ((mark, place), shown) in marks.iter().zip(places).zip(shown) {
        out.push_str(&marker(curve, mark, place, shown, chart, frame));
    }
    out.push_str("</g>");
    out
}

/// Which of the points have markers that are always seen.
///
/// Ends of runs and where a curve leaves the frame are what a reader looks for, so they are among them.
fn shown(style: usize, marks: &[&Mark], frame: &Frame) -> Vec<bool> {
    let step = marks.len().div_ceil(MOST_MARKERS).max(1);
    let alike = |a: &Mark, b: &Mark| a.state == b.state && frame.beyond(a) == frame.beyond(b);
    let place = |i: usize| {
        let next = marks.get(i + 1).is_some_and(|next| alike(marks[i], next));
        let last = i == 0 || alike(marks[i], marks[i - 1]);
        !next || !last || (i + style).is_multiple_of(step)
    };
    (0..marks.len()).map(place).collect()
}

/// The place nearest to `x` on the upper edge where no other arrow is. What is beside its load is told by its tip;
/// what were below the edge would be a latency that was not measured.
fn free(x: f64, frame: &Frame, taken: &mut Vec<f64>) -> f64 {
    let steps = (0..=taken.len()).flat_map(|step| [step as f64, -(step as f64)]);
    let mut places = steps.map(|step| x + step * BETWEEN_ARROWS);
    let is_free = |place: &f64| {
        let inside = frame.left <= *place && *place <= frame.right;
        inside && (taken.iter()).all(|other| (other - place).abs() > BETWEEN_ARROWS - 1.0)
    };
    // More arrows than the edge has room for lie on each other.
    let place = places.find(is_free).unwrap_or(x);
    taken.push(place);
    place
}

/// Outline of an arrow across the upper edge: what it stands for is higher.
fn arrow(x: f64, y: f64) -> String {
    format!("M{} {}l4 6h-2.3v5h-3.4v-5h-2.3z", px(x), px(y - 6.0))
}

/// The load at which a curve saturates, if it was searched for: a tick that rises from the axis.
pub(super) fn saturation(curve: &Curve, frame: &Frame) -> String {
    let Some(load) = curve.saturation else {
        return String::new();
    };
    let (x, bottom) = (frame.x.at(load), frame.y.at(0.0));
    let text = format!("{}\nsaturates at load {}", curve.label, number(load));
    format!(
        "<g data-s=\"{}\"><path class=\"limit s{colour} f{colour}\" d=\"M{x} {bottom}V{top}m-4.5 0h9l-4.5 6z\">{}</path></g>",
        curve.style,
        tip(&text),
        colour = curve.style % palette::SERIES,
        x = px(x),
        bottom = px(bottom),
        top = px(bottom - 20.0),
    )
}

/// A figure in another unit, where there is one and it is known.
fn in_brackets(unit: Option<Beside>, value: f64) -> String {
    match unit.filter(|_| value.is_finite()) {
        Some(unit) => format!(" ({})", unit.words(value)),
        None => String::new(),
    }
}

/// The part of the segment from `a` to `b` below the upper edge.
fn clipped(a: &Mark, b: &Mark, frame: &Frame) -> Option<((f64, f64), (f64, f64))> {
    let crossing = || {
        let part = (frame.y.max - a.y) / (b.y - a.y);
        (frame.x.at(a.x + part * (b.x - a.x)), frame.top)
    };
    match (frame.above(a), frame.above(b)) {
        (false, false) => Some((frame.point(a), frame.point(b))),
        (false, true) => Some((frame.point(a), crossing())),
        (true, false) => Some((crossing(), frame.point(b))),
        (true, true) => None,
    }
}

/// An interval is an estimate itself: two digits of it are enough.
fn rough(half: f64) -> String {
    let digits = (1.0 - half.log10().floor()).clamp(0.0, 9.0) as usize;
    if half < 1e5 {
        trim_zeros(&format!("{half:.digits$}"))
    } else {
        number(half)
    }
}

fn marker(
    curve: &Curve,
    mark: &Mark,
    (x, y): (f64, f64),
    shown: bool,
    chart: &Chart,
    frame: &Frame,
) -> String {
    let colour = curve.style % palette::SERIES;
    let value = match (mark.y.is_finite(), mark.half.is_finite() && mark.half > 0.0) {
        (true, true) => format!("{} \u{b1} {}", number(mark.y), rough(mark.half)),
        _ => number(mark.y),
    };
    let state = match mark.state {
        State::Stable => "",
        State::Saturated => "\nsaturated",
        State::Deadlocked => "\ndeadlocked",
    };
    let unit = if chart.unit.is_empty() {
        String::new()
    } else {
        format!(" {}", chart.unit)
    };
    let (above, beside) = chart.beside;
    let beyond = frame.beyond(mark);
    let off = if beyond && mark.y.is_finite() {
        "\nbeyond the scale"
    } else {
        ""
    };
    let text = format!(
        "{}\n{} {}{}\n{} {value}{unit}{}{state}{off}",
        curve.label,
        chart.across.name(),
        frame.x.text(mark.x),
        in_brackets(above, mark.x),
        chart.title.to_lowercase(),
        in_brackets(beside, mark.y),
    );
    let outline = match beyond {
        true => arrow(x, y),
        false => palette::marker(curve.style, x, y),
    };
    let shape = match mark.state {
        State::Stable => format!("<path class=\"mark s{colour} f{colour}\" d=\"{outline}\"/>"),
        State::Saturated => format!("<path class=\"open s{colour}\" d=\"{outline}\"/>"),
        State::Deadlocked => format!(
            "<path class=\"open s{colour}\" d=\"{outline}\"/><path class=\"dead\" d=\"M{} {}l10 10m0 -10l-10 10\"/>",
            px(x - 5.0),
            px(y - 5.0)
        ),
    };
    let class = if shown { "pt" } else { "pt ghost" };
    format!(
        "<g class=\"{class}\" data-x=\"{}\" data-y=\"{}\">{}{shape}</g>",
        px(x),
        px(y),
        tip(&text)
    )
}
