//! The ports of a grid or HyperX by which a packet comes closer to its destination.
//!
//! What adaptive algorithms choose among, found without allocating: O(dimensions) a router.

use crate::grid::Ties;
use crate::grid::dimension::{Dimension, Step, distance, is_complete};
use std::sync::Arc;
use turnwise_network::{Network, Port, RouterId, Shape};

/// One step closer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way<'a> {
    pub(crate) dimension: &'a Dimension,
    pub(crate) step: Step,
    /// Up the dimension? Of a row of routers that are all joined, always.
    pub(crate) positive: bool,
    pub(crate) port: Port,
    /// Is it along the first dimension that the packet has not finished?
    pub(crate) is_first: bool,
}

/// Is this a grid without rings, of so many dimensions if they matter?
pub(crate) fn is_mesh(shape: &Shape, dimensions: Option<usize>) -> bool {
    let Shape::Grid(grid) = shape else {
        return false;
    };
    let mut all = 0..grid.sizes.len();
    let as_many = dimensions.is_none_or(|dimensions| dimensions == grid.sizes.len());
    as_many && !all.any(|index| grid.is_ring(index))
}

/// Where the routers of a grid or HyperX are.
pub(crate) struct GridPorts {
    pub(crate) network: Arc<Network>,
    pub(crate) dimensions: Vec<Dimension>,
    coordinates: Vec<u32>,
}

impl GridPorts {
    /// `None` if the network is neither a grid nor a HyperX.
    pub(crate) fn of(network: &Arc<Network>) -> Option<Self> {
        let routers = network.routers();
        let (dimensions, coordinates) = match network.shape() {
            Shape::Grid(grid) => {
                let dimensions = (0..grid.sizes.len()).map(|index| Dimension::of_grid(grid, index));
                let coordinates = routers.flat_map(|router| grid.coordinates(router.0));
                (dimensions.collect(), coordinates.collect())
            }
            Shape::HyperX(hyperx) => {
                let count = 0..hyperx.sizes.len();
                let dimensions = count.map(|index| Dimension::of_hyperx(hyperx, index));
                let coordinates = routers.flat_map(|router| hyperx.coordinates(router.0));
                (dimensions.collect(), coordinates.collect())
            }
            _ => return None,
        };
        Some(Self {
            network: Arc::clone(network),
            dimensions,
            coordinates,
        })
    }

    /// Those of a mesh, of `dimensions` dimensions if they matter; `None` if the network is none.
    pub(crate) fn of_mesh(network: &Arc<Network>, dimensions: Option<usize>) -> Option<Self> {
        is_mesh(network.shape(), dimensions).then(|| Self::of(network))?
    }

    /// Does every channel of the shape exist?
    pub(crate) fn is_complete(&self) -> bool {
        let network = &self.network;
        match network.shape() {
            Shape::Grid(grid) => is_complete(network, grid),
            _ => {
                let degree: usize = self
                    .dimensions
                    .iter()
                    .map(|dimension| dimension.size as usize - 1)
                    .sum();
                network
                    .routers()
                    .all(|router| network.neighbours(router).count() == degree)
            }
        }
    }

    /// A router's coordinates.
    pub(crate) fn coordinates(&self, router: RouterId) -> &[u32] {
        let count = self.dimensions.len();
        &self.coordinates[router.index() * count..][..count]
    }

    /// Hops between two routers of the healthy network.
    pub(crate) fn distance(&self, from: RouterId, to: RouterId) -> u32 {
        distance(
            &self.dimensions,
            self.coordinates(from),
            self.coordinates(to),
        )
    }

    /// All ways closer, dimension by dimension; two of a ring to whose opposite side the packet goes.
    /// None at the destination.
    #[inline]
    pub(crate) fn ways(&self, at: RouterId, to: RouterId) -> Ways<'_> {
        Ways {
            here: self.coordinates(at),
            there: self.coordinates(to),
            dimensions: &self.dimensions,
            is_first: true,
            other: None,
        }
    }
}

/// Ways closer: see [`GridPorts::ways`]. Written out, because every head that waits goes through them.
#[derive(Clone, Debug)]
pub(crate) struct Ways<'a> {
    here: &'a [u32],
    there: &'a [u32],
    /// Those that are left.
    dimensions: &'a [Dimension],
    /// Was there none before that the packet has not finished?
    is_first: bool,
    /// The other way round a ring.
    other: Option<Way<'a>>,
}

impl<'a> Iterator for Ways<'a> {
    type Item = Way<'a>;

    #[inline]
    fn next(&mut self) -> Option<Way<'a>> {
        if let Some(other) = self.other.take() {
            return Some(other);
        }
        while let Some((dimension, left)) = self.dimensions.split_first() {
            self.dimensions = left;
            let index = dimension.index;
            let (here, there) = (self.here[index], self.there[index]);
            if here == there {
                continue;
            }
            let is_first = std::mem::take(&mut self.is_first);
            let step = dimension.step(here, there, Ties::Random);
            let way = |positive| Way {
                dimension,
                step,
                positive,
                port: dimension.port_of(&step, positive),
                is_first,
            };
            self.other = step.is_tie().then(|| way(false));
            return Some(way(step.positive));
        }
        None
    }
}
