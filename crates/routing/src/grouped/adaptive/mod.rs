//! Adaptive routing of networks with groups: minimally or by a detour, as queues suggest.
//!
//! Whatever an algorithm is called, it differs from the others in two things alone, when a packet decides and how.
//! * `ways`: what a packet may do where it decides, and what is left to do where it does not. The verifier sees
//!   nothing else, so that all algorithms with the same ways share a proof. `dragonfly` and `megafly` have those of the two families, and
//!   `known` those of a dragonfly where nothing has to be looked for.
//! * `judge`: the decision itself. `rule` is what most of them share: UGAL's comparison of two products. `local` decides by what a
//!   router sees itself; `candidates` finds the best of several ways.
//! * `routing` makes a routing of both, and `families` does so for algorithms that both families know.
//!
//! Where packets choose at every router instead, `weighing` is what they choose from, and how; `in_transit` does so in a way of its own,
//! with an escape.
//!
//! What routers tell each other for it is in `tables` (queues of global channels) and `bits` (one bit for each). How long a queue gets that
//! is seen at all, and so from when on it counts as long, is in `common/visible.rs`.

pub(crate) mod bits;
pub(crate) mod candidates;
pub(crate) mod crt;
pub(crate) mod dragonfly;
pub(crate) mod families;
pub(crate) mod fpar;
pub(crate) mod in_transit;
pub(crate) mod informed;
pub(crate) mod judge;
pub(crate) mod kapr;
mod known;
pub(crate) mod ku_gcn;
pub(crate) mod latencies;
pub(crate) mod local;
#[cfg(test)]
mod looking;
pub(crate) mod megafly;
pub(crate) mod par;
pub(crate) mod par_sst;
pub(crate) mod piggyback;
pub(crate) mod routing;
pub(crate) mod rule;
pub(crate) mod tables;
pub(crate) mod ugal_g;
pub(crate) mod ways;
pub(crate) mod weighing;
pub(crate) mod weighted_adaptive;

pub use crt::Crt;
pub use fpar::Fpar;
pub use in_transit::{GlobalDetours, InTransit};
pub use informed::Informed;
pub use kapr::Kapr;
pub use ku_gcn::KuGcn;
pub use par::Par;
pub use par_sst::ParSst;
pub use piggyback::Piggyback;
pub use rule::HopModel;
pub use ugal_g::{AlongWay, UgalG};
pub use weighing::sensor::{SensorScope, SensorSource};
pub use weighted_adaptive::{PropagationVersion, WeightedAdaptive};
