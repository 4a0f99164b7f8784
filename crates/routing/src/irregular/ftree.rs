//! Fat-tree routing of OpenSM: every terminal has a root of its own, as far as there are enough, and packets go up towards it and then down.
//!
//! Switches with terminals are leaves, and the rank of a switch is how far it is from the nearest one. From a terminal's leaf its way is
//! followed upwards, at every switch to the one above that sends down to fewest terminals so far over the link. Whoever is not on that way sends
//! up to a switch that knows the way down, the one with the fewest such terminals over the link. Only what is like a tree is routed: links
//! join neighbouring ranks.
//!
//! Terminals are taken in turns, the first of all leaves, then the second ones, so that the roots are dealt out to all.
//!
//! Source: Zahavi, Johnson, Kerbyson, Lang, "Optimized InfiniBand fat-tree routing for shift all-to-all communication patterns",
//! Concurrency and Computation 22(2), 2010; OpenSM 3.3.23, `osm_ucast_ftree.c`. Reconstructed from the paper's description; of equal links the
//! first one is taken.
//!
//! Complexity: O(terminals x channels); O(1) a hop; two bytes for each pair of router and terminal.

use super::by_destination::{GivenLanes, Graph, Nearest, Trees, table_bytes};
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults, misfit};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, RouterId, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Fat trees: OpenSM's, up towards a root of the terminal's own and down",
        source: "Zahavi, Johnson, Kerbyson, Lang, Concurrency and Computation 22(2), 2010; OpenSM 3.3.23",
        example: "virtual_lanes = 1",
        schema: schema_of::<Ftree>,
        parse: |table, errors| Some(Box::new(parse_as::<Ftree, dyn Algorithm>(table, errors)?)),
    },
    fits: |shape| matches!(shape, Shape::FatTree(_)),
};

const NAME: &str = "ftree";

/// Parameters of OpenSM's fat-tree routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ftree {
    /// Virtual lanes that pairs are dealt out to, at most 16: by default all the router has, or else 1.
    pub virtual_lanes: Option<Vc>,
}

impl Algorithm for Ftree {
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::FurtherRoutes
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
        let ranks = ranks(network, &graph)?;
        let mut trees = Trees::without_ways(network);
        let mut growing = Growing {
            graph: &graph,
            ranks: &ranks,
            downs: vec![0; graph.arcs()],
            ups: vec![0; graph.arcs()],
        };
        for index in in_turns(&trees.routers) {
            let leaf = trees.routers[index];
            growing.grow(leaf, trees.to_mut(index));
        }
        Ok(Box::new(lanes.shared(network, &graph, &trees)?))
    }
}

/// By router: how far it is from the nearest with terminals.
fn ranks(network: &Network, graph: &Graph) -> Result<Vec<u32>, Invalid> {
    let refused = || misfit(NAME, "fat trees", network);
    if !matches!(network.shape(), Shape::FatTree(_) | Shape::Graph) {
        return Err(refused());
    }
    let is_leaf = |router: &u32| !network.terminals_of(RouterId(*router)).is_empty();
    let mut nearest = Nearest::new(graph);
    nearest.search_all(graph, (0..graph.routers() as u32).filter(is_leaf));
    let ranks = nearest.distance;
    let mut arcs = 0..graph.arcs() as u32;
    let rank = |router: u32| ranks[router as usize];
    match arcs.all(|arc| rank(graph.from(arc)).abs_diff(rank(graph.to(arc))) == 1) {
        true => Ok(ranks),
        false => Err(refused()),
    }
}

/// The destinations: the first of all leaves, then the second ones, and so on.
fn in_turns(leaves: &[u32]) -> Vec<usize> {
    let mut turns = vec![0; leaves.len()];
    for index in 1..leaves.len() {
        if leaves[index] == leaves[index - 1] {
            turns[index] = turns[index - 1] + 1;
        }
    }
    let mut order: Vec<usize> = (0..leaves.len()).collect();
    order.sort_by_key(|&index| (turns[index], index));
    order
}

struct Growing<'a> {
    graph: &'a Graph,
    ranks: &'a [u32],
    /// By arc: destinations that go down it, and up it.
    downs: Vec<u32>,
    ups: Vec<u32>,
}

/// What is known of a switch's way to the destination.
#[derive(Clone, Copy, Default)]
struct Way {
    /// Hops, if there is a way.
    hops: Option<u32>,
    /// Does it come down as the destination's own way does?
    is_own: bool,
}

impl Growing<'_> {
    fn rank(&self, router: u32) -> u32 {
        self.ranks[router as usize]
    }

    /// The tree to a terminal of a leaf.
    fn grow(&mut self, leaf: u32, tree: &mut [u32]) {
        let mut ways = vec![Way::default(); self.graph.routers()];
        ways[leaf as usize] = Way {
            hops: Some(0),
            is_own: true,
        };
        let above = self.above(leaf);
        self.go_up(leaf, tree, &mut ways);
        for &router in &above {
            if ways[router as usize].hops.is_none() {
                self.come_down(router, tree, &mut ways);
            }
        }
        let mut others: Vec<u32> = (0..self.graph.routers() as u32).collect();
        others.sort_by_key(|&router| std::cmp::Reverse(self.rank(router)));
        for router in others {
            if ways[router as usize].hops.is_none() {
                self.climb(router, tree, &mut ways);
            }
        }
    }

    /// Whoever can send down to a leaf, the lowest first.
    fn above(&self, leaf: u32) -> Vec<u32> {
        let mut found = vec![leaf];
        let mut is_known = vec![false; self.graph.routers()];
        let mut next = 0;
        while let Some(&router) = found.get(next) {
            next += 1;
            for before in self.graph.before(router) {
                if self.rank(before) > self.rank(router) && !is_known[before as usize] {
                    is_known[before as usize] = true;
                    found.push(before);
                }
            }
        }
        found.split_off(1)
    }

    /// The destination's own way: at every switch the one above that sends fewest down.
    fn go_up(&mut self, leaf: u32, tree: &mut [u32], ways: &mut [Way]) {
        let mut at = leaf;
        loop {
            let arcs = self.graph.arriving(at);
            let downs = arcs.filter(|&arc| self.rank(self.graph.from(arc)) > self.rank(at));
            let Some(arc) = downs.min_by_key(|&arc| (self.downs[arc as usize], arc)) else {
                return;
            };
            self.downs[arc as usize] += 1;
            let parent = self.graph.from(arc);
            tree[parent as usize] = arc;
            ways[parent as usize] = Way {
                hops: ways[at as usize].hops.map(|hops| hops + 1),
                is_own: true,
            };
            at = parent;
        }
    }

    /// A switch above the leaf that is not on that way sends down as it can.
    fn come_down(&mut self, router: u32, tree: &mut [u32], ways: &mut [Way]) {
        let arcs = self.graph.leaving(router);
        let downs = arcs.filter(|&arc| {
            let below = self.graph.to(arc);
            self.rank(below) < self.rank(router) && ways[below as usize].hops.is_some()
        });
        if let Some(arc) = downs.min_by_key(|&arc| (self.downs[arc as usize], arc)) {
            tree[router as usize] = arc;
            let below = ways[self.graph.to(arc) as usize];
            ways[router as usize] = Way {
                hops: below.hops.map(|hops| hops + 1),
                is_own: false,
            };
        }
    }

    /// Everybody else sends up, to who comes down on that way if there is one.
    fn climb(&mut self, router: u32, tree: &mut [u32], ways: &mut [Way]) {
        let arcs = self.graph.leaving(router);
        let ups = arcs.filter_map(|arc| {
            let above = self.graph.to(arc);
            let way = ways[above as usize];
            let hops = way.hops.filter(|_| self.rank(above) > self.rank(router))?;
            Some((hops, !way.is_own, self.ups[arc as usize], arc))
        });
        if let Some((hops, is_other, _, arc)) = ups.min() {
            self.ups[arc as usize] += 1;
            tree[router as usize] = arc;
            ways[router as usize] = Way {
                hops: Some(hops + 1),
                is_own: !is_other,
            };
        }
    }
}
