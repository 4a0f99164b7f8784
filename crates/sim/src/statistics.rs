//! Means with confidence intervals from correlated samples, by batch means.
//!
//! Sources: Law and Kelton, Simulation Modeling and Analysis, section 9.5. A. Tafazzoli, N. M. Steiger and
//! J. R. Wilson, "N-Skart: a nonsequential skewness- and autoregression-adjusted batch-means procedure for
//! simulation analysis", IEEE Transactions on Automatic Control 56, 2011: what follows batches that are
//! still correlated. F. H. C. Marriott and J. A. Pope, "Bias in the estimation of autocorrelations",
//! Biometrika 41, 1954.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean and half the width of its 95 % confidence interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half the width of the 95 % interval; infinite where there are not two batches to tell it, or what was measured is all there is.
    pub half_width: f64,
}

/// A straight line through the means of batches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trend {
    /// By how much the line rises from the first batch to the last, relative to the mean.
    pub change: f64,
    /// Half the width of the 95 % confidence interval of that.
    pub half_width: f64,
}

/// The mean over all samples of batches `(sum, count)` in the order of time, and its interval.
///
/// Neighbouring batches are merged (while at least eight remain) as long as the means of
/// successive batches are visibly correlated, because the interval presumes that they are not.
pub fn batch_means(batches: &[(f64, f64)]) -> Estimate {
    let mut batches = filled(batches);
    while batches.len() >= 16 && lag_one_correlation(&means(&batches)) > 0.2 {
        batches = merged(&batches, 2);
    }
    estimate(&batches, batches.len() as f64)
}

/// The mean over all samples of batches `(sum, count)` in the order of time, and its interval, where
/// samples may hang together for longer than a batch.
///
/// The means of batches are taken for a process of which each one remembers a share `r` of the one before
/// (autoregressive of the first order). Then `n` of them tell as much as `n (1 - r) / (1 + r)` that are
/// independent. Of 64 batches two are made one, because a second share that is forgotten at once hides how
/// long the first one lasts. Below eight batches `r` cannot be told, and they count as independent.
pub(crate) fn correlated_means(batches: &[(f64, f64)]) -> Estimate {
    /// More batches hide a correlation that is long but weak; fewer tell less of a short one.
    const MOST: usize = 32;
    /// An interval of fewer would be a hundred times as wide as the batches are apart; at this many it is wide enough to say that little
    /// is known.
    const FEWEST_INDEPENDENT: f64 = 3.0;
    let mut batches = filled(batches);
    while batches.len() > MOST {
        batches = merged(&batches, 2);
    }
    let n = batches.len() as f64;
    if n < 8.0 {
        return estimate(&batches, n);
    }
    // What is estimated with a mean of few values comes out too low by this (Marriott and Pope).
    let seen = lag_one_correlation(&means(&batches));
    let remembered = (seen + (1.0 + 4.0 * seen) / n).clamp(0.0, 1.0 - 2.0 / n);
    let independent = n * (1.0 - remembered) / (1.0 + remembered);
    estimate(&batches, independent.max(FEWEST_INDEPENDENT))
}

/// Batches with samples.
fn filled(batches: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let batches = batches.iter().copied();
    batches.filter(|&(_, count)| count > 0.0).collect()
}

/// The mean of batches and its interval, if they tell as much as so many that are independent.
fn estimate(batches: &[(f64, f64)], independent: f64) -> Estimate {
    let (sum, count) = batches
        .iter()
        .fold((0.0, 0.0), |(s, c), &(sum, count)| (s + sum, c + count));
    let mean = if count == 0.0 { 0.0 } else { sum / count };
    if batches.len() < 2 {
        return Estimate {
            mean,
            half_width: f64::INFINITY,
        };
    }
    let means = means(batches);
    let n = means.len() as f64;
    let centre = means.iter().sum::<f64>() / n;
    let squares: f64 = means.iter().map(|value| (value - centre).powi(2)).sum();
    // Of values that follow each other the mean does, too: what is left of each is that much less.
    let variance = squares / n / (1.0 - 1.0 / independent);
    Estimate {
        mean,
        half_width: student_t(independent - 1.0) * (variance / independent).sqrt(),
    }
}

/// The line of least squares through the means of batches `(sum, count)` in the order of time;
/// `None` below eight batches or for a mean of zero.
///
/// Neighbouring batches are merged, as by [`batch_means`], as long as what the line leaves over is
/// visibly correlated.
pub fn trend(batches: &[(f64, f64)]) -> Option<Trend> {
    const FEWEST: usize = 8;
    let mut batches = filled(batches);
    loop {
        let means = means(&batches);
        let n = means.len() as f64;
        let mean = means.iter().sum::<f64>() / n;
        if means.len() < FEWEST || mean <= 0.0 {
            return None;
        }
        let middle = (n - 1.0) / 2.0;
        let spread = n * (n * n - 1.0) / 12.0;
        let places = means.iter().enumerate();
        let slope = places
            .map(|(index, value)| (index as f64 - middle) * (value - mean))
            .sum::<f64>()
            / spread;
        let left: Vec<f64> = means
            .iter()
            .enumerate()
            .map(|(index, value)| value - mean - slope * (index as f64 - middle))
            .collect();
        if means.len() >= 2 * FEWEST && lag_one_correlation(&left) > 0.2 {
            batches = merged(&batches, 2);
            continue;
        }
        let squares: f64 = left.iter().map(|value| value * value).sum();
        let error = (squares / (n - 2.0) / spread).sqrt();
        return Some(Trend {
            change: slope * (n - 1.0) / mean,
            half_width: student_t(n - 2.0) * error * (n - 1.0) / mean,
        });
    }
}

/// Batches `(sum, count)`, so many neighbours made one.
pub(crate) fn merged(batches: &[(f64, f64)], neighbours: usize) -> Vec<(f64, f64)> {
    let chunks = batches.chunks(neighbours);
    chunks
        .map(|few| few.iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1)))
        .collect()
}

fn means(batches: &[(f64, f64)]) -> Vec<f64> {
    batches.iter().map(|(sum, count)| sum / count).collect()
}

fn lag_one_correlation(values: &[f64]) -> f64 {
    let centre = values.iter().sum::<f64>() / values.len() as f64;
    let variance: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    let covariance: f64 = values
        .windows(2)
        .map(|pair| (pair[0] - centre) * (pair[1] - centre))
        .sum();
    if variance > 0.0 {
        covariance / variance
    } else {
        0.0
    }
}

/// The 97.5 % quantile of Student's t distribution with so many degrees of freedom, one at least.
fn student_t(degrees: f64) -> f64 {
    let distribution = StudentsT::new(0.0, 1.0, degrees);
    distribution.map_or(f64::INFINITY, |student| student.inverse_cdf(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::random::{Purpose, Random};

    #[test]
    fn the_interval_covers_the_mean_about_as_often_as_it_says() {
        let mut covered = 0;
        for trial in 0..1000 {
            let mut random = Random::new(11, Purpose::Other, trial, 0);
            let batches: Vec<(f64, f64)> = (0..20)
                .map(|_| ((0..50).map(|_| f64::from(random.below(1001))).sum(), 50.0))
                .collect();
            let estimate = batch_means(&batches);
            covered += u32::from((estimate.mean - 500.0).abs() <= estimate.half_width);
        }
        assert!((920..=975).contains(&covered), "{covered}");
    }

    /// Batches that remember a share of the one before. Merging them covers the mean less often.
    #[test]
    fn the_interval_covers_the_mean_of_what_hangs_together() {
        for remembered in [0.0, 0.6, 0.85] {
            let (mut covered, mut by_merging) = (0, 0);
            for trial in 0..1000 {
                let mut random = Random::new(13, Purpose::Other, trial, 0);
                let mut noise = || (0..12).map(|_| f64::from(random.below(1001)) - 500.0).sum();
                let mut state: f64 = 0.0;
                let batches: Vec<(f64, f64)> = (0..164)
                    .map(|_| {
                        let new: f64 = noise();
                        state = remembered * state + new;
                        (1e6 + state, 1.0)
                    })
                    .skip(100)
                    .collect();
                let is_in = |estimate: Estimate| (estimate.mean - 1e6).abs() <= estimate.half_width;
                covered += u32::from(is_in(correlated_means(&batches)));
                by_merging += u32::from(is_in(batch_means(&batches)));
            }
            assert!((925..=975).contains(&covered), "{remembered}: {covered}");
            assert!(
                remembered == 0.0 || by_merging + 20 < covered,
                "{remembered}: {by_merging}"
            );
        }
    }

    /// A rise is found to be what it is, and noise is not taken for one.
    #[test]
    fn the_interval_of_a_trend_covers_the_true_rise() {
        for rise in [0.0, 100.0] {
            let mut covered = 0;
            for trial in 0..1000 {
                let mut random = Random::new(12, Purpose::Other, trial, 0);
                let mean = |batch: u32| 500.0 + rise * (f64::from(batch) / 63.0 - 0.5);
                let batches: Vec<(f64, f64)> = (0..64)
                    .map(|batch| (mean(batch) + f64::from(random.below(101)) - 50.0, 1.0))
                    .collect();
                let found = trend(&batches).unwrap();
                covered += u32::from((found.change - rise / 500.0).abs() <= found.half_width);
            }
            assert!((915..=975).contains(&covered), "{rise}: {covered}");
        }
        assert_eq!(trend(&[(1.0, 1.0); 7]), None);
        assert_eq!(trend(&[(0.0, 1.0); 70]), None);
        assert_eq!(trend(&[(2.0, 1.0); 8]), Some(Trend::default()));
    }

    #[test]
    fn quantiles_are_those_of_tables() {
        let table = [
            (1.0, 12.706),
            (2.0, 4.303),
            (7.0, 2.365),
            (30.0, 2.042),
            (100.0, 1.984),
        ];
        for (degrees, quantile) in table {
            assert!((student_t(degrees) - quantile).abs() < 5e-4, "{degrees}");
        }
    }

    #[test]
    fn degenerate_batches() {
        for batches in [&[][..], &[(3.0, 2.0)], &[(4.0, 2.0); 9], &[(5.0, 1.0); 64]] {
            assert_eq!(correlated_means(batches), batch_means(batches));
        }
        let none = batch_means(&[]);
        assert_eq!((none.mean, none.half_width), (0.0, f64::INFINITY));
        let single = batch_means(&[(0.0, 0.0), (10.0, 2.0)]);
        assert_eq!((single.mean, single.half_width), (5.0, f64::INFINITY));
        assert_eq!(
            batch_means(&[(4.0, 2.0), (6.0, 3.0)]),
            Estimate {
                mean: 2.0,
                half_width: 0.0
            }
        );
    }
}
