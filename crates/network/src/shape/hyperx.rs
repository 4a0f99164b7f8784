//! HyperX: in every dimension, routers that differ only there are fully connected.

use super::{from_coordinates, to_coordinates};
use crate::ids::Port;

/// Routers are numbered row-major. After the terminals' ports come, dimension by dimension,
/// one port per other coordinate in ascending order.
///
/// Source: Ahn et al., "HyperX: topology, routing, and packaging of efficient large-scale
/// networks", SC 2009.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HyperX {
    /// Routers per dimension.
    pub sizes: Vec<u32>,
    /// Terminals at every router.
    pub terminals_per_router: u32,
}

impl HyperX {
    /// The coordinates of a router.
    pub fn coordinates(&self, router: u32) -> Vec<u32> {
        to_coordinates(&self.sizes, router)
    }

    /// The router at some coordinates.
    pub fn router_at(&self, coordinates: &[u32]) -> u32 {
        from_coordinates(&self.sizes, coordinates)
    }

    /// The port that leads from coordinate `from` to coordinate `to` of a dimension.
    pub fn port(&self, dimension: usize, from: u32, to: u32) -> Port {
        let before: u32 = self.sizes[..dimension].iter().map(|size| size - 1).sum();
        (self.terminals_per_router + before + if to < from { to } else { to - 1 }) as Port
    }
}
