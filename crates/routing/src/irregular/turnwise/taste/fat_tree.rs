//! Fat trees: destination-mod-k, by which every channel up and down carries the same.
//!
//! Source: Zahavi, Johnson, Kerbyson, Lang, "Optimized InfiniBand fat-tree routing for shift all-to-all communication patterns",
//! Concurrency and Computation 22(2), 2010.

use super::{Destination, Taste, sorted};
use crate::irregular::by_destination::Graph;
use turnwise_network::recognition::Tree;

/// Up by the digits of the destination's number, then down.
pub(super) struct ByDestination {
    tree: Tree,
    /// By router: its place among the leaves, from one subtree to the next, times the terminals of a leaf.
    numbers: Vec<u32>,
    /// By router: the arcs that lead up, one to each router above in their order, and so again for as many links as lie side by side.
    up: Vec<Vec<u32>>,
}

impl ByDestination {
    pub(super) fn new(tree: Tree, graph: &Graph) -> Self {
        let level = |router: u32| tree.levels[router as usize];
        let routers = || 0..graph.routers() as u32;
        let mut leaves: Vec<u32> = routers().filter(|&router| level(router) == 1).collect();
        leaves.sort_by_cached_key(|&leaf| {
            let subtrees = tree.below.iter().rev();
            Vec::from_iter(subtrees.map(|below| below[leaf as usize]))
        });
        let mut numbers = vec![0; graph.routers()];
        for (place, &leaf) in (0..).zip(&leaves) {
            numbers[leaf as usize] = place * tree.m[0];
        }
        let up = routers().map(|router| {
            let here = level(router);
            let arcs = graph.leaving(router);
            let mut up: Vec<u32> = arcs.filter(|&arc| level(graph.to(arc)) > here).collect();
            let copy = |arc: u32| graph.copies(arc).take_while(|&copy| copy < arc).count();
            up.sort_by_cached_key(|&arc| {
                let above = tree.above[here as usize][graph.to(arc) as usize];
                (copy(arc), above)
            });
            up
        });
        Self {
            up: up.collect(),
            numbers,
            tree,
        }
    }

    fn is_up(&self, graph: &Graph, arc: u32) -> bool {
        let [from, to] = [graph.from(arc), graph.to(arc)].map(|at| self.tree.levels[at as usize]);
        from < to
    }
}

impl Taste for ByDestination {
    fn arc(&self, graph: &Graph, at: u32, to: Destination) -> Option<u32> {
        let Tree { w, copies, .. } = &self.tree;
        let level = self.tree.levels[at as usize] as usize;
        let subtree = |level: usize, router: u32| self.tree.below[level - 1][router as usize];
        let number = self.numbers[to.router as usize] + to.number;
        if level > 1 && subtree(level, at) == subtree(level, to.router) {
            let below = subtree(level - 1, to.router);
            let arcs = graph.leaving(at).filter(|&arc| !self.is_up(graph, arc));
            let mut down = arcs.filter(|&arc| subtree(level - 1, graph.to(arc)) == below);
            // The same one of those side by side as from there up.
            let lower: u32 = w[..level].iter().product();
            let copy = down.clone().nth((number / lower % copies) as usize);
            return copy.or_else(|| down.next());
        }
        let lower: u32 = w[..level].iter().product();
        let up = &self.up[at as usize];
        let count = w.get(level).copied()? * copies;
        let is_whole = up.len() == count as usize;
        is_whole.then(|| up[(number / lower % count) as usize])
    }

    fn tells_terminals(&self) -> bool {
        true
    }

    fn tells_copies(&self) -> bool {
        true
    }

    /// Up level by level, then down.
    fn lanes(&self, graph: &Graph) -> Vec<Vec<u32>> {
        let height = self.tree.height() as u32;
        let order = sorted(graph, |arc| {
            let level = self.tree.levels[graph.from(arc) as usize];
            match self.is_up(graph, arc) {
                true => level,
                false => 2 * height - level,
            }
        });
        vec![order]
    }
}
