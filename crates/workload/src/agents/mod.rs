//! Workloads, one file each; a new one is one file plus one line in [`REGISTRY`].
//!
//! `program` plays programs, rank by rank, and `calls` is for those that make calls; `ranks` numbers the terminals that take part, `synchronisation` is the barrier that several of them use.

mod barrier;
mod calls;
mod chakra;
mod collective;
mod dumpi;
mod exchange;
mod goal;
mod htsim;
mod jobs;
mod npb;
mod phases;
pub(crate) mod program;
mod ranks;
mod request_reply;
mod simgrid;
mod synchronisation;
mod trace;
mod training;

pub use crate::host::{Counting, HostFields};
pub use barrier::Barrier;
pub use chakra::Chakra;
pub use collective::Collective;
pub use dumpi::Dumpi;
pub use exchange::{Exchange, ExchangeFields};
pub use goal::Goal;
pub use htsim::Htsim;
pub use jobs::{JobFields, Jobs, JobsFields};
pub use npb::{Npb, Program};
pub use phases::{PhaseFields, Phases};
pub use ranks::Ranks;
pub use request_reply::{RequestReply, RequestReplyFields};
pub use simgrid::Simgrid;
pub use synchronisation::{BarrierAlgorithm, Synchronisation};
pub use trace::Trace;
pub use training::{ExpertFields, Training};

use crate::workload::WorkloadEntry;

/// Every workload, in the order `turnwise list workloads` prints them.
pub const REGISTRY: &[WorkloadEntry] = &[
    request_reply::ENTRY,
    exchange::ENTRY,
    barrier::ENTRY,
    collective::ENTRY,
    training::ENTRY,
    npb::ENTRY,
    phases::ENTRY,
    goal::ENTRY,
    trace::ENTRY,
    chakra::ENTRY,
    simgrid::ENTRY,
    dumpi::ENTRY,
    htsim::ENTRY,
    jobs::ENTRY,
];
