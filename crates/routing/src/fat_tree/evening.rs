//! Colours of edges that spread evenly over the nodes of higher levels too.
//!
//! A colouring that has each colour equally often at every node of a level, within one, may still send most edges of one colour through
//! the same node of the next level. Take the edges of two colours: at each node an edge of one colour is paired with one of the
//! other, so they fall into paths and cycles along which the colours alternate. The colours of a whole path can change places, and
//! every node has each as often as before, within one. So we may choose, path by path, what is evenest above. Two colours at a time, until no
//! exchange makes the sum of squares smaller, which makes it end.
//!
//! Edges may have a colour already that they keep. Then nodes of the level itself are to be even with these too, and single edges change
//! their colour as well.
//!
//! Even sets that are nested, on either side, can be had exactly (de Werra, 1971); those of two levels are not nested, since some edges of a
//! node stay below the next level.
//!
//! Complexity: O(edges x colours) a round, and few rounds.

use crate::fat_tree::colouring::Edge;
use std::collections::BTreeMap;

/// A node: how many levels above, whether edges come down to it, and its number.
type Node = (usize, usize, u32);

/// Exchanges colours until they are as even above as that makes them, and everywhere where some are `kept`.
pub(crate) fn even_out(edges: &[Edge], found: &mut [u32], colours: u32, kept: &[(Edge, u32)]) {
    if kept.is_empty() && edges.iter().all(|edge| edge.above.is_empty()) {
        return;
    }
    // The first level that counts.
    let from = usize::from(kept.is_empty());
    let mut by_colour = vec![Vec::new(); colours as usize];
    for (edge, &colour) in found.iter().enumerate() {
        by_colour[colour as usize].push(edge);
    }
    let mut kept_by_colour = vec![Vec::new(); colours as usize];
    for (edge, colour) in kept {
        kept_by_colour[*colour as usize].push(edge);
    }
    let mut better = true;
    while better {
        better = false;
        for second in 1..by_colour.len() {
            for first in 0..second {
                let both = [first, second];
                let (of_colour, kept) = (
                    both.map(|colour| by_colour[colour].as_slice()),
                    both.map(|colour| kept_by_colour[colour].as_slice()),
                );
                if let Some([ones, others]) = Pair::new(edges, of_colour, kept, from).even() {
                    better = true;
                    by_colour[first] = ones;
                    by_colour[second] = others;
                }
            }
        }
    }
    for (colour, edges) in by_colour.iter().enumerate() {
        for &edge in edges {
            found[edge] = colour as u32;
        }
    }
}

/// The edges of two colours.
struct Pair<'a> {
    edges: &'a [Edge],
    of_colour: [&'a [usize]; 2],
    /// The first level that counts: 0 if some edges keep their colour.
    from: usize,
    /// By node: edges of the first colour less those of the second.
    excess: BTreeMap<Node, i64>,
}

/// Edges that change their colours together, by colour, and what they add to the excess.
struct Group {
    edges: [Vec<usize>; 2],
    excess: BTreeMap<Node, i64>,
}

impl<'a> Pair<'a> {
    /// Edges of both colours, and those that have and keep them.
    fn new(
        edges: &'a [Edge],
        of_colour: [&'a [usize]; 2],
        kept: [&[&Edge]; 2],
        from: usize,
    ) -> Self {
        let mut excess = excess(edges, of_colour, from);
        for (kept, sign) in kept.into_iter().zip([1, -1]) {
            for node in kept.iter().flat_map(|edge| nodes(edge, from)) {
                *excess.entry(node).or_default() += sign;
            }
        }
        Self {
            edges,
            of_colour,
            from,
            excess,
        }
    }

    /// The edges of both colours after exchanges that make them more even, if there are any.
    fn even(mut self) -> Option<[Vec<usize>; 2]> {
        if self.excess.values().all(|excess| excess.abs() <= 1) {
            return None;
        }
        let mut groups = self.paths();
        let mut better = self.exchange(&mut groups);
        if self.from == 0 {
            groups = self.singles(&groups);
            better |= self.exchange(&mut groups);
        }
        better.then(|| {
            let mut edges = [Vec::new(), Vec::new()];
            for group in groups {
                for (all, of_group) in edges.iter_mut().zip(group.edges) {
                    all.extend(of_group);
                }
            }
            edges.map(|mut edges| {
                edges.sort_unstable();
                edges
            })
        })
    }

    /// Groups exchange their colours as long as that makes the sum of squares smaller. Has any?
    fn exchange(&mut self, groups: &mut [Group]) -> bool {
        let mut better = false;
        loop {
            let mut exchanged = false;
            for group in &mut *groups {
                let gain: i64 = (group.excess.iter())
                    .map(|(node, own)| own * (self.excess[node] - own))
                    .sum();
                if gain <= 0 {
                    continue;
                }
                for (node, own) in &mut group.excess {
                    if let Some(excess) = self.excess.get_mut(node) {
                        *excess -= 2 * *own;
                    }
                    *own = -*own;
                }
                group.edges.reverse();
                exchanged = true;
            }
            if !exchanged {
                return better;
            }
            better = true;
        }
    }

    fn group(&self, edges: [Vec<usize>; 2]) -> Group {
        let excess = excess(self.edges, [&edges[0], &edges[1]], self.from);
        Group { edges, excess }
    }

    /// Every edge on its own.
    fn singles(&self, groups: &[Group]) -> Vec<Group> {
        let singles = groups.iter().flat_map(|group| {
            let [first, second] = &group.edges;
            let firsts = first.iter().map(|&edge| [vec![edge], Vec::new()]);
            firsts.chain(second.iter().map(|&edge| [Vec::new(), vec![edge]]))
        });
        singles.map(|edges| self.group(edges)).collect()
    }

    /// Paths and cycles along which colours alternate at every node of the level.
    fn paths(&self) -> Vec<Group> {
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
            paths.push(self.group(edges));
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

/// By node from a level on, how many more edges of the first colour pass it than of the second.
fn excess(edges: &[Edge], of_colour: [&[usize]; 2], from: usize) -> BTreeMap<Node, i64> {
    let mut excess = BTreeMap::new();
    for (numbers, sign) in of_colour.into_iter().zip([1, -1]) {
        for node in numbers.iter().flat_map(|&edge| nodes(&edges[edge], from)) {
            *excess.entry(node).or_default() += sign;
        }
    }
    excess
}

/// The nodes that an edge passes, from a level on.
fn nodes(edge: &Edge, from: usize) -> impl Iterator<Item = Node> + '_ {
    let levels = std::iter::once(&edge.ends).chain(&edge.above);
    let levels = levels.enumerate().skip(from);
    levels.flat_map(|(level, nodes)| [(level, 0, nodes[0]), (level, 1, nodes[1])])
}
