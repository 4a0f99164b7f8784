//! A study's text to its rows, through the whole stack but files.
#![allow(dead_code)]

use std::sync::atomic::AtomicBool;
use turnwise_study::row::Row;
use turnwise_study::specification::Scope;
use turnwise_study::store::Results;
use turnwise_study::{Plan, Runner, Source, Workshop};

/// A study that is expected to be flawless.
pub(crate) fn plan(text: &str) -> Plan {
    let (source, document) = Source::parse("study.toml", text.as_bytes(), &[]);
    let document = document.unwrap_or_else(|errors| panic!("{errors:?} in\n{text}"));
    Plan::new(
        source,
        &document,
        Workshop::new("."),
        Scope::Simulation,
        "test",
    )
    .unwrap_or_else(|(_, errors)| panic!("{errors:?} in\n{text}"))
}

/// The rows of all its points, on one thread, stored nowhere.
pub(crate) fn rows(text: &str) -> Vec<Row> {
    let plan = plan(text);
    let stop = AtomicBool::new(false);
    let runner = Runner {
        plan: &plan,
        threads: 1,
        stop: &stop,
        shard: (0, 1),
    };
    let mut results = Results::new();
    let summary = runner
        .run(&mut results, None, &plan.provenance, &mut |_| {})
        .unwrap();
    assert!(
        summary.failures.is_empty(),
        "{:?} in\n{text}",
        summary.failures
    );
    plan.points
        .iter()
        .map(|point| results[&point.id].clone())
        .collect()
}

/// A figure that every such row has.
pub(crate) fn figure(row: &Row, column: &str) -> f64 {
    row.figure(column)
        .unwrap_or_else(|| panic!("no {column} in {row:?}"))
}
