//! What tasks take at a time: points in bundles, by falling expected cost.
//!
//! Whoever is free takes the costliest bundle that is left (Graham, 1969: the last task to end is
//! late by at most the cost of one bundle). Estimates need not be right for that, nodes need not be
//! equally fast, and tasks may begin late or never: nothing is dealt out beforehand.

use crate::error::ClusterError;
use turnwise_study::Plan;
use turnwise_study::costs::Costs;

/// Bundles for each task: taking one is a file on a shared disk, and the last one is waited for.
const FOR_EACH_TASK: f64 = 64.0;
/// Fewer seconds of work are not worth the start of a task.
const WORTH_A_TASK: f64 = 60.0;
/// More tasks are asked for only if the user says so.
const MOST_TASKS: usize = 100;

/// A point of a plan, and the seconds it is expected to take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costed {
    /// Its number.
    pub index: usize,
    /// CPU-seconds of its simulation.
    pub seconds: f64,
}

/// Points by falling cost; those that cost the same in the order of the study.
///
/// # Errors
/// A point that cannot be estimated.
pub fn by_cost(plan: &Plan, points: &[usize], threads: usize) -> Result<Vec<Costed>, ClusterError> {
    // What memory the nodes have is not known here.
    let mut costs = Costs::new(plan, threads, None).apart();
    let cost = |&index: &usize| {
        let cost = costs
            .of(index)
            .map_err(|error| ClusterError::Study(Box::new(error)))?;
        let seconds = cost.estimate.seconds;
        Ok(Costed { index, seconds })
    };
    let mut costed = points
        .iter()
        .map(cost)
        .collect::<Result<Vec<_>, ClusterError>>()?;
    costed.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    Ok(costed)
}

/// How many tasks so much work is worth, if nobody says.
pub fn tasks_for(points: &[Costed]) -> usize {
    let seconds: f64 = points.iter().map(|point| point.seconds).sum();
    let worth = (seconds / WORTH_A_TASK).ceil() as usize;
    worth.clamp(1, MOST_TASKS.min(points.len().max(1)))
}

/// Bundles of points for so many tasks, in the order of `points`, which is kept.
///
/// A bundle ends with the point that fills its share of the work, so that there are not many more
/// than 64 for each task, and only cheap points are bundled.
pub fn bundles(points: &[Costed], tasks: usize) -> Vec<Vec<usize>> {
    let all: f64 = points.iter().map(|point| point.seconds).sum();
    let share = all / (FOR_EACH_TASK * tasks.max(1) as f64);
    let mut bundles: Vec<Vec<usize>> = Vec::new();
    let mut room = 0.0;
    for point in points {
        match bundles.last_mut().filter(|_| room > 0.0) {
            Some(bundle) => bundle.push(point.index),
            None => {
                room = share;
                bundles.push(vec![point.index]);
            }
        }
        room -= point.seconds;
    }
    bundles
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn costed(seconds: &[f64]) -> Vec<Costed> {
        let points = seconds.iter().enumerate();
        points
            .map(|(index, &seconds)| Costed { index, seconds })
            .collect()
    }

    #[test]
    fn costly_points_stand_alone_and_cheap_ones_together() {
        let mut seconds = vec![64.0];
        seconds.extend([0.25; 256]);
        let bundles = bundles(&costed(&seconds), 1);
        assert_eq!(bundles[0], [0]);
        assert_eq!(bundles[1], (1..=8).collect::<Vec<_>>());
        assert_eq!(bundles.len(), 1 + 256 / 8);
    }

    #[test]
    fn little_work_is_one_task_and_much_is_not_too_many() {
        let tasks = |count: usize, seconds: f64| tasks_for(&costed(&vec![seconds; count]));
        assert_eq!(
            [tasks(0, 1.0), tasks(400, 0.01), tasks(400, 2.0)],
            [1, 1, 14]
        );
        assert_eq!([tasks(3, 1e6), tasks(5_000, 1e3)], [3, 100]);
    }

    proptest! {
        /// Every point is in one bundle, in order; bundles are few, and the last to end is late by one at most.
        #[test]
        fn bundles_are_few_and_nobody_waits_long(
            mut seconds in proptest::collection::vec(0.0..100.0f64, 1..400),
            tasks in 1usize..20,
        ) {
            seconds.sort_by(|a, b| b.total_cmp(a));
            let bundles = bundles(&costed(&seconds), tasks);
            let flat: Vec<usize> = bundles.iter().flatten().copied().collect();
            prop_assert_eq!(flat, (0..seconds.len()).collect::<Vec<_>>());
            prop_assert!(bundles.len() <= 64 * tasks + 1);
            let mut busy = vec![0.0f64; tasks];
            for bundle in &bundles {
                busy.sort_by(f64::total_cmp);
                busy[0] += bundle.iter().map(|&index| seconds[index]).sum::<f64>();
            }
            let all: f64 = seconds.iter().sum();
            let last = busy.iter().copied().fold(0.0, f64::max);
            let longest = seconds[0].max(all / (64.0 * tasks as f64) * 2.0);
            prop_assert!(last <= all / tasks as f64 + longest + 1e-9, "{last}");
        }
    }
}
