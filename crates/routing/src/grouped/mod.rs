//! Dragonfly and megafly: networks of groups. Valiant is here too, though grids know it as well.

pub(crate) mod adaptive;
pub(crate) mod dragonfly_detours;
pub(crate) mod dragonfly_draws;
pub(crate) mod dragonfly_legs;
pub(crate) mod dragonfly_phases;
pub(crate) mod draw_group;
pub(crate) mod links;
pub(crate) mod megafly_detours;
pub(crate) mod megafly_draws;
pub(crate) mod megafly_legs;
pub(crate) mod minimal;
pub(crate) mod owners;
pub(crate) mod phases;
pub(crate) mod rounds;
pub(crate) mod ugal;
pub(crate) mod valiant;
pub(crate) mod via;

pub use adaptive::{
    AlongWay, Crt, Fpar, GlobalDetours, HopModel, InTransit, Informed, Kapr, KuGcn, Par, ParSst,
    Piggyback, PropagationVersion, SensorScope, SensorSource, UgalG, WeightedAdaptive,
};
pub use minimal::{Minimal, MinimalClasses};
pub use ugal::{Ugal, UgalClasses};
pub use valiant::{IntraGroup, Valiant, Via};
pub use via::DetourVia;
