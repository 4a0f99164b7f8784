//! Grids as graphs: which arc leads a step along which dimension.

use super::graph::Graph;
use turnwise_network::recognition::{Lattice, lattice};
use turnwise_network::shape::Grid;
use turnwise_network::{Network, RouterId, Shape};

/// A mesh, torus or hypercube, and the arcs of its steps.
pub(crate) struct Steps {
    lattice: Lattice,
    /// By router, dimension, and direction, positive first.
    arcs: Vec<Option<u32>>,
}

impl Steps {
    /// Those of a network that is a grid by its shape, or by what shape its wiring is recognised to have.
    pub(crate) fn of(network: &Network, graph: &Graph) -> Option<Self> {
        match network.shape() {
            Shape::Grid(grid) => Some(Self::new(network, graph, of_shape(network, grid))),
            Shape::Graph => Some(Self::new(network, graph, lattice(network)?)),
            _ => None,
        }
    }

    fn new(network: &Network, graph: &Graph, lattice: Lattice) -> Self {
        let dimensions = lattice.sizes.len();
        let mut arcs = vec![None; 2 * dimensions * network.router_count()];
        let steps = Self {
            lattice,
            arcs: Vec::new(),
        };
        for router in network.routers() {
            for arc in graph.leaving(router.0) {
                let Some((dimension, positive)) = steps.direction(graph, arc) else {
                    continue;
                };
                let way = 2 * (router.index() * dimensions + dimension) + usize::from(!positive);
                arcs[way].get_or_insert(arc);
            }
        }
        Self { arcs, ..steps }
    }

    /// The dimension of an arc's step, and whether it is a positive one.
    pub(crate) fn direction(&self, graph: &Graph, arc: u32) -> Option<(usize, bool)> {
        let Lattice { sizes, rings, .. } = &self.lattice;
        let [from, to] =
            [graph.from(arc), graph.to(arc)].map(|at| self.lattice.place(RouterId(at)));
        let dimension = (0..sizes.len()).find(|&at| from[at] != to[at])?;
        let positive = match rings[dimension] {
            true => (from[dimension] + 1) % sizes[dimension] == to[dimension],
            false => from[dimension] < to[dimension],
        };
        Some((dimension, positive))
    }

    /// Does an arc's step lead over the edge of a ring, from one end of the coordinates to the other?
    pub(crate) fn is_edge(&self, graph: &Graph, arc: u32) -> bool {
        let [from, to] =
            [graph.from(arc), graph.to(arc)].map(|at| self.lattice.place(RouterId(at)));
        from.iter().zip(to).any(|(from, to)| from.abs_diff(*to) > 1)
    }

    /// Where an arc's step lies: its dimension, whether it is a positive one, and how far along the line it is, in its direction, from the edge
    /// of the ring or from halfway between edge and edge.
    pub(crate) fn along(
        &self,
        graph: &Graph,
        arc: u32,
        from_halfway: bool,
    ) -> Option<(usize, bool, u32)> {
        let (dimension, positive) = self.direction(graph, arc)?;
        let at = self.lattice.place(RouterId(graph.from(arc)))[dimension];
        let size = self.lattice.sizes[dimension];
        let along = match (from_halfway, positive) {
            (false, true) => at,
            (false, false) => size - 1 - at,
            (true, true) => (at + size - size / 2) % size,
            (true, false) => (size / 2 + size - 1 - at) % size,
        };
        Some((dimension, positive, along))
    }

    pub(crate) fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// The dimensions with rings.
    pub(crate) fn rings(&self) -> impl Iterator<Item = usize> + '_ {
        let rings = self.lattice.rings.iter().enumerate();
        rings.filter_map(|(dimension, &ring)| ring.then_some(dimension))
    }

    /// Does every router have the arcs of all its steps?
    pub(crate) fn is_whole(&self) -> bool {
        let Lattice { sizes, rings, .. } = &self.lattice;
        let routers = self.arcs.len() / (2 * sizes.len()).max(1);
        (0..routers as u32).all(|at| {
            let place = self.lattice.place(RouterId(at));
            (0..sizes.len()).all(|dimension| {
                let edge = |last| !rings[dimension] && place[dimension] == last;
                let last = sizes[dimension] - 1;
                (self.arc(at, dimension, true).is_some() || edge(last) || last == 1)
                    && (self.arc(at, dimension, false).is_some() || edge(0) || last == 1)
            })
        })
    }

    /// The step by dimension order: the first dimension in which two routers differ, and whether the shorter way is the positive one. Halfway
    /// round a ring `is_positive` says so, told the dimension.
    pub(crate) fn towards(
        &self,
        at: u32,
        destination: u32,
        is_positive: impl FnOnce(usize) -> bool,
    ) -> Option<(usize, bool)> {
        let Lattice { sizes, rings, .. } = &self.lattice;
        let [from, to] = [at, destination].map(|router| self.lattice.place(RouterId(router)));
        let dimension = (0..sizes.len()).find(|&at| from[at] != to[at])?;
        let size = sizes[dimension];
        let forwards = (to[dimension] + size - from[dimension]) % size;
        let positive = match rings[dimension] {
            false => to[dimension] > from[dimension],
            true if 2 * forwards == size => is_positive(dimension),
            true => 2 * forwards < size,
        };
        Some((dimension, positive))
    }

    /// The arc of a step, unless it has failed or leads off the edge.
    pub(crate) fn arc(&self, at: u32, dimension: usize, positive: bool) -> Option<u32> {
        let dimensions = self.lattice.sizes.len();
        self.arcs[2 * (at as usize * dimensions + dimension) + usize::from(!positive)]
    }
}

fn of_shape(network: &Network, grid: &Grid) -> Lattice {
    let places = network.routers().flat_map(|at| grid.coordinates(at.0));
    Lattice {
        sizes: grid.sizes.clone(),
        rings: (0..grid.sizes.len()).map(|at| grid.is_ring(at)).collect(),
        places: places.collect(),
    }
}
