//! Chakra execution traces, of PyTorch and ASTRA-sim, on a network.
//!
//! A transaction is a receive, from its posting to its end.
//!
//! Complexity: memory for all tasks.

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
        name: "chakra",
        aliases: &[],
        summary: "A Chakra execution trace: what accelerators compute and send",
        source: "Sridharan et al., Chakra: Advancing performance benchmarking and co-design using standardized execution traces, 2023",
        example: "file = \"all_reduce.*.et\"\ncycle_ns = 1\nflit_bytes = 16",
        schema: schema_of::<Chakra>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Chakra, dyn WorkloadParameters>(
                table, errors,
            )?))
        },
    },
    of_protocol: &[],
    counts_bytes: true,
};

/// Parameters of a Chakra trace.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chakra {
    /// The files of the ranks, relative to the study, `*` for their numbers: `all_reduce.*.et`; perhaps compressed.
    pub file: String,
    /// The file of groups of ranks, `{ "name": [rank, ...] }` in JSON, if nodes name any.
    pub groups: Option<String>,
    /// Which library's choices of algorithms collectives follow.
    #[serde(default)]
    pub library: Preset,
    /// Algorithms for collectives whatever their size, for example `{ all-to-all = "linear" }`.
    #[serde(default)]
    pub collectives: BTreeMap<String, String>,
    /// Operations that a rank does in a second, where nodes say how many but not how long they take.
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

impl Recording for Chakra {
    fn recorded(&self) -> Recorded<'_> {
        let file = ("file", self.file.as_str());
        let groups = self.groups.as_deref().map(|groups| ("groups", groups));
        Recorded {
            format: "chakra",
            files: [file].into_iter().chain(groups).collect(),
            means: Means {
                host: &self.host,
                cycle_ns: self.cycle_ns,
                flit_bytes: self.flit_bytes,
            },
            reading: reading(self.library, &self.collectives, self.speed),
        }
    }
}
