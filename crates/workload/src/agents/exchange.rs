//! Exchange: rounds in which every terminal sends messages to partners, and all wait for all.
//!
//! In a round a terminal computes for `compute_cycles`, sends `messages` messages of `message_flits`, each to a
//! partner drawn from a traffic pattern, and waits until all have arrived. Since nobody knows how much it is going to
//! receive, the receiver acknowledges every message once it is complete. With all its messages
//! acknowledged a terminal enters a barrier; so when it leaves that, everything that was sent in the round has
//! arrived. Then the next round begins: bulk-synchronous computing.
//!
//! Acknowledgements and signals of the barrier are a class of messages of their own, so that they do not queue
//! at a terminal behind its data. All messages are taken up as they come, so both classes may share all
//! virtual channels.
//!
//! A transaction is one round at one terminal, from its beginning to leaving the barrier.
//!
//! Source: Valiant, "A bridging model for parallel computation", Communications of the ACM 33(8), 1990.
//!
//! Complexity: O(packets + log terminals) a terminal and round; memory O(terminals x packets of a round).
//!
//! ```
//! use turnwise_network::topologies::{Topology, Torus};
//! use turnwise_network::{Event, Outbox, TerminalId};
//! use turnwise_workload::agents::{Exchange, ExchangeFields};
//! use turnwise_workload::patterns::Tornado;
//! use turnwise_workload::{Partners, WorkloadParameters};
//!
//! let torus = Torus::default().build(None)?;
//! let fields = ExchangeFields { message_flits: 20, packet_flits: Some(8), ..ExchangeFields::default() };
//! let parameters = Exchange::new(fields, Partners::new(Tornado::default()));
//! let workload = parameters.build(&torus, 1, &[])?;
//! let (mut agent, mut out) = (workload.agent(TerminalId(0)), Outbox::default());
//! agent.on(Event::Start, 0, &mut out);
//! let flits: Vec<u16> = out.messages.iter().map(|packet| packet.flits).collect();
//! assert_eq!(flits, [8, 8, 4]);
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use super::ranks::Ranks;
use super::synchronisation::{BarrierAlgorithm, Synchronisation};
use crate::pattern::{Context, Pattern};
use crate::workload::{
    Partners, WorkloadEntry, WorkloadParameters, check_range, read_with_pattern,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::sync::Arc;
use turnwise_config::File;
use turnwise_config::registry::{Entry, schema_of};
use turnwise_config::units;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Agent, Event, Invalid, Message, Network, Outbox, TerminalId, Workload};

pub(super) const ENTRY: WorkloadEntry = WorkloadEntry {
    entry: Entry {
        name: "exchange",
        aliases: &["bulk-synchronous"],
        summary: "Rounds in which every terminal sends messages to partners, and all wait for all",
        source: "Valiant, A bridging model for parallel computation, Communications of the ACM 33(8), 1990",
        example: "pattern = \"random-permutation\"\nrounds = 3\nmessage_flits = 40\npacket_flits = 16\ncompute_cycles = 100",
        schema: schema_of::<ExchangeFields>,
        parse: |table, errors| {
            let schema = schema_of::<ExchangeFields>;
            let (fields, partners) = read_with_pattern(table, schema, errors)?;
            Some(Box::new(Exchange::new(fields, partners)))
        },
    },
    of_protocol: &[],
    counts_bytes: false,
};

/// No more rounds than this, and no longer computing.
const MOST: u64 = 1_000_000_000;
/// A terminal sends no more packets than this in a round.
const MOST_PACKETS: u64 = 1 << 20;

/// What `[workload]` says of it, beside the pattern.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExchangeFields {
    /// With whom terminals exchange messages: a traffic pattern, whose own fields stand in the same table.
    // Read apart, because its fields are its own; named here for the schema.
    #[schemars(with = "String")]
    pub pattern: IgnoredAny,
    /// How many rounds there are.
    #[schemars(range(min = 1, max = MOST))]
    pub rounds: u32,
    /// Messages that a terminal sends in a round, each to a partner of its own drawing.
    #[schemars(range(min = 1, max = MOST_PACKETS))]
    pub messages: u32,
    /// Length of a message in flits.
    #[schemars(range(min = 1), transform = units::flits)]
    pub message_flits: u32,
    /// Length of the packets that messages are cut into, in flits, the last one the rest; a whole message if not given.
    #[schemars(range(min = 1), transform = units::flits)]
    pub packet_flits: Option<u16>,
    /// Length of acknowledgements and of signals of the barrier, in flits.
    #[schemars(range(min = 1), transform = units::flits)]
    pub control_flits: u16,
    /// Cycles between the beginning of a round and its messages.
    #[schemars(range(max = MOST), transform = units::cycles)]
    pub compute_cycles: u64,
    /// How terminals wait for each other at the end of a round.
    pub barrier_algorithm: BarrierAlgorithm,
    /// May a terminal be its own partner?
    pub send_to_self: bool,
}

impl Default for ExchangeFields {
    fn default() -> Self {
        Self {
            pattern: IgnoredAny,
            rounds: 1,
            messages: 1,
            message_flits: 1,
            packet_flits: None,
            control_flits: 1,
            compute_cycles: 0,
            barrier_algorithm: BarrierAlgorithm::default(),
            send_to_self: false,
        }
    }
}

impl ExchangeFields {
    /// Length of a full packet; what does not fit into one is cut.
    fn packet_flits(&self) -> u32 {
        let packet = self.packet_flits.map_or(self.message_flits, u32::from);
        packet.clamp(1, self.message_flits.max(1))
    }

    /// Packets of a message.
    fn packets(&self) -> u32 {
        self.message_flits.div_ceil(self.packet_flits()).max(1)
    }
}

/// Parameters of bulk-synchronous exchange.
pub struct Exchange {
    fields: ExchangeFields,
    partners: Partners,
}

impl Exchange {
    /// Who sends to whom, and how much.
    pub fn new(fields: ExchangeFields, partners: Partners) -> Self {
        Self { fields, partners }
    }
}

impl WorkloadParameters for Exchange {
    fn files(&self) -> Vec<(&'static str, &str)> {
        self.partners.files()
    }

    fn classes(&self) -> &'static [&'static str] {
        &["message", "control"]
    }

    fn lengths(&self) -> (u16, u16) {
        let fields = &self.fields;
        let (packet, control) = (fields.packet_flits(), u32::from(fields.control_flits));
        let rest = fields.message_flits - (fields.packets() - 1) * packet;
        let flits = |flits: u32| u16::try_from(flits).unwrap_or(u16::MAX);
        (flits(rest.min(control)), flits(packet.max(control)))
    }

    fn total_flits(&self, terminals: u32, _: &[File]) -> Option<f64> {
        let fields = &self.fields;
        let messages = f64::from(fields.messages);
        let control = messages + fields.barrier_algorithm.mean_signals(terminals);
        let data = messages * f64::from(fields.message_flits);
        Some(f64::from(fields.rounds) * (data + control * f64::from(fields.control_flits)))
    }

    fn check(&self) -> Result<(), Invalid> {
        let fields = &self.fields;
        check_range("rounds", fields.rounds.into(), 1, MOST)?;
        check_range("messages", fields.messages.into(), 1, MOST_PACKETS)?;
        check_range(
            "message_flits",
            fields.message_flits.into(),
            1,
            u32::MAX.into(),
        )?;
        let longest = u64::from(u16::MAX);
        check_range(
            "packet_flits",
            fields.packet_flits.unwrap_or(1).into(),
            1,
            longest,
        )?;
        check_range("control_flits", fields.control_flits.into(), 1, longest)?;
        check_range("compute_cycles", fields.compute_cycles, 0, MOST)?;
        if u64::from(fields.packet_flits()) > longest {
            let message = format!(
                "no packet is longer than {longest} flits, found {}",
                fields.message_flits
            );
            let help = "cut it into packets, for example packet_flits = 16";
            return Err(Invalid::new("message_flits", message).with_help(help));
        }
        let packets = u64::from(fields.packets()) * u64::from(fields.messages);
        if packets > MOST_PACKETS {
            let message = format!(
                "these messages are {packets} packets a round; at most {MOST_PACKETS} are possible"
            );
            return Err(
                Invalid::new("message_flits", message).with_help("write a longer packet_flits")
            );
        }
        Ok(())
    }

    fn build(
        &self,
        network: &Network,
        seed: u64,
        files: &[File],
    ) -> Result<Box<dyn Workload>, Invalid> {
        self.check()?;
        let context = Context {
            seed,
            send_to_self: self.fields.send_to_self,
            file: None,
        };
        let common = Common {
            ranks: Ranks::new(network),
            pattern: self.partners.build(network, &context, files)?,
            fields: self.fields.clone(),
            seed,
        };
        Ok(Box::new(Exchanges {
            longest: self.lengths().1,
            common: Arc::new(common),
        }))
    }
}

/// What all terminals know.
struct Common {
    ranks: Ranks,
    pattern: Box<dyn Pattern>,
    fields: ExchangeFields,
    seed: u64,
}

struct Exchanges {
    common: Arc<Common>,
    longest: u16,
}

/// The class of packets of messages, and that of everything else.
const DATA: u8 = 0;
const CONTROL: u8 = 1;

impl Workload for Exchanges {
    fn agent(&self, at: TerminalId) -> Box<dyn Agent> {
        let ranks = &self.common.ranks;
        let part = Synchronisation::new(
            self.common.fields.barrier_algorithm,
            ranks.of(at),
            ranks.count(),
        );
        Box::new(Terminal {
            common: Arc::clone(&self.common),
            at,
            round: 0,
            began: 0,
            unacknowledged: 0,
            incomplete: BTreeMap::new(),
            part,
        })
    }

    fn longest_packet(&self) -> u16 {
        self.longest
    }

    fn classes(&self) -> u8 {
        2
    }

    fn memory_bytes(&self) -> u64 {
        let fields = &self.common.fields;
        let packets = u64::from(fields.packets()) * u64::from(fields.messages);
        let each = size_of::<Terminal>() as u64 + packets * size_of::<Message>() as u64;
        u64::from(self.common.ranks.count()) * each + self.common.pattern.memory_bytes()
    }
}

/// What a packet is.
enum Tag {
    /// A piece of the sender's message of this number in the round.
    Piece(u32),
    /// A message has arrived.
    Acknowledgement,
    /// A signal of the barrier.
    Signal(u8),
}

impl Tag {
    fn encode(self) -> u64 {
        match self {
            Self::Piece(message) => u64::from(message) << 8,
            Self::Acknowledgement => 1,
            Self::Signal(kind) => u64::from(kind) << 8 | 2,
        }
    }

    fn decode(tag: u64) -> Self {
        match tag & 0xff {
            0 => Self::Piece((tag >> 8) as u32),
            1 => Self::Acknowledgement,
            _ => Self::Signal((tag >> 8) as u8),
        }
    }
}

struct Terminal {
    common: Arc<Common>,
    at: TerminalId,
    /// Rounds that it has finished.
    round: u32,
    /// When the current round began.
    began: u64,
    /// Messages of this round that have not been acknowledged.
    unacknowledged: u32,
    /// Messages that have come in part: sender and number, and packets that have come.
    incomplete: BTreeMap<(TerminalId, u32), u32>,
    part: Synchronisation,
}

impl Terminal {
    /// Begins rounds until it has to wait for something.
    fn begin(&mut self, now: u64, out: &mut Outbox) {
        while !self.is_done() {
            self.began = now;
            let compute = self.common.fields.compute_cycles;
            if compute > 0 {
                out.ring(now + compute, 0);
                return;
            }
            if !self.send_all(out) {
                return;
            }
            self.finish(out);
        }
    }

    fn finish(&mut self, out: &mut Outbox) {
        out.complete(self.began);
        self.round += 1;
    }

    /// Sends the messages of a round; is the round finished with that?
    fn send_all(&mut self, out: &mut Outbox) -> bool {
        let common = &*self.common;
        let fields = &common.fields;
        for message in 0..fields.messages {
            let number = self
                .round
                .wrapping_mul(fields.messages)
                .wrapping_add(message);
            let mut rng = Random::new(common.seed, Purpose::Injection, self.at.0, number);
            let Some(destination) = common.pattern.destination(self.at, &mut rng) else {
                break;
            };
            self.unacknowledged += 1;
            let mut left = fields.message_flits;
            while left > 0 {
                let flits = left.min(fields.packet_flits());
                left -= flits;
                out.send(Message {
                    destination,
                    flits: flits as u16,
                    class: DATA,
                    tag: Tag::Piece(message).encode(),
                    note: 0,
                    not_before: 0,
                    report_sent: false,
                    parties: [0; 2],
                });
            }
        }
        self.unacknowledged == 0 && self.synchronise(out, |part, tell| part.enter(tell))
    }

    /// Lets the barrier do something.
    fn synchronise(
        &mut self,
        out: &mut Outbox,
        step: impl FnOnce(&mut Synchronisation, &mut dyn FnMut(u32, u8)) -> bool,
    ) -> bool {
        let common = &*self.common;
        step(&mut self.part, &mut |rank, kind| {
            out.send(control(
                common,
                common.ranks.terminal(rank),
                Tag::Signal(kind),
            ));
        })
    }

    /// A piece of a message has come; acknowledges the message if it is the last one.
    fn collect(&mut self, from: TerminalId, message: u32, out: &mut Outbox) {
        let common = &*self.common;
        let come = self.incomplete.entry((from, message)).or_insert(0);
        *come += 1;
        if *come == common.fields.packets() {
            self.incomplete.remove(&(from, message));
            out.send(control(common, from, Tag::Acknowledgement));
        }
    }
}

/// A short message of the class of short messages.
fn control(common: &Common, destination: TerminalId, tag: Tag) -> Message {
    Message {
        destination,
        flits: common.fields.control_flits,
        class: CONTROL,
        tag: tag.encode(),
        note: 0,
        not_before: 0,
        report_sent: false,
        parties: [0; 2],
    }
}

impl Agent for Terminal {
    fn on(&mut self, event: Event, now: u64, out: &mut Outbox) {
        let is_finished = match event {
            Event::Start => {
                self.begin(now, out);
                false
            }
            Event::Timer(_) => self.send_all(out),
            Event::Sent { .. } => false,
            Event::Arrived { from, tag, .. } => match Tag::decode(tag) {
                Tag::Piece(message) => {
                    self.collect(from, message, out);
                    false
                }
                Tag::Acknowledgement => {
                    self.unacknowledged -= 1;
                    self.unacknowledged == 0 && self.synchronise(out, |part, tell| part.enter(tell))
                }
                Tag::Signal(kind) => self.synchronise(out, |part, tell| part.signalled(kind, tell)),
            },
        };
        if is_finished {
            self.finish(out);
            self.begin(now, out);
        }
    }

    fn is_done(&self) -> bool {
        self.round >= self.common.fields.rounds
    }
}
