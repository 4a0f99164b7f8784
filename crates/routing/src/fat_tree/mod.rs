//! Fat trees: up to a common ancestor, then down.

pub(crate) mod anca;
pub(crate) mod d_mod_k;
pub(crate) mod nca;
pub(crate) mod nearest_ancestor;
pub(crate) mod s_mod_k;
pub(crate) mod self_routed;
pub(crate) mod tree;

pub use anca::Anca;
pub use d_mod_k::DModK;
pub use nca::Nca;
pub use s_mod_k::SModK;
