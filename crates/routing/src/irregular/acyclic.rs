//! A graph of dependencies that stays free of circles: one is added if it closes none.
//!
//! The nodes are kept in an order in which every dependency leads forwards. A new one that does so already costs nothing; another one
//! costs a search of what lies between its two ends in the order, which either finds the circle or is put in order: what was found by sorting
//! it, if that is little of what lies there, and all that lies there by moving it along, if not.
//!
//! Sources: Pearce, Kelly, "A dynamic topological sort algorithm for directed acyclic graphs", ACM JEA 11, 2006; Marchetti-Spaccamela, Nanni,
//! Rohnert, "Maintaining a topological order under edge insertions", Inf. Process. Lett. 59(1), 1996.
//!
//! Complexity: O(nodes) to make; a dependency costs at most the nodes and dependencies between its ends. Whoever can do without some of
//! them may [bound](Acyclic::searching) the search.

mod places;

pub(crate) use places::Places;

/// Nodes are numbered from 0.
#[derive(Clone, Debug)]
pub(crate) struct Acyclic {
    places: Places,
    /// By node: those that depend on it, and those it depends on.
    after: Vec<Vec<u32>>,
    before: Vec<Vec<u32>>,
    forwards: Vec<u32>,
    backwards: Vec<u32>,
    /// Nodes that a search for a circle looks at.
    most: usize,
}

/// Sorting a node costs about as much as moving so many along.
const SORTING: usize = 32;

/// What became of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// It is there now.
    New,
    /// It was there.
    Known,
    /// It would have closed a circle, or might have, and is not there.
    Refused,
}

impl Acyclic {
    pub(crate) fn new(nodes: usize) -> Self {
        Self::in_order(&Vec::from_iter(0..nodes as u32))
    }

    /// The same, with an order of all nodes to begin with: dependencies that agree with it cost nothing.
    pub(crate) fn in_order(order: &[u32]) -> Self {
        let nodes = order.len();
        Self {
            places: Places::new(order),
            after: vec![Vec::new(); nodes],
            before: vec![Vec::new(); nodes],
            forwards: Vec::new(),
            backwards: Vec::new(),
            most: usize::MAX,
        }
    }

    /// The same, which refuses a dependency as well if no circle is found after so many nodes.
    pub(crate) fn searching(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// All nodes, in an order in which every dependency leads forwards.
    pub(crate) fn order(&self) -> &[u32] {
        self.places.all()
    }

    /// Adds that `to` follows `from`, if that closes no circle.
    pub(crate) fn add(&mut self, from: u32, to: u32) -> Added {
        if self.after[from as usize].contains(&to) {
            return Added::Known;
        }
        if !self.is_in_order(from, to) && !self.reorder(from, to) {
            return Added::Refused;
        }
        self.add_forwards(from, to);
        Added::New
    }

    /// Adds that `to` follows `from`, which is not known yet, if that agrees with the order.
    pub(crate) fn add_forwards(&mut self, from: u32, to: u32) -> bool {
        let agrees = self.is_in_order(from, to);
        if agrees {
            self.after[from as usize].push(to);
            self.before[to as usize].push(from);
        }
        agrees
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
        self.places.of(from) < self.places.of(to)
    }

    /// Puts `to` behind `from`, or finds that it is before it for a reason.
    fn reorder(&mut self, from: u32, to: u32) -> bool {
        let [first, last] = [to, from].map(|node| self.places.of(node));
        let mut forwards = std::mem::take(&mut self.forwards);
        let mut backwards = std::mem::take(&mut self.backwards);
        let few = (last - first) as usize / SORTING;
        let ways = (
            |node: u32| self.after[node as usize].iter().copied(),
            |node: u32| self.before[node as usize].iter().copied(),
        );
        let lists = (&mut forwards, &mut backwards);
        let onwards = self.places.reach([to, from], self.most, lists, ways);
        if let Some(search) = onwards {
            let is_little =
                forwards.len() < few && self.find_before(from, first, few, &mut backwards);
            match is_little {
                true => self.rearrange(&mut backwards, &mut forwards),
                false => self
                    .places
                    .move_along(search, [first, last], &mut backwards),
            }
        }
        (self.forwards, self.backwards) = (forwards, backwards);
        onwards.is_some()
    }

    /// Finds nodes from which one can be reached, from a place in the order on; `false` if there are more than so many.
    fn find_before(&mut self, node: u32, first: u32, most: usize, found: &mut Vec<u32>) -> bool {
        self.places.search();
        found.clear();
        found.push(node);
        self.places.see(node);
        let mut next = 0;
        while let Some(&node) = found.get(next) {
            if found.len() > most {
                return false;
            }
            next += 1;
            for &other in &self.before[node as usize] {
                if !self.places.has_seen(other) && self.places.of(other) >= first {
                    self.places.see(other);
                    found.push(other);
                }
            }
        }
        true
    }

    /// The places of both sets go to those before first, then to those behind, each in the order they are in.
    fn rearrange(&mut self, first: &mut [u32], then: &mut [u32]) {
        let of = |&node: &u32| self.places.of(node);
        first.sort_unstable_by_key(of);
        then.sort_unstable_by_key(of);
        let all = || first.iter().chain(then.iter());
        let mut places: Vec<u32> = all().map(of).collect();
        places.sort_unstable();
        for (&node, place) in all().zip(places) {
            self.places.put(node, place);
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

        /// The same among many nodes, where little is sorted and much is moved along; and whoever searches little refuses more, but never allows
        /// a circle.
        #[test]
        fn many_nodes_stay_in_order(
            steps in proptest::collection::vec((0u32..400, 0u32..400), 0..900),
            most in 1usize..40,
        ) {
            let (mut graph, mut hasty) = (Acyclic::new(400), Acyclic::new(400).searching(most));
            let mut edges: Vec<(u32, u32)> = Vec::new();
            let mut fewer = edges.clone();
            for (from, to) in steps {
                if edges.contains(&(from, to)) || from == to {
                    continue;
                }
                let closes = reaches(&edges, to, from);
                prop_assert_eq!(graph.add(from, to) == Added::Refused, closes);
                if !closes {
                    edges.push((from, to));
                }
                if hasty.add(from, to) == Added::New {
                    fewer.push((from, to));
                }
            }
            for (graph, edges) in [(&graph, &edges), (&hasty, &fewer)] {
                prop_assert!(edges.iter().all(|&(from, to)| graph.is_in_order(from, to)));
                let mut places = graph.places.of.clone();
                places.sort_unstable();
                prop_assert!(places.into_iter().eq(0..400));
                let is_found = |(place, &node): (u32, &u32)| graph.places.of(node) == place;
                prop_assert!((0..).zip(&graph.places.at).all(is_found));
            }
        }
    }
}
