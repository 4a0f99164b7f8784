//! What Slurm is asked: one array job, all of whose tasks run the same command.

use crate::error::ClusterError;
use crate::round::Round;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The tasks that a study is to have, and what they run.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// What the job is called.
    pub name: String,
    /// How many tasks; as many as the work is worth if nobody says.
    pub tasks: Option<usize>,
    /// Threads of each.
    pub threads: usize,
    /// Slurm's partition.
    pub partition: Option<String>,
    /// Time limit of a task, as Slurm writes times.
    pub time: Option<String>,
    /// Memory of a task, as Slurm writes sizes.
    pub memory: Option<String>,
    /// Further options of `sbatch`, which win over ours.
    pub options: Vec<String>,
    /// Where the command runs.
    pub folder: PathBuf,
    /// The command and its arguments, to which the task's own are added.
    pub command: Vec<String>,
}

impl Request {
    /// What a task runs. It tells from the first line on why it cannot begin.
    pub fn script(&self, round: &Round) -> String {
        let folder = quoted(&self.folder.to_string_lossy());
        let shared = quoted(&round.folder().to_string_lossy());
        let program = quoted(self.command.first().map_or("", String::as_str));
        let words: Vec<String> = self.command.iter().map(|word| quoted(word)).collect();
        let command = words.join(" ");
        format!(
            "#!/bin/sh
cannot() {{ echo \"$(hostname) does not see $1\" >&2; exit 2; }}
cd {folder} || cannot {folder}
[ -r {shared}/points ] || cannot {shared}
[ -x {program} ] || cannot {program}
exec {command} --round {shared} --task \"$SLURM_ARRAY_TASK_ID\"
"
        )
    }

    /// The arguments of `sbatch` for so many tasks.
    pub fn arguments(&self, round: &Round, tasks: usize, script: &Path) -> Vec<String> {
        // Slurm replaces what follows a percent sign.
        let log = round.folder().to_string_lossy().replace('%', "%%");
        let mut arguments = vec![
            "--parsable".to_owned(),
            format!("--array=0-{}", tasks - 1),
            format!("--job-name={}", self.name),
            format!("--output={log}/task-%a.log"),
            "--open-mode=append".to_owned(),
            "--requeue".to_owned(),
            "--ntasks=1".to_owned(),
            format!("--cpus-per-task={}", self.threads),
        ];
        let own = [
            ("partition", &self.partition),
            ("time", &self.time),
            ("mem", &self.memory),
        ];
        let said = |(name, value): (&str, &Option<String>)| {
            value.as_ref().map(|value| format!("--{name}={value}"))
        };
        arguments.extend(own.into_iter().filter_map(said));
        arguments.extend(self.options.iter().cloned());
        arguments.push(script.to_string_lossy().into_owned());
        arguments
    }

    /// Submits a round as so many tasks, and returns the number of the job.
    ///
    /// # Errors
    /// No `sbatch`, or one that refuses.
    pub fn submit(&self, round: &Round, tasks: usize) -> Result<String, ClusterError> {
        let script = round.write("script.sh", &self.script(round))?;
        let done = slurm("sbatch", &self.arguments(round, tasks, &script))?;
        let said = String::from_utf8_lossy(&done.stdout);
        let job = job_in(&said);
        let Some(job) = job.filter(|_| done.status.success()) else {
            let words = match done.status.success() {
                true => format!("expected the number of a job, found `{}`", said.trim()),
                false => complaint(&done),
            };
            let partitions = match words.contains("partition") {
                true => partitions(),
                false => Vec::new(),
            };
            return Err(ClusterError::Refused { words, partitions });
        };
        round.write("job", job)?;
        Ok(job.to_owned())
    }
}

/// The number of the job in what `sbatch --parsable` prints: on its last line, behind what a site may have it say first. The name of the
/// cluster may follow.
fn job_in(said: &str) -> Option<&str> {
    let last = said.trim().lines().last()?;
    let job = last.split(';').next()?.trim();
    let is_number = !job.is_empty() && job.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(job)
}

/// Runs one of Slurm's programs. A Ctrl-C at the terminal is not for it.
pub(crate) fn slurm(program: &str, arguments: &[String]) -> Result<Output, ClusterError> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .process_group(0);
    command.output().map_err(|error| ClusterError::Program {
        program: program.to_owned(),
        why: error.to_string(),
    })
}

/// What a program of Slurm complains of, on one line.
pub(crate) fn complaint(done: &Output) -> String {
    let said = String::from_utf8_lossy(&done.stderr);
    let lines = said.lines().map(|line| {
        let words = line.split_once("error: ").map_or(line, |(_, words)| words);
        words.trim()
    });
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).take(3).collect();
    match lines.is_empty() {
        true => done.status.to_string(),
        false => lines.join("; "),
    }
}

/// The partitions that there are; none if nobody tells.
fn partitions() -> Vec<String> {
    let asked = slurm(
        "sinfo",
        &["--noheader".to_owned(), "--format=%R".to_owned()],
    );
    let said = asked.map(|done| String::from_utf8_lossy(&done.stdout).into_owned());
    let said = said.unwrap_or_default();
    said.split_whitespace().map(str::to_owned).collect()
}

/// A word that the shell takes as it is.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_a_number_whatever_is_said_before_it() {
        assert_eq!(job_in("4711\n"), Some("4711"));
        assert_eq!(job_in("4711;hpc\n"), Some("4711"));
        assert_eq!(job_in("Submitting to hpc\n4711\n"), Some("4711"));
        for said in ["", "\n", "Submitted batch job 4711\n", "hpc;4711\n"] {
            assert_eq!(job_in(said), None, "{said}");
        }
    }

    #[test]
    fn the_shell_runs_what_was_meant() {
        let words = ["it's", "a b", "$HOME", "`x`", "\\", "*", ""];
        let line: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        let line = format!("printf '%s\\n' {}", line.join(" "));
        let done = Command::new("sh").args(["-c", &line]).output().unwrap();
        let said = String::from_utf8(done.stdout).unwrap();
        assert_eq!(said.lines().collect::<Vec<_>>(), words);
    }

    #[test]
    fn what_the_user_says_of_sbatch_comes_last() {
        let request = Request {
            name: "a study".into(),
            threads: 2,
            time: Some("10:00".into()),
            options: vec!["--no-requeue".into()],
            ..Request::default()
        };
        let round = Round::open(Path::new("/50%/1"));
        let arguments = request.arguments(&round, 3, Path::new("/50%/1/script.sh"));
        assert_eq!(
            arguments[1..4],
            [
                "--array=0-2",
                "--job-name=a study",
                "--output=/50%%/1/task-%a.log"
            ]
        );
        assert_eq!(
            arguments[7..],
            [
                "--cpus-per-task=2",
                "--time=10:00",
                "--no-requeue",
                "/50%/1/script.sh"
            ]
        );
    }
}
