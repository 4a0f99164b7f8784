//! Tasks that share the bundles of a round, in one process and without Slurm.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

mod common;

use common::plan;
use proptest::prelude::*;
use std::sync::Mutex;
use turnwise_cluster::{ClusterError, Round, Taker};
use turnwise_study::Plan;
use turnwise_study::handout::Handout;
use turnwise_study::store::Results;
use turnwise_study::sweep::PointId;

/// The names of the points, so many to a bundle.
fn bundles(plan: &Plan, size: usize) -> Vec<Vec<PointId>> {
    let ids: Vec<PointId> = (0..plan.len()).filter_map(|index| plan.id(index)).collect();
    ids.chunks(size).map(<[PointId]>::to_vec).collect()
}

fn taker(round: &Round, task: &str, plan: &Plan) -> Taker {
    Taker::new(round.clone(), task, plan, &Results::new()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    /// However many tasks and threads ask at once, every point is handed out once.
    #[test]
    fn every_bundle_is_taken_once(points in 1usize..60, size in 1usize..7, tasks in 1usize..5) {
        let (plan, folder) = (plan(points), tempfile::tempdir().unwrap());
        let round = Round::create(folder.path(), &bundles(&plan, size)).unwrap();
        let takers: Vec<Taker> = (0..tasks).map(|task| taker(&round, &task.to_string(), &plan)).collect();
        let taken = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for thread in 0..2 * tasks {
                let (taker, taken) = (&takers[thread % tasks], &taken);
                scope.spawn(move || {
                    while let Some(index) = taker.next() {
                        taken.lock().unwrap().push(index);
                    }
                });
            }
        });
        let mut taken = taken.into_inner().unwrap();
        taken.sort_unstable();
        prop_assert_eq!(taken, (0..points).collect::<Vec<_>>());
    }
}

#[test]
fn a_task_that_starts_again_gives_back_what_it_had() {
    let (plan, folder) = (plan(6), tempfile::tempdir().unwrap());
    let round = Round::create(folder.path(), &bundles(&plan, 2)).unwrap();
    let (first, other) = (taker(&round, "0", &plan), taker(&round, "1", &plan));
    assert_eq!((first.next(), other.next()), (Some(0), Some(2)));
    let again = taker(&round, "0", &plan);
    let rest: Vec<usize> = std::iter::from_fn(|| again.next()).collect();
    assert_eq!(rest, [0, 1, 4, 5]);
    // The other one was at its bundle, and finds that nothing is left.
    assert_eq!((other.next(), other.next()), (Some(3), None));
}

#[test]
fn a_study_that_was_edited_under_its_job_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let round = Round::create(folder.path(), &bundles(&plan(6), 2)).unwrap();
    let error = Taker::new(round, "0", &plan(4), &Results::new())
        .err()
        .unwrap();
    assert!(matches!(error, ClusterError::Changed(2, 6)), "{error}");
}

#[test]
fn rounds_are_numbered_and_the_newest_with_a_job_counts() {
    let folder = tempfile::tempdir().unwrap();
    let parent = folder.path().join("slurm");
    assert!(Round::newest(&parent).unwrap().is_none());
    for number in 1..=11 {
        let round = Round::create(&parent, &[]).unwrap();
        assert_eq!(round.folder(), parent.join(number.to_string()));
        if number < 11 {
            round.write("job", &format!("{}\n", 100 + number)).unwrap();
        }
    }
    let (round, job) = Round::newest(&parent).unwrap().unwrap();
    assert_eq!((round.folder(), job.as_str()), (&*parent.join("10"), "110"));
}
