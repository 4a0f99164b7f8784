//! Torus-2QoS: dimension order on a torus, with a bit of the service level for each dimension that says whether a packet crosses its dateline.
//!
//! A switch maps the bit of the dimension in which a packet leaves to one of two virtual lanes. So two lanes are enough for tori of up to
//! four dimensions, and switches need to know nothing but the port a packet leaves by. Halfway round a ring packets go the positive way.
//! Tori, meshes and hypercubes are recognised by their wiring, where only that is known.
//!
//! Pairs are routed whose way in dimension order has not failed.
//!
//! Source: OpenSM 3.3.23, `doc/torus-2QoS.txt` and torus-2QoS(8), without its second set of service levels for quality of service and without
//! its ways around a failed switch; Dally and Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE
//! Trans. Computers C-36(5), 1987.
//!
//! Complexity: O(routers x terminals x dimensions); O(1) a hop; two bytes for each pair of router and terminal, one for each pair of terminals.

use super::by_destination::{Graph, NONE, Steps, Trees, forwarding_table, table_bytes};
use super::lanes::lanes;
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, misfit};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::tables::ForwardingTable;
use turnwise_network::{Invalid, Network, Port, RouterId, Routing, Shape, TerminalId, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Tori and meshes: dimension order, datelines by service level, two lanes",
        source: "OpenSM 3.3.23, torus-2QoS(8); Dally and Seitz, IEEE Trans. Computers C-36(5), 1987",
        example: "virtual_lanes = 2",
        schema: schema_of::<Torus2Qos>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Torus2Qos, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |shape| matches!(shape, Shape::Grid(_)),
};

const NAME: &str = "torus-2qos";

/// A service level has a bit for each dimension with rings.
pub(crate) const MOST_RINGS: usize = 4;

/// Parameters of Torus-2QoS.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Torus2Qos {
    /// Virtual lanes to use: by default all the router has, or else 2; further ones stay free.
    pub virtual_lanes: Option<Vc>,
}

impl Algorithm for Torus2Qos {
    fn table_bytes(&self, network: &Network, _: &Context<'_>) -> u64 {
        // Beside the entries: a service level for each pair, and a lane for each two ports and level.
        let terminals = network.terminal_count() as u64;
        let of_lanes = ForwardingTable::bytes_of_lanes(network);
        table_bytes(network) + terminals * terminals + of_lanes
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let graph = Graph::new(network);
        let steps = Steps::of_rings(network, &graph);
        let fits = |steps: &Steps| steps.rings().count() <= MOST_RINGS;
        let Some(steps) = steps.filter(fits) else {
            let routes = "tori of up to four dimensions with rings, and meshes";
            return Err(misfit(NAME, routes, network));
        };
        let has_rings = steps.rings().next().is_some();
        let plan = lanes(
            NAME,
            self.virtual_lanes,
            1 + u32::from(has_rings),
            network,
            context,
        )?;
        let mut trees = Trees::without_ways(network);
        for index in 0..trees.routers.len() {
            let destination = trees.routers[index];
            fill(&graph, &steps, destination, trees.to_mut(index));
        }
        // OpenSM counts routes, however fast cables are.
        trees.spread_over_copies(&graph, |_| 1);
        // By port of all: the bit of a service level that says which lane, none where there are no rings.
        let mut masks = vec![0; network.port_count()];
        for router in network.routers() {
            for arc in graph.leaving(router.0) {
                let direction = steps.direction(&graph, arc);
                let bit = direction
                    .and_then(|(dimension, _)| steps.rings().position(|ring| ring == dimension));
                let port = usize::from(graph.port(arc));
                masks[network.port_range(router).start + port] = bit.map_or(0, |bit| 1 << bit);
            }
        }
        let unused = vec![0; trees.next.len()];
        let table = forwarding_table(network, &graph, &trees, &unused, plan.total)?;
        let level = |source: TerminalId, terminal: TerminalId, _| {
            let [from, to] = [source, terminal].map(|terminal| network.router_of(terminal));
            crossed(&steps, from, to)
        };
        let lane = |at: RouterId, _: Port, to: Port, level: u8| {
            let mask = masks[network.port_range(at).start + usize::from(to)];
            Vc::from(level & mask > 0)
        };
        let table = table.with_levels(level)?;
        Ok(Box::new(table.with_lanes_by_ports(plan.total, lane)?))
    }
}

/// A bit for each dimension with rings in which a packet goes over the edge.
fn crossed(steps: &Steps, from: RouterId, to: RouterId) -> u8 {
    let lattice = steps.lattice();
    let [at, to] = [from, to].map(|router| lattice.place(router));
    let mut bits = 0;
    for (bit, dimension) in steps.rings().enumerate() {
        let size = lattice.sizes[dimension];
        let forwards = (to[dimension] + size - at[dimension]) % size;
        let is_over = match 2 * forwards <= size {
            true => to[dimension] < at[dimension],
            false => to[dimension] > at[dimension],
        };
        bits |= u8::from(forwards > 0 && is_over) << bit;
    }
    bits
}

/// The arcs to a destination of all routers whose whole way lives.
fn fill(graph: &Graph, steps: &Steps, destination: u32, tree: &mut [u32]) {
    let mut known = vec![None; tree.len()];
    known[destination as usize] = Some(true);
    let mut walk = Vec::new();
    for router in 0..tree.len() as u32 {
        walk.clear();
        let mut at = router;
        while known[at as usize].is_none() {
            let arc = steps.towards(at, destination, |_| true);
            let arc = arc.and_then(|(dimension, positive)| steps.arc(at, dimension, positive));
            let Some(arc) = arc else {
                known[at as usize] = Some(false);
                break;
            };
            walk.push((at, arc));
            at = graph.to(arc);
        }
        let arrives = known[at as usize];
        for &(router, arc) in &walk {
            known[router as usize] = arrives;
            tree[router as usize] = if arrives == Some(true) { arc } else { NONE };
        }
    }
}
