//! How a run ended, as a type: completed, saturated, deadlocked with its cycle, ...

use crate::measure::Measurement;
use serde::{Deserialize, Serialize};
use turnwise_network::{ChannelId, TerminalId, Vc};

/// Why the run is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every recorded packet arrived, or the window ended and no drain was asked for; in a run to completion,
    /// everything is done.
    Completed,
    /// Nothing can ever move again among these channels: each waits for the next, the last for the first.
    Deadlocked(Vec<WaitingChannel>),
    /// These terminals' agents wait for something, and nothing is under way.
    Stalled(Vec<Stalled>),
    /// The cycle limit came first; recorded packets were still under way.
    LimitReached,
    /// The caller stopped it.
    Interrupted,
    /// A packet found no way on: the routing algorithm lost it.
    Lost {
        /// Who sent it.
        source: TerminalId,
        /// Where it was going.
        destination: TerminalId,
    },
}

/// A terminal whose agent waits for ever.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Stalled {
    /// The terminal.
    pub terminal: TerminalId,
    /// Why its agent does nothing any more, if it has failed.
    pub failure: Option<String>,
    /// What its agent says that it waits for, if it says anything.
    pub waits: Vec<String>,
}

/// A virtual channel whose buffer is held by a packet that cannot move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WaitingChannel {
    /// The channel that leads into the buffer; an injection channel only at the start of a chain.
    pub channel: ChannelId,
    /// Its virtual channel.
    pub vc: Vc,
}

/// A run's ending and what was measured until then.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Why it ended.
    pub ending: Ending,
    /// What was measured.
    pub measurement: Measurement,
    /// Cycles simulated.
    pub cycles: u64,
    /// The cycle of the last event of a run to completion that was completed.
    pub makespan: Option<u64>,
    /// By terminal, the last cycle in which its agent was told something; empty without agents.
    pub last_events: Vec<u64>,
    /// By terminal, how many messages its agent has sent less those that have come to it, and one more while it is not
    /// done; empty without agents. Over terminals that send only to each other it adds up to nothing when all is over.
    pub unsettled: Vec<i64>,
    /// Flits that crossed a router, the ejecting one included, over the whole run.
    pub flit_hops: u64,
    /// Steps of single routers that were simulated; routers with nothing to do make none.
    pub router_steps: u64,
    /// Packets delivered over the whole run.
    pub packets: u64,
    /// A digest of every delivered packet (source, number, length, routers, times): equal
    /// if and, but for collisions, only if the same things happened.
    pub fingerprint: u64,
}

/// An invariant that does not hold: a bug in the engine or in a routing algorithm.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("in cycle {cycle}: {what}")]
pub struct Violation {
    /// When it was noticed.
    pub cycle: u64,
    /// What does not hold.
    pub what: String,
}
