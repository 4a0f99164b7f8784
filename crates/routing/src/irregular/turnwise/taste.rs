//! What a network's own structure would do, where it has one.

use super::graph::Graph;
use turnwise_network::shape::Grid;
use turnwise_network::{Network, RouterId, Shape};

/// The way of a structure.
pub(super) trait Taste {
    /// The arc by which a router would send to another one; `None` if that has failed or there is no preference.
    fn arc(&self, at: u32, destination: u32) -> Option<u32>;
}

/// The taste of a network of this shape, if it has any.
pub(super) fn taste(network: &Network, graph: &Graph) -> Option<Box<dyn Taste>> {
    match network.shape() {
        Shape::Grid(grid) => Some(Box::new(InOrder::new(network, graph, grid))),
        _ => None,
    }
}

/// Dimension order: few turns, hence few lanes. Halfway round a ring both directions are as short, and routers take turns, so that all
/// channels carry the same.
struct InOrder {
    sizes: Vec<u32>,
    rings: Vec<bool>,
    /// By router, then by dimension.
    places: Vec<u32>,
    /// By router, dimension, and direction, positive first.
    arcs: Vec<Option<u32>>,
}

impl InOrder {
    fn new(network: &Network, graph: &Graph, grid: &Grid) -> Self {
        let dimensions = grid.sizes.len();
        let arcs = |router: RouterId| {
            let ways =
                (0..dimensions).flat_map(|dimension| [(dimension, true), (dimension, false)]);
            ways.map(move |(dimension, positive)| {
                graph.by_port(router, grid.port(dimension, positive))
            })
        };
        Self {
            sizes: grid.sizes.clone(),
            rings: (0..dimensions).map(|at| grid.is_ring(at)).collect(),
            places: network
                .routers()
                .flat_map(|router| grid.coordinates(router.0))
                .collect(),
            arcs: network.routers().flat_map(arcs).collect(),
        }
    }

    fn place(&self, router: u32) -> &[u32] {
        let dimensions = self.sizes.len();
        let first = router as usize * dimensions;
        &self.places[first..first + dimensions]
    }
}

impl Taste for InOrder {
    fn arc(&self, at: u32, destination: u32) -> Option<u32> {
        let (from, to) = (self.place(at), self.place(destination));
        let dimension =
            (0..self.sizes.len()).find(|&dimension| from[dimension] != to[dimension])?;
        let size = self.sizes[dimension];
        let forwards = (to[dimension] + size - from[dimension]) % size;
        let positive = match self.rings[dimension] {
            false => to[dimension] > from[dimension],
            true if 2 * forwards == size => {
                let others = to.iter().sum::<u32>() - to[dimension];
                (from[dimension] + others) % 2 == 0
            }
            true => 2 * forwards < size,
        };
        let dimensions = self.sizes.len();
        self.arcs[2 * (at as usize * dimensions + dimension) + usize::from(!positive)]
    }
}
