//! Runs the points of a study on threads, skipping those whose results are there already.
//!
//! The point runner is the same for one thread, many threads, and one shard of an array
//! job. Results are written as they come, by one writer; which thread ran a point leaves
//! no trace in its row, apart from the seconds it took.

use crate::demand::Demand;
use crate::details::{Details, are_kept};
use crate::estimate::Estimate;
use crate::handout::{InOrder, Share};
use crate::journals::PointJournals;
use crate::memory::{Budget, memory_limit, too_much};
use crate::naming::point_words;
use crate::plan::{Plan, PlannedPoint};
use crate::processes::{Leader, Which};
use crate::provenance::Provenance;
use crate::row::{Row, point_fields};
use crate::saturation::{Probe, search};
use crate::store::{Results, StoreError, Writer};
use crate::workshop::Experiment;
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Instant;
use turnwise_sim::{Crew, Ending, Ethernet, Outcome, Processes, Setup, Simulation, Stalled};

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

/// A point's row, and its encoded details if they are kept.
type Finished = (Row, Option<Vec<u8>>);

/// How a study is run.
pub struct Runner<'a> {
    /// What to run.
    pub plan: &'a Plan,
    /// Threads to use, at least one.
    pub threads: usize,
    /// Set by the caller to stop soon; finished points are kept.
    pub stop: &'a AtomicBool,
    /// Only points whose index is `shard.0` modulo `shard.1`.
    pub shard: (usize, usize),
    /// A folder for the log of messages of every point that is simulated, if it is wanted.
    pub messages: Option<&'a Path>,
    /// If this is the first of several processes that simulate every point together, one point after the other:
    /// what it leads the others by. Nobody then keeps journals of ranks, because none knows all of them.
    pub leader: Option<&'a Leader<'a>>,
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
        let (own, of) = self.shard;
        let is_own = |index: &usize| index % of == own;
        let missing: Vec<usize> = self.plan.missing(results).filter(is_own).collect();
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
        let each = threads_each(self.threads, at_once);
        let abort = AtomicBool::new(false);
        let budget = &Budget::default();
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
                        let result = self.simulate(&point, each, budget, &stopped);
                        if sender.send((point.point.index, point.id, result)).is_err() {
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
                match result {
                    Ok(Some((row, details))) => {
                        flit_hops += row.figure("flit_hops").unwrap_or(0.0) as u64;
                        if let Some(writer) = &mut writer
                            && let Err(error) =
                                writer.add_all(&id, &row, details.as_deref(), provenance)
                        {
                            abort.store(true, Ordering::Relaxed);
                            return Err(error);
                        }
                        results.insert(id, &row);
                        summary.simulated += 1;
                    }
                    Ok(None) => continue,
                    Err(message) => summary.failures.push(PointFailure {
                        index,
                        name: PointFailure::name(plan, index),
                        message,
                    }),
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
        summary.interrupted = self.stop.load(Ordering::Relaxed);
        Ok(summary)
    }

    /// The row of one point, and its details if they are kept; `None` if the run was stopped meanwhile.
    fn simulate(
        &self,
        planned: &PlannedPoint,
        threads: usize,
        budget: &Budget,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Finished>, String> {
        let start = Instant::now();
        let experiment = self
            .plan
            .experiment(planned, None)
            .map_err(|error| error.to_string())?;
        let wants_journals = experiment.timeline || self.messages.is_some();
        let (experiment, journals) = match wants_journals && self.leader.is_none() {
            true => PointJournals::keep(experiment).map_err(unkept)?,
            false => (experiment, None),
        };
        let limit = memory_limit();
        let processes = self.leader.map_or(1, Leader::count);
        let crew = Crew { processes, threads };
        let estimate = Estimate::within(&experiment, crew, limit);
        let (needed, threads) = (estimate.bytes, estimate.threads);
        if let Some(limit) = limit.filter(|&limit| needed > limit) {
            return Err(too_much("it", needed, limit));
        }
        let _share = budget.take(needed, limit);
        let which = Which {
            index: planned.point.index,
            id: planned.id,
            load: None,
            threads,
        };
        let Some(outcome) = self.outcome(&experiment, which, stopped).transpose() else {
            return Ok(None);
        };
        // What a program has sent is of interest above all if it did not come to its end.
        if let (Some(journals), Some(folder)) = (&journals, self.messages) {
            let file = folder.join(format!("point-{}.csv", planned.point.index));
            let written = journals.write_messages(&experiment, &file);
            written.map_err(|error| format!("cannot write {}: {error}", file.display()))?;
        }
        let outcome = outcome?;
        let mut row = Row::new(
            &planned.point,
            self.plan.is_repeated(),
            &experiment,
            &outcome,
            0.0,
        );
        if experiment.find_saturation
            && let Demand::Open { highest_load, .. } = experiment.demand
        {
            let mut probe = |load| self.probe(planned, load, which, stopped);
            let Some(found) = search(highest_load, &mut probe)? else {
                return Ok(None);
            };
            let columns = [
                ("saturation_load", found.load),
                ("saturation_load_ci", found.half_width),
            ];
            for (column, value) in columns {
                row.set(column, value);
            }
        }
        row.set("seconds", start.elapsed().as_secs_f64());
        let kept = experiment
            .details
            .unwrap_or_else(|| are_kept(&experiment.routed.network));
        let mut details = kept.then(|| Details::new(&experiment, &outcome.measurement));
        if let Some(journals) =
            journals.filter(|_| experiment.timeline && outcome.makespan.is_some())
        {
            let timeline = journals.timeline().map_err(unkept)?;
            details.get_or_insert_default().timeline = Some(timeline);
        }
        Ok(Some((row, details.map(|details| details.encode()))))
    }

    /// What a point's network makes of another load; `None` if the run was stopped meanwhile.
    fn probe(
        &self,
        planned: &PlannedPoint,
        load: f64,
        which: Which,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Probe>, String> {
        let experiment = self.plan.experiment(planned, Some(load));
        let mut experiment = experiment.map_err(|error| error.to_string())?;
        experiment.for_window_alone();
        let which = Which {
            load: Some(load),
            ..which
        };
        let outcome = self.outcome(&experiment, which, stopped)?;
        Ok(outcome.map(|outcome| Probe::new(&experiment, &outcome)))
    }

    /// What simulating comes to, here or in all processes; `None` if it was stopped meanwhile.
    fn outcome(
        &self,
        experiment: &Experiment,
        which: Which,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Outcome>, String> {
        match self.leader {
            // What is not cut into domains is simulated by one.
            Some(leader) if experiment.ethernet.is_none() && !experiment.check => {
                leader.simulate(experiment, which, stopped)
            }
            _ => simulate_by(None, experiment, which.threads, stopped),
        }
    }
}

/// Journals lie in a file for temporary things.
fn unkept(error: std::io::Error) -> String {
    let folder = std::env::temp_dir();
    format!(
        "cannot keep the journals of ranks in {}: {error}",
        folder.display()
    )
}

/// Simulates an experiment, alone or with others; `None` if it was stopped, or if this is not the first process.
pub(crate) fn simulate_by(
    processes: Option<&dyn Processes>,
    experiment: &Experiment,
    threads: usize,
    stopped: &dyn Fn() -> bool,
) -> Result<Option<Outcome>, String> {
    let hops = experiment.routed.minimal.between();
    let setup = Setup {
        minimal: hops.as_ref().map(|hops| hops as _),
        check: experiment.check,
        threads,
        ..experiment.setup()
    };
    let go_on = |_| !stopped();
    let simulation = || {
        Simulation::new(setup)
            .with_herding(experiment.herding)
            .with_channel_course(experiment.channel_interval)
    };
    let outcome = match (&experiment.ethernet, processes) {
        (Some(model), _) => Ethernet::new(setup, model).run_while(go_on).map(Some),
        (None, Some(processes)) => simulation().run_among(processes, go_on),
        (None, None) => simulation().run_while(go_on).map(Some),
    };
    let Some(outcome) = outcome.map_err(|violation| violation.to_string())? else {
        return Ok(None);
    };
    match outcome.ending {
        Ending::Interrupted => Ok(None),
        Ending::Lost {
            source,
            destination,
        } => Err(format!(
            "the routing cannot deliver packets from terminal {source} to terminal {destination}"
        )),
        Ending::Stalled(ref terminals) => match stalled(terminals) {
            Some(words) => Err(words),
            None => Ok(Some(outcome)),
        },
        _ => Ok(Some(outcome)),
    }
}

/// So many of those who wait are told of.
const WAITING_TOLD: usize = 4;

/// Who waits for what for ever, if the agents say so.
fn stalled(terminals: &[Stalled]) -> Option<String> {
    let waits = terminals
        .iter()
        .filter_map(|stalled| stalled.waits.as_deref());
    let told: Vec<&str> = waits.take(WAITING_TOLD).collect();
    let more = terminals.len().saturating_sub(told.len());
    let more = if more > 0 {
        format!("; and {more} more")
    } else {
        String::new()
    };
    (!told.is_empty()).then(|| format!("the program waits for ever: {}{more}", told.join("; ")))
}
