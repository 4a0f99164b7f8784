//! Colours of edges that spread evenly over the nodes of higher levels too.
//!
//! A colouring that has each colour equally often at every node of a level, within one, may still send most edges of one colour through
//! the same node of the next level. Take the edges of two colours: at each node an edge of one colour is paired with one of the
//! other, so they fall into paths and cycles along which the colours alternate. The colours of a whole path can change places, and
//! every node has each as often as before, within one. So we may choose, path by path, what is evenest above. Two colours at a time, until no
//! exchange makes the sum of squares smaller, which makes it end.
//!
//! Even sets that are nested, on either side, can be had exactly (de Werra, 1971); those of two levels are not nested, since some edges of a
//! node stay below the next level.
//!
//! Complexity: O(edges x colours) a round, and few rounds.

use crate::fat_tree::colouring::Edge;
use std::collections::BTreeMap;

/// A node above: how many levels, whether edges come down to it, and its number.
type Above = (usize, usize, u32);

/// Exchanges colours along paths until they are as even above as that makes them.
pub(crate) fn even_out(edges: &[Edge], found: &mut [u32], colours: u32) {
    if edges.iter().all(|edge| edge.above.is_empty()) {
        return;
    }
    loop {
        let mut by_colour = vec![Vec::new(); colours as usize];
        for (edge, &colour) in found.iter().enumerate() {
            by_colour[colour as usize].push(edge);
        }
        let mut better = false;
        for second in 1..by_colour.len() {
            for first in 0..second {
                let pair = Pair::new(edges, [&by_colour[first], &by_colour[second]]);
                let Some(exchanged) = pair.even() else {
                    continue;
                };
                better = true;
                by_colour[first] = exchanged[0].clone();
                by_colour[second] = exchanged[1].clone();
            }
        }
        for (colour, edges) in by_colour.iter().enumerate() {
            for &edge in edges {
                found[edge] = colour as u32;
            }
        }
        if !better {
            return;
        }
    }
}

/// The edges of two colours.
struct Pair<'a> {
    edges: &'a [Edge],
    of_colour: [&'a [usize]; 2],
    /// By node above: edges of the first colour less those of the second.
    excess: BTreeMap<Above, i64>,
}

/// A path or a cycle: its edges by colour, and what it adds to the excess above.
struct Path {
    edges: [Vec<usize>; 2],
    excess: BTreeMap<Above, i64>,
}

impl<'a> Pair<'a> {
    fn new(edges: &'a [Edge], of_colour: [&'a Vec<usize>; 2]) -> Self {
        let of_colour = of_colour.map(Vec::as_slice);
        let excess = excess(edges, of_colour);
        Self {
            edges,
            of_colour,
            excess,
        }
    }

    /// The edges of both colours after exchanges that make them more even above, if there are any.
    fn even(mut self) -> Option<[Vec<usize>; 2]> {
        if self.excess.values().all(|excess| excess.abs() <= 1) {
            return None;
        }
        let mut paths = self.paths();
        let mut better = false;
        loop {
            let mut exchanged = false;
            for path in &mut paths {
                let gain: i64 = (path.excess.iter())
                    .map(|(node, own)| own * (self.excess[node] - own))
                    .sum();
                if gain <= 0 {
                    continue;
                }
                for (node, own) in &mut path.excess {
                    if let Some(excess) = self.excess.get_mut(node) {
                        *excess -= 2 * *own;
                    }
                    *own = -*own;
                }
                path.edges.reverse();
                exchanged = true;
            }
            if !exchanged {
                break;
            }
            better = true;
        }
        better.then(|| {
            let mut edges = [Vec::new(), Vec::new()];
            for path in paths {
                for (all, of_path) in edges.iter_mut().zip(path.edges) {
                    all.extend(of_path);
                }
            }
            edges.map(|mut edges| {
                edges.sort_unstable();
                edges
            })
        })
    }

    fn paths(&self) -> Vec<Path> {
        let mates = [0, 1].map(|side| self.mates(side));
        let mut left: BTreeMap<usize, usize> = BTreeMap::new();
        for (colour, edges) in self.of_colour.iter().enumerate() {
            left.extend(edges.iter().map(|&edge| (edge, colour)));
        }
        let mut paths = Vec::new();
        while let Some((start, colour)) = left.pop_first() {
            let mut edges = [Vec::new(), Vec::new()];
            let mut open = vec![(start, colour)];
            while let Some((edge, colour)) = open.pop() {
                edges[colour].push(edge);
                let next = mates.iter().filter_map(|mates| mates.get(&edge));
                open.extend(next.filter_map(|mate| left.remove_entry(mate)));
            }
            let excess = excess(self.edges, [&edges[0], &edges[1]]);
            paths.push(Path { edges, excess });
        }
        paths
    }

    /// Who is paired with whom at the nodes of a side: as far as possible edges that go equally far up, whose excess above is none.
    fn mates(&self, side: usize) -> BTreeMap<usize, usize> {
        let mut waiting: BTreeMap<(u32, usize), [Vec<usize>; 2]> = BTreeMap::new();
        for (colour, edges) in self.of_colour.iter().enumerate() {
            for &edge in *edges {
                let Edge { ends, above } = &self.edges[edge];
                let alike = waiting.entry((ends[side], above.len())).or_default();
                alike[colour].push(edge);
            }
        }
        let mut mates = BTreeMap::new();
        let mut meet = |[first, second]: &mut [Vec<usize>; 2]| {
            while !first.is_empty() && !second.is_empty() {
                if let Some((one, other)) = first.pop().zip(second.pop()) {
                    mates.extend([(one, other), (other, one)]);
                }
            }
        };
        let mut of_node: BTreeMap<u32, [Vec<usize>; 2]> = BTreeMap::new();
        for ((node, _), mut alike) in waiting {
            meet(&mut alike);
            let rest = of_node.entry(node).or_default();
            for (rest, alike) in rest.iter_mut().zip(alike) {
                rest.extend(alike);
            }
        }
        of_node.values_mut().for_each(meet);
        mates
    }
}

/// By node above, how many more edges of the first colour pass it than of the second.
fn excess(edges: &[Edge], of_colour: [&[usize]; 2]) -> BTreeMap<Above, i64> {
    let mut excess = BTreeMap::new();
    for (numbers, sign) in of_colour.into_iter().zip([1, -1]) {
        for &edge in numbers {
            for (level, nodes) in edges[edge].above.iter().enumerate() {
                for (side, &node) in nodes.iter().enumerate() {
                    *excess.entry((level, side, node)).or_default() += sign;
                }
            }
        }
    }
    excess
}
