//! Round after round: submits what is missing, watches the stores, and asks what became of the rest.
//!
//! Nothing that is known is kept here: results are in the stores, and which job is under way stands
//! in the folder of its round. So whoever runs the same command again goes on where this ended.

use crate::blame::Inquest;
use crate::error::ClusterError;
use crate::round::Round;
use crate::submission::Request;
use crate::tasks::{Known, Tasks, ask, cancel_waiting};
use crate::units::{bundles, by_cost, tasks_for};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use turnwise_study::Plan;
use turnwise_study::export::{outermost_missing, remove_empty};
use turnwise_study::results::Results;
use turnwise_study::runner::{PointFailure, RunSummary};
use turnwise_study::store::Writer;
use turnwise_study::sweep::PointId;

/// A study that is to be run as array jobs.
pub struct Drive<'a> {
    /// The study.
    pub plan: &'a Plan,
    /// Where results are stored.
    pub stored: &'a Path,
    /// The folder of all rounds.
    pub rounds: &'a Path,
    /// What is asked of Slurm.
    pub request: &'a Request,
    /// Wait for the end?
    pub wait: bool,
    /// Set by the caller to stop waiting soon; jobs go on.
    pub stop: &'a AtomicBool,
}

/// What has happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// A job was submitted: its number, its tasks, their points.
    Submitted(String, usize, usize),
    /// This job of an earlier command is still under way.
    Found(String),
    /// So many points have results; what tasks do, if Slurm says so.
    Progress(usize, String),
    /// Slurm has no answer just now, and why.
    Silent(String),
    /// A job has ended and so many points have no result; how its tasks ended.
    Left(String, usize, String),
}

/// How it ended.
pub struct Driven {
    /// All results there are.
    pub results: Results,
    /// What was done.
    pub summary: RunSummary,
    /// The job that goes on.
    pub under_way: Option<String>,
}

impl Drive<'_> {
    /// Runs every point that has no result, as far as that is possible.
    ///
    /// # Errors
    /// A job that is refused or cannot begin; a store that cannot be read.
    pub fn run(&self, tell: &mut dyn FnMut(News)) -> Result<Driven, ClusterError> {
        let mut results = self.plan.results(self.stored)?;
        let reused = results.len();
        let (mut given_up, mut suspects) = (BTreeMap::new(), BTreeSet::new());
        let mut found = self.under_way()?;
        let mut under_way = None;
        loop {
            let open = self.open(&results, &given_up);
            let is_ours = found.is_none();
            let (round, job) = match found.take() {
                Some((round, job)) => {
                    tell(News::Found(job.clone()));
                    (round, job)
                }
                None if open.is_empty() => break,
                None => self.submit(&open, tell)?,
            };
            if !self.wait {
                under_way = Some(job);
                break;
            }
            let Some(tasks) = self.watch(&job, &mut results, tell)? else {
                results = self.plan.results(self.stored)?;
                under_way = Some(job);
                break;
            };
            let inquest = Inquest {
                plan: self.plan,
                round: &round,
                job: &job,
                tasks: &tasks,
                threads: self.request.threads,
            };
            let suspected = suspects.len();
            given_up.extend(inquest.given_up(&results, &mut suspects)?);
            let left = self.open(&results, &given_up).len();
            if left == 0 {
                break;
            }
            tell(News::Left(job.clone(), left, inquest.endings()));
            if tasks.are_all_cancelled() {
                // Whoever cancels a whole job does not want another one.
                break;
            }
            if is_ours && left == open.len() && suspects.len() == suspected {
                let nobody = round.taken()?.is_empty();
                match nobody.then(|| inquest.not_begun()).flatten() {
                    Some(error) => return Err(error),
                    // Nothing has come of a whole round: nor would of another one.
                    None => break,
                }
            }
        }
        self.note(&given_up)?;
        let failure = |(index, message)| PointFailure {
            index,
            name: PointFailure::name(self.plan, index),
            message,
        };
        let summary = RunSummary {
            simulated: results.len() - reused,
            reused,
            failures: given_up.into_iter().map(failure).collect(),
            ..RunSummary::default()
        };
        Ok(Driven {
            results,
            summary,
            under_way,
        })
    }

    /// Notes in the store what became of points that were given up, for whoever reads it later: tasks that died could not.
    fn note(&self, given_up: &BTreeMap<usize, String>) -> Result<(), ClusterError> {
        if given_up.is_empty() {
            return Ok(());
        }
        let mut writer = Writer::open(self.stored, 0)?;
        for (&index, message) in given_up {
            if let Some(id) = self.plan.id(index) {
                writer.note_failure(&id, message)?;
            }
        }
        Ok(())
    }

    /// The points that have neither a result nor been given up.
    fn open(&self, results: &Results, given_up: &BTreeMap<usize, String>) -> Vec<usize> {
        let missing = self.plan.missing(results);
        missing
            .filter(|index| !given_up.contains_key(index))
            .collect()
    }

    /// The last job, if it has not ended.
    fn under_way(&self) -> Result<Option<(Round, String)>, ClusterError> {
        let Some((round, job)) = Round::newest(self.rounds)? else {
            return Ok(None);
        };
        let is_over = match ask(&job)? {
            Known::Tasks(tasks) => tasks.are_over(),
            Known::Gone => true,
            Known::Silent(_) => false,
        };
        Ok((!is_over).then_some((round, job)))
    }

    /// A new round of these points.
    fn submit(
        &self,
        open: &[usize],
        tell: &mut dyn FnMut(News),
    ) -> Result<(Round, String), ClusterError> {
        let costed = by_cost(self.plan, open, self.request.threads)?;
        let tasks = self.request.tasks.unwrap_or_else(|| tasks_for(&costed));
        let bundles = bundles(&costed, tasks);
        let tasks = tasks.clamp(1, bundles.len());
        let id = |index: &usize| self.plan.id(*index);
        let names = |bundle: &Vec<usize>| bundle.iter().filter_map(id).collect();
        let names: Vec<Vec<PointId>> = bundles.iter().map(names).collect();
        let new_folder = outermost_missing(self.rounds);
        let round = Round::create(self.rounds, &names)?;
        let job = self.request.submit(&round, tasks).inspect_err(|_| {
            // What nobody works on is no round. Nothing better can be done if it cannot be removed.
            let _ = fs::remove_dir_all(round.folder());
            remove_empty(self.rounds, new_folder.as_deref());
        })?;
        tell(News::Submitted(job.clone(), tasks, open.len()));
        Ok((round, job))
    }

    /// Watches a job until it is over or nothing is missing, and returns what was last said of its
    /// tasks; `None` if told to stop.
    fn watch(
        &self,
        job: &str,
        results: &mut Results,
        tell: &mut dyn FnMut(News),
    ) -> Result<Option<Tasks>, ClusterError> {
        let start = Instant::now();
        let mut last = Tasks::default();
        let mut is_silent = false;
        loop {
            let asked = Instant::now();
            let known = ask(job)?;
            // After the question: what a task stored before its end is seen.
            *results = self.plan.results(self.stored)?;
            let is_over = match known {
                Known::Gone => true,
                Known::Tasks(tasks) => {
                    is_silent = false;
                    last = tasks;
                    last.are_over()
                }
                Known::Silent(why) => {
                    if !std::mem::replace(&mut is_silent, true) {
                        tell(News::Silent(why));
                    }
                    false
                }
            };
            tell(News::Progress(results.len(), last.words()));
            if is_over {
                return Ok(Some(last));
            }
            if self.plan.missing(results).next().is_none() {
                cancel_waiting(job);
                return Ok(Some(last));
            }
            // Large stores and long jobs are not looked at all the time.
            let pause = (start.elapsed() / 40).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
            if self.sleeps(pause.max(20 * asked.elapsed())) {
                return Ok(None);
            }
        }
    }

    /// Sleeps, and tells whether it was woken to stop.
    fn sleeps(&self, pause: Duration) -> bool {
        let start = Instant::now();
        while start.elapsed() < pause {
            if self.stop.load(Ordering::Relaxed) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(50).min(pause));
        }
        self.stop.load(Ordering::Relaxed)
    }
}

const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
