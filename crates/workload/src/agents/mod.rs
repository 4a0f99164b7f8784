//! Workloads, one file each; a new one is one file plus one line in [`REGISTRY`].
//!
//! `program` plays programs, rank by rank, and `calls` is for those that make calls; `ranks` numbers the terminals that take part, `synchronisation` is the barrier that several of them use.

mod barrier;
mod calls;
mod collective;
mod exchange;
mod goal;
mod npb;
mod program;
mod ranks;
mod request_reply;
mod synchronisation;
mod training;

pub use barrier::Barrier;
pub use collective::Collective;
pub use exchange::{Exchange, ExchangeFields};
pub use goal::Goal;
pub use npb::{Npb, Program};
pub use program::HostFields;
pub use ranks::Ranks;
pub use request_reply::{RequestReply, RequestReplyFields};
pub use synchronisation::{BarrierAlgorithm, Synchronisation};
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
    goal::ENTRY,
];
