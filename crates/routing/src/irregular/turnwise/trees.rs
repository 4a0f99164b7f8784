//! A tree of shortest ways to every terminal, so that the most loaded channel carries as few routes as possible.
//!
//! Trees are grown one after the other, from the destination outwards. Every router takes, of its shortest ways, the one whose channels
//! carry least so far, and its own routes are added to them. After that comes round after round: each tree is taken out and grown
//! anew among all others. The first rounds compare sums of squared loads, which moves much, the later ones the greatest load,
//! which moves what matters. A round that is not better than the best so far is not kept.
//!
//! Where the network has a structure, its own way ([`Taste`]) is taken at first, and left only for channels that carry more than their share.
//!
//! Complexity: a round takes O(terminals x channels x diameter) at most.

use super::loads::{Loads, Measure};
use super::taste::Taste;
use crate::irregular::by_destination::{Graph, NONE, Nearest, Trees};

/// Rounds that compare squared loads, and rounds that compare the greatest one.
const ROUNDS: [u32; 2] = [3, 3];
/// A structure's own ways are kept where no channel carries more than this many hundredths of the mean.
const SHARE: u64 = 103;

impl Trees {
    /// The same destinations with shortest ways to all of them.
    pub(super) fn balanced(self, graph: &Graph, taste: Option<&dyn Taste>) -> Self {
        let mut growing = Growing {
            graph,
            nearest: Nearest::new(graph),
            loads: Loads::new(graph),
            behind: vec![0; graph.routers()],
            trees: self,
            share: u64::MAX,
        };
        growing.rounds(taste);
        growing.trees
    }
}

struct Growing<'a> {
    graph: &'a Graph,
    nearest: Nearest,
    loads: Loads<'a>,
    /// By router: routes that come by on the way to a destination.
    behind: Vec<u32>,
    trees: Trees,
    /// Ways whose arcs all carry less are not changed.
    share: u64,
}

impl Growing<'_> {
    fn rounds(&mut self, taste: Option<&dyn Taste>) {
        let [squares, greatest] = ROUNDS;
        match taste {
            Some(taste) => self.round(|growing, destination, tree| {
                growing.grow_by_taste(destination, tree, taste);
            }),
            None => self.round(|growing, destination, tree| {
                growing.grow(destination, tree, Measure::Squares);
            }),
        }
        let mut best = self.loads.most();
        let mut kept: Option<Vec<u32>> = None;
        for round in 1..squares + greatest {
            if best <= self.loads.least() {
                break;
            }
            let measure = match round < squares && taste.is_none() {
                true => Measure::Squares,
                false => Measure::Greatest,
            };
            if taste.is_some() {
                self.share = self.loads.share(SHARE);
            }
            let before = (best, self.loads.most());
            if self.loads.most() == best {
                kept = Some(self.trees.next.clone());
            }
            self.round(|growing, destination, tree| {
                growing.remove(destination, tree);
                growing.grow(destination, tree, measure);
            });
            best = best.min(self.loads.most());
            let is_stuck = measure == Measure::Greatest && (best, self.loads.most()) == before;
            if is_stuck {
                break;
            }
        }
        if self.loads.most() > best
            && let Some(kept) = kept
        {
            self.trees.next = kept;
        }
    }

    /// Does something with every tree, knowing who is how near to its destination.
    fn round(&mut self, mut each: impl FnMut(&mut Self, u32, &mut [u32])) {
        let mut next = std::mem::take(&mut self.trees.next);
        let mut searched = NONE;
        for (index, tree) in next.chunks_exact_mut(self.trees.width.max(1)).enumerate() {
            let destination = self.trees.routers[index];
            if searched != destination {
                self.nearest.search(self.graph, destination);
                searched = destination;
            }
            each(self, destination, tree);
        }
        self.trees.next = next;
    }

    /// Takes the routes of a tree off its arcs.
    fn remove(&mut self, destination: u32, tree: &[u32]) {
        self.behind.fill(0);
        for &router in self.nearest.order[1..].iter().rev() {
            let routes = self.behind[router as usize] + self.graph.terminals(router);
            let arc = tree[router as usize];
            self.loads.take(arc, routes);
            let next = self.graph.to(arc);
            if next != destination {
                self.behind[next as usize] += routes;
            }
        }
    }

    fn grow(&mut self, destination: u32, tree: &mut [u32], measure: Measure) {
        for index in 1..self.nearest.order.len() {
            let router = self.nearest.order[index];
            let old = tree[router as usize];
            if !self.is_kept(old, destination, tree) {
                tree[router as usize] = self.best(router, destination, tree, measure);
            }
            self.loads.add(router, destination, tree);
        }
    }

    /// Is the way that a router has good enough?
    fn is_kept(&self, arc: u32, destination: u32, tree: &[u32]) -> bool {
        self.share != u64::MAX && self.loads.have_room(arc, destination, tree, self.share)
    }

    fn grow_by_taste(&mut self, destination: u32, tree: &mut [u32], taste: &dyn Taste) {
        for index in 1..self.nearest.order.len() {
            let router = self.nearest.order[index];
            let preferred = taste.arc(router, destination);
            tree[router as usize] = match preferred.filter(|&arc| self.is_nearer(router, arc)) {
                Some(arc) => arc,
                None => self.best(router, destination, tree, Measure::Squares),
            };
            self.loads.add(router, destination, tree);
        }
    }

    /// Does an arc begin a shortest way?
    fn is_nearer(&self, router: u32, arc: u32) -> bool {
        let distance = |router: u32| self.nearest.distance[router as usize];
        distance(self.graph.to(arc)) < distance(router)
    }

    /// The first arc of the best of all shortest ways, of equals the first one.
    fn best(&self, router: u32, destination: u32, tree: &[u32], measure: Measure) -> u32 {
        let arcs = self.graph.leaving(router);
        let mut candidates = arcs.filter(|&arc| self.is_nearer(router, arc));
        let Some(first) = candidates.next() else {
            return NONE;
        };
        let Some(second) = candidates.next() else {
            return first;
        };
        let mut best = (self.loads.cost(first, destination, tree, measure), first);
        for arc in std::iter::once(second).chain(candidates) {
            let cost = self.loads.cost(arc, destination, tree, measure);
            if cost < best.0 {
                best = (cost, arc);
            }
        }
        best.1
    }
}
