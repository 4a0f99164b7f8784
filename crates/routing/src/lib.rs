//! How packets may go: routing algorithms, one file each in the folder of their family, all listed in [`REGISTRY`].
//!
//! An [`Algorithm`] is its parameters as written in a study (`[routing]`); built for a
//! network it becomes a [`Routing`](turnwise_network::Routing), a table or a rule. Rules keep flat arrays, so that
//! `choose`, which the simulator calls for every packet at every router, neither allocates
//! nor searches.
//!
//! All algorithms work on networks with faults: `start` refuses exactly those pairs that
//! the algorithm's rule cannot connect on what survives ([`UnderFaults`]), and no option ever leads onto a
//! dead channel. What a rule may not do (a dimension-ordered route around a dead link, say)
//! it does not do for faults either: [`shortest-path`](algorithms::ShortestPath) finds a
//! way whenever there is one.
//!
//! ## Virtual channels
//! An algorithm spreads its deadlock-avoidance classes over `virtual_channels` of them: its own
//! field, or else all that the router has, or else, if the study does not say either, as many
//! as its classes need. Only BookSim's classes of UGAL stay at BookSim's three. Injection
//! channels, which no cycle of dependencies can contain, take every virtual channel of the router, so
//! `Routing::virtual_channels` is the number the *router* has if the study says so, and
//! may exceed what router-to-router channels use.
//!
//! [`subnet`] has any of them with fixed routes in the terms of InfiniBand switches, and tables of these as a routing.
//! [`MessageClasses`] keeps classes of messages apart under any of them.
//!
//! Nothing here knows about verification or simulation.

mod algorithm;
pub mod algorithms;
pub mod angara;
mod butterfly;
mod common;
mod fat_tree;
mod grid;
mod grouped;
mod irregular;
mod message_classes;
mod registry;
pub mod subnet;

pub use algorithm::{
    Algorithm, AlgorithmEntry, Context, OutputQueue, Outputs, ProgramPhases, RuleBound, UnderFaults,
};
pub use message_classes::MessageClasses;
pub use registry::{REGISTRY, fitting, going_round_faults, suggest};

// The tests of the worked example name the crate as its users do.
#[cfg(test)]
extern crate self as turnwise_routing;

#[cfg(test)]
#[path = "../tests/contributing/mod.rs"]
mod contributing;
