//! How many hops apart terminals are at least: what the detours of packets are measured against.
//!
//! A network of groups has ways by a third group that cross two channels between groups and are shorter than the minimal way, which crosses one and
//! what it takes to get there. They are detours, and minimal is what crosses one, where there is such a way: the hops of
//! SuperSim's and BookSim2's dragonflies, and of Kim, Dally, Scott, Abts, ISCA 2008. Of several channels between two groups each is
//! minimal, and what takes no longer than the longest of these ways is no detour: hops are all that is known of a packet that has
//! arrived. So a packet by a third group that crosses two channels between groups and one inside does not count where a minimal way has one
//! on either side. What it crossed could be told only by counting at every hop of every packet.

use std::sync::{Arc, OnceLock};
use turnwise_network::metrics::{GridHops, UNREACHABLE, distances};
use turnwise_network::{ChannelClass, Network, RouterId, Shape, TerminalId};

/// Shortest distances between the routers of a network: computed on large grids of which nothing has failed, elsewhere walked when they are
/// first asked for.
pub struct MinimalHops {
    network: Arc<Network>,
    /// Where they are computed.
    grid: Option<GridHops>,
    /// By router and router; [`BEYOND`](Self::BEYOND) stands for everything from there on.
    distances: OnceLock<Vec<u8>>,
}

impl MinimalHops {
    /// So many routers have a table also where it could be computed: that is quicker to look up.
    const FEW_ROUTERS: usize = 1_024;
    /// Beyond this many routers the table would be larger than the simulation itself.
    const MOST_ROUTERS: usize = 8_192;

    /// Of a network; nothing is walked yet.
    pub fn of(network: Arc<Network>) -> Self {
        let is_large = network.router_count() > Self::FEW_ROUTERS;
        Self {
            grid: is_large.then(|| GridHops::of(&network)).flatten(),
            network,
            distances: OnceLock::new(),
        }
    }

    const BEYOND: u8 = u8::MAX;
    /// More hops than are kept: no way is longer than these.
    pub const FAR: u32 = u32::MAX;

    /// Hops between two terminals' routers, or [`FAR`](Self::FAR); `None` if the network is too large to keep them all.
    pub fn between(&self) -> Option<impl Fn(TerminalId, TerminalId) -> u32 + '_> {
        let routers = self.network.router_count();
        let distances: &[u8] = match self.is_table() {
            true => self.distances.get_or_init(|| self.walk()),
            false => &[],
        };
        let router = |terminal| self.network.router_of(terminal);
        let is_known = self.grid.is_some() || self.is_table();
        is_known.then_some(move |source, destination| {
            let (from, to) = (router(source), router(destination));
            if let Some(grid) = &self.grid {
                return grid.between(from, to);
            }
            match distances[from.index() * routers + to.index()] {
                Self::BEYOND => Self::FAR,
                hops => hops.into(),
            }
        })
    }

    /// Are distances kept in a table?
    fn is_table(&self) -> bool {
        self.grid.is_none() && self.network.router_count() <= Self::MOST_ROUTERS
    }

    /// Bytes of all distances.
    pub fn memory_bytes(&self) -> u64 {
        let routers = self.network.router_count() as u64;
        if self.is_table() {
            routers * routers
        } else {
            0
        }
    }

    fn walk(&self) -> Vec<u8> {
        let network = &*self.network;
        let routers = network.router_count();
        let groups = matches!(network.shape(), Shape::Dragonfly(_) | Shape::Megafly(_));
        let groups = groups.then(|| Groups::of(network));
        let mut all = Vec::with_capacity(routers * routers);
        for router in network.routers() {
            let hops = match &groups {
                Some(groups) => groups.hops(router),
                None => distances(network, router),
            };
            all.extend(
                hops.iter()
                    .map(|&hops| u8::try_from(hops).unwrap_or(Self::BEYOND)),
            );
        }
        all
    }
}

/// Which routers reach each other without a channel between groups, and in how many hops.
struct Groups<'a> {
    network: &'a Network,
    /// By router.
    inside: Vec<Vec<(RouterId, u32)>>,
}

impl<'a> Groups<'a> {
    fn of(network: &'a Network) -> Self {
        let mut inside = Vec::new();
        let mut is_known = vec![false; network.router_count()];
        for from in network.routers() {
            let mut found = Vec::new();
            if network.is_alive(from) {
                is_known[from.index()] = true;
                found.push((from, 0));
            }
            let mut next = 0;
            while let Some(&(router, hops)) = found.get(next) {
                next += 1;
                for neighbour in network.neighbours(router) {
                    let is_known = &mut is_known[neighbour.router.index()];
                    let class = network.channel(neighbour.channel).class;
                    if class != ChannelClass::Global && !*is_known {
                        *is_known = true;
                        found.push((neighbour.router, hops + 1));
                    }
                }
            }
            for (router, _) in &found {
                is_known[router.index()] = false;
            }
            inside.push(found);
        }
        Self { network, inside }
    }

    /// By router, the hops from one inside its group, or by the longest of the ways that cross one channel between groups; by any
    /// way, where there is none.
    fn hops(&self, from: RouterId) -> Vec<u32> {
        let network = self.network;
        let mut found = vec![UNREACHABLE; network.router_count()];
        for &(near, before) in &self.inside[from.index()] {
            for neighbour in network.neighbours(near) {
                if network.channel(neighbour.channel).class != ChannelClass::Global {
                    continue;
                }
                for &(to, behind) in &self.inside[neighbour.router.index()] {
                    let (slot, hops) = (&mut found[to.index()], before + 1 + behind);
                    if *slot == UNREACHABLE || *slot < hops {
                        *slot = hops;
                    }
                }
            }
        }
        for &(near, hops) in &self.inside[from.index()] {
            found[near.index()] = hops;
        }
        if found.contains(&UNREACHABLE) {
            let anyhow = distances(network, from);
            for (slot, anyhow) in found.iter_mut().zip(anyhow) {
                *slot = if *slot == UNREACHABLE { anyhow } else { *slot };
            }
        }
        found
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may")]
mod tests {
    use super::*;
    use turnwise_network::Faults;
    use turnwise_network::topologies::{Dragonfly, Mesh, Topology, Torus};

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
        let groups = Groups::of(&whole);
        let mut detours = 0;
        for from in whole.routers() {
            let hops = groups.hops(from);
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
        let hops = groups.hops(from);
        let (cut, anyhow) = (Groups::of(&network).hops(from), distances(&network, from));
        assert_eq!(cut[4..8], anyhow[4..8]);
        assert_eq!(cut[8..], hops[8..]);
    }

    /// Three groups of two routers with three links each: three links between any two groups, of which the nearest and the farthest are minimal.
    #[test]
    fn every_link_between_two_groups_is_a_minimal_way() {
        let parallel = Dragonfly {
            groups: 3,
            routers_per_group: 2,
            global_ports_per_router: Some(3),
            ..Dragonfly::default()
        };
        let network = parallel.build(None).unwrap();
        let group = |router: RouterId| router.0 / 2;
        let groups = Groups::of(&network);
        for (from, to) in network
            .routers()
            .flat_map(|from| network.routers().map(move |to| (from, to)))
        {
            // Inside a group routers are one hop apart.
            let local = |one, other| u32::from(one != other);
            let mut longest = local(from, to);
            for near in network.routers().filter(|&near| group(near) == group(from)) {
                for way in network.neighbours(near) {
                    if group(from) != group(to) && group(way.router) == group(to) {
                        longest = longest.max(local(from, near) + 1 + local(way.router, to));
                    }
                }
            }
            assert_eq!(groups.hops(from)[to.index()], longest);
        }
        assert_eq!(groups.hops(RouterId(0)).iter().max(), Some(&3));
    }

    #[test]
    fn large_networks_are_not_walked_but_grids_need_not_be() {
        let large = torus([91, 91]);
        let hops = large.between().unwrap();
        let far = 45 + 45;
        assert_eq!(hops(TerminalId(0), TerminalId(2 * (45 * 91 + 45))), far);
        assert_eq!(large.memory_bytes(), 0);
        let torn = MinimalHops::of(Arc::new(without_a_link(&large.network)));
        assert!(torn.between().is_none());
    }

    fn without_a_link(network: &Network) -> Network {
        let faults = Faults {
            links: vec![[0, 1]],
            ..Faults::default()
        };
        network.without(&faults).unwrap()
    }

    #[test]
    fn no_way_is_a_detour_where_the_shortest_is_too_long_to_be_kept() {
        let mesh = Mesh {
            sizes: vec![300],
            ..Mesh::default()
        };
        let line = MinimalHops::of(Arc::new(mesh.build(None).unwrap()));
        let hops = line.between().unwrap();
        let of = |to| hops(TerminalId(0), TerminalId(to));
        assert_eq!(
            [254, 255, 299].map(of),
            [254, MinimalHops::FAR, MinimalHops::FAR]
        );
    }
}
