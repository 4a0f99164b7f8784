//! How many hops apart terminals are at least: what the detours of packets are measured against.

use std::sync::{Arc, OnceLock};
use turnwise_network::metrics::distances;
use turnwise_network::{Network, TerminalId};

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
        for router in self.network.routers() {
            let hops = distances(&self.network, router);
            all.extend(
                hops.iter()
                    .map(|&hops| u8::try_from(hops).unwrap_or(u8::MAX)),
            );
        }
        all
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may")]
mod tests {
    use super::*;
    use turnwise_network::topologies::{Topology, Torus};

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

    #[test]
    fn large_networks_are_not_walked() {
        assert!(torus([91, 91]).between().is_none());
    }
}
