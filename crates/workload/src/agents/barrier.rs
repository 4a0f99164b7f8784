//! Barrier: all terminals wait for each other, again and again, by messages.
//!
//! A terminal enters the next barrier in the cycle in which it leaves one. A transaction is one barrier at one
//! terminal, from entering it to leaving it. The algorithms, and where they come from, are in `synchronisation`.
//!
//! Complexity: O(log terminals) messages a terminal and barrier, O(log terminals) bytes a terminal.
//!
//! ```
//! use turnwise_network::topologies::{Topology, Torus};
//! use turnwise_network::{Event, Outbox, TerminalId};
//! use turnwise_workload::agents::Barrier;
//! use turnwise_workload::WorkloadParameters;
//!
//! let torus = Torus::default().build(None)?; // 4x4
//! let workload = Barrier::default().build(&torus, 1, &[])?;
//! let (mut agent, mut out) = (workload.agent(TerminalId(5)), Outbox::default());
//! agent.on(Event::Start, 0, &mut out);
//! assert_eq!(out.messages[0].destination, TerminalId(6)); // and waits for terminal 4
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use super::ranks::Ranks;
use super::synchronisation::{BarrierAlgorithm, Synchronisation};
use crate::workload::{WorkloadEntry, WorkloadParameters, check_range};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::File;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;
use turnwise_network::{Agent, Event, Invalid, Message, Network, Outbox, TerminalId, Workload};

pub(super) const ENTRY: WorkloadEntry = WorkloadEntry {
    entry: Entry {
        name: "barrier",
        aliases: &[],
        summary: "All terminals wait for each other, again and again, by messages",
        source: "Hensgen, Finkel, Manber, Two algorithms for barrier synchronization, IJPP 17(1), 1988",
        example: "algorithm = \"dissemination\"\nrepeat = 4",
        schema: schema_of::<Barrier>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Barrier, dyn WorkloadParameters>(
                table, errors,
            )?))
        },
    },
    of_protocol: &[],
    counts_bytes: false,
};

/// Barriers are not repeated more often than this.
const MOST: u32 = 1_000_000_000;

/// Parameters of barriers.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Barrier {
    /// How terminals find out that all have come.
    pub algorithm: BarrierAlgorithm,
    /// How many barriers follow each other.
    #[schemars(range(min = 1, max = MOST))]
    pub repeat: u32,
    /// Length of a message in flits.
    #[schemars(range(min = 1), transform = units::flits)]
    pub message_flits: u16,
}

impl Default for Barrier {
    fn default() -> Self {
        Self {
            algorithm: BarrierAlgorithm::default(),
            repeat: 1,
            message_flits: 1,
        }
    }
}

impl WorkloadParameters for Barrier {
    fn classes(&self) -> &'static [&'static str] {
        &["barrier"]
    }

    fn lengths(&self) -> (u16, u16) {
        (self.message_flits, self.message_flits)
    }

    fn total_flits(&self, terminals: u32, _: &[File]) -> Option<f64> {
        let signals = self.algorithm.mean_signals(terminals) * f64::from(self.repeat);
        Some(signals * f64::from(self.message_flits))
    }

    fn check(&self) -> Result<(), Invalid> {
        check_range("repeat", self.repeat.into(), 1, MOST.into())?;
        check_range(
            "message_flits",
            self.message_flits.into(),
            1,
            u16::MAX.into(),
        )
    }

    fn build(&self, network: &Network, _: u64, _: &[File]) -> Result<Box<dyn Workload>, Invalid> {
        self.check()?;
        let ranks = Arc::new(Ranks::new(network));
        Ok(Box::new(Barriers {
            parameters: self.clone(),
            ranks,
        }))
    }
}

struct Barriers {
    parameters: Barrier,
    ranks: Arc<Ranks>,
}

impl Workload for Barriers {
    fn agent(&self, at: TerminalId) -> Box<dyn Agent> {
        let (rank, count) = (self.ranks.of(at), self.ranks.count());
        let Barrier {
            algorithm,
            repeat,
            message_flits,
        } = self.parameters;
        Box::new(Waiter {
            ranks: Arc::clone(&self.ranks),
            flits: message_flits,
            left: repeat,
            entered: 0,
            part: Synchronisation::new(algorithm, rank, count),
        })
    }

    fn longest_packet(&self) -> u16 {
        self.parameters.message_flits
    }

    fn memory_bytes(&self) -> u64 {
        const SIGNALS: u64 = 48;
        u64::from(self.ranks.count()) * (size_of::<Waiter>() as u64 + SIGNALS)
    }
}

struct Waiter {
    ranks: Arc<Ranks>,
    flits: u16,
    /// Barriers that it has not left.
    left: u32,
    /// When it has entered the one it is in.
    entered: u64,
    part: Synchronisation,
}

impl Agent for Waiter {
    fn on(&mut self, event: Event, now: u64, out: &mut Outbox) {
        let Self {
            ranks, flits, part, ..
        } = self;
        let Outbox {
            messages,
            transactions,
            ..
        } = out;
        let mut tell = |rank, kind: u8| {
            messages.push(Message {
                destination: ranks.terminal(rank),
                flits: *flits,
                tag: kind.into(),
                ..Message::default()
            });
        };
        let mut through = match event {
            Event::Start => part.enter(&mut tell),
            Event::Arrived { tag, .. } => part.signalled(tag as u8, &mut tell),
            Event::Timer(_) | Event::Sent { .. } => return,
        };
        while through {
            transactions.push(self.entered);
            self.entered = now;
            self.left -= 1;
            through = self.left > 0 && part.enter(&mut tell);
        }
    }

    fn is_done(&self) -> bool {
        self.left == 0
    }
}
