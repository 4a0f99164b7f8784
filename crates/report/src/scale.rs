//! A horizontal axis: numbers from zero, numbers over decades, or names.

use super::axis::Axis;
use super::model::Across;
use super::svg::{RISE, label, line, rising};
use super::text::{cut, cut_at, number, shorten, width};

/// Maps places on the axis of a panel to pixels.
#[derive(Debug, Clone)]
pub(super) enum Scale {
    /// From zero.
    Linear(Axis),
    /// Logarithmic, between two positive values; perhaps with a place for zero beside them.
    Decades {
        low: f64,
        high: f64,
        with_zero: bool,
        from: f64,
        to: f64,
    },
    /// Names side by side; the place of a value is its index.
    Names {
        names: Vec<String>,
        from: f64,
        to: f64,
    },
}

/// The longest name that is written at an angle, the least room between two of these, and how large letters are on narrow screens.
const MOST_RISING: f64 = 130.0;
const BETWEEN_RISING: f64 = 15.0;
const LARGE: f64 = 14.0;
/// Where zero and where decades begin beside it, as shares of the axis.
const ZERO: f64 = 0.03;
const BESIDE_ZERO: f64 = 0.14;

impl Scale {
    /// The axis for these values between two pixels.
    pub(super) fn new(across: &Across, values: &[f64], from: f64, to: f64) -> Self {
        let known = || values.iter().copied().filter(|value| value.is_finite());
        let most = known().fold(0.0, f64::max);
        let least = known().fold(f64::INFINITY, f64::min);
        let positive = known().filter(|&value| value > 0.0);
        let least_positive = positive.fold(f64::INFINITY, f64::min);
        match across {
            Across::Names { values, .. } => Self::Names {
                names: values.clone(),
                from,
                to,
            },
            Across::Numbers {
                logarithmic: true, ..
            } if least >= 0.0 && least_positive < most => {
                // A little room keeps the outermost markers off the frame.
                Self::Decades {
                    low: least_positive / 1.15,
                    high: most * 1.15,
                    with_zero: least == 0.0,
                    from,
                    to,
                }
            }
            _ => Self::Linear(Axis::spanning(least, most, 6, from, to)),
        }
    }

    /// Pixel of a value.
    pub(super) fn at(&self, value: f64) -> f64 {
        match self {
            Self::Linear(axis) => axis.at(value),
            Self::Decades {
                low,
                high,
                with_zero,
                from,
                to,
            } => {
                let part = (value.max(*low) / low).ln() / (high / low).ln();
                let part = if part.is_finite() {
                    part.clamp(0.0, 1.0)
                } else {
                    0.0
                };
                let place = match with_zero {
                    true if value <= 0.0 => ZERO,
                    true => BESIDE_ZERO + part * (1.0 - BESIDE_ZERO),
                    false => part,
                };
                from + place * (to - from)
            }
            Self::Names { names, from, to } => {
                let slot = (to - from) / names.len().max(1) as f64;
                let place = if value.is_finite() { value } else { 0.0 };
                from + (place.clamp(0.0, names.len() as f64) + 0.5) * slot
            }
        }
    }

    /// The axis, if it is linear.
    pub(super) fn linear(&self) -> Option<&Axis> {
        match self {
            Self::Linear(axis) => Some(axis),
            Self::Decades { .. } | Self::Names { .. } => None,
        }
    }

    /// The end of a linear axis.
    pub(super) fn max(&self) -> f64 {
        match self {
            Self::Linear(axis) => axis.max,
            Self::Decades { high, .. } => *high,
            Self::Names { names, .. } => names.len() as f64,
        }
    }

    /// What a value is called.
    pub(super) fn text(&self, value: f64) -> String {
        match self {
            Self::Names { names, .. } => names.get(value as usize).cloned().unwrap_or_default(),
            _ => number(value),
        }
    }

    /// Draws this axis at the bottom of a frame whose top is given.
    pub(super) fn draw_bottom(&self, top: f64, bottom: f64, name: &str) -> String {
        let (from, to, ticks): (f64, f64, Vec<(f64, String)>) = match self {
            Self::Linear(axis) => return axis.draw_bottom(top, bottom, name),
            Self::Decades {
                low,
                high,
                with_zero,
                from,
                to,
            } => {
                let zero = with_zero.then(|| (0.0, number(0.0)));
                let ticks = zero.into_iter().chain(decades(*low, *high));
                (*from, *to, ticks.collect())
            }
            Self::Names { names, from, to } => {
                let ticks = names
                    .iter()
                    .enumerate()
                    .map(|(at, name)| (at as f64, name.clone()));
                (*from, *to, ticks.collect())
            }
        };
        let slot = self.slot();
        let is_rising = self.rises();
        // Names that would be cut to next to nothing are left out, evenly.
        let least = if is_rising { BETWEEN_RISING } else { 30.0 };
        let every = (least / slot).ceil().max(1.0);
        let texts: Vec<&str> = ticks.iter().map(|(_, text)| text.as_str()).collect();
        let share = cut(&texts, 12.0, MOST_RISING);
        let mut out = String::new();
        let mut free = 0.0;
        for (index, (value, text)) in ticks.iter().enumerate() {
            let x = self.at(*value);
            out.push_str(&line(x, top, x, bottom, "grid"));
            let is_due = index % every as usize == 0;
            if is_rising {
                let room = MOST_RISING.min((x - 4.0) / RISE.to_radians().cos());
                let text = cut_at(share, text, 12.0, room);
                let text = rising(x + 4.0, bottom + 14.0, "end muted", &text);
                out.extend(is_due.then_some(text));
                continue;
            }
            let text = shorten(text, 12.0, slot * every - 4.0);
            let half = width(&text, LARGE) / 2.0;
            if is_due && x - half >= free {
                out.push_str(&label(x, bottom + 16.0, "mid muted", &text));
                free = x + half + 4.0;
            }
        }
        out.push_str(&line(from, bottom, to, bottom, "axis"));
        out.push_str(&self.draw_break(bottom));
        let middle = (from + to) / 2.0;
        let below = bottom + 33.0 + self.room_below();
        out.push_str(&label(middle, below, "mid muted", name));
        out
    }

    /// Two strokes across the axis between zero and the decades.
    fn draw_break(&self, bottom: f64) -> String {
        let Self::Decades {
            with_zero: true,
            from,
            to,
            ..
        } = self
        else {
            return String::new();
        };
        let middle = from + (ZERO + BESIDE_ZERO) / 2.0 * (to - from);
        let stroke = |x: f64| line(x - 2.0, bottom + 4.0, x + 2.0, bottom - 4.0, "axis");
        stroke(middle - 2.0) + &stroke(middle + 2.0)
    }

    /// How much more room than other axes it takes below the frame.
    pub(super) fn room_below(&self) -> f64 {
        match self {
            Self::Names { names, .. } if self.rises() => {
                let longest = names.iter().map(|name| width(name, LARGE));
                let longest = longest.fold(0.0, f64::max).min(MOST_RISING);
                longest * RISE.to_radians().sin()
            }
            _ => 0.0,
        }
    }

    /// Are names written at an angle, because side by side some would be cut?
    fn rises(&self) -> bool {
        match self {
            Self::Names { names, .. } => {
                let room = self.slot() - 4.0;
                names.iter().any(|name| width(name, 12.0) > room)
            }
            _ => false,
        }
    }

    /// How wide the place of a name is.
    fn slot(&self) -> f64 {
        match self {
            Self::Names { names, from, to } => (to - from) / names.len().max(1) as f64,
            Self::Linear(_) => f64::INFINITY,
            Self::Decades { from, to, .. } => to - from,
        }
    }
}

/// 1, 2 and 5 times the powers of ten between two values; the powers alone if these are many.
fn decades(low: f64, high: f64) -> Vec<(f64, String)> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let factors: &[f64] = if last - first > 4 {
        &[1.0]
    } else {
        &[1.0, 2.0, 5.0]
    };
    // Values as far apart as floating point allows have more decades than room for ticks.
    let step = ((last - first) / 12).max(1) as usize;
    (first..=last)
        .step_by(step)
        .flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)))
        .filter(|value| (low..=high).contains(value))
        .map(|value| (value, number(value)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_are_evenly_spaced() {
        let across = Across::Numbers {
            name: String::new(),
            logarithmic: true,
        };
        let scale = Scale::new(&across, &[1.0, 10.0, 100.0], 0.0, 100.0);
        let places = [1.0, 10.0, 100.0].map(|value| scale.at(value));
        assert!(
            (places[1] - 50.0).abs() < 1e-9
                && (places[2] - places[1] - (places[1] - places[0])).abs() < 1e-9
        );
        let texts: Vec<String> = decades(1.0, 100.0).into_iter().map(|tick| tick.1).collect();
        assert_eq!(texts, ["1", "2", "5", "10", "20", "50", "100"]);
        assert!(decades(1e-300, 1e300).len() < 30);
    }

    #[test]
    fn zero_has_a_place_beside_decades() {
        let across = Across::Numbers {
            name: String::new(),
            logarithmic: true,
        };
        let scale = Scale::new(&across, &[0.0, 1.0, 10.0, 100.0], 50.0, 350.0);
        let places = [0.0, 1.0, 10.0, 100.0].map(|value| scale.at(value));
        assert!(places.is_sorted_by(|a, b| a < b), "{places:?}");
        assert!((places[2] - places[1] - (places[3] - places[2])).abs() < 1e-9);
        let drawn = scale.draw_bottom(0.0, 100.0, "x");
        let without = Scale::new(&across, &[1.0, 10.0, 100.0], 50.0, 350.0);
        let without = without.draw_bottom(0.0, 100.0, "x");
        assert!(drawn.contains(">0<") && !without.contains(">0<"));
        let strokes = |drawn: &str| drawn.matches("class=\"axis\"").count();
        assert_eq!(strokes(&drawn), strokes(&without) + 2);
    }

    #[test]
    fn names_stand_side_by_side() {
        let names = ["a", "b"].map(str::to_owned).to_vec();
        let across = Across::Names {
            name: String::new(),
            values: names,
        };
        let scale = Scale::new(&across, &[0.0, 1.0], 0.0, 100.0);
        assert_eq!((scale.at(0.0), scale.at(1.0)), (25.0, 75.0));
        assert_eq!(scale.text(1.0), "b");
    }
}
