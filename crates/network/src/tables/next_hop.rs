//! A port for each (router, destination router).

use super::{Ends, both_live, ejection};
use crate::contract::{Congestion, Header, Hop, Routing, Start};
use crate::ids::{Port, RouterId, TerminalId, Vc, VcSet};
use crate::network::Network;
use crate::populated::PopulatedRouters;
use crate::random::Random;
use std::sync::Arc;
use turnwise_config::diagnostic::Invalid;

/// Not known yet.
const NONE: u32 = u32::MAX;

/// Which virtual channels a packet takes at its n-th hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HopClasses {
    /// These, at every hop.
    Single(VcSet),
    /// The first so many, in equal shares for the hops of the longest route, one after the other; the last
    /// of them alone for all hops beyond, if there are fewer than hops. As many as the longest route
    /// has hops make any table free of deadlock.
    ByHop(Vc),
}

/// A port for each (router, destination router).
///
/// `Header::step` counts hops, if classes go by hop.
#[derive(Clone, Debug)]
pub struct NextHopTable {
    network: Arc<Network>,
    destinations: PopulatedRouters,
    ports: Ports,
    longest: u32,
    /// By hop; the last of them at every hop beyond.
    classes: Vec<VcSet>,
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
        let destinations = PopulatedRouters::new(network);
        let (rows, width) = (network.router_count(), destinations.routers.len());
        let radix = network
            .routers()
            .map(|router| network.radix(router))
            .max()
            .unwrap_or(0);
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
        Ok(Self {
            network: network.clone(),
            destinations,
            ports,
            longest,
            classes: vec![VcSet::one(0)],
            total: 1,
        })
    }

    /// The same routes on other virtual channels, of which the router has `total`.
    ///
    /// # Errors
    /// Classes outside of these virtual channels, or none.
    pub fn with_classes(mut self, classes: HopClasses, total: Vc) -> Result<Self, Invalid> {
        let possible = match classes {
            HopClasses::Single(set) => {
                !set.is_empty() && set.0 & !VcSet::all(total.min(VcSet::CAPACITY)).0 == 0
            }
            HopClasses::ByHop(count) => (1..=total).contains(&count),
        };
        if !possible || total > VcSet::CAPACITY {
            return Err(Invalid::new(
                "virtual_channels",
                format!("classes do not fit {total} virtual channels"),
            ));
        }
        self.total = total;
        self.classes = match classes {
            HopClasses::Single(set) => vec![set],
            HopClasses::ByHop(count) => by_hop(count.into(), self.longest.max(1)),
        };
        Ok(self)
    }

    /// Router-to-router channels of the longest route between routers with terminals.
    pub fn longest_route(&self) -> u32 {
        self.longest
    }

    /// The port towards a router with terminals; `None` if there is no route, or at the router itself.
    #[inline]
    pub fn port(&self, at: RouterId, destination: RouterId) -> Option<Port> {
        let entry =
            at.index() * self.destinations.routers.len() + self.destinations.number(destination)?;
        match &self.ports {
            Ports::Narrow(ports) => Some(ports[entry])
                .filter(|&port| port != u8::MAX)
                .map(Port::from),
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
        let (step, last) = (header.step, self.classes.len() as u32 - 1);
        Some(Hop {
            port,
            vcs: self.classes[step.min(last) as usize],
            header: Header {
                step: (step + 1).min(last),
                ..header
            },
        })
    }
}

/// Shares of so many virtual channels for so many hops.
fn by_hop(count: u32, hops: u32) -> Vec<VcSet> {
    let classes = hops.min(count);
    let first = |class: u32| (class * count / classes) as Vc;
    (0..classes)
        .map(|class| VcSet::range(first(class), first(class + 1)))
        .collect()
}

/// Checks the routes to one destination and returns the hops of the longest from a router
/// with terminals. Every router is walked over once.
fn longest_route(
    network: &Network,
    destination: RouterId,
    ports: &[Option<Port>],
) -> Result<u32, Invalid> {
    const WALKING: u32 = NONE - 1;
    let mut hops = vec![NONE; ports.len()];
    hops[destination.index()] = 0;
    let mut walk = Vec::new();
    let mut longest = 0;
    for source in network
        .routers()
        .filter(|source| ports[source.index()].is_some())
    {
        let mut at = source;
        let ends = Ends {
            from: source,
            to: destination,
        };
        while hops[at.index()] == NONE {
            hops[at.index()] = WALKING;
            walk.push(at);
            let port = ports[at.index()];
            let port = port.ok_or_else(|| ends.wrong(format_args!("ends at router {at}")))?;
            at = ends.follow(network, at, port)?;
            if hops[at.index()] == WALKING {
                return Err(ends.wrong("runs in circles"));
            }
        }
        let mut distance = hops[at.index()];
        for router in walk.drain(..).rev() {
            distance += 1;
            hops[router.index()] = distance;
        }
        if network.living_terminals_of(source).next().is_some() {
            longest = longest.max(hops[source.index()]);
        }
    }
    Ok(longest)
}

impl Routing for NextHopTable {
    fn memory_bytes(&self) -> u64 {
        match &self.ports {
            Ports::Narrow(ports) => ports.len() as u64,
            Ports::Wide(ports) => 2 * ports.len() as u64,
        }
    }

    fn virtual_channels(&self) -> Vc {
        self.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let (from, to) = (
            self.network.router_of(source),
            self.network.router_of(destination),
        );
        let routed = from == to || self.port(from, to).is_some();
        (routed && both_live(&self.network, source, destination)).then(|| Start {
            header: Header::to(destination),
            vcs: VcSet::all(self.total),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        options.extend(self.hop(at, header));
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        _: &mut Random,
    ) -> Option<Hop> {
        self.hop(at, header)
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.hop(at, header)
    }

    fn keeps_order(&self) -> bool {
        self.total == 1
    }
}
