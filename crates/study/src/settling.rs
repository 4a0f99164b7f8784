//! How soon latency settles after traffic has switched.
//!
//! The rule, on the mean latencies of packets by the interval they were created in, over the whole intervals
//! from the last switch to the end of the window:
//!
//! * The final mean is that of the second half of these. Latency has settled only if it does not drift
//!   through that half, by a straight line that rises or falls by more than 5 % and more than by chance.
//! * The moving mean of an interval is over it and its two neighbours on either side, as far as these lie behind the switch.
//! * Latency has settled with the first interval from which on, for a quarter of all, every moving mean is within
//!   5 % of the final mean, or within four standard deviations of the second half's moving means, where these vary by
//!   more. Not until the end, because a queue that comes and goes much later is no transient any more.
//!
//! What is told are the cycles from the switch to the beginning of that interval, so it is known to an interval. Where
//! the interval lies in the second half itself, nothing is known to have settled: the window is too short.
//!
//! Complexity: O(intervals).

use turnwise_sim::{Ending, Interval, Outcome, trend};

/// Latencies this close to the final mean have settled.
const BAND: f64 = 0.05;
/// Or this many standard deviations of the moving mean from it.
const DEVIATIONS: f64 = 4.0;
/// Neighbours on either side that a moving mean is over.
const NEIGHBOURS: usize = 2;
/// Of fewer intervals behind the switch nothing is said: half of them would be too few to know a drift.
const FEWEST: usize = 32;
/// A line that is this many half-widths from level is no chance.
const CERTAIN: f64 = 2.0;

/// What became of the latency after a switch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Settling {
    /// Cycles from the switch until it had settled; `None` if it had not before the second half.
    pub(crate) cycles: Option<u64>,
    /// The mean that it settled at.
    pub(crate) latency: f64,
}

/// What became of the latency after a switch; `None` if it did not settle, if packets are missing, or if there are
/// too few intervals to tell.
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
    let drift = trend(&sums[last..])?;
    let change = drift.change.abs();
    if change > BAND && change > CERTAIN * drift.half_width {
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
        let once = |index| if index == 150 { 400.0 } else { 100.0 };
        let found = settles(&course((0..300).map(once))).map(|(settled, _)| settled);
        assert_eq!(found, Some(Some(0)), "a quarter is level before");
        assert_eq!(settles(&course((0..FEWEST - 1).map(|_| 100.0))), None);
        assert_eq!(settles(&[Interval::default(); 100]), None);
    }

    /// Where chance moves the mean by more than 5 %, it is not taken for a transient more often than in one
    /// of ten runs.
    #[test]
    fn noise_is_not_taken_for_a_transient() {
        let mut late = 0;
        for trial in 0..200 {
            let mut random = Random::new(5, Purpose::Other, trial, 0);
            let mut noise = || f64::from(random.below(61)) - 30.0;
            let noisy = course((0..200).map(|n| noise() + if n < 10 { 300.0 } else { 100.0 }));
            let (settled, _) = settles(&noisy).unwrap();
            late += u32::from(settled.is_none_or(|settled| settled > 12));
        }
        assert!(late <= 20, "{late}");
    }
}
