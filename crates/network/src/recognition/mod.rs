//! What shape a network has of which only the wiring is known, as one has been read from a file.

mod grid;

pub use grid::{Lattice, lattice};
