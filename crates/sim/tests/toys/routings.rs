//! Ways to route packets, as plain as they come.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use turnwise_network::random::Random;
use turnwise_network::{
    ChannelId, Congestion, Header, Hop, Network, Port, RouterId, Routing, Shape, Start, TerminalId,
    Vc, VcSet,
};

pub(super) fn eject(network: &Network, header: Header, vcs: Vc) -> Hop {
    Hop {
        port: network.terminal_port(header.destination),
        vcs: VcSet::all(vcs),
        header,
    }
}

/// Which virtual channels a ring's packets use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Classes {
    /// BookSim's dateline classes.
    Dateline,
    /// All of them, everywhere.
    None,
}

/// Dimension order on a mesh or torus, ties at random.
pub(crate) struct DimensionOrder<'a> {
    pub(crate) network: &'a Network,
    pub(crate) vcs: Vc,
    pub(crate) classes: Classes,
}

impl DimensionOrder<'_> {
    /// `phase` tells which way a packet goes that is under way in a ring.
    fn directions(size: u32, ring: bool, from: u32, to: u32, phase: u8) -> Vec<bool> {
        let forward = (to + size - from) % size;
        match (phase, forward.cmp(&(size - forward))) {
            (1, _) => vec![true],
            (2, _) => vec![false],
            _ if !ring => vec![from < to],
            (_, std::cmp::Ordering::Less) => vec![true],
            (_, std::cmp::Ordering::Greater) => vec![false],
            _ => vec![true, false],
        }
    }
}

impl Routing for DimensionOrder<'_> {
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
        let Shape::Grid(grid) = self.network.shape() else {
            panic!("no grid")
        };
        let target = self.network.router_of(header.destination);
        if at == target {
            return options.push(eject(self.network, header, self.vcs));
        }
        let (here, there) = (grid.coordinates(at.0), grid.coordinates(target.0));
        let dimension = (0..here.len()).find(|&d| here[d] != there[d]).unwrap();
        let (from, to) = (here[dimension], there[dimension]);
        let (size, ring) = (grid.sizes[dimension], grid.is_ring(dimension));
        let underway = header.class as usize == dimension + 1;
        let phase = if underway { header.phase & 3 } else { 0 };
        for positive in Self::directions(size, ring, from, to, phase) {
            let class = match underway {
                true => header.phase >> 2,
                // Up: will it wrap around? Down: will it not?
                false => u8::from(from > to),
            };
            let half = self.vcs / 2;
            let vcs = match (self.classes, class) {
                _ if !ring => VcSet::all(self.vcs),
                (Classes::None, _) => VcSet::all(self.vcs),
                (Classes::Dateline, 0) => VcSet::range(0, half),
                (Classes::Dateline, _) => VcSet::range(half, self.vcs),
            };
            let phase = if positive { 1 } else { 2 } | class << 2;
            let header = Header {
                class: dimension as u16 + 1,
                phase,
                ..header
            };
            options.push(Hop {
                port: grid.port(dimension, positive),
                vcs,
                header,
            });
        }
    }
}

/// One next hop for each (router, destination router), on all virtual channels.
pub(crate) struct NextHop<'a> {
    network: &'a Network,
    vcs: Vc,
    /// By router and destination router.
    ports: Vec<Vec<Port>>,
}

impl<'a> NextHop<'a> {
    /// Shortest paths; on most graphs their dependencies are cyclic.
    pub(crate) fn shortest(network: &'a Network, vcs: Vc) -> Self {
        Self::over(network, vcs, |_| true)
    }

    /// Paths inside one tree of the graph: long, but free of deadlock.
    pub(crate) fn tree(network: &'a Network, vcs: Vc) -> Self {
        let mut parent: Vec<Option<RouterId>> = vec![None; network.router_count()];
        let mut queue = VecDeque::from([RouterId(0)]);
        while let Some(router) = queue.pop_front() {
            for next in network.neighbours(router) {
                if next.router != RouterId(0) && parent[next.router.index()].is_none() {
                    parent[next.router.index()] = Some(router);
                    queue.push_back(next.router);
                }
            }
        }
        Self::over(network, vcs, |channel| {
            let channel = network.channel(channel);
            let (from, to) = (channel.from_router().unwrap(), channel.to_router().unwrap());
            parent[to.index()] == Some(from) || parent[from.index()] == Some(to)
        })
    }

    /// Shortest paths over some of the channels, both directions of a link or neither.
    fn over(network: &'a Network, vcs: Vc, usable: impl Fn(ChannelId) -> bool) -> Self {
        let mut ports = vec![vec![Port::MAX; network.router_count()]; network.router_count()];
        for destination in network.routers() {
            let mut queue = VecDeque::from([destination]);
            while let Some(router) = queue.pop_front() {
                for back in network
                    .neighbours(router)
                    .filter(|back| usable(back.channel))
                {
                    let forward = network.reverse(back.channel).unwrap();
                    let turnwise_network::End::Router(_, port) = network.channel(forward).source
                    else {
                        continue;
                    };
                    let known = &mut ports[back.router.index()][destination.index()];
                    if back.router != destination && *known == Port::MAX {
                        *known = port;
                        queue.push_back(back.router);
                    }
                }
            }
        }
        Self {
            network,
            vcs,
            ports,
        }
    }

    /// The port by which a router's packets to another one leave.
    pub(super) fn port(&self, at: RouterId, to: RouterId) -> Port {
        self.ports[at.index()][to.index()]
    }

    /// The channels a packet crosses.
    pub(crate) fn path(&self, source: TerminalId, destination: TerminalId) -> Vec<ChannelId> {
        let target = self.network.router_of(destination);
        let mut at = self.network.router_of(source);
        let mut path = Vec::new();
        while at != target {
            let port = self.ports[at.index()][target.index()];
            let channel = self.network.out_channel(at, port).unwrap();
            path.push(channel);
            at = self.network.channel(channel).to_router().unwrap();
        }
        path
    }
}

impl Routing for NextHop<'_> {
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
        let port = self.ports[at.index()][target.index()];
        options.push(Hop {
            port,
            vcs: VcSet::all(self.vcs),
            header,
        });
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        let mut options = Vec::new();
        self.options(at, header, &mut options);
        options.pop()
    }
}

/// Lets another algorithm route, and sees in which order packets come to their last router.
pub(crate) struct Witness<'a> {
    inner: Box<dyn Routing + 'a>,
    network_routers: Vec<RouterId>,
    started: AtomicU32,
    /// Numbers of packets as they came, by (source, destination); numbers grow in the order of injection.
    arrived: Mutex<BTreeMap<(u32, u32), Vec<u32>>>,
}

impl<'a> Witness<'a> {
    pub(crate) fn new(network: &Network, inner: Box<dyn Routing + 'a>) -> Self {
        let network_routers = network.terminals().map(|t| network.router_of(t)).collect();
        Self {
            inner,
            network_routers,
            started: AtomicU32::new(0),
            arrived: Mutex::default(),
        }
    }

    /// How many packets came to their last router.
    pub(crate) fn count(&self) -> usize {
        self.arrived.lock().unwrap().values().map(Vec::len).sum()
    }

    /// How many packets of each terminal came to their last router.
    pub(crate) fn arrived_from(&self) -> BTreeMap<u32, usize> {
        let mut by_source = BTreeMap::new();
        for (&(source, _), order) in self.arrived.lock().unwrap().iter() {
            *by_source.entry(source).or_default() += order.len();
        }
        by_source
    }

    /// A pair whose packets overtook each other.
    pub(crate) fn disorder(&self) -> Option<(u32, u32)> {
        let arrived = self.arrived.lock().unwrap();
        arrived
            .iter()
            .find(|(_, order)| !order.is_sorted())
            .map(|(&pair, _)| pair)
    }
}

impl Routing for Witness<'_> {
    fn virtual_channels(&self) -> Vc {
        self.inner.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let start = self.inner.start(source, destination)?;
        // Asked again as long as no virtual channel is free: numbers have gaps, but grow.
        let step = self.started.fetch_add(1, Ordering::Relaxed);
        Some(Start {
            header: Header {
                via: source.0,
                step,
                ..start.header
            },
            ..start
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.inner.options(at, header, options);
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let destination = header.destination;
        if at == self.network_routers[destination.index()] {
            let pair = (header.via, destination.0);
            self.arrived
                .lock()
                .unwrap()
                .entry(pair)
                .or_default()
                .push(header.step);
        }
        self.inner.choose(at, header, congestion, rng)
    }
}
