//! Lossless Ethernet through the whole stack: times by formulas, contention by counting, no loss whatever is asked of it,
//! deadlocks where they were foreseen.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

mod contention;
mod lossless;
mod messages;
mod notifications;
mod times;

use crate::stack;
use turnwise_sim::{Ethernet, EthernetMeasurement, Outcome, Setup};
use turnwise_study::workshop::Experiment;

/// Bytes at 10 Gb/s.
const UNITS: &str = "[study]\nclock = '1.25 GHz'\nflit_size = '1 B'\n";

/// A fat tree of two levels: so many hosts a leaf, leaves, roots.
fn tree(hosts: u32, leaves: u32, roots: u32) -> String {
    format!(
        "[network]\nkind = 'xgft'\nm = [{hosts}, {leaves}]\nw = [1, {roots}]\nchannel_latency = '100 ns'\n"
    )
}

/// The first point of a study, with its own units.
fn experiment(text: &str) -> Experiment {
    let plan = stack::plan(&format!("{UNITS}{text}"));
    plan.experiment(&plan.point(0).unwrap(), None).unwrap()
}

/// Runs it, every choice checked.
fn run(experiment: &Experiment) -> Outcome {
    let setup = Setup {
        check: true,
        ..experiment.setup()
    };
    let model = experiment.ethernet.as_ref().unwrap();
    Ethernet::new(setup, model).run_while(|_| true).unwrap()
}

fn ethernet(outcome: &Outcome) -> &EthernetMeasurement {
    outcome.measurement.ethernet.as_ref().unwrap()
}
