//! Does the latency of a run stay level through its window, as it should after a warm-up?

use turnwise_sim::Trend;

/// Changes smaller than this are nobody's trouble, however certain they are.
const WORTH_MENTIONING: f64 = 0.02;
/// A line that is this many half-widths from level is no chance: one of a few hundred
/// steady runs is called unsteady, and not one of twenty.
const CERTAIN: f64 = 2.0;
/// A line that may change by this much within its interval, in either direction, stays within 5 % of the mean: that is level.
const LEVEL: f64 = 0.1;

/// Is the latency level through the window? `None` if chance moves it by too much to tell: that no change can be shown is no
/// proof of its absence.
pub fn is_steady(trend: Trend) -> Option<bool> {
    let change = trend.change.abs();
    match change > WORTH_MENTIONING && change > CERTAIN * trend.half_width {
        true => Some(false),
        false => is_level(trend).then_some(true),
    }
}

/// Is a line as good as level, whatever it may be within its interval?
pub(crate) fn is_level(trend: Trend) -> bool {
    trend.change.abs() + trend.half_width <= LEVEL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_large_and_certain_changes_count() {
        let steady = |change, half_width| is_steady(Trend { change, half_width });
        for (change, half_width) in [(0.0, 0.0), (0.019, 0.0), (-0.05, 0.04), (0.0, 0.1)] {
            assert_eq!(steady(change, half_width), Some(true), "{change}");
        }
        assert_eq!(steady(0.1, 0.04), Some(false));
        assert_eq!(steady(-0.1, 0.0), Some(false));
    }

    /// A network that fills up may rise by half within its window, and still not with certainty.
    #[test]
    fn what_cannot_be_told_is_not_called_steady() {
        for (change, half_width) in [(0.56, 0.4), (-0.1, 0.06), (0.0, 0.11), (0.01, f64::NAN)] {
            assert_eq!(is_steady(Trend { change, half_width }), None, "{change}");
        }
    }
}
