//! What a network's own structure would do, where it has one.

use super::graph::Graph;
use turnwise_network::recognition::{Lattice, lattice};
use turnwise_network::shape::Grid;
use turnwise_network::{Network, RouterId, Shape};

/// The way of a structure.
pub(super) trait Taste {
    /// The arc by which a router would send to another one; `None` if that has failed or there is no preference.
    fn arc(&self, at: u32, destination: u32) -> Option<u32>;
}

/// The taste of a network, if it has any: by its shape, or by what shape its wiring is recognised to have.
pub(super) fn taste(network: &Network, graph: &Graph) -> Option<Box<dyn Taste>> {
    let lattice = match network.shape() {
        Shape::Grid(grid) => of_shape(network, grid),
        Shape::Graph => lattice(network)?,
        _ => return None,
    };
    Some(Box::new(InOrder::new(network, graph, lattice)))
}

fn of_shape(network: &Network, grid: &Grid) -> Lattice {
    let places = network.routers().flat_map(|at| grid.coordinates(at.0));
    Lattice {
        sizes: grid.sizes.clone(),
        rings: (0..grid.sizes.len()).map(|at| grid.is_ring(at)).collect(),
        places: places.collect(),
    }
}

/// Dimension order: few turns, hence few lanes. Halfway round a ring both directions are as short, and routers take turns, so that all
/// channels carry the same.
struct InOrder {
    lattice: Lattice,
    /// By router, dimension, and direction, positive first.
    arcs: Vec<Option<u32>>,
}

impl InOrder {
    fn new(network: &Network, graph: &Graph, lattice: Lattice) -> Self {
        let dimensions = lattice.sizes.len();
        let mut arcs = vec![None; 2 * dimensions * network.router_count()];
        for router in network.routers() {
            let from = lattice.place(router);
            for arc in graph.leaving(router.0) {
                let to = lattice.place(RouterId(graph.to(arc)));
                let Some(dimension) = (0..dimensions).find(|&at| from[at] != to[at]) else {
                    continue;
                };
                let size = lattice.sizes[dimension];
                let positive = match lattice.rings[dimension] {
                    true => (from[dimension] + 1) % size == to[dimension],
                    false => from[dimension] < to[dimension],
                };
                let way = 2 * (router.index() * dimensions + dimension) + usize::from(!positive);
                arcs[way].get_or_insert(arc);
            }
        }
        Self { lattice, arcs }
    }
}

impl Taste for InOrder {
    fn arc(&self, at: u32, destination: u32) -> Option<u32> {
        let Lattice { sizes, rings, .. } = &self.lattice;
        let [from, to] = [at, destination].map(|router| self.lattice.place(RouterId(router)));
        let dimension = (0..sizes.len()).find(|&dimension| from[dimension] != to[dimension])?;
        let size = sizes[dimension];
        let forwards = (to[dimension] + size - from[dimension]) % size;
        let positive = match rings[dimension] {
            false => to[dimension] > from[dimension],
            true if 2 * forwards == size => {
                let others = to.iter().sum::<u32>() - to[dimension];
                (from[dimension] + others) % 2 == 0
            }
            true => 2 * forwards < size,
        };
        self.arcs[2 * (at as usize * sizes.len() + dimension) + usize::from(!positive)]
    }
}
