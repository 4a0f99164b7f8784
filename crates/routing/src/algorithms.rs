//! The parameters of all algorithms, under one roof for those who build them without a study.

pub use crate::angara::SourceRouted;
pub use crate::angara::algorithms::*;
pub use crate::butterfly::*;
pub use crate::common::phantom::Phantom;
pub use crate::fat_tree::by_number::{Key, Variant};
pub use crate::fat_tree::*;
pub use crate::grid::*;
pub use crate::grouped::*;
pub use crate::irregular::*;
pub use crate::subnet::{Forwarding, Repair, Transition};
