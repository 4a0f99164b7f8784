//! Shortest paths on any network: one for each router and destination router.
//!
//! **Metric.** `metric = "hops"` counts channels. `"latency"` adds up their latencies, and takes the
//! fewest channels among routes that are equally quick.
//!
//! **Ties.** Where several next hops are equally near to the destination, `ties` decides. `"balanced"`
//! goes through the destinations in order, and for each from its nearest routers outwards,
//! and takes the way on which the most loaded channel carries fewest routes so far (then the one with the smallest
//! sum, then the lowest port); `"first"` takes the lowest port; `"random"` draws from the
//! study's seed. `"anynet"`, the default without classes, takes what BookSim2 takes on its `anynet` networks: quickest routes, whatever `metric`
//! says, and of equally quick ones those that are found first. Whatever is connected is routed.
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

use super::found_first::FoundFirst;
use super::search::{Search, TieBreak};
use super::two_legs::PathLegs;
use super::ways::{AnyWay, Quickest, Ways};
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use crate::common::vc_plan::VcPlan;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::tables::{HopClasses, NextHopTable};
use turnwise_network::{Invalid, Network, Routing, Shape, Vc, VcSet};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
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
    /// Which of several equally near next hops to take; by default `balanced`, and `anynet` without classes.
    pub ties: Option<PathTies>,
    /// What makes a path short.
    pub metric: Metric,
    /// Which virtual channels a packet takes at its n-th hop.
    pub classes: PathClasses,
    /// Virtual channels to use: by default all the router has, or else as many as the longest route has
    /// hops, and 1 without classes.
    pub virtual_channels: Option<Vc>,
}

/// Which of several equally near next hops to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PathTies {
    /// The one on whose way the most loaded channel carries fewest routes so far.
    Balanced,
    /// The one at the lowest port.
    First,
    /// A random one for each router and destination.
    Random,
    /// What a search by latency from the router itself finds first, nearer routers and lower numbers first, whatever `metric` says:
    /// BookSim2's `anynet`.
    Anynet,
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

impl Algorithm for ShortestPath {
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::EveryRoute
    }

    fn is_free_of_deadlock(&self, _: &Shape) -> bool {
        self.classes != PathClasses::None
    }

    fn table_bytes(&self, network: &Network, _: &Context<'_>) -> u64 {
        PathLegs::table_bytes(network)
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let table = match self.metric {
            Metric::Hops => self.table(network, &AnyWay, context.seed),
            Metric::Latency => self.table(network, &Quickest(network), context.seed),
        }?;
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

impl ShortestPath {
    /// The port of every router to every destination.
    fn table<W: Ways>(
        &self,
        network: &Arc<Network>,
        ways: &W,
        seed: u64,
    ) -> Result<NextHopTable, Invalid> {
        let usual = match self.classes {
            PathClasses::ByHop => PathTies::Balanced,
            PathClasses::None => PathTies::Anynet,
        };
        let ties = match self.ties.unwrap_or(usual) {
            PathTies::Balanced => TieBreak::Balanced,
            PathTies::First => TieBreak::First,
            PathTies::Random => TieBreak::Random,
            PathTies::Anynet => {
                let found = FoundFirst::new(network);
                return NextHopTable::new(network, |destination, ports| {
                    found.routes(destination, ports);
                });
            }
        };
        let mut search = Search::new(network, ways, ties, seed);
        NextHopTable::new(network, |destination, ports| {
            search.routes(destination, ports);
        })
    }
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
