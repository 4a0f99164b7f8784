//! Meshes, tori and hypercubes: routers at integer coordinates, neighbours one step apart.

use super::{from_coordinates, to_coordinates};
use crate::ids::Port;

/// Routers are numbered row-major, the last dimension fastest. After the terminals' ports
/// come two ports a dimension: `+` then `-`. A dimension of size 2 is one link, not two:
/// coordinate 0 has only `+`, coordinate 1 only `-`. A dimension of size 1 has no links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Routers per dimension, X first.
    pub sizes: Vec<u32>,
    /// Do dimensions of size 3 and more close to rings?
    pub wrap: bool,
    /// Terminals at every router.
    pub terminals_per_router: u32,
}

impl Grid {
    /// The coordinates of a router.
    pub fn coordinates(&self, router: u32) -> Vec<u32> {
        to_coordinates(&self.sizes, router)
    }

    /// The router at some coordinates.
    pub fn router_at(&self, coordinates: &[u32]) -> u32 {
        from_coordinates(&self.sizes, coordinates)
    }

    /// The coordinate one step on, `None` at the edge of a mesh.
    pub fn step(&self, dimension: usize, coordinate: u32, positive: bool) -> Option<u32> {
        let size = self.sizes[dimension];
        let ring = self.is_ring(dimension);
        match positive {
            true if coordinate + 1 < size => Some(coordinate + 1),
            true => ring.then_some(0),
            false if coordinate > 0 => Some(coordinate - 1),
            false => ring.then_some(size - 1),
        }
    }

    /// Does this dimension close to a ring?
    pub fn is_ring(&self, dimension: usize) -> bool {
        self.wrap && self.sizes[dimension] >= 3
    }

    /// The port that leads along a dimension.
    pub fn port(&self, dimension: usize, positive: bool) -> Port {
        (self.terminals_per_router as usize + 2 * dimension + usize::from(!positive)) as Port
    }

    /// Number of routers.
    pub fn router_count(&self) -> u64 {
        self.sizes
            .iter()
            .map(|&size| u64::from(size))
            .fold(1, u64::saturating_mul)
    }
}
