//! Journals of a point's programs: where they lie while it is simulated, and the log of messages that is made of them.
//!
//! They are as long as programs, so they are in a file without a name, which is gone with the process.

mod gathering;

use crate::demand::Demand;
use crate::export::{fill_atomically, quoted};
use crate::minimal_hops::MinimalHops;
use crate::workload::SeatedJob;
use crate::workshop::Experiment;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use turnwise_application::journal::{Delivery, Journals, Shelf, Timeline, messages, timeline};
use turnwise_network::{Network, TerminalId};
use turnwise_sim::Processes;
use turnwise_workload::{Kept, journalled};

/// How times of journals are told.
#[derive(Clone, Copy)]
pub struct Clock {
    /// What is before and behind the names of columns.
    pub names: [&'static str; 2],
    /// A time in words.
    pub words: fn(u64) -> String,
}

impl Clock {
    /// Cycles of a network.
    pub const CYCLES: Self = Self {
        names: ["cycle_", ""],
        words: |cycles| cycles.to_string(),
    };
    /// Picoseconds of a replay, in nanoseconds.
    pub const NANOSECONDS: Self = Self {
        names: ["", "_ns"],
        words: |picoseconds| (picoseconds as f64 / 1000.0).to_string(),
    };

    /// The names of columns that have the beginning and the end of something.
    pub(crate) fn range(&self) -> String {
        let [before, behind] = self.names;
        format!("{before}from{behind},{before}to{behind}")
    }
}

/// A shelf for journals, which takes no memory.
///
/// # Errors
/// No place for its file.
pub fn shelf() -> io::Result<Box<dyn Shelf>> {
    Ok(Box::new(Spill(Mutex::new(tempfile::tempfile()?))))
}

/// A file that pieces are put into one behind the other.
struct Spill(Mutex<File>);

impl Shelf for Spill {
    fn keep(&self, piece: &[u8]) -> io::Result<u64> {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = file.seek(SeekFrom::End(0))?;
        file.write_all(piece)?;
        Ok(at)
    }

    fn fetch(&self, at: u64, piece: &mut [u8]) -> io::Result<()> {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(piece)
    }
}

/// The journals of a point.
pub(crate) struct PointJournals {
    journals: Arc<Journals>,
    /// By rank, in the journals' order.
    terminals: Vec<TerminalId>,
    /// What programs are called; none if there is but one.
    names: Vec<String>,
}

impl PointJournals {
    /// Has the programs of a point keep journals; nothing where terminals depend on nothing.
    ///
    /// # Errors
    /// No place for the file.
    pub(crate) fn keep(experiment: Experiment) -> io::Result<(Experiment, Option<Self>)> {
        let (demand, journals) = match experiment.demand {
            Demand::Closed { workload, jobs } => {
                let journals = Self::of(&jobs, &experiment.routed.network)?;
                let kept = Arc::clone(&journals.journals);
                let kept = Kept::new(kept, &experiment.routed.network, &journals.terminals);
                let workload = journalled(workload, kept);
                let demand = Demand::Closed { workload, jobs };
                (demand, Some(journals))
            }
            demand @ Demand::Open { .. } => (demand, None),
        };
        let experiment = Experiment {
            demand,
            ..experiment
        };
        Ok((experiment, journals))
    }

    /// Of jobs, or of a program whose ranks are where workloads have them anyway.
    fn of(jobs: &[SeatedJob], network: &Network) -> io::Result<Self> {
        let seats = jobs.iter().map(|job| job.seats.terminals.clone());
        let seats: Vec<Vec<TerminalId>> = match jobs {
            [] => vec![network.living_terminals().collect()],
            _ => seats.collect(),
        };
        let ranks: Vec<u32> = seats.iter().map(|seats| seats.len() as u32).collect();
        let names = jobs.iter().filter(|_| jobs.len() > 1);
        Ok(Self {
            journals: Arc::new(Journals::new(&ranks, shelf()?)),
            terminals: seats.concat(),
            names: names.map(|job| job.name.clone()).collect(),
        })
    }

    /// Has the first of several processes keep what all others have kept of their ranks.
    ///
    /// # Errors
    /// Journals that could not be kept somewhere.
    pub(crate) fn gather(&self, processes: &dyn Processes) -> io::Result<()> {
        gathering::gather(&self.journals, processes)
    }

    /// What the ranks did.
    ///
    /// # Errors
    /// Journals that could not be kept.
    pub(crate) fn timeline(&self) -> io::Result<Timeline> {
        self.journals.check()?;
        timeline(&self.journals)
    }

    /// Writes a line for each message into a file.
    ///
    /// # Errors
    /// As [`timeline`](Self::timeline), and what the file system says.
    pub(crate) fn write_messages(&self, experiment: &Experiment, file: &Path) -> io::Result<()> {
        self.journals.check()?;
        let hops = experiment.routed.minimal.between();
        let hops = |message: &Delivery| {
            let first = self.journals.programs()[message.program as usize];
            let ends = [message.source, message.destination];
            let ends = ends.map(|rank| self.terminals[(first + rank) as usize]);
            let hops = hops.as_ref().map(|hops| hops(ends[0], ends[1]));
            hops.filter(|&hops| hops != MinimalHops::FAR).map(u64::from)
        };
        fill_atomically(file, &mut |out| {
            let job = if self.names.is_empty() { "" } else { "job," };
            writeln!(out, "{job}{},minimal_hops", columns(Clock::CYCLES))?;
            messages(&self.journals, &mut |message| {
                if let Some(name) = self.names.get(message.program as usize) {
                    write!(out, "{},", quoted(name))?;
                }
                let minimal = hops(message).map_or(String::new(), |hops| hops.to_string());
                writeln!(out, "{},{minimal}", line(message, Clock::CYCLES))
            })
        })
    }
}

/// Writes a line for each message of a replay.
///
/// # Errors
/// Journals that cannot be read, and what writing says.
pub fn write_replayed(journals: &Journals, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", columns(Clock::NANOSECONDS))?;
    messages(journals, &mut |message| {
        writeln!(out, "{}", line(message, Clock::NANOSECONDS))
    })
}

/// What the columns of a line are.
fn columns(clock: Clock) -> String {
    let times = ["posted", "left", "arrived", "receive_posted", "received"];
    let times = times
        .map(|name| format!("{name}{}", clock.names[1]))
        .join(",");
    format!("source,destination,tag,communicator,collective,bytes,{times}")
}

/// A message as a line of a file.
fn line(message: &Delivery, clock: Clock) -> String {
    let Delivery {
        source,
        destination,
        tag,
        communicator,
        is_collective,
        bytes,
        ..
    } = message;
    let times = [
        Some(message.posted),
        message.left,
        message.arrived,
        message.receive_posted,
        message.received,
    ];
    let times = times
        .map(|at| at.map_or(String::new(), clock.words))
        .join(",");
    format!("{source},{destination},{tag},{communicator},{is_collective},{bytes},{times}")
}
