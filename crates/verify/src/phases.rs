//! Routes by an intermediate router, each of their two phases explored by itself.
//!
//! Such a routing has a state for almost every triple of routers: where a packet is, by which router it goes, and where to. But what it does
//! before it is at its intermediate router does not depend on where it goes from there, and what it does afterwards not on where it
//! came from ([`TwoPhases`]). So both phases are explored like routings of their own, the first one to every intermediate router, and likewise
//! direct routes, if there are any. What is known of them is put together where phases meet:
//!
//! * A packet that comes to its intermediate router may wait for whatever one waits for that sets out from there, unless the one comes only
//!   from where the other one alone goes: nobody sends to its own router, or group, by another one.
//! * What channels carry, and how long routes are, is that of both phases, over all intermediate routers, and of direct routes.
//!
//! The result is that of exploring everything, but for the last bits of fractions, or none: where the promise is seen not to hold, where a packet may not arrive,
//! where routes of a phase between two routers are not all as long as each other, or where nothing follows from the dependencies. Then all must be explored.
//!
//! What is not looked at is whether the promise holds for every destination: for each source's router, and for each intermediate router, one more is.
//!
//! Complexity: O(routers² x hops), where it would be O(routers³ x hops). Source: Valiant and Brebner, STOC 1981; Dally and Seitz, IEEE Trans. Computers
//! 36(5), 1987.

mod ends;
mod leg;
mod lengths;
mod meeting;
mod promise;

use crate::analysis::Analysis;
use crate::assumptions::Assumptions;
use crate::dependencies::Dependencies;
use crate::explore::{StateGraph, TooManyStates};
use crate::fate::Fates;
use crate::loads::Loads;
use crate::protocol::Protocol;
use crate::quality::Quality;
use crate::reachability::Reachability;
use crate::system::System;
use crate::verdict;
use ends::Ends;
use leg::{Leg, Part};
use lengths::Lengths;
use meeting::Meetings;
use promise::{Options, Promise};
use turnwise_network::{Network, Routing, TwoPhases};

/// What is known of a routing in two phases after some of its routers.
pub struct PhaseSurvey<'a> {
    system: System<'a>,
    phases: &'a dyn TwoPhases,
    ends: Ends,
    graph: StateGraph,
    fates: Fates,
    dependencies: Dependencies,
    meetings: Meetings,
    loads: Loads,
    lengths: Lengths,
    /// Of every packet that may go by intermediate routers, when the first one has been looked at.
    options: Option<Options>,
    work: u64,
    states: u64,
    /// Is it known that nothing follows?
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
    /// Nothing is known yet; `None` where phases cannot be explored: the routing does not promise to have two, or tells terminals of a router
    /// apart, or packets choose how to set out; not every intermediate router has terminals and the other way round; by how many of them a packet may
    /// go depends on its ends; or there are several classes of messages. At most `limit` states of a destination are explored.
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
        let ends = Ends::new(network, routing, phases)?;
        Some(Self {
            dependencies: Dependencies::new(network, routing.virtual_channels()),
            meetings: Meetings::new(ends.count()),
            loads: Loads::new(network.channel_count()),
            lengths: Lengths::new(ends.count()),
            graph: StateGraph::with_limit(limit),
            fates: Fates::default(),
            options: None,
            work: 0,
            states: 0,
            is_in_vain: false,
            system,
            phases,
            ends,
        })
    }

    /// How many visits it takes.
    pub fn visits(&self) -> usize {
        3 * self.ends.count()
    }

    /// States explored so far and what packets may do in them, and what else was asked of them, which is what a survey's time grows with. The
    /// first two visits have about their share of it.
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

    /// Explores one part of all routes to one router: of all [`visits`](Self::visits), each once and in order. O(states + options).
    pub fn visit(&mut self, number: usize) {
        let ends = self.ends.count();
        // What follows a first phase needs to know all of these; direct routes are explored between them, so that the first two visits tell what all
        // will cost.
        let (part, place) = match number.checked_sub(2 * ends) {
            Some(place) => (Part::Onward, place),
            None if number.is_multiple_of(2) => (Part::Direct, number / 2),
            None => (Part::First, number / 2),
        };
        if !self.is_in_vain {
            self.is_in_vain = self.explore(part, place).is_err();
        }
    }

    fn explore(&mut self, part: Part, place: usize) -> Result<(), InVain> {
        if part == Part::Direct {
            self.look(place)?;
        }
        let leg = Leg {
            system: self.system,
            phases: self.phases,
            ends: &self.ends,
            part,
        };
        let system = System {
            routing: &leg,
            ..self.system
        };
        self.graph.explore(system, self.ends.all[place])?;
        self.states += self.graph.states().len() as u64;
        self.work += (self.graph.states().len() + self.graph.all_steps().len()) as u64;
        self.fates.judge(&self.graph);
        let (network, graph, fates) = (self.system.network, &self.graph, &self.fates);
        for (source, outsets) in graph.sources() {
            let from = self.ends.place(network.router_of(source.terminal));
            let expected = usize::from(leg.is_taken(from, place));
            if outsets.len() != expected || expected > 0 && !fates.deliver(graph, outsets) {
                return Err(InVain);
            }
        }
        self.dependencies.record(graph);
        self.add_loads(part, place)?;
        match part {
            Part::Direct => Ok(()),
            Part::First => {
                let seen = (network, &self.graph, &self.fates);
                self.meetings.arrive(&self.ends, place, seen)?;
                // Every state is asked twice more.
                self.work += 2 * self.graph.states().len() as u64;
                let promise = self.promise();
                promise.look_at_another_destination(place, &self.graph)
            }
            Part::Onward => self.set_out(place),
        }
    }

    fn promise(&self) -> Promise<'_> {
        Promise {
            system: self.system,
            phases: self.phases,
            ends: &self.ends,
        }
    }

    /// Are the options of a packet from here what is promised, and as many as of others?
    fn look(&mut self, place: usize) -> Result<(), InVain> {
        let found = self.promise().options(place)?;
        // All are offered once, and once more one by one.
        self.work += 2 * found.all(&self.ends);
        let known = *self.options.get_or_insert(found);
        (found == known).then_some(()).ok_or(InVain)
    }

    /// What channels carry of a part, and how long it is from each router.
    fn add_loads(&mut self, part: Part, place: usize) -> Result<(), InVain> {
        let Self {
            system,
            ends,
            graph,
            fates,
            loads,
            lengths,
            ..
        } = self;
        let options = self.options.ok_or(InVain)?;
        let place_of = |terminal| ends.place(system.network.router_of(terminal));
        // Each pair is worth as much as it has options, so that what single routes carry stays an integer.
        let weight = |from: usize, pairs: u64| match part {
            Part::Direct if ends.are_alike(from, place) => pairs * options.all(ends),
            Part::Direct => pairs * options.direct,
            Part::First => ends.all[from].terminals * ends.destinations(from, place) * options.each,
            Part::Onward => ends.all[place].terminals * ends.senders(from, place) * options.each,
        };
        loads.carry(graph, fates, |source| {
            weight(place_of(source.terminal), source.pairs) as f64
        });
        // Of each router, how far it is from here or to here.
        let mut far = vec![None; ends.count()];
        for (source, outsets) in graph.sources() {
            let [outset] = outsets else {
                continue;
            };
            let from = place_of(source.terminal);
            let hops = loads.settled(outset.state).ok_or(InVain)?;
            let hops = u16::try_from(hops).map_err(|_| InVain)?;
            far[from] = Some(hops);
            if part == Part::Direct {
                let steps = graph.steps(outset.state).len() as u64;
                let found = steps + u64::from(graph.ejections(outset.state));
                if !ends.are_alike(from, place) && found != options.direct {
                    return Err(InVain);
                }
                lengths.add(hops.into(), weight(from, source.pairs).into());
            }
        }
        match part {
            Part::Direct => {}
            Part::First => lengths.towards(place, &far, ends),
            Part::Onward => lengths.onward(place, &far, ends, options.each),
        }
        Ok(())
    }

    /// What packets wait for that set out for an end from each intermediate router.
    fn set_out(&mut self, place: usize) -> Result<(), InVain> {
        for (source, outsets) in self.graph.sources() {
            let [outset] = outsets else {
                continue;
            };
            let by = self
                .ends
                .place(self.system.network.router_of(source.terminal));
            let header = self.graph.states()[outset.state as usize].header;
            let steps = self.graph.steps(outset.state);
            (self.meetings).set_out(&self.ends, (by, place), header, steps)?;
        }
        Ok(())
    }

    /// Draws the conclusions; `None` if there are none.
    pub fn conclude(mut self, assumptions: impl Into<Assumptions>) -> Option<Analysis> {
        let options = self.options.filter(|_| !self.is_in_vain)?;
        self.meetings.join(&mut self.dependencies);
        let assumptions = assumptions.into();
        let verdict = verdict::free(self.system, &self.dependencies, assumptions)?;
        let all = options.all(&self.ends);
        let carried = self.loads.channels.iter_mut();
        carried.for_each(|load| *load /= all as f64);
        self.lengths.add_to(&mut self.loads, all);
        self.loads.single_path &= all == 1;
        let pairs = self.ends.pairs();
        let reachability = Reachability {
            pairs,
            routable: pairs,
            ..Reachability::default()
        };
        let vcs = self.dependencies.virtual_channels_used();
        Some(Analysis {
            quality: Quality::of(self.system.network, &self.loads, &reachability, vcs),
            verdict,
            reachability,
        })
    }
}
