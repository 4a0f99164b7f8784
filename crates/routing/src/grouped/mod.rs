//! Dragonfly and megafly: networks of groups. Valiant is here too, though grids know it as well.

pub(crate) mod dragonfly_detours;
pub(crate) mod dragonfly_legs;
pub(crate) mod links;
pub(crate) mod megafly_legs;
pub(crate) mod minimal;
pub(crate) mod phases;
pub(crate) mod ugal;
pub(crate) mod valiant;

pub use minimal::{Minimal, MinimalClasses};
pub use ugal::{Ugal, UgalClasses};
pub use valiant::{IntraGroup, Valiant, Via};
