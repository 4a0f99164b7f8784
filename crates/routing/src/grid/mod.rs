//! Meshes, tori, hypercubes and HyperX: networks whose routers have coordinates.

pub(crate) mod adaptive;
pub(crate) mod dimension;
pub(crate) mod dimension_order;
pub(crate) mod dimwar;
pub(crate) mod legs;
pub(crate) mod minimal_adaptive;
pub(crate) mod minimal_oblivious;
pub(crate) mod negative_first;
pub(crate) mod odd_even;
pub(crate) mod ports;
pub(crate) mod romm;
pub(crate) mod west_first;

pub use dimension_order::{Classes, DimensionOrder, Ties};
pub use dimwar::DimWar;
pub use minimal_adaptive::{Escape, MinimalAdaptive};
pub use minimal_oblivious::MinimalOblivious;
pub use negative_first::NegativeFirst;
pub use odd_even::OddEven;
pub use romm::Romm;
pub use west_first::WestFirst;
