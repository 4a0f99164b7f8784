//! The command line: what can be asked, in clap's terms. Help texts are read off here.

mod cluster;
mod describe;
mod fabric;
mod replay;
mod serve;
mod slurm;

pub(crate) use cluster::*;
pub(crate) use describe::*;
pub(crate) use fabric::*;
pub(crate) use replay::*;
pub(crate) use serve::*;
pub(crate) use slurm::*;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;

/// Design, prove and simulate routing for HPC interconnects.
///
/// One study file goes in: a network, perhaps with dead links and routers; a routing
/// algorithm; a workload. Out come routing tables that are proved deadlock-free, their
/// quality against a proved lower bound, a simulation, and a report.
#[derive(Parser, Debug)]
#[command(name = "turnwise", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 fine, 1 deadlock or unreachable pair, 2 user error, 3 some points failed, 130 interrupted."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Run a study: simulate its points, prove its routings, write its report.
    Run(RunArguments),
    /// Show what a study would do: points, sizes, memory, estimated time.
    Plan(PlanArguments),
    /// Build routing tables and tell their quality.
    Route(RouteArguments),
    /// Prove a routing deadlock-free, or show a cycle.
    Verify(VerifyArguments),
    /// Play a parallel program on a network in which nothing is in the way.
    Replay(ReplayArguments),
    /// Build a network; inspect it or write it to a file.
    Network(NetworkArguments),
    /// Write the report of results that are already there.
    Report(ReportArguments),
    /// Show the report of a study in a browser while it runs.
    Serve(ServeArguments),
    /// List what can be named in a study.
    List(ListArguments),
    /// Describe a table of a study, a field of it, or one topology, routing algorithm or traffic pattern.
    Describe(DescribeArguments),
    /// Print the study that a configuration of BookSim2 or SuperSim describes.
    Import(ImportArguments),
    /// Make tables for the jobs of a cluster that Slurm runs on a torus.
    Slurm(SlurmArguments),
    /// Print the JSON schema of study files, for editors.
    Schema(SchemaArguments),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Write man pages into a folder.
    Man {
        /// Where to.
        folder: PathBuf,
    },
}

/// The study and what is changed in it.
#[derive(Args, Debug, Clone)]
pub(crate) struct StudyArguments {
    /// The study file; `-` reads standard input.
    pub(crate) study: PathBuf,
    /// Override a field of the study, for example `--set traffic.load=0.4`.
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    pub(crate) overrides: Vec<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people.
    Table,
    /// One JSON object per point, one per line.
    Json,
    /// Comma-separated values with a header.
    Csv,
}

#[derive(Args, Debug)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) study: StudyArguments,
    /// Folder for results, report and plots [default: turnwise-out/NAME].
    #[arg(long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Threads that work on points, several on one if there are fewer points [default: all cores;
    /// with `--on`, one for each task].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    /// Only every N-th point from the I-th on (I counts from 0), as one task of an array job.
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<String>,
    /// Compute every point again, whatever results there are, and store nothing.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Also write the results to this CSV file.
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Also write the results to this file; the format is told by its extension: `csv`, `parquet` or `arrow`.
    #[arg(long, value_name = "FILE")]
    pub(crate) export: Vec<PathBuf>,
    /// Write a CSV file with every message of each point that is simulated now to this folder. With `--fresh`, logs of these points that are there are taken away first.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) messages: Option<PathBuf>,
    /// Prove routings and write the report also with `--format json` or `csv`.
    #[arg(long)]
    pub(crate) report: bool,
    /// Neither prove routings nor write a report.
    #[arg(long, conflicts_with = "report")]
    pub(crate) no_report: bool,
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
    #[command(flatten)]
    pub(crate) task: TaskArguments,
}

#[derive(Args, Debug)]
pub(crate) struct PlanArguments {
    #[command(flatten)]
    pub(crate) study: StudyArguments,
    /// Tell memory and time on so many threads [default: as `run` would use].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    /// Tell memory and time as of so many processes, of one thread each if not said: `run --on mpi`.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) processes: Option<u32>,
}

#[derive(Args, Debug)]
pub(crate) struct RouteArguments {
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
    /// Write every route to this CSV file, one row per hop.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) paths: Option<PathBuf>,
    /// Write the table of source routes, as routers of a torus are programmed, to this CSV file.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) source_routes: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) kept: KeptTables,
    #[command(flatten)]
    pub(crate) change: StepFiles,
    #[command(flatten)]
    pub(crate) files: SubnetFiles,
}

#[derive(Args, Debug)]
pub(crate) struct VerifyArguments {
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
    #[command(flatten)]
    pub(crate) tables: ForeignTables,
    #[command(flatten)]
    pub(crate) change: StepFiles,
    /// Write the certificate, which tools/check_certificate.py can check, to this file.
    #[arg(long, value_name = "FILE.json")]
    pub(crate) certificate: Option<PathBuf>,
    /// Let every link and every router fail, each alone, and write what tables become, mended as by `route --keep`, to this file.
    #[arg(long, value_name = "FILE.csv", conflicts_with = "from")]
    pub(crate) failures: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct NetworkArguments {
    #[command(flatten)]
    pub(crate) study: StudyArguments,
    /// Write the network to this file; the format is told by its extension (`turnwise list formats`).
    #[arg(long, value_name = "FILE")]
    pub(crate) export: Option<PathBuf>,
    /// Do not measure distances, which takes long on large networks.
    #[arg(long)]
    pub(crate) no_distances: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ReportArguments {
    #[command(flatten)]
    pub(crate) study: StudyArguments,
    /// Folder that the results are in [default: that of the report, or turnwise-out/NAME].
    #[arg(long, value_name = "FOLDER")]
    pub(crate) results: Option<PathBuf>,
    /// Folder for report, plots and results.csv [default: that of the results].
    #[arg(long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Also write the results to this file; the format is told by its extension: `csv`, `parquet` or `arrow`.
    #[arg(long, value_name = "FILE")]
    pub(crate) export: Vec<PathBuf>,
    /// Also write latency histogram, course in time, terminals and channels of each point into this folder, as CSV.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) details: Option<PathBuf>,
    /// Tell what changed from the results of STUDY to those of OTHER by more than chance explains;
    /// each is a study, or a file of rows that `--format json` has printed (`.json`, `.jsonl`). With
    /// `--output`, also as the page comparison.html.
    #[arg(long, requires = "other", conflicts_with_all = ["details", "export"])]
    pub(crate) compare: bool,
    /// With `--compare`: what STUDY is compared with.
    #[arg(requires = "compare")]
    pub(crate) other: Option<PathBuf>,
    /// End with exit code 1 if there is such a change, or any difference at all.
    #[arg(long, value_enum, value_name = "WHAT", requires = "compare")]
    pub(crate) fail_on: Option<FailOn>,
}

/// What is bad news in a comparison.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailOn {
    /// A figure that changed by more than chance explains, or a proof with another outcome.
    Change,
    /// Anything that is another one, points that only one has included.
    Difference,
}

#[derive(Args, Debug)]
pub(crate) struct ImportArguments {
    /// The configuration, lines of `key = value;` or JSON; `-` reads standard input.
    pub(crate) file: PathBuf,
    /// Settings on top of the file's, as on the simulator's command line: `num_vcs=8`, or `/network/concentration=uint=4`.
    #[arg(value_name = "SETTING")]
    pub(crate) overrides: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct SchemaArguments {
    /// The columns of results instead, each with its type, unit and meaning.
    #[arg(long)]
    pub(crate) columns: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Topologies, `[network] kind`.
    #[value(alias = "network", alias = "topologies", alias = "topology")]
    Networks,
    /// Routing algorithms, `[routing] kind`.
    #[value(alias = "routing", alias = "algorithms")]
    Routings,
    /// Traffic patterns, `[traffic] pattern`.
    #[value(alias = "pattern", alias = "traffic")]
    Patterns,
    /// Workloads that answer, `[workload] kind`.
    #[value(alias = "workload")]
    Workloads,
    /// Placements of ranks, `[placement] kind`.
    #[value(alias = "placement")]
    Placements,
    /// Formats a network can be written in.
    #[value(alias = "format")]
    Formats,
    /// The tables of a study.
    #[value(alias = "table")]
    Tables,
}

#[derive(Args, Debug)]
pub(crate) struct ListArguments {
    /// What to list; everything if not given.
    #[arg(value_enum)]
    pub(crate) kind: Option<Kind>,
    /// How to print.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
}
