//! Routing tables: fixed routes in flat arrays.
//!
//! * [`NextHopTable`]: a port for each (router, destination router), as in forwarding tables of
//!   switches. One or two bytes an entry, so routers times destination routers bytes.
//! * [`PathTable`]: a whole route with its virtual channels for each (source router,
//!   destination router). Three bytes a hop in one arena, and four bytes a pair.
//!
//! Only routers with terminals are destinations (and sources of routes); others cost nothing.
//! Both check their routes when they are built: every hop is a living channel, every route ends
//! where it should.

use crate::diagnostic::Invalid;
use crate::ids::{Port, RouterId, TerminalId, Vc, VcSet};
use crate::network::Network;
use crate::random::Random;
use crate::routing::{Congestion, Header, Hop, Routing, Start};
use std::sync::Arc;

const NONE: u32 = u32::MAX;

/// The routers with terminals, numbered without gaps.
#[derive(Clone, Debug)]
struct Destinations {
    columns: Vec<u32>,
    routers: Vec<RouterId>,
}

impl Destinations {
    fn new(network: &Network) -> Self {
        let has_terminals = |router: &RouterId| !network.terminals_of(*router).is_empty();
        let living = |router: &RouterId| network.is_alive(*router) && has_terminals(router);
        let routers: Vec<RouterId> = network.routers().filter(living).collect();
        let mut columns = vec![NONE; network.router_count()];
        for (column, router) in (0..).zip(&routers) {
            columns[router.index()] = column;
        }
        Self { columns, routers }
    }

    fn column(&self, router: RouterId) -> Option<usize> {
        let column = self.columns[router.index()];
        (column != NONE).then_some(column as usize)
    }
}

/// Which virtual channels a packet takes at its n-th hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HopClasses {
    /// These, at every hop.
    Single(VcSet),
    /// Number n, counted from 0, and the last of so many at every hop beyond; as many as the
    /// longest route has hops make any table free of deadlock.
    ByHop(Vc),
}

/// A port for each (router, destination router).
///
/// `Header::step` counts hops, if classes go by hop.
#[derive(Clone, Debug)]
pub struct NextHopTable {
    network: Arc<Network>,
    destinations: Destinations,
    ports: Ports,
    longest: u32,
    classes: HopClasses,
    total: Vc,
}

/// Row by router, column by destination; the highest number means no route.
#[derive(Clone, Debug)]
enum Ports {
    Narrow(Vec<u8>),
    Wide(Vec<u16>),
}

impl NextHopTable {
    /// Asks `routes` for the ports to each destination router in turn, which it writes into
    /// an array by router that is all `None` at first.
    ///
    /// All hops take the only virtual channel, see [`with_classes`](Self::with_classes).
    /// O(routers x destination routers) time and memory.
    ///
    /// # Errors
    /// A port that leads to no living router, routes that end elsewhere or run in circles.
    pub fn new(
        network: &Arc<Network>,
        mut routes: impl FnMut(RouterId, &mut [Option<Port>]),
    ) -> Result<Self, Invalid> {
        let destinations = Destinations::new(network);
        let (rows, width) = (network.router_count(), destinations.routers.len());
        let radix = network.routers().map(|router| network.radix(router)).max().unwrap_or(0);
        let mut ports = match radix < usize::from(u8::MAX) {
            true => Ports::Narrow(vec![u8::MAX; rows * width]),
            false => Ports::Wide(vec![u16::MAX; rows * width]),
        };
        let (mut longest, mut column) = (0, vec![None; rows]);
        for (index, &destination) in destinations.routers.iter().enumerate() {
            column.fill(None);
            routes(destination, &mut column);
            longest = longest.max(longest_route(network, destination, &column)?);
            for (row, port) in column.iter().enumerate() {
                match (&mut ports, *port) {
                    (_, None) => {}
                    (Ports::Narrow(ports), Some(port)) => ports[row * width + index] = port as u8,
                    (Ports::Wide(ports), Some(port)) => ports[row * width + index] = port,
                }
            }
        }
        let classes = HopClasses::Single(VcSet::one(0));
        Ok(Self { network: network.clone(), destinations, ports, longest, classes, total: 1 })
    }

    /// The same routes on other virtual channels, of which the router has `total`.
    ///
    /// # Errors
    /// Classes outside of these virtual channels, or none.
    pub fn with_classes(mut self, classes: HopClasses, total: Vc) -> Result<Self, Invalid> {
        let possible = match classes {
            HopClasses::Single(set) => !set.is_empty() && set.0 & !VcSet::all(total.min(VcSet::CAPACITY)).0 == 0,
            HopClasses::ByHop(count) => (1..=total).contains(&count),
        };
        if !possible || total > VcSet::CAPACITY {
            return Err(Invalid::new("virtual_channels", format!("classes do not fit {total} virtual channels")));
        }
        (self.classes, self.total) = (classes, total);
        Ok(self)
    }

    /// Router-to-router channels of the longest route between routers with terminals.
    pub fn longest_route(&self) -> u32 {
        self.longest
    }

    /// The port towards a router with terminals; `None` if there is no route, or at the router itself.
    #[inline]
    pub fn port(&self, at: RouterId, destination: RouterId) -> Option<Port> {
        let entry = at.index() * self.destinations.routers.len() + self.destinations.column(destination)?;
        match &self.ports {
            Ports::Narrow(ports) => Some(ports[entry]).filter(|&port| port != u8::MAX).map(Port::from),
            Ports::Wide(ports) => Some(ports[entry]).filter(|&port| port != u16::MAX),
        }
    }

    #[inline]
    fn hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let destination = self.network.router_of(header.destination);
        if at == destination {
            return Some(ejection(&self.network, header, self.total));
        }
        let port = self.port(at, destination)?;
        match self.classes {
            HopClasses::Single(vcs) => Some(Hop { port, vcs, header }),
            HopClasses::ByHop(count) => {
                let (step, last) = (header.step, u32::from(count) - 1);
                let vcs = VcSet::one(step.min(last) as Vc);
                Some(Hop { port, vcs, header: Header { step: (step + 1).min(last), ..header } })
            }
        }
    }
}

/// Checks the routes to one destination and returns the hops of the longest from a router
/// with terminals. Every router is walked over once.
fn longest_route(network: &Network, destination: RouterId, ports: &[Option<Port>]) -> Result<u32, Invalid> {
    const WALKING: u32 = NONE - 1;
    let mut hops = vec![NONE; ports.len()];
    hops[destination.index()] = 0;
    let mut walk = Vec::new();
    let mut longest = 0;
    for source in network.routers().filter(|source| ports[source.index()].is_some()) {
        let mut at = source;
        while hops[at.index()] == NONE {
            hops[at.index()] = WALKING;
            walk.push(at);
            let wrong = |what: &str| Invalid::new("", format!("the route from router {source} to router {destination} {what}"));
            let port = ports[at.index()].ok_or_else(|| wrong(&format!("ends at router {at}")))?;
            let next = network.next_router(at, port);
            at = next.ok_or_else(|| wrong(&format!("leaves router {at} by port {port}, which leads nowhere")))?;
            if hops[at.index()] == WALKING {
                return Err(wrong("runs in circles"));
            }
        }
        let mut distance = hops[at.index()];
        for router in walk.drain(..).rev() {
            distance += 1;
            hops[router.index()] = distance;
        }
        if !network.terminals_of(source).is_empty() {
            longest = longest.max(hops[source.index()]);
        }
    }
    Ok(longest)
}

fn ejection(network: &Network, header: Header, total: Vc) -> Hop {
    Hop { port: network.terminal_port(header.destination), vcs: VcSet::all(total), header }
}

impl Routing for NextHopTable {
    fn virtual_channels(&self) -> Vc {
        self.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let (from, to) = (self.network.router_of(source), self.network.router_of(destination));
        let routed = if from == to { self.network.is_alive(to) } else { self.port(from, to).is_some() };
        routed.then(|| Start { header: Header::to(destination), vcs: VcSet::all(self.total) })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        options.extend(self.hop(at, header));
    }

    fn choose(&self, at: RouterId, header: Header, _: &dyn Congestion, _: &mut Random) -> Option<Hop> {
        self.hop(at, header)
    }

    fn keeps_order(&self) -> bool {
        self.total == 1
    }
}

/// A whole route for each (source router, destination router).
///
/// `Header::via` is where the next hop stands in the arena.
#[derive(Clone, Debug)]
pub struct PathTable {
    network: Arc<Network>,
    sources: Destinations,
    /// Where the route of a pair begins; it ends where the next begins.
    offsets: Vec<u32>,
    ports: Vec<Port>,
    vcs: Vec<Vc>,
    total: Vc,
}

impl PathTable {
    /// Asks `route` for the hops of every ordered pair of different routers with terminals,
    /// which it appends to an empty list; none means that the pair is not routed.
    ///
    /// O(sum of route lengths) time and memory.
    ///
    /// # Errors
    /// A hop that leads to no living router, a route that ends elsewhere or meets its
    /// destination twice, a virtual channel at or above `virtual_channels`, an arena of 2^32 hops.
    pub fn new(
        network: &Arc<Network>,
        virtual_channels: Vc,
        mut route: impl FnMut(RouterId, RouterId, &mut Vec<(Port, Vc)>),
    ) -> Result<Self, Invalid> {
        if virtual_channels == 0 || virtual_channels > VcSet::CAPACITY {
            let message = format!("expected 1 to {} virtual channels, found {virtual_channels}", VcSet::CAPACITY);
            return Err(Invalid::new("virtual_channels", message));
        }
        let sources = Destinations::new(network);
        let (mut offsets, mut ports, mut vcs) = (vec![0], Vec::new(), Vec::new());
        let mut hops = Vec::new();
        for &from in &sources.routers {
            for &to in &sources.routers {
                hops.clear();
                if from != to {
                    route(from, to, &mut hops);
                }
                check_route(network, (from, to), &hops, virtual_channels)?;
                ports.extend(hops.iter().map(|&(port, _)| port));
                vcs.extend(hops.iter().map(|&(_, vc)| vc));
                let end = u32::try_from(ports.len());
                offsets.push(end.map_err(|_| Invalid::new("", "the routes have more than 2^32 hops together"))?);
            }
        }
        Ok(Self { network: network.clone(), sources, offsets, ports, vcs, total: virtual_channels })
    }

    /// The hops of a pair's route; empty if it is not routed, or from a router to itself.
    pub fn route(&self, from: RouterId, to: RouterId) -> impl ExactSizeIterator<Item = (Port, Vc)> {
        let hops = self.range(from, to).unwrap_or_default();
        hops.map(|hop| (self.ports[hop], self.vcs[hop]))
    }

    fn range(&self, from: RouterId, to: RouterId) -> Option<std::ops::Range<usize>> {
        let (row, column) = (self.sources.column(from)?, self.sources.column(to)?);
        let pair = row * self.sources.routers.len() + column;
        Some(self.offsets[pair] as usize..self.offsets[pair + 1] as usize)
    }

    #[inline]
    fn hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let destination = self.network.router_of(header.destination);
        if at == destination {
            return Some(ejection(&self.network, header, self.total));
        }
        let hop = header.via as usize;
        let (&port, &vc) = (self.ports.get(hop)?, self.vcs.get(hop)?);
        // Forget the place at the end, so that all routes arrive in the same state.
        let last = self.network.next_router(at, port)? == destination;
        let via = if last { 0 } else { header.via + 1 };
        Some(Hop { port, vcs: VcSet::one(vc), header: Header { via, ..header } })
    }
}

fn check_route(
    network: &Network,
    (from, to): (RouterId, RouterId),
    hops: &[(Port, Vc)],
    virtual_channels: Vc,
) -> Result<(), Invalid> {
    let wrong = |what: String| Err(Invalid::new("", format!("the route from router {from} to router {to} {what}")));
    let mut at = from;
    for (index, &(port, vc)) in hops.iter().enumerate() {
        if vc >= virtual_channels {
            return wrong(format!("takes virtual channel {vc} of {virtual_channels}"));
        }
        match network.next_router(at, port) {
            None => return wrong(format!("leaves router {at} by port {port}, which leads nowhere")),
            Some(next) if next == to && index + 1 < hops.len() => return wrong("goes on behind its end".into()),
            Some(next) => at = next,
        }
    }
    if hops.is_empty() || at == to { Ok(()) } else { wrong(format!("ends at router {at}")) }
}

impl Routing for PathTable {
    fn virtual_channels(&self) -> Vc {
        self.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let (from, to) = (self.network.router_of(source), self.network.router_of(destination));
        let range = self.range(from, to)?;
        let via = if from == to { 0 } else { range.start as u32 };
        let header = Header { via, ..Header::to(destination) };
        (from == to || !range.is_empty()).then(|| Start { header, vcs: VcSet::all(self.total) })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        options.extend(self.hop(at, header));
    }

    fn choose(&self, at: RouterId, header: Header, _: &dyn Congestion, _: &mut Random) -> Option<Hop> {
        self.hop(at, header)
    }

    fn keeps_order(&self) -> bool {
        self.total == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Faults;
    use crate::topologies::{Topology, Torus};

    /// A ring of four; port 1 leads up, port 2 down.
    fn ring() -> Arc<Network> {
        Arc::new(Torus { sizes: vec![4], ..Torus::default() }.build(None).unwrap())
    }

    fn upwards(destination: RouterId, ports: &mut [Option<Port>]) {
        ports.fill(Some(1));
        ports[destination.index()] = None;
    }

    fn walk(routing: &dyn Routing, network: &Network, from: u32, to: u32) -> Vec<(u32, u32)> {
        let (mut at, mut walk) = (RouterId(from), Vec::new());
        let mut header = routing.start(TerminalId(from), TerminalId(to)).unwrap().header;
        loop {
            let mut options = Vec::new();
            routing.options(at, header, &mut options);
            header = options[0].header;
            let Some(next) = network.next_router(at, options[0].port) else { return walk };
            walk.push((next.0, options[0].vcs.0));
            at = next;
        }
    }

    #[test]
    fn next_hops_count_their_classes() {
        let network = ring();
        let table = NextHopTable::new(&network, upwards).unwrap();
        assert_eq!(table.longest_route(), 3);
        assert_eq!(walk(&table, &network, 3, 2), [(0, 1), (1, 1), (2, 1)]);
        let table = table.with_classes(HopClasses::ByHop(2), 4).unwrap();
        assert_eq!(walk(&table, &network, 3, 2), [(0, 1), (1, 2), (2, 2)]);
        assert!(walk(&table, &network, 3, 3).is_empty());
        assert_eq!(table.virtual_channels(), 4);
        assert!(table.clone().with_classes(HopClasses::ByHop(5), 4).is_err());
        assert!(table.with_classes(HopClasses::Single(VcSet::one(4)), 4).is_err());
    }

    #[test]
    fn wrong_next_hops_are_refused() {
        let message = |port: fn(RouterId, RouterId) -> Option<Port>| {
            let fill = |to, ports: &mut [Option<Port>]| {
                for (at, slot) in ports.iter_mut().enumerate() {
                    *slot = port(RouterId::from(at), to);
                }
            };
            NextHopTable::new(&ring(), fill).unwrap_err().message
        };
        assert!(message(|_, _| Some(9)).contains("by port 9, which leads nowhere"));
        assert!(message(|at, to| (at.0 == 1 && to.0 == 0).then_some(1)).contains("ends at router 2"));
        let circle = message(|at, to| (to.0 == 0 && at != to).then_some(1 + (at.0 as Port + 1) % 2));
        assert!(circle.contains("runs in circles"), "{circle}");
    }

    #[test]
    fn paths_are_followed_and_checked() {
        let network = ring();
        let up = |from: RouterId, to: RouterId, hops: &mut Vec<(Port, Vc)>| {
            let length = (to.0 + 4 - from.0) % 4;
            hops.extend((0..length).map(|hop| (1, (hop % 2) as Vc)));
        };
        let table = PathTable::new(&network, 2, up).unwrap();
        assert_eq!(walk(&table, &network, 2, 1), [(3, 1), (0, 2), (1, 1)]);
        assert_eq!(table.route(RouterId(2), RouterId(1)).len(), 3);
        let refused = |hops: &'static [(Port, Vc)]| {
            let table = PathTable::new(&network, 2, |_, _, list| list.extend(hops));
            table.unwrap_err().message
        };
        assert!(refused(&[(1, 2)]).contains("virtual channel 2 of 2"));
        assert!(refused(&[(7, 0)]).contains("leads nowhere"));
        assert!(refused(&[(1, 0), (1, 0)]).contains("goes on behind its end"));
        assert!(PathTable::new(&network, 0, up).is_err());
    }

    #[test]
    fn unrouted_and_dead_pairs_do_not_start() {
        let dead = Faults { routers: vec![2], ..Faults::default() };
        let network = Arc::new(ring().without(&dead).unwrap());
        let table = NextHopTable::new(&network, |_, _| ()).unwrap();
        assert!(table.start(TerminalId(0), TerminalId(0)).is_some());
        assert!(table.start(TerminalId(0), TerminalId(1)).is_none());
        assert!(table.start(TerminalId(2), TerminalId(2)).is_none());
        let table = PathTable::new(&network, 1, |_, _, _| ()).unwrap();
        assert!(table.start(TerminalId(0), TerminalId(0)).is_some());
        assert!(table.start(TerminalId(0), TerminalId(1)).is_none());
        assert!(table.start(TerminalId(2), TerminalId(2)).is_none());
    }
}
