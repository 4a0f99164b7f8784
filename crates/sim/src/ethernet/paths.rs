//! The ways of notifications: shortest ones, the same from everywhere to a terminal.
//!
//! Of several ports towards a terminal the one is taken that its number modulo how many there are says: in a fat tree that is
//! d-mod-k. What leads to a terminal is worked out when it is first notified.

use super::frames::NOWHERE;
use turnwise_network::{Network, Port, RouterId, TerminalId};

/// Ways to those terminals that have been notified.
pub(super) struct Paths {
    /// By terminal, the place of its ways in `ports`.
    places: Vec<u32>,
    /// By place and router.
    ports: Vec<Port>,
    routers: usize,
}

/// No port leads there.
const NONE: Port = Port::MAX;

impl Paths {
    pub(super) fn new(network: &Network) -> Self {
        Self {
            places: vec![NOWHERE; network.terminal_count()],
            ports: Vec::new(),
            routers: network.router_count(),
        }
    }

    /// The port of a router that leads to a terminal.
    pub(super) fn port(&mut self, network: &Network, at: RouterId, to: TerminalId) -> Option<Port> {
        if self.places[to.index()] == NOWHERE {
            self.places[to.index()] = (self.ports.len() / self.routers.max(1)) as u32;
            self.ports.extend(ways(network, to));
        }
        let place = self.places[to.index()] as usize;
        let port = self.ports[place * self.routers + at.index()];
        (port != NONE).then_some(port)
    }
}

/// By router, the port that leads to a terminal.
fn ways(network: &Network, to: TerminalId) -> Vec<Port> {
    let last = network.router_of(to);
    let mut distances = vec![u32::MAX; network.router_count()];
    distances[last.index()] = 0;
    let mut ring = vec![last];
    while !ring.is_empty() {
        let mut next = Vec::new();
        for router in ring {
            let distance = distances[router.index()] + 1;
            // Links of Ethernet lead both ways, so what is behind is before as well.
            for neighbour in network.neighbours(router) {
                let known = &mut distances[neighbour.router.index()];
                if *known == u32::MAX {
                    *known = distance;
                    next.push(neighbour.router);
                }
            }
        }
        ring = next;
    }
    let way = |router: RouterId| {
        if router == last {
            return network.terminal_port(to);
        }
        let here = distances[router.index()];
        let nearer = network
            .neighbours(router)
            .filter(|neighbour| distances[neighbour.router.index()] < here);
        let ports: Vec<Port> = nearer.map(|neighbour| neighbour.port).collect();
        match ports.len() {
            0 => NONE,
            several => ports[to.index() % several],
        }
    };
    network.routers().map(way).collect()
}
