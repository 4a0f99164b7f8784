//! Terminals with agents: what arrives is answered.
//!
//! In a cycle an agent is told first which of its messages have left in the cycle before, then what has arrived, then
//! which timers ring. What it sends in answer may leave in the same cycle. Nothing an agent does
//! depends on another terminal's agent, so the order of terminals does not matter.

use super::super::domain::Domain;
use super::super::packets::Words;
use super::super::wheel::Wheel;
use super::super::wiring::{NOWHERE, Wiring};
use super::calendar::Calendar;
use super::launch::{InjectionChannel, Launch};
use super::reception::Reception;
use std::collections::VecDeque;
use turnwise_network::{Agent, Event, Mark, Message, Outbox, TerminalId, Vc, Workload};

/// All terminals of a domain that have agents.
pub(in super::super) struct Agents {
    pub(super) nodes: Nodes,
    /// Timers, and messages that are not created yet, by terminal.
    due: Calendar<(u32, Due)>,
    /// Packets whose tails are on their way to their terminals, by slot.
    arriving: Wheel<u32>,
    /// Tags of messages that have left in this cycle, by terminal.
    left: Vec<(u32, u64)>,
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
pub(super) struct Nodes(Vec<Option<Box<Node>>>);

impl Nodes {
    fn get(&self, terminal: u32) -> Option<&Node> {
        self.0[terminal as usize].as_deref()
    }

    fn get_mut(&mut self, terminal: u32) -> Option<&mut Node> {
        self.0[terminal as usize].as_deref_mut()
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
    channel: InjectionChannel,
    /// Number of the next message.
    sequence: u32,
    /// The class that sends, or has sent last.
    turn: usize,
    /// By class.
    senders: Box<[Sender]>,
}

/// The messages of one class that wait at a terminal, the first of them perhaps under way.
struct Sender {
    waiting: VecDeque<Waiting>,
    /// Slot of the packet under way, [`NOWHERE`] while it waits; its virtual channel and flits sent.
    slot: u32,
    vc: Vc,
    sent: u16,
}

#[derive(Clone, Copy)]
struct Waiting {
    message: Message,
    created: u64,
    sequence: u32,
}

impl Node {
    fn new(wiring: &Wiring, terminal: u32, workload: &dyn Workload) -> Self {
        let sender = || Sender {
            waiting: VecDeque::new(),
            slot: NOWHERE,
            vc: 0,
            sent: 0,
        };
        let classes = usize::from(workload.classes().max(1));
        Self {
            agent: workload.agent(TerminalId(terminal)),
            is_done: false,
            channel: InjectionChannel::of(wiring, terminal),
            sequence: 0,
            turn: 0,
            senders: std::iter::repeat_with(sender).take(classes).collect(),
        }
    }
}

impl Agents {
    /// None yet.
    pub(in super::super) fn new(
        terminals: usize,
        reach: u64,
        reception: Option<Reception>,
    ) -> Self {
        let nodes = std::iter::repeat_with(|| None).take(terminals);
        Self {
            nodes: Nodes(nodes.collect()),
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

    /// The buffer behind a virtual channel of an injection channel is empty.
    pub(super) fn drained(&mut self, terminal: u32, vc: u32) {
        let Some(node) = self.nodes.get_mut(terminal) else {
            return;
        };
        let sends = |sender: &Sender| sender.slot != NOWHERE && u32::from(sender.vc) == vc;
        if !node.senders.iter().any(sends) {
            node.channel.free |= 1 << vc;
        }
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

    /// What a terminal is going to send next of every class.
    pub(in super::super) fn unsent(&self, terminal: u32) -> impl Iterator<Item = Unsent> + '_ {
        let senders = self.nodes.get(terminal).into_iter().flat_map(|node| {
            let free = node.channel.free;
            node.senders.iter().map(move |sender| (sender, free))
        });
        senders.filter_map(|(sender, free)| {
            let message = sender.waiting.front()?.message;
            Some(match sender.slot {
                NOWHERE => Unsent::Waiting { message, free },
                _ => Unsent::UnderWay(sender.vc),
            })
        })
    }
}

/// The first message of a class that has not left its terminal.
pub(in super::super) enum Unsent {
    /// Some of its flits may have left, on this virtual channel.
    UnderWay(Vc),
    /// None of it has left; these virtual channels are not held by others.
    Waiting { message: Message, free: u32 },
}

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Makes the agents of the domain's living terminals and tells them that the run begins.
    pub(super) fn start_agents(&mut self, workload: &dyn Workload) {
        self.recorder.cover(self.state.longest_way);
        for terminal in 0..self.wiring.terminals() as u32 {
            if !self.wiring.alive[terminal as usize] {
                continue;
            }
            let node = Box::new(Node::new(self.wiring, terminal, workload));
            if !self.is_mine(node.channel.router) {
                continue;
            }
            if let Some(agents) = &mut self.agents {
                agents.unsettled += 1;
                agents.nodes.0[terminal as usize] = Some(node);
            }
            self.tell(terminal, Event::Start);
        }
    }

    /// Tells agents what has happened.
    #[inline(never)]
    pub(super) fn run_agents(&mut self) {
        self.recorder.cover(self.now + self.state.longest_way);
        let Some(agents) = &mut self.agents else {
            return;
        };
        let mut left = std::mem::take(&mut agents.left);
        for (terminal, tag) in left.drain(..) {
            self.tell(terminal, Event::Sent { tag });
        }
        self.receive_messages();
        let Some(agents) = &mut self.agents else {
            return;
        };
        agents.left = left;
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
        let agents = self.agents.as_mut();
        let Some(node) = agents.and_then(|agents| agents.nodes.get_mut(terminal)) else {
            return;
        };
        let sequence = node.sequence;
        node.sequence = sequence.wrapping_add(1);
        node.senders[class].waiting.push_back(Waiting {
            message,
            created: self.now,
            sequence,
        });
        self.active_sources[terminal / 64] |= 1 << (terminal % 64);
    }

    /// Lets every terminal with something to send put one flit on its injection channel.
    #[inline(never)]
    pub(super) fn send_messages(&mut self) {
        for word in 0..self.active_sources.len() as u32 {
            let mut bits = self.active_sources[word];
            while bits != 0 {
                let terminal = word * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                let agents = self.agents.as_mut();
                let node = agents.and_then(|agents| agents.nodes.0[terminal as usize].take());
                if let Some(mut node) = node {
                    self.send_of(terminal, &mut node);
                    if let Some(agents) = &mut self.agents {
                        agents.nodes.0[terminal as usize] = Some(node);
                    }
                }
            }
        }
    }

    /// A class that has begun a packet goes on with it as long as it can; otherwise the classes take turns.
    fn send_of(&mut self, terminal: u32, node: &mut Node) {
        let classes = node.senders.len();
        let first = match node.senders[node.turn].slot {
            NOWHERE => node.turn + 1,
            _ => node.turn,
        };
        for class in (first..first + classes).map(|class| class % classes) {
            if self.send_of_class(terminal, node, class) {
                node.turn = class;
                break;
            }
        }
        if node.senders.iter().all(|sender| sender.waiting.is_empty()) {
            self.active_sources[terminal / 64] &= !(1 << (terminal % 64));
        }
    }

    /// Sends a flit of a class, if there is one and it can go.
    fn send_of_class(&mut self, terminal: u32, node: &mut Node, class: usize) -> bool {
        let Node {
            channel, senders, ..
        } = node;
        let sender = &mut senders[class];
        let Some(&waiting) = sender.waiting.front() else {
            return false;
        };
        if sender.slot == NOWHERE && !self.begin_message(terminal, channel, sender, waiting) {
            return false;
        }
        if !self.send_flit(terminal, *channel, sender.vc) {
            return false;
        }
        sender.sent += 1;
        if sender.sent < waiting.message.flits {
            return true;
        }
        if PLAIN || !self.model.wait_for_tail_credit {
            channel.free |= 1 << sender.vc;
        }
        sender.slot = NOWHERE;
        sender.waiting.pop_front();
        if let Some(agents) = &mut self.agents {
            agents.left.push((terminal, waiting.message.tag));
        }
        true
    }

    /// Gives the first message of a class a virtual channel of the injection channel, if one is free.
    fn begin_message(
        &mut self,
        terminal: u32,
        channel: &mut InjectionChannel,
        sender: &mut Sender,
        waiting: Waiting,
    ) -> bool {
        let Waiting {
            message,
            created,
            sequence,
        } = waiting;
        let launch = Launch {
            destination: message.destination,
            created,
            sequence,
            flits: message.flits,
            class: message.class,
        };
        let Some((slot, vc)) = self.launch(terminal, *channel, launch) else {
            return false;
        };
        let words = Words {
            tag: message.tag,
            mark: Mark::default(),
            class: message.class,
        };
        self.state.packets.write(slot, words);
        channel.take(vc, self.model.virtual_channels);
        (sender.slot, sender.vc, sender.sent) = (slot, vc, 0);
        PLAIN || self.model.routing_delay > 0 || self.decide(channel.router, slot)
    }
}
