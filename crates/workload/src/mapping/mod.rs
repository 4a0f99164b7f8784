//! Who sends how much to whom, what that puts on channels, and places where it puts less.
//!
//! `matrix` counts what a program sends, `routes` says which channels a pair uses, `loads` adds both up, `search` moves ranks.

mod loads;
mod matrix;
mod routes;
mod search;

use turnwise_application::Program;
use turnwise_network::{Network, Routing, TerminalId};

pub(crate) use loads::Loads;
pub use matrix::Together;
pub(crate) use matrix::{Matrix, rounds};
pub(crate) use routes::Routes;
pub(crate) use search::search;

/// What a program puts on the most loaded channel between routers with its ranks at these terminals, rank 0 first: bytes,
/// times the cycles that a flit occupies the channel for. Those of several rounds are added up.
pub fn largest_load(
    program: &dyn Program,
    network: &Network,
    routing: &dyn Routing,
    terminals: &[TerminalId],
    together: Together,
) -> f64 {
    let mut routes = Routes::new(network, routing);
    let matrix = Matrix::of(program, together);
    Loads::new(&matrix, terminals, &mut routes).largest()
}
