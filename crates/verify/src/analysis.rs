//! Everything that can be said about a routing without simulating it.

use crate::assumptions::Assumptions;
use crate::endpoints::destinations;
use crate::protocol::Protocol;
use crate::quality::Quality;
use crate::reachability::Reachability;
use crate::survey::Survey;
use crate::verdict::Verdict;
use turnwise_network::{Network, Routing};

/// Is a routing safe, does it connect everyone, and how good is it?
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Can packets deadlock?
    pub verdict: Verdict,
    /// Do all packets arrive?
    pub reachability: Reachability,
    /// Channel loads and path lengths of the packets that do.
    pub quality: Quality,
}

impl Analysis {
    /// Is the routing proved free of deadlock, livelock and loss?
    pub fn is_sound(&self) -> bool {
        self.verdict.is_deadlock_free() && self.reachability.is_sound()
    }
}

/// Analyses a routing on a network, in one pass over all destinations.
///
/// Time is linear in all states of all destinations together, a few hundred
/// nanoseconds each; memory is that of one destination's states and of the
/// [`Dependencies`](crate::Dependencies). To use several threads, see [`Survey`].
///
/// # Example
/// See the [crate's front page](crate).
pub fn analyse(
    network: &Network,
    routing: &dyn Routing,
    assumptions: impl Into<Assumptions>,
) -> Analysis {
    analyse_with(network, routing, Protocol::ORDINARY, assumptions)
}

/// As [`analyse`], without what channels carry and how long routes are.
pub fn prove(
    network: &Network,
    routing: &dyn Routing,
    assumptions: impl Into<Assumptions>,
) -> (Verdict, Reachability) {
    let mut survey = Survey::new(network, routing).for_proof();
    for destination in destinations(network, routing) {
        survey.visit(destination);
    }
    survey.prove(assumptions)
}

/// As [`analyse`], for messages of several classes and terminals that answer.
///
/// Where they do, every living terminal is explored on its own, as for routings that
/// [distinguish terminals](Routing::distinguishes_terminals).
pub fn analyse_with(
    network: &Network,
    routing: &dyn Routing,
    protocol: &Protocol,
    assumptions: impl Into<Assumptions>,
) -> Analysis {
    let mut survey = Survey::with_protocol(network, routing, protocol);
    for destination in destinations(network, routing) {
        survey.visit(destination);
    }
    survey.conclude(assumptions)
}
