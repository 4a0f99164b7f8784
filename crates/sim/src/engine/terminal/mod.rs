//! Terminals: where packets come from and go to.
//!
//! * `open`, `source`: sources that send whatever arrives, from queues that are never stored. `vc_sources`, `vc_queues`: the same with a
//!   queue for each virtual channel, of which only what is held back is stored.
//! * `closed`, `agents`: agents that answer what arrives; `sending`, `outlets`: what they have to send; `admission`,
//!   `reception`: terminals that may leave packets waiting in the network.
//! * `turn`: a cycle of all of them. `launch`, `injection`: how a packet gets into the network. `calendar`: what is due
//!   some day.

mod admission;
mod agents;
mod calendar;
mod closed;
mod injection;
mod launch;
mod open;
mod outlets;
mod reception;
mod sending;
mod source;
mod turn;
mod vc_queues;
mod vc_sources;

pub(super) use agents::Agents;
pub(super) use calendar::Calendar;
pub(super) use outlets::Unsent;
pub(super) use reception::{Prospect, Reception};
pub(super) use source::Source;
pub(super) use vc_queues::VcQueues;

use turnwise_network::{Cutting, Injector, Workload};

/// What terminals send.
#[derive(Clone, Copy)]
pub enum Demand<'a> {
    /// Packets that do not depend on what arrives.
    Open(&'a dyn Injector),
    /// Messages in answer to what arrives.
    Closed(&'a dyn Workload),
}

impl<'a> Demand<'a> {
    /// Classes of traffic that are measured on their own.
    pub(crate) fn classes(self) -> usize {
        match self {
            Self::Open(injector) => injector.class_count(),
            Self::Closed(workload) => workload.classes().into(),
        }
    }

    /// The agents' side of it.
    pub(crate) fn workload(self) -> Option<&'a dyn Workload> {
        match self {
            Self::Open(_) => None,
            Self::Closed(workload) => Some(workload),
        }
    }

    /// How messages are cut into packets, where sources ask for messages; those of agents are cut before.
    pub(crate) fn cutting(self) -> Option<Cutting> {
        match self {
            Self::Open(injector) => injector.cutting(),
            Self::Closed(_) => None,
        }
    }

    /// The longest packet that is ever sent, in flits.
    pub(super) fn longest_packet(self) -> u16 {
        let longest = match self {
            Self::Open(injector) => injector.longest_packet(),
            Self::Closed(workload) => workload.longest_packet(),
        };
        longest.max(1)
    }

    /// May terminals leave packets waiting in the network?
    pub(super) fn may_refuse(self) -> bool {
        self.workload()
            .is_some_and(|workload| !workload.answers().is_empty())
    }
}
