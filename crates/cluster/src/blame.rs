//! What became of points that a task had taken and has no result of.
//!
//! A point is given up if its task died of it: of its memory, of a time limit that it had to itself,
//! of a crash that comes again. What was cancelled, or was on a node that failed, is nobody's fault.

use crate::error::ClusterError;
use crate::round::Round;
use crate::tasks::{Task, Tasks};
use std::collections::{BTreeMap, BTreeSet};
use turnwise_study::Plan;
use turnwise_study::costs::{Cost, Costs};
use turnwise_study::results::Results;
use turnwise_study::sweep::PointId;

/// What happened to the tasks of a round that is over.
pub struct Inquest<'a> {
    /// The study.
    pub plan: &'a Plan,
    /// The round.
    pub round: &'a Round,
    /// Its job.
    pub job: &'a str,
    /// What Slurm said of its tasks last.
    pub tasks: &'a Tasks,
    /// Threads of a task: it is at work on so many points at a time.
    pub threads: usize,
}

impl Inquest<'_> {
    /// The points that are given up, and why: those that failed, and those that tasks died of.
    /// A crash may be the node's fault, so it makes its point a suspect, and the next one ends it.
    ///
    /// # Errors
    /// A round that cannot be read.
    pub fn given_up(
        &self,
        results: &Results,
        suspects: &mut BTreeSet<usize>,
    ) -> Result<BTreeMap<usize, String>, ClusterError> {
        let numbers = self.plan.numbers();
        // Somebody else may have had more luck with a point.
        let failures = self.round.failures()?.into_iter();
        let failures = failures.filter(|(id, _)| !results.contains_key(id));
        let failures = failures.filter_map(|(id, why)| Some((*numbers.get(&id)?, why)));
        let mut given_up: BTreeMap<usize, String> = failures.collect();
        for (task, taken) in self.taken()? {
            let points = taken.iter().filter_map(|id| numbers.get(id));
            let is_open = |index: &&usize| {
                let id = self.plan.id(**index);
                !given_up.contains_key(index) && id.is_some_and(|id| !results.contains_key(&id))
            };
            let open: Vec<usize> = points.filter(is_open).copied().collect();
            let is_first = open.len() == taken.len();
            for &index in open.iter().take(self.threads) {
                match self.cause(&task, is_first, index) {
                    Some(Cause::Crash(_)) if suspects.insert(index) => {}
                    Some(Cause::Crash(why) | Cause::Certain(why)) => {
                        given_up.insert(index, why);
                    }
                    None => {}
                }
            }
        }
        Ok(given_up)
    }

    /// The points that each task has taken, in the order of the bundles.
    fn taken(&self) -> Result<BTreeMap<String, Vec<PointId>>, ClusterError> {
        let bundles = self.round.bundles()?;
        let mut taken: BTreeMap<String, Vec<PointId>> = BTreeMap::new();
        for (bundle, task) in self.round.takers()? {
            let points = bundles.get(bundle).into_iter().flatten();
            taken.entry(task).or_default().extend(points);
        }
        Ok(taken)
    }

    /// Why a task died of a point; `None` if that is not the point's fault. A task that had done
    /// nothing before is at its first.
    fn cause(&self, number: &str, is_first: bool, index: usize) -> Option<Cause> {
        let task = self.tasks.0.get(&number.parse().ok()?)?;
        let who = format!("job {}_{number}", self.job);
        let place = &task.nodes;
        match task.state.as_str() {
            "OUT_OF_MEMORY" => {
                let expected = expected_memory(self.plan, index);
                Some(Cause::Certain(format!(
                    "{who} ran out of memory on {place}{expected}; give it more by --memory"
                )))
            }
            "TIMEOUT" | "DEADLINE" if is_first => {
                let expected = estimate(self.plan, index).map_or(String::new(), |cost| {
                    format!(", where about {:.0} s are expected", cost.estimate.seconds)
                });
                Some(Cause::Certain(format!(
                    "{who} reached its time limit on {place}{expected}; give it more by --time"
                )))
            }
            "FAILED" => {
                let exit = exit_words(task);
                Some(Cause::Crash(format!("{who} ended on {place} with {exit}")))
            }
            _ => None,
        }
    }

    /// Why nobody has taken a point, if tasks failed rather than were stopped.
    pub fn not_begun(&self) -> Option<ClusterError> {
        let died = |task: &Task| ["FAILED", "BOOT_FAIL"].contains(&task.state.as_str());
        let (number, task) = self.tasks.0.iter().find(|(_, task)| died(task))?;
        let place = &task.nodes;
        let why = match self.round.last_words(*number) {
            None => format!(
                "task {number} could not write into {}; is that on a file system that {place} shares?",
                self.round.folder().display()
            ),
            Some(words) if words.is_empty() => {
                format!("task {number} on {place} ended with {}", exit_words(task))
            }
            Some(words) => format!("task {number} on {place} said: {words}"),
        };
        let job = self.job.to_owned();
        Some(ClusterError::NotBegun { job, why })
    }

    /// How tasks ended that left points behind, such as `cancelled, node fail`.
    pub fn endings(&self) -> String {
        let states = self.tasks.0.values();
        let states: BTreeSet<String> = states
            .filter(|task| task.is_over() && task.state != "COMPLETED")
            .map(|task| task.state.to_lowercase().replace('_', " "))
            .collect();
        states.into_iter().collect::<Vec<_>>().join(", ")
    }
}

fn estimate(plan: &Plan, index: usize) -> Option<Cost> {
    Costs::new(plan, 1, None).of(index).ok()
}

/// `, where about 12 MiB are expected`; nothing if that is not known.
pub(crate) fn expected_memory(plan: &Plan, index: usize) -> String {
    estimate(plan, index).map_or(String::new(), |cost| {
        let mebibytes = cost.estimate.bytes >> 20;
        format!(", where about {mebibytes} MiB are expected")
    })
}

/// Why a task died of a point.
enum Cause {
    /// Would it do so again?
    Certain(String),
    /// Perhaps not.
    Crash(String),
}

/// `exit code 1`, or the signal.
fn exit_words(task: &Task) -> String {
    match task.exit.split_once(':') {
        Some((_, "9")) => "signal 9, as where a node has no memory left".to_owned(),
        Some((code, "0")) => format!("exit code {code}"),
        Some((_, signal)) => format!("signal {signal}"),
        None => "an unknown exit code".to_owned(),
    }
}
