//! What Slurm says of the tasks of a job, by `scontrol`, which works without accounting.

use crate::error::ClusterError;
use crate::submission::{complaint, slurm};
use std::collections::BTreeMap;

/// What became of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// Slurm's word, such as `RUNNING` or `OUT_OF_MEMORY`.
    pub state: String,
    /// Why it waits, if it does.
    pub reason: String,
    /// Its exit code and signal, such as `0:53`.
    pub exit: String,
    /// Where it is or was, if it has been anywhere.
    pub nodes: String,
}

/// States that a task never leaves.
const OVER: [&str; 10] = [
    "BOOT_FAIL",
    "CANCELLED",
    "COMPLETED",
    "DEADLINE",
    "FAILED",
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    "PREEMPTED",
    "REVOKED",
    "TIMEOUT",
];

impl Task {
    /// Will it do nothing more?
    pub fn is_over(&self) -> bool {
        OVER.contains(&self.state.as_str())
    }
}

/// The tasks of a job by number, those that have not been told apart yet as well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tasks(pub BTreeMap<usize, Task>);

/// What can be known of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// Its tasks.
    Tasks(Tasks),
    /// Slurm has forgotten it, which it does some minutes after its end.
    Gone,
    /// Slurm does not answer, and says why.
    Silent(String),
}

/// Asks Slurm for the tasks of a job.
///
/// # Errors
/// No `scontrol`.
pub fn ask(job: &str) -> Result<Known, ClusterError> {
    let words = ["--oneliner", "show", "job", job].map(str::to_owned);
    let done = slurm("scontrol", &words)?;
    if done.status.success() {
        return Ok(Known::Tasks(Tasks::read(&String::from_utf8_lossy(
            &done.stdout,
        ))));
    }
    let words = complaint(&done);
    Ok(match words.contains("Invalid job id") {
        true => Known::Gone,
        false => Known::Silent(words),
    })
}

/// Takes tasks that have not begun out of the queue; that they stay there does no harm.
pub(crate) fn cancel_waiting(job: &str) {
    let words = ["--state=PENDING", job].map(str::to_owned);
    let _ = slurm("scancel", &words);
}

impl Tasks {
    /// Reads what `scontrol --oneliner show job` says, a line for each task or range of tasks.
    pub fn read(said: &str) -> Self {
        let mut tasks = BTreeMap::new();
        for line in said.lines() {
            let fields = line.split_whitespace();
            let fields: BTreeMap<&str, &str> = fields.filter_map(|f| f.split_once('=')).collect();
            let field = |name: &str| {
                let value = fields.get(name).copied().unwrap_or_default();
                let value = if value == "(null)" { "" } else { value };
                value.to_owned()
            };
            let task = Task {
                state: field("JobState"),
                reason: field("Reason"),
                exit: field("ExitCode"),
                nodes: field("NodeList"),
            };
            for number in numbers(&field("ArrayTaskId")) {
                // What was said first of a task is its last start.
                tasks.entry(number).or_insert_with(|| task.clone());
            }
        }
        Self(tasks)
    }

    /// Will none of them do anything more?
    pub fn are_over(&self) -> bool {
        self.0.values().all(Task::is_over)
    }

    /// Was the job cancelled as a whole?
    pub fn are_all_cancelled(&self) -> bool {
        let mut tasks = self.0.values();
        !self.0.is_empty() && tasks.all(|task| task.state == "CANCELLED")
    }

    /// Such as `8 running, 4 pending (Resources)`.
    pub fn words(&self) -> String {
        let mut counts: BTreeMap<(String, &str), usize> = BTreeMap::new();
        for task in self.0.values() {
            let waits = task.state == "PENDING" && task.reason != "None";
            let reason = if waits { task.reason.as_str() } else { "" };
            let state = task.state.to_lowercase().replace('_', " ");
            *counts.entry((state, reason)).or_default() += 1;
        }
        let words = counts.iter().map(|((state, reason), count)| match *reason {
            "" => format!("{count} {state}"),
            reason => format!("{count} {state} ({reason})"),
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

/// `3`, `0-7`, `1,4-6%2`: the tasks that are meant.
fn numbers(text: &str) -> Vec<usize> {
    /// No cluster allows arrays of more.
    const MOST: usize = 4_000_000;
    let text = text.split('%').next().unwrap_or_default();
    let ranges = text.split(',').filter_map(|part| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to): (usize, usize) = (from.parse().ok()?, to.parse().ok()?);
        Some(from..=to.min(MOST))
    });
    ranges.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "\
JobId=12 ArrayJobId=12 ArrayTaskId=4-6,9%3 JobName=x JobState=PENDING Reason=Resources Dependency=(null) ExitCode=0:0 NodeList=(null)
JobId=14 ArrayJobId=12 ArrayTaskId=1 JobName=x JobState=OUT_OF_MEMORY Reason=OutOfMemory ExitCode=0:125 NodeList=n[1,3]
JobId=13 ArrayJobId=12 ArrayTaskId=0 JobName=x JobState=RUNNING Reason=None ExitCode=0:0 NodeList=n2
";

    #[test]
    fn tasks_are_read_one_by_one_and_as_ranges() {
        let tasks = Tasks::read(SAID);
        let numbers: Vec<usize> = tasks.0.keys().copied().collect();
        assert_eq!(numbers, [0, 1, 4, 5, 6, 9]);
        let dead = &tasks.0[&1];
        assert_eq!(
            [&dead.state, &dead.exit, &dead.nodes],
            ["OUT_OF_MEMORY", "0:125", "n[1,3]"]
        );
        assert!(dead.is_over() && !tasks.are_over());
        assert_eq!(
            tasks.words(),
            "1 out of memory, 4 pending (Resources), 1 running"
        );
    }
}
