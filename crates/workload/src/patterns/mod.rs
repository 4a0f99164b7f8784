//! Traffic patterns, one file each; a new one is one file plus one line in [`REGISTRY`].

mod adversarial;
mod adversarial_consecutive;
mod adversarial_local;
mod bad_dragon;
mod bit_complement;
mod bit_reverse;
mod butterfly;
mod group_attack;
mod hotspot;
mod local_random_remote_attack;
mod matrix;
mod matrix_transpose;
mod neighbor;
mod random_exchange;
mod random_involution;
mod random_permutation;
mod shift;
mod shuffle;
mod stencil;
mod tornado;
mod transpose;
mod uniform;

pub use crate::blocks::DestinationMode;
pub use adversarial::Adversarial;
pub use adversarial_consecutive::AdversarialConsecutive;
pub use adversarial_local::AdversarialLocal;
pub use bad_dragon::BadDragon;
pub use bit_complement::BitComplement;
pub use bit_reverse::BitReverse;
pub use butterfly::Butterfly;
pub use group_attack::{GroupAttack, GroupMode};
pub use hotspot::Hotspot;
pub use local_random_remote_attack::LocalRandomRemoteAttack;
pub use matrix::{Matrix, Scale};
pub use matrix_transpose::MatrixTranspose;
pub use neighbor::Neighbor;
pub use random_exchange::RandomExchange;
pub use random_involution::RandomInvolution;
pub use random_permutation::RandomPermutation;
pub use shift::Shift;
pub use shuffle::Shuffle;
pub use stencil::{Mapping, Points, Stencil};
pub use tornado::Tornado;
pub use transpose::Transpose;
pub use uniform::Uniform;

use crate::pattern::PatternParameters;
use turnwise_config::registry::Entry;

/// Every traffic pattern, in the order `turnwise list patterns` prints them.
pub const REGISTRY: &[Entry<dyn PatternParameters>] = &[
    uniform::ENTRY,
    bit_complement::ENTRY,
    bit_reverse::ENTRY,
    transpose::ENTRY,
    matrix_transpose::ENTRY,
    shuffle::ENTRY,
    butterfly::ENTRY,
    tornado::ENTRY,
    neighbor::ENTRY,
    hotspot::ENTRY,
    random_permutation::ENTRY,
    random_involution::ENTRY,
    random_exchange::ENTRY,
    shift::ENTRY,
    stencil::ENTRY,
    matrix::ENTRY,
    adversarial::ENTRY,
    adversarial_local::ENTRY,
    adversarial_consecutive::ENTRY,
    group_attack::ENTRY,
    bad_dragon::ENTRY,
    local_random_remote_attack::ENTRY,
];
