//! Fat trees: up to a common ancestor, then down.

pub(crate) mod anca;
pub(crate) mod by_number;
pub(crate) mod by_pair;
pub(crate) mod coloured;
pub(crate) mod colouring;
pub(crate) mod d_mod_k;
pub(crate) mod evening;
pub(crate) mod in_turn;
pub(crate) mod listening;
pub(crate) mod nca;
pub(crate) mod nearest_ancestor;
pub(crate) mod notes;
pub(crate) mod r_nca;
pub(crate) mod s_mod_k;
pub(crate) mod self_routed;
pub(crate) mod snooping;
pub(crate) mod tree;

pub use anca::Anca;
pub use coloured::Coloured;
pub use d_mod_k::DModK;
pub use in_turn::InTurn;
pub use nca::{Nca, Per};
pub use r_nca::RNca;
pub use s_mod_k::SModK;
pub use snooping::Snooping;
