//! A linear axis that starts at zero, or below it if there are negative values, and has round ticks.

use super::svg::{label, line};
use super::text::{number, separate, width};

/// The size of text on narrow screens, where a figure is shown smaller and its text larger.
const LARGEST: f64 = 15.0;

/// Maps values to pixels and knows its ticks.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    /// Value at the end of the axis.
    pub(super) max: f64,
    /// Value at its start, zero or less.
    min: f64,
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
            min: 0.0,
            step: nice_step(max / ticks.max(1) as f64),
            from,
            to,
        }
    }

    /// An axis from the tick below `least`, if that is negative, to the tick above `most`.
    pub(super) fn spanning(least: f64, most: f64, ticks: usize, from: f64, to: f64) -> Self {
        if !(least.is_finite() && least < 0.0) {
            return Self::new(most, ticks, from, to).rounded();
        }
        let (least, most) = (least.max(-1e300), most.clamp(0.0, 1e300));
        let span = Self::new(most - least, ticks, from, to);
        Self {
            max: most,
            min: (least / span.step + 1e-9).floor() * span.step,
            ..span
        }
        .rounded()
    }

    /// Extends the axis to the next tick.
    pub(super) fn rounded(mut self) -> Self {
        self.max = (self.max / self.step - 1e-9).ceil() * self.step;
        self
    }

    /// The same axis in a unit of which one of its own is `factor`, with about `ticks` steps.
    pub(super) fn times(&self, factor: f64, ticks: usize) -> Self {
        Self {
            max: self.max * factor,
            min: self.min * factor,
            ..Self::new((self.max - self.min) * factor, ticks, self.from, self.to)
        }
    }

    /// Pixel of a value; values outside are kept at the ends.
    pub(super) fn at(&self, value: f64) -> f64 {
        let part = if value.is_finite() {
            ((value - self.min) / (self.max - self.min)).clamp(0.0, 1.0)
        } else {
            0.0
        };
        self.from + part * (self.to - self.from)
    }

    /// The ticks with their texts.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let first = (self.min / self.step - 1e-9).ceil() as i64;
        let last = (self.max / self.step + 1e-9).floor() as i64;
        (first..=last.min(first + 50))
            .map(|i| i as f64 * self.step)
            .map(|v| (v, self.text(v)))
            .collect()
    }

    fn text(&self, value: f64) -> String {
        let largest = self.max.max(-self.min);
        if !(1e-3..1e7).contains(&largest) {
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
    fn negative_values_have_their_places() {
        let axis = Axis::spanning(-2.0, 2.0, 6, 0.0, 100.0);
        assert_eq!(
            [-2.0, -1.0, 0.0, 2.0].map(|at| axis.at(at)),
            [0.0, 25.0, 50.0, 100.0]
        );
        let halves = axis.times(0.5, 2).ticks();
        assert_eq!(halves.first().map(|tick| tick.0), Some(-1.0));
        let texts = |least, most| {
            let ticks = Axis::spanning(least, most, 5, 0.0, 100.0).ticks();
            ticks.into_iter().map(|tick| tick.1).collect::<Vec<_>>()
        };
        assert_eq!(
            texts(-100.0, 1000.0),
            ["-250", "0", "250", "500", "750", "1,000"]
        );
        assert_eq!(texts(-3.0, -1.0), ["-3", "-2", "-1", "0"]);
        assert_eq!(texts(0.0, 4.0), ["0", "1", "2", "3", "4"]);
        for (least, most) in [
            (f64::NAN, 1.0),
            (-1e308, 1e308),
            (-1e-9, 0.0),
            (f64::INFINITY, 0.0),
        ] {
            let axis = Axis::spanning(least, most, 5, 0.0, 100.0);
            assert!((2..=13).contains(&axis.ticks().len()), "{least} to {most}");
        }
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
