//! HyperX and full meshes.

use super::{Destination, Taste, sorted};
use crate::irregular::by_destination::Graph;
use turnwise_network::recognition::Coordinates;

/// Dimension order, which closes no circles.
pub(super) struct InOrder(pub(super) Coordinates);

impl InOrder {
    /// The first dimension in which two routers differ.
    fn dimension(&self, one: u32, other: u32) -> Option<usize> {
        let mut pairs = self.0.place(one).iter().zip(self.0.place(other));
        pairs.position(|(one, other)| one != other)
    }
}

impl Taste for InOrder {
    fn arc(&self, graph: &Graph, at: u32, to: Destination) -> Option<u32> {
        let dimension = self.dimension(at, to.router)?;
        let coordinate = self.0.place(to.router)[dimension];
        let mut arcs = graph.leaving(at);
        arcs.find(|&arc| {
            let next = graph.to(arc);
            self.0.place(next)[dimension] == coordinate
                && self.dimension(at, next) == Some(dimension)
        })
    }

    fn is_even(&self) -> bool {
        true
    }

    /// Dimension by dimension.
    fn lanes(&self, graph: &Graph) -> Vec<Vec<u32>> {
        let order = sorted(graph, |arc| self.dimension(graph.from(arc), graph.to(arc)));
        vec![order]
    }
}
