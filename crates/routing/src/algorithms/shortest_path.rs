//! Shortest paths on any network: one for each router and destination router.
//!
//! Where several next hops are equally near to the destination, `ties` decides. `"balanced"`
//! goes through the destinations in order, and for each from its nearest routers outwards,
//! and takes the way on which the most loaded channel carries fewest routes so far (then the one with the smallest
//! sum, then the lowest port); `"first"` takes the lowest port; `"random"` draws from the
//! study's seed. Whatever is connected is routed.
//!
//! **Classes.** The virtual channel is the number of the hop, so that dependencies only ever
//! increase: free of deadlock with as many as the longest route has hops, which is
//! the default (at most 32). With fewer, hops beyond share the last one; with
//! `virtual_channels = 1` this is plain shortest-path routing, which deadlocks on most networks with cycles.
//!
//! Source: Dijkstra, "A note on two problems in connexion with graphs", 1959; Günther, "Prevention
//! of deadlocks in packet-switched data transport systems", IEEE Trans. Communications 29(4),
//! 1981 (classes by hop); balancing as in Hoefler, Schneider, Lumsdaine, "Optimized routing for
//! large-scale InfiniBand networks", HOTI 2009.
//!
//! Complexity: O(destination routers x channels) to build, times the diameter if balanced; O(1)
//! a hop; one or two bytes for each router and destination router.
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::TerminalId;
//! use turnwise_network::topologies::{Topology, Torus};
//! use turnwise_routing::algorithms::ShortestPath;
//! use turnwise_routing::{Algorithm, Context};
//!
//! let torus = Arc::new(Torus { sizes: vec![5, 5], ..Torus::default() }.build(None)?);
//! let routing = ShortestPath::default().build(&torus, &Context::default())?;
//! assert_eq!(routing.virtual_channels(), 4);
//! assert!(routing.start(TerminalId(0), TerminalId(12)).is_some());
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::algorithm::{Algorithm, Context};
use crate::draw;
use crate::lanes::Lanes;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::registry::{Entry, parse_as, schema_of};
use turnwise_network::tables::{HopClasses, NextHopTable};
use turnwise_network::{
    ChannelId, Invalid, Neighbour, Network, Port, RouterId, Routing, Shape, Vc, VcSet,
};

pub(super) const ENTRY: Entry<dyn Algorithm> = Entry {
    name: NAME,
    aliases: &["min-hop"],
    summary: "Any network: one shortest path for each pair of routers, classes by hop",
    source: "Dijkstra 1959; Günther, Prevention of deadlocks in packet-switched data transport systems, 1981",
    example: "ties = \"balanced\"",
    schema: schema_of::<ShortestPath>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<ShortestPath, dyn Algorithm>(
            table, errors,
        )?))
    },
};

const NAME: &str = "shortest-path";

/// Parameters of shortest-path routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ShortestPath {
    /// Which of several equally near next hops to take.
    pub ties: TieBreak,
    /// Virtual channels to spread the hops over: by default as many as the longest route has hops.
    pub virtual_channels: Option<Vc>,
}

/// Which of several equally near next hops to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TieBreak {
    /// The one on whose way the most loaded channel carries fewest routes so far.
    #[default]
    Balanced,
    /// The one at the lowest port.
    First,
    /// A random one for each router and destination.
    Random,
}

impl Algorithm for ShortestPath {
    fn fits(&self, _: &Shape) -> bool {
        true
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let mut search = Search::new(network, self.ties, context.seed);
        let table = NextHopTable::new(network, |destination, ports| {
            search.routes(destination, ports)
        })?;
        let hops = table.longest_route().clamp(1, VcSet::CAPACITY.into()) as Vc;
        let lanes = Lanes::new(NAME, self.virtual_channels, hops, context)?;
        Ok(Box::new(table.with_classes(
            HopClasses::ByHop(lanes.used),
            lanes.total,
        )?))
    }
}

/// Breadth-first search backwards from destinations.
struct Search<'a> {
    network: &'a Network,
    ties: TieBreak,
    seed: u64,
    /// Routes over each channel so far.
    loads: Vec<u64>,
    distance: Vec<u32>,
    /// Routers in the order they were found, the nearest first.
    queue: Vec<RouterId>,
    /// The channel each router takes to the destination, and where to, once it is chosen.
    next: Vec<(ChannelId, RouterId)>,
}

const FAR: u32 = u32::MAX;

impl<'a> Search<'a> {
    fn new(network: &'a Network, ties: TieBreak, seed: u64) -> Self {
        let routers = network.router_count();
        Self {
            network,
            ties,
            seed,
            loads: vec![0; network.channel_count()],
            distance: vec![FAR; routers],
            queue: Vec::with_capacity(routers),
            next: vec![(ChannelId(0), RouterId(0)); routers],
        }
    }

    fn routes(&mut self, destination: RouterId, ports: &mut [Option<Port>]) {
        self.search(destination);
        let network = self.network;
        let weight = network.living_terminals_of(destination).count() as u64;
        for index in 1..self.queue.len() {
            let router = self.queue[index];
            let candidates = || {
                network
                    .neighbours(router)
                    .filter(|n| self.is_nearer(n.router, router))
            };
            let count = candidates().count() as u32;
            let chosen = match self.ties {
                TieBreak::Balanced if count > 1 => candidates().min_by_key(|n| self.load(n)),
                TieBreak::Balanced | TieBreak::First => candidates().next(),
                TieBreak::Random => {
                    let mut dice =
                        Random::new(self.seed, Purpose::Permutation, router.0, destination.0);
                    candidates().nth(draw::below(count, &mut dice) as usize)
                }
            };
            let Some(chosen) = chosen else { continue };
            ports[router.index()] = Some(chosen.port);
            self.next[router.index()] = (chosen.channel, chosen.router);
            if self.ties == TieBreak::Balanced {
                let senders = network.living_terminals_of(router).count() as u64;
                let routes = weight * senders;
                self.add(router, destination, routes);
            }
        }
    }

    fn is_nearer(&self, next: RouterId, router: RouterId) -> bool {
        self.distance[next.index()].checked_add(1) == Some(self.distance[router.index()])
    }

    /// The greatest load, and the sum of loads, of the channels from a neighbour's on.
    fn load(&self, first: &Neighbour) -> (u64, u64) {
        let load = self.loads[first.channel.index()];
        let (mut greatest, mut sum, mut at) = (load, load, first.router);
        while self.distance[at.index()] > 0 {
            let (channel, next) = self.next[at.index()];
            let load = self.loads[channel.index()];
            (greatest, sum, at) = (greatest.max(load), sum + load, next);
        }
        (greatest, sum)
    }

    /// Counts so many routes from a router to the destination.
    fn add(&mut self, from: RouterId, destination: RouterId, routes: u64) {
        let mut at = from;
        while at != destination {
            let (channel, next) = self.next[at.index()];
            self.loads[channel.index()] += routes;
            at = next;
        }
    }

    /// Distances to the destination along living channels, which may be one-way.
    fn search(&mut self, destination: RouterId) {
        let network = self.network;
        self.distance.fill(FAR);
        self.queue.clear();
        self.distance[destination.index()] = 0;
        self.queue.push(destination);
        let mut next = 0;
        while let Some(&router) = self.queue.get(next) {
            next += 1;
            let further = self.distance[router.index()] + 1;
            for port in 0..network.radix(router) {
                let channel = network.in_channel(router, port as Port);
                let from = channel.and_then(|channel| network.channel(channel).from_router());
                let Some(from) = from else { continue };
                if self.distance[from.index()] == FAR {
                    self.distance[from.index()] = further;
                    self.queue.push(from);
                }
            }
        }
    }
}
