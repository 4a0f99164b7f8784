//! Proof by escape: routings whose dependencies are cyclic, but whose packets can always turn aside.
//!
//! An adaptive routing is free of deadlock if it has a subfunction, its *escape*, that leads every
//! packet to its destination from wherever it may be, and whose *extended* channel dependency graph has no
//! cycle (Duato, "A new theory of deadlock-free adaptive routing in wormhole networks", IEEE TPDS 4(12),
//! 1993; "A necessary and sufficient condition", TPDS 6(10), 1995). The vertices of that graph are the
//! virtual channels that the escape ever offers. One waits for another if some packet can hold the first, taken
//! as an escape (a *direct* dependency) or not (a *cross* dependency), and be offered the second as an
//! escape at the next router, or after further channels that are no escapes there (*indirect*).
//!
//! **What it assumes.** A waiting head asks for its escape too ([`Routing::asks_again`]), and stands at
//! the front of a buffer from which it can turn there. So either no buffer ever holds flits of
//! two packets ([`one_packet_buffers`](Assumptions::one_packet_buffers)), or whole packets
//! wait in buffers that hold them (virtual cut-through: Duato, "A necessary and sufficient condition for
//! deadlock-free routing in cut-through and store-and-forward networks", TPDS 7(8), 1996). In the latter case
//! a packet that waits holds one buffer only, and there are no indirect dependencies. Wormhole routers whose
//! buffers packets share can deadlock all the same, and bubble flow control is another theory: neither has a
//! proof here.
//!
//! **Terminals that answer.** Where messages [wait at terminals](crate::Protocol), the terminals' channels are
//! vertices as well, as if they were offered as escapes. There is nothing to turn to at a terminal, so all
//! that waits there is a direct dependency. The proof remains that of Duato: of all vertices that the packets of a
//! deadlock hold, one has the highest number; whoever holds it waits for a vertex with a higher one, an escape, an
//! ejection channel or, through a terminal, an injection channel, which another of these packets holds.
//!
//! That the escape arrives need not be checked hop by hop: where it offers something in every state, and its
//! dependencies have no cycle, following it must end, and can end only at the destination.
//!
//! Complexity: O(states + options) once more; with indirect dependencies O(states squared) a destination, at most.

use crate::assumptions::Assumptions;
use crate::certificate::Certificate;
use crate::dependencies::{Dependencies, Vertex};
use crate::endpoints::{destinations, told_apart};
use crate::explore::{State, StateGraph};
use crate::system::System;
use crate::terminals::Terminals;
use crate::wait_graph::WaitGraph;
use rustc_hash::FxHashSet;
use turnwise_network::{FlowControl, Hop, Routing};

/// The extended dependency graph, gathered destination by destination.
struct Extended<'a> {
    routing: &'a dyn Routing,
    dependencies: &'a Dependencies,
    terminals: Option<&'a Terminals>,
    indirect: bool,
    /// By vertex: does the escape ever offer it?
    offered: Vec<bool>,
    /// Direct and cross dependencies between routers, unless there are indirect ones: these are where a packet is next.
    near: Dependencies,
    /// All others.
    waits: FxHashSet<(Vertex, Vertex)>,
    /// Of the destination at hand, what the escape offers in each state.
    offers: Vec<Vec<Vertex>>,
}

/// The proof that a routing's escape keeps it free of deadlock; `None` if it has none or if it does not. Without
/// `terminals` it is about a network whose terminals take up everything.
pub(crate) fn prove(
    system: System<'_>,
    dependencies: &Dependencies,
    terminals: Option<&Terminals>,
    assumptions: Assumptions,
    graph: &mut StateGraph,
) -> Option<Certificate> {
    let indirect = match assumptions.flow_control {
        FlowControl::VirtualCutThrough => false,
        FlowControl::Wormhole if assumptions.one_packet_buffers => true,
        FlowControl::Wormhole | FlowControl::Bubble | FlowControl::Pause => return None,
    };
    if !system.routing.asks_again() {
        return None;
    }
    let mut extended = Extended {
        routing: system.routing,
        dependencies,
        terminals,
        indirect,
        offered: vec![false; dependencies.vertex_count()],
        near: Dependencies::new(system.network, system.routing.virtual_channels()),
        waits: FxHashSet::default(),
        offers: Vec::new(),
    };
    let all = destinations(system.network, system.routing).into_iter();
    for destination in all.flat_map(|destination| told_apart(destination, system)) {
        graph.explore(system, destination).ok()?;
        extended.gather_offers(graph)?;
        extended.gather_waits(graph);
    }
    extended.gather_terminals();
    let Extended {
        offered,
        near,
        waits,
        ..
    } = extended;
    let among = |&(held, _): &(Vertex, Vertex)| offered[held as usize];
    let all = near.in_order().chain(waits);
    let mut waits: Vec<(Vertex, Vertex)> = all.filter(among).collect();
    waits.sort_unstable();
    let chains = WaitGraph::of(dependencies.vertex_count(), &waits, Vec::new());
    let numbers = chains.longest_chains().ok()?;
    let offered = (0..).zip(offered).filter(|&(_, is_offered)| is_offered);
    let offered = offered.map(|(vertex, _)| vertex).collect();
    Some(Certificate::by_escape(
        dependencies,
        assumptions,
        offered,
        waits,
        numbers,
    ))
}

impl Extended<'_> {
    /// What the escape offers in every state; `None` if that is nothing somewhere, or no option.
    fn gather_offers(&mut self, graph: &StateGraph) -> Option<()> {
        self.offers.clear();
        let mut escapes = Vec::new();
        for (number, &State { router, header }) in graph.states().iter().enumerate() {
            escapes.clear();
            self.routing.escape(router, header, &mut escapes);
            let mut offers = Vec::new();
            for hop in &escapes {
                offers.extend(self.offer(graph, number as u32, hop)?);
            }
            if offers.is_empty() && graph.ejections(number as u32) == 0 {
                return None;
            }
            if let Some(terminals) = self.terminals {
                offers.extend(terminals.held_up(graph, number as u32));
            }
            for &vertex in &offers {
                self.offered[vertex as usize] = true;
            }
            self.offers.push(offers);
        }
        Some(())
    }

    /// The virtual channels of one escape; `None` if it is no option of the state.
    fn offer(&self, graph: &StateGraph, state: u32, hop: &Hop) -> Option<Vec<Vertex>> {
        let same = graph.steps(state).iter().find(|step| {
            let is_option = hop.vcs.0 & !step.vcs.0 == 0;
            let leads_there = graph.states()[step.next as usize].header == hop.header;
            step.port == hop.port && is_option && leads_there
        });
        let channel = same?.channel;
        let vertices = hop.vcs.iter();
        Some(
            vertices
                .map(|vc| self.dependencies.vertex(channel, vc))
                .collect(),
        )
    }

    /// What packets to this destination can be offered after what they hold.
    fn gather_waits(&mut self, graph: &StateGraph) {
        let wanted = match self.indirect {
            false => std::mem::take(&mut self.offers),
            true => self.offered_later(graph),
        };
        if !self.indirect {
            self.near.record_waits(graph, &wanted);
        }
        let is_near = |vertex| !self.indirect && self.dependencies.is_between_routers(vertex);
        if self.indirect || self.terminals.is_some() {
            for step in graph.all_steps() {
                let wanted = wanted[step.next as usize].iter();
                let far: Vec<Vertex> = wanted.copied().filter(|&at| !is_near(at)).collect();
                for vc in step.vcs.iter() {
                    let held = self.dependencies.vertex(step.channel, vc);
                    self.waits.extend(far.iter().map(|&wanted| (held, wanted)));
                }
            }
        }
        let Some(terminals) = self.terminals else {
            return;
        };
        for (source, outsets) in graph.sources() {
            for outset in outsets {
                for held in terminals.injections(source.terminal, outset.vcs) {
                    let wanted = &wanted[outset.state as usize];
                    self.waits
                        .extend(wanted.iter().map(|&wanted| (held, wanted)));
                }
            }
        }
    }

    /// What waits at terminals, and what for.
    fn gather_terminals(&mut self) {
        let terminals = self.terminals.into_iter();
        for (held, wanted) in terminals.flat_map(Terminals::waits_of_terminals) {
            self.offered[held as usize] = true;
            self.offered[wanted as usize] = true;
            self.waits.insert((held, wanted));
        }
    }

    /// By state: what the escape offers there, and in all that a packet may go on to without taking it.
    fn offered_later(&self, graph: &StateGraph) -> Vec<Vec<Vertex>> {
        // By state: one more than the state from which it was last seen.
        let mut seen = vec![0; graph.states().len()];
        let states = 0..graph.states().len() as u32;
        states
            .map(|state| self.offered_from(graph, state, &mut seen))
            .collect()
    }

    fn offered_from(&self, graph: &StateGraph, first: u32, seen: &mut [u32]) -> Vec<Vertex> {
        seen[first as usize] = first + 1;
        let mut work = vec![first];
        let mut found = Vec::new();
        while let Some(state) = work.pop() {
            let offers = &self.offers[state as usize];
            found.extend(offers);
            for step in graph.steps(state) {
                let mut vcs = step.vcs.iter();
                let goes_on =
                    vcs.any(|vc| !offers.contains(&self.dependencies.vertex(step.channel, vc)));
                let last = &mut seen[step.next as usize];
                if goes_on && *last != first + 1 {
                    *last = first + 1;
                    work.push(step.next);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
