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

    /// The number of the search that was begun last.
    #[inline]
    pub(crate) fn last_search(&self) -> u32 {
        self.search
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
