//! One exploration pass over the destinations, shared by deadlock proof, reachability and quality.

use crate::analysis::Analysis;
use crate::assumptions::Assumptions;
use crate::dependencies::Dependencies;
use crate::endpoints::{Destination, told_apart};
use crate::explore::{MAX_STATES, StateGraph, TooManyStates};
use crate::fate::Fates;
use crate::loads::Loads;
use crate::protocol::Protocol;
use crate::quality::Quality;
use crate::reachability::Reachability;
use crate::system::System;
use crate::verdict::{self, Verdict};
use turnwise_network::{Network, Routing};

/// What is known after some destinations.
///
/// Destinations are independent: share them out among surveys, then [`merge`](Self::merge)
/// these in the order of their destinations. Integer results do not depend on the sharing;
/// fractional loads may differ in their last bits.
pub struct Survey<'a> {
    system: System<'a>,
    graph: StateGraph,
    fates: Fates,
    dependencies: Dependencies,
    /// Nothing if only a proof is wanted.
    loads: Option<Loads>,
    reachability: Reachability,
    given_up: Option<TooManyStates>,
    states: u64,
    options: u64,
}

impl<'a> Survey<'a> {
    /// Nothing is known yet.
    pub fn new(network: &'a Network, routing: &'a dyn Routing) -> Self {
        Self::with_limit(network, routing, MAX_STATES)
    }

    /// A survey that gives up on destinations with more than `limit` states.
    pub fn with_limit(network: &'a Network, routing: &'a dyn Routing, limit: usize) -> Self {
        Self::within(limit, System::new(network, routing))
    }

    /// A survey of messages of several classes, and of what terminals make wait.
    ///
    /// Where terminals answer, every living terminal is explored on its own, each visit explores all of its router.
    pub fn with_protocol(
        network: &'a Network,
        routing: &'a dyn Routing,
        protocol: &'a Protocol,
    ) -> Self {
        let system = System::new(network, routing);
        Self::within(MAX_STATES, System { protocol, ..system })
    }

    fn within(limit: usize, system: System<'a>) -> Self {
        let System {
            network,
            routing,
            protocol,
        } = system;
        let dependencies = Dependencies::new(network, routing.virtual_channels());
        Self {
            system,
            graph: StateGraph::with_limit(limit),
            fates: Fates::default(),
            dependencies: dependencies.through_terminals(network, protocol),
            loads: Some(Loads::new(network.channel_count())),
            reachability: Reachability::default(),
            given_up: None,
            states: 0,
            options: 0,
        }
    }

    /// The same, but it gives up on destinations with more than `limit` states from now on.
    #[must_use]
    pub fn limited(self, limit: usize) -> Self {
        Self {
            graph: self.graph.limited(limit),
            ..self
        }
    }

    /// Virtual channels that a packet may take by an option, in the mean over those of the last destination; 0 if it has none.
    pub fn lanes_of_option(&self) -> f64 {
        self.graph.lanes_of_step()
    }

    /// Has it given up on a destination?
    pub fn has_given_up(&self) -> bool {
        self.given_up.is_some()
    }

    /// Nothing is known yet, of the same system: for a share of its destinations.
    #[must_use]
    pub fn another(&self) -> Self {
        let another = Self::within(self.graph.limit(), self.system);
        match self.loads {
            Some(_) => another,
            None => another.for_proof(),
        }
    }

    /// Bytes that it takes, about; as much again is taken where it grows.
    pub fn memory_bytes(&self) -> u64 {
        self.graph.memory_bytes() + self.dependencies.memory_bytes()
    }

    /// The same without what channels carry and how long routes are: for a [proof](Self::prove) alone.
    #[must_use]
    pub fn for_proof(self) -> Self {
        Self {
            loads: None,
            ..self
        }
    }

    /// What is known so far, to go on from by another routing that does the same to the destinations that were visited.
    ///
    /// `None` if the other one has more virtual channels, or fewer.
    pub fn onwards<'b>(&self, routing: &'b dyn Routing) -> Option<Survey<'b>>
    where
        'a: 'b,
    {
        let System {
            network, protocol, ..
        } = self.system;
        let is_alike = routing.virtual_channels() == self.system.routing.virtual_channels();
        is_alike.then(|| Survey {
            system: System {
                network,
                routing,
                protocol,
            },
            graph: StateGraph::with_limit(self.graph.limit()),
            fates: Fates::default(),
            dependencies: self.dependencies.clone(),
            loads: self.loads.clone(),
            reachability: self.reachability.clone(),
            given_up: self.given_up,
            states: self.states,
            options: self.options,
        })
    }

    /// Explores one destination; after giving up on one, does nothing. O(states + options).
    pub fn visit(&mut self, destination: Destination) {
        for destination in told_apart(destination, self.system) {
            if self.given_up.is_none() {
                self.given_up = self.explore(destination).err();
            }
        }
    }

    fn explore(&mut self, destination: Destination) -> Result<(), TooManyStates> {
        self.graph.explore(self.system, destination)?;
        self.states += self.graph.states().len() as u64;
        self.options += self.graph.all_steps().len() as u64;
        self.fates.judge(&self.graph);
        self.dependencies.record(&self.graph);
        if let Some(loads) = &mut self.loads {
            loads.add(&self.graph, &self.fates);
        }
        self.reachability.add(self.system, &self.graph, &self.fates);
        Ok(())
    }

    /// Adds what another survey of the same network, routing and protocol has found.
    pub fn merge(&mut self, other: Self) {
        self.dependencies.merge(&other.dependencies);
        if let (Some(loads), Some(more)) = (&mut self.loads, &other.loads) {
            loads.merge(more);
        }
        self.reachability.merge(other.reachability);
        self.given_up = self.given_up.or(other.given_up);
        self.states += other.states;
        self.options += other.options;
    }

    /// States explored so far.
    pub fn states(&self) -> u64 {
        self.states
    }

    /// States explored so far and what packets may do in them, which is what a survey's time grows with.
    pub fn work(&self) -> u64 {
        self.states + self.options
    }

    /// Whose packets arrive, as far as is known.
    pub fn reachability(&self) -> &Reachability {
        &self.reachability
    }

    /// The dependencies found so far.
    pub fn dependencies(&self) -> &Dependencies {
        &self.dependencies
    }

    /// Proves freedom of deadlock, or shows a cycle, and says whose packets arrive. O(dependencies), more if a shortest cycle must be
    /// searched; all destinations are explored once more if the proof may be an escape.
    pub fn prove(mut self, assumptions: impl Into<Assumptions>) -> (Verdict, Reachability) {
        (self.judge(assumptions.into()), self.reachability)
    }

    /// Draws the conclusions: the [proof](Self::prove), and the quality, of which a survey [for a proof](Self::for_proof) knows no loads.
    pub fn conclude(mut self, assumptions: impl Into<Assumptions>) -> Analysis {
        let verdict = self.judge(assumptions.into());
        let channels = self.system.network.channel_count();
        let quality = Quality::of(
            self.system.network,
            &self.loads.unwrap_or_else(|| Loads::new(channels)),
            &self.reachability,
            self.dependencies.virtual_channels_used(),
        );
        Analysis {
            verdict,
            reachability: self.reachability,
            quality,
        }
    }

    fn judge(&mut self, assumptions: Assumptions) -> Verdict {
        verdict::judge(
            self.system,
            &self.dependencies,
            assumptions,
            self.given_up,
            &mut self.graph,
        )
    }
}
