//! A second opinion on which routes are legal: all of them, spelt out from the definitions.
//!
//! Shares no code with the library: nodes are coordinate vectors, hops are (dimension, sign),
//! routes are tried one by one, dependencies are searched afresh for every turn.

use std::collections::{BTreeMap, BTreeSet};

pub(crate) type Hop = (usize, bool);
pub(crate) type Node = Vec<u32>;
type Channel = (Node, Hop);

pub(crate) struct Torus {
    pub(crate) sizes: Vec<u32>,
    /// Dead channels, both directions of a link each.
    pub(crate) dead: BTreeSet<Channel>,
    pub(crate) dead_nodes: BTreeSet<Node>,
    pub(crate) added: BTreeSet<(Channel, Hop)>,
}

impl Torus {
    pub(crate) fn new(sizes: &[u32]) -> Self {
        Self {
            sizes: sizes.to_vec(),
            dead: BTreeSet::new(),
            dead_nodes: BTreeSet::new(),
            added: BTreeSet::new(),
        }
    }

    pub(crate) fn nodes(&self) -> Vec<Node> {
        let mut nodes: Vec<Node> = vec![Vec::new()];
        for &size in &self.sizes {
            let extend = |node: &Node| {
                (0..size)
                    .map(|c| [node.as_slice(), &[c]].concat())
                    .collect::<Vec<_>>()
            };
            nodes = nodes.iter().flat_map(extend).collect();
        }
        nodes
    }

    /// A node's number, row by row.
    pub(crate) fn number(&self, node: &Node) -> u32 {
        let digits = node.iter().zip(&self.sizes);
        digits.fold(0, |number, (coordinate, size)| number * size + coordinate)
    }

    fn directions(&self) -> Vec<Hop> {
        let dimensions = self.sizes.len();
        let up = (0..dimensions).map(|d| (d, true));
        up.chain((0..dimensions).map(|d| (d, false))).collect()
    }

    fn rank(&self, (dimension, up): Hop) -> usize {
        dimension + if up { 0 } else { self.sizes.len() }
    }

    pub(crate) fn neighbour(&self, node: &Node, hop: Hop) -> Option<Node> {
        let (dimension, up) = hop;
        let size = self.sizes[dimension];
        let here = node[dimension];
        let there = match (size, up) {
            (1, _) => return None,
            (2, true) => (here == 0).then_some(1)?,
            (2, false) => (here == 1).then_some(0)?,
            (_, true) => (here + 1) % size,
            (_, false) => (here + size - 1) % size,
        };
        let mut next = node.clone();
        next[dimension] = there;
        let broken = self.dead.contains(&(node.clone(), hop))
            || self.dead_nodes.contains(node)
            || self.dead_nodes.contains(&next);
        (!broken).then_some(next)
    }

    pub(crate) fn kill_link(&mut self, node: &Node, hop: Hop) {
        if let Some(other) = self.neighbour(node, hop) {
            self.dead.insert((other, (hop.0, !hop.1)));
            self.dead.insert((node.clone(), hop));
        }
    }

    /// May a packet turn from one hop to the next, where the first leaves `node`?
    fn turn(&self, node: &Node, from: Hop, to: Hop) -> bool {
        if from.0 == to.0 && from.1 != to.1 {
            return false;
        }
        self.rank(to) >= self.rank(from) || self.added.contains(&((node.clone(), from), to))
    }

    fn reachable(&self, from: &Channel) -> BTreeSet<Channel> {
        let mut seen = BTreeSet::from([from.clone()]);
        let mut pending = vec![from.clone()];
        while let Some((node, hop)) = pending.pop() {
            let Some(next) = self.neighbour(&node, hop) else {
                continue;
            };
            for onward in self.directions() {
                let channel = (next.clone(), onward);
                if self.turn(&node, hop, onward)
                    && self.neighbour(&next, onward).is_some()
                    && seen.insert(channel.clone())
                {
                    pending.push(channel);
                }
            }
        }
        seen
    }

    /// Adds the turns that Theorem 2 (or, if `exact`, the absence of a path) shows to be safe.
    pub(crate) fn add_turns(&mut self, exact: bool) {
        loop {
            let before = self.added.len();
            for node in self.nodes() {
                for from in self.directions() {
                    let Some(corner) = self.neighbour(&node, from) else {
                        continue;
                    };
                    for to in self.directions() {
                        let onto = (corner.clone(), to);
                        if self.rank(to) >= self.rank(from)
                            || to.0 == from.0
                            || !from.1 && to.1
                            || self.neighbour(&corner, to).is_none()
                            || self.added.contains(&((node.clone(), from), to))
                        {
                            continue;
                        }
                        let reached = self.reachable(&onto);
                        let clash = if exact {
                            reached.contains(&(node.clone(), from))
                        } else {
                            reached.iter().any(|&(_, hop)| hop == from)
                        };
                        if !clash {
                            self.added.insert(((node.clone(), from), to));
                        }
                    }
                }
            }
            if self.added.len() == before {
                return;
            }
        }
    }

    /// Every shortest legal route from a node, by destination.
    pub(crate) fn shortest(&self, source: &Node) -> BTreeMap<Node, BTreeSet<Vec<Hop>>> {
        let mut regular: Vec<Vec<Hop>> = vec![Vec::new()];
        for hop in self.directions() {
            let extend = |route: &Vec<Hop>| {
                let clash = route.contains(&(hop.0, !hop.1));
                let most = if clash { 0 } else { self.sizes[hop.0] - 1 };
                (0..=most)
                    .map(|count| [route.clone(), vec![hop; count as usize]].concat())
                    .collect::<Vec<_>>()
            };
            regular = regular.iter().flat_map(extend).collect();
        }
        let steps = |up: bool| {
            let some = (0..self.sizes.len()).map(move |d| Some((d, up)));
            std::iter::once(None).chain(some)
        };
        let mut found: BTreeMap<Node, BTreeSet<Vec<Hop>>> = BTreeMap::new();
        for middle in &regular {
            for first in steps(true) {
                for last in steps(false) {
                    if middle.is_empty() && first.is_some() && last.is_some() {
                        continue;
                    }
                    let hops: Vec<Hop> = first
                        .into_iter()
                        .chain(middle.iter().copied())
                        .chain(last)
                        .collect();
                    let Some(end) = self.follow(source, &hops) else {
                        continue;
                    };
                    let known = found.entry(end).or_default();
                    let best = known.first().map_or(usize::MAX, Vec::len);
                    if hops.len() < best {
                        known.clear();
                    }
                    if hops.len() <= best {
                        known.insert(hops);
                    }
                }
            }
        }
        found.remove(source);
        found
    }

    fn follow(&self, source: &Node, hops: &[Hop]) -> Option<Node> {
        let mut before: Option<Channel> = None;
        let mut at = source.clone();
        for &hop in hops {
            if before
                .as_ref()
                .is_some_and(|(node, from)| !self.turn(node, *from, hop))
            {
                return None;
            }
            let next = self.neighbour(&at, hop)?;
            before = Some((at, hop));
            at = next;
        }
        (!hops.is_empty()).then_some(at)
    }
}
