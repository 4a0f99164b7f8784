//! Turnwise's own traces of parallel programs, on a network.
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
        name: "trace",
        aliases: &[],
        summary: "A trace in Turnwise's own format: what every rank calls",
        source: "docs/trace-format.md",
        example: "file = \"program.trace\"\ncycle_ns = 1\nflit_bytes = 16",
        schema: schema_of::<Trace>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Trace, dyn WorkloadParameters>(
                table, errors,
            )?))
        },
    },
    of_protocol: &[],
    counts_bytes: true,
};

/// Parameters of a trace.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// The trace, perhaps compressed (.zst); relative to the study.
    pub file: String,
    /// Which library's choices of algorithms collectives follow.
    #[serde(default)]
    pub library: Preset,
    /// Algorithms for collectives whatever their size, for example `{ all-to-all = "linear" }`.
    #[serde(default)]
    pub collectives: BTreeMap<String, String>,
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

impl Recording for Trace {
    fn recorded(&self) -> Recorded<'_> {
        Recorded {
            format: "trace",
            files: vec![("file", &self.file)],
            means: Means {
                host: &self.host,
                cycle_ns: self.cycle_ns,
                flit_bytes: self.flit_bytes,
            },
            reading: reading(self.library, &self.collectives, 1.0),
        }
    }
}
