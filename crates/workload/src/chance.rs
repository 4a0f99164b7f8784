//! A probability that costs no floating point to draw with.

use turnwise_network::Invalid;
use turnwise_network::random::Random;

/// A probability from 0 to 1, both of which it means exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chance {
    Certain,
    /// In 2^64 parts.
    Parts(u64),
}

impl Chance {
    /// Refuses what is no probability, on behalf of a field.
    pub(crate) fn new(probability: f64, field: &str) -> Result<Self, Invalid> {
        match probability {
            1.0 => Ok(Self::Certain),
            // The conversion rounds towards zero, so that nothing below 1 becomes certain.
            part if (0.0..1.0).contains(&part) => {
                Ok(Self::Parts((part * 18_446_744_073_709_551_616.0) as u64))
            }
            other => Err(Invalid::new(
                field,
                format!("expected a share from 0 to 1, found {other}"),
            )),
        }
    }

    #[inline]
    pub(crate) fn occurs(self, dice: &mut Random) -> bool {
        match self {
            Self::Certain => true,
            Self::Parts(parts) => dice.chance(parts),
        }
    }
}
