//! Shortest paths on any network: one for each router and destination router.
//!
//! **Metric.** `metric = "hops"` counts channels. `"latency"` adds up their latencies, and takes the
//! fewest channels among routes that are equally quick.
//!
//! **Ties.** Where several next hops are equally near to the destination, `ties` decides. `"balanced"`
//! goes through the destinations in order, and for each from its nearest routers outwards,
//! and takes the way on which the most loaded channel carries fewest routes so far (then the one with the smallest
//! sum, then the lowest port); `"first"` takes the lowest port; `"random"` draws from the
//! study's seed. Whatever is connected is routed.
//!
//! **Classes.** With `classes = "by-hop"`, the default, the virtual channels are dealt out to the hops of
//! the longest route in equal shares, one after the other, so that dependencies only ever
//! increase: free of deadlock with as many as the longest route has hops, which is what is used
//! if the router does not say (at most 32). With fewer, hops beyond share the last one. With
//! `classes = "none"` every hop takes all of them: plain shortest-path routing, which can deadlock
//! on most networks with cycles.
//!
//! Source: Dijkstra, "A note on two problems in connexion with graphs", 1959; Günther, "Prevention
//! of deadlocks in packet-switched data transport systems", IEEE Trans. Communications 29(4),
//! 1981 (classes by hop); balancing as in Hoefler, Schneider, Lumsdaine, "Optimized routing for
//! large-scale InfiniBand networks", HOTI 2009.
//!
//! Complexity: O(destination routers x channels) to build, times the diameter if balanced, times
//! the logarithm of the routers if by latency; O(1) a hop; one or two bytes for each router and destination router.
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

use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use crate::common::draw;
use crate::common::vc_plan::VcPlan;
use schemars::JsonSchema;
use serde::Deserialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::tables::{HopClasses, NextHopTable};
use turnwise_network::{
    ChannelId, Invalid, Neighbour, Network, Port, RouterId, Routing, Shape, Vc, VcSet,
};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["min-hop"],
        summary: "Any network: one shortest path for each pair of routers",
        source: "Dijkstra 1959; Günther, Prevention of deadlocks in packet-switched data transport systems, 1981",
        example: "metric = \"latency\"\nties = \"balanced\"\nclasses = \"by-hop\"",
        schema: schema_of::<ShortestPath>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<ShortestPath, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |_| true,
};

const NAME: &str = "shortest-path";

/// Parameters of shortest-path routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ShortestPath {
    /// Which of several equally near next hops to take.
    pub ties: TieBreak,
    /// What makes a path short.
    pub metric: Metric,
    /// Which virtual channels a packet takes at its n-th hop.
    pub classes: PathClasses,
    /// Virtual channels to use: by default all the router has, or else as many as the longest route has
    /// hops, and 1 without classes.
    pub virtual_channels: Option<Vc>,
}

/// What makes a path short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Few channels.
    #[default]
    Hops,
    /// A small sum of the channels' latencies.
    Latency,
}

/// Which virtual channels a packet takes at its n-th hop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PathClasses {
    /// The n-th of as many equal shares as the longest route has hops.
    #[default]
    ByHop,
    /// All of them.
    None,
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
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::EveryRoute
    }

    fn is_free_of_deadlock(&self, _: &Shape) -> bool {
        self.classes != PathClasses::None
    }

    fn table_bytes(&self, network: &Network) -> u64 {
        // Two bytes where routers have many ports.
        2 * (network.router_count() as u64).pow(2)
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let mut search = Search::new(network, self, context.seed);
        let table = NextHopTable::new(network, |destination, ports| {
            search.routes(destination, ports)
        })?;
        let needed = match self.classes {
            PathClasses::ByHop => table.longest_route().clamp(1, VcSet::CAPACITY.into()) as Vc,
            PathClasses::None => 1,
        };
        let plan = VcPlan::new(NAME, self.virtual_channels, needed, context)?;
        let classes = match self.classes {
            PathClasses::ByHop => HopClasses::ByHop(plan.used),
            PathClasses::None => HopClasses::Single(plan.every_class()),
        };
        Ok(Box::new(table.with_classes(classes, plan.total)?))
    }
}

/// Search backwards from destinations, the nearest routers first.
struct Search<'a> {
    network: &'a Network,
    ties: TieBreak,
    metric: Metric,
    seed: u64,
    /// Routes over each channel so far.
    loads: Vec<u64>,
    /// Latency, if that counts, in the upper half, and hops.
    distance: Vec<u64>,
    /// Routers in the order they were found, the nearest first.
    queue: Vec<RouterId>,
    /// The channel each router takes to the destination, and where to, once it is chosen.
    next: Vec<(ChannelId, RouterId)>,
}

const FAR: u64 = u64::MAX;

impl<'a> Search<'a> {
    fn new(network: &'a Network, parameters: &ShortestPath, seed: u64) -> Self {
        let routers = network.router_count();
        Self {
            network,
            ties: parameters.ties,
            metric: parameters.metric,
            seed,
            loads: vec![0; network.channel_count()],
            distance: vec![FAR; routers],
            queue: Vec::with_capacity(routers),
            next: vec![(ChannelId(0), RouterId(0)); routers],
        }
    }

    fn routes(&mut self, destination: RouterId, ports: &mut [Option<Port>]) {
        match self.metric {
            Metric::Hops => self.search(destination),
            Metric::Latency => self.search_by_latency(destination),
        }
        let network = self.network;
        let weight = network.living_terminals_of(destination).count() as u64;
        for index in 1..self.queue.len() {
            let router = self.queue[index];
            let candidates = || {
                network
                    .neighbours(router)
                    .filter(|n| self.is_nearer(n, router))
            };
            let count = candidates().count() as u32;
            let chosen = match self.ties {
                TieBreak::Balanced if count > 1 => candidates().min_by_key(|n| self.load(n)),
                TieBreak::Balanced | TieBreak::First => candidates().next(),
                TieBreak::Random => {
                    let mut rng =
                        Random::new(self.seed, Purpose::Permutation, router.0, destination.0);
                    candidates().nth(draw::below(count, &mut rng) as usize)
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

    /// What a channel adds to the distance.
    fn length(&self, channel: ChannelId) -> u64 {
        match self.metric {
            Metric::Hops => 1,
            Metric::Latency => u64::from(self.network.channel(channel).latency) << 32 | 1,
        }
    }

    fn is_nearer(&self, next: &Neighbour, router: RouterId) -> bool {
        let onward = self.distance[next.router.index()];
        onward.checked_add(self.length(next.channel)) == Some(self.distance[router.index()])
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

    /// Distances in hops to the destination along living channels, which may be one-way.
    fn search(&mut self, destination: RouterId) {
        self.begin(destination);
        self.queue.push(destination);
        let mut next = 0;
        while let Some(&router) = self.queue.get(next) {
            next += 1;
            for (from, channel) in arrivals(self.network, router) {
                if self.distance[from.index()] == FAR {
                    self.distance[from.index()] =
                        self.distance[router.index()] + self.length(channel);
                    self.queue.push(from);
                }
            }
        }
    }

    /// Distances in latency (Dijkstra).
    fn search_by_latency(&mut self, destination: RouterId) {
        self.begin(destination);
        let mut near = BinaryHeap::from([Reverse((0, destination.0))]);
        while let Some(Reverse((distance, router))) = near.pop() {
            let router = RouterId(router);
            if distance > self.distance[router.index()] {
                continue;
            }
            self.queue.push(router);
            for (from, channel) in arrivals(self.network, router) {
                let further = distance + self.length(channel);
                if further < self.distance[from.index()] {
                    self.distance[from.index()] = further;
                    near.push(Reverse((further, from.0)));
                }
            }
        }
    }

    fn begin(&mut self, destination: RouterId) {
        self.distance.fill(FAR);
        self.queue.clear();
        self.distance[destination.index()] = 0;
    }
}

/// The living channels that arrive at a router, and where they come from.
fn arrivals(network: &Network, router: RouterId) -> impl Iterator<Item = (RouterId, ChannelId)> {
    let channels =
        (0..network.radix(router)).filter_map(move |port| network.in_channel(router, port as Port));
    channels.filter_map(|channel| Some((network.channel(channel).from_router()?, channel)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::{ChannelClass, NetworkBuilder, TerminalId};

    /// A quick way over two channels, and a slow one over one channel.
    #[test]
    fn the_metric_decides_which_path_is_short() {
        let mut builder = NetworkBuilder::new("triangle", Shape::Graph);
        let [a, b, c] = [(); 3].map(|()| builder.router(3, 1));
        for (from, to, latency) in [
            ((a, 1), (b, 1), 10),
            ((a, 2), (c, 1), 4),
            ((c, 2), (b, 2), 5),
        ] {
            builder.link(from, to, latency, ChannelClass::Local, ChannelClass::Local);
        }
        let network = Arc::new(builder.build(1).unwrap());
        let first_port = |metric| {
            let algorithm = ShortestPath {
                metric,
                ..ShortestPath::default()
            };
            let routing = algorithm.build(&network, &Context::default()).unwrap();
            let start = routing.start(TerminalId(0), TerminalId(1)).unwrap();
            let hop = routing.settled(a, start.header).unwrap();
            (hop.port, routing.virtual_channels())
        };
        assert_eq!(first_port(Metric::Hops), (1, 1));
        assert_eq!(first_port(Metric::Latency), (2, 2));
    }
}
