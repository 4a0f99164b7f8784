//! Every state a packet to one destination can ever be in, as a flat graph.
//!
//! A state is what a routing decision depends on: the router the head flit is at and the
//! packet's header. Starting from every source, the graph follows everything
//! [`Routing::options`](turnwise_network::Routing::options) admits, so whatever is concluded from it holds for every choice the
//! algorithm can make at run time. The model (routing relation, dependencies between
//! consecutive channels) is that of Dally and Seitz, "Deadlock-free message routing in
//! multiprocessor interconnection networks", IEEE Trans. Computers 36(5), 1987, extended to
//! adaptive routing as by Duato, IEEE TPDS 4(12), 1993.

mod limit;
mod outset;
mod step;

pub use limit::{MAX_STATES, TooManyStates};
pub use outset::Outset;
pub use step::{DeadEnd, Step};

use crate::endpoints::{Destination, Source, sources_towards};
use crate::system::System;
use limit::exceeded;
use rustc_hash::FxHashMap;
use std::ops::Range;
use step::follow;
pub(crate) use step::no_option;
use turnwise_network::{Header, Hop, RouterId, Start, TerminalId, Vc, VcSet};

/// "No such state" in arrays of state numbers.
const NO_STATE: u32 = u32::MAX;

/// Numbers are looked up in tables that are half empty, and fates and loads have a few words for every state.
const BYTES_OF_STATE: usize = 3 * size_of::<(State, u32)>() + 12 * size_of::<u32>();

/// The most states of a destination that are explored in so many bytes, about, if each has a few options: a power of two, lest it is another
/// one whenever other programs take a little; never more than [`MAX_STATES`].
pub fn most_states_within(bytes: u64) -> usize {
    const OPTIONS: usize = 4;
    let each = BYTES_OF_STATE + OPTIONS * size_of::<Step>();
    let states = (bytes / each as u64).clamp(1, MAX_STATES as u64);
    1 << states.ilog2()
}

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
    classes: usize,
    states: Vec<State>,
    parents: Vec<u32>,
    step_offsets: Vec<u32>,
    steps: Vec<Step>,
    ejections: Vec<(u32, VcSet)>,
    dead_ends: Vec<(u32, DeadEnd)>,
    sources: Vec<Source>,
    outset_offsets: Vec<u32>,
    outsets: Vec<Outset>,
    numbers: FxHashMap<State, u32>,
    options: Vec<Hop>,
    starts: Vec<Start>,
    /// How packets of two sources set out, each with its class.
    offered: [Vec<(u8, Start)>; 2],
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
            classes: 1,
            states: Vec::new(),
            parents: Vec::new(),
            step_offsets: Vec::new(),
            steps: Vec::new(),
            ejections: Vec::new(),
            dead_ends: Vec::new(),
            sources: Vec::new(),
            outset_offsets: Vec::new(),
            outsets: Vec::new(),
            numbers: FxHashMap::default(),
            options: Vec::new(),
            starts: Vec::new(),
            offered: Default::default(),
        }
    }

    /// The same, to hold at most `limit` states.
    #[must_use]
    pub fn limited(self, limit: usize) -> Self {
        Self {
            limit: limit.min(NO_STATE as usize),
            ..self
        }
    }

    /// How many states it holds at most.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Bytes that the graph takes, about, with what is made of it.
    pub(crate) fn memory_bytes(&self) -> u64 {
        (self.states.capacity() * BYTES_OF_STATE + self.steps.capacity() * size_of::<Step>()) as u64
    }

    /// Replaces the graph by that of another destination.
    ///
    /// States are numbered in breadth-first order from all sources together, each with every way in which its
    /// packets may set out.
    /// O(states + options), one hash look-up an option.
    ///
    /// # Errors
    /// [`TooManyStates`] if the limit is exceeded; the graph is then of no use.
    pub fn explore(
        &mut self,
        system: System<'_>,
        destination: Destination,
    ) -> Result<(), TooManyStates> {
        self.clear(destination.terminal);
        self.classes = system.protocol.class_count();
        let vcs = system.routing.virtual_channels();
        sources_towards(destination, system, &mut self.sources);
        self.set_all_out(system, vcs);
        let mut number = 0;
        while let Some(&state) = self.states.get(number) {
            self.expand(system, state, number as u32, vcs);
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
        self.outset_offsets.clear();
        self.outset_offsets.push(0);
        self.outsets.clear();
        self.numbers.clear();
    }

    fn expand(&mut self, system: System<'_>, state: State, number: u32, vcs: Vc) {
        let network = system.network;
        let mut options = std::mem::take(&mut self.options);
        options.clear();
        system
            .routing
            .options(state.router, state.header, &mut options);
        let mut ejections = (0, VcSet::default());
        let nothing = || no_option(system, state, self.destination, vcs);
        let mut dead_end = options.is_empty().then(nothing);
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
                Ok(None) => ejections = (ejections.0 + 1, VcSet(ejections.1.0 | hop.vcs.0)),
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

    /// Virtual channels that a packet may take by a step, in the mean; 0 if there are none.
    pub(crate) fn lanes_of_step(&self) -> f64 {
        let lanes: u64 = self
            .steps
            .iter()
            .map(|step| u64::from(step.vcs.0.count_ones()))
            .sum();
        lanes as f64 / self.steps.len().max(1) as f64
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
        self.ejections[state as usize].0
    }

    /// The virtual channels of the destination's ejection channel that these options may take.
    #[inline]
    pub fn ejection_vcs(&self, state: u32) -> VcSet {
        self.ejections[state as usize].1
    }

    /// States in which a packet may be lost, each with its first reason.
    pub fn dead_ends(&self) -> &[(u32, DeadEnd)] {
        &self.dead_ends
    }
}
