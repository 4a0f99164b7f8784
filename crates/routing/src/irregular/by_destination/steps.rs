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
    /// Those of a network that is a grid by its shape, or by what shape its wiring is recognised to have: a ring of four is two dimensions of two
    /// in both, on which no packet goes round.
    pub(crate) fn of(network: &Network, graph: &Graph) -> Option<Self> {
        match network.shape() {
            Shape::Grid(grid) => Some(Self::new(graph, apart(of_shape(network, grid)))),
            _ => Self::of_rings(network, graph),
        }
    }

    /// The same with rings of four as they are, where the shape says so.
    pub(crate) fn of_rings(network: &Network, graph: &Graph) -> Option<Self> {
        match network.shape() {
            Shape::Grid(grid) => Some(Self::new(graph, of_shape(network, grid))),
            Shape::Graph => Some(Self::new(graph, lattice(network)?)),
            _ => None,
        }
    }

    /// Those of a graph whose routers have these places.
    fn new(graph: &Graph, lattice: Lattice) -> Self {
        let dimensions = lattice.sizes.len();
        let mut arcs = vec![None; 2 * dimensions * graph.routers()];
        let steps = Self {
            lattice,
            arcs: Vec::new(),
        };
        for router in 0..graph.routers() {
            for arc in graph.leaving(router as u32) {
                let Some((dimension, positive)) = steps.direction(graph, arc) else {
                    continue;
                };
                let way = 2 * (router * dimensions + dimension) + usize::from(!positive);
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

    /// The same grid with nothing missing and a terminal at each router, which are numbered by their places.
    pub(crate) fn whole(&self) -> (Graph, Self) {
        let Lattice { sizes, rings, .. } = &self.lattice;
        let count: u32 = sizes.iter().product();
        let place = |mut router: u32| {
            let mut place = vec![0; sizes.len()];
            for (at, size) in place.iter_mut().zip(sizes).rev() {
                (*at, router) = (router % size, router / size);
            }
            place
        };
        let nexts = (0..count).map(|router| {
            let place = place(router);
            let ways = (0..sizes.len()).flat_map(|dimension| [(dimension, 1), (dimension, -1)]);
            let mut nexts: Vec<u32> = Vec::with_capacity(2 * sizes.len());
            for (dimension, way) in ways {
                let size = i64::from(sizes[dimension]);
                let next = i64::from(place[dimension]) + way;
                if rings[dimension] || (0..size).contains(&next) {
                    let mut place = place.clone();
                    place[dimension] = next.rem_euclid(size) as u32;
                    nexts.push(number(sizes, &place));
                }
            }
            nexts.dedup();
            nexts.into_iter().zip(0..)
        });
        let graph = Graph::of(nexts, vec![1; count as usize]);
        let lattice = Lattice {
            places: (0..count).flat_map(place).collect(),
            ..self.lattice.clone()
        };
        let steps = Self::new(&graph, lattice);
        (graph, steps)
    }

    /// The number of a router in the [whole](Self::whole) grid.
    pub(crate) fn number(&self, router: u32) -> u32 {
        number(&self.lattice.sizes, self.lattice.place(RouterId(router)))
    }

    /// Does every router have the arcs of all its steps?
    pub(crate) fn is_whole(&self) -> bool {
        self.missing().is_empty()
    }

    /// Steps that do not lead off an edge and have no arc: whose, along which dimension, and whether they are positive ones.
    pub(crate) fn missing(&self) -> Vec<(u32, usize, bool)> {
        let Lattice { sizes, rings, .. } = &self.lattice;
        let routers = self.arcs.len() / (2 * sizes.len()).max(1);
        let dimensions = 0..sizes.len();
        let all = (0..routers as u32).flat_map(|at| {
            let steps = dimensions
                .clone()
                .flat_map(|along| [(along, true), (along, false)]);
            steps.map(move |(along, positive)| (at, along, positive))
        });
        let is_missing = |&(at, along, positive): &(u32, usize, bool)| {
            let place = self.lattice.place(RouterId(at))[along];
            let edge = if positive { sizes[along] - 1 } else { 0 };
            self.arc(at, along, positive).is_none() && (rings[along] || place != edge)
        };
        all.filter(is_missing).collect()
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

/// Routers by their places, the last dimension fastest.
pub(crate) fn number(sizes: &[u32], place: &[u32]) -> u32 {
    let both = sizes.iter().zip(place);
    both.fold(0, |number, (size, at)| number * size + at)
}

fn of_shape(network: &Network, grid: &Grid) -> Lattice {
    let places = network.routers().flat_map(|at| grid.coordinates(at.0));
    Lattice {
        sizes: grid.sizes.clone(),
        rings: (0..grid.sizes.len()).map(|at| grid.is_ring(at)).collect(),
        places: places.collect(),
    }
}

/// With two dimensions of two for each ring of four, whose routers have the places of a Gray code.
fn apart(lattice: Lattice) -> Lattice {
    const CODE: [[u32; 2]; 4] = [[0, 0], [0, 1], [1, 1], [1, 0]];
    let Lattice {
        sizes,
        rings,
        places,
    } = lattice;
    let of_four = |dimension: usize| rings[dimension] && sizes[dimension] == 4;
    let split = |dimension: usize| match of_four(dimension) {
        true => vec![(2, false); 2],
        false => vec![(sizes[dimension], rings[dimension])],
    };
    let dimensions: Vec<(u32, bool)> = (0..sizes.len()).flat_map(split).collect();
    let place = |(at, &place): (usize, &u32)| match of_four(at % sizes.len()) {
        true => CODE[place as usize].to_vec(),
        false => vec![place],
    };
    let places = places.iter().enumerate().flat_map(place).collect();
    let (sizes, rings) = dimensions.into_iter().unzip();
    Lattice {
        sizes,
        rings,
        places,
    }
}
