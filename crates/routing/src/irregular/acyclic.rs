//! A graph of dependencies that stays free of circles: one is added if it closes none.
//!
//! The nodes are kept in an order in which every dependency leads forwards. A new one that does so already costs nothing; another one
//! costs a search of what lies between its two ends in the order, which either finds the circle or is put in order.
//!
//! Source: Pearce, Kelly, "A dynamic topological sort algorithm for directed acyclic graphs", ACM JEA 11, 2006.
//!
//! Complexity: O(nodes) to make; a dependency costs at most the nodes and dependencies between its ends.

/// Nodes are numbered from 0.
#[derive(Clone, Debug)]
pub(crate) struct Acyclic {
    /// By node: its place in the order.
    place: Vec<u32>,
    /// By node: those that depend on it, and those it depends on.
    after: Vec<Vec<u32>>,
    before: Vec<Vec<u32>>,
    /// By node: the last search that came by.
    seen: Vec<u32>,
    search: u32,
    forwards: Vec<u32>,
    backwards: Vec<u32>,
}

/// What became of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// It is there now.
    New,
    /// It was there.
    Known,
    /// It would have closed a circle, and is not there.
    Refused,
}

impl Acyclic {
    pub(crate) fn new(nodes: usize) -> Self {
        Self::in_order((0..nodes as u32).collect())
    }

    /// The same, with a place for each node in the order to begin with: dependencies that agree with it cost nothing.
    pub(crate) fn in_order(places: Vec<u32>) -> Self {
        let nodes = places.len();
        Self {
            place: places,
            after: vec![Vec::new(); nodes],
            before: vec![Vec::new(); nodes],
            seen: vec![0; nodes],
            search: 0,
            forwards: Vec::new(),
            backwards: Vec::new(),
        }
    }

    /// Adds that `to` follows `from`, if that closes no circle.
    pub(crate) fn add(&mut self, from: u32, to: u32) -> Added {
        if self.after[from as usize].contains(&to) {
            return Added::Known;
        }
        if !self.is_in_order(from, to) && !self.reorder(from, to) {
            return Added::Refused;
        }
        self.after[from as usize].push(to);
        self.before[to as usize].push(from);
        Added::New
    }

    /// Takes a dependency back.
    pub(crate) fn remove(&mut self, from: u32, to: u32) {
        for (all, node) in [
            (&mut self.after[from as usize], to),
            (&mut self.before[to as usize], from),
        ] {
            if let Some(at) = all.iter().position(|&other| other == node) {
                all.swap_remove(at);
            }
        }
    }

    /// Adds all dependencies of a chain of nodes, or none if one would close a circle.
    pub(crate) fn add_chain(&mut self, chain: &[u32], added: &mut Vec<(u32, u32)>) -> bool {
        added.clear();
        for pair in chain.windows(2) {
            match self.add(pair[0], pair[1]) {
                Added::New => added.push((pair[0], pair[1])),
                Added::Known => {}
                Added::Refused => {
                    for (from, to) in added.drain(..) {
                        self.remove(from, to);
                    }
                    return false;
                }
            }
        }
        true
    }

    fn is_in_order(&self, from: u32, to: u32) -> bool {
        self.place[from as usize] < self.place[to as usize]
    }

    /// Puts `to` behind `from`, or finds that it is before it for a reason.
    fn reorder(&mut self, from: u32, to: u32) -> bool {
        let (first, last) = (self.place[to as usize], self.place[from as usize]);
        self.search += 1;
        let mut forwards = std::mem::take(&mut self.forwards);
        let mut backwards = std::mem::take(&mut self.backwards);
        let reaches = self.reach(to, from, &mut forwards, |place| place <= last, true);
        if !reaches {
            self.reach(from, to, &mut backwards, |place| place >= first, false);
            self.rearrange(&mut backwards, &mut forwards);
        }
        (self.forwards, self.backwards) = (forwards, backwards);
        !reaches
    }

    /// All nodes that can be reached from one within a part of the order; stops and says so if the target is among them.
    fn reach(
        &mut self,
        start: u32,
        target: u32,
        found: &mut Vec<u32>,
        lies_within: impl Fn(u32) -> bool,
        onwards: bool,
    ) -> bool {
        found.clear();
        found.push(start);
        self.seen[start as usize] = self.search;
        let mut next = 0;
        while let Some(&node) = found.get(next) {
            if node == target {
                return true;
            }
            next += 1;
            let edges = match onwards {
                true => &self.after[node as usize],
                false => &self.before[node as usize],
            };
            for &other in edges {
                let seen = &mut self.seen[other as usize];
                if *seen != self.search && lies_within(self.place[other as usize]) {
                    *seen = self.search;
                    found.push(other);
                }
            }
        }
        false
    }

    /// The places of both sets go to those before first, then to those behind, each in the order they are in.
    fn rearrange(&mut self, first: &mut [u32], then: &mut [u32]) {
        let place = &self.place;
        first.sort_unstable_by_key(|&node| place[node as usize]);
        then.sort_unstable_by_key(|&node| place[node as usize]);
        let all = || first.iter().chain(then.iter());
        let mut places: Vec<u32> = all().map(|&node| place[node as usize]).collect();
        places.sort_unstable();
        for (&node, place) in all().zip(places) {
            self.place[node as usize] = place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Can one node be reached from another one?
    fn reaches(edges: &[(u32, u32)], from: u32, to: u32) -> bool {
        let mut found = vec![from];
        let mut next = 0;
        while let Some(&node) = found.get(next) {
            next += 1;
            for &(_, other) in edges.iter().filter(|edge| edge.0 == node) {
                if !found.contains(&other) {
                    found.push(other);
                }
            }
        }
        found.contains(&to)
    }

    proptest! {
        /// Exactly what closes a circle is refused, whatever was added and taken back before.
        #[test]
        fn what_closes_a_circle_is_refused(
            steps in proptest::collection::vec((0u32..9, 0u32..9, any::<bool>()), 0..120),
        ) {
            let mut graph = Acyclic::new(9);
            let mut edges: Vec<(u32, u32)> = Vec::new();
            for (from, to, add) in steps {
                let known = edges.iter().position(|&edge| edge == (from, to));
                if add {
                    let expected = match known {
                        Some(_) => Added::Known,
                        None if reaches(&edges, to, from) => Added::Refused,
                        None => Added::New,
                    };
                    prop_assert_eq!(graph.add(from, to), expected);
                    if expected == Added::New {
                        edges.push((from, to));
                    }
                } else if let Some(at) = known {
                    graph.remove(from, to);
                    edges.swap_remove(at);
                }
                for &(from, to) in &edges {
                    prop_assert!(graph.is_in_order(from, to));
                }
            }
        }
    }
}
