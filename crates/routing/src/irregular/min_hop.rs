//! MinHop: at every switch the port with the fewest destinations, of those that lead along a shortest way.
//!
//! Switches are looked at one by one, as the subnet manager OpenSM does by default, so that what is even at each of them may be uneven
//! together. All routes share all virtual lanes and can deadlock on most networks with rings.
//!
//! Source: OpenSM 3.3.23, routing engine `minhop`, man page opensm(8), section "Min Hop Algorithm".
//!
//! Complexity: O(terminals x channels); O(1) a hop; two bytes for each pair of router and terminal.

use super::by_destination::{GivenLanes, Graph, Nearest, Trees, table_bytes};
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: "min-hop",
        aliases: &["minhop"],
        summary: "Any network: OpenSM's default, shortest ways that are even at every switch; can deadlock",
        source: "OpenSM 3.3.23, opensm(8), Min Hop Algorithm",
        example: "virtual_lanes = 1",
        schema: schema_of::<MinHop>,
        parse: |table, errors| Some(Box::new(parse_as::<MinHop, dyn Algorithm>(table, errors)?)),
    },
    fits: |_| true,
};

/// Parameters of MinHop.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MinHop {
    /// Virtual lanes that pairs are dealt out to, at most 16: by default all the router has, or else 1.
    pub virtual_lanes: Option<Vc>,
}

impl Algorithm for MinHop {
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
        let mut trees = Trees::without_ways(network);
        let mut nearest = Nearest::new(&graph);
        // By arc: destinations that go there.
        let mut taken = vec![0u32; graph.arcs()];
        for index in 0..trees.routers.len() {
            nearest.search(&graph, trees.routers[index]);
            let tree = trees.to_mut(index);
            for &router in &nearest.order[1..] {
                let distance = |router: u32| nearest.distance[router as usize];
                let arcs = graph.leaving(router);
                let nearer = arcs.filter(|&arc| distance(graph.to(arc)) < distance(router));
                if let Some(arc) = nearer.min_by_key(|&arc| taken[arc as usize]) {
                    taken[arc as usize] += 1;
                    tree[router as usize] = arc;
                }
            }
        }
        Ok(Box::new(lanes.shared(network, &graph, &trees)?))
    }
}
