//! An order of all nodes of a graph, with the searches that say how it has to change.
//!
//! Source: Marchetti-Spaccamela, Nanni, Rohnert, "Maintaining a topological order under edge insertions", Inf. Process. Lett. 59(1), 1996.
//!
//! Complexity: O(1), but O(nodes) to make, and what lies between two places to move along.

/// Nodes are numbered from 0.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// By node: its place in the order.
    pub(super) of: Vec<u32>,
    /// By place: its node.
    pub(super) at: Vec<u32>,
    /// By node: the last search that came by.
    seen: Vec<u32>,
    search: u32,
}

impl Places {
    /// All nodes in this order.
    pub(crate) fn new(order: &[u32]) -> Self {
        let mut of = vec![0; order.len()];
        for (place, &node) in (0..).zip(order) {
            of[node as usize] = place;
        }
        Self {
            of,
            at: order.to_vec(),
            seen: vec![0; order.len()],
            search: 0,
        }
    }

    /// All nodes in their order.
    pub(crate) fn all(&self) -> &[u32] {
        &self.at
    }

    /// The place of a node.
    #[inline]
    pub(crate) fn of(&self, node: u32) -> u32 {
        self.of[node as usize]
    }

    /// Begins another search.
    #[inline]
    pub(crate) fn search(&mut self) {
        self.search += 1;
    }

    /// Has this search come by a node?
    #[inline]
    pub(crate) fn has_seen(&self, node: u32) -> bool {
        self.seen[node as usize] == self.search
    }

    /// This search comes by a node.
    #[inline]
    pub(crate) fn see(&mut self, node: u32) {
        self.seen[node as usize] = self.search;
    }

    /// Finds all that can be reached from one node up to the place of another one; `None` if that is reached, or if more than `most` are
    /// found. Otherwise the number of the search.
    ///
    /// Those from which the other one can be reached are looked for by turns with these: a way from one to the other is mostly found
    /// halfway, long before all that could be on it.
    pub(crate) fn reach<After: Iterator<Item = u32>, Before: Iterator<Item = u32>>(
        &mut self,
        [start, target]: [u32; 2],
        most: usize,
        (found, before): (&mut Vec<u32>, &mut Vec<u32>),
        (after_of, before_of): (impl Fn(u32) -> After, impl Fn(u32) -> Before),
    ) -> Option<u32> {
        if start == target {
            return None;
        }
        let [first, last] = [start, target].map(|node| self.of(node));
        let [back, onwards] = [self.search + 1, self.search + 2];
        self.search = onwards;
        for (search, list, node) in [(back, &mut *before, target), (onwards, &mut *found, start)] {
            list.clear();
            list.push(node);
            self.seen[node as usize] = search;
        }
        let (mut next, mut next_before) = (0, 0);
        while let Some(&node) = found.get(next) {
            if found.len() > most {
                return None;
            }
            next += 1;
            for other in after_of(node) {
                let seen = &mut self.seen[other as usize];
                if *seen == back {
                    return None;
                }
                if *seen != onwards && self.of[other as usize] <= last {
                    *seen = onwards;
                    found.push(other);
                }
            }
            let Some(&node) = before.get(next_before) else {
                continue;
            };
            next_before += 1;
            for other in before_of(node) {
                let seen = &mut self.seen[other as usize];
                if *seen == onwards {
                    return None;
                }
                if *seen != back && self.of[other as usize] >= first {
                    *seen = back;
                    before.push(other);
                }
            }
        }
        Some(onwards)
    }

    /// Puts what a search has seen between two places behind everything else there. `found` gets it, in its order.
    pub(crate) fn move_along(
        &mut self,
        search: u32,
        [first, last]: [u32; 2],
        found: &mut Vec<u32>,
    ) {
        found.clear();
        for place in first..=last {
            let node = self.at[place as usize];
            if self.seen[node as usize] == search {
                found.push(node);
            } else {
                self.put(node, place - found.len() as u32);
            }
        }
        for (place, &node) in (last + 1 - found.len() as u32..).zip(found.iter()) {
            self.put(node, place);
        }
    }

    /// Puts a node at a place.
    #[inline]
    pub(super) fn put(&mut self, node: u32, place: u32) {
        self.of[node as usize] = place;
        self.at[place as usize] = node;
    }
}
