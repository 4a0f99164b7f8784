//! Routers that weigh all that a packet may do: what it may do (`moves`; `steps` on a dragonfly, and `megafly`), how congested
//! that is (`sensor`), how far it leads (`propagation`), and a routing that takes what weighs least (`routing`) of all, or of
//! a few at random (`sample`).

pub(crate) mod megafly;
pub(crate) mod moves;
pub(crate) mod propagation;
pub(crate) mod routing;
pub(crate) mod sample;
pub(crate) mod sensor;
pub(crate) mod steps;
