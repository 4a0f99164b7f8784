//! Rows that come in from workers, in one process and without an engine.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

mod common;

use common::{plan, study};
use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use turnwise_cluster::{ClusterError, Delivery, Gathering};
use turnwise_study::memory::Budget;
use turnwise_study::results::Results;
use turnwise_study::searches::Searches;
use turnwise_study::trial::Trial;
use turnwise_study::{Plan, Runner};

const SWEPT: &str = "
    network = { kind = \"torus\", sizes = [4, 4] }
    routing = { kind = \"dimension-order\" }
    traffic = { pattern = \"uniform\" }
    simulation = { warmup_cycles = 10, measure_cycles = 50 }
    sweep = { \"traffic.load\" = [0.1, 0.2, 0.3, 0.4, 0.5] }";

/// What a worker makes of a point.
fn simulated(plan: &Plan, index: usize) -> Delivery {
    let trial = Trial {
        plan,
        threads: 1,
        budget: &Budget::default(),
        searches: &Searches::default(),
        memory: None,
        messages: None,
        leader: None,
    };
    let planned = plan.point(index).unwrap();
    let found = trial.run(&planned, &|| false).unwrap().unwrap();
    Delivery::new(planned.id, found)
}

/// All rows but the seconds they took.
fn rows(plan: &Plan, results: &Results) -> Vec<String> {
    let row = |row: turnwise_study::row::Row| {
        let mut row = row.into_object();
        row.remove("seconds");
        serde_json::Value::Object(row).to_string()
    };
    plan.rows(results).map(row).collect()
}

/// What one machine makes of all points.
fn alone(plan: &Plan) -> Vec<String> {
    let (mut results, stop) = (Results::new(), AtomicBool::new(false));
    let runner = Runner {
        plan,
        threads: 1,
        stop: &stop,
        shard: (0, 1),
        messages: None,
        leader: None,
    };
    let summary = runner.run(&mut results, None, &plan.provenance, &mut |_| {});
    assert_eq!(summary.unwrap().simulated, plan.len());
    rows(plan, &results)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    /// In whatever order rows come, some of them twice, and whenever it breaks off: in the end each is there once.
    #[test]
    fn rows_are_gathered_in_any_order(order in proptest::collection::vec(0usize..5, 0..12)) {
        let (plan, folder) = (Arc::new(study(SWEPT)), tempfile::tempdir().unwrap());
        let mut first = Gathering::begin(plan.clone(), Some(folder.path())).unwrap();
        for &index in &order {
            first.add(index, &simulated(&plan, index)).unwrap();
        }
        drop(first);
        let mut second = Gathering::begin(plan.clone(), Some(folder.path())).unwrap();
        let missing = second.missing(1).unwrap();
        prop_assert!(missing.iter().all(|index| !order.contains(index)));
        for &index in &missing {
            second.add(index, &simulated(&plan, index)).unwrap();
        }
        let (results, summary) = second.conclude();
        prop_assert_eq!((summary.simulated, summary.reused), (missing.len(), 5 - missing.len()));
        prop_assert_eq!(rows(&plan, &results), alone(&plan));
        prop_assert_eq!(plan.results(folder.path()).unwrap(), results);
    }
}

#[test]
fn the_costliest_point_is_the_first() {
    let plan = Arc::new(study(SWEPT));
    let gathering = Gathering::begin(plan, None).unwrap();
    assert_eq!(gathering.missing(1).unwrap(), [4, 3, 2, 1, 0]);
}

#[test]
fn what_is_no_result_of_a_point_is_refused() {
    let (plan, folder) = (Arc::new(plan(2)), tempfile::tempdir().unwrap());
    let mut gathering = Gathering::begin(plan.clone(), Some(folder.path())).unwrap();
    let delivery = simulated(&plan, 1);
    let other = gathering.add(0, &delivery);
    assert!(matches!(other, Err(ClusterError::Another(name)) if name == "point 0 (repeat = 0)"));
    assert!(matches!(
        gathering.add(2, &delivery),
        Err(ClusterError::Another(_))
    ));
    let garbled = Delivery {
        row: "{}".into(),
        ..delivery.clone()
    };
    assert!(matches!(
        gathering.add(1, &garbled),
        Err(ClusterError::Garbled(..))
    ));
    gathering.add(1, &delivery).unwrap();
    gathering.give_up(0, "everybody died").unwrap();
    let (results, summary) = gathering.conclude();
    assert_eq!((results.len(), summary.simulated), (1, 1));
    let message = &summary.failures[0].message;
    // Whoever makes the report later is told as well.
    let noted = turnwise_study::store::read_failures(folder.path()).unwrap();
    assert_eq!(noted.values().collect::<Vec<_>>(), [message]);
    assert!(
        message.starts_with("everybody died, where about "),
        "{message}"
    );
}

#[test]
fn a_plan_that_is_read_again_names_its_points_alike() {
    use turnwise_study::specification::Scope;
    use turnwise_study::{Source, Workshop};
    let (source, document) = Source::parse("study.toml", SWEPT.as_bytes(), &[]);
    let document = document.unwrap();
    let again = Plan::again(
        source,
        &document,
        Workshop::new("."),
        Scope::Simulation,
        "test",
    );
    let again = again.unwrap_or_else(|(_, errors)| panic!("{errors:?}"));
    let plan = study(SWEPT);
    assert_eq!(again.numbers(), plan.numbers());
    assert_eq!(alone(&again), alone(&plan));
}
