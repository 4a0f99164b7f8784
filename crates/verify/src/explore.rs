//! Every state a packet to one destination can ever be in, as a flat graph.
//!
//! A state is what a routing decision depends on: the router the head flit is at and the
//! packet's header. Starting from every source, the graph follows everything
//! [`Routing::options`] admits, so whatever is concluded from it holds for every choice the
//! algorithm can make at run time. The model (routing relation, dependencies between
//! consecutive channels) is that of Dally and Seitz, "Deadlock-free message routing in
//! multiprocessor interconnection networks", IEEE Trans. Computers 36(5), 1987, extended to
//! adaptive routing as by Duato, IEEE TPDS 4(12), 1993.

mod limit;
mod step;

pub use limit::{MAX_STATES, TooManyStates};
pub use step::{DeadEnd, Step};

use crate::endpoints::{Destination, Source, sources_towards};
use limit::exceeded;
use rustc_hash::FxHashMap;
use std::ops::Range;
use step::{admissible, follow};
use turnwise_network::{Header, Hop, Network, RouterId, Routing, TerminalId, Vc};

/// "No such state" in arrays of state numbers.
const NO_STATE: u32 = u32::MAX;

/// Where a packet is and what it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The router its head flit is at.
    pub router: RouterId,
    /// Its header.
    pub header: Header,
}

/// The states of one destination; its memory is reused from destination to destination.
#[derive(Clone, Debug)]
pub struct StateGraph {
    limit: usize,
    destination: TerminalId,
    states: Vec<State>,
    parents: Vec<u32>,
    step_offsets: Vec<u32>,
    steps: Vec<Step>,
    ejections: Vec<u32>,
    dead_ends: Vec<(u32, DeadEnd)>,
    sources: Vec<Source>,
    starts: Vec<u32>,
    numbers: FxHashMap<State, u32>,
    options: Vec<Hop>,
}

impl Default for StateGraph {
    fn default() -> Self {
        Self::with_limit(MAX_STATES)
    }
}

impl StateGraph {
    /// An empty graph that will hold at most `limit` states.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit: limit.min(NO_STATE as usize),
            destination: TerminalId(0),
            states: Vec::new(),
            parents: Vec::new(),
            step_offsets: Vec::new(),
            steps: Vec::new(),
            ejections: Vec::new(),
            dead_ends: Vec::new(),
            sources: Vec::new(),
            starts: Vec::new(),
            numbers: FxHashMap::default(),
            options: Vec::new(),
        }
    }

    /// Replaces the graph by that of another destination.
    ///
    /// States are numbered in breadth-first order from all sources together.
    /// O(states + options), one hash look-up an option.
    ///
    /// # Errors
    /// [`TooManyStates`] if the limit is exceeded; the graph is then of no use.
    pub fn explore(
        &mut self,
        network: &Network,
        routing: &dyn Routing,
        destination: Destination,
    ) -> Result<(), TooManyStates> {
        self.clear(destination.terminal);
        let vcs = routing.virtual_channels();
        sources_towards(destination, network, routing, &mut self.sources);
        for index in 0..self.sources.len() {
            let source = self.sources[index].terminal;
            let start = self.start(network, routing, source, vcs);
            self.starts.push(start);
        }
        let mut number = 0;
        while let Some(&state) = self.states.get(number) {
            self.expand(network, routing, state, number as u32, vcs);
            self.step_offsets.push(self.steps.len() as u32);
            number += 1;
            if exceeded(self.limit, self.states.len(), self.steps.len()) {
                return Err(TooManyStates {
                    destination: destination.terminal,
                    limit: self.limit,
                });
            }
        }
        Ok(())
    }

    fn clear(&mut self, destination: TerminalId) {
        self.destination = destination;
        self.states.clear();
        self.parents.clear();
        self.step_offsets.clear();
        self.step_offsets.push(0);
        self.steps.clear();
        self.ejections.clear();
        self.dead_ends.clear();
        self.starts.clear();
        self.numbers.clear();
    }

    fn start(
        &mut self,
        network: &Network,
        routing: &dyn Routing,
        source: TerminalId,
        vcs: Vc,
    ) -> u32 {
        let Some(start) = routing.start(source, self.destination) else {
            return NO_STATE;
        };
        let router = network.router_of(source);
        let state = self.number(
            State {
                router,
                header: start.header,
            },
            NO_STATE,
        );
        if !admissible(start.vcs, vcs) {
            let port = network.terminal_port(source);
            self.dead_ends
                .push((state, DeadEnd::VirtualChannel(port, start.vcs)));
        }
        state
    }

    fn expand(
        &mut self,
        network: &Network,
        routing: &dyn Routing,
        state: State,
        number: u32,
        vcs: Vc,
    ) {
        let mut options = std::mem::take(&mut self.options);
        options.clear();
        routing.options(state.router, state.header, &mut options);
        let mut ejections = 0;
        let mut dead_end = options.is_empty().then_some(DeadEnd::NoOption);
        for hop in &options {
            match follow(network, state.router, hop, self.destination, vcs) {
                Ok(Some((channel, router))) => {
                    let next = self.number(
                        State {
                            router,
                            header: hop.header,
                        },
                        number,
                    );
                    self.steps.push(Step {
                        channel,
                        vcs: hop.vcs,
                        next,
                        port: hop.port,
                    });
                }
                Ok(None) => ejections += 1,
                Err(reason) => dead_end = dead_end.or(Some(reason)),
            }
        }
        self.ejections.push(ejections);
        self.dead_ends
            .extend(dead_end.map(|reason| (number, reason)));
        self.options = options;
    }

    fn number(&mut self, state: State, parent: u32) -> u32 {
        let fresh = self.states.len() as u32;
        let number = *self.numbers.entry(state).or_insert(fresh);
        if number == fresh {
            self.states.push(state);
            self.parents.push(parent);
        }
        number
    }

    /// The terminal all packets of this graph go to.
    pub fn destination(&self) -> TerminalId {
        self.destination
    }

    /// All states; those packets start in come first.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The options of a state that lead to another router, in the algorithm's order, repetitions included.
    #[inline]
    pub fn steps(&self, state: u32) -> &[Step] {
        &self.steps[self.step_range(state)]
    }

    /// All steps, state by state.
    pub fn all_steps(&self) -> &[Step] {
        &self.steps
    }

    #[inline]
    fn step_range(&self, state: u32) -> Range<usize> {
        let at = state as usize;
        self.step_offsets[at] as usize..self.step_offsets[at + 1] as usize
    }

    /// How many options of a state deliver the packet.
    #[inline]
    pub fn ejections(&self, state: u32) -> u32 {
        self.ejections[state as usize]
    }

    /// States in which a packet may be lost, each with its first reason.
    pub fn dead_ends(&self) -> &[(u32, DeadEnd)] {
        &self.dead_ends
    }

    /// The sources with the states they start in; `None` if the algorithm refuses the pair.
    pub fn sources(&self) -> impl Iterator<Item = (Source, Option<u32>)> + '_ {
        let starts = self
            .starts
            .iter()
            .map(|&start| (start != NO_STATE).then_some(start));
        self.sources.iter().copied().zip(starts)
    }

    /// A source whose packets can be in this state, by the way the state was first found.
    pub fn source_of(&self, mut state: u32) -> Option<TerminalId> {
        while self.parents[state as usize] != NO_STATE {
            state = self.parents[state as usize];
        }
        let at = self.starts.iter().position(|&start| start == state)?;
        Some(self.sources[at].terminal)
    }
}
