//! GOAL schedules: what LogGOPSim, Schedgen and ATLAHS play, on a network.
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
        name: "goal",
        aliases: &[],
        summary: "A GOAL schedule: tasks of ranks, and what they wait for",
        source: "Hoefler, Siebert and Lumsdaine, Group operation assembly language, ICPP 2009",
        example: "file = \"schedule.goal\"\ncycle_ns = 1\nflit_bytes = 16\nhost = { eager_bytes = 4096 }",
        schema: schema_of::<Goal>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Goal, dyn WorkloadParameters>(
                table, errors,
            )?))
        },
    },
    of_protocol: &[],
    counts_bytes: true,
};

/// Parameters of a schedule.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// The schedule, text or binary, perhaps compressed (.zst); relative to the study.
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

impl Recording for Goal {
    fn recorded(&self) -> Recorded<'_> {
        Recorded {
            format: "goal",
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
