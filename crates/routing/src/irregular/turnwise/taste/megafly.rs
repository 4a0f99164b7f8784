//! Megafly (dragonfly+): spines by the number of the destination.

use super::{Destination, Taste, sorted};
use crate::irregular::by_destination::Graph;
use std::collections::BTreeMap;
use turnwise_network::recognition::Groups;

/// Of the spines that lead to a group, and of the links there, each destination of the group takes the next one.
pub(super) struct ByDestination {
    groups: Groups,
    /// By router: its place among the leaves of its group, times the terminals of a leaf.
    numbers: Vec<u32>,
    /// By router and group: the arcs that begin ways there.
    towards: BTreeMap<(u32, u32), Vec<u32>>,
}

impl ByDestination {
    pub(super) fn new(groups: Groups, graph: &Graph) -> Self {
        let is_leaf = |router: u32| graph.terminals(router) > 0;
        let routers = || 0..graph.routers() as u32;
        let mut leaves = vec![0; groups.count as usize];
        let mut numbers = vec![0; graph.routers()];
        for leaf in routers().filter(|&router| is_leaf(router)) {
            let place = &mut leaves[groups.group(leaf) as usize];
            numbers[leaf as usize] = *place * groups.terminals_per_router;
            *place += 1;
        }
        let mut towards: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        for arc in routers().flat_map(|router| graph.leaving(router)) {
            let [from, to] = [graph.from(arc), graph.to(arc)];
            if groups.group(from) != groups.group(to) {
                let arcs = towards.entry((from, groups.group(to))).or_default();
                arcs.push(arc);
            } else if is_leaf(from) {
                let mut further = vec![groups.group(to)];
                further.extend(graph.leaving(to).map(|arc| groups.group(graph.to(arc))));
                further.sort_unstable();
                further.dedup();
                for group in further {
                    towards.entry((from, group)).or_default().push(arc);
                }
            }
        }
        Self {
            groups,
            numbers,
            towards,
        }
    }
}

impl Taste for ByDestination {
    fn arc(&self, graph: &Graph, at: u32, to: Destination) -> Option<u32> {
        let number = self.numbers[to.router as usize] + to.number;
        let group = self.groups.group(to.router);
        if graph.terminals(at) == 0 && self.groups.group(at) == group {
            let mut arcs = graph.leaving(at);
            return arcs.find(|&arc| graph.to(arc) == to.router);
        }
        let arcs = self.towards.get(&(at, group))?;
        Some(arcs[number as usize % arcs.len()])
    }

    fn tells_terminals(&self) -> bool {
        true
    }

    /// Up, to other groups, and down.
    fn lanes(&self, graph: &Graph) -> Vec<Vec<u32>> {
        let order = sorted(graph, |arc| {
            let [from, to] = [graph.from(arc), graph.to(arc)].map(|at| graph.terminals(at) > 0);
            match (from, to) {
                (true, _) => 0,
                (false, false) => 1,
                (false, true) => 2,
            }
        });
        vec![order]
    }
}
