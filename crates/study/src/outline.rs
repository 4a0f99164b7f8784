//! What tables a study file has, and the two of them that are about the study itself.

use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::units::{Clock, FlitSize};

/// The tables of a study file, in the order they are documented.
pub const TABLES: &[&str] = &[
    "study",
    "network",
    "routing",
    "router",
    "ethernet",
    "traffic",
    "workload",
    "placement",
    "simulation",
    "sweep",
    "scale",
    "report",
];

/// The tables in which fields can be swept.
pub(crate) const ROOTS: [&str; 8] = [
    "network",
    "routing",
    "router",
    "ethernet",
    "traffic",
    "workload",
    "placement",
    "simulation",
];

/// The field there that cannot, because it changes no answer: how many threads work on a study.
pub(crate) const THREADS: &str = "simulation.threads";

/// The most points a study may have, before `where` leaves any out.
pub const MOST_POINTS: usize = 1_000_000;

/// The `[study]` table.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StudyTable {
    /// Name of the study; its results go to a folder of that name.
    pub name: Option<String>,
    /// Heading of the report.
    pub title: Option<String>,
    /// A few sentences for the report.
    pub description: Option<String>,
    /// Which size of the study is meant: `"full"`, which is what the other tables say, or the name of one
    /// of its `[scale]` tables.
    pub scale: String,
    /// Seed of every random choice.
    pub seed: u64,
    /// How often each point is repeated, each time with another seed.
    #[schemars(range(min = 1))]
    pub repeat: u32,
    /// How long a cycle is, in which a channel passes on a flit: its frequency, `"1.25 GHz"`, or its
    /// time, `"0.8 ns"`. Cycles may then be written as times, and are reported in ns as well.
    // Read apart, for what is written in units is counted before there are tables.
    #[schemars(with = "Option<Clock>")]
    pub clock: Option<String>,
    /// What a flit holds: `"32 B"`, `"256 bit"`. Flits may then be written as sizes, and with a
    /// `clock` loads as data rates, and are reported in Gb/s as well.
    #[schemars(with = "Option<FlitSize>")]
    pub flit_size: Option<String>,
}

/// The scale of a study as its tables have it.
pub const FULL: &str = "full";

impl StudyTable {
    /// The name of the scale that is meant, unless that is the study as its tables have it.
    pub fn other_scale(&self) -> Option<&str> {
        (self.scale != FULL).then_some(self.scale.as_str())
    }
}

impl Default for StudyTable {
    fn default() -> Self {
        Self {
            name: None,
            title: None,
            description: None,
            scale: FULL.to_owned(),
            seed: 1,
            repeat: 1,
            clock: None,
            flit_size: None,
        }
    }
}

/// The `[report]` table: what plots are drawn against. It changes no result.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReportTable {
    /// The swept field of the horizontal axis; if not given `traffic.load`, or the first number of `workload` that is swept.
    pub x: Option<String>,
    /// Swept fields, or tables of them, whose values lie on different curves of a plot; if not
    /// given, those of `routing` and `router`, and all if there is but one load.
    pub curves: Option<Vec<String>>,
    /// Swept fields, or tables of them, whose values lie in different plots; all that are
    /// neither the axis nor curves if not given.
    pub panels: Option<Vec<String>>,
}
