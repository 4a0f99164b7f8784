//! What Slurm tells the programs it calls: job, step and nodes, by environment or by `scontrol`.

use crate::arguments::{JobArguments, PrologArguments, identifier};
use crate::failure::Failure;
use std::process::Command;

/// A job, or one of its steps.
pub(super) struct Job {
    pub(super) job: String,
    pub(super) step: Option<String>,
}

impl Job {
    /// As the arguments say, or else the environment.
    pub(super) fn of(arguments: &JobArguments) -> Result<Self, Failure> {
        let inherited = variable(&["SLURM_JOB_ID", "SLURM_JOBID"]).map(|(_, id)| id);
        // A job that is named has nothing to do with the step this may be run in.
        let step = match &arguments.job {
            Some(_) => None,
            None => variable(&["SLURM_STEP_ID", "SLURM_STEPID"]).map(|(_, id)| id),
        };
        let job = arguments.job.clone().or(inherited).ok_or_else(|| {
            let help = "write --job ID, or let Slurm call this; it sets SLURM_JOB_ID";
            Failure::Plain("which job?".into(), Some(help.into()))
        })?;
        let step = arguments.step.clone().or(step);
        for id in std::iter::once(&job).chain(&step) {
            identifier(id)
                .map_err(|expected| Failure::plain(format!("{expected}, found `{id}`")))?;
        }
        Ok(Self { job, step })
    }

    /// `12`, or `12.0`.
    pub(super) fn words(&self) -> String {
        match &self.step {
            Some(step) => format!("{}.{step}", self.job),
            None => self.job.clone(),
        }
    }
}

/// A hostlist and what it is called in messages.
pub(super) struct Nodes {
    pub(super) origin: String,
    pub(super) list: String,
}

impl Nodes {
    pub(super) fn of(arguments: &PrologArguments, job: &Job) -> Result<Self, Failure> {
        let named = |(name, list): (&str, String)| Self {
            origin: name.to_owned(),
            list,
        };
        if let Some(list) = &arguments.nodes {
            return Ok(named(("--nodes", list.clone())));
        }
        // Nodes in the environment are those of the job and step this runs in, not of one that is named.
        let own = arguments.job.job.is_none() && arguments.job.step.is_none();
        // Where srun's prolog runs, the environment has the nodes of the whole job, or, if srun was called in a task, those of that
        // task's step: neither are those of the step that begins.
        if job.step.is_some() {
            let step = job.words();
            let inherited = || variable(&["SLURM_STEP_NODELIST"]).filter(|_| own);
            return match (nodes_of_step(&step), inherited()) {
                (Err(Unasked::NotRun(_)), Some(found)) => Ok(named(found)),
                (found, _) => Ok(Self {
                    origin: format!("scontrol show step {step}"),
                    list: found.map_err(|unasked| unasked.of(&step))?,
                }),
            };
        }
        let inherited = variable(&["SLURM_JOB_ID", "SLURM_JOBID"]);
        let same = inherited.is_some_and(|(_, id)| id == job.job);
        let found = variable(&["SLURM_JOB_NODELIST", "SLURM_NODELIST"]).filter(|_| same || own);
        found.map(named).ok_or_else(|| {
            let help = "write --nodes HOSTLIST, or let Slurm call this; it sets SLURM_JOB_NODELIST";
            Failure::Plain("which nodes?".into(), Some(help.into()))
        })
    }
}

/// The first of these variables that says something.
fn variable(names: &[&'static str]) -> Option<(&'static str, String)> {
    let value = |&name: &&'static str| Some((name, std::env::var(name).ok()?));
    let mut said = names.iter().filter_map(value);
    said.find(|(_, value)| !value.trim().is_empty())
}

/// Why the nodes of a step are not known.
enum Unasked {
    /// There is nobody to ask.
    NotRun(std::io::Error),
    /// What was said instead.
    Unknown(String),
}

impl Unasked {
    fn of(self, step: &str) -> Failure {
        let why = match self {
            Self::NotRun(error) => error.to_string(),
            Self::Unknown(complaint) => complaint,
        };
        let message = format!("cannot find out the nodes of step {step}: scontrol: {why}");
        Failure::Plain(message, Some("write --nodes HOSTLIST".into()))
    }
}

fn nodes_of_step(step: &str) -> Result<String, Unasked> {
    let output = Command::new("scontrol")
        .args(["show", "step", step])
        .output()
        .map_err(Unasked::NotRun)?;
    let said = String::from_utf8_lossy(&output.stdout);
    let list = said
        .split_whitespace()
        .find_map(|word| word.strip_prefix("NodeList="))
        .filter(|list| *list != "(null)");
    list.map(str::to_owned).ok_or_else(|| {
        let complaint = String::from_utf8_lossy(&output.stderr);
        let complaint = complaint.lines().next().unwrap_or("no NodeList");
        Unasked::Unknown(complaint.to_owned())
    })
}
