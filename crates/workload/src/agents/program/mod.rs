//! Programs on a network: every rank at a terminal, its messages as packets.
//!
//! A message of up to `eager_bytes` is sent at once. A longer one is announced by a packet of one flit, and goes when the receiver has posted
//! its receive and said so by another. Messages are cut into packets of `packet_flits`; the last one is as long as the
//! rest. A rank that sends to itself needs no network.
//!
//! What messages cost hosts beside the network is an overhead for each that is sent and each that is received; what they
//! cost interfaces is what the network makes of them.

mod diary;
mod host;
mod incoming;
mod outgoing;
mod recorded;
mod words;

pub(super) use recorded::{Recorded, Recording, reading};

use host::Host;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_application::{Program, RankGraph, Task, Work};
use turnwise_config::diagnostic::Invalid;
use turnwise_config::units;
use turnwise_network::{Agent, Event, Network, Outbox, TerminalId, Workload};
pub(super) use words::MOST_BYTES;

use super::ranks::Ranks;
use crate::workload::check_range;

/// What hosts do with messages.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HostFields {
    /// Length of the packets that messages are cut into, in flits, the last one the rest.
    #[schemars(range(min = 1), transform = units::flits)]
    pub packet_flits: u16,
    /// Are all packets as long, also the last ones and those that announce? Bubble flow control needs that.
    pub full_packets: bool,
    /// Messages of more bytes are announced, and wait until they are received.
    pub eager_bytes: u64,
    /// Cycles for which a message keeps its sender's processor, and its receiver's.
    #[schemars(transform = units::cycles)]
    pub overhead_cycles: u32,
    /// The same where network interfaces do it by themselves, instead of processors: offloaded barriers.
    #[schemars(transform = units::cycles)]
    pub offloaded_cycles: u32,
}

impl Default for HostFields {
    fn default() -> Self {
        Self {
            packet_flits: 16,
            full_packets: false,
            eager_bytes: 65_535,
            overhead_cycles: 0,
            offloaded_cycles: 0,
        }
    }
}

/// How programs count, and what a network counts by.
#[derive(Clone, Debug)]
pub(super) struct Counting {
    /// Nanoseconds of a cycle.
    pub cycle_ns: f64,
    /// Bytes of a flit.
    pub flit_bytes: u32,
}

impl HostFields {
    /// What makes no sense, on a field of the workload.
    pub(super) fn check(&self) -> Result<(), Invalid> {
        check_range(
            "host.packet_flits",
            self.packet_flits.into(),
            1,
            u16::MAX.into(),
        )
    }

    /// Lengths of the shortest and of the longest packets.
    pub(super) fn lengths(&self) -> (u16, u16) {
        let shortest = if self.full_packets {
            self.packet_flits
        } else {
            1
        };
        (shortest, self.packet_flits)
    }
}

impl Counting {
    /// As a workload's fields say.
    pub(super) fn new(cycle_ns: Option<f64>, flit_bytes: Option<u32>) -> Result<Self, Invalid> {
        let missing = |field: &str, words: &str, example: &str| {
            let message = format!("programs count {words}");
            Invalid::new(field, message).with_help(format!("say {example}"))
        };
        let cycle_ns = cycle_ns.ok_or_else(|| {
            missing(
                "cycle_ns",
                "time, not cycles",
                "study.clock = \"1 GHz\", for example",
            )
        })?;
        let flit_bytes = flit_bytes.ok_or_else(|| {
            missing(
                "flit_bytes",
                "bytes, not flits",
                "study.flit_size = \"16 B\", for example",
            )
        })?;
        if !(0.000_001..=1e9).contains(&cycle_ns) {
            let message = format!("expected 0.000001 to 10^9 ns, found {cycle_ns}");
            return Err(Invalid::new("cycle_ns", message));
        }
        check_range("flit_bytes", flit_bytes.into(), 1, 1 << 20)?;
        Ok(Self {
            cycle_ns,
            flit_bytes,
        })
    }

    fn cycles(&self, picoseconds: u64) -> u64 {
        let cycles = picoseconds as f64 / 1000.0 / self.cycle_ns;
        // What is whole but for the last digits of a double is whole.
        (cycles - 1e-6).ceil().max(0.0) as u64
    }

    fn flits(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.flit_bytes.into()).max(1)
    }
}

/// Flits that a rank sends in all, those that announce and grant for it too.
pub(super) fn flits(me: u32, graph: &RankGraph, fields: &HostFields, counting: &Counting) -> u64 {
    let (control, full) = (
        u64::from(fields.lengths().0),
        u64::from(fields.packet_flits),
    );
    let of_task = |task: &Task| match task.work {
        Work::Send(message) if message.peer != me => {
            let flits = counting.flits(message.bytes);
            let flits = if fields.full_packets {
                flits.next_multiple_of(full)
            } else {
                flits
            };
            let announced = u64::from(message.bytes > fields.eager_bytes);
            flits + 2 * control * announced
        }
        _ => 0,
    };
    graph.tasks.iter().map(of_task).sum()
}

/// A program that is played on a network.
pub(super) struct Played {
    common: Arc<Common>,
}

/// What all hosts know.
pub(super) struct Common {
    program: Arc<dyn Program>,
    ranks: Ranks,
    fields: HostFields,
    counting: Counting,
}

impl Common {
    /// Packets of a message, at least one.
    fn packets(&self, bytes: u64) -> u64 {
        self.counting
            .flits(bytes)
            .div_ceil(self.fields.packet_flits.into())
    }

    /// Length of one of its packets, of which `left` are to come, itself among them.
    fn packet(&self, bytes: u64, left: u64) -> u16 {
        let full = self.fields.packet_flits;
        if left > 1 || self.fields.full_packets {
            return full;
        }
        let rest = self.counting.flits(bytes) % u64::from(full);
        if rest == 0 { full } else { rest as u16 }
    }

    /// Length of a packet that announces or grants.
    fn control(&self) -> u16 {
        self.fields.lengths().0
    }
}

impl Played {
    /// Its rank 0 at the first living terminal, and so on.
    ///
    /// # Errors
    /// More ranks than terminals, on `field`.
    pub(super) fn new(
        program: Arc<dyn Program>,
        network: &Network,
        fields: HostFields,
        counting: Counting,
        field: &str,
    ) -> Result<Self, Invalid> {
        fields.check()?;
        let ranks = Ranks::new(network);
        let (wanted, there) = (program.ranks(), ranks.count());
        if wanted > there {
            let message = format!("{wanted} ranks do not fit on {there} terminals");
            return Err(Invalid::new(field, message));
        }
        let common = Common {
            program,
            ranks,
            fields,
            counting,
        };
        Ok(Self {
            common: Arc::new(common),
        })
    }
}

const CLASSES: &[&str] = &["data", "control"];

/// About what a host's tasks, queues and tables take: 5 kB were measured in a ring of 8,192 ranks, 11 kB in two trees.
const ROOM: u64 = 6 << 10;

/// The classes of a program's messages.
pub(super) fn classes() -> &'static [&'static str] {
    CLASSES
}

impl Workload for Played {
    fn agent(&self, at: TerminalId) -> Box<dyn Agent> {
        let rank = self.common.ranks.of(at);
        match rank < self.common.program.ranks() {
            true => Box::new(Host::new(Arc::clone(&self.common), rank)),
            false => Box::new(Idle),
        }
    }

    fn longest_packet(&self) -> u16 {
        self.common.fields.packet_flits
    }

    fn classes(&self) -> u8 {
        CLASSES.len() as u8
    }

    fn memory_bytes(&self) -> u64 {
        let hosts = u64::from(self.common.program.ranks()) * (size_of::<Host>() as u64 + ROOM);
        hosts + self.common.program.memory_bytes()
    }
}

/// A terminal without a rank.
struct Idle;

impl Agent for Idle {
    fn on(&mut self, _: Event, _: u64, _: &mut Outbox) {}

    fn is_done(&self) -> bool {
        true
    }
}
