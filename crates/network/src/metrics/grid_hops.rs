//! Shortest distances on networks with coordinates of which nothing has failed: the sum over dimensions, whatever their size.

use super::symmetry::is_whole_grid;
use crate::ids::RouterId;
use crate::network::Network;
use crate::shape::Shape;

/// Hops between the routers of a whole mesh, torus, hypercube or HyperX.
#[derive(Clone, Debug)]
pub struct GridHops {
    /// The last one first: its coordinate is the fastest in a router's number.
    dimensions: Vec<(u32, Row)>,
}

/// How the routers of a row are connected.
#[derive(Clone, Copy, Debug)]
enum Row {
    Line,
    Ring,
    Full,
}

impl GridHops {
    /// Of a network; `None` if it has no coordinates or lacks anything. O(routers + terminals).
    pub fn of(network: &Network) -> Option<Self> {
        let row = |dimension: usize| match network.shape() {
            Shape::Grid(grid) if grid.is_ring(dimension) => Row::Ring,
            Shape::Grid(_) => Row::Line,
            _ => Row::Full,
        };
        let sizes = match network.shape() {
            Shape::Grid(grid) => &grid.sizes,
            Shape::HyperX(hyperx) => &hyperx.sizes,
            _ => return None,
        };
        let dimensions = sizes.iter().enumerate().rev();
        is_whole_grid(network).then(|| Self {
            dimensions: dimensions
                .map(|(dimension, &size)| (size, row(dimension)))
                .collect(),
        })
    }

    /// Hops from one router to another. O(dimensions).
    pub fn between(&self, from: RouterId, to: RouterId) -> u32 {
        let (mut from, mut to, mut hops) = (from.0, to.0, 0);
        for &(size, row) in &self.dimensions {
            let steps = (from % size).abs_diff(to % size);
            hops += match row {
                Row::Line => steps,
                Row::Ring => steps.min(size - steps),
                Row::Full => steps.min(1),
            };
            (from, to) = (from / size, to / size);
        }
        hops
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may")]
mod tests {
    use super::*;
    use crate::Faults;
    use crate::metrics::distances;
    use crate::topologies::{HyperX, Hypercube, Mesh, Topology, Torus};

    #[test]
    fn hops_are_those_that_are_walked() {
        let sizes = |sizes: &[u32]| sizes.to_vec();
        let networks: [Box<dyn Topology>; 6] = [
            Box::new(Torus {
                sizes: sizes(&[5, 4, 2]),
                ..Torus::default()
            }),
            Box::new(Torus {
                sizes: sizes(&[3, 1, 6]),
                ..Torus::default()
            }),
            Box::new(Mesh {
                sizes: sizes(&[4, 3, 5]),
                ..Mesh::default()
            }),
            Box::new(Mesh {
                sizes: sizes(&[300]),
                ..Mesh::default()
            }),
            Box::new(Hypercube::default()),
            Box::new(HyperX {
                sizes: sizes(&[4, 3]),
                ..HyperX::default()
            }),
        ];
        for topology in networks {
            let network = topology.build(None).unwrap();
            let hops = GridHops::of(&network).unwrap();
            for from in network.routers() {
                let walked = distances(&network, from);
                for to in network.routers() {
                    assert_eq!(
                        hops.between(from, to),
                        walked[to.index()],
                        "{}",
                        network.description()
                    );
                }
            }
            let far = network.neighbours(RouterId(0)).next().unwrap().router;
            let links = vec![[0, far.0]];
            let torn = network
                .without(&Faults {
                    links,
                    ..Faults::default()
                })
                .unwrap();
            assert!(GridHops::of(&torn).is_none());
        }
    }
}
