//! Any network: algorithms that ask for no structure.

pub(crate) mod shortest_path;

pub use shortest_path::{Metric, PathClasses, ShortestPath, TieBreak};
