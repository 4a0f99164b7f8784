//! A linear axis that starts at zero and has round ticks.

use super::svg::{label, line};
use super::text::{number, separate, width};

/// The size of text on narrow screens, where a figure is shown smaller and its text larger.
const LARGEST: f64 = 15.0;

/// Maps values to pixels and knows its ticks.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    /// Value at the end of the axis; the start is zero.
    pub(super) max: f64,
    step: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis from zero to exactly `max`, with about `ticks` steps, between two pixels.
    ///
    /// A `max` that is not a positive number gives the axis of one unit, so that an
    /// empty chart still has a frame.
    pub(super) fn new(max: f64, ticks: usize, from: f64, to: f64) -> Self {
        let max = if max.is_finite() && max > 1e-12 {
            max.min(1e300)
        } else {
            1.0
        };
        Self {
            max,
            step: nice_step(max / ticks.max(1) as f64),
            from,
            to,
        }
    }

    /// Extends the axis to the next tick.
    pub(super) fn rounded(mut self) -> Self {
        self.max = (self.max / self.step - 1e-9).ceil() * self.step;
        self
    }

    /// The same axis in a unit of which one of its own is `factor`, with about `ticks` steps.
    pub(super) fn times(&self, factor: f64, ticks: usize) -> Self {
        Self::new(self.max * factor, ticks, self.from, self.to)
    }

    /// Pixel of a value; values outside are kept at the ends.
    pub(super) fn at(&self, value: f64) -> f64 {
        let part = if value.is_finite() {
            (value / self.max).clamp(0.0, 1.0)
        } else {
            0.0
        };
        self.from + part * (self.to - self.from)
    }

    /// The ticks with their texts.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let last = (self.max / self.step + 1e-9).floor() as usize;
        (0..=last.min(50))
            .map(|i| i as f64 * self.step)
            .map(|v| (v, self.text(v)))
            .collect()
    }

    fn text(&self, value: f64) -> String {
        if self.max >= 1e7 || self.max < 1e-3 {
            return number(value);
        }
        let exact = |decimals: &usize| {
            let scaled = self.step * 10f64.powi(*decimals as i32);
            (scaled - scaled.round()).abs() < 1e-6
        };
        let decimals = (0..9).find(exact).unwrap_or(9);
        separate(&format!("{value:.decimals$}"))
    }

    /// Room the texts of a vertical axis need, on narrow screens too, where they are larger.
    pub(super) fn text_room(&self) -> f64 {
        self.ticks()
            .iter()
            .map(|(_, text)| width(text, LARGEST))
            .fold(0.0, f64::max)
    }

    /// Draws this axis at the bottom of a frame whose top is given.
    pub(super) fn draw_bottom(&self, top: f64, bottom: f64, name: &str) -> String {
        let mut out = String::new();
        for (value, text) in self.ticks() {
            let x = self.at(value);
            out.push_str(&line(x, top, x, bottom, "grid"));
            out.push_str(&label(x, bottom + 16.0, "mid muted", &text));
        }
        out.push_str(&line(self.from, bottom, self.to, bottom, "axis"));
        if !name.is_empty() {
            let middle = (self.from + self.to) / 2.0;
            out.push_str(&label(middle, bottom + 33.0, "mid muted", name));
        }
        out
    }

    /// Draws this axis at the top of a frame, which has a grid of its own.
    pub(super) fn draw_top(&self, top: f64) -> String {
        let mut out = String::new();
        for (value, text) in self.ticks() {
            let x = self.at(value);
            out.push_str(&line(x, top, x, top - 4.0, "axis"));
            out.push_str(&label(x, top - 8.0, "mid muted", &text));
        }
        out.push_str(&line(self.from, top, self.to, top, "axis"));
        out
    }

    /// Draws this axis at the right of a frame, which has a grid of its own.
    pub(super) fn draw_right(&self, right: f64) -> String {
        let mut out = String::new();
        for (value, text) in self.ticks() {
            let y = self.at(value);
            out.push_str(&line(right, y, right + 4.0, y, "axis"));
            out.push_str(&label(right + 7.0, y + 4.0, "muted", &text));
        }
        out.push_str(&line(right, self.from, right, self.to, "axis"));
        out
    }

    /// Draws this axis at the left of a frame.
    pub(super) fn draw_left(&self, left: f64, right: f64) -> String {
        let mut out = String::new();
        for (value, text) in self.ticks() {
            let y = self.at(value);
            out.push_str(&line(left, y, right, y, "grid"));
            out.push_str(&label(left - 7.0, y + 4.0, "end muted", &text));
        }
        out
    }
}

/// The smallest of 1, 2, 2.5 and 5 times a power of ten that is not less than `least`.
fn nice_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= least * (1.0 - 1e-9))
        .unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(max: f64, ticks: usize) -> Vec<String> {
        Axis::new(max, ticks, 0.0, 100.0)
            .ticks()
            .into_iter()
            .map(|t| t.1)
            .collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(
            texts(0.6, 6),
            ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6"]
        );
        assert_eq!(texts(250.0, 5), ["0", "50", "100", "150", "200", "250"]);
        assert_eq!(texts(7.0, 4), ["0", "2", "4", "6"]);
        assert_eq!(texts(12_000.0, 3), ["0", "5,000", "10,000"]);
        assert_eq!(texts(1.0, 4), ["0.00", "0.25", "0.50", "0.75", "1.00"]);
    }

    #[test]
    fn any_maximum_gives_few_finite_ticks() {
        for max in [
            0.0,
            -1.0,
            f64::NAN,
            f64::INFINITY,
            1e-300,
            1e-9,
            3e-5,
            1.0,
            1e9,
            1e299,
            f64::MAX,
        ] {
            let axis = Axis::new(max, 5, 0.0, 100.0).rounded();
            let ticks = axis.ticks();
            assert!((2..=13).contains(&ticks.len()), "{max}: {ticks:?}");
            assert!(
                ticks
                    .iter()
                    .all(|(v, t)| v.is_finite() && !t.contains("NaN")),
                "{max}"
            );
            assert!(axis.at(f64::NAN).is_finite() && axis.at(1e308) <= 100.0);
        }
    }
}
