//! Routers that weigh all that a packet may do: what it may do (`steps`), how congested that is (`sensor`), how far it
//! leads (`propagation`), and which weighs least (`best`).

pub(crate) mod best;
pub(crate) mod propagation;
pub(crate) mod sensor;
pub(crate) mod steps;
