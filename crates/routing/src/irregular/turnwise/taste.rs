//! What a network's own structure would do, where it has one.

use crate::irregular::by_destination::Steps;
use turnwise_network::RouterId;

/// The way of a structure.
pub(super) trait Taste {
    /// The arc by which a router would send to another one; `None` if that has failed or there is no preference.
    fn arc(&self, at: u32, destination: u32) -> Option<u32>;
}

/// Dimension order: few turns, hence few lanes. Halfway round a ring both directions are as short, and routers take turns, so that all
/// channels carry the same.
pub(super) struct InOrder<'a>(pub(super) &'a Steps);

impl Taste for InOrder<'_> {
    fn arc(&self, at: u32, destination: u32) -> Option<u32> {
        let place = |router| self.0.lattice().place(RouterId(router));
        let (dimension, positive) = self.0.towards(at, destination, |dimension| {
            let to = place(destination);
            let others = to.iter().sum::<u32>() - to[dimension];
            (place(at)[dimension] + others) % 2 == 0
        })?;
        self.0.arc(at, dimension, positive)
    }
}
