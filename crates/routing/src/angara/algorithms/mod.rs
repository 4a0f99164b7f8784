//! The generators of Angara's tables as algorithms.

pub(crate) mod balanced;
pub(crate) mod bfs;
pub(crate) mod dor;
pub(crate) mod genetic;
pub(crate) mod sssp;
pub(crate) mod table;

pub use balanced::{AddedTurns, AngaraBalanced};
pub use bfs::{AngaraBfs, SortBy};
pub use dor::{AngaraDor, FixedTies};
pub use genetic::AngaraGenetic;
pub use sssp::AngaraSssp;
pub use table::AngaraTable;
