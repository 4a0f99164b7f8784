//! Points that several processes simulate together.
//!
//! The first process runs the study as if it were alone. Before each simulation it says which one that is; the others
//! build the same and say whether they can; then all simulate their parts, and the first one has the outcome.

use crate::journals::PointJournals;
use crate::memory::{memory_limit_of_each, of_several, too_much};
use crate::plan::Plan;
use crate::provenance::digest;
use crate::trial::{Way, simulate_by, unkept};
use crate::workshop::Experiment;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use turnwise_sim::{Outcome, Processes};

/// What the other processes are to simulate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Order {
    /// Point of the study, and what it is: a study that has changed meanwhile is another one.
    index: usize,
    id: String,
    /// Another load than the point's, if a search for saturation wants it.
    load: Option<f64>,
    threads: usize,
    /// Bytes that each process needs at most.
    needed: u64,
    /// Are journals of ranks kept?
    journals: bool,
    /// The program that gives the order.
    build: String,
}

impl Order {
    /// A point of a plan, to be simulated so.
    pub(crate) fn new(plan: &Plan, way: &Way<'_>) -> Self {
        Self {
            index: way.planned.point.index,
            id: way.planned.id.to_string(),
            load: way.load,
            threads: way.threads,
            needed: way.needed,
            journals: way.journals.is_some(),
            build: plan.provenance.build(),
        }
    }
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
            self.processes.tell_all(encoded(&None::<Order>));
        }
    }

    /// How many processes there are.
    pub fn count(&self) -> usize {
        self.processes.count()
    }

    /// How many of them share this one's machine, itself included.
    pub(crate) fn beside(&self) -> usize {
        self.processes.machine().processes
    }

    /// Simulates what has been built here and is built everywhere else; `None` if a process was stopped meanwhile.
    ///
    /// # Errors
    /// In words, what went wrong, and where it is another process.
    pub(crate) fn simulate(
        &self,
        experiment: &Experiment,
        order: Order,
        journals: Option<&PointJournals>,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Outcome>, String> {
        let (threads, needed) = (order.threads, order.needed);
        self.processes.tell_all(encoded(&Some(order)));
        agree(self.processes, Ok(()))?;
        agree(self.processes, fits(needed, self.processes))?;
        let outcome = simulate_by(Some(self.processes), experiment, threads, stopped);
        // What ranks did is of interest above all if something went wrong.
        let gathered = journals.map_or(Ok(()), |journals| journals.gather(self.processes));
        let outcome = outcome?;
        gathered.map_err(unkept)?;
        Ok(outcome)
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

/// Does what the first process says until it is let go.
pub fn follow(plan: &Plan, processes: &dyn Processes, stopped: &dyn Fn() -> bool) {
    loop {
        let told = processes.tell_all(Vec::new());
        let built = match decoded::<Option<Order>>(&told[0]) {
            Some(None) => return,
            Some(Some(order)) => {
                build(plan, &order).map(|built| (built, order.threads, order.needed))
            }
            None => Err(format!("{UNCLEAR} the first one")),
        };
        let words = built.as_ref().map(|_| ()).map_err(Clone::clone);
        let agreed = agree(processes, words);
        if let (Ok(((experiment, journals), threads, needed)), Ok(())) = (built, agreed) {
            if agree(processes, fits(needed, processes)).is_err() {
                continue;
            }
            // What goes wrong here goes wrong in the first process, too, or is heard by it, which tells of it.
            let _ = simulate_by(Some(processes), &experiment, threads, stopped);
            let _ = journals.map(|journals| journals.gather(processes));
        }
    }
}

/// What is said where processes are not of the same turnwise at all.
const UNCLEAR: &str = "it is another turnwise, which does not understand";

const OTHER_STUDY: &str = "it has read another study than the first one";

fn other_build(own: &str, first: &str) -> String {
    format!("it is turnwise {own}, the first one {first}")
}

/// What an order is about, and what its ranks have journals in.
fn build(plan: &Plan, order: &Order) -> Result<(Experiment, Option<PointJournals>), String> {
    let own = plan.provenance.build();
    if order.build != own {
        return Err(other_build(&own, &order.build));
    }
    let planned = plan.point(order.index);
    let planned = planned.filter(|planned| planned.id.to_string() == order.id);
    let planned = planned.ok_or(OTHER_STUDY)?;
    let experiment = plan.experiment(&planned, order.load);
    let mut experiment = experiment.map_err(|error| plan.source.render_plain(&error))?;
    if order.load.is_some() {
        experiment.for_window_alone();
    }
    match order.journals {
        true => PointJournals::keep(experiment).map_err(unkept),
        false => Ok((experiment, None)),
    }
}

/// Is there the memory? On each machine one process looks, when all have what they simulate and need no more for that.
fn fits(needed: u64, processes: &dyn Processes) -> Result<(), String> {
    let beside = processes.machine();
    let limit = beside
        .is_first
        .then(|| memory_limit_of_each(beside.processes));
    match limit.flatten().filter(|&limit| needed > limit) {
        Some(limit) => {
            let what = of_several("it", beside.processes);
            Err(too_much(&what, needed, limit))
        }
        None => Ok(()),
    }
}

/// What processes tell each other before anything else.
#[derive(PartialEq, Serialize, Deserialize)]
struct Greeting {
    build: String,
    /// Digest of what identifies the points.
    points: String,
}

/// Are all of the same turnwise, and have they read the same study? All hear of the first one that differs from the first process.
///
/// # Errors
/// In words, what is different, and where.
pub fn meet(plan: &Plan, processes: &dyn Processes) -> Result<(), String> {
    let ids = (0..plan.len()).filter_map(|index| plan.id(index));
    let ids: String = ids.map(|id| format!("{id}\n")).collect();
    let own = Greeting {
        build: plan.provenance.build(),
        points: format!("{:016x}", digest(ids.as_bytes())),
    };
    let told = processes.tell_all(encoded(&own));
    let same = match decoded::<Greeting>(&told[0]) {
        Some(first) if first.build != own.build => Err(other_build(&own.build, &first.build)),
        Some(first) if first != own => Err(OTHER_STUDY.to_owned()),
        Some(_) => Ok(()),
        None => Err(format!("{UNCLEAR} the first one")),
    };
    agree(processes, same)
}

/// Can everybody go on? The first who cannot says why, and all hear it.
///
/// # Errors
/// What somebody said.
pub fn agree(processes: &dyn Processes, mine: Result<(), String>) -> Result<(), String> {
    let told = processes.tell_all(encoded(&mine.err()));
    let unclear = || Some(format!("{UNCLEAR} this one"));
    let words = told
        .iter()
        .map(|told| decoded(told).unwrap_or_else(unclear));
    match (0..)
        .zip(words)
        .find_map(|(rank, words)| Some((rank, words?)))
    {
        Some((0, words)) => Err(words),
        Some((rank, words)) => Err(format!("process {rank}: {words}")),
        None => Ok(()),
    }
}

/// As text, which other versions can read, too.
fn encoded<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

fn decoded<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    serde_json::from_slice(bytes).ok()
}
