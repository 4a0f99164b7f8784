//! Which routers a rule can still reach from where, on a network with faults.

use turnwise_network::{Network, Port, RouterId};

/// One bit for each pair of routers: can a packet at the first reach the second?
///
/// Only built for networks with faults; routers squared bits.
#[derive(Clone, Debug)]
pub(crate) struct Survivors {
    words: usize,
    bits: Vec<u64>,
}

impl Survivors {
    /// No router reaches any, not even itself.
    pub(crate) fn none(routers: usize) -> Self {
        let words = routers.div_ceil(64);
        Self {
            words,
            bits: vec![0; routers * words],
        }
    }

    /// What a rule reaches that knows nothing but where it is and where it goes:
    /// `may(at, destination, port)` says whether it may leave `at` by `port`.
    ///
    /// Searches backwards from every destination, O(routers x channels) times the cost of `may`.
    pub(crate) fn of_rule(
        network: &Network,
        may: impl Fn(RouterId, RouterId, Port) -> bool,
    ) -> Self {
        let mut survivors = Self::none(network.router_count());
        let mut queue = Vec::new();
        let arrivals = arrivals(network);
        for destination in network.routers().filter(|&router| network.is_alive(router)) {
            queue.clear();
            queue.push(destination);
            survivors.add(destination, destination);
            while let Some(router) = queue.pop() {
                for &(from, port) in &arrivals[router.index()] {
                    let new = !survivors.reaches(from, destination);
                    if new && from != destination && may(from, destination, port) {
                        survivors.add(from, destination);
                        queue.push(from);
                    }
                }
            }
        }
        survivors
    }

    /// What a rule reaches whose packets go through phases, by phase: `leads(found, at, to, phase)` says whether a packet gets on, given what
    /// nearer routers reach, and those equally far in a phase that comes before in `phases`.
    ///
    /// Asks once for each pair of routers and phase, the nearest by `distance` first.
    pub(crate) fn by_phase(
        network: &Network,
        phases: &[u8],
        distance: impl Fn(RouterId, RouterId) -> u32,
        leads: impl Fn(&[Self], RouterId, RouterId, u8) -> bool,
    ) -> Vec<Self> {
        let mut found = vec![Self::none(network.router_count()); phases.len()];
        for to in network.routers().filter(|&router| network.is_alive(router)) {
            let from = |at| (distance(at, to), at);
            let mut routers: Vec<(u32, RouterId)> = network.routers().map(from).collect();
            routers.sort_unstable();
            for equally_far in routers.chunk_by(|(one, _), (other, _)| one == other) {
                for &phase in phases {
                    for &(_, at) in equally_far {
                        if at == to || leads(&found, at, to, phase) {
                            found[usize::from(phase)].add(at, to);
                        }
                    }
                }
            }
        }
        found
    }

    pub(crate) fn add(&mut self, from: RouterId, to: RouterId) {
        self.bits[from.index() * self.words + to.index() / 64] |= 1 << (to.index() % 64);
    }

    #[inline]
    pub(crate) fn reaches(&self, from: RouterId, to: RouterId) -> bool {
        self.bits[from.index() * self.words + to.index() / 64] >> (to.index() % 64) & 1 == 1
    }
}

/// For every router, the living channels that arrive: where from, and the port they leave by.
fn arrivals(network: &Network) -> Vec<Vec<(RouterId, Port)>> {
    let mut arrivals = vec![Vec::new(); network.router_count()];
    for router in network.routers() {
        for neighbour in network.neighbours(router) {
            arrivals[neighbour.router.index()].push((router, neighbour.port));
        }
    }
    arrivals
}
