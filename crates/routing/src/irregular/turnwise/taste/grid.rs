//! Meshes, tori and hypercubes.

use super::{Destination, Sharing, Taste, sorted};
use crate::irregular::by_destination::{Graph, Steps};
use turnwise_network::RouterId;

/// Dimension order: few turns, hence few lanes. Halfway round a ring both directions are as short, and routers take turns, so that all
/// channels carry the same. Where both directions of a pair share a lane, they go by the same side of the ring, so that both cross its edge or
/// neither does; in the last dimension that is less even.
pub(super) struct InOrder<'a>(pub(super) &'a Steps, pub(super) Sharing);

/// With more rings there are more lanes than service levels.
const MOST_RINGS: usize = 4;

impl Taste for InOrder<'_> {
    fn arc(&self, _: &Graph, at: u32, to: Destination) -> Option<u32> {
        let place = |router| self.0.lattice().place(RouterId(router));
        let (dimension, positive) = self.0.towards(at, to.router, |dimension| {
            let (at, to) = (place(at), place(to.router));
            let others = |place: &[u32]| place.iter().sum::<u32>() - place[dimension];
            match self.1 {
                Sharing::None => (at[dimension] + others(to)) % 2 == 0,
                Sharing::Mutual => {
                    let lower = at[dimension].min(to[dimension]);
                    let is_up = (lower + others(at) + others(to)) % 2 == 0;
                    is_up == (at[dimension] == lower)
                }
            }
        })?;
        self.0.arc(at, dimension, positive)
    }

    fn is_even(&self) -> bool {
        true
    }

    /// Its dimension.
    fn kind(&self, graph: &Graph, arc: u32) -> usize {
        let direction = self.0.direction(graph, arc);
        direction.map_or(0, |(dimension, _)| dimension)
    }

    /// In the middle of a line all have to come by who send from one half of it to the other.
    fn peak(&self, kind: usize) -> u64 {
        let lattice = self.0.lattice();
        let size = u64::from(lattice.sizes[kind]);
        match lattice.rings[kind] {
            true => 100,
            false => 600 * (size / 2 * size.div_ceil(2)) / (size * (size + 1)),
        }
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

    /// A lane for the routes that cross the edges of the same rings, in which these begin halfway from there.
    fn mutual_lanes(&self, graph: &Graph) -> Vec<Vec<u32>> {
        let rings: Vec<usize> = self.0.rings().collect();
        if rings.len() > MOST_RINGS {
            return Vec::new();
        }
        let of_lane = |crossed: u32| {
            sorted(graph, |arc| {
                let (dimension, _) = self.0.direction(graph, arc)?;
                let ring = rings.iter().position(|&ring| ring == dimension);
                let crosses = ring.is_some_and(|ring| crossed >> ring & 1 == 1);
                self.0.along(graph, arc, crosses)
            })
        };
        (0..1 << rings.len()).map(of_lane).collect()
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
