//! How soon latency settles after traffic has switched.
//!
//! The rule, on the mean latencies of packets by the interval they were created in, over the whole intervals
//! from the last switch to the end of the window:
//!
//! * The final mean is that of the second half of these. Latency has settled only if it is known to be level
//!   there: a straight line through that half rises or falls by 5 % of the mean at most, and by 10 % at the end of its 95 %
//!   interval, so that the line stays within 5 % of the mean. That no drift can be shown is not enough: of a backlog that drains,
//!   few packets tell little. Where too few do, nothing is said.
//! * The moving mean of an interval is over it and its two neighbours on either side, as far as these lie behind the switch.
//! * Latency has settled with the first interval from which on, for a quarter of all, every moving mean is within
//!   5 % of the final mean, or within four standard deviations of the second half's moving means, where these vary by
//!   more. Not until the end, because a queue that comes and goes much later is no transient any more.
//!
//! What is told are the cycles from the switch to the beginning of that interval, so it is known to an interval. Where
//! the interval lies in the second half itself, nothing is known to have settled: the window is too short.
//!
//! Complexity: O(intervals).

use crate::steadiness;
use turnwise_sim::{Ending, Interval, Outcome, Trend, trend};

/// Latencies this close to the final mean have settled.
const BAND: f64 = 0.05;
/// Or this many standard deviations of the moving mean from it.
const DEVIATIONS: f64 = 4.0;
/// Neighbours on either side that a moving mean is over.
const NEIGHBOURS: usize = 2;
/// Of fewer intervals behind the switch nothing is said: half of them would be too few to know a drift.
const FEWEST: usize = 32;

/// What became of the latency after a switch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Settling {
    /// Cycles from the switch until it had settled; `None` if it had not before the second half.
    pub(crate) cycles: Option<u64>,
    /// The mean that it settled at.
    pub(crate) latency: f64,
}

/// What became of the latency after a switch; `None` if it did not settle, if packets are missing, or if there are
/// too few intervals or packets to tell.
pub(crate) fn settling(outcome: &Outcome, switch: u64) -> Option<Settling> {
    let measured = &outcome.measurement;
    if outcome.ending != Ending::Completed || measured.undelivered > 0 {
        return None;
    }
    let series = &measured.series;
    after(series.intervals(), series.interval_cycles(), switch)
}

/// The same of the intervals of a run to its window's end, or of several runs added up, all of whose packets arrived.
pub(crate) fn after(intervals: &[Interval], cycles: u64, switch: u64) -> Option<Settling> {
    let first = switch.div_ceil(cycles.max(1));
    // The last interval may go on behind the window, as long as the run does.
    let behind = intervals.get(first as usize..)?;
    let whole = &behind[..behind.len().saturating_sub(1)];
    let (begins, latency) = settles(whole)?;
    let begins = begins.map(|index| (first + index as u64) * cycles - switch);
    Some(Settling {
        cycles: begins,
        latency,
    })
}

/// The interval with which the latency has settled, if it has before the second half, and the final mean.
fn settles(intervals: &[Interval]) -> Option<(Option<usize>, f64)> {
    if intervals.len() < FEWEST {
        return None;
    }
    let last = intervals.len() / 2;
    let sum = |at: &Interval| (at.latency as f64, at.packets as f64);
    let sums: Vec<(f64, f64)> = intervals.iter().map(sum).collect();
    let latency = mean(&sums[last..])?;
    if !is_level(trend(&sums[last..])?) {
        return None;
    }
    let moving = |index: usize| {
        let from = index.saturating_sub(NEIGHBOURS);
        mean(&sums[from..(index + NEIGHBOURS + 1).min(sums.len())])
    };
    // Where nothing was created, nothing is unsettled.
    let means = (0..sums.len()).map(|index| moving(index).unwrap_or(latency));
    let distances: Vec<f64> = means.map(|mean| (mean - latency).abs()).collect();
    let squares = distances[last..].iter().map(|distance| distance * distance);
    let deviation = (squares.sum::<f64>() / (sums.len() - last) as f64).sqrt();
    let band = (BAND * latency).max(DEVIATIONS * deviation);
    let mut quarters = distances.windows(sums.len() / 4);
    let begins = quarters.position(|all| all.iter().all(|&distance| distance <= band));
    Some((begins.filter(|&begins| begins < last), latency))
}

/// Is what a line says, and what it may say within its interval, as good as no change?
fn is_level(line: Trend) -> bool {
    line.change.abs() <= BAND && steadiness::is_level(line)
}

/// The mean of batches `(sum, count)`; `None` if nothing was counted.
fn mean(batches: &[(f64, f64)]) -> Option<f64> {
    let (sum, count) = batches.iter().fold((0.0, 0.0), |(sum, count), batch| {
        (sum + batch.0, count + batch.1)
    });
    (count > 0.0).then(|| sum / count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::random::{Purpose, Random};

    /// Intervals of 100 packets with these mean latencies.
    fn course(latencies: impl Iterator<Item = f64>) -> Vec<Interval> {
        let interval = |latency: f64| Interval {
            packets: 100,
            latency: (100.0 * latency).round() as u64,
            ..Interval::default()
        };
        latencies.map(interval).collect()
    }

    /// A step is smoothed by its two neighbours, and settled when these are behind it.
    #[test]
    fn a_step_has_settled_when_its_neighbours_have() {
        for step in [0, 1, 7, 40] {
            let at = |index| if index < step { 200.0 } else { 100.0 };
            let found = settles(&course((0..100).map(at)));
            let settled = if step == 0 { 0 } else { step + NEIGHBOURS };
            assert_eq!(found, Some((Some(settled), 100.0)), "{step}");
        }
    }

    /// An exponential approach is within 5 % after as many time constants as the logarithm says.
    #[test]
    fn an_exponential_approach_has_settled_after_the_closed_form() {
        for time in [3.0, 8.0, 12.0] {
            let at = |index: usize| 100.0 * (1.0 + 2.0 * (-(index as f64) / time).exp());
            let (settled, latency) = settles(&course((0..200).map(at))).unwrap();
            let expected = time * (2.0_f64 / BAND).ln();
            let settled = settled.unwrap() as f64;
            assert!(
                (settled - expected).abs() <= 2.0,
                "{settled} instead of {expected}"
            );
            assert!((latency - 100.0).abs() < 0.5, "{latency}");
        }
    }

    #[test]
    fn what_grows_for_ever_or_changes_late_has_not_settled() {
        assert_eq!(settles(&course((0..200).map(|n| 100.0 + n as f64))), None);
        let step = |at| move |index| if index < at { 100.0 } else { 200.0 };
        assert_eq!(settles(&course((0..200).map(step(150)))), None);
        assert_eq!(
            settles(&course((0..200).map(step(99)))),
            Some((None, 200.0))
        );
        let once = |index| if index == 150 { 200.0 } else { 100.0 };
        let found = settles(&course((0..300).map(once))).map(|(settled, _)| settled);
        assert_eq!(found, Some(Some(0)), "a quarter is level before");
        assert_eq!(settles(&course((0..FEWEST - 1).map(|_| 100.0))), None);
        assert_eq!(settles(&[Interval::default(); 100]), None);
    }

    /// Latencies that vary by so many per cent of 100 about their mean, by an even distribution.
    fn noisy(trial: u32, spread: u32, mean: impl Fn(usize) -> f64, count: usize) -> Vec<Interval> {
        let mut random = Random::new(5, Purpose::Other, trial, 0);
        let mut noise = || f64::from(random.below(2 * spread + 1)) - f64::from(spread);
        course((0..count).map(|n| mean(n) + noise()))
    }

    /// Where chance moves the moving mean by more than 5 %, it is not taken for a transient more often than in one
    /// of ten runs.
    #[test]
    fn noise_is_not_taken_for_a_transient() {
        let mut late = 0;
        for trial in 0..200 {
            let step = |n| if n < 10 { 300.0 } else { 100.0 };
            let settled = settles(&noisy(trial, 12, step, 200));
            let settled = settled.and_then(|(settled, _)| settled);
            late += u32::from(settled.is_none_or(|settled| settled > 12));
        }
        assert!(late <= 20, "{late}");
    }

    /// What cannot be told from a drift is not said to have settled; more intervals tell.
    #[test]
    fn too_much_noise_to_tell_is_no_settling() {
        let known = |count| {
            let runs = (0..100).map(|trial| settles(&noisy(trial, 40, |_| 100.0, count)));
            runs.filter(Option::is_some).count()
        };
        let (few, many) = (known(100), known(2_000));
        assert!(few <= 2 && many >= 90, "{few} {many}");
    }

    /// A backlog that drains steadily by a fifth of the mean through the second half: chance hides that from a test for a drift in
    /// every third run, and from no reader.
    #[test]
    fn a_slow_drain_under_noise_has_not_settled() {
        for trial in 0..200 {
            let drain = |n| 120.0 - 40.0 * n as f64 / 93.0;
            let found = settles(&noisy(trial, 20, drain, 93));
            assert_eq!(found, None, "{trial}");
        }
    }

    #[test]
    fn a_level_line_is_known_to_be_level() {
        let level = |change, half_width| is_level(Trend { change, half_width });
        assert!(level(0.0, 0.0) && level(-0.05, 0.05) && level(0.0, 0.1));
        assert!(!level(0.06, 0.0) && !level(-0.207, 0.113) && !level(0.01, 0.12));
    }
}
