//! Routes and virtual channels on a dragonfly are those of BookSim2's routing functions.
//!
//! `min_dragonflynew` and `ugal_dragonflynew` (`dragonfly.cpp`, commit 28f43299) are written down
//! here once more, as they are there, and every route they can take is compared.

use crate::explore::options;
use std::collections::BTreeSet;
use std::sync::Arc;
use turnwise_network::topologies::{Dragonfly, Topology};
use turnwise_network::{Header, Network, Port, RouterId, Routing, TerminalId, Vc, VcSet};
use turnwise_routing::algorithms::{Minimal, Ugal, UgalClasses};
use turnwise_routing::{Algorithm, Context};

/// Routers with the port and the virtual channel a packet leaves them by.
type Route = Vec<(RouterId, Port, Vc)>;

/// `dragonflynew` with parameter k: k terminals and global ports a router, 2k routers a group.
struct Booksim {
    k: u32,
    network: Arc<Network>,
}

impl Booksim {
    fn new(k: u32) -> Self {
        let dragonfly = Dragonfly {
            groups: 2 * k * k + 1,
            routers_per_group: 2 * k,
            terminals_per_router: k,
            global_ports_per_router: Some(k),
            ..Dragonfly::default()
        };
        let network = Arc::new(dragonfly.build(None).unwrap());
        Self { k, network }
    }

    fn group(&self, terminal: u32) -> u32 {
        terminal / (2 * self.k * self.k)
    }

    /// `dragonfly_port`: where the minimal route to a terminal leaves a router.
    fn port(&self, router: u32, terminal: u32) -> u32 {
        let (p, a, h) = (self.k, 2 * self.k, self.k);
        let (group, to_group) = (router / a, self.group(terminal));
        let (index, mut to_index) = (router % a, terminal / p % a);
        if group != to_group {
            let link = if to_group < group {
                to_group
            } else {
                to_group - 1
            };
            to_index = link / h;
            if index == to_index {
                return p + (a - 1) + link % h;
            }
        } else if index == to_index {
            return terminal % p;
        }
        p + if to_index < index {
            to_index
        } else {
            to_index - 1
        }
    }

    /// The route with this `ph` at the source and a new one at every router, before and after its port is known.
    fn route(
        &self,
        source: u32,
        mut ph: Vc,
        before: impl Fn(u32, Vc) -> Vc,
        to: impl Fn(Vc) -> u32,
        after: impl Fn(bool, Vc) -> Vc,
    ) -> Route {
        let mut at = RouterId(source / self.k);
        let mut route = Vec::new();
        loop {
            ph = before(at.0, ph);
            let port = self.port(at.0, to(ph));
            ph = after(port >= self.k + (2 * self.k - 1), ph);
            route.push((at, port as Port, ph));
            match self.network.next_router(at, port as Port) {
                Some(next) => at = next,
                None => return route,
            }
        }
    }

    fn min(&self, source: u32, destination: u32) -> Route {
        let after = |global, ph| if global { 1 } else { ph };
        self.route(source, 0, |_, ph| ph, |_| destination, after)
    }

    /// With random node `intm`, for which the comparison of queues says `minimal` or not.
    fn ugal(&self, source: u32, destination: u32, intm: u32, minimal: bool) -> Route {
        let group = self.group(source);
        let ph = if self.group(destination) == group {
            2
        } else {
            u8::from(self.group(intm) == group || minimal)
        };
        let before = |router, ph| match ph {
            0 if router == intm / self.k => 1,
            ph => ph,
        };
        let to = |ph| if ph == 0 { intm } else { destination };
        let after = |global, ph| if global && ph == 1 { 2 } else { ph };
        self.route(source, ph, before, to, after)
    }
}

/// Every route that is offered; all of them on a single virtual channel each.
fn offered(routing: &dyn Routing, network: &Network, from: u32, to: u32) -> BTreeSet<Route> {
    fn follow(
        (routing, network): (&dyn Routing, &Network),
        (at, header): (RouterId, Header),
        route: &mut Route,
        routes: &mut BTreeSet<Route>,
    ) {
        for hop in options(routing, at, header) {
            let vc = hop.vcs.iter().next().unwrap();
            assert_eq!(hop.vcs, VcSet::one(vc));
            route.push((at, hop.port, vc));
            match network.next_router(at, hop.port) {
                Some(next) => follow((routing, network), (next, hop.header), route, routes),
                None => assert!(routes.insert(route.clone()), "twice: {route:?}"),
            }
            route.pop();
        }
    }
    let start = routing.start(TerminalId(from), TerminalId(to)).unwrap();
    let (at, mut routes) = (network.router_of(TerminalId(from)), BTreeSet::new());
    follow(
        (routing, network),
        (at, start.header),
        &mut Vec::new(),
        &mut routes,
    );
    routes
}

/// Some sources, all destinations.
fn pairs(booksim: &Booksim) -> impl Iterator<Item = (u32, u32)> + use<> {
    let terminals = booksim.network.terminal_count() as u32;
    let sources = (0..terminals).step_by(5);
    sources.flat_map(move |from| (0..terminals).map(move |to| (from, to)))
}

#[test]
fn minimal_routes_are_booksims() {
    for k in [1, 2] {
        let booksim = Booksim::new(k);
        let context = Context {
            router_virtual_channels: Some(3),
            ..Context::default()
        };
        let algorithm = Minimal {
            virtual_channels: Some(2),
            ..Minimal::default()
        };
        let routing = algorithm.build(&booksim.network, &context).unwrap();
        for (from, to) in pairs(&booksim) {
            let routes = offered(&*routing, &booksim.network, from, to);
            assert_eq!(routes, BTreeSet::from([booksim.min(from, to)]));
        }
    }
}

#[test]
fn adaptive_routes_are_booksims() {
    for k in [1, 2] {
        let booksim = Booksim::new(k);
        let algorithm = Ugal {
            classes: UgalClasses::Booksim,
            ..Ugal::default()
        };
        let routing = algorithm
            .build(&booksim.network, &Context::default())
            .unwrap();
        for (from, to) in pairs(&booksim) {
            let intm = 0..booksim.network.terminal_count() as u32;
            let ways = intm.flat_map(|intm| [true, false].map(|minimal| (intm, minimal)));
            let expected: BTreeSet<Route> = ways
                .map(|(intm, minimal)| booksim.ugal(from, to, intm, minimal))
                .collect();
            let routes = offered(&*routing, &booksim.network, from, to);
            assert_eq!(routes, expected, "{from} to {to}");
        }
    }
}
