//! Is the difference of two means more than chance explains? Welch's test, and Holm's correction.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The least degrees of freedom that an interval of a row has: its batches are eight at least.
const DEGREES_OF_INTERVAL: f64 = 7.0;
/// The 97.5 % quantile of Student's t with so many.
const QUANTILE_OF_INTERVAL: f64 = 2.365;

/// How many times wider than it says the interval of a single run is taken to be. At 1, of a hundred pairs
/// of seeds 2 to 5 differ, as they should, but 9 to 10 where the window is hardly longer than what hangs
/// together in it, close to saturation. At 1.5 those are 5, and the others 1 at most.
const WIDENED: f64 = 1.5;

/// A mean, and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample {
    pub(super) mean: f64,
    /// Variance of the mean.
    variance: f64,
    /// Degrees of freedom of that.
    degrees: f64,
}

impl Sample {
    /// Of independent repetitions; `None` if there are not two. What is told in steps may be off by
    /// half of one, which counts where chance has made all repetitions equal.
    pub(super) fn of_repetitions(values: &[f64], resolution: f64) -> Option<Self> {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        (values.len() >= 2).then(|| Self {
            mean,
            variance: (squares / (n - 1.0) + resolution * resolution / 12.0) / n,
            degrees: n - 1.0,
        })
    }

    /// Of rows with 95 % intervals of their own `(mean, half width)`; `None` if there are none.
    /// How many batches an interval is of is not stored. To assume the fewest is safe, because what
    /// that takes from the error is less than it adds to the tails.
    pub(super) fn of_intervals(rows: &[(f64, f64)]) -> Option<Self> {
        let n = rows.len() as f64;
        let error =
            |&(_, half_width): &(f64, f64)| (WIDENED * half_width / QUANTILE_OF_INTERVAL).powi(2);
        (!rows.is_empty()).then(|| Self {
            mean: rows.iter().map(|(mean, _)| mean).sum::<f64>() / n,
            variance: rows.iter().map(error).sum::<f64>() / (n * n),
            degrees: DEGREES_OF_INTERVAL,
        })
    }
}

/// Half the width of the 95 % interval of the mean of independent repetitions.
pub(crate) fn half_width_of_mean(values: &[f64]) -> f64 {
    let sample = Sample::of_repetitions(values, 0.0);
    let width = sample.and_then(|sample| {
        let student = StudentsT::new(0.0, 1.0, sample.degrees).ok()?;
        Some(student.inverse_cdf(0.975) * sample.variance.sqrt())
    });
    width.unwrap_or(f64::NAN)
}

/// The smallest step between different values: figures that are counted have no smaller one. Where all are whole, it is one at most.
pub(super) fn resolution(a: &[f64], b: &[f64]) -> f64 {
    let mut all: Vec<f64> = a.iter().chain(b).copied().collect();
    all.sort_by(f64::total_cmp);
    let steps = all.windows(2).map(|pair| pair[1] - pair[0]);
    let least = steps
        .filter(|&step| step > 0.0)
        .fold(f64::INFINITY, f64::min);
    let are_whole = all.iter().all(|value| value.fract() == 0.0);
    match least.is_finite() {
        true if are_whole => least.min(1.0),
        true => least,
        false => 0.0,
    }
}

/// What a test says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tested {
    /// Half the width of the 95 % interval of the difference.
    pub(super) half_width: f64,
    /// How likely chance is to make as large a difference where there is none.
    pub(super) chance: f64,
}

impl Tested {
    /// Of means that differ where there is no chance in either.
    pub(super) const CERTAIN: Self = Self {
        half_width: 0.0,
        chance: 0.0,
    };
}

/// Tests whether two means differ.
pub(super) fn test(a: &Sample, b: &Sample) -> Tested {
    let difference = (b.mean - a.mean).abs();
    let variance = a.variance + b.variance;
    if variance == 0.0 {
        let chance = if difference == 0.0 { 1.0 } else { 0.0 };
        return Tested {
            half_width: 0.0,
            chance,
        };
    }
    // Welch and Satterthwaite.
    let degrees =
        variance.powi(2) / (a.variance.powi(2) / a.degrees + b.variance.powi(2) / b.degrees);
    let error = variance.sqrt();
    match StudentsT::new(0.0, 1.0, degrees) {
        Ok(student) => Tested {
            half_width: student.inverse_cdf(0.975) * error,
            chance: 2.0 * student.sf(difference / error),
        },
        Err(_) => Tested {
            half_width: f64::INFINITY,
            chance: 1.0,
        },
    }
}

/// Chances corrected for being so many: whatever comes out below a level is a false alarm anywhere
/// with no more than that probability.
pub(super) fn holm(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|&a, &b| chances[a].total_cmp(&chances[b]));
    let mut corrected = vec![1.0; chances.len()];
    let mut largest: f64 = 0.0;
    for (rank, &index) in order.iter().enumerate() {
        let left = (chances.len() - rank) as f64;
        largest = largest.max((left * chances[index]).min(1.0));
        corrected[index] = largest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-4 * b.abs().max(1e-3)
    }

    /// Two samples, by the formulas of the paper and Simpson's rule over the density of t.
    #[test]
    fn welch_says_what_the_formulas_say() {
        let a = [
            27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7,
            21.4,
        ];
        let b = [
            27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5,
            24.4,
        ];
        let [a, b] = [&a[..], &b[..]].map(|values| Sample::of_repetitions(values, 0.0).unwrap());
        let tested = test(&a, &b);
        assert!((tested.chance - 0.021_378_001).abs() < 1e-8, "{tested:?}");
        // 2.059586 is the 97.5 % quantile with 24.9885 degrees of freedom.
        let error = (b.mean - a.mean) / 2.455_356_4;
        assert!(close(tested.half_width, 2.059_586 * error), "{tested:?}");
    }

    #[test]
    fn holm_corrects_step_by_step() {
        let corrected = holm(&[0.01, 0.04, 0.03, 0.005]);
        let expected = [0.03, 0.06, 0.06, 0.02];
        assert!(corrected.iter().zip(expected).all(|(a, b)| close(*a, b)));
        assert_eq!(holm(&[]), Vec::<f64>::new());
    }

    #[test]
    fn what_happens_to_be_equal_three_times_proves_nothing() {
        let (a, b) = ([18.0; 3], [19.0; 3]);
        let step = resolution(&a, &b);
        let chance = |n: usize| {
            let of = |value: f64| Sample::of_repetitions(&vec![value; n], step).unwrap();
            test(&of(18.0), &of(19.0)).chance
        };
        assert_eq!(step, 1.0);
        assert!(
            chance(3) > 0.01 && chance(10) < 1e-5,
            "{} {}",
            chance(3),
            chance(10)
        );
    }

    #[test]
    fn intervals_are_taken_for_those_of_few_batches_and_half_again_as_wide() {
        let a = Sample::of_intervals(&[(10.0, 2.365)]).unwrap();
        let b = Sample::of_intervals(&[(10.0, 2.365), (12.0, 2.365)]).unwrap();
        assert!(close(a.variance, 2.25) && close(b.variance, 1.125));
        assert_eq!(test(&a, &a).chance, 1.0);
    }
}
