//! Means with confidence intervals from correlated samples, by batch means.
//!
//! Source: Law and Kelton, Simulation Modeling and Analysis, section 9.5.

/// A mean and half the width of its 95 % confidence interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half the width of the 95 % interval; infinite where there are not two batches to tell it.
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
    let mut batches: Vec<(f64, f64)> = batches
        .iter()
        .copied()
        .filter(|&(_, count)| count > 0.0)
        .collect();
    let (sum, count) = batches
        .iter()
        .fold((0.0, 0.0), |(s, c), &(sum, count)| (s + sum, c + count));
    let unknown = |mean| Estimate {
        mean,
        half_width: f64::INFINITY,
    };
    if count == 0.0 {
        return unknown(0.0);
    }
    let mean = sum / count;
    while batches.len() >= 16 && lag_one_correlation(&means(&batches)) > 0.2 {
        batches = merged(&batches, 2);
    }
    let means = means(&batches);
    let n = means.len() as f64;
    if means.len() < 2 {
        return unknown(mean);
    }
    let centre = means.iter().sum::<f64>() / n;
    let variance = means
        .iter()
        .map(|value| (value - centre).powi(2))
        .sum::<f64>()
        / (n - 1.0);
    Estimate {
        mean,
        half_width: student_t(means.len() - 1) * (variance / n).sqrt(),
    }
}

/// The line of least squares through the means of batches `(sum, count)` in the order of time;
/// `None` below eight batches or for a mean of zero.
///
/// Neighbouring batches are merged, as by [`batch_means`], as long as what the line leaves over is
/// visibly correlated.
pub fn trend(batches: &[(f64, f64)]) -> Option<Trend> {
    const FEWEST: usize = 8;
    let mut batches: Vec<(f64, f64)> = batches
        .iter()
        .copied()
        .filter(|&(_, count)| count > 0.0)
        .collect();
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
            half_width: student_t(means.len() - 2) * error * (n - 1.0) / mean,
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

/// The 97.5 % quantile of Student's t distribution.
fn student_t(degrees: usize) -> f64 {
    const TABLE: [f64; 30] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
        2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
        2.052, 2.048, 2.045, 2.042,
    ];
    match degrees {
        0 => f64::INFINITY,
        1..=30 => TABLE[degrees - 1],
        // First terms of the Cornish-Fisher expansion; the error is below 0.001 here.
        more => 1.96 + 2.3724 / more as f64 + 2.8 / (more * more) as f64,
    }
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
    fn degenerate_batches() {
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

    #[test]
    fn student_t_is_continuous_at_the_end_of_its_table() {
        assert!((student_t(31) - 2.040).abs() < 0.002);
        assert!((student_t(100) - 1.984).abs() < 0.002);
    }
}
