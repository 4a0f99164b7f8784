//! Runs the points of a study on threads, skipping those whose results are there already.
//!
//! The point runner is the same for one thread, many threads, and one shard of an array
//! job. Results are written as they come, by one writer; which thread ran a point leaves
//! no trace in its row, apart from the seconds it took.

use crate::estimate::{Estimate, memory_limit};
use crate::plan::{Plan, PlannedPoint};
use crate::provenance::Provenance;
use crate::row::{ACCEPTED_SHARE, Row, is_saturated, number};
use crate::store::{Results, StoreError, Writer};
use crate::workshop::Experiment;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;
use turnwise_network::diagnostic::Diagnostic;
use turnwise_sim::{Ending, Outcome, Setup, Simulation};

/// A point that could not be simulated.
#[derive(Clone, Debug)]
pub struct PointFailure {
    /// Which point.
    pub index: usize,
    /// What happened.
    pub message: String,
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
        mut writer: Option<Writer>,
        provenance: &Provenance,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<RunSummary, StoreError> {
        let (own, of) = self.shard;
        let all: Vec<&PlannedPoint> = self
            .plan
            .points
            .iter()
            .filter(|point| point.point.index % of == own)
            .collect();
        let missing: Vec<&PlannedPoint> = all
            .iter()
            .copied()
            .filter(|point| !results.contains_key(&point.id))
            .collect();
        let mut summary = RunSummary {
            reused: all.len() - missing.len(),
            ..RunSummary::default()
        };
        let workers = self.threads.clamp(1, missing.len().max(1));
        let each = threads_each(self.threads, missing.len());
        let (next, abort) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (sender, receiver) = mpsc::channel();
        let mut flit_hops = 0;
        std::thread::scope(|scope| {
            for _ in 0..workers {
                let (sender, missing, next, abort) = (sender.clone(), &missing, &next, &abort);
                scope.spawn(move || {
                    while let Some(&point) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let stopped =
                            || self.stop.load(Ordering::Relaxed) || abort.load(Ordering::Relaxed);
                        if stopped()
                            || sender
                                .send((point, self.simulate(point, each, &stopped)))
                                .is_err()
                        {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let mut done = summary.reused;
            progress(Progress {
                done,
                total: all.len(),
                flit_hops,
            });
            for (point, result) in receiver {
                match result {
                    Ok(Some(row)) => {
                        flit_hops += row.figure("flit_hops").unwrap_or(0.0) as u64;
                        if let Some(writer) = &mut writer
                            && let Err(error) = writer.add(&point.id, &row, provenance)
                        {
                            abort.store(true, Ordering::Relaxed);
                            return Err(error);
                        }
                        results.insert(point.id.clone(), row);
                        summary.simulated += 1;
                    }
                    Ok(None) => continue,
                    Err(message) => summary.failures.push(PointFailure {
                        index: point.point.index,
                        message,
                    }),
                }
                done += 1;
                progress(Progress {
                    done,
                    total: all.len(),
                    flit_hops,
                });
            }
            Ok(())
        })?;
        summary.failures.sort_by_key(|failure| failure.index);
        summary.interrupted = self.stop.load(Ordering::Relaxed);
        Ok(summary)
    }

    /// The row of one point; `None` if the run was stopped meanwhile.
    fn simulate(
        &self,
        planned: &PlannedPoint,
        threads: usize,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Row>, String> {
        let start = Instant::now();
        let experiment = self
            .plan
            .experiment(planned, None)
            .map_err(|error| error.to_string())?;
        let limit = memory_limit();
        let estimate = Estimate::within(&experiment, threads, limit);
        let (needed, threads) = (estimate.bytes, estimate.threads);
        if let Some(limit) = limit.filter(|&limit| needed > limit) {
            let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
            return Err(format!(
                "it needs {:.1} GiB of memory, and there are only {:.1}",
                gib(needed),
                gib(limit)
            ));
        }
        let outcome = simulate(&experiment, threads, stopped)?;
        let Some(outcome) = outcome else {
            return Ok(None);
        };
        let mut row = Row::new(
            &planned.point,
            self.plan.is_repeated(),
            &experiment,
            &outcome,
            0.0,
        );
        if experiment.find_saturation {
            let load_at = |load| self.plan.experiment(planned, Some(load));
            match saturation(&load_at, threads, stopped)? {
                Some(load) => row.0.insert("saturation_load".into(), number(load)),
                None => return Ok(None),
            };
        }
        row.0
            .insert("seconds".into(), number(start.elapsed().as_secs_f64()));
        Ok(Some(row))
    }
}

fn simulate(
    experiment: &Experiment,
    threads: usize,
    stopped: &dyn Fn() -> bool,
) -> Result<Option<Outcome>, String> {
    let hops = experiment.routed.minimal.between();
    let setup = Setup {
        network: &experiment.routed.network,
        routing: &*experiment.routed.routing,
        injector: &*experiment.injector,
        model: &experiment.model,
        phases: &experiment.phases,
        seed: experiment.seed,
        minimal: hops.as_ref().map(|hops| hops as _),
        check: experiment.check,
        threads,
    };
    let outcome = Simulation::new(setup)
        .run_while(|_| !stopped())
        .map_err(|violation| violation.to_string())?;
    match outcome.ending {
        Ending::Interrupted => Ok(None),
        Ending::Lost {
            source,
            destination,
        } => Err(format!(
            "the routing cannot deliver packets from terminal {source} to terminal {destination}"
        )),
        _ => Ok(Some(outcome)),
    }
}

/// The highest load of which [`ACCEPTED_SHARE`] is accepted, to half a percent, by bisection.
fn saturation(
    experiment_at: &dyn Fn(f64) -> Result<Experiment, Diagnostic>,
    threads: usize,
    stopped: &dyn Fn() -> bool,
) -> Result<Option<f64>, String> {
    debug_assert!((0.5..1.0).contains(&ACCEPTED_SHARE));
    let (mut low, mut high) = (0.0, 1.0);
    let mut probe = 1.0;
    loop {
        let mut experiment = experiment_at(probe).map_err(|error| error.to_string())?;
        // The window alone tells what is accepted.
        experiment.phases.drain = false;
        let Some(outcome) = simulate(&experiment, threads, stopped)? else {
            return Ok(None);
        };
        if is_saturated(&experiment, &outcome) {
            high = probe
        } else {
            low = probe
        }
        if high - low <= 0.005 * high || low >= 1.0 {
            return Ok(Some(low));
        }
        probe = (low + high) / 2.0;
    }
}
