//! Routers that weigh all that a packet may do: what it may do (`steps`), how congested that is (`sensor`), how far it
//! leads (`propagation`), and a routing that takes what weighs least (`routing`).

pub(crate) mod propagation;
pub(crate) mod routing;
pub(crate) mod sensor;
pub(crate) mod steps;
