//! Programs on a network: every rank at a terminal, its messages as packets.
//!
//! A message of up to `eager_bytes` is sent at once. A longer one is announced by a packet of one flit, and goes when the receiver has posted
//! its receive and said so by another. Messages are cut into packets of `packet_flits`; the last one is as long as the
//! rest. A rank that sends to itself needs no network.
//!
//! What messages cost hosts beside the network is an overhead for each that is sent and each that is received; what they
//! cost interfaces is what the network makes of them.
//!
//! Ranks that share a terminal share its memory, and what they send each other stays there: LogGOPS with `L` and `g` zero, and `O` the
//! time in which a processor copies a byte. A message of up to `eager_bytes` is copied twice, by its sender into memory that both share
//! and by its receiver out of it. A longer one is copied once, by its receiver when that has posted its receive; only then is the send
//! done. Source: Buntinas, Mercier, Gropp, "Implementation and shared-memory evaluation of MPICH2 over the Nemesis communication
//! subsystem", EuroPVM/MPI 2006; Goglin, Moreaud, "KNEM: a generic and scalable kernel-assisted intra-node MPI communication framework",
//! JPDC 73(2), 2013.

mod diary;
mod foreseen;
mod host;
mod incoming;
mod neighbours;
mod outgoing;
mod playing;
mod recorded;
mod words;

pub(super) use crate::host::{Counting, HostFields};
pub(super) use playing::{Means, Playing};
pub(super) use recorded::{Recorded, Recording, reading};
pub(super) use words::MOST_BYTES;

use crate::residents::{Residents, too_many};
use crate::workload::ProgramParameters;
use host::Host;
use neighbours::Neighbours;
use std::sync::Arc;
use turnwise_application::{Program, Task, Work};
use turnwise_config::File;
use turnwise_network::{Agent, Event, Foreseen, Invalid, Network, Outbox, TerminalId, Workload};

/// Flits that a rank sends in a task, those that announce and grant for it too.
pub(super) fn flits(me: u32, task: &Task, fields: &HostFields, counting: &Counting) -> u64 {
    let (control, full) = (
        u64::from(fields.lengths().0),
        u64::from(fields.packet_flits),
    );
    match task.work {
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
    }
}

/// A program that is played on a network.
struct Played {
    common: Arc<Common>,
}

/// What all hosts know.
pub(super) struct Common {
    program: Arc<dyn Program>,
    /// What it is called among others.
    job: Option<String>,
    residents: Residents,
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

    /// Which of those at their terminals two ranks are.
    fn parties(&self, from: u32, to: u32) -> [u8; 2] {
        [from, to].map(|rank| self.residents.party(rank))
    }

    /// Is a message announced, and waits until it is received?
    fn is_announced(&self, bytes: u64) -> bool {
        bytes > self.fields.eager_bytes
    }

    /// Cycles in which a rank copies a message to or from another one, if both are at the same terminal.
    fn copying(&self, me: u32, other: u32, bytes: u64) -> u64 {
        match self.fields.copy_rate {
            Some(rate) if me != other && self.residents.share(me, other) => {
                self.counting.copying(bytes, rate)
            }
            _ => 0,
        }
    }

    /// Length of a packet that announces or grants.
    fn control(&self) -> u16 {
        self.fields.lengths().0
    }
}

/// The agents of a program whose ranks are at these terminals, or if none are given at the first living ones, one at each. Where it is
/// one of several, it is told apart by a name.
///
/// # Errors
/// What makes no sense, more ranks than there are terminals among it.
pub(crate) fn build(
    parameters: &dyn ProgramParameters,
    network: &Network,
    terminals: Option<&[TerminalId]>,
    files: &[File],
    job: Option<&str>,
) -> Result<Box<dyn Workload>, Invalid> {
    parameters.check()?;
    let living = || network.living_terminals().collect();
    let mut terminals = terminals.map_or_else(living, <[TerminalId]>::to_vec);
    let places = terminals.len() as u32;
    let program = parameters.program(places, files)?;
    let ranks = program.ranks();
    if ranks > places {
        let words = format!("{places} terminals");
        let field = parameters.field_of_ranks();
        return Err(too_many(field, ranks, places, 1, &words));
    }
    terminals.truncate(ranks as usize);
    let common = Common {
        residents: Residents::new(network, &terminals),
        program,
        job: job.map(str::to_owned),
        fields: parameters.host().clone(),
        counting: parameters.counting()?,
    };
    Ok(Box::new(Played {
        common: Arc::new(common),
    }))
}

/// The classes of a program's messages.
const CLASSES: &[&str] = &["data", "control"];

impl Workload for Played {
    fn agent(&self, at: TerminalId) -> Box<dyn Agent> {
        let host = |&rank: &u32| Host::new(Arc::clone(&self.common), rank);
        match self.common.residents.at(at) {
            [] => Box::new(Idle),
            [rank] => Box::new(host(rank)),
            several => Box::new(Neighbours::new(several.iter().map(host).collect())),
        }
    }

    fn longest_packet(&self) -> u16 {
        self.common.fields.packet_flits
    }

    fn classes(&self) -> u8 {
        CLASSES.len() as u8
    }

    fn foreseen(&self, at: TerminalId, most: usize) -> Option<Foreseen> {
        let mut all = Foreseen::default();
        for &rank in self.common.residents.at(at) {
            all.add(foreseen::of_rank(&self.common, rank, most));
        }
        Some(all)
    }

    fn memory_bytes(&self) -> u64 {
        foreseen::bytes_of_hosts(&*self.common.program) + self.common.program.memory_bytes()
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
