//! Nue: ways are searched in the graph of dependencies, so that no lane ever has a circle, however few lanes there are.
//!
//! Destinations are shared out to lanes, all routes to a destination are in its lane. In each lane a spanning tree is allowed from the
//! beginning. For one destination after the other, ways are searched from it outwards by weights that grow with the routes so far, and a
//! router is reached only by a dependency that closes no circle with all that are used already. Routers that cannot be reached at all
//! go along the spanning tree, with all who are on their way, and the search is begun again.
//!
//! Source: Domke, Hoefler, Matsuoka, "Routing on the dependency graph: a new approach to deadlock-free high-performance routing", HPDC
//! 2016. Reconstructed: destinations are shared out in blocks, the first tree's root is a centre and those of further lanes are far from it and from each other, and instead of backtracking some hops, and giving
//! all routes of a destination to the tree if that does not help, only those are given to it that have no other way.
//!
//! Complexity: O(terminals x channels x log routers) and O(lanes x turns) searches in a graph of channels; O(1) a hop; two bytes for each
//! pair of router and terminal.

use super::by_destination::{
    Allowed, Escape, GivenLanes, Graph, Lane, NONE, Trees, Turns, Weights, forwarding_table,
    table_bytes,
};
use super::orientation::{Orientation, both_ways};
use super::root::Root;
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use schemars::JsonSchema;
use serde::Deserialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Any network: ways searched in the graph of dependencies, on any number of lanes",
        source: "Domke, Hoefler, Matsuoka, Routing on the dependency graph, HPDC 2016",
        example: "virtual_lanes = 4",
        schema: schema_of::<Nue>,
        parse: |table, errors| Some(Box::new(parse_as::<Nue, dyn Algorithm>(table, errors)?)),
    },
    fits: super::carries_both_ways,
};

const NAME: &str = "nue";

/// Parameters of Nue.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Nue {
    /// Virtual lanes to use, at most 16: by default all the router has, or else 1.
    pub virtual_lanes: Option<Vc>,
    /// Where the spanning tree of the first lane is rooted, the others are far from it: how the router is found, or its number.
    pub root: Root,
}

impl Algorithm for Nue {
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::EveryRoute
    }

    fn table_bytes(&self, network: &Network, _: &Context<'_>) -> u64 {
        table_bytes(network)
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        both_ways(NAME, network)?;
        let lanes = GivenLanes::new(self.virtual_lanes, network, context)?;
        let count = lanes.used;
        let graph = Graph::new(network);
        let turns = Turns::new(&graph);
        let mut orders = vec![self.root.orient(network, context.seed)?];
        let mut trees = Trees::without_ways(network);
        let mut found = vec![0; trees.next.len()];
        let mut search = Search {
            turns: &turns,
            weights: Weights::new(&graph),
            settled: vec![false; graph.routers()],
            order: Vec::new(),
            near: BinaryHeap::new(),
        };
        let block = trees.routers.len().div_ceil(count.into()).max(1);
        for number in 0..count {
            let first = usize::from(number) * block;
            let destinations =
                first.min(trees.routers.len())..(first + block).min(trees.routers.len());
            if destinations.is_empty() {
                break;
            }
            if number > 0 {
                orders.push(Orientation::elsewhere(network, &orders));
            }
            let escape = Escape::new(&graph, &orders[usize::from(number)]);
            let mut lane = Lane::with(&turns, &escape, Allowed::Tree);
            for index in destinations {
                let destination = trees.routers[index];
                search.grow(&mut lane, &escape, destination, trees.to_mut(index));
                let width = trees.width;
                found[index * width..(index + 1) * width].fill(number);
            }
        }
        let table = forwarding_table(network, &graph, &trees, &found, lanes.total)?;
        Ok(Box::new(table))
    }
}

struct Search<'a> {
    turns: &'a Turns<'a>,
    weights: Weights,
    /// By router.
    settled: Vec<bool>,
    /// The routers in the order they were reached, the destination first.
    order: Vec<u32>,
    /// How far a router would be, the router, and the arc it would take.
    near: BinaryHeap<Reverse<(u64, u32, u32)>>,
}

impl Search<'_> {
    /// A tree to a destination, in a lane.
    fn grow(&mut self, lane: &mut Lane, escape: &Escape, destination: u32, tree: &mut [u32]) {
        let graph = self.turns.graph;
        let mut stuck = Vec::new();
        loop {
            tree.fill(NONE);
            self.settled.fill(false);
            self.order.clear();
            self.reach(destination, 0);
            self.go_along(escape, destination, &stuck, tree);
            while let Some(Reverse((far, router, arc))) = self.near.pop() {
                let next = tree[graph.to(arc) as usize];
                let is_known = self.settled[router as usize];
                if !is_known && (next == NONE || lane.allows(self.turns, arc, next)) {
                    tree[router as usize] = arc;
                    self.reach(router, far);
                }
            }
            let known = stuck.len();
            let before = self.order.iter().flat_map(|&router| graph.before(router));
            stuck.extend(before.filter(|&router| !self.settled[router as usize]));
            if stuck.len() == known {
                break;
            }
        }
        self.weights.add(graph, tree, &self.order);
    }

    /// A router has its way; its neighbours may take one through it.
    fn reach(&mut self, router: u32, far: u64) {
        let graph = self.turns.graph;
        self.settled[router as usize] = true;
        self.order.push(router);
        for arc in graph.arriving(router) {
            let before = graph.from(arc);
            if !self.settled[before as usize] {
                let further = far + self.weights.of(arc);
                self.near.push(Reverse((further, before, arc)));
            }
        }
    }

    /// These routers go along the spanning tree, with all who are on their way.
    fn go_along(&mut self, escape: &Escape, destination: u32, stuck: &[u32], tree: &mut [u32]) {
        let graph = self.turns.graph;
        let down = escape.down_to(graph, destination);
        let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &router in stuck {
            let mut at = router;
            while at != destination && tree[at as usize] == NONE {
                let arc = escape.arc(at, &down);
                tree[at as usize] = arc;
                children.entry(graph.to(arc)).or_default().push(at);
                at = graph.to(arc);
            }
        }
        let mut todo = vec![(destination, 0)];
        while let Some((router, far)) = todo.pop() {
            for &child in children.get(&router).into_iter().flatten() {
                let further = far + self.weights.of(tree[child as usize]);
                self.reach(child, further);
                todo.push((child, further));
            }
        }
    }
}
