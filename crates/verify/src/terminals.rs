//! Dependencies through terminals: what waits at a terminal until that has sent something.
//!
//! Where terminals [answer](crate::Protocol), their channels are vertices of the dependency graph too. A message
//! waits for the ejection channel of its destination, and holds it until the terminal has sent its answers; these wait for
//! the terminal's injection channel, and whatever holds that, for the first channels of its route. Virtual channels of ejection
//! channels that no message waits on always empty, and injection channels that no answer is
//! sent on delay nobody in the network: neither has dependencies.

use crate::dependencies::Vertex;
use crate::explore::StateGraph;
use crate::protocol::Protocol;
use rustc_hash::FxHashMap;
use turnwise_network::{ChannelId, Network, TerminalId, VcSet};

/// What one terminal has to do with one answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// The virtual channels of its ejection channel that messages of the received class may come, and wait, on.
    pub ejected: VcSet,
    /// Those of its injection channel that messages of the class to be sent may take.
    pub injected: VcSet,
}

/// Which of a channel's ends a terminal is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TerminalChannel {
    Injection(TerminalId),
    Ejection(TerminalId),
}

/// Dependencies from and to terminals' channels, gathered destination by destination.
#[derive(Clone, Debug)]
pub(crate) struct Terminals {
    answers: Vec<(u8, u8)>,
    vcs: u32,
    first_injection: u32,
    first_ejection: u32,
    /// By terminal, then by answer.
    exchanges: Vec<Exchange>,
    /// What is asked for of a channel while a virtual channel is held.
    waits: FxHashMap<(Vertex, ChannelId), VcSet>,
}

impl Terminals {
    /// Nothing is known yet.
    pub(crate) fn new(network: &Network, vcs: u32, protocol: &Protocol) -> Self {
        let answers = protocol.answers().to_vec();
        let none = TerminalId(0);
        Self {
            vcs,
            first_injection: network.injection_channel(none).0,
            first_ejection: network.ejection_channel(none).0,
            exchanges: vec![Exchange::default(); network.terminal_count() * answers.len()],
            answers,
            waits: FxHashMap::default(),
        }
    }

    /// Adds what packets to one destination have to do with terminals; tells `found` of every new dependency.
    /// O(answers x (states + steps)).
    pub(crate) fn record(&mut self, graph: &StateGraph, mut found: impl FnMut(Vertex, Vertex)) {
        let every = VcSet::all(self.vcs as u8);
        let ejection = ChannelId(self.first_ejection + graph.destination().0);
        let waited_on = self.gather_ejected(graph);
        let held_up = |state| both(graph.ejection_vcs(state), waited_on);
        for step in graph.all_steps() {
            let wanted = held_up(step.next);
            for vc in step.vcs.iter().filter(|_| !wanted.is_empty()) {
                let held = self.vertex(step.channel, vc);
                self.insert(held, ejection, wanted, &mut found);
            }
        }
        for (source, outsets) in graph.sources() {
            let injection = ChannelId(self.first_injection + source.terminal.0);
            for outset in outsets {
                let vcs = both(outset.vcs, every);
                for (answer, exchange) in self.exchanges_of(source.terminal) {
                    if answer.1 == outset.class {
                        exchange.injected.0 |= vcs.0;
                    }
                }
                for vc in vcs.iter() {
                    let held = self.vertex(injection, vc);
                    for step in graph.steps(outset.state) {
                        self.insert(held, step.channel, step.vcs, &mut found);
                    }
                    self.insert(held, ejection, held_up(outset.state), &mut found);
                }
            }
        }
    }

    /// The virtual channels of the destination's ejection channel that any message may wait on.
    fn gather_ejected(&mut self, graph: &StateGraph) -> VcSet {
        let mut waited_on = VcSet::default();
        let mut known: Option<(u8, VcSet)> = None;
        for ((received, _), exchange) in self.exchanges_of(graph.destination()) {
            let ejected = match known {
                Some((class, ejected)) if class == received => ejected,
                _ => ejected_on(graph, received),
            };
            known = Some((received, ejected));
            exchange.ejected.0 |= ejected.0;
            waited_on.0 |= ejected.0;
        }
        waited_on
    }

    fn exchanges_of(
        &mut self,
        terminal: TerminalId,
    ) -> impl Iterator<Item = ((u8, u8), &mut Exchange)> {
        let first = terminal.index() * self.answers.len();
        let exchanges = self.exchanges[first..].iter_mut();
        self.answers.iter().copied().zip(exchanges)
    }

    /// Adds dependencies; tells `found` of those that are new.
    fn insert(
        &mut self,
        held: Vertex,
        channel: ChannelId,
        vcs: VcSet,
        found: &mut impl FnMut(Vertex, Vertex),
    ) {
        if vcs.is_empty() {
            return;
        }
        let known = self.waits.entry((held, channel)).or_default();
        let fresh = VcSet(vcs.0 & !known.0);
        known.0 |= vcs.0;
        for vc in fresh.iter() {
            found(held, channel.0 * self.vcs + u32::from(vc));
        }
    }

    /// Adds a dependency that another survey found; was it new?
    pub(crate) fn add(&mut self, held: Vertex, wanted: Vertex) -> bool {
        let (channel, vc) = (
            ChannelId(wanted / self.vcs),
            VcSet::one((wanted % self.vcs) as u8),
        );
        let mut is_new = false;
        self.insert(held, channel, vc, &mut |_, _| is_new = true);
        is_new
    }

    /// Adds what another survey found of the terminals themselves.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (exchange, more) in self.exchanges.iter_mut().zip(&other.exchanges) {
            exchange.ejected.0 |= more.ejected.0;
            exchange.injected.0 |= more.injected.0;
        }
    }

    /// Is one of them a terminal's?
    pub(crate) fn joins(&self, held: Vertex, wanted: Vertex) -> bool {
        self.kind(held).is_some() || self.kind(wanted).is_some()
    }

    /// Is a dependency from or to a terminal's channel known?
    pub(crate) fn contains(&self, held: Vertex, wanted: Vertex) -> bool {
        let channel = ChannelId(wanted / self.vcs);
        match self.kind(held) {
            Some(TerminalChannel::Ejection(_)) => self.answers_of(held, wanted).next().is_some(),
            Some(TerminalChannel::Injection(_)) if !self.is_used(held) => false,
            _ => {
                let vcs = self.waits.get(&(held, channel));
                vcs.is_some_and(|vcs| vcs.contains((wanted % self.vcs) as u8))
            }
        }
    }

    /// Is it caused by messages of a terminal to itself?
    pub(crate) fn sends_to_itself(&self, held: Vertex, wanted: Vertex) -> bool {
        let ends = (self.kind(held), self.kind(wanted));
        matches!(ends, (Some(TerminalChannel::Injection(from)), Some(TerminalChannel::Ejection(to))) if from == to)
    }

    /// The answers, as `(received, sent)`, for which one of a terminal's virtual channels waits for another.
    pub(crate) fn answers_of(
        &self,
        held: Vertex,
        wanted: Vertex,
    ) -> impl Iterator<Item = (u8, u8)> + '_ {
        let joined = match (self.kind(held), self.kind(wanted)) {
            (Some(TerminalChannel::Ejection(at)), Some(TerminalChannel::Injection(to))) => {
                (at == to).then_some(at)
            }
            _ => None,
        };
        let (from, to) = ((held % self.vcs) as u8, (wanted % self.vcs) as u8);
        let all = joined.into_iter().flat_map(|at| self.exchanges(at));
        let ours = all.filter(move |(_, exchange)| {
            exchange.ejected.contains(from) && exchange.injected.contains(to)
        });
        ours.map(|(answer, _)| answer)
    }

    /// Every answer with what this terminal has to do with it.
    pub(crate) fn exchanges(
        &self,
        terminal: TerminalId,
    ) -> impl Iterator<Item = ((u8, u8), Exchange)> + '_ {
        let first = terminal.index() * self.answers.len();
        let exchanges = self.exchanges[first..].iter().copied();
        self.answers.iter().copied().zip(exchanges)
    }

    /// By terminal, then by answer.
    pub(crate) fn all_exchanges(&self) -> &[Exchange] {
        &self.exchanges
    }

    /// The answers that terminals give.
    pub(crate) fn answers(&self) -> &[(u8, u8)] {
        &self.answers
    }

    /// Where terminals wait: what is received until what is sent has left, in no order.
    pub(crate) fn waits_of_terminals(&self) -> impl Iterator<Item = (Vertex, Vertex)> + '_ {
        let count = self.exchanges.len() / self.answers.len().max(1);
        let terminals = (0..count).map(TerminalId::from);
        terminals.flat_map(move |terminal| {
            let ejection = ChannelId(self.first_ejection + terminal.0);
            let injection = ChannelId(self.first_injection + terminal.0);
            let exchanges = self.exchanges(terminal);
            exchanges.flat_map(move |(_, Exchange { ejected, injected })| {
                let vertices = move |vc| (self.vertex(ejection, vc), injected.iter());
                ejected.iter().map(vertices).flat_map(move |(held, vcs)| {
                    vcs.map(move |vc| (held, self.vertex(injection, vc)))
                })
            })
        })
    }

    /// Of the destination's ejection channel, what a packet in a state asks for and others may wait on.
    pub(crate) fn held_up(&self, graph: &StateGraph, state: u32) -> impl Iterator<Item = Vertex> {
        let destination = graph.destination();
        let exchanges = self.exchanges(destination);
        let waited_on = VcSet(exchanges.fold(0, |all, (_, exchange)| all | exchange.ejected.0));
        let (vcs, first) = (self.vcs, self.first_ejection + destination.0);
        let asked = both(graph.ejection_vcs(state), waited_on);
        let asked: Vec<u8> = asked.iter().collect();
        asked.into_iter().map(move |vc| first * vcs + u32::from(vc))
    }

    /// Of a terminal's injection channel, those of these virtual channels that answers wait for.
    pub(crate) fn injections(
        &self,
        terminal: TerminalId,
        taken: VcSet,
    ) -> impl Iterator<Item = Vertex> + '_ {
        let injection = ChannelId(self.first_injection + terminal.0);
        let taken: Vec<u8> = both(taken, VcSet::all(self.vcs as u8)).iter().collect();
        let vertices = taken.into_iter().map(move |vc| self.vertex(injection, vc));
        vertices.filter(|&vertex| self.is_used(vertex))
    }

    /// Do messages wait on this virtual channel of a terminal, or for it?
    pub(crate) fn is_used(&self, vertex: Vertex) -> bool {
        let vc = (vertex % self.vcs) as u8;
        match self.kind(vertex) {
            None => false,
            Some(TerminalChannel::Ejection(at)) => self
                .exchanges(at)
                .any(|(_, exchange)| exchange.ejected.contains(vc)),
            Some(TerminalChannel::Injection(at)) => self.exchanges(at).any(|(_, exchange)| {
                !exchange.ejected.is_empty() && exchange.injected.contains(vc)
            }),
        }
    }

    /// The terminal's channel that a vertex belongs to; `None` if it is one between routers.
    pub(crate) fn kind(&self, vertex: Vertex) -> Option<TerminalChannel> {
        let channel = vertex / self.vcs;
        match channel.checked_sub(self.first_ejection) {
            Some(terminal) => Some(TerminalChannel::Ejection(TerminalId(terminal))),
            None => {
                let terminal = channel.checked_sub(self.first_injection)?;
                Some(TerminalChannel::Injection(TerminalId(terminal)))
            }
        }
    }

    fn vertex(&self, channel: ChannelId, vc: u8) -> Vertex {
        channel.0 * self.vcs + u32::from(vc)
    }
}

/// The virtual channels that messages of a class may be ejected on.
fn ejected_on(graph: &StateGraph, class: u8) -> VcSet {
    let sources = graph.sources_of_class(class);
    let states = 0..graph.states().len() as u32;
    let theirs = states.filter(|&state| sources[state as usize].is_some());
    VcSet(theirs.fold(0, |all, state| all | graph.ejection_vcs(state).0))
}

fn both(one: VcSet, other: VcSet) -> VcSet {
    VcSet(one.0 & other.0)
}
