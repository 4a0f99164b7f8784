//! Placements, one file each; a new one is one file plus one line in [`REGISTRY`].

mod by_group;
mod file;
mod linear;
mod optimised;
mod random;
mod round_robin;

pub use by_group::ByGroup;
pub use file::File;
pub use linear::Linear;
pub use optimised::Optimised;
pub use random::Random;
pub use round_robin::RoundRobin;

use crate::placement::Placement;
use turnwise_config::registry::Entry;

/// Every placement, in the order `turnwise list placements` prints them.
pub const REGISTRY: &[Entry<dyn Placement>] = &[
    linear::ENTRY,
    random::ENTRY,
    round_robin::ENTRY,
    by_group::ENTRY,
    file::ENTRY,
    optimised::ENTRY,
];
