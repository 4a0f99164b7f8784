//! Links side by side: of those that join the same two routers, each destination takes the one that carries least with it.
//!
//! Complexity: O(terminals x routers x diameter) where there are any, nothing otherwise.

use super::graph::{Graph, NONE};
use super::routes::Trees;

impl Trees {
    /// Spreads trees that know one link of several over all of them, on each of which a route is so much.
    pub(crate) fn spread_over_copies(&mut self, graph: &Graph, pace: impl Fn(u32) -> u64) {
        if !graph.has_copies() {
            return;
        }
        let mut loads = vec![0u64; graph.arcs()];
        let terminals = self.terminals();
        for (index, terminals) in terminals.into_iter().enumerate() {
            let tree = self.to_mut(index);
            let behind = behind(graph, tree);
            for (arc, routes) in tree.iter_mut().zip(behind) {
                if *arc == NONE {
                    continue;
                }
                let routes = u64::from(routes * terminals);
                let load = |&copy: &u32| loads[copy as usize] + routes * pace(copy);
                let lightest = graph.copies(*arc).min_by_key(load);
                *arc = lightest.unwrap_or(*arc);
                loads[*arc as usize] += routes * pace(*arc);
            }
        }
    }
}

/// By router: the terminals that send by it along a tree, its own among them.
fn behind(graph: &Graph, tree: &[u32]) -> Vec<u32> {
    let mut behind = vec![0; tree.len()];
    for router in (0..tree.len() as u32).filter(|&router| graph.terminals(router) > 0) {
        let mut at = router;
        loop {
            behind[at as usize] += graph.terminals(router);
            match tree[at as usize] {
                NONE => break,
                arc => at = graph.to(arc),
            }
        }
    }
    behind
}
