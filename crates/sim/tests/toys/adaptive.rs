//! Routing that looks at congestion, and whose way a packet settles as it goes.

use super::routings::eject;
use std::collections::VecDeque;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, Network, RouterId, Routing, Start, TerminalId, Vc, VcSet,
};

/// Any shortest way, the least congested port first; on any network.
///
/// With a virtual channel for each hop of the longest way, a packet's n-th hop takes the
/// n-th and no packets wait for each other in a circle (Günther 1981); with fewer, every hop takes all.
pub(crate) struct Adaptive<'a> {
    network: &'a Network,
    vcs: Vc,
    by_hop: bool,
    /// By router and destination router.
    distances: Vec<Vec<u32>>,
}

impl<'a> Adaptive<'a> {
    pub(crate) fn new(network: &'a Network, vcs: Vc) -> Self {
        let distances: Vec<Vec<u32>> = network.routers().map(|to| distances(network, to)).collect();
        let longest = distances.iter().flatten().max();
        Self {
            network,
            vcs,
            by_hop: longest.is_some_and(|&longest| longest <= u32::from(vcs)),
            distances,
        }
    }

    /// Is there a virtual channel for each hop?
    pub(crate) fn is_by_hop(&self) -> bool {
        self.by_hop
    }
}

/// From every router to one, over links that have both directions.
fn distances(network: &Network, to: RouterId) -> Vec<u32> {
    let mut distances = vec![u32::MAX; network.router_count()];
    distances[to.index()] = 0;
    let mut queue = VecDeque::from([to]);
    while let Some(router) = queue.pop_front() {
        for next in network.neighbours(router) {
            if distances[next.router.index()] == u32::MAX {
                distances[next.router.index()] = distances[router.index()] + 1;
                queue.push_back(next.router);
            }
        }
    }
    distances
}

impl Routing for Adaptive<'_> {
    fn virtual_channels(&self) -> Vc {
        self.vcs
    }

    fn start(&self, _: TerminalId, destination: TerminalId) -> Option<Start> {
        Some(Start {
            header: Header::to(destination),
            vcs: VcSet::all(self.vcs),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let target = self.network.router_of(header.destination);
        if at == target {
            return options.push(eject(self.network, header, self.vcs));
        }
        let hop = header.phase;
        let left = |router: RouterId| self.distances[target.index()][router.index()];
        for next in self.network.neighbours(at) {
            if left(next.router) + 1 == left(at) {
                options.push(Hop {
                    port: next.port,
                    vcs: match self.by_hop {
                        true => VcSet::one(hop as Vc),
                        false => VcSet::all(self.vcs),
                    },
                    header: Header {
                        phase: hop + 1,
                        ..header
                    },
                });
            }
        }
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let mut options = Vec::new();
        self.options(at, header, &mut options);
        let used = |hop: &Hop| match self.by_hop {
            true => congestion.occupancy(hop.port, hop.vcs),
            false => congestion.occupancy(hop.port, VcSet::EVERY),
        };
        let least = options.iter().map(used).min()?;
        options.retain(|hop| used(hop) == least);
        Some(options[rng.below(options.len() as u32) as usize])
    }
}
