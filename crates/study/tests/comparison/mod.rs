//! What comparisons with other simulators share: their configurations, means over seeds, their noise, runs on all cores.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use turnwise_study::{Source, import};

/// A mean over runs with different seeds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figure {
    pub(crate) mean: f64,
    /// Half the width of the 95 % confidence interval; `None` for a single run.
    pub(crate) half_width: Option<f64>,
}

impl Figure {
    /// Nothing was measured.
    pub(crate) fn none() -> Self {
        Self {
            mean: f64::NAN,
            half_width: None,
        }
    }

    pub(crate) fn of(values: &[f64]) -> Self {
        /// 97.5 % quantiles of Student's t distribution by degrees of freedom.
        const T: [f64; 6] = [f64::NAN, 12.706, 4.303, 3.182, 2.776, 2.571];
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>()
            / (n - 1.0);
        let half_width = (values.len() > 1).then(|| T[values.len() - 1] * (variance / n).sqrt());
        Self { mean, half_width }
    }
}

/// Another simulator's configuration as a study, without what says how long it runs.
pub(crate) fn imported(name: &str, configuration: &Source) -> String {
    let study = import::study(name, configuration);
    let study = study.unwrap_or_else(|errors| panic!("{errors:?} in {configuration:?}"));
    let (_, tables) = study.split_once("[network]").unwrap();
    let (tables, _) = tables.split_once("[simulation]").unwrap();
    format!("[network]{tables}")
}

/// Relative difference of ours from theirs.
pub(crate) fn difference(ours: Figure, theirs: Figure) -> f64 {
    ours.mean / theirs.mean - 1.0
}

/// What becomes of each item, one at a time on every core; the results do not depend on how many there are.
pub(crate) fn on_all_cores<T: Sync, R: Send>(items: &[T], run: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..turnwise_study::runner::all_cores() {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else {
                        return;
                    };
                    *done[index].lock().unwrap() = Some(run(item));
                }
            });
        }
    });
    done.into_iter()
        .map(|slot| slot.into_inner().unwrap().unwrap())
        .collect()
}

pub(crate) fn show(figure: Figure, digits: usize) -> String {
    match figure.half_width {
        Some(half_width) => format!("{:.digits$} ± {half_width:.digits$}", figure.mean),
        None => format!("{:.digits$}", figure.mean),
    }
}

pub(crate) fn percent(ours: Figure, theirs: Figure) -> String {
    format!("{:+.2} %", 100.0 * difference(ours, theirs))
}
