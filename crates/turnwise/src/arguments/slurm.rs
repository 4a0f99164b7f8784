//! What can be asked about the jobs of a cluster.

use super::Format;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct SlurmArguments {
    #[command(subcommand)]
    pub(crate) command: SlurmCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum SlurmCommand {
    /// Write the tables of a job or step before it starts; refuse it if it cannot be routed.
    ///
    /// For Slurm's SrunProlog and PrologSlurmctld. Exit code 1 refuses the job, 2 is a mistake
    /// in the site file or the arguments; nothing is written then.
    Prolog(PrologArguments),
    /// Remove the tables of a job or step after its end.
    Epilog(EpilogArguments),
    /// Propose the best set of free nodes for a job.
    Select(SelectArguments),
    /// Print the torus as a topology.conf for Slurm's topology/tree.
    ExportTopology(SiteArguments),
}

/// The site.
#[derive(Args, Debug)]
pub(crate) struct SiteArguments {
    /// The site file: torus, hosts, failures, routing.
    #[arg(long, value_name = "SITE.toml")]
    pub(crate) site: PathBuf,
}

/// The job or step, and where its tables are.
#[derive(Args, Debug)]
pub(crate) struct JobArguments {
    /// The job [default: $SLURM_JOB_ID].
    #[arg(long, value_name = "ID", value_parser = identifier)]
    pub(crate) job: Option<String>,
    /// The step; without --job also from $SLURM_STEP_ID, if there is one.
    #[arg(long, value_name = "ID", value_parser = identifier)]
    pub(crate) step: Option<String>,
    /// Folder of the tables [default: `output` of the site file].
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct PrologArguments {
    #[command(flatten)]
    pub(crate) site: SiteArguments,
    #[command(flatten)]
    pub(crate) job: JobArguments,
    /// The nodes [default: of a step those that scontrol knows, or $SLURM_STEP_NODELIST where it cannot be run; of a job
    /// $SLURM_JOB_NODELIST, or $SLURM_NODELIST].
    #[arg(long, value_name = "HOSTLIST")]
    pub(crate) nodes: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct EpilogArguments {
    #[command(flatten)]
    pub(crate) site: SiteArguments,
    #[command(flatten)]
    pub(crate) job: JobArguments,
}

#[derive(Args, Debug)]
pub(crate) struct SelectArguments {
    /// So many nodes at least.
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) nodes: u32,
    #[command(flatten)]
    pub(crate) site: SiteArguments,
    /// Nodes that other jobs have.
    #[arg(
        long,
        value_name = "HOSTLIST",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) busy: String,
    /// So many more nodes are as welcome, if they make the job faster.
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub(crate) spare: u32,
    /// How to print.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
}

/// Identifiers become parts of file names, and must not lead anywhere else.
pub(crate) fn identifier(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match !text.is_empty() && text.chars().all(plain) {
        true => Ok(text.to_owned()),
        false => Err("expected the number of a job or step".to_owned()),
    }
}
