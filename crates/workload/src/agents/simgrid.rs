//! Time-independent traces of SimGrid, on a network.
//!
//! A transaction is a receive, from its posting to its end.
//!
//! Complexity: memory for the text of the trace.

use super::program::{HostFields, Means, Recorded, Recording, reading};
use crate::workload::{WorkloadEntry, WorkloadParameters};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use turnwise_application::collectives::Preset;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;

pub(super) const ENTRY: WorkloadEntry = WorkloadEntry {
    entry: Entry {
        name: "simgrid",
        aliases: &[],
        summary: "A time-independent trace of SimGrid: what every rank calls",
        source: "Desprez et al., Improving the accuracy and efficiency of time-independent trace replay, INRIA RR-8092, 2012",
        example: "file = \"actions.txt\"\nspeed = 1e9\ncycle_ns = 1\nflit_bytes = 16",
        schema: schema_of::<Simgrid>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Simgrid, dyn WorkloadParameters>(
                table, errors,
            )?))
        },
    },
    of_protocol: &[],
    counts_bytes: true,
};

/// Parameters of a time-independent trace.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Simgrid {
    /// The trace, or the file that lists those of the ranks; relative to the study, perhaps compressed.
    pub file: String,
    /// Which library's choices of algorithms collectives follow.
    #[serde(default)]
    pub library: Preset,
    /// Algorithms for collectives whatever their size, for example `{ all-to-all = "linear" }`.
    #[serde(default)]
    pub collectives: BTreeMap<String, String>,
    /// Operations that a rank does in a second.
    #[serde(default = "gigaflop")]
    #[schemars(range(min = 1.0))]
    pub speed: f64,
    /// What hosts do with messages.
    #[serde(default)]
    pub host: HostFields,
    /// Nanoseconds of a cycle; as `study.clock` says if not given.
    #[schemars(range(min = 0.000_001))]
    pub cycle_ns: Option<f64>,
    /// Bytes of a flit; as `study.flit_size` says if not given.
    #[schemars(range(min = 1), transform = units::bytes)]
    pub flit_bytes: Option<u32>,
}

/// A gigaflop.
fn gigaflop() -> f64 {
    1e9
}

impl Recording for Simgrid {
    fn recorded(&self) -> Recorded<'_> {
        Recorded {
            format: "simgrid",
            files: vec![("file", &self.file)],
            means: Means {
                host: &self.host,
                cycle_ns: self.cycle_ns,
                flit_bytes: self.flit_bytes,
            },
            reading: reading(self.library, &self.collectives, self.speed),
        }
    }
}
