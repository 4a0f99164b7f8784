//! Trees of shortest ways by weights that grow with what was routed: single-source-shortest-path routing.
//!
//! Source: Hoefler, Schneider, Lumsdaine, "Optimized routing for large-scale InfiniBand networks", HOTI 2009.

use super::graph::{Graph, NONE};
use super::routes::Trees;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use turnwise_network::Network;

/// Routes so far over each arc, on top of what makes every further hop cost more than all routes together.
pub(crate) struct Weights {
    weights: Vec<u64>,
    behind: Vec<u64>,
}

impl Weights {
    pub(crate) fn new(graph: &Graph) -> Self {
        let terminals: u64 = (0..graph.routers() as u32)
            .map(|router| u64::from(graph.terminals(router)))
            .sum();
        Self {
            weights: vec![terminals * terminals + 1; graph.arcs()],
            behind: vec![0; graph.routers()],
        }
    }

    #[inline]
    pub(crate) fn of(&self, arc: u32) -> u64 {
        self.weights[arc as usize]
    }

    /// Adds the routes of a tree; its routers come nearest first.
    pub(crate) fn add(&mut self, graph: &Graph, tree: &[u32], nearest_first: &[u32]) {
        self.behind.fill(0);
        for &router in nearest_first.iter().rev() {
            let arc = tree[router as usize];
            if arc == NONE {
                continue;
            }
            let routes = self.behind[router as usize] + u64::from(graph.terminals(router));
            self.weights[arc as usize] += routes;
            self.behind[graph.to(arc) as usize] += routes;
        }
    }
}

/// A tree to every living terminal, one after the other, of what weighs least so far; of equals the first that is found.
///
/// O(terminals x channels x log routers).
pub(crate) fn heavy_trees(network: &Network, graph: &Graph) -> Trees {
    let mut trees = Trees::without_ways(network);
    let mut weights = Weights::new(graph);
    let mut distance = vec![u64::MAX; graph.routers()];
    let (mut near, mut order) = (BinaryHeap::new(), Vec::new());
    for index in 0..trees.routers.len() {
        let destination = trees.routers[index];
        distance.fill(u64::MAX);
        distance[destination as usize] = 0;
        order.clear();
        near.push(Reverse((0, destination)));
        let tree = trees.to_mut(index);
        while let Some(Reverse((far, router))) = near.pop() {
            if far > distance[router as usize] {
                continue;
            }
            order.push(router);
            for arc in graph.arriving(router) {
                let before = graph.from(arc);
                let further = far + weights.of(arc);
                if further < distance[before as usize] {
                    distance[before as usize] = further;
                    tree[before as usize] = arc;
                    near.push(Reverse((further, before)));
                }
            }
        }
        weights.add(graph, tree, &order);
    }
    trees
}
