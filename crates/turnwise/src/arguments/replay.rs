//! What `turnwise replay` is asked.

use super::Format;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct ReplayArguments {
    /// A trace or a schedule, perhaps compressed (.zst), `-` for standard input; of Chakra a file for each rank, or
    /// `NAME.*.et`, and groups of ranks in a file of JSON.
    #[arg(
        value_name = "FILE",
        required_unless_present = "npb",
        conflicts_with = "npb"
    )]
    pub(crate) files: Vec<PathBuf>,
    /// The format of the file, if it should not be told by what is in it and by its name: trace, goal, htsim,
    /// simgrid, chakra or dumpi.
    #[arg(long, value_name = "NAME", conflicts_with = "npb")]
    pub(crate) trace_format: Option<String>,
    /// Operations that a rank does in a second, for traces that count them (simgrid, chakra).
    #[arg(
        long,
        value_name = "OPERATIONS",
        default_value_t = 1e9,
        conflicts_with = "npb"
    )]
    pub(crate) speed: f64,
    #[command(flatten)]
    pub(crate) benchmark: BenchmarkArguments,
    #[command(flatten)]
    pub(crate) costs: CostArguments,
    /// Write when each rank had finished, in ns, to this CSV file.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) ranks: Option<PathBuf>,
    /// Write every message, with times in ns, to this CSV file.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) messages: Option<PathBuf>,
    /// Draw what each rank did, and the critical path, into this file.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) timeline: Option<PathBuf>,
    /// Write the critical path, with times in ns, to this CSV file.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) critical_path: Option<PathBuf>,
    /// Write the program instead of playing it: as GOAL text, as what LogGOPSim reads if the name ends with .bin, as a trace of
    /// ours if it ends with .trace; compressed if .zst follows.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["ranks", "messages", "timeline", "critical_path"])]
    pub(crate) export: Option<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
}

/// A NAS parallel benchmark instead of a file.
#[derive(Args, Debug)]
#[command(next_help_heading = "A benchmark instead of a file")]
pub(crate) struct BenchmarkArguments {
    /// A NAS parallel benchmark by name, class and ranks, as its program is called: cg.A.64.
    #[arg(long, value_name = "NAME.CLASS.RANKS")]
    pub(crate) npb: Option<String>,
    /// So many iterations instead of the class's.
    #[arg(long, value_name = "N", requires = "npb", conflicts_with = "files", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) iterations: Option<u32>,
    /// How fast ranks compute: 1 as fast as a core of 2022, 0 for no time at all.
    #[arg(
        long,
        value_name = "SPEED",
        requires = "npb",
        conflicts_with = "files",
        default_value_t = 1.0
    )]
    pub(crate) computing: f64,
    /// Whose choice of algorithms collectives follow.
    #[arg(long, value_enum, default_value_t = Library::Mpich)]
    pub(crate) library: Library,
    /// One algorithm for a collective whatever its size, for example all-to-all=pairwise.
    #[arg(long = "collective", value_name = "NAME=ALGORITHM")]
    pub(crate) collectives: Vec<String>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    /// MPICH of 2025.
    Mpich,
    /// Open MPI 4.1 and later.
    OpenMpi,
    /// NCCL of 2025.
    Nccl,
}

/// The LogGOPS model; times in ns.
#[derive(Args, Debug)]
#[command(next_help_heading = "What a message costs (LogGOPS, in ns)")]
pub(crate) struct CostArguments {
    /// L: how long it is on its way.
    #[arg(long, value_name = "NS", default_value = "2500", value_parser = picoseconds)]
    pub(crate) latency: u64,
    /// o: how long a processor is busy at each end.
    #[arg(long, value_name = "NS", default_value = "1500", value_parser = picoseconds)]
    pub(crate) overhead: u64,
    /// g: how long an interface is busy.
    #[arg(long, value_name = "NS", default_value = "1000", value_parser = picoseconds)]
    pub(crate) gap: u64,
    /// G: how much longer for each byte but the first.
    #[arg(long, value_name = "NS", default_value = "6", value_parser = picoseconds)]
    pub(crate) gap_per_byte: u64,
    /// O: how much longer a processor is for each byte but the first.
    #[arg(long, value_name = "NS", default_value = "0", value_parser = picoseconds)]
    pub(crate) overhead_per_byte: u64,
    /// S: messages of more bytes wait until they are received.
    #[arg(long, value_name = "BYTES", default_value_t = 65_535)]
    pub(crate) eager: u64,
}

/// Nanoseconds with up to three decimals, as picoseconds.
fn picoseconds(text: &str) -> Result<u64, String> {
    let wrong =
        || format!("expected nanoseconds with up to three decimals, below 10^15, found `{text}`");
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let fits = (1..=15).contains(&whole.len()) && decimals.len() <= 3;
    if !fits || !digits(whole) || !digits(decimals) {
        return Err(wrong());
    }
    format!("{whole}{decimals:0<3}")
        .parse()
        .map_err(|_| wrong())
}
