//! What can be asked of a cluster, and what its tasks are told.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Where else a study can run.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    /// As array jobs of Slurm.
    Slurm,
    /// Each point by all processes that `mpirun` or `srun` has started.
    Mpi,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "On a cluster")]
pub(crate) struct ClusterArguments {
    /// Run the points on a cluster, watch them, and report as always; or simulate each by several processes.
    #[arg(long, value_enum, value_name = "ENGINE", conflicts_with = "shard")]
    pub(crate) on: Option<Engine>,
    /// Tasks at once [default: one for each minute of work, 100 at most].
    #[arg(long, value_name = "N", requires = "on", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) tasks: Option<u32>,
    /// Partition of the cluster.
    #[arg(long, value_name = "NAME", requires = "on")]
    pub(crate) partition: Option<String>,
    /// Time limit of a task, for example `30:00` or `1-12:00`.
    #[arg(long, value_name = "TIME", requires = "on")]
    pub(crate) time: Option<String>,
    /// Memory of a task, for example `2G`.
    #[arg(long, value_name = "SIZE", requires = "on")]
    pub(crate) memory: Option<String>,
    /// A further option of `sbatch`, for example `--sbatch=--account=physics`.
    #[arg(
        long = "sbatch",
        value_name = "OPTION",
        requires = "on",
        allow_hyphen_values = true
    )]
    pub(crate) options: Vec<String>,
    /// Submit the job and end; the same command goes on from there.
    #[arg(long, requires = "on")]
    pub(crate) no_wait: bool,
}

impl ClusterArguments {
    /// An option that only jobs have, if one is given.
    pub(crate) fn of_jobs(&self) -> Option<&'static str> {
        let given = [
            ("--tasks", self.tasks.is_some()),
            ("--partition", self.partition.is_some()),
            ("--time", self.time.is_some()),
            ("--memory", self.memory.is_some()),
            ("--sbatch", !self.options.is_empty()),
            ("--no-wait", self.no_wait),
        ];
        given
            .into_iter()
            .find_map(|(option, is_given)| is_given.then_some(option))
    }
}

/// What the tasks of a job are told; nobody else needs it.
#[derive(Args, Debug)]
pub(crate) struct TaskArguments {
    /// The folder of the submission that this is a task of.
    #[arg(long, hide = true, value_name = "FOLDER", requires = "task")]
    pub(crate) round: Option<PathBuf>,
    /// Which of its tasks.
    #[arg(long, hide = true, value_name = "N", requires = "round", conflicts_with_all = ["shard", "fresh", "on"])]
    pub(crate) task: Option<u32>,
}
