//! Routes by an intermediate router, each of their two phases explored by itself.
//!
//! Such a routing has a state for almost every triple of routers: where a packet is, by which router it goes, and where to. But what it does
//! before it is at its intermediate router does not depend on where it goes from there, and what it does afterwards not on where it
//! came from ([`TwoPhases`]). So both phases are explored like routings of their own, the first one to every intermediate router, and what is
//! known of both is put together where they meet:
//!
//! * A packet that comes to its intermediate router may wait for whatever one waits for that sets out from there, unless the one comes only
//!   from where the other one alone goes: nobody sends to its own router by another one.
//! * What channels carry, and how long routes are, is that of both phases, over all intermediate routers.
//!
//! The result is that of exploring everything, to the last bits of fractions, or none: where the promise is seen not to hold, where a packet may not arrive,
//! where routes of a phase between two routers are not all as long as each other, or where nothing follows from the dependencies. Then all must be explored.
//!
//! What is not looked at is whether the promise holds for every destination: for each source's router, and for each intermediate router, one more is.
//!
//! Complexity: O(routers² x hops), where it would be O(routers³ x hops). Source: Valiant and Brebner, STOC 1981; Dally and Seitz, IEEE Trans. Computers
//! 36(5), 1987.

mod leg;
mod lengths;
mod meeting;
mod promise;

use crate::analysis::Analysis;
use crate::assumptions::Assumptions;
use crate::dependencies::Dependencies;
use crate::endpoints::{Destination, destinations};
use crate::explore::{StateGraph, TooManyStates};
use crate::fate::Fates;
use crate::loads::Loads;
use crate::protocol::Protocol;
use crate::quality::Quality;
use crate::reachability::Reachability;
use crate::system::System;
use crate::verdict;
use leg::Leg;
use lengths::Lengths;
use meeting::Meetings;
use promise::Promise;
use turnwise_network::{Network, RouterId, Routing, TwoPhases};

/// What is known of a routing in two phases after some of its routers.
pub struct PhaseSurvey<'a> {
    system: System<'a>,
    phases: &'a dyn TwoPhases,
    /// All routers with terminals, which are the intermediate ones in some order.
    ends: Vec<Destination>,
    intermediates: Vec<RouterId>,
    /// By router: terminals, and its place among the ends.
    terminals: Vec<u64>,
    places: Vec<usize>,
    graph: StateGraph,
    fates: Fates,
    dependencies: Dependencies,
    meetings: Meetings,
    loads: Loads,
    reachability: [Reachability; 2],
    lengths: Lengths,
    work: u64,
    states: u64,
    /// Why nothing follows, if that is known.
    is_in_vain: bool,
}

/// A promise that is not kept, or of which nothing follows.
struct InVain;

impl From<TooManyStates> for InVain {
    fn from(_: TooManyStates) -> Self {
        Self
    }
}

impl<'a> PhaseSurvey<'a> {
    /// Nothing is known yet; `None` where phases cannot be explored: the routing does not promise to have two, not every
    /// intermediate router has terminals and the other way round, or there are several classes of messages. At most `limit` states of a destination
    /// are explored.
    pub fn new(
        network: &'a Network,
        routing: &'a dyn Routing,
        protocol: &'a Protocol,
        limit: usize,
    ) -> Option<Self> {
        let system = System {
            network,
            routing,
            protocol,
        };
        let phases = routing.two_phases()?;
        if system.tells_terminals_apart() || protocol.class_count() > 1 || routing.chooses_start() {
            return None;
        }
        let (ends, intermediates) = (destinations(network, routing), phases.intermediates());
        let mut terminals = vec![0; network.router_count()];
        let mut places = vec![usize::MAX; network.router_count()];
        for (place, end) in ends.iter().enumerate() {
            let router = network.router_of(end.terminal).index();
            (terminals[router], places[router]) = (end.terminals, place);
        }
        let mut sorted = intermediates.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let is_end = |router: &RouterId| terminals.get(router.index()).is_some_and(|&of| of > 0);
        let are_ends = sorted.len() == ends.len() && sorted.iter().all(is_end);
        if !are_ends || sorted.len() != intermediates.len() || ends.len() < 2 {
            return None;
        }
        Some(Self {
            dependencies: Dependencies::new(network, routing.virtual_channels()),
            meetings: Meetings::new(ends.len()),
            loads: Loads::new(network.channel_count()),
            lengths: Lengths::new(ends.len()),
            graph: StateGraph::with_limit(limit),
            fates: Fates::default(),
            reachability: Default::default(),
            work: 0,
            states: 0,
            is_in_vain: false,
            system,
            phases,
            ends,
            intermediates,
            terminals,
            places,
        })
    }

    /// How many visits it takes.
    pub fn visits(&self) -> usize {
        2 * self.ends.len()
    }

    /// States explored so far and what packets may do in them, which is what a survey's time grows with.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// States explored so far.
    pub fn states(&self) -> u64 {
        self.states
    }

    /// Does nothing follow, whatever is explored yet?
    pub fn is_in_vain(&self) -> bool {
        self.is_in_vain
    }

    /// Virtual channels that a packet may take by an option, in the mean over those of the last visit; 0 if it has none.
    pub fn lanes_of_option(&self) -> f64 {
        self.graph.lanes_of_step()
    }

    /// Bytes that it takes, about.
    pub fn memory_bytes(&self) -> u64 {
        let graph = self.graph.memory_bytes() + self.dependencies.memory_bytes();
        graph + self.lengths.memory_bytes()
    }

    /// Explores one phase to one router: of all [`visits`](Self::visits), each once and in order. O(states + options).
    pub fn visit(&mut self, number: usize) {
        let (place, is_first) = (number % self.ends.len(), number < self.ends.len());
        if !self.is_in_vain {
            self.is_in_vain = self.explore(place, is_first).is_err();
        }
    }

    fn explore(&mut self, place: usize, is_first: bool) -> Result<(), InVain> {
        let leg = Leg {
            system: self.system,
            phases: self.phases,
            is_first,
        };
        let system = System {
            routing: &leg,
            ..self.system
        };
        let end = self.ends[place];
        self.graph.explore(system, end)?;
        self.states += self.graph.states().len() as u64;
        self.work += (self.graph.states().len() + self.graph.all_steps().len()) as u64;
        self.fates.judge(&self.graph);
        let reachability = &mut self.reachability[usize::from(!is_first)];
        reachability.add(system, &self.graph, &self.fates);
        if reachability.routable < reachability.pairs {
            return Err(InVain);
        }
        self.dependencies.record(&self.graph);
        self.add_loads(place, is_first)?;
        match is_first {
            true => {
                self.promise().look(place, &self.graph)?;
                self.meetings
                    .arrive(system, &self.graph, &self.fates, &self.places)
            }
            false => self.set_out(place),
        }
    }

    fn promise(&self) -> Promise<'_> {
        Promise {
            system: self.system,
            phases: self.phases,
            ends: &self.ends,
            intermediates: &self.intermediates,
        }
    }

    /// What channels carry of this phase, and how long it is from each router.
    fn add_loads(&mut self, place: usize, is_first: bool) -> Result<(), InVain> {
        let Self {
            system,
            ends,
            terminals,
            places,
            graph,
            fates,
            loads,
            lengths,
            ..
        } = self;
        let router_of = |terminal| system.network.router_of(terminal);
        let (count, home) = (ends.len(), router_of(ends[place].terminal));
        let all: u64 = terminals.iter().sum();
        let elsewhere = |router: RouterId| all - terminals[router.index()];
        // Of all pairs that go by a router, one in as many as there are intermediate ones does.
        let weight = |router: RouterId| match (router == home, is_first) {
            (true, _) => 0,
            (false, true) => terminals[router.index()] * elsewhere(router),
            (false, false) => terminals[home.index()] * elsewhere(home),
        };
        loads.carry(graph, fates, |source| {
            weight(router_of(source.terminal)) as f64 / count as f64
        });
        // Of each router, how far it is from here or to here.
        let mut far = vec![0; count];
        for (source, outsets) in graph.sources() {
            let router = router_of(source.terminal);
            let [outset] = outsets else {
                return Err(InVain);
            };
            let settled = loads.settled(outset.state).ok_or(InVain)?;
            if router == home && settled > 0 {
                return Err(InVain);
            }
            far[places[router.index()]] = u16::try_from(settled).map_err(|_| InVain)?;
        }
        match is_first {
            true => lengths.towards(place, &far, ends),
            false => lengths.onward(place, &far, ends),
        }
        Ok(())
    }

    /// What packets wait for that set out for an end from each intermediate router.
    fn set_out(&mut self, place: usize) -> Result<(), InVain> {
        let network = self.system.network;
        let home = network.router_of(self.ends[place].terminal);
        for (source, outsets) in self.graph.sources() {
            let router = network.router_of(source.terminal);
            let [outset] = outsets else {
                return Err(InVain);
            };
            if router == home {
                continue;
            }
            let by = self.places[router.index()];
            let header = self.graph.states()[outset.state as usize].header;
            self.meetings.set_out(
                by,
                self.ends[by],
                header,
                place,
                self.graph.steps(outset.state),
            )?;
        }
        Ok(())
    }

    /// Draws the conclusions; `None` if there are none.
    pub fn conclude(mut self, assumptions: impl Into<Assumptions>) -> Option<Analysis> {
        if self.is_in_vain {
            return None;
        }
        self.meetings.join(&mut self.dependencies);
        let assumptions = assumptions.into();
        let verdict = verdict::free(self.system, &self.dependencies, assumptions)?;
        self.lengths.add_to(&mut self.loads, &self.ends);
        self.loads.single_path = false;
        let [_, reachability] = self.reachability;
        let vcs = self.dependencies.virtual_channels_used();
        Some(Analysis {
            quality: Quality::of(&self.loads, &reachability, vcs),
            verdict,
            reachability,
        })
    }
}
