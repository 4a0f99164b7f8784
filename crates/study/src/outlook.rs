//! What is known of a workload before it runs, whatever the routing and the routers: what its terminals send first, about how much
//! in all, and what memory it takes.
//!
//! Programs have to be looked at for that, rank by rank, so points that have them in common share it.

use crate::demand::Demand;
use std::sync::OnceLock;
use turnwise_network::{Event, Outbox, TerminalId};

/// Packets whose routes are looked at.
const SAMPLES: usize = 1_024;
/// Terminals whose packets these are where their programs have to be looked at.
const RANKS: usize = 128;

/// What is known of a workload whose ranks have their places; found when it is asked for.
#[derive(Debug, Default)]
pub struct Outlook {
    /// About how many flits a terminal sends in all; `None` if it goes on until the simulation ends.
    pub(crate) total_flits: Option<f64>,
    sent: OnceLock<Sent>,
    bytes: OnceLock<u64>,
}

impl Outlook {
    pub(crate) fn of(total_flits: Option<f64>) -> Self {
        Self {
            total_flits,
            ..Self::default()
        }
    }

    /// What a few terminals send first.
    pub(crate) fn sent(&self, demand: &Demand, terminals: &[TerminalId]) -> &Sent {
        let find = || Sent::of(demand, terminals, self.total_flits);
        self.sent.get_or_init(find)
    }

    /// Bytes of memory that a demand takes.
    pub(crate) fn memory_bytes(&self, demand: &Demand) -> u64 {
        *self.bytes.get_or_init(|| demand.memory_bytes())
    }
}

/// The first packets of a few terminals.
#[derive(Debug)]
pub(crate) struct Sent {
    /// From where, to where, and their flits.
    pub(crate) packets: Vec<(TerminalId, TerminalId, f64)>,
    /// Where terminals answer each other.
    pub(crate) closed: Option<Closed>,
}

impl Sent {
    fn of(demand: &Demand, terminals: &[TerminalId], total_flits: Option<f64>) -> Self {
        let samples = match foretold(demand, terminals.first()) {
            true => RANKS,
            false => SAMPLES,
        };
        let each = SAMPLES.div_ceil(terminals.len().clamp(1, samples)) as u32;
        // All over the network, and not all in the same column of a grid.
        let spread = |index: usize| terminals[index.wrapping_mul(2_654_435_761) % terminals.len()];
        let sources = terminals.len().min(samples);
        let (mut packets, mut closed) = (Vec::new(), None);
        for source in (0..sources).map(spread) {
            let first = first_packets(demand, source, each, &mut closed);
            packets.extend(first.into_iter().map(|(to, flits)| (source, to, flits)));
        }
        Self {
            packets,
            closed: closed.map(|closed: Closed| Closed {
                total_flits,
                ..closed.shared_by(sources)
            }),
        }
    }
}

/// Terminals that answer each other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Closed {
    /// Flits that a terminal sends before it hears anything, and the cycles before it does so.
    pub(crate) first_flits: f64,
    pub(crate) first_cycle: f64,
    /// Flits that it sends in all, if there is an end.
    pub(crate) total_flits: Option<f64>,
    /// Messages that have been looked at, and flits that these have together; none if only what arrives tells of them.
    pub(crate) messages: u64,
    pub(crate) flits: u64,
}

impl Closed {
    /// Sums over so many terminals as means.
    fn shared_by(self, sources: usize) -> Self {
        let sources = sources.max(1) as f64;
        Self {
            first_flits: self.first_flits / sources,
            first_cycle: self.first_cycle / sources,
            ..self
        }
    }
}

/// Is known what terminals send beyond what they begin with?
fn foretold(demand: &Demand, terminal: Option<&TerminalId>) -> bool {
    match (demand, terminal) {
        (Demand::Closed { workload, .. }, Some(&at)) => workload.foreseen(at, 1).is_some(),
        _ => false,
    }
}

/// How many packets are created at once.
pub(crate) fn packets_of_message(demand: &Demand) -> f64 {
    let cutting = demand.cutting();
    cutting.map_or(1, |cutting| cutting.packets).into()
}

/// Destinations and lengths of the first few packets that a terminal sends; adds to `closed` where terminals answer.
fn first_packets(
    demand: &Demand,
    source: TerminalId,
    most: u32,
    closed: &mut Option<Closed>,
) -> Vec<(TerminalId, f64)> {
    match demand {
        Demand::Open {
            injector, switches, ..
        } => {
            // The first ones of each phase, because each has channels of its own that are narrow.
            let begins = switches.iter().map(|at| at.checked_sub(1));
            let packets = std::iter::once(None).chain(begins).flat_map(|after| {
                (0..most).map_while(move |number| injector.next(source, number, after))
            });
            // Of the packets of a message, which are all on the same ways, one.
            let of_message = packets_of_message(demand);
            let length = |flits: u16| f64::from(flits) / of_message;
            let few = packets.map(|packet| (packet.destination, length(packet.flits)));
            few.collect()
        }
        Demand::Closed { workload, .. } => {
            let closed = closed.get_or_insert_default();
            let (mut agent, mut out) = (workload.agent(source), Outbox::default());
            agent.on(Event::Start, 0, &mut out);
            if let (true, Some(&(at, timer))) = (out.messages.is_empty(), out.timers.first()) {
                agent.on(Event::Timer(timer), at, &mut out);
                closed.first_cycle += at as f64;
            }
            let flits = out.messages.iter().map(|message| f64::from(message.flits));
            closed.first_flits += flits.sum::<f64>();
            // Neighbours come first in many programs, and words that announce a message go before it.
            if let Some(foreseen) = workload.foreseen(source, most as usize) {
                closed.messages += foreseen.messages;
                closed.flits += foreseen.flits;
                return foreseen.packets;
            }
            let few = out.messages.iter().take(most as usize);
            let few = few.map(|message| (message.destination, f64::from(message.flits)));
            few.collect()
        }
    }
}
