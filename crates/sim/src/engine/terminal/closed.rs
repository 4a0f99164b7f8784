//! Terminals with agents: what arrives is answered.
//!
//! In a cycle an agent is told first which of its messages have left in the cycle before, then what has arrived, then
//! which timers ring. What it sends in answer may leave in the same cycle. Nothing an agent does
//! depends on another terminal's agent, so the order of terminals does not matter.

use super::super::domain::Domain;
use super::agents::{Due, Node};
use super::outlets::Waiting;
use turnwise_network::{Event, Message, TerminalId, Workload};

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Makes the agents of the domain's living terminals and tells them that the run begins.
    pub(super) fn start_agents(&mut self, workload: &dyn Workload) {
        self.recorder.cover(self.state.longest_way);
        for terminal in self.extent.terminals.clone() {
            if !self.wiring.alive[terminal as usize] {
                continue;
            }
            let Some(agents) = &mut self.agents else {
                return;
            };
            let router = agents.outlets.channel(terminal).router;
            if !self.is_mine(router) {
                continue;
            }
            if let Some(agents) = &mut self.agents {
                agents.unsettled += 1;
                agents.nodes.0[terminal] = Some(Node {
                    agent: workload.agent(TerminalId(terminal)),
                    is_done: false,
                    sequence: 0,
                    last_event: 0,
                    unsettled: 1,
                });
            }
            self.tell(terminal, Event::Start);
        }
    }

    /// Tells agents what has happened.
    #[inline(never)]
    pub(super) fn run_agents(&mut self) {
        self.recorder.cover(self.now + self.state.longest_way);
        self.report_departures();
        self.receive_messages();
        self.do_what_is_due();
        self.give_owed_credits();
    }

    /// Messages that left in the cycle before.
    fn report_departures(&mut self) {
        let Some(agents) = &mut self.agents else {
            return;
        };
        if let Some(reception) = &mut agents.reception {
            reception.received = self.now;
        }
        let mut left = std::mem::take(&mut agents.left);
        for (terminal, tag, party) in left.drain(..) {
            self.tell(terminal, Event::Sent { tag, party });
        }
        if let Some(agents) = &mut self.agents {
            agents.left = left;
        }
    }

    fn do_what_is_due(&mut self) {
        let Some(agents) = &mut self.agents else {
            return;
        };
        let Some(mut due) = agents.due.take(self.now) else {
            return;
        };
        for (terminal, due) in due.drain(..) {
            match due {
                Due::Timer(timer) => self.ring(terminal, timer),
                Due::Message(message) => self.create(terminal, message),
            }
        }
        if let Some(agents) = &mut self.agents {
            agents.due.recycle(due);
        }
    }

    fn receive_messages(&mut self) {
        self.receive_refusable();
        let arriving = self.agents.as_mut().map(|agents| &mut agents.arriving);
        let Some(due) = arriving.and_then(|arriving| arriving.take(self.now)) else {
            return;
        };
        for &slot in &due {
            self.arrive(slot);
        }
        if let Some(agents) = &mut self.agents {
            agents.arriving.recycle(due);
        }
    }

    /// A message has arrived whole.
    pub(super) fn arrive(&mut self, slot: u32) {
        let packet = *self.state.packets.get(slot);
        let words = self.state.packets.words(slot);
        self.deliver(slot, self.now);
        if let Some(agents) = &mut self.agents {
            agents.unsettled -= 1;
            if let Some(node) = agents.nodes.get_mut(packet.destination.0) {
                node.unsettled -= 1;
            }
            if let Some(reception) = &mut agents.reception {
                reception.taken_up(packet.destination.0, words.class);
            }
        }
        let arrived = Event::Arrived {
            from: packet.source,
            tag: words.tag,
            note: words.note,
            flits: packet.flits,
            class: words.class,
            mark: words.mark,
            parties: words.parties,
        };
        self.tell(packet.destination.0, arrived);
    }

    /// A timer rings, unless its agent is done.
    fn ring(&mut self, terminal: u32, timer: u32) {
        let agents = self.agents.as_ref();
        let node = agents.and_then(|agents| agents.nodes.get(terminal));
        if node.is_some_and(|node| !node.is_done) {
            self.tell(terminal, Event::Timer(timer));
        }
    }

    /// Tells an agent something and does what it wants.
    fn tell(&mut self, terminal: u32, event: Event) {
        let Some(agents) = &mut self.agents else {
            return;
        };
        let Some(node) = agents.nodes.get_mut(terminal) else {
            return;
        };
        agents.last_event = self.now;
        node.last_event = self.now;
        let out = &mut agents.outbox;
        node.agent.on(event, self.now, out);
        let is_done = node.agent.is_done();
        let was_done = std::mem::replace(&mut node.is_done, is_done);
        let opened = i64::from(was_done) - i64::from(is_done) + out.messages.len() as i64;
        agents.unsettled += opened;
        node.unsettled += opened;
        if !out.timers.is_empty() {
            for (at, timer) in out.timers.drain(..) {
                let at = at.max(self.now + 1);
                agents.due.push(self.now, at, (terminal, Due::Timer(timer)));
            }
        }
        if !out.transactions.is_empty() {
            for since in out.transactions.drain(..) {
                self.recorder.transaction(since, self.now);
            }
        }
        if !out.messages.is_empty() {
            self.post(terminal);
        }
        self.admit(terminal);
    }

    /// Creates the messages that an agent has just put into the outbox.
    fn post(&mut self, terminal: u32) {
        let outbox = self.agents.as_mut().map(|agents| &mut agents.outbox);
        let Some(mut messages) = outbox.map(|out| std::mem::take(&mut out.messages)) else {
            return;
        };
        for message in messages.drain(..) {
            match message.not_before > self.now {
                true => self.create_later(terminal, message),
                false => self.create(terminal, message),
            }
        }
        if let Some(agents) = &mut self.agents {
            agents.outbox.messages = messages;
        }
    }

    fn create_later(&mut self, terminal: u32, message: Message) {
        if let Some(agents) = &mut self.agents {
            let due = (terminal, Due::Message(message));
            agents.due.push(self.now, message.not_before, due);
        }
    }

    /// A message is created: it waits at its source from now on.
    fn create(&mut self, terminal: u32, mut message: Message) {
        message.flits = message.flits.max(1);
        let (flits, class) = (message.flits, usize::from(message.class));
        if self.setup.check && flits > self.longest_packet {
            let longest = self.longest_packet;
            self.totals.violation = Some(format!(
                "terminal {terminal} sends a message of {flits} flits, although none has more than {longest}"
            ));
        }
        self.recorder.packet_created(terminal, self.now, flits);
        if self.classes.is_used() && self.recorder.in_window(self.now) {
            self.classes.created(class, flits);
        }
        let Some(agents) = &mut self.agents else {
            return;
        };
        let Some(node) = agents.nodes.get_mut(terminal) else {
            return;
        };
        let sequence = node.sequence;
        node.sequence = sequence.wrapping_add(1);
        agents.outlets.add(
            terminal,
            Waiting {
                message,
                created: self.now,
                sequence,
            },
        );
        self.active_sources[terminal / 64] |= 1 << (terminal % 64);
    }
}
