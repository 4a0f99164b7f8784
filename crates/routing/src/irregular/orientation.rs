//! Which end of each link is up: the order that up*/down* routing and its relatives rest on.
//!
//! A spanning tree is grown breadth first from a root; the level of a router is its depth. Of the two ends of *every* link, in the
//! tree or not, the one of the lower level is up, and of the same level the one with the lower number. So levels and
//! numbers order all routers, and no circle of links leads only up or only down.
//! Every part of a network that is not connected has a root of its own.
//!
//! Source: Schroeder et al., "Autonet: a high-speed, self-configuring local area network using point-to-point links", IEEE JSAC 9(8), 1991.
//!
//! Complexity: O(parts x routers + channels).

use turnwise_network::metrics::{UNREACHABLE, distances};
use turnwise_network::{ChannelId, Invalid, Network, RouterId};

/// An order of all routers. What goes towards its beginning goes up.
#[derive(Clone, Debug)]
pub(crate) struct Orientation {
    roots: Vec<RouterId>,
    /// By router: how far it is from its root.
    levels: Vec<u32>,
    /// By channel.
    is_up: Vec<bool>,
}

impl Orientation {
    /// The order by trees from these roots, one for each part of the network.
    pub(crate) fn rooted(network: &Network, roots: Vec<RouterId>) -> Self {
        let mut levels = vec![UNREACHABLE; network.router_count()];
        for &root in &roots {
            for (level, distance) in levels.iter_mut().zip(distances(network, root)) {
                *level = distance.min(*level);
            }
        }
        let place = |router: RouterId| (levels[router.index()], router);
        let mut is_up = vec![false; network.channel_count()];
        for from in network.routers() {
            for next in network.neighbours(from) {
                is_up[next.channel.index()] = place(next.router) < place(from);
            }
        }
        Self {
            roots,
            levels,
            is_up,
        }
    }

    /// The same network from other roots: in each part the router that is farthest from all roots so far, of equals the first.
    pub(crate) fn elsewhere(network: &Network, others: &[Self]) -> Self {
        let mut nearest = vec![UNREACHABLE; network.router_count()];
        for root in others.iter().flat_map(|other| &other.roots) {
            for (nearest, distance) in nearest.iter_mut().zip(distances(network, *root)) {
                *nearest = distance.min(*nearest);
            }
        }
        let farthest = |router: &RouterId| nearest[router.index()];
        let parts = parts(network).into_iter();
        let roots = parts.map(|part| first_with_most(&part, farthest));
        Self::rooted(network, roots.collect())
    }

    /// A router's place in the order.
    pub(crate) fn place(&self, router: RouterId) -> (u32, RouterId) {
        (self.levels[router.index()], router)
    }

    /// Does a channel between routers lead up?
    #[inline]
    pub(crate) fn is_up(&self, channel: ChannelId) -> bool {
        self.is_up[channel.index()]
    }
}

/// The first of some routers of which there is most; there is at least one.
pub(crate) fn first_with_most<K: Ord>(
    part: &[RouterId],
    measure: impl Fn(&RouterId) -> K,
) -> RouterId {
    let best = part.iter().rev().max_by_key(|router| measure(router));
    *best.unwrap_or(&part[0])
}

/// The living routers, in ascending order and those that are connected together.
pub(crate) fn parts(network: &Network) -> Vec<Vec<RouterId>> {
    let mut known = vec![false; network.router_count()];
    let mut parts = Vec::new();
    for first in network.routers().filter(|&router| network.is_alive(router)) {
        if known[first.index()] {
            continue;
        }
        let distance = distances(network, first);
        let reached = |router: &RouterId| distance[router.index()] != UNREACHABLE;
        let part: Vec<RouterId> = network.routers().filter(reached).collect();
        for router in &part {
            known[router.index()] = true;
        }
        parts.push(part);
    }
    parts
}

/// Refuses networks with links that carry one way only.
pub(crate) fn both_ways(kind: &str, network: &Network) -> Result<(), Invalid> {
    let mut channels = network
        .routers()
        .flat_map(|router| network.neighbours(router));
    match channels.find(|next| network.reverse(next.channel).is_none()) {
        None => Ok(()),
        Some(next) => {
            let label = network.channel_label(next.channel);
            let message = format!(
                "`{kind}` knows up and down by links that carry both ways; {label} carries only one"
            );
            Err(Invalid::new("kind", message))
        }
    }
}
