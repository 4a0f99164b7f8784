//! Connection matrices of htsim, on a network.
//!
//! A transaction is a receive, from its posting to its end.
//!
//! Complexity: memory for all tasks.

use super::program::{HostFields, Means, Recorded, Recording};
use crate::workload::{WorkloadEntry, WorkloadParameters};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_application::formats::Reading;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;

pub(super) const ENTRY: WorkloadEntry = WorkloadEntry {
    entry: Entry {
        name: "htsim",
        aliases: &[],
        summary: "A connection matrix of htsim: flows and what starts them",
        source: "csg-htsim, connection_matrix.cpp; Handley et al., Re-architecting datacenter networks and stacks for low latency and high performance, SIGCOMM 2017",
        example: "file = \"incast.cm\"\ncycle_ns = 1\nflit_bytes = 16",
        schema: schema_of::<Htsim>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Htsim, dyn WorkloadParameters>(
                table, errors,
            )?))
        },
    },
    of_protocol: &[],
    counts_bytes: true,
};

/// Parameters of a connection matrix.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Htsim {
    /// The connection matrix, relative to the study, perhaps compressed.
    pub file: String,
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

impl Recording for Htsim {
    fn recorded(&self) -> Recorded<'_> {
        Recorded {
            format: "htsim",
            files: vec![("file", &self.file)],
            means: Means {
                host: &self.host,
                cycle_ns: self.cycle_ns,
                flit_bytes: self.flit_bytes,
            },
            reading: Ok(Reading::default()),
        }
    }
}
