//! DL routing: descending layers, in each of which packets go up and then down.
//!
//! The virtual channels are divided into layers, each a copy of the whole network. A packet goes
//! [up and down](super::UpDown) in the highest one, and where it wants to turn up again it descends into the next one, never back. With a
//! single layer that is up*/down* routing; the more layers, the more paths are shortest ones. One path for each pair: a
//! shortest one, with the fewest descents, then as `ties` says.
//!
//! **Start.** With `start = "top"` packets set out in the highest layer; with `"balanced"` in any from which they get to
//! their destination on a path as short, the one whose channels carry fewest routes so far (a reading of ours).
//!
//! Source: Koibuchi, Watanabe, Kono, Jouraku, Amano, "Performance evaluation of routing algorithms in RHiNET-2 cluster", CLUSTER 2003;
//! Koibuchi, Jouraku, Watanabe, Amano, "Descending layers routing", ICPP 2003.
//!
//! Complexity: O(destination routers x channels x layers^2) to build, times the logarithm of the routers, times the diameter if
//! balanced; O(1) a hop; four bytes for each layer, router and destination router.

use super::layers::Layers;
use super::orientation::{Orientation, both_ways};
use super::root::Root;
use super::search::TieBreak;
use super::table::{self, Table};
use super::ways::Node;
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use crate::common::only_way::OnlyWay;
use crate::common::vc_plan::VcPlan;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, RouterId, Routing, Shape, Vc, VcSet};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["descending-layers"],
        summary: "Any network: up and down in layers of virtual channels, each left for good",
        source: "Koibuchi, Watanabe, Kono, Jouraku, Amano, CLUSTER 2003; Koibuchi et al., ICPP 2003",
        example: "layers = 2\nroot = \"min-ecc\"\nstart = \"top\"",
        schema: schema_of::<Dl>,
        parse: |table, errors| Some(Box::new(parse_as::<Dl, dyn Algorithm>(table, errors)?)),
    },
    fits: super::carries_both_ways,
};

const NAME: &str = "dl";

/// Parameters of DL routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Dl {
    /// Layers, each with virtual channels of its own: by default as many as there are virtual channels, or else 2.
    pub layers: Option<Vc>,
    /// Where the tree is rooted: how the router is found, or its number.
    pub root: Root,
    /// Is the root another one in each layer, as far from the others as can be?
    pub root_per_layer: bool,
    /// In which layer packets set out.
    pub start: StartLayer,
    /// Which of several equally near next hops to take.
    pub ties: TieBreak,
    /// Virtual channels to use: by default all the router has, or else as many as there are layers.
    pub virtual_channels: Option<Vc>,
}

/// In which layer packets set out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StartLayer {
    /// The highest one.
    #[default]
    Top,
    /// Of those from which paths are as short, the one with the fewest routes on their channels so far.
    Balanced,
}

impl Dl {
    fn count(&self, context: &Context<'_>) -> Result<Vc, Invalid> {
        let most = VcSet::CAPACITY;
        match self.layers {
            Some(layers) if !(1..=most).contains(&layers) => {
                let message = format!("expected 1 to {most}, found {layers}");
                Err(Invalid::new("layers", message))
            }
            Some(layers) => Ok(layers),
            None => {
                let lanes = self.virtual_channels.or(context.router_virtual_channels);
                Ok(lanes.map_or(2, |lanes| lanes.clamp(1, most)))
            }
        }
    }
}

impl Algorithm for Dl {
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::EveryRoute
    }

    fn table_bytes(&self, network: &Network, context: &Context<'_>) -> u64 {
        // What cannot be is refused once it is built.
        let layers = self.count(context).unwrap_or(1);
        table::bytes(network, 2 * u32::from(layers) + 1)
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        both_ways(NAME, network)?;
        let layers = self.count(context)?;
        let plan = VcPlan::new(NAME, self.virtual_channels, layers, context)?;
        if plan.used < layers {
            let message = format!(
                "{layers} layers take a virtual channel each, or else circles close between them; there are {}",
                plan.used
            );
            let help = format!(
                "take virtual_channels = {layers}, or layers = {}",
                plan.used
            );
            return Err(Invalid::new("virtual_channels", message).with_help(help));
        }
        let mut orders = vec![self.root.orient(network, context.seed)?];
        while self.root_per_layer && orders.len() < layers.into() {
            orders.push(Orientation::elsewhere(network, &orders));
        }
        // The highest layer has the highest virtual channels.
        let layer = |memory| usize::from(layers - 1) - Layers::left(memory) as usize;
        let table = Table::new(
            network,
            Layers::new(orders, layers.into()),
            plan,
            |memory| plan.class(layer(memory), layers.into()),
            (self.ties, context.seed),
        );
        Ok(Box::new(OnlyWay(match self.start {
            StartLayer::Top => table,
            StartLayer::Balanced => balanced(network, table),
        })))
    }
}

/// The same paths, or others as long, that set out in layers in which channels carry fewer routes.
fn balanced(network: &Arc<Network>, table: Table<Layers>) -> Table<Layers> {
    let layers = table.ways().count();
    let mut loads = vec![0u64; network.channel_count() * layers as usize];
    table.with_starts(|table, source, destination| {
        let starts = (0..layers).map(Layers::setting_out);
        let paths = starts.filter_map(|memory| {
            let router = source;
            Some((memory, path(table, Node { router, memory }, destination)?))
        });
        let paths: Vec<(u32, Vec<usize>)> = paths.collect();
        let shortest = paths.iter().map(|(_, path)| path.len()).min();
        let as_short = paths
            .into_iter()
            .filter(|(_, path)| Some(path.len()) == shortest);
        let load = |path: &[usize]| path.iter().map(|&at| loads[at]).sum::<u64>();
        let chosen = as_short.min_by_key(|(_, path)| load(path));
        let (memory, path) = chosen.unwrap_or((0, Vec::new()));
        let routes =
            [source, destination].map(|router| network.living_terminals_of(router).count());
        for at in path {
            loads[at] += (routes[0] * routes[1]) as u64;
        }
        memory
    })
}

/// The channels in their layers on a path; `None` if it does not get there.
fn path(table: &Table<Layers>, mut at: Node, destination: RouterId) -> Option<Vec<usize>> {
    let mut path = Vec::new();
    while at.router != destination {
        let (hop, next) = table.next(at, destination)?;
        let layer = Layers::left(next.memory) as usize;
        path.push(hop.channel.index() * table.ways().count() as usize + layer);
        at = next;
    }
    Some(path)
}
