//! Terminals that answer.

use std::collections::BTreeMap;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Agent, Event, Message, Outbox, TerminalId, Workload};

/// Every terminal keeps some requests under way to anybody, and answers those of others.
#[derive(Clone, Debug)]
pub(crate) struct Requests {
    pub(crate) terminals: u32,
    /// Requests of a terminal under way.
    pub(crate) window: u32,
    pub(crate) request_flits: u16,
    pub(crate) reply_flits: u16,
    /// Cycles until a request is answered.
    pub(crate) service: u64,
    /// Are replies a class of their own?
    pub(crate) apart: bool,
    /// Replies that a terminal may have to send before it takes no more requests; any number if `None`.
    pub(crate) room: Option<u32>,
    /// How many requests a terminal sends in all; one after the other for ever if `None`.
    pub(crate) requests: Option<u32>,
    pub(crate) seed: u64,
}

impl Workload for Requests {
    fn agent(&self, at: TerminalId) -> Box<dyn Agent> {
        Box::new(Client {
            workload: self.clone(),
            me: at,
            sent: 0,
            under_way: BTreeMap::new(),
            unanswered: 0,
        })
    }

    fn longest_packet(&self) -> u16 {
        self.request_flits.max(self.reply_flits)
    }

    fn classes(&self) -> u8 {
        1 + u8::from(self.apart)
    }

    fn answers(&self) -> &[(u8, u8)] {
        match (self.room, self.apart) {
            (None, _) => &[],
            (Some(_), false) => &[(0, 0)],
            (Some(_), true) => &[(0, 1)],
        }
    }
}

struct Client {
    workload: Requests,
    me: TerminalId,
    sent: u32,
    /// Requests without a reply yet, by number: when they were sent.
    under_way: BTreeMap<u64, u64>,
    /// Replies that have not left.
    unanswered: u32,
}

impl Client {
    fn ask(&mut self, now: u64, out: &mut Outbox) {
        if self.workload.requests == Some(self.sent) {
            return;
        }
        let mut rng = Random::new(self.workload.seed, Purpose::Other, self.me.0, self.sent);
        let tag = u64::from(self.sent) << 1;
        self.sent += 1;
        self.under_way.insert(tag, now);
        out.send(Message {
            destination: TerminalId(rng.below(self.workload.terminals)),
            flits: self.workload.request_flits,
            class: 0,
            tag,
            note: 0,
            not_before: 0,
            report_sent: false,
            parties: [0; 2],
        });
    }
}

impl Agent for Client {
    fn on(&mut self, event: Event, now: u64, out: &mut Outbox) {
        match event {
            Event::Start => (0..self.workload.window).for_each(|_| self.ask(now, out)),
            Event::Timer(_) => unreachable!("none was set"),
            Event::Sent { .. } => self.unanswered -= 1,
            Event::Arrived { from, tag, .. } if tag & 1 == 0 => {
                self.unanswered += 1;
                out.send(Message {
                    destination: from,
                    flits: self.workload.reply_flits,
                    class: u8::from(self.workload.apart),
                    tag: tag | 1,
                    note: 0,
                    not_before: now + self.workload.service,
                    report_sent: true,
                    parties: [0; 2],
                });
            }
            Event::Arrived { tag, .. } => {
                let since = self.under_way.remove(&(tag & !1)).unwrap();
                out.complete(since);
                self.ask(now, out);
            }
        }
    }

    fn is_done(&self) -> bool {
        self.workload.requests == Some(self.sent) && self.under_way.is_empty()
    }

    fn takes(&self, class: u8, coming: u32) -> bool {
        let room = self.workload.room.unwrap_or(u32::MAX);
        class == 1 || self.unanswered + coming < room
    }
}

/// What an event looked like to an agent.
pub(crate) type Heard = (TerminalId, u64, Event);

/// Agents that do as they are told by a function, and note what they hear.
pub(crate) struct Scripted<F> {
    pub(crate) script: F,
    pub(crate) heard: std::sync::Arc<std::sync::Mutex<Vec<Heard>>>,
}

impl<F: Fn(TerminalId, Event, u64, &mut Outbox) + Clone + Send + Sync + 'static> Scripted<F> {
    pub(crate) fn new(script: F) -> Self {
        let heard = std::sync::Arc::default();
        Self { script, heard }
    }

    /// What terminals have heard, in order.
    pub(crate) fn heard(&self) -> Vec<Heard> {
        let mut heard = self.heard.lock().unwrap().clone();
        heard.sort_by_key(|&(terminal, now, _)| (now, terminal));
        heard
    }
}

struct Player<F> {
    script: F,
    heard: std::sync::Arc<std::sync::Mutex<Vec<Heard>>>,
    me: TerminalId,
    /// Timers that have not rung.
    timers: usize,
    /// Does it wait for something that it does not get?
    waits: bool,
}

impl<F: Fn(TerminalId, Event, u64, &mut Outbox) + Clone + Send + Sync + 'static> Workload
    for Scripted<F>
{
    fn agent(&self, at: TerminalId) -> Box<dyn Agent> {
        Box::new(Player {
            script: self.script.clone(),
            heard: self.heard.clone(),
            me: at,
            timers: 0,
            waits: false,
        })
    }

    fn longest_packet(&self) -> u16 {
        8
    }
}

/// A timer that is never set off: who asks for it waits for ever.
pub(crate) const NEVER: u32 = u32::MAX;

impl<F: Fn(TerminalId, Event, u64, &mut Outbox) + Send> Agent for Player<F> {
    fn on(&mut self, event: Event, now: u64, out: &mut Outbox) {
        self.heard.lock().unwrap().push((self.me, now, event));
        self.timers -= usize::from(matches!(event, Event::Timer(_)));
        (self.script)(self.me, event, now, out);
        self.waits |= out.timers.iter().any(|&(_, timer)| timer == NEVER);
        out.timers.retain(|&(_, timer)| timer != NEVER);
        self.timers += out.timers.len();
    }

    fn is_done(&self) -> bool {
        self.timers == 0 && !self.waits
    }
}
