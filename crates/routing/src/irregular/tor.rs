//! Transition-oriented routing: shortest paths, on which each turn from down to up leads to the next virtual lane.
//!
//! Links are up or down as in [up*/down* routing](super::UpDown). Paths are shortest ones, of these those with the fewest turns from down to
//! up; so it takes as many lanes as the worst of them has such turns, and one. Between two turns a packet goes up and
//! then down, in lanes that only ever increase: no circle of dependencies.
//!
//! Source: Sancho, Robles, López, Flich, Duato, "Routing in InfiniBand torus network topologies", ICPP 2003, and
//! "Effective methodology for deadlock-free minimal routing in InfiniBand networks", ICPP 2002.
//!
//! Complexity: O(destination routers x channels x lanes^3 x log routers) to build, times the diameter if balanced; O(1) a hop; four
//! bytes for each lane, router and destination router.

use super::lanes::lanes;
use super::layers::Layers;
use super::orientation::both_ways;
use super::root::Root;
use super::search::{FAR, Search, TieBreak};
use super::table::{self, Table};
use super::ways::{Node, Ways};
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use crate::common::only_way::OnlyWay;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::metrics::{UNREACHABLE, distances};
use turnwise_network::{Invalid, Network, PopulatedRouters, Routing, Shape, Vc, VcSet};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["transition-oriented"],
        summary: "Any network: shortest paths, the next virtual lane at each turn from down to up",
        source: "Sancho, Robles, López, Flich, Duato, ICPP 2002",
        example: "root = \"min-ecc\"\nties = \"balanced\"",
        schema: schema_of::<Tor>,
        parse: |table, errors| Some(Box::new(parse_as::<Tor, dyn Algorithm>(table, errors)?)),
    },
    fits: super::carries_both_ways,
};

const NAME: &str = "tor";

/// Parameters of transition-oriented routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Tor {
    /// Where the tree is rooted: how the router is found, or its number.
    pub root: Root,
    /// Which of several equally near next hops to take.
    pub ties: TieBreak,
    /// Virtual channels to use: by default all the router has, or else as many as are needed.
    pub virtual_lanes: Option<Vc>,
}

impl Algorithm for Tor {
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::EveryRoute
    }

    fn table_bytes(&self, network: &Network, _: &Context<'_>) -> u64 {
        table::bytes(network, 2 * most_layers(network))
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        both_ways(NAME, network)?;
        let order = self.root.orient(network, context.seed)?;
        let ends = PopulatedRouters::new(network);
        let layers = (1..=VcSet::CAPACITY)
            .map(|count| Layers::new(vec![order.clone()], count.into()))
            .find(|layers| are_shortest(network, &ends, layers));
        let Some(layers) = layers else {
            let message = format!(
                "shortest paths turn from down to up {} times and more",
                VcSet::CAPACITY
            );
            return Err(Invalid::new("root", message));
        };
        let count = layers.count();
        let plan = lanes(NAME, self.virtual_lanes, count, network, context)?;
        let table = Table::new(
            network,
            layers,
            plan,
            |memory| plan.class(Layers::left(memory) as usize, count as usize),
            (self.ties, context.seed),
        );
        Ok(Box::new(OnlyWay(table)))
    }
}

/// No shortest path needs more layers: it turns from down to up at every second router at most, and no two routers are farther apart than both
/// are from one of them.
fn most_layers(network: &Network) -> u32 {
    let all = u32::from(VcSet::CAPACITY);
    let Some(middle) = network.routers().find(|&router| network.is_alive(router)) else {
        return all;
    };
    let distances = distances(network, middle).into_iter();
    let farthest = distances
        .zip(network.routers())
        .filter(|&(_, router)| network.is_alive(router));
    // Of other parts nothing is known.
    let farthest = farthest.map(|(distance, _)| distance).max();
    farthest.unwrap_or(0).saturating_add(1).min(all)
}

/// Are the paths in so many layers as short as any?
fn are_shortest(network: &Network, ends: &PopulatedRouters, layers: &Layers) -> bool {
    let mut search = Search::new(network, layers, TieBreak::First, 0);
    ends.routers.iter().all(|&destination| {
        // Links carry both ways.
        let shortest = distances(network, destination);
        let found = search.distances_to(destination);
        ends.routers.iter().all(|&router| {
            let node = Node { router, memory: 0 };
            match found[node.index(layers.memories())] {
                FAR => shortest[router.index()] == UNREACHABLE,
                distance => layers.hops(distance) == u64::from(shortest[router.index()]),
            }
        })
    })
}
