//! BFS on the routing graph, in any reading.

use crate::graph::{Edge, Graph};
use crate::reading::{Axis, Reading};
use std::cmp::Reverse;

/// Edges that leave the beginning in four dimensions, the one to the end included.
const MOST_EDGES: usize = 13;

/// How many routes went over links, and over edges to an end.
struct Weights {
    links: Vec<u32>,
    end_vertices: Vec<u32>,
    end_nodes: Vec<u32>,
}

/// The first shortest route to every vertex.
struct Tree {
    /// By vertex: the one before and the channel between.
    parents: Vec<Option<(usize, usize)>>,
    /// By node: hops from the source, and the vertex before its end.
    ends: Vec<Option<(u32, usize)>>,
}

impl Graph {
    /// Largest and least load of the table.
    pub(crate) fn extremes(&self, reading: &Reading) -> (u32, u32) {
        let nodes = self.places.len();
        let mut weights = Weights {
            links: vec![0; nodes * 2 * self.dimensions],
            end_vertices: vec![0; self.edges.len()],
            end_nodes: vec![0; nodes],
        };
        let mut left: Vec<usize> = (0..nodes).collect();
        let mut source = [0, nodes - 1][reading.on(Axis::First)];
        loop {
            left.retain(|&node| node != source);
            let tree = self.grow(reading, &weights, source);
            for target in (0..nodes).filter(|&target| target != source) {
                let (_, mut vertex) = tree.ends[target].unwrap();
                weights.end_vertices[vertex] += 1;
                weights.end_nodes[target] += 1;
                while let Some((before, channel)) =
                    tree.parents[vertex].filter(|&(before, _)| before != vertex)
                {
                    weights.links[channel] += 1;
                    vertex = before;
                }
            }
            let place = |node: usize| {
                let mut place = self.places[node].map(i32::from);
                if reading.on(Axis::Next) % 2 == 1 {
                    place.reverse();
                }
                if reading.on(Axis::Next) < 2 {
                    place
                } else {
                    place.map(|coordinate| -coordinate)
                }
            };
            let hops = |node: usize| tree.ends[node].unwrap().0;
            let Some(next) = left
                .iter()
                .copied()
                .max_by_key(|&node| (hops(node), place(node)))
            else {
                break;
            };
            source = next;
        }
        let loads = || self.living.iter().map(|&channel| weights.links[channel]);
        (loads().max().unwrap(), loads().min().unwrap())
    }

    fn grow(&self, reading: &Reading, weights: &Weights, source: usize) -> Tree {
        let mut tree = Tree {
            parents: vec![None; self.edges.len()],
            ends: vec![None; self.places.len()],
        };
        let start = source * self.memories;
        tree.parents[start] = Some((start, 0));
        let (mut level, mut hops) = (vec![start], 0);
        while tree.ends.contains(&None) {
            self.line_up(reading, weights, &tree, &mut level);
            let mut next_level = Vec::new();
            for &vertex in &level {
                let (node, memory) = (vertex / self.memories, vertex % self.memories);
                if tree.ends[node].is_none()
                    && !(self.is_first[memory] && reading.leaves_out_first())
                {
                    tree.ends[node] = Some((hops, vertex));
                }
                for edge in self.listed(reading, weights, vertex) {
                    if tree.parents[edge.to].is_none() {
                        tree.parents[edge.to] = Some((vertex, edge.channel));
                        next_level.push(edge.to);
                    }
                }
            }
            level = next_level;
            hops += 1;
        }
        tree
    }

    /// The edges of a vertex in the sequence in which they are followed.
    fn listed(&self, reading: &Reading, weights: &Weights, vertex: usize) -> Vec<Edge> {
        let mut edges: Vec<Edge> = self.edges[vertex]
            .iter()
            .copied()
            .filter(|edge| reading.keeps(edge))
            .collect();
        let count = self.dimensions;
        let by = |edge: &Edge| {
            let (dimension, down) = (edge.rank % count, edge.rank / count);
            match reading.on(Axis::List) {
                0 | 1 => (0, 0),
                2 => (dimension, down),
                3 => (count - dimension, down),
                4 => (count - dimension, 1 - down),
                _ => (dimension, 1 - down),
            }
        };
        if reading.on(Axis::List) == 1 {
            edges.reverse();
        }
        edges.sort_by_key(by);
        const KINDS: [[u8; 3]; 7] = [
            [0, 0, 0],
            [0, 1, 1],
            [1, 0, 0],
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [2, 1, 0],
        ];
        edges.sort_by_key(|edge| KINDS[reading.on(Axis::Hops)][edge.kind]);
        if reading.on(Axis::Edges) == 0 {
            edges.sort_by_key(|edge| weights.links[edge.channel]);
        }
        edges
    }

    /// Puts the vertices of a level into the sequence in which they are visited.
    fn line_up(&self, reading: &Reading, weights: &Weights, tree: &Tree, level: &mut [usize]) {
        match reading.on(Axis::Equal) {
            0 => {}
            1 => level.reverse(),
            2 => level.sort_unstable(),
            _ => level.sort_unstable_by_key(|&vertex| Reverse(vertex)),
        }
        level.sort_by_cached_key(|&vertex| self.key(reading, weights, tree, vertex));
    }

    /// What of the outgoing weights counts, or all of them as the digits of a number.
    fn key(&self, reading: &Reading, weights: &Weights, tree: &Tree, vertex: usize) -> u128 {
        let (node, memory) = (vertex / self.memories, vertex % self.memories);
        let only_new = reading.on(Axis::KeyEdges) == 1;
        let (end, kind) = (reading.on(Axis::End), reading.on(Axis::Key));
        let is_kept = !(self.is_first[memory] && reading.leaves_out_first());
        let (mut list, mut count) = ([0; MOST_EDGES], 0);
        let mut push = |weight: u32| {
            list[count] = u128::from(weight) + 1;
            count += 1;
        };
        let has_end = (end == 2 || end == 0 && is_kept) && !(only_new && tree.ends[node].is_some());
        if has_end {
            let end_weights = [weights.end_vertices[vertex], weights.end_nodes[node], 0];
            push(end_weights[reading.on(Axis::EndWeight)]);
        }
        for edge in self.edges[vertex].iter().filter(|edge| reading.keeps(edge)) {
            if !(only_new && tree.parents[edge.to].is_some()) {
                push(weights.links[edge.channel]);
            }
        }
        let list = &mut list[..count];
        match kind {
            0 => return list.iter().copied().min().unwrap_or(0),
            1 => return list.iter().copied().max().unwrap_or(0),
            2 => return list.iter().sum::<u128>() - count as u128,
            3 => return (list.iter().sum::<u128>() << 20) / count.max(1) as u128,
            4 => list.sort_unstable(),
            5 => list.sort_unstable_by_key(|&weight| Reverse(weight)),
            7 if has_end => list.rotate_left(1),
            _ => {}
        }
        // A digit has nine bits: no channel of these small systems is crossed 500 times.
        let digits = list.iter().chain([&0; MOST_EDGES]).take(MOST_EDGES);
        digits.fold(0, |number, digit| number << 9 | digit)
    }
}
