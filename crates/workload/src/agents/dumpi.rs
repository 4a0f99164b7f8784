//! Traces of DUMPI, on a network.
//!
//! A transaction is a receive, from its posting to its end.
//!
//! Complexity: memory for the files of the trace.

use super::Trace;
use super::program::{Recorded, Recording};
use crate::workload::{WorkloadEntry, WorkloadParameters};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};

pub(super) const ENTRY: WorkloadEntry = WorkloadEntry {
    entry: Entry {
        name: "dumpi",
        aliases: &[],
        summary: "A trace of DUMPI, the recorder of SST: what every rank called, and when",
        source: "sst-dumpi, docs/traceformat.dox, Sandia National Laboratories, 2009 to 2018",
        example: "file = \"dumpi-2013.09.10.meta\"\ncycle_ns = 1\nflit_bytes = 16",
        schema: schema_of::<Dumpi>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Dumpi, dyn WorkloadParameters>(
                table, errors,
            )?))
        },
    },
    of_protocol: &[],
    counts_bytes: true,
};

/// Parameters of a trace of DUMPI: those of a trace, whose file is the `.meta` file, beside which those of the ranks are.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Dumpi(pub Trace);

impl Recording for Dumpi {
    fn recorded(&self) -> Recorded<'_> {
        Recorded {
            format: "dumpi",
            ..self.0.recorded()
        }
    }
}
