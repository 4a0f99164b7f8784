//! Experts: the second half of a layer is there many times, and each word is sent to a few of them.

use crate::collectives::Lengths;
use std::sync::Arc;
use turnwise_config::diagnostic::Invalid;

/// Experts of a layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Experts {
    /// How many there are in a layer.
    pub count: u32,
    /// How many ranks of different replicas share them.
    pub parallel: u32,
    /// To how many a word is sent.
    pub chosen: u32,
    /// How unequally ranks are sent words: the i-th most popular is sent as many as i^-skew of the first (Zipf).
    pub skew: f64,
}

impl Experts {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        let Self {
            count,
            parallel,
            chosen,
            skew,
        } = *self;
        if count == 0 || count > 1 << 20 {
            let message = format!("expected 1 to {}, found {count}", 1 << 20);
            return Err(Invalid::new("experts.count", message));
        }
        if parallel == 0 || !count.is_multiple_of(parallel) {
            let message = format!("{count} experts cannot be shared equally by {parallel} ranks");
            return Err(Invalid::new("experts.parallel", message));
        }
        if !(1..=count).contains(&chosen) {
            let message = format!("expected 1 to {count}, the number of experts, found {chosen}");
            return Err(Invalid::new("experts.chosen", message));
        }
        match (0.0..=10.0).contains(&skew) {
            true => Ok(()),
            false => {
                let message = format!("expected 0 to 10, found {skew}");
                Err(Invalid::new("experts.skew", message))
            }
        }
    }

    /// Shares of the words that go to each of those who share the experts, in a layer. Who is popular differs from
    /// layer to layer.
    pub(super) fn shares(&self, layer: u32) -> Arc<[f64]> {
        let mut order: Vec<u32> = (0..self.parallel).collect();
        order.sort_by_key(|&member| mixed(layer, member));
        let mut shares = vec![0.0; order.len()];
        for (place, &member) in (1..).zip(&order) {
            shares[member as usize] = f64::from(place).powf(-self.skew);
        }
        let all: f64 = shares.iter().sum();
        shares.iter().map(|share| share / all).collect()
    }
}

/// How many bytes go from a member to another, if it sends so many in all: out to the experts, or back from them.
pub(super) fn lengths(shares: &Arc<[f64]>, bytes: f64, is_back: bool) -> Lengths {
    let shares = Arc::clone(shares);
    Lengths(Arc::new(move |from, to| {
        let expert = if is_back { from } else { to };
        (bytes * shares[expert as usize]).round() as u64
    }))
}

/// A number that looks drawn, always the same for a layer and a member: the finaliser of SplitMix64.
fn mixed(layer: u32, member: u32) -> u64 {
    let mut mixed =
        (u64::from(layer) << 32 | u64::from(member)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
