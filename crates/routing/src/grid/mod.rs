//! Meshes, tori, hypercubes and HyperX: networks whose routers have coordinates.

pub(crate) mod dimension;
pub(crate) mod dimension_order;
pub(crate) mod legs;
pub(crate) mod minimal_oblivious;
pub(crate) mod romm;
pub(crate) mod two_legs;

pub use dimension_order::{Classes, DimensionOrder, Ties};
pub use minimal_oblivious::MinimalOblivious;
pub use romm::Romm;
