//! SSSP: shortest ways to one terminal after the other, by weights that grow with the routes so far.
//!
//! Every channel weighs the square of the number of terminals at first, so that no detour is ever lighter, and one more for each route
//! over it. All routes share all virtual lanes: where they close circles, as on most networks with rings, they can deadlock;
//! `dfsssp` puts the same routes into lanes.
//!
//! Source: Hoefler, Schneider, Lumsdaine, "Optimized routing for large-scale InfiniBand networks", HOTI 2009. Of equally light ways the
//! one that is found first is taken, which the paper leaves open.
//!
//! Complexity: O(terminals x channels x log routers); O(1) a hop; two bytes for each pair of router and terminal.

use super::by_destination::{GivenLanes, Graph, heavy_trees, table_bytes};
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: "sssp",
        aliases: &[],
        summary: "Any network: shortest ways by weights that grow with the routes so far; can deadlock",
        source: "Hoefler, Schneider, Lumsdaine, Optimized routing for large-scale InfiniBand networks, HOTI 2009",
        example: "virtual_lanes = 1",
        schema: schema_of::<Sssp>,
        parse: |table, errors| Some(Box::new(parse_as::<Sssp, dyn Algorithm>(table, errors)?)),
    },
    fits: |_| true,
};

/// Parameters of SSSP.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sssp {
    /// Virtual lanes that pairs are dealt out to, at most 16: by default all the router has, or else 1.
    pub virtual_lanes: Option<Vc>,
}

impl Algorithm for Sssp {
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::EveryRoute
    }

    fn is_free_of_deadlock(&self, _: &Shape) -> bool {
        false
    }

    fn table_bytes(&self, network: &Network, _: &Context<'_>) -> u64 {
        table_bytes(network)
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let lanes = GivenLanes::new(self.virtual_lanes, network, context)?;
        let graph = Graph::new(network);
        let trees = heavy_trees(network, &graph);
        Ok(Box::new(lanes.shared(network, &graph, &trees)?))
    }
}
