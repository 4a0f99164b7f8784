//! Runs the points of a study on threads, skipping those whose results are there already.
//!
//! The point runner is the same for one thread, many threads, and one shard of an array
//! job. Results are written as they come, by one writer; which thread ran a point leaves
//! no trace in its row, apart from the seconds it took.

use crate::handout::{InOrder, Share};
use crate::memory::Budget;
use crate::naming::point_words;
use crate::plan::Plan;
use crate::processes::Leader;
use crate::provenance::Provenance;
use crate::row::point_fields;
use crate::searches::{self, Searches};
use crate::store::{Results, StoreError, Writer, read_failures};
use crate::trial::Trial;
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

/// A point that could not be simulated.
#[derive(Clone, Debug)]
pub struct PointFailure {
    /// Which point.
    pub index: usize,
    /// The point for people: its number, and the values of what is swept.
    pub name: String,
    /// What happened.
    pub message: String,
}

impl PointFailure {
    fn new(plan: &Plan, index: usize, message: String) -> Self {
        Self {
            index,
            name: Self::name(plan, index),
            message,
        }
    }

    /// Those of earlier runs whose points have no result yet, as the stores of a folder have noted them.
    ///
    /// # Errors
    /// A store that cannot be read or is damaged.
    pub fn noted(plan: &Plan, results: &Results, folder: &Path) -> Result<Vec<Self>, StoreError> {
        // Most studies have a result for each, and stores are many after an array of jobs.
        if plan.missing(results).next().is_none() {
            return Ok(Vec::new());
        }
        let mut noted = read_failures(folder)?;
        let failure = |index| Some(Self::new(plan, index, noted.remove(&plan.id(index)?)?));
        Ok(plan.missing(results).filter_map(failure).collect())
    }

    /// What a point is called: `point 2 (traffic.load = 0.3, routing.kind = valiant)`.
    pub fn name(plan: &Plan, index: usize) -> String {
        let repeated = plan.is_repeated();
        let planned = plan.point(index);
        let fields = planned.map(|planned| point_fields(&planned.point, repeated));
        let fields = fields.iter().flatten();
        let words = point_words(fields.map(|(name, value)| (name.as_str(), value)));
        let number = format!("point {index}");
        match words.is_empty() {
            true => number,
            false => format!("{number} ({words})"),
        }
    }
}

impl fmt::Display for PointFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} failed: {}", self.name, self.message)
    }
}

/// What a run did.
#[derive(Clone, Debug, Default)]
pub struct RunSummary {
    /// Points simulated now.
    pub simulated: usize,
    /// Points whose results were there.
    pub reused: usize,
    /// Points that failed.
    pub failures: Vec<PointFailure>,
    /// Was the run stopped before all points were done?
    pub interrupted: bool,
}

/// As many threads as there are cores.
pub fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Threads that simulate one of so many points: those that find none of their own help another one.
pub fn threads_each(threads: usize, points: usize) -> usize {
    let workers = threads.clamp(1, points.max(1));
    (threads / workers).max(1)
}

/// Something to show while the study runs.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Points done, reused ones included.
    pub done: usize,
    /// All points of this run.
    pub total: usize,
    /// Flit-hops simulated so far.
    pub flit_hops: u64,
}

/// How a study is run.
pub struct Runner<'a> {
    /// What to run.
    pub plan: &'a Plan,
    /// Threads to use, at least one.
    pub threads: usize,
    /// Set by the caller to stop soon; finished points are kept.
    pub stop: &'a AtomicBool,
    /// Only points that are [in this shard](is_in_shard).
    pub shard: (usize, usize),
    /// A folder for the log of messages of every point that is simulated, if it is wanted.
    pub messages: Option<&'a Path>,
    /// If this is the first of several processes that simulate every point together, one point after the other:
    /// what it leads the others by.
    pub leader: Option<&'a Leader<'a>>,
}

/// Is the point with this index one of those that a shard simulates, the first of which is 0, of so many?
pub fn is_in_shard(index: usize, (own, of): (usize, usize)) -> bool {
    index % of == own
}

impl Runner<'_> {
    /// Runs every point of the shard that has no result yet, adds new rows to `results`
    /// and, if there is one, to the store.
    ///
    /// # Errors
    /// A store that cannot be written; points that fail are reported in the summary.
    pub fn run(
        &self,
        results: &mut Results,
        writer: Option<Writer>,
        provenance: &Provenance,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<RunSummary, StoreError> {
        let is_own = |index: &usize| is_in_shard(*index, self.shard);
        let missing = self.plan.missing(results).filter(is_own).collect();
        let missing = searches::first(self.plan, missing);
        let share = Share {
            handout: &InOrder::new(&missing),
            total: (0..self.plan.len()).filter(is_own).count(),
            missing: missing.len(),
        };
        self.run_share(&share, results, writer, provenance, progress)
    }

    /// The same for points that are handed out, whatever the shard.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_share(
        &self,
        share: &Share<'_>,
        results: &mut Results,
        mut writer: Option<Writer>,
        provenance: &Provenance,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<RunSummary, StoreError> {
        let (plan, total) = (self.plan, share.total);
        let mut summary = RunSummary {
            reused: total - share.missing,
            ..RunSummary::default()
        };
        let at_once = self.leader.map_or(share.missing, |_| 1);
        let workers = self.threads.clamp(1, at_once.max(1));
        let abort = AtomicBool::new(false);
        let trial = &Trial {
            plan,
            threads: threads_each(self.threads, at_once),
            budget: &Budget::default(),
            searches: &Searches::default(),
            memory: None,
            messages: self.messages,
            leader: self.leader,
        };
        // Rows that wait to be stored take memory, too.
        let (sender, receiver) = mpsc::sync_channel(2 * workers);
        let mut flit_hops = 0;
        std::thread::scope(|scope| {
            for _ in 0..workers {
                let (sender, abort) = (sender.clone(), &abort);
                scope.spawn(move || {
                    let stopped =
                        || self.stop.load(Ordering::Relaxed) || abort.load(Ordering::Relaxed);
                    let next = || match stopped() {
                        true => None,
                        false => share.handout.next(),
                    };
                    while let Some(point) = next().and_then(|index| plan.point(index)) {
                        let result = trial.run(&point, &stopped);
                        // Another process may have been stopped.
                        let goes_on = !matches!(result, Ok(None));
                        let sent = sender.send((point.point.index, point.id, result));
                        if sent.is_err() || !goes_on {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let mut done = summary.reused;
            progress(Progress {
                done,
                total,
                flit_hops,
            });
            for (index, id, result) in receiver {
                let kept = match (&mut writer, &result) {
                    (Some(writer), Ok(Some(found))) => {
                        writer.add_all(&id, &found.row, found.details.as_deref(), provenance)
                    }
                    (Some(writer), Err(message)) => writer.note_failure(&id, message),
                    _ => Ok(()),
                };
                if let Err(error) = kept {
                    abort.store(true, Ordering::Relaxed);
                    return Err(error);
                }
                match result {
                    Ok(Some(found)) => {
                        let row = &found.row;
                        flit_hops += row.figure("flit_hops").unwrap_or(0.0) as u64;
                        results.insert(id, row);
                        summary.simulated += 1;
                    }
                    Ok(None) => {
                        summary.interrupted = true;
                        continue;
                    }
                    Err(message) => {
                        let failure = PointFailure::new(plan, index, message);
                        summary.failures.push(failure);
                    }
                }
                done += 1;
                progress(Progress {
                    done,
                    total,
                    flit_hops,
                });
            }
            Ok(())
        })?;
        summary.failures.sort_by_key(|failure| failure.index);
        summary.interrupted |= self.stop.load(Ordering::Relaxed);
        Ok(summary)
    }
}
