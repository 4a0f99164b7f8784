//! Workloads, one file each; a new one is one file plus one line in [`REGISTRY`].
//!
//! `program` plays programs, rank by rank; `ranks` numbers the terminals that take part, `synchronisation` is the barrier that several of them use.

mod barrier;
mod exchange;
mod goal;
mod jobs;
mod npb;
mod phases;
mod program;
mod ranks;
mod request_reply;
mod synchronisation;

pub use barrier::Barrier;
pub use exchange::{Exchange, ExchangeFields};
pub use goal::Goal;
pub use jobs::{JobFields, Jobs, JobsFields};
pub use npb::{Npb, Program};
pub use phases::{PhaseFields, Phases};
pub use program::HostFields;
pub use ranks::Ranks;
pub use request_reply::{RequestReply, RequestReplyFields};
pub use synchronisation::{BarrierAlgorithm, Synchronisation};

use crate::workload::WorkloadEntry;

/// Every workload, in the order `turnwise list workloads` prints them.
pub const REGISTRY: &[WorkloadEntry] = &[
    request_reply::ENTRY,
    exchange::ENTRY,
    barrier::ENTRY,
    npb::ENTRY,
    phases::ENTRY,
    goal::ENTRY,
    jobs::ENTRY,
];
