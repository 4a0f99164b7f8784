//! A study's text to its rows, through the whole stack but files.
#![allow(dead_code)]

use std::sync::atomic::AtomicBool;
use turnwise_config::diagnostic::Diagnostic;
use turnwise_sim::{Outcome, Setup, Simulation};
use turnwise_study::processes::Leader;
use turnwise_study::row::Row;
use turnwise_study::runner::RunSummary;
use turnwise_study::specification::Scope;
use turnwise_study::store::Results;
use turnwise_study::workshop::Experiment;
use turnwise_study::{Plan, Runner, Source, Workshop};

/// A small network with channels between groups.
pub(crate) const MEGAFLY: &str = "[network]\nkind = 'megafly'\nhalf_radix = 4\ngroups = 5\n";
/// Routers of that network for all of the engine's paths: plain routers, output queues, and global channels that take a flit every third cycle.
pub(crate) const ROUTERS: [&str; 3] = [
    "[router]\nvirtual_channels = 4\nbuffer_flits = 32\n",
    "[router]\nvirtual_channels = 4\nbuffer_flits = 32\nkind = 'input-output-queued'\n",
    "channel_interval = { global = 3 }\n[router]\nvirtual_channels = 4\nbuffer_flits = 32\n",
];

/// A study, or everything that is wrong with it.
pub(crate) fn try_plan(text: &str) -> Result<Plan, Vec<Diagnostic>> {
    try_plan_in(Workshop::new("."), text)
}

/// The same with the files of a workshop.
pub(crate) fn try_plan_in(workshop: Workshop, text: &str) -> Result<Plan, Vec<Diagnostic>> {
    let (source, document) = Source::parse("study.toml", text.as_bytes(), &[]);
    Plan::new(source, &document?, workshop, Scope::Simulation, "test").map_err(|(_, errors)| errors)
}

/// A study that is expected to be flawless.
pub(crate) fn plan(text: &str) -> Plan {
    try_plan(text).unwrap_or_else(|errors| panic!("{errors:?} in\n{text}"))
}

/// The rows of all its points, on one thread, stored nowhere.
pub(crate) fn rows(text: &str) -> Vec<Row> {
    let (rows, summary) = run(&plan(text), 1, None);
    assert!(
        summary.failures.is_empty(),
        "{:?} in\n{text}",
        summary.failures
    );
    rows
}

/// The rows of a plan on so many threads, perhaps of the first of several processes, and how it went.
pub(crate) fn run(
    plan: &Plan,
    threads: usize,
    leader: Option<&Leader<'_>>,
) -> (Vec<Row>, RunSummary) {
    let stop = AtomicBool::new(false);
    let runner = Runner {
        plan,
        threads,
        stop: &stop,
        shard: (0, 1),
        messages: None,
        leader,
    };
    let mut results = Results::new();
    let summary = runner
        .run(&mut results, None, &plan.provenance, &mut |_| {})
        .unwrap();
    (plan.rows(&results).collect(), summary)
}

/// A figure that every such row has.
pub(crate) fn figure(row: &Row, column: &str) -> f64 {
    row.figure(column)
        .unwrap_or_else(|| panic!("no {column} in {row:?}"))
}

/// Simulates, every invariant holding if they are checked.
pub(crate) fn simulate(experiment: &Experiment, check: bool) -> Outcome {
    let setup = Setup {
        check,
        ..experiment.setup()
    };
    Simulation::new(setup)
        .run()
        .unwrap_or_else(|violation| panic!("{violation}"))
}
