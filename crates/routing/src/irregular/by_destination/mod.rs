//! Routes by destination alone, as switches of InfiniBand forward: a tree to every terminal, and a lane for every route.
//!
//! `graph` is the network as those want it who grow such trees, `nearest` says who is how near to a destination, `routes` has the trees and
//! what becomes of them, `copies` spreads these over links side by side, `lane` knows which turns a lane allows and `virtual_lanes` which lanes allow a turn, `escape` a spanning tree along which there is always a way, `heavy` ways by
//! weights that grow, and `steps` those of grids.

mod copies;
mod escape;
mod graph;
mod heavy;
mod lane;
mod nearest;
mod routes;
mod steps;
mod virtual_lanes;

pub(crate) use escape::{Escape, leading_up, up_then_down};
pub(crate) use graph::{Graph, NONE};
pub(crate) use heavy::{Weights, heavy_trees};
pub(crate) use lane::{Allowed, Lane, Turns};
pub(crate) use nearest::Nearest;
pub(crate) use routes::{GivenLanes, Layering, Trees, forwarding_table, table_bytes};
pub(crate) use steps::{Steps, number};
pub(crate) use virtual_lanes::{VirtualLanes, bits};
