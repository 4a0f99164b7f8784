//! Terminals with agents: what arrives is answered.
//!
//! In a cycle an agent is told first which of its messages have left in the cycle before, then what has arrived, then
//! which timers ring. What it sends in answer may leave in the same cycle. Nothing an agent does
//! depends on another terminal's agent, so the order of terminals does not matter.

use super::super::domain::Domain;
use super::super::wheel::Wheel;
use super::super::wiring::Wiring;
use super::calendar::Calendar;
use super::outlets::{Outlets, Waiting};
use super::reception::Reception;
use turnwise_network::{Agent, Event, Message, Outbox, TerminalId, Workload};

/// All terminals of a domain that have agents.
pub(in super::super) struct Agents {
    pub(super) nodes: Nodes,
    pub(in super::super) outlets: Outlets,
    /// Timers, and messages that are not created yet, by terminal.
    due: Calendar<(u32, Due)>,
    /// Packets whose tails are on their way to their terminals, by slot.
    arriving: Wheel<u32>,
    /// Tags of messages that have left in this cycle, by terminal.
    pub(super) left: Vec<(u32, u64)>,
    /// Flits that terminals may refuse; `None` if they take all.
    pub(in super::super) reception: Option<Box<Reception>>,
    /// Agents that are not done, and messages sent here less those that have arrived here.
    unsettled: i64,
    /// The last cycle in which an agent was told something.
    pub(in super::super) last_event: u64,
    /// What an agent has just asked for.
    outbox: Outbox,
}

/// By terminal; none where there is no agent, or where another domain has it.
pub(super) struct Nodes(Vec<Option<Node>>);

impl Nodes {
    fn get(&self, terminal: u32) -> Option<&Node> {
        self.0[terminal as usize].as_ref()
    }

    fn get_mut(&mut self, terminal: u32) -> Option<&mut Node> {
        self.0[terminal as usize].as_mut()
    }

    /// Does an agent take another message of a class, beside so many that are coming in?
    pub(super) fn takes(&self, terminal: u32, class: u8, coming: u32) -> bool {
        let node = self.get(terminal);
        node.is_none_or(|node| node.agent.takes(class, coming))
    }
}

enum Due {
    Timer(u32),
    Message(Message),
}

/// A terminal and its agent.
pub(super) struct Node {
    agent: Box<dyn Agent>,
    is_done: bool,
    /// Number of the next message.
    sequence: u32,
}

impl Agents {
    /// None yet.
    pub(in super::super) fn new(
        wiring: &Wiring,
        classes: usize,
        reach: u64,
        reception: Option<Reception>,
    ) -> Self {
        let nodes = std::iter::repeat_with(|| None).take(wiring.terminals());
        Self {
            nodes: Nodes(nodes.collect()),
            outlets: Outlets::new(wiring, classes),
            due: Calendar::new(),
            arriving: Wheel::new(reach),
            left: Vec::new(),
            reception: reception.map(Box::new),
            unsettled: 0,
            last_event: 0,
            outbox: Outbox::default(),
        }
    }

    /// A cycle from `now` on before which no agent has anything to do.
    pub(in super::super) fn next_due(&self, now: u64) -> Option<u64> {
        if !self.left.is_empty() {
            return Some(now);
        }
        let reception = self.reception.as_ref();
        let due = [
            self.due.next_due(now),
            self.arriving.next_due(now),
            reception.and_then(|reception| reception.next_due(now)),
        ];
        due.into_iter().flatten().min()
    }

    /// Agents that are not done, and messages that were sent here and have not arrived here.
    pub(in super::super) fn unsettled(&self) -> i64 {
        self.unsettled
    }

    /// The agents that are not done.
    pub(in super::super) fn busy(&self) -> impl Iterator<Item = TerminalId> + '_ {
        let nodes = (0..).zip(&self.nodes.0);
        nodes.filter_map(|(terminal, node)| {
            let busy = node.as_ref().is_some_and(|node| !node.is_done);
            busy.then_some(TerminalId(terminal))
        })
    }

    /// A packet's tail will have arrived in a cycle.
    pub(in super::super) fn expect(&mut self, at: u64, slot: u32) {
        self.arriving.push(at, slot);
    }

    /// Is a terminal going to be told something, whatever becomes of what waits in the network?
    pub(in super::super) fn is_awaited(&self, terminal: u32, shift: u32) -> bool {
        let reception = self.reception.as_ref();
        let is_done = self.nodes.get(terminal).is_none_or(|node| node.is_done);
        let rings = |(of, due): &(u32, Due)| match due {
            Due::Timer(_) => *of == terminal && !is_done,
            Due::Message(_) => *of == terminal,
        };
        self.due.iter().any(rings)
            || self.left.iter().any(|&(of, _)| of == terminal)
            || reception.is_some_and(|reception| reception.is_coming(terminal, shift))
    }
}

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Makes the agents of the domain's living terminals and tells them that the run begins.
    pub(super) fn start_agents(&mut self, workload: &dyn Workload) {
        self.recorder.cover(self.state.longest_way);
        for terminal in 0..self.wiring.terminals() as u32 {
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
                agents.nodes.0[terminal as usize] = Some(Node {
                    agent: workload.agent(TerminalId(terminal)),
                    is_done: false,
                    sequence: 0,
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
        let mut left = std::mem::take(&mut agents.left);
        for (terminal, tag) in left.drain(..) {
            self.tell(terminal, Event::Sent { tag });
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
            if let Some(reception) = &mut agents.reception {
                reception.taken_up(packet.destination.0, words.class);
            }
        }
        let arrived = Event::Arrived {
            from: packet.source,
            tag: words.tag,
            flits: packet.flits,
            class: words.class,
            mark: words.mark,
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
        let mut out = std::mem::take(&mut agents.outbox);
        node.agent.on(event, self.now, &mut out);
        let is_done = node.agent.is_done();
        let was_done = std::mem::replace(&mut node.is_done, is_done);
        agents.unsettled += i64::from(was_done) - i64::from(is_done);
        agents.unsettled += out.messages.len() as i64;
        for &(at, timer) in &out.timers {
            let at = at.max(self.now + 1);
            agents.due.push(at, (terminal, Due::Timer(timer)));
        }
        for &since in &out.transactions {
            self.recorder.transaction(since, self.now);
        }
        for &message in &out.messages {
            match message.not_before > self.now {
                true => self.create_later(terminal, message),
                false => self.create(terminal, message),
            }
        }
        out.clear();
        if let Some(agents) = &mut self.agents {
            agents.outbox = out;
            self.admit(terminal);
        }
    }

    fn create_later(&mut self, terminal: u32, message: Message) {
        if let Some(agents) = &mut self.agents {
            let due = (terminal, Due::Message(message));
            agents.due.push(message.not_before, due);
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
