//! A probability that costs no floating point to draw with.

use turnwise_network::Invalid;
use turnwise_network::random::Random;

/// A probability from 0 to 1, both ends exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chance {
    Certain,
    /// In 2^64 parts.
    Parts(u64),
}

impl Chance {
    /// A probability given in a field of a study; refuses what is none.
    pub(crate) fn new(probability: f64, field: &str) -> Result<Self, Invalid> {
        match probability {
            part if (0.0..=1.0).contains(&part) => Ok(Self::of(part)),
            other => Err(Invalid::new(
                field,
                format!("expected a share from 0 to 1, found {other}"),
            )),
        }
    }

    /// What is known to be a probability, but for rounding.
    pub(crate) fn of(probability: f64) -> Self {
        // The conversion rounds towards zero, so that nothing below 1 becomes certain.
        match probability < 1.0 {
            true => Self::Parts((probability * 18_446_744_073_709_551_616.0) as u64),
            false => Self::Certain,
        }
    }

    #[inline]
    pub(crate) fn occurs(self, rng: &mut Random) -> bool {
        match self {
            Self::Certain => true,
            Self::Parts(parts) => rng.chance(parts),
        }
    }
}
