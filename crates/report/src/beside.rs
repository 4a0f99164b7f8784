//! Units beside cycles and flits, where a study says how long a cycle is and how large a flit.

use super::axis::Axis;
use super::text::number;

/// How latencies are counted.
pub(super) const CYCLES: &str = "cycles";
/// How loads are counted.
pub(super) const LOADS: &str = "flits/terminal/cycle";

/// What a cycle and a load of 1 are in other units; nothing where a study does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Units {
    /// Nanoseconds in a cycle.
    pub nanoseconds: Option<f64>,
    /// Gigabits per second of one flit in every cycle.
    pub gigabits: Option<f64>,
}

/// A unit that figures are shown in beside their own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Beside {
    /// How many of it one of the figure's own is.
    pub(super) factor: f64,
    pub(super) unit: &'static str,
}

impl Units {
    /// The same latency or load for people, such as `85.6 ns`; nothing if it is not known.
    pub fn latency(&self, cycles: f64) -> Option<String> {
        self.beside(CYCLES).map(|ns| ns.words(cycles))
    }

    /// As [`latency`](Self::latency), of a load: `86.4 Gb/s`.
    pub fn load(&self, load: f64) -> Option<String> {
        self.beside(LOADS).map(|rate| rate.words(load))
    }

    /// What goes beside figures that are counted so.
    pub(super) fn beside(&self, unit: &str) -> Option<Beside> {
        let beside = |unit| move |factor| Beside { factor, unit };
        match unit {
            CYCLES => self.nanoseconds.map(beside("ns")),
            LOADS => self.gigabits.map(beside("Gb/s")),
            _ => None,
        }
    }
}

impl Beside {
    /// A figure in this unit.
    pub(super) fn words(&self, value: f64) -> String {
        format!("{} {}", number(value * self.factor), self.unit)
    }

    /// The same axis in this unit: the same pixels, ticks of its own.
    pub(super) fn axis(&self, axis: &Axis, ticks: usize) -> Axis {
        axis.times(self.factor, ticks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_told_in_units_where_these_are_known() {
        let units = Units {
            nanoseconds: Some(0.8),
            gigabits: None,
        };
        assert_eq!(units.latency(107.0).as_deref(), Some("85.6 ns"));
        assert_eq!(units.load(0.4), None);
        assert_eq!(Units::default().latency(1.0), None);
        assert_eq!(units.beside("hops"), None);
    }

    /// The second scale has round ticks of its own, at the pixels of the same values.
    #[test]
    fn a_second_scale_is_the_same_axis() {
        let axis = Axis::new(1.0, 6, 40.0, 440.0).rounded();
        let rate = Beside {
            factor: 200.0,
            unit: "Gb/s",
        };
        let second = rate.axis(&axis, 5);
        for (value, text) in second.ticks() {
            assert!((second.at(value) - axis.at(value / 200.0)).abs() < 1e-9);
            assert_eq!(text, format!("{value:.0}"));
        }
        assert_eq!(second.ticks().len(), 5);
    }
}
