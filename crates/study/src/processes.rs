//! Points that several processes simulate together.
//!
//! The first process runs the study as if it were alone. Before each simulation it says which one that is; the others
//! build the same and say whether they can; then all simulate their parts, and the first one has the outcome.

use crate::plan::Plan;
use crate::sweep::PointId;
use crate::trial::simulate_by;
use crate::workshop::Experiment;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use turnwise_sim::{Outcome, Processes};

/// What the other processes are to simulate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    /// Point of the study, and what it is: a study that has changed meanwhile is another one.
    index: usize,
    id: String,
    /// Another load than the point's, if a search for saturation wants it.
    load: Option<f64>,
    threads: usize,
    /// Who gives the order.
    version: String,
}

/// The first of several processes. The others are let go when it is dropped, if not before.
pub struct Leader<'a> {
    processes: &'a dyn Processes,
    is_alone: AtomicBool,
}

impl<'a> Leader<'a> {
    /// Of processes that [`follow`].
    pub fn new(processes: &'a dyn Processes) -> Self {
        Self {
            processes,
            is_alone: AtomicBool::new(false),
        }
    }

    /// Lets the others go: nothing more will be simulated.
    pub fn let_go(&self) {
        if !self.is_alone.swap(true, Ordering::Relaxed) {
            send(self.processes, &None::<Order>);
        }
    }

    /// How many processes there are.
    pub fn count(&self) -> usize {
        self.processes.count()
    }

    /// Simulates what has been built here and is built everywhere else; `None` if a process was stopped meanwhile.
    ///
    /// # Errors
    /// In words, what went wrong, and where it is another process.
    pub(crate) fn simulate(
        &self,
        experiment: &Experiment,
        which: Which,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Outcome>, String> {
        let order = Order {
            index: which.index,
            id: which.id.to_string(),
            load: which.load,
            threads: which.threads,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        send(self.processes, &Some(order));
        agree(self.processes, Ok(()))?;
        simulate_by(Some(self.processes), experiment, which.threads, stopped)
    }
}

impl Drop for Leader<'_> {
    fn drop(&mut self) {
        // A process that panics takes the others along, which do not listen any more.
        if !std::thread::panicking() {
            self.let_go();
        }
    }
}

/// Which simulation of a study.
#[derive(Clone, Copy)]
pub(crate) struct Which {
    pub(crate) index: usize,
    pub(crate) id: PointId,
    pub(crate) load: Option<f64>,
    pub(crate) threads: usize,
}

/// Does what the first process says until it is let go.
pub fn follow(plan: &Plan, processes: &dyn Processes, stopped: &dyn Fn() -> bool) {
    while let Some(order) = receive::<Option<Order>>(processes).flatten() {
        let built = build(plan, &order);
        let words = built.as_ref().map(|_| ()).map_err(Clone::clone);
        if let (Ok(experiment), Ok(())) = (built, agree(processes, words)) {
            // What goes wrong here goes wrong in the first process, too, which tells of it.
            let _ = simulate_by(Some(processes), &experiment, order.threads, stopped);
        }
    }
}

/// What an order is about.
fn build(plan: &Plan, order: &Order) -> Result<Experiment, String> {
    if order.version != env!("CARGO_PKG_VERSION") {
        return Err(format!(
            "it is turnwise {}, the first one {}",
            env!("CARGO_PKG_VERSION"),
            order.version
        ));
    }
    let planned = plan.point(order.index);
    let planned = planned.filter(|planned| planned.id.to_string() == order.id);
    let planned = planned.ok_or("it has read another study")?;
    let experiment = plan.experiment(&planned, order.load);
    let mut experiment = experiment.map_err(|error| error.to_string())?;
    if order.load.is_some() {
        experiment.for_window_alone();
    }
    Ok(experiment)
}

/// Can everybody go on? The first who cannot says why, and all hear it.
///
/// # Errors
/// What somebody said.
pub fn agree(processes: &dyn Processes, mine: Result<(), String>) -> Result<(), String> {
    let words = encoded(&mine.err());
    let outgoing = vec![words; processes.count()];
    let mut incoming = vec![Vec::new(); processes.count()];
    processes.exchange(&outgoing, &mut incoming);
    incoming[processes.rank()].clone_from(&outgoing[0]);
    let told = incoming
        .iter()
        .map(|words| decoded::<Option<String>>(words));
    match told
        .enumerate()
        .find_map(|(rank, words)| Some((rank, words.flatten()?)))
    {
        Some((0, words)) => Err(words),
        Some((rank, words)) => Err(format!("process {rank}: {words}")),
        None => Ok(()),
    }
}

/// Tells all other processes.
fn send<T: Serialize>(processes: &dyn Processes, what: &T) {
    let outgoing = vec![encoded(what); processes.count()];
    let mut incoming = vec![Vec::new(); processes.count()];
    processes.exchange(&outgoing, &mut incoming);
}

/// What the first process tells.
fn receive<T: DeserializeOwned>(processes: &dyn Processes) -> Option<T> {
    let outgoing = vec![Vec::new(); processes.count()];
    let mut incoming = vec![Vec::new(); processes.count()];
    processes.exchange(&outgoing, &mut incoming);
    decoded(&incoming[0])
}

/// As text, which other versions can read, too.
fn encoded<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

fn decoded<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    serde_json::from_slice(bytes).ok()
}
