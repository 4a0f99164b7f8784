//! The ports of a grid or HyperX by which a packet comes closer to its destination.
//!
//! What adaptive algorithms choose among, found without allocating: O(dimensions) a router.

use crate::algorithms::Ties;
use crate::grid_dimension::{Dimension, Step, is_complete};
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

    /// All ways closer, dimension by dimension; two of a ring to whose opposite side the packet goes.
    /// None at the destination.
    pub(crate) fn ways(&self, at: RouterId, to: RouterId) -> impl Iterator<Item = Way<'_>> + Clone {
        let (here, there) = (self.coordinates(at), self.coordinates(to));
        let unfinished = move |dimension: &&Dimension| {
            let index = dimension.index;
            here[index] != there[index]
        };
        let first = self.dimensions.iter().find(unfinished);
        let first = first.map(|dimension| dimension.index);
        let unfinished = self.dimensions.iter().filter(unfinished);
        unfinished.flat_map(move |dimension| {
            let index = dimension.index;
            let step = dimension.step(here[index], there[index], Ties::Random);
            let leads = move |&positive: &bool| match positive {
                true => step.positive,
                false => step.negative,
            };
            let directions = [true, false].into_iter().filter(leads);
            directions.map(move |positive| Way {
                dimension,
                step,
                positive,
                port: dimension.port_of(&step, positive),
                is_first: first == Some(index),
            })
        })
    }
}
