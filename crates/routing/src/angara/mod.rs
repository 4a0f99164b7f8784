//! The Angara interconnect: tables of source routes for tori of up to four dimensions.
//!
//! A route is an optional first step in any positive direction, a regular part that takes
//! the directions in a fixed order and never both directions of a dimension, and an optional
//! last step in any negative direction. Bubble flow control keeps rings free of deadlock; first and
//! last steps are taken where the dependencies they add provably close no cycle.
//!
//! | question | answered by |
//! |---|---|
//! | In which order are directions taken? | [`Directions`] |
//! | Which channels live, who communicates? | [`System`] |
//! | Which turns may a route make, and where? | [`Turns`] |
//! | What is a route, and how is it written into a packet's header? | [`Route`] |
//! | Which routes may a pair take? | [`Rules`] |
//! | Which of them does it take? | [`RouteTable`], made by a generator: the `angara-*` algorithms |
//! | How low can the largest load be under these rules? | [`RuleBound`](crate::RuleBound) |
//!
//! Source: Mukosey, Semenov, Tretiakov, "Optimized Graph Based Routing Algorithm for the Angara
//! Interconnect", arXiv:2110.00851, 2021. Its formulas are lost in the published text; what had
//! to be reconstructed is said where it is used.

pub(crate) mod algorithms;
mod balance;
mod choices;
mod directions;
mod dual;
mod generator;
mod graph;
mod loads;
mod orbits;
mod route;
mod rules;
mod system;
mod table;
mod turns;

pub(crate) use balance::{Balance, greedy, lift};
pub(crate) use choices::Choices;
pub use directions::{Direction, Directions};
pub(crate) use dual::Dual;
pub use generator::SourceRouted;
pub(crate) use generator::{Generator, Settings};
pub use graph::{Memory, RoutingGraph};
pub use loads::Loads;
pub(crate) use orbits::Orbits;
pub use route::Route;
pub use rules::Rules;
pub(crate) use system::NONE;
pub use system::System;
pub use table::{Misfit, Reason, RouteTable};
pub use turns::{Sequence, TurnRule, Turns};
