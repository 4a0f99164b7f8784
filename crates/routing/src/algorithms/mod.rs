//! Routing algorithms, one file each; a new one is one file plus one line in [`REGISTRY`].

mod anca;
mod angara_balanced;
mod angara_bfs;
mod angara_dor;
mod angara_genetic;
mod angara_sssp;
mod angara_table;
mod d_mod_k;
mod destination_tag;
mod dimension_order;
mod minimal;
mod minimal_adaptive;
mod minimal_oblivious;
mod nca;
mod negative_first;
mod odd_even;
mod romm;
mod s_mod_k;
mod shortest_path;
mod ugal;
mod valiant;
mod west_first;

pub use crate::self_routed::Variant;
pub use anca::Anca;
pub use angara_balanced::{AddedTurns, AngaraBalanced};
pub use angara_bfs::{AngaraBfs, SortBy};
pub use angara_dor::{AngaraDor, FixedTies};
pub use angara_genetic::AngaraGenetic;
pub use angara_sssp::AngaraSssp;
pub use angara_table::AngaraTable;
pub use d_mod_k::DModK;
pub use destination_tag::DestinationTag;
pub use dimension_order::{Classes, DimensionOrder, Ties};
pub use minimal::Minimal;
pub use minimal_adaptive::{Escape, MinimalAdaptive};
pub use minimal_oblivious::MinimalOblivious;
pub use nca::Nca;
pub use negative_first::NegativeFirst;
pub use odd_even::OddEven;
pub use romm::Romm;
pub use s_mod_k::SModK;
pub use shortest_path::{Metric, PathClasses, ShortestPath, TieBreak};
pub use ugal::{Ugal, UgalClasses};
pub use valiant::{IntraGroup, Valiant, Via};
pub use west_first::WestFirst;

use crate::algorithm::Algorithm;
use turnwise_network::registry::Entry;

/// Every routing algorithm, in the order `turnwise list routings` prints them.
pub const REGISTRY: &[Entry<dyn Algorithm>] = &[
    dimension_order::ENTRY,
    shortest_path::ENTRY,
    minimal_oblivious::ENTRY,
    minimal_adaptive::ENTRY,
    west_first::ENTRY,
    negative_first::ENTRY,
    odd_even::ENTRY,
    romm::ENTRY,
    minimal::ENTRY,
    valiant::ENTRY,
    ugal::ENTRY,
    d_mod_k::ENTRY,
    s_mod_k::ENTRY,
    nca::ENTRY,
    anca::ENTRY,
    destination_tag::ENTRY,
    angara_dor::ENTRY,
    angara_bfs::ENTRY,
    angara_genetic::ENTRY,
    angara_sssp::ENTRY,
    angara_balanced::ENTRY,
    angara_table::ENTRY,
];
