//! Line charts of a figure against the offered load or another field.
//!
//! Latency grows without limit at saturation, so a latency chart shows a few times the
//! zero-load latency and lets the curves leave the frame: a dotted tail leads to an open
//! marker at the first saturated load, and an arrow on the upper edge stands for what lies
//! beyond it, so that no marker is at a height that is not its own. What is drawn of one curve is in `curve.rs`.

use super::axis::Axis;
use super::beside::Beside;
use super::curve::{self, Frame};
use super::model::Across;
use super::palette;
use super::scale::Scale;
use super::svg::{Figure, heading, label, line, px};
use super::text::{cut, cut_at, shorten, width};

const WIDTH: f64 = 480.0;
const TOP: f64 = 34.0;
const PLOT_HEIGHT: f64 = 252.0;
/// Half of the last tick's text lies beyond the axis.
const RIGHT: f64 = 26.0;
const LEGEND_ROW: f64 = 19.0;
/// A scale above the frame.
const ABOVE: f64 = 22.0;
/// What arrows across the upper edge say.
pub(super) const BEYOND: &str = "Arrows at the upper edge are points beyond the scale, side by side where several are at one place";

/// How a measured point ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Stable,
    Saturated,
    Deadlocked,
}

/// One point of a curve.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    pub(super) x: f64,
    pub(super) y: f64,
    /// Half-width of the confidence interval of `y`; NaN when unknown.
    pub(super) half: f64,
    pub(super) state: State,
}

/// One curve, its points in ascending order of `x`.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    pub(super) label: String,
    /// Number of the colour and marker.
    pub(super) style: usize,
    pub(super) marks: Vec<Mark>,
    /// Where the load saturates, to be marked on a horizontal axis of loads.
    pub(super) saturation: Option<f64>,
}

/// How the y axis ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// At the largest value.
    Everything,
    /// At a few times the zero-load value; saturated points are not measurements.
    Latency,
}

/// A line chart.
#[derive(Debug, Clone)]
pub(super) struct Chart {
    /// What is compared, above the chart of a stand-alone file; may be empty.
    pub(super) heading: String,
    pub(super) title: String,
    pub(super) unit: String,
    pub(super) x_name: String,
    /// Units of second scales, above and at the right.
    pub(super) beside: (Option<Beside>, Option<Beside>),
    /// What the curves are drawn against.
    pub(super) across: Across,
    pub(super) extent: Extent,
    /// Draws the line on which y equals x.
    pub(super) diagonal: bool,
    pub(super) curves: Vec<Curve>,
}

impl Chart {
    /// Draws the chart; with `legend`, names the curves below it and the comparison above.
    pub(super) fn draw(&self, legend: bool) -> Figure {
        let names = self.curves.iter().map(|c| (c.style, c.label.as_str()));
        let names: Vec<(usize, &str)> = names.filter(|_| legend).collect();
        let legend_rows = Legend::new(&names, WIDTH);
        let shift = if legend && !self.heading.is_empty() {
            22.0
        } else {
            0.0
        };
        let above = self.beside.0.map_or(0.0, |_| ABOVE);
        let (top, bottom) = (TOP + shift + above, TOP + shift + above + PLOT_HEIGHT);
        let y = self.y_axis(bottom, top);
        let left = (y.text_room() + 11.0).max(40.0);
        let y_beside = self.beside.1.map(|unit| unit.axis(&y, 5));
        let room = y_beside
            .as_ref()
            .map_or(0.0, |axis| axis.text_room() + 11.0);
        let right = WIDTH - RIGHT.max(room);
        let x = Scale::new(&self.across, &self.xs(), left, right);
        let x_beside = self.beside.0.zip(x.linear());
        let x_beside = x_beside.map(|(unit, axis)| unit.axis(axis, 5));
        let frame = Frame {
            x,
            y,
            left,
            right,
            top,
        };

        let mut body = String::new();
        if shift > 0.0 {
            body.push_str(&label(
                14.0,
                20.0,
                "title",
                &shorten(&self.heading, 13.5, WIDTH - 28.0),
            ));
        }
        body.push_str(&heading(
            14.0,
            18.0 + shift,
            WIDTH - 28.0,
            &self.title,
            &also(&self.unit, "right", self.beside.1),
        ));
        body.push_str(&frame.y.draw_left(left, right));
        let x_name = also(&self.x_name, "top", self.beside.0);
        body.push_str(&frame.x.draw_bottom(top, bottom, &x_name));
        let beside = x_beside.map(|axis| axis.draw_top(top));
        body.extend(beside);
        body.extend(y_beside.map(|axis| axis.draw_right(right)));
        if self.diagonal {
            let end = frame.x.max().min(frame.y.max);
            body.push_str(&line(
                left,
                bottom,
                frame.x.at(end),
                frame.y.at(end),
                "ideal",
            ));
        }
        body.push_str(&self.draw_curves(&frame));
        if self
            .curves
            .iter()
            .all(|c| c.marks.iter().all(|m| !m.x.is_finite() || !m.y.is_finite()))
        {
            let middle = ((left + right) / 2.0, (top + bottom) / 2.0);
            body.push_str(&label(middle.0, middle.1, "mid muted", "no points yet"));
        }
        let below = bottom + frame.x.room_below();
        body.push_str(&legend_rows.draw(below));
        Figure {
            width: WIDTH,
            height: below + 44.0 + legend_rows.height(),
            label: self.description(),
            class: "chart",
            caption: self.caption(),
            body,
        }
    }

    /// Whether any point lies beyond the vertical scale.
    pub(super) fn leaves(&self) -> bool {
        curve::any_beyond(self, self.y_axis(1.0, 0.0).max)
    }

    fn y_axis(&self, bottom: f64, top: f64) -> Axis {
        Axis::new(self.y_max(), 5, bottom, top)
    }

    fn caption(&self) -> Vec<String> {
        let words = self.leaves().then(|| format!("{BEYOND}."));
        words.into_iter().collect()
    }

    fn draw_curves(&self, frame: &Frame) -> String {
        let mut taken = Vec::new();
        let bands: String = self
            .curves
            .iter()
            .map(|c| curve::band(c, frame, self))
            .collect();
        let curves: String = self
            .curves
            .iter()
            .map(|c| curve::draw(c, frame, self, &mut taken))
            .collect();
        let saturations: String = self
            .curves
            .iter()
            .map(|c| curve::saturation(c, frame))
            .collect();
        bands + &curves + &saturations
    }

    fn description(&self) -> String {
        let names: Vec<&str> = self.curves.iter().map(|c| c.label.as_str()).collect();
        let place = if self.heading.is_empty() {
            String::new()
        } else {
            format!(" for {}", self.heading)
        };
        format!(
            "{} against {}{place}: {}",
            self.title,
            self.x_name,
            names.join("; ")
        )
    }

    /// All places on the horizontal axis that must be on it.
    fn xs(&self) -> Vec<f64> {
        let marks = self.curves.iter().flat_map(|c| c.marks.iter().map(|m| m.x));
        let saturations = self.curves.iter().filter_map(|c| c.saturation);
        marks.chain(saturations).collect()
    }

    fn y_max(&self) -> f64 {
        let top = |m: &&Mark| {
            if m.half.is_finite() {
                m.y + m.half
            } else {
                m.y
            }
        };
        let visible = self.curves.iter().flat_map(|c| curve::visible(c, self));
        let marks: Vec<&Mark> = visible.filter(|m| m.y.is_finite()).collect();
        let highest = |state: fn(State) -> bool| {
            marks
                .iter()
                .filter(|m| state(m.state))
                .map(top)
                .filter(|y| y.is_finite())
                .fold(0.0, f64::max)
        };
        if self.extent == Extent::Everything {
            return highest(|_| true) * 1.04;
        }
        // Without a stable point there is no zero-load latency to go by.
        if !marks.iter().any(|m| m.state == State::Stable) {
            return highest(|_| true) * 1.1;
        }
        // Room above the last stable point lets a tail be seen rising.
        let room = if marks.iter().any(|m| m.state != State::Stable) {
            1.25
        } else {
            1.06
        };
        let of_stable = highest(|s| s == State::Stable) * room;
        // Only towards saturation do latencies of runs that kept up grow without a limit.
        if self.across != Across::Load {
            return of_stable;
        }
        let firsts = || {
            self.curves.iter().filter_map(|c| {
                c.marks
                    .iter()
                    .find(|m| m.y.is_finite() && m.state == State::Stable)
                    .map(|m| m.y)
            })
        };
        let least = firsts().fold(f64::INFINITY, f64::min);
        let most = firsts().fold(0.0, f64::max);
        of_stable.min((6.0 * least).max(2.5 * most))
    }
}

/// Names of curves below a chart, in rows of (left edge, style, text).
pub(super) struct Legend(Vec<Vec<(f64, usize, String)>>);

impl Legend {
    /// Places the names of curves of these styles in rows as wide as the chart.
    pub(super) fn new(names: &[(usize, &str)], room: f64) -> Self {
        let mut rows: Vec<Vec<(f64, usize, String)>> = Vec::new();
        let mut at = f64::INFINITY;
        let texts: Vec<&str> = names.iter().map(|(_, name)| *name).collect();
        let share = cut(&texts, 12.0, room - 64.0);
        for (style, name) in names {
            let text = cut_at(share, name, 12.0, room - 64.0);
            let wide = 36.0 + width(&text, 12.0) + 16.0;
            if at + wide > room {
                rows.push(Vec::new());
                at = 14.0;
            }
            if let Some(row) = rows.last_mut() {
                row.push((at, *style, text));
            }
            at += wide;
        }
        Self(rows)
    }

    /// The rows, below the frame that ends here and its axis.
    pub(super) fn draw(&self, bottom: f64) -> String {
        let mut out = String::new();
        for (i, row) in self.0.iter().enumerate() {
            let y = bottom + 54.0 + i as f64 * LEGEND_ROW;
            for (at, style, text) in row {
                out.push_str(&format!(
                    "<g transform=\"translate({} {})\">{}</g>",
                    px(*at),
                    px(y - 10.0),
                    key(*style)
                ));
                out.push_str(&label(at + 36.0, y, "", text));
            }
        }
        out
    }

    /// The room that they take.
    pub(super) fn height(&self) -> f64 {
        match self.0.len() {
            0 => 0.0,
            rows => rows as f64 * LEGEND_ROW + 8.0,
        }
    }
}

/// What an axis shows, and what the scale on its other side does.
fn also(name: &str, side: &str, beside: Option<Beside>) -> String {
    match beside {
        None => name.to_owned(),
        Some(Beside { unit, .. }) => format!("{name}; {side}: {unit}"),
    }
}

/// The sample of a curve for a legend, 30 by 12 pixels.
pub(super) fn key(style: usize) -> String {
    let s = style % palette::SERIES;
    format!(
        "<path class=\"curve s{s}\" d=\"M0 6H30\"/><path class=\"mark s{s} f{s}\" d=\"{}\"/>",
        palette::marker(style, 15.0, 6.0)
    )
}
