//! The bare graph: diameter, mean distance, connectivity, cables. No routing involved.

mod all_pairs;
mod cables;
mod grid_hops;
mod slow_cables;
mod symmetry;

pub use all_pairs::AllPairs;
pub use cables::cables;
pub use grid_hops::GridHops;
pub use slow_cables::{slow_cables, usual_interval};

use crate::ids::RouterId;
use crate::network::Network;

/// What its user should know of a network: what its reader remarked, and its [slow cables](slow_cables).
pub fn remarks(network: &Network) -> impl Iterator<Item = String> {
    let remark = network.remark().map(str::to_owned);
    remark.into_iter().chain(slow_cables(network))
}

/// "Not reachable" in a distance array.
pub const UNREACHABLE: u32 = u32::MAX;

/// Channels between `from` and every router on a shortest path, [`UNREACHABLE`] where there
/// is none. Breadth-first search, O(routers + channels).
pub fn distances(network: &Network, from: RouterId) -> Vec<u32> {
    let mut distance = vec![UNREACHABLE; network.router_count()];
    if !network.is_alive(from) {
        return distance;
    }
    distance[from.index()] = 0;
    let mut queue = vec![from];
    let mut next = 0;
    while let Some(&router) = queue.get(next) {
        next += 1;
        let further = distance[router.index()] + 1;
        for neighbour in network.neighbours(router) {
            let slot = &mut distance[neighbour.router.index()];
            if *slot == UNREACHABLE {
                *slot = further;
                queue.push(neighbour.router);
            }
        }
    }
    distance
}

/// Can every living router be reached from the living router of lowest number? With links
/// that carry both ways, that is from any of them to any other.
pub fn is_connected(network: &Network) -> bool {
    let mut living = network.routers().filter(|&router| network.is_alive(router));
    let Some(first) = living.next() else {
        return true;
    };
    let distance = distances(network, first);
    living.all(|router| distance[router.index()] != UNREACHABLE)
}

/// Summary of shortest distances between living terminals of different routers or the same.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Distances {
    /// Longest shortest path between routers that have living terminals, in channels.
    pub diameter: u32,
    /// Sum of distances over ordered pairs of different living terminals that are connected.
    pub total: u64,
    /// Ordered pairs of different living terminals.
    pub pairs: u64,
    /// Of these, pairs without any path.
    pub disconnected: u64,
}

impl Distances {
    /// Measures a network, see [`AllPairs`].
    pub fn of(network: &Network) -> Self {
        let all = AllPairs::new(network);
        let mut summary = Self::default();
        for batch in 0..all.batches() {
            summary.merge(all.measure(batch));
        }
        summary
    }

    /// Adds other pairs of the same network.
    pub fn merge(&mut self, other: Self) {
        self.diameter = self.diameter.max(other.diameter);
        self.total += other.total;
        self.pairs += other.pairs;
        self.disconnected += other.disconnected;
    }

    /// Mean distance over connected ordered pairs of different terminals, in router-to-router channels.
    pub fn mean(&self) -> f64 {
        let connected = self.pairs - self.disconnected;
        if connected == 0 {
            0.0
        } else {
            self.total as f64 / connected as f64
        }
    }
}
