//! Terminals with agents: what arrives is answered, as in the flit engine.

use super::adapter::Waiting;
use super::agenda::Event as Due;
use super::fabric::Fabric;
use super::links::Links;
use crate::outcome::Stalled;
use turnwise_network::{Agent, Event, Message, Outbox, TerminalId, Workload};

/// The agents of all terminals.
#[derive(Default)]
pub(super) struct Agents {
    /// By terminal; none where nobody lives.
    nodes: Vec<Option<Node>>,
    /// Messages that are created later; places are used again.
    later: Vec<Message>,
    free: Vec<u32>,
    /// Agents that are not done, and messages that were sent and have not arrived.
    pub(super) unsettled: i64,
    /// The last cycle in which an agent was told something.
    pub(super) last_event: u64,
    outbox: Outbox,
}

struct Node {
    agent: Box<dyn Agent>,
    is_done: bool,
    /// Number of the next message.
    number: u32,
    /// The last cycle in which it was told something.
    last_event: u64,
    /// Messages that it has sent less those that have come to it, and one more while it is not done.
    unsettled: i64,
}

impl Agents {
    /// By terminal, the last cycle in which its agent was told something, and what of it is unsettled; empty if there
    /// are none.
    pub(super) fn standings(&self) -> (Vec<u64>, Vec<i64>) {
        let standing = |node: &Option<Node>| {
            let node = node.as_ref();
            node.map_or((0, 0), |node| (node.last_event, node.unsettled))
        };
        self.nodes.iter().map(standing).unzip()
    }

    /// A message has come to a terminal.
    pub(super) fn arrived(&mut self, terminal: u32) {
        self.unsettled -= 1;
        if let Some(Some(node)) = self.nodes.get_mut(terminal as usize) {
            node.unsettled -= 1;
        }
    }

    /// Those that are not done.
    pub(super) fn busy(&self) -> Vec<Stalled> {
        let nodes = (0..).zip(&self.nodes);
        let busy = nodes.filter_map(|(terminal, node)| {
            let busy = node.as_ref().filter(|node| !node.is_done)?;
            Some(Stalled {
                terminal: TerminalId(terminal),
                failure: busy.agent.failure(),
                waits: busy.agent.waits(),
            })
        });
        busy.collect()
    }
}

impl Fabric<'_> {
    /// Makes the agents of living terminals and tells them that the run begins.
    pub(super) fn start_agents(&mut self, workload: &dyn Workload) {
        let network = self.setup.network;
        let agents = &mut self.reception.agents;
        agents.nodes.resize_with(network.terminal_count(), || None);
        for terminal in network.living_terminals() {
            agents.nodes[terminal.index()] = Some(Node {
                agent: workload.agent(terminal),
                is_done: false,
                number: 0,
                last_event: 0,
                unsettled: 1,
            });
            agents.unsettled += 1;
        }
        for terminal in network.living_terminals() {
            self.tell(terminal.0, Event::Start);
        }
    }

    /// Tells a terminal's agent that a message of one of its parties has left.
    pub(super) fn tell_sent(&mut self, terminal: u32, tag: u64, party: u8) {
        self.tell(terminal, Event::Sent { tag, party });
    }

    /// An agent's timer rings, unless it is done.
    pub(super) fn ring(&mut self, terminal: u32, timer: u32) {
        let node = self.reception.agents.nodes.get(terminal as usize);
        if node
            .and_then(Option::as_ref)
            .is_some_and(|node| !node.is_done)
        {
            self.tell(terminal, Event::Timer(timer));
        }
    }

    /// Tells an agent something and does what it wants.
    pub(super) fn tell(&mut self, terminal: u32, event: Event) {
        let agents = &mut self.reception.agents;
        let Some(Some(node)) = agents.nodes.get_mut(terminal as usize) else {
            return;
        };
        agents.last_event = self.now;
        node.last_event = self.now;
        let mut out = std::mem::take(&mut agents.outbox);
        node.agent.on(event, self.now, &mut out);
        let is_done = node.agent.is_done();
        let was_done = std::mem::replace(&mut node.is_done, is_done);
        let opened = i64::from(was_done) - i64::from(is_done) + out.messages.len() as i64;
        agents.unsettled += opened;
        node.unsettled += opened;
        for (at, timer) in out.timers.drain(..) {
            let after = at.saturating_sub(self.now).max(1);
            self.schedule(after, Due::Timer { terminal, timer });
        }
        for since in out.transactions.drain(..) {
            self.recorder.transaction(since, self.now);
        }
        let sends = !out.messages.is_empty();
        for message in out.messages.drain(..) {
            match message.not_before > self.now {
                true => self.create_later(terminal, message),
                false => self.create(terminal, message),
            }
        }
        self.reception.agents.outbox = out;
        if sends {
            self.kick(Links::injection(self.setup.network, terminal));
        }
    }

    fn create_later(&mut self, terminal: u32, message: Message) {
        let agents = &mut self.reception.agents;
        let place = match agents.free.pop() {
            Some(place) => {
                agents.later[place as usize] = message;
                place
            }
            None => {
                agents.later.push(message);
                agents.later.len() as u32 - 1
            }
        };
        self.schedule(
            message.not_before - self.now,
            Due::Message { terminal, place },
        );
    }

    /// A message is created that was to be created in this cycle.
    pub(super) fn create_due(&mut self, terminal: u32, place: u32) {
        let agents = &mut self.reception.agents;
        agents.free.push(place);
        let message = agents.later[place as usize];
        self.create(terminal, message);
        self.kick(Links::injection(self.setup.network, terminal));
    }

    /// A message is created: it waits at its source from now on.
    fn create(&mut self, terminal: u32, message: Message) {
        let flits = message.flits.max(1);
        self.check_length(terminal, flits);
        self.recorder.packet_created(terminal, self.now, flits);
        if self.classes.is_used() && self.recorder.in_window(self.now) {
            self.classes.created(message.class.into(), flits);
        }
        let Some(Some(node)) = self.reception.agents.nodes.get_mut(terminal as usize) else {
            return;
        };
        let number = node.number;
        node.number = number.wrapping_add(1);
        let lanes = &mut self.adapters.all[terminal as usize].lanes;
        lanes[usize::from(message.class)].queue.push_back(Waiting {
            destination: message.destination,
            created: self.now,
            tag: message.tag,
            note: message.note,
            number,
            flits,
            class: message.class,
            parties: message.parties,
            is_reported: message.report_sent,
        });
    }
}
