//! The hop with the least weight.

use crate::common::draw;
use turnwise_network::Hop;
use turnwise_network::random::Random;

/// The best of a kind so far, and how many are as good.
#[derive(Clone, Copy, Default)]
pub(crate) struct Best {
    found: Option<(f64, Hop)>,
    equals: u32,
}

impl Best {
    /// One more.
    #[inline]
    pub(crate) fn offer(&mut self, weight: f64, hop: Hop, rng: &mut Random) {
        match self.found {
            Some((least, _)) if weight > least => return,
            Some((least, _)) if weight == least => self.equals += 1,
            _ => self.equals = 1,
        }
        // The n-th of equals takes the place of those before it with probability 1/n.
        if draw::below(self.equals, rng) == 0 {
            self.found = Some((weight, hop));
        }
    }
}

/// The best of the others only if it is strictly better than the best minimal one.
#[inline]
pub(crate) fn better(minimal: Best, other: Best) -> Option<Hop> {
    match (minimal.found, other.found) {
        (Some((short, _)), Some((long, hop))) if long < short => Some(hop),
        (Some((_, hop)), _) | (None, Some((_, hop))) => Some(hop),
        (None, None) => None,
    }
}
