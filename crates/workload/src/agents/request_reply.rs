//! Request-reply: every terminal asks others and waits for their replies, with so many requests open at a time.
//!
//! A terminal is a client with a window, and a server. The client sends `window` requests at first, and another
//! one whenever a reply has come, `think_cycles` later. The server takes a request up if it has room for its
//! reply, works on it for `service_cycles`, and sends the reply. With `servers = n` it works on `n` requests at a
//! time, otherwise on as many as come. The reply keeps its room until its last flit has left; as long as there
//! is none, further requests wait in the network.
//!
//! **Message classes.** With `message_classes = 2` requests and replies have virtual channels of their own and
//! replies are always taken up, so every request is taken up some day. With one class a terminal without room
//! cannot see whether a reply or a request waits for it, and takes neither: terminals may wait for each other
//! in a circle, a protocol deadlock (Dally and Towles, section 14.1.3).
//!
//! A transaction lasts from the creation of a request to the arrival of its reply. By Little's law,
//! `window = throughput x (mean transaction time + think_cycles)` while requests last.
//!
//! Sources: Dally and Towles, Principles and Practices of Interconnection Networks, sections 14.1.3 and 23.2;
//! Little, "A proof for the queuing formula L = lambda W", Operations Research 9(3), 1961.
//!
//! Complexity: O(1) a message, O(terminals x (window + reply queue)) memory.
//!
//! ```
//! use turnwise_network::topologies::{Topology, Torus};
//! use turnwise_network::{Event, Outbox, TerminalId};
//! use turnwise_workload::agents::{RequestReply, RequestReplyFields};
//! use turnwise_workload::patterns::Uniform;
//! use turnwise_workload::{Partners, WorkloadParameters};
//!
//! let torus = Torus::default().build(None)?;
//! let fields = RequestReplyFields { window: 4, ..RequestReplyFields::default() };
//! let parameters = RequestReply::new(fields, Partners::new(Uniform::default()));
//! let workload = parameters.build(&torus, 1, &[])?;
//! let (mut agent, mut out) = (workload.agent(TerminalId(0)), Outbox::default());
//! agent.on(Event::Start, 0, &mut out);
//! assert_eq!(out.messages.len(), 4);
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::pattern::{Context, Pattern};
use crate::sizes::{PacketFlits, Sizes};
use crate::workload::{
    Partners, WorkloadEntry, WorkloadParameters, check_range, read_with_pattern,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::VecDeque;
use std::sync::Arc;
use turnwise_config::File;
use turnwise_config::registry::{Entry, schema_of};
use turnwise_config::units;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Agent, Event, Invalid, Message, Network, Outbox, TerminalId, Workload};

pub(super) const ENTRY: WorkloadEntry = WorkloadEntry {
    entry: Entry {
        name: "request-reply",
        aliases: &[],
        summary: "Every terminal keeps so many requests open, to destinations drawn from a pattern",
        source: "Dally and Towles, Principles and Practices of Interconnection Networks, sections 14.1.3 and 23.2",
        example: "pattern = \"uniform\"\nwindow = 4\nrequest_flits = 1\nreply_flits = 5\nrequests = 50",
        schema: schema_of::<RequestReplyFields>,
        parse: |table, errors| {
            let schema = schema_of::<RequestReplyFields>;
            let (fields, partners) = read_with_pattern(table, schema, errors)?;
            Some(Box::new(RequestReply::new(fields, partners)))
        },
    },
    of_protocol: &["message_classes"],
    counts_bytes: false,
};

/// No window and no queue is larger than this.
const MOST_WAITING: u32 = 1 << 20;
/// No more requests than this are asked of a terminal, and no delay is longer.
const MOST: u64 = 1_000_000_000;

/// What `[workload]` says of it, beside the pattern.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RequestReplyFields {
    /// Whom a terminal asks: a traffic pattern, whose own fields stand in the same table.
    // Read apart, because its fields are its own; named here for the schema.
    #[schemars(with = "String")]
    pub pattern: IgnoredAny,
    /// Requests that a terminal has open at a time.
    #[schemars(range(min = 1, max = MOST_WAITING))]
    pub window: u32,
    /// Requests that every terminal sends in all; the run ends when all are answered. Without it they
    /// never end, and a window of time is measured.
    #[schemars(range(min = 1, max = MOST))]
    pub requests: Option<u64>,
    /// Length of a request in flits, 1 if not given; or several lengths and their shares.
    pub request_flits: PacketFlits,
    /// Length of a reply in flits, 1 if not given; or several lengths and their shares.
    pub reply_flits: PacketFlits,
    /// Cycles from a request's arrival to the creation of its reply.
    #[schemars(range(max = MOST), transform = units::cycles)]
    pub service_cycles: u64,
    /// Requests that a terminal works on at a time; as many as come if not given.
    #[schemars(range(min = 1, max = MOST_WAITING))]
    pub servers: Option<u32>,
    /// Cycles from a reply's arrival to the creation of the next request.
    #[schemars(range(max = MOST), transform = units::cycles)]
    pub think_cycles: u64,
    /// Classes of messages: 2 keeps requests and replies apart, 1 lets them share all virtual channels.
    #[schemars(range(min = 1, max = 2))]
    pub message_classes: u8,
    /// Replies that a terminal has room for, in service or waiting to be sent; without room it takes up no further request.
    #[schemars(range(min = 1, max = MOST_WAITING))]
    pub reply_queue: u32,
    /// May a terminal ask itself?
    pub send_to_self: bool,
}

impl Default for RequestReplyFields {
    fn default() -> Self {
        Self {
            pattern: IgnoredAny,
            window: 1,
            requests: None,
            request_flits: PacketFlits::default(),
            reply_flits: PacketFlits::default(),
            service_cycles: 0,
            servers: None,
            think_cycles: 0,
            message_classes: 2,
            reply_queue: 16,
            send_to_self: false,
        }
    }
}

/// Parameters of requests and replies.
pub struct RequestReply {
    fields: RequestReplyFields,
    partners: Partners,
}

impl RequestReply {
    /// Who asks whom, and how.
    pub fn new(fields: RequestReplyFields, partners: Partners) -> Self {
        Self { fields, partners }
    }
}

impl WorkloadParameters for RequestReply {
    fn files(&self) -> Vec<(&'static str, &str)> {
        self.partners.files()
    }

    fn classes(&self) -> &'static [&'static str] {
        match self.fields.message_classes {
            1 => &["message"],
            _ => &["request", "reply"],
        }
    }

    fn classes_apart(&self) -> u8 {
        self.fields.message_classes
    }

    fn answers(&self) -> &'static [(u8, u8)] {
        answers(self.fields.message_classes)
    }

    fn lengths(&self) -> (u16, u16) {
        let (requests, replies) = (&self.fields.request_flits, &self.fields.reply_flits);
        let shortest = requests.shortest().min(replies.shortest());
        (shortest, requests.longest().max(replies.longest()))
    }

    fn total_flits(&self, _: u32, _: &[File]) -> Option<f64> {
        let flits = self.fields.request_flits.mean() + self.fields.reply_flits.mean();
        self.fields.requests.map(|requests| requests as f64 * flits)
    }

    fn check(&self) -> Result<(), Invalid> {
        let fields = &self.fields;
        let most = MOST_WAITING.into();
        check_range("window", fields.window.into(), 1, most)?;
        check_range("requests", fields.requests.unwrap_or(1), 1, MOST)?;
        check_range("service_cycles", fields.service_cycles, 0, MOST)?;
        check_range("servers", fields.servers.unwrap_or(1).into(), 1, most)?;
        check_range("think_cycles", fields.think_cycles, 0, MOST)?;
        check_range("message_classes", fields.message_classes.into(), 1, 2)?;
        check_range("reply_queue", fields.reply_queue.into(), 1, most)?;
        for (field, flits) in [
            ("request_flits", &fields.request_flits),
            ("reply_flits", &fields.reply_flits),
        ] {
            let renamed = |place: String| place.replacen("packet_flits", field, 1);
            flits.check().map_err(|invalid| invalid.moved(renamed))?;
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
            pattern: self.partners.build(network, &context, files)?,
            request_sizes: Sizes::new(&self.fields.request_flits),
            reply_sizes: Sizes::new(&self.fields.reply_flits),
            fields: self.fields.clone(),
            seed,
        };
        Ok(Box::new(RequestsReplies {
            terminals: network.living_terminals().count() as u64,
            longest: self.lengths().1,
            common: Arc::new(common),
        }))
    }
}

/// Replies wait for nothing; requests may wait for replies to leave, and so does everything in the only class.
fn answers(message_classes: u8) -> &'static [(u8, u8)] {
    match message_classes {
        1 => &[(0, 0)],
        _ => &[(0, 1)],
    }
}

/// What all terminals know.
struct Common {
    pattern: Box<dyn Pattern>,
    request_sizes: Sizes,
    reply_sizes: Sizes,
    fields: RequestReplyFields,
    seed: u64,
}

struct RequestsReplies {
    common: Arc<Common>,
    terminals: u64,
    longest: u16,
}

impl Workload for RequestsReplies {
    fn agent(&self, at: TerminalId) -> Box<dyn Agent> {
        Box::new(Terminal {
            common: Arc::clone(&self.common),
            at,
            asked: 0,
            answered: 0,
            is_silent: false,
            held: 0,
            busy: VecDeque::new(),
        })
    }

    fn longest_packet(&self) -> u16 {
        self.longest
    }

    fn classes(&self) -> u8 {
        self.common.fields.message_classes
    }

    fn answers(&self) -> &[(u8, u8)] {
        answers(self.common.fields.message_classes)
    }

    fn memory_bytes(&self) -> u64 {
        let fields = &self.common.fields;
        let servers = u64::from(fields.servers.unwrap_or(0).min(fields.reply_queue));
        let waiting = u64::from(fields.window) * size_of::<Message>() as u64;
        let each = size_of::<Terminal>() as u64 + waiting + 8 * servers;
        self.terminals * each + self.common.pattern.memory_bytes()
    }
}

/// What a request says of itself, and its reply after it: when it was created, and how long the reply is.
#[derive(Clone, Copy)]
struct Tag(u64);

impl Tag {
    const REPLY: u64 = 1 << 63;
    const FLITS: u32 = 47;

    fn request(created: u64, reply_flits: u16) -> Self {
        Self(created & ((1 << Self::FLITS) - 1) | u64::from(reply_flits) << Self::FLITS)
    }

    fn reply(self) -> Self {
        Self(self.0 | Self::REPLY)
    }

    fn is_reply(self) -> bool {
        self.0 & Self::REPLY != 0
    }

    fn created(self) -> u64 {
        self.0 & ((1 << Self::FLITS) - 1)
    }

    fn reply_flits(self) -> u16 {
        (self.0 >> Self::FLITS) as u16
    }
}

/// A client and a server.
struct Terminal {
    common: Arc<Common>,
    at: TerminalId,
    /// Requests created, also those that are still being thought about; and replies that have come.
    asked: u64,
    answered: u64,
    /// Does the pattern know nobody for it to ask?
    is_silent: bool,
    /// Replies that it has taken room for.
    held: u32,
    /// When its servers are free, in the order in which they will be; not all of them, if they are as many as come.
    busy: VecDeque<u64>,
}

impl Terminal {
    /// Creates a request, unless it has asked all it wants to.
    fn ask(&mut self, at: u64, out: &mut Outbox) {
        let common = &*self.common;
        if common
            .fields
            .requests
            .is_some_and(|most| self.asked >= most)
        {
            return;
        }
        let number = self.asked as u32;
        let mut rng = Random::new(common.seed, Purpose::Injection, self.at.0, number);
        let Some(destination) = common.pattern.destination(self.at, &mut rng) else {
            self.is_silent = true;
            return;
        };
        let flits = common.request_sizes.draw(&mut rng);
        let reply_flits = common.reply_sizes.draw(&mut rng);
        self.asked += 1;
        out.send(Message {
            destination,
            flits,
            class: 0,
            tag: Tag::request(at, reply_flits).0,
            note: 0,
            not_before: at,
            report_sent: false,
            parties: [0; 2],
        });
    }

    /// Serves a request.
    fn serve(&mut self, from: TerminalId, tag: Tag, now: u64, out: &mut Outbox) {
        let fields = &self.common.fields;
        self.held += 1;
        let begin = match fields.servers {
            Some(servers) if self.busy.len() >= servers as usize => {
                self.busy.pop_front().map_or(now, |free| free.max(now))
            }
            _ => now,
        };
        let done = begin + fields.service_cycles;
        if fields.servers.is_some() {
            self.busy.push_back(done);
        }
        out.send(Message {
            destination: from,
            flits: tag.reply_flits(),
            class: fields.message_classes - 1,
            tag: tag.reply().0,
            note: 0,
            not_before: done,
            report_sent: true,
            parties: [0; 2],
        });
    }
}

impl Agent for Terminal {
    fn on(&mut self, event: Event, now: u64, out: &mut Outbox) {
        match event {
            Event::Start => {
                for _ in 0..self.common.fields.window {
                    self.ask(now, out);
                }
            }
            Event::Arrived { from, tag, .. } if !Tag(tag).is_reply() => {
                self.serve(from, Tag(tag), now, out);
            }
            Event::Arrived { tag, .. } => {
                self.answered += 1;
                out.complete(Tag(tag).created());
                self.ask(now + self.common.fields.think_cycles, out);
            }
            Event::Sent { .. } => self.held -= 1,
            Event::Timer(_) => {}
        }
    }

    fn is_done(&self) -> bool {
        let wanted = self.common.fields.requests;
        self.is_silent || wanted.is_some_and(|wanted| self.answered >= wanted)
    }

    fn takes(&self, class: u8, coming: u32) -> bool {
        class > 0 || self.held + coming < self.common.fields.reply_queue
    }
}
