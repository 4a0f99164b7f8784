//! Traffic patterns, one file each; a new one is one file plus one line in [`REGISTRY`].

mod bad_dragon;
mod group_attack;
mod uniform;

pub use crate::blocks::DestinationMode;
pub use bad_dragon::BadDragon;
pub use group_attack::{GroupAttack, GroupMode};
pub use uniform::Uniform;

use crate::pattern::PatternParameters;
use turnwise_network::registry::Entry;

/// Every traffic pattern, in the order `turnwise list patterns` prints them.
pub const REGISTRY: &[Entry<dyn PatternParameters>] =
    &[uniform::ENTRY, bad_dragon::ENTRY, group_attack::ENTRY];
