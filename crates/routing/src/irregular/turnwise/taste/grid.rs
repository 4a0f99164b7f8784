//! Meshes, tori and hypercubes.

use super::{Destination, Taste, sorted};
use crate::irregular::by_destination::{Graph, Steps};
use turnwise_network::RouterId;

/// Dimension order: few turns, hence few lanes. Halfway round a ring both directions are as short, and routers take turns, so that all
/// channels carry the same.
pub(super) struct InOrder<'a>(pub(super) &'a Steps);

impl Taste for InOrder<'_> {
    fn arc(&self, _: &Graph, at: u32, to: Destination) -> Option<u32> {
        let place = |router| self.0.lattice().place(RouterId(router));
        let (dimension, positive) = self.0.towards(at, to.router, |dimension| {
            let to = place(to.router);
            let others = to.iter().sum::<u32>() - to[dimension];
            (place(at)[dimension] + others) % 2 == 0
        })?;
        self.0.arc(at, dimension, positive)
    }

    fn is_even(&self) -> bool {
        true
    }

    /// Rings close circles in every order.
    fn lanes(&self, _: &Graph) -> Vec<Vec<u32>> {
        Vec::new()
    }

    /// The first dimension changes least often.
    fn sequence(&self) -> Option<Vec<u32>> {
        let lattice = self.0.lattice();
        let count = lattice.places.len() / lattice.sizes.len().max(1);
        let mut routers: Vec<u32> = (0..count as u32).collect();
        routers.sort_by_key(|&router| lattice.place(RouterId(router)));
        Some(routers)
    }

    /// Dimension by dimension, and along the lines.
    fn order(&self, graph: &Graph) -> Option<Vec<u32>> {
        Some(sorted(graph, |arc| {
            let (dimension, positive) = self.0.direction(graph, arc)?;
            let at = self.0.lattice().place(RouterId(graph.from(arc)))[dimension];
            let along = if positive { at } else { u32::MAX - at };
            Some((dimension, positive, along))
        }))
    }
}
