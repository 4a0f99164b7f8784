//! What a network's own structure would do, where it has one.

use crate::irregular::by_destination::{Graph, Steps};
use turnwise_network::{Network, RouterId};

/// The way of a structure.
pub(super) trait Taste {
    /// The arc by which a router would send to another one; `None` if that has failed or there is no preference.
    fn arc(&self, at: u32, destination: u32) -> Option<u32>;
}

/// The taste of a network, if it has any.
pub(super) fn taste(network: &Network, graph: &Graph) -> Option<Box<dyn Taste>> {
    Some(Box::new(InOrder(Steps::of(network, graph)?)))
}

/// Dimension order: few turns, hence few lanes. Halfway round a ring both directions are as short, and routers take turns, so that all
/// channels carry the same.
struct InOrder(Steps);

impl Taste for InOrder {
    fn arc(&self, at: u32, destination: u32) -> Option<u32> {
        let lattice = self.0.lattice();
        let [from, to] = [at, destination].map(|router| lattice.place(RouterId(router)));
        let mut dimensions = 0..lattice.sizes.len();
        let dimension = dimensions.find(|&dimension| from[dimension] != to[dimension])?;
        let size = lattice.sizes[dimension];
        let forwards = (to[dimension] + size - from[dimension]) % size;
        let positive = match lattice.rings[dimension] {
            false => to[dimension] > from[dimension],
            true if 2 * forwards == size => {
                let others = to.iter().sum::<u32>() - to[dimension];
                (from[dimension] + others) % 2 == 0
            }
            true => 2 * forwards < size,
        };
        self.0.arc(at, dimension, positive)
    }
}
