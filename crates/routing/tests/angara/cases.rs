//! Small systems with random failures, for the library and for the enumerator.

use crate::enumerator::{Node, Torus};
use crate::systems::broken;
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use turnwise_network::Network;

/// Sizes of a system, and what is to fail in it: links by node and dimension, and nodes.
pub(crate) type Draft = (Vec<u32>, Vec<(Index, Index)>, Vec<Index>);

/// Systems of one to four dimensions with so many nodes, dimensions and failures.
pub(crate) fn drafts(
    most_nodes: u32,
    sizes: Range<u32>,
    links: Range<usize>,
    routers: Range<usize>,
) -> impl Strategy<Value = Draft> {
    let sizes = prop::collection::vec(sizes, 1..5);
    let small = sizes.prop_filter("small", move |sizes| {
        (2..=most_nodes).contains(&sizes.iter().product::<u32>())
    });
    let links = prop::collection::vec(any::<(Index, Index)>(), links);
    (small, links, prop::collection::vec(any::<Index>(), routers))
}

/// The same broken system twice.
pub(crate) struct Case {
    /// As the enumerator has it, turns added.
    pub(crate) oracle: Torus,
    /// Its nodes by number.
    pub(crate) nodes: Vec<Node>,
    /// As the library has it.
    pub(crate) network: Arc<Network>,
}

impl Case {
    pub(crate) fn new((sizes, links, routers): &Draft, exact: bool) -> Self {
        let mut oracle = Torus::new(sizes);
        let nodes = oracle.nodes();
        let mut dead_links = BTreeSet::new();
        for (node, dimension) in links {
            let node = node.get(&nodes);
            let hop = (dimension.index(sizes.len()), true);
            if let Some(other) = oracle.neighbour(node, hop) {
                let (a, b) = (oracle.number(node), oracle.number(&other));
                dead_links.insert((a.min(b), a.max(b)));
                oracle.kill_link(node, hop);
            }
        }
        let dead = routers.iter().map(|index| index.index(nodes.len()) as u32);
        let dead: BTreeSet<u32> = dead.collect();
        let dead_nodes = dead.iter().map(|&router| nodes[router as usize].clone());
        oracle.dead_nodes = dead_nodes.collect();
        oracle.add_turns(exact);
        let dead_links: Vec<(u32, u32)> = dead_links.into_iter().collect();
        let dead: Vec<u32> = dead.into_iter().collect();
        Self {
            network: broken(sizes, &dead_links, &dead),
            oracle,
            nodes,
        }
    }
}
