//! What a network's own structure would do, where it has one.

use crate::irregular::by_destination::{Graph, Steps};
use turnwise_network::RouterId;

/// The way of a structure.
pub(super) trait Taste {
    /// The arc by which a router would send to another one; `None` if that has failed or there is no preference.
    fn arc(&self, at: u32, destination: u32) -> Option<u32>;

    /// All arcs, in an order in which most of its routes lead forwards.
    fn order(&self, graph: &Graph) -> Vec<u32>;
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

    /// Dimension by dimension, and along the lines.
    fn order(&self, graph: &Graph) -> Vec<u32> {
        let mut order: Vec<u32> = (0..graph.arcs() as u32).collect();
        order.sort_by_cached_key(|&arc| {
            let (dimension, positive) = self.0.direction(graph, arc)?;
            let at = self.0.lattice().place(RouterId(graph.from(arc)))[dimension];
            let along = if positive { at } else { u32::MAX - at };
            Some((dimension, positive, along))
        });
        order
    }
}
