//! Does the latency of a run stay level through its window, as it should after a warm-up?

use turnwise_sim::Trend;

/// Changes smaller than this are nobody's trouble, however certain they are.
const WORTH_MENTIONING: f64 = 0.02;
/// A line that is this many half-widths from level is no chance: one of a few hundred
/// steady runs is called unsteady, and not one of twenty.
const CERTAIN: f64 = 2.0;

/// Is the latency level through the window, as far as can be told?
pub fn is_steady(trend: Trend) -> bool {
    let change = trend.change.abs();
    change <= WORTH_MENTIONING || change <= CERTAIN * trend.half_width
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_large_and_certain_changes_count() {
        let steady = |change, half_width| is_steady(Trend { change, half_width });
        assert!(steady(0.0, 0.0) && steady(0.019, 0.0) && steady(-0.1, 0.06));
        assert!(!steady(0.1, 0.04) && !steady(-0.1, 0.0));
    }
}
