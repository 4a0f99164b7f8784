//! Up*/down* routing: up towards the root of a tree as often as it takes, and then down, never up again.
//!
//! Which end of a link is up, a spanning tree says ([`Root`] says where it begins), so that no circle of
//! dependencies closes, on any network and with a single virtual channel. Of the legal paths a shortest one is taken;
//! it may be longer than the shortest of all, and channels near the root are loaded most. Virtual channels are lanes: a packet
//! takes any that is free.
//!
//! Where a network falls apart every part has a tree of its own.
//!
//! `per = "destination"` makes a forwarding table of it, by destination alone, as switches of InfiniBand have it. A router that gets to a destination by
//! going down only does so, even if a way up and down again is shorter: who has come down to it must not go up any more, and the table does
//! not know who has. So no packet turns up again, whatever way it came, and some ways are longer than legal ones need be.
//!
//! Source: Schroeder et al., "Autonet: a high-speed, self-configuring local area network using point-to-point links", IEEE JSAC 9(8), 1991.
//!
//! Complexity: O(destination routers x channels) to build, times the diameter if balanced; O(1) a hop; four bytes for each
//! router and destination router. By destination O(terminals x channels), and two bytes for each router and terminal.
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{RandomRegular, Topology};
//! use turnwise_routing::algorithms::UpDown;
//! use turnwise_routing::{Algorithm, Context};
//!
//! let network = Arc::new(RandomRegular::default().build(None)?);
//! let routing = UpDown::default().build(&network, &Context::default())?;
//! assert_eq!(routing.virtual_channels(), 1);
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use super::by_destination::{self, GivenLanes, Graph, NONE, Trees, leading_up};
use super::layers::Layers;
use super::orientation::{Orientation, both_ways};
use super::root::Root;
use super::search::TieBreak;
use super::table::{self, Table};
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use crate::common::draw;
use crate::common::only_way::OnlyWay;
use crate::common::vc_plan::VcPlan;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Invalid, Network, RouterId, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["updn"],
        summary: "Any network: up towards the root of a tree, then down",
        source: "Schroeder et al., Autonet, IEEE JSAC 9(8), 1991",
        example: "root = \"min-ecc\"\nties = \"balanced\"\nper = \"pair\"",
        schema: schema_of::<UpDown>,
        parse: |table, errors| Some(Box::new(parse_as::<UpDown, dyn Algorithm>(table, errors)?)),
    },
    fits: super::carries_both_ways,
};

const NAME: &str = "up-down";

/// Parameters of up*/down* routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UpDown {
    /// Where the tree is rooted: how the router is found, or its number.
    pub root: Root,
    /// Which of several equally near next hops to take.
    pub ties: TieBreak,
    /// What a route is found for.
    pub per: RoutesPer,
    /// Virtual channels to use as lanes: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

/// What a route is found for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RoutesPer {
    /// Source and destination: shortest legal routes, on which packets remember that they have gone down.
    #[default]
    Pair,
    /// Destination: a forwarding table, which switches of InfiniBand load. Each pair has one of the virtual channels, at most 16.
    Destination,
}

impl Algorithm for UpDown {
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::EveryRoute
    }

    fn table_bytes(&self, network: &Network, _: &Context<'_>) -> u64 {
        match self.per {
            RoutesPer::Pair => table::bytes(network, 2),
            RoutesPer::Destination => by_destination::table_bytes(network),
        }
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        both_ways(NAME, network)?;
        let order = self.root.orient(network, context.seed)?;
        let plan = VcPlan::new(NAME, self.virtual_channels, 1, context)?;
        if self.per == RoutesPer::Destination {
            let lanes = GivenLanes::new(self.virtual_channels, network, context);
            let lanes = lanes.map_err(|invalid| Invalid {
                place: "virtual_channels".into(),
                ..invalid
            })?;
            let graph = Graph::new(network);
            let trees = trees(network, &graph, &order, (self.ties, context.seed));
            return Ok(Box::new(lanes.shared(network, &graph, &trees)?));
        }
        let table = Table::new(
            network,
            Layers::new(vec![order], 1),
            plan,
            |_| plan.every_class(),
            (self.ties, context.seed),
        );
        Ok(Box::new(OnlyWay(table)))
    }
}

/// Ways to every living terminal: down if that is enough, or else up to where it is least far.
fn trees(
    network: &Network,
    graph: &Graph,
    order: &Orientation,
    (ties, seed): (TieBreak, u64),
) -> Trees {
    let mut from_above: Vec<u32> = (0..graph.routers() as u32).collect();
    from_above.sort_by_key(|&router| order.place(RouterId(router)));
    let is_up = &leading_up(graph, order);
    let ways = |router: u32, up: bool| {
        let arcs = graph.leaving(router);
        arcs.filter(move |&arc| is_up[arc as usize] == up)
    };
    let least_behind = |distance: &[u32], router: u32, up: bool| {
        let behind = ways(router, up).map(|arc| distance[graph.to(arc) as usize]);
        behind.min().filter(|&least| least != NONE)
    };
    let mut trees = Trees::without_ways(network);
    // By arc: destinations that go there.
    let mut taken = vec![0u32; graph.arcs()];
    // By router: hops to the destination, or [`NONE`], and the candidates of one.
    let mut distance = vec![NONE; graph.routers()];
    let mut nearest: Vec<u32> = Vec::new();
    for index in 0..trees.routers.len() {
        let destination = trees.routers[index];
        let others = from_above.iter().filter(|&&router| router != destination);
        distance[destination as usize] = 0;
        // What lies below a router is known before it, from below.
        for &router in others.clone().rev() {
            let least = least_behind(&distance, router, false);
            distance[router as usize] = least.map_or(NONE, |least| least + 1);
        }
        let tree = trees.to_mut(index);
        for &router in others {
            let goes_up = distance[router as usize] == NONE;
            let Some(least) = least_behind(&distance, router, goes_up) else {
                continue;
            };
            nearest.clear();
            let is_nearest = |arc: &u32| distance[graph.to(*arc) as usize] == least;
            nearest.extend(ways(router, goes_up).filter(is_nearest));
            distance[router as usize] = least + 1;
            let arc = match ties {
                TieBreak::Balanced => nearest.iter().min_by_key(|&&arc| taken[arc as usize]),
                TieBreak::First => nearest.iter().min_by_key(|&&arc| graph.port(arc)),
                TieBreak::Random => {
                    let mut rng = Random::new(seed, Purpose::Permutation, router, index as u32);
                    nearest.get(draw::below(nearest.len() as u32, &mut rng) as usize)
                }
            };
            if let Some(&arc) = arc {
                taken[arc as usize] += 1;
                tree[router as usize] = arc;
            }
        }
    }
    trees
}
