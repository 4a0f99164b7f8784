//! Colours for the edges of a bipartite graph, each as rarely as possible at every node.
//!
//! With `k` colours a node of `d` edges has no colour more than `ceil(d / k)` times. Nodes of many edges are split into nodes of `k` edges, one
//! after the other; a graph whose nodes have at most `k` edges has a proper colouring with `k` colours (König, 1916), which is found edge
//! by edge: where the two ends have no free colour in common, two colours change places along a path.
//!
//! Complexity: O(edges x nodes) at worst, O(edges x k) where paths are short.

use crate::fat_tree::evening;

/// An edge from a node on one side to a node on the other.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) ends: [u32; 2],
    /// The nodes of further levels that it goes through, of either side, from the next level on.
    pub(crate) above: Vec<[u32; 2]>,
}

/// A colour below `colours` for each edge, beside others that keep theirs. As rarely as possible at every node if there are no others.
pub(crate) fn colours(edges: &[Edge], colours: u32, kept: &[(Edge, u32)]) -> Vec<u32> {
    let colours = colours.max(1);
    let mut colouring = Colouring::new(edges, colours as usize);
    for edge in 0..edges.len() {
        colouring.colour(edge);
    }
    let found = colouring.found.into_iter();
    let mut found: Vec<u32> = found.map(|colour| colour as u32).collect();
    evening::even_out(edges, &mut found, colours, kept);
    found
}

/// No edge.
const NONE: usize = usize::MAX;

/// A proper colouring of the edges so far, of nodes that have been split.
struct Colouring {
    colours: usize,
    /// By side and edge, the first place of its node in `edges`.
    ends: [Vec<usize>; 2],
    /// By side, node and colour, the edge of that colour.
    edges: [Vec<usize>; 2],
    /// By edge.
    found: Vec<usize>,
}

impl Colouring {
    fn new(edges: &[Edge], colours: usize) -> Self {
        let [left, right] =
            [0, 1].map(|side| split(edges.iter().map(|edge| edge.ends[side]), colours));
        let nothing = |ends: &[usize]| {
            let beyond = ends.iter().max().map_or(0, |last| last + colours);
            vec![NONE; beyond]
        };
        Self {
            colours,
            edges: [nothing(&left), nothing(&right)],
            ends: [left, right],
            found: vec![0; edges.len()],
        }
    }

    fn colour(&mut self, edge: usize) {
        let [from, to] = [0, 1].map(|side| self.ends[side][edge]);
        let free = |side: usize, node: usize| {
            let of_node = &self.edges[side][node..node + self.colours];
            of_node.iter().position(|&edge| edge == NONE)
        };
        // A node has no more edges than there are colours, so one of them is free.
        let Some((ours, theirs)) = free(0, from).zip(free(1, to)) else {
            return;
        };
        if self.edges[1][to + ours] != NONE {
            self.exchange(to, ours, theirs);
        }
        self.set(edge, ours);
    }

    fn set(&mut self, edge: usize, colour: usize) {
        for side in 0..2 {
            let node = self.ends[side][edge];
            self.edges[side][node + colour] = edge;
        }
        self.found[edge] = colour;
    }

    /// Two colours change places along the path of their edges that begins at a node of the right side.
    fn exchange(&mut self, node: usize, first: usize, second: usize) {
        let (mut side, mut node, mut path) = (1, node, Vec::new());
        let mut colours = [first, second];
        loop {
            let edge = self.edges[side][node + colours[0]];
            if edge == NONE {
                break;
            }
            path.push((edge, colours));
            side = 1 - side;
            node = self.ends[side][edge];
            colours.reverse();
        }
        for &(edge, [old, _]) in &path {
            for side in 0..2 {
                let node = self.ends[side][edge];
                self.edges[side][node + old] = NONE;
            }
        }
        for (edge, [_, new]) in path {
            self.set(edge, new);
        }
    }
}

/// By edge, the first place of the part of its node that it belongs to; parts have `colours` edges, and as many places.
fn split(nodes: impl Iterator<Item = u32>, colours: usize) -> Vec<usize> {
    // By node: the part that is being filled, and how full it is.
    let mut filling: Vec<(usize, usize)> = Vec::new();
    let mut parts = 0;
    let part = |node: u32| {
        let node = node as usize;
        if filling.len() <= node {
            filling.resize(node + 1, (0, colours));
        }
        let (part, used) = &mut filling[node];
        if *used == colours {
            (*part, *used) = (parts * colours, 0);
            parts += 1;
        }
        *used += 1;
        *part
    };
    nodes.map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn no_node_has_a_colour_more_often_than_it_must(
            edges in proptest::collection::vec((0u32..6, 0u32..6), 0..80),
            count in 1u32..9,
        ) {
            let edges: Vec<Edge> = (edges.into_iter())
                .map(|ends| Edge { ends: ends.into(), above: Vec::new() })
                .collect();
            let found = colours(&edges, count, &[]);
            for side in 0..2 {
                let node = |edge: &Edge| edge.ends[side];
                let mut degrees = BTreeMap::new();
                let mut uses = BTreeMap::new();
                for (edge, &colour) in edges.iter().zip(&found) {
                    prop_assert!(colour < count);
                    *degrees.entry(node(edge)).or_insert(0u32) += 1;
                    *uses.entry((node(edge), colour)).or_insert(0u32) += 1;
                }
                for ((node, _), uses) in uses {
                    prop_assert!(uses <= degrees[&node].div_ceil(count));
                }
            }
        }
    }
}
