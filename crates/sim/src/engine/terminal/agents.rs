//! The agents of terminals, and what they wait for.

use super::super::extent::Extent;
use super::super::packets::Packets;
use super::super::unchecked::Part;
use super::super::wheel::Wheel;
use super::super::wiring::Wiring;
use super::calendar::Calendar;
use super::outlets::Outlets;
use super::reception::Reception;
use crate::outcome::Stalled;
use turnwise_network::{Agent, Message, Outbox, TerminalId};

/// All terminals of a domain that have agents.
pub(in super::super) struct Agents {
    pub(super) nodes: Nodes,
    pub(in super::super) outlets: Outlets,
    /// Timers, and messages that are not created yet, by terminal.
    pub(super) due: Calendar<(u32, Due)>,
    /// Packets whose tails are on their way to their terminals, by slot.
    pub(super) arriving: Wheel<u32>,
    /// Tags of messages that have left in this cycle, by terminal.
    pub(super) left: Vec<(u32, u64, u8)>,
    /// Flits that terminals may refuse; `None` if they take all.
    pub(in super::super) reception: Option<Box<Reception>>,
    /// Agents that are not done, and messages sent here less those that have arrived here.
    pub(super) unsettled: i64,
    /// The last cycle in which an agent was told something.
    pub(in super::super) last_event: u64,
    /// What an agent has just asked for.
    pub(super) outbox: Outbox,
}

/// By terminal; none where there is no agent, or where another domain has it.
pub(super) struct Nodes(pub(super) Part<Option<Node>>);

impl Nodes {
    pub(super) fn get(&self, terminal: u32) -> Option<&Node> {
        self.0[terminal].as_ref()
    }

    pub(super) fn get_mut(&mut self, terminal: u32) -> Option<&mut Node> {
        self.0[terminal].as_mut()
    }

    /// Does an agent take another message of a class, beside so many that are coming in?
    pub(super) fn takes(&self, terminal: u32, class: u8, coming: u32) -> bool {
        let node = self.get(terminal);
        node.is_none_or(|node| node.agent.takes(class, coming))
    }
}

pub(super) enum Due {
    Timer(u32),
    Message(Message),
}

/// A terminal and its agent.
pub(super) struct Node {
    pub(super) agent: Box<dyn Agent>,
    pub(super) is_done: bool,
    /// Number of the next message.
    pub(super) sequence: u32,
    /// The last cycle in which it was told something.
    pub(super) last_event: u64,
    /// Messages that it has sent less those that have come to it, and one more while it is not done.
    pub(super) unsettled: i64,
}

impl Agents {
    /// None yet.
    pub(in super::super) fn new(
        wiring: &Wiring,
        extent: &Extent,
        classes: u32,
        reach: u64,
        reception: Option<Reception>,
    ) -> Self {
        let nodes = extent.terminals.clone().map(|_| None).collect();
        Self {
            nodes: Nodes(Part::new(extent.terminals.start, nodes)),
            outlets: Outlets::new(wiring, extent, classes),
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

    /// Terminals with agents, the last cycle in which each was told something, and what of it is unsettled.
    pub(in super::super) fn standings(&self) -> impl Iterator<Item = (u32, u64, i64)> + '_ {
        let nodes = self.nodes.0.numbered();
        nodes.filter_map(|(terminal, node)| {
            let node = node.as_ref()?;
            Some((terminal, node.last_event, node.unsettled))
        })
    }

    /// The agents that are not done.
    pub(in super::super) fn busy(&self) -> impl Iterator<Item = Stalled> + '_ {
        let nodes = self.nodes.0.numbered();
        nodes.filter_map(|(terminal, node)| {
            let busy = node.as_ref().filter(|node| !node.is_done)?;
            Some(Stalled {
                terminal: TerminalId(terminal),
                failure: busy.agent.failure(),
                waits: busy.agent.waits(),
            })
        })
    }

    /// A packet's tail will have arrived in a cycle.
    pub(in super::super) fn expect(&mut self, at: u64, slot: u32) {
        self.arriving.push(at, slot);
    }

    /// Is a terminal going to be told something, whatever becomes of what waits in the network?
    pub(in super::super) fn is_awaited(
        &self,
        terminal: u32,
        shift: u32,
        packets: &Packets,
    ) -> bool {
        let reception = self.reception.as_ref();
        let is_done = self.nodes.get(terminal).is_none_or(|node| node.is_done);
        let rings = |(of, due): &(u32, Due)| match due {
            Due::Timer(_) => *of == terminal && !is_done,
            Due::Message(_) => *of == terminal,
        };
        let comes = |&slot: &u32| packets.get(slot).destination.0 == terminal;
        self.due.iter().any(rings)
            || self.arriving.iter().any(comes)
            || self.left.iter().any(|&(of, ..)| of == terminal)
            || reception.is_some_and(|reception| reception.is_coming(terminal, shift))
    }
}
