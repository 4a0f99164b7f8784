//! How many hops apart terminals are at least: what the detours of packets are measured against.
//!
//! A network of groups has ways by a third group that cross two channels between groups and are shorter than the minimal way, which crosses one and
//! what it takes to get there. They are detours, and minimal is what crosses one, where there is such a way: the hops of
//! SuperSim's and BookSim2's dragonflies, and of Kim, Dally, Scott, Abts, ISCA 2008.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use turnwise_network::metrics::{UNREACHABLE, distances};
use turnwise_network::{ChannelClass, Network, RouterId, Shape, TerminalId};

/// Shortest distances between the routers of a network, walked when they are first asked for.
pub struct MinimalHops {
    network: Arc<Network>,
    /// By router and router; 255 stands for everything beyond.
    distances: OnceLock<Vec<u8>>,
}

impl MinimalHops {
    /// Beyond this many routers the table would be larger than the simulation itself.
    const MOST_ROUTERS: usize = 8_192;

    /// Of a network; nothing is walked yet.
    pub fn of(network: Arc<Network>) -> Self {
        Self {
            network,
            distances: OnceLock::new(),
        }
    }

    /// Hops between two terminals' routers; `None` if the network is too large to keep them all.
    pub fn between(&self) -> Option<impl Fn(TerminalId, TerminalId) -> u32 + '_> {
        let routers = self.network.router_count();
        if routers > Self::MOST_ROUTERS {
            return None;
        }
        let distances = self.distances.get_or_init(|| self.walk());
        let router = |terminal| self.network.router_of(terminal).index();
        Some(move |source, destination| {
            u32::from(distances[router(source) * routers + router(destination)])
        })
    }

    /// Bytes of all distances.
    pub fn memory_bytes(&self) -> u64 {
        let routers = self.network.router_count();
        match routers > Self::MOST_ROUTERS {
            true => 0,
            false => (routers * routers) as u64,
        }
    }

    fn walk(&self) -> Vec<u8> {
        let routers = self.network.router_count();
        let mut all = Vec::with_capacity(routers * routers);
        let has_groups = matches!(
            self.network.shape(),
            Shape::Dragonfly(_) | Shape::Megafly(_)
        );
        for router in self.network.routers() {
            let hops = match has_groups {
                true => from_group_to_group(&self.network, router),
                false => distances(&self.network, router),
            };
            all.extend(
                hops.iter()
                    .map(|&hops| u8::try_from(hops).unwrap_or(u8::MAX)),
            );
        }
        all
    }
}

/// Distances by ways that cross at most one channel between groups; by any way, where there is none.
fn from_group_to_group(network: &Network, from: RouterId) -> Vec<u32> {
    let routers = network.router_count();
    // By whether such a channel has been crossed, then by router.
    let mut found = vec![UNREACHABLE; 2 * routers];
    let mut queue = VecDeque::new();
    if network.is_alive(from) {
        found[from.index()] = 0;
        queue.push_back((from, false));
    }
    while let Some((router, crossed)) = queue.pop_front() {
        let further = found[usize::from(crossed) * routers + router.index()] + 1;
        for neighbour in network.neighbours(router) {
            let crosses = network.channel(neighbour.channel).class == ChannelClass::Global;
            if crosses && crossed {
                continue;
            }
            let crossed = crossed || crosses;
            let slot = &mut found[usize::from(crossed) * routers + neighbour.router.index()];
            if *slot == UNREACHABLE {
                *slot = further;
                queue.push_back((neighbour.router, crossed));
            }
        }
    }
    let (inside, across) = found.split_at(routers);
    let least = inside
        .iter()
        .zip(across)
        .map(|(inside, across)| *inside.min(across));
    match least.clone().any(|hops| hops == UNREACHABLE) {
        false => least.collect(),
        true => {
            let anyhow = distances(network, from);
            let either = |(least, anyhow)| match least {
                UNREACHABLE => anyhow,
                _ => least,
            };
            least.zip(anyhow).map(either).collect()
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may")]
mod tests {
    use super::*;
    use turnwise_network::Faults;
    use turnwise_network::topologies::{Dragonfly, Topology, Torus};

    fn torus(sizes: [u32; 2]) -> MinimalHops {
        let torus = Torus {
            sizes: sizes.to_vec(),
            terminals_per_router: 2,
            ..Torus::default()
        };
        MinimalHops::of(Arc::new(torus.build(None).unwrap()))
    }

    #[test]
    fn distances_of_terminals_are_those_of_their_routers() {
        let minimal = torus([4, 4]);
        let hops = minimal.between().unwrap();
        assert_eq!(hops(TerminalId(0), TerminalId(1)), 0);
        assert_eq!(hops(TerminalId(0), TerminalId(2 * 10 + 1)), 4);
    }

    /// Nine groups of four routers with two links each: some routers are two hops apart by a third group.
    #[test]
    fn a_way_by_two_links_between_groups_is_a_detour() {
        let whole = Dragonfly::default().build(None).unwrap();
        let class = |network: &Network, router, peer| {
            let mut ways = network.neighbours(router);
            let way = ways.find(|way| way.router == peer);
            way.map(|way| network.channel(way.channel).class)
        };
        let mut detours = 0;
        for from in whole.routers() {
            let hops = from_group_to_group(&whole, from);
            assert_eq!(hops.iter().max(), Some(&3));
            for (minimal, shortest) in hops.into_iter().zip(distances(&whole, from)) {
                detours += u32::from(shortest < minimal);
                assert!(shortest == minimal || (shortest, minimal) == (2, 3));
            }
        }
        assert!(detours > 0);
        // Without the only link to a group every way there is a detour.
        let group = |router: RouterId| router.0 / 4;
        let mut links = whole.routers().flat_map(|router| {
            let own = whole
                .neighbours(router)
                .map(move |way| (router, way.router));
            own.collect::<Vec<_>>()
        });
        let (near, far) = links
            .find(|&(near, far)| group(near) == 0 && group(far) == 1)
            .unwrap();
        assert_eq!(class(&whole, near, far), Some(ChannelClass::Global));
        let faults = Faults {
            links: vec![[near.0, far.0]],
            ..Faults::default()
        };
        let network = whole.without(&faults).unwrap();
        let from = RouterId(0);
        let hops = from_group_to_group(&whole, from);
        let (cut, anyhow) = (
            from_group_to_group(&network, from),
            distances(&network, from),
        );
        assert_eq!(cut[4..8], anyhow[4..8]);
        assert_eq!(cut[8..], hops[8..]);
    }

    #[test]
    fn large_networks_are_not_walked() {
        assert!(torus([91, 91]).between().is_none());
    }
}
