//! Trees that grow by weights, within what lanes allow.
//!
//! An arc weighs more the more it carries, so that ways go around where many come by, and longer ways are taken only for that. What routes use
//! of the lanes stays allowed from round to round, and all else is open again: so lanes come to allow what is needed, whoever came first.
//!
//! Source: after Domke, Hoefler, Matsuoka, "Routing on the dependency graph: a new approach to deadlock-free high-performance routing"
//! (Nue), HPDC 2016; regrown as wires are in McMurchie, Ebeling, "PathFinder: a negotiation-based performance-driven router for FPGAs", FPGA 1995.
//!
//! Complexity: a round takes O(terminals x channels x log channels), and as much again for every time that a router is stuck; all together
//! O(lanes x turns) searches in a graph of channels.

use super::growing::{Growing, Sparing};
use super::loads::Loads;
use crate::irregular::by_destination::{Allowed, Graph, Lane, Layering, NONE, Trees, Turns};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A search outwards from a destination.
#[derive(Default)]
struct Search {
    /// How far a router would be, the router, and the arc it would take.
    near: BinaryHeap<Reverse<(u64, u32, u32)>>,
    /// By router: how far it is.
    far: Vec<u64>,
    /// What the busiest arc carries.
    most: u64,
}

/// Trees that carry less on the busiest arc, if there are such near to these, and their lanes, of so many. Where not all find a way to a
/// destination its tree stays as it was.
pub(super) fn polished(
    graph: &Graph,
    (trees, layering): (&Trees, &Layering),
    (lanes, rounds): (u32, usize),
) -> (Trees, Layering) {
    let turns = Turns::new(graph);
    let mut growing = Growing::idle(graph, &turns, None, trees.apart());
    growing.chosen = trees.lanes_apart(&layering.lanes);
    for _ in 0..lanes {
        growing.lanes.push(Lane::new(&turns));
    }
    growing.count_loads();
    growing.each_turn(|growing, lane, arc, next| {
        growing.lanes.allows(lane, &turns, arc, next);
    });
    growing.weigh_again(rounds);
    growing.finished()
}

impl Growing<'_> {
    /// Grows trees that fit into their lanes anew, so many times, and keeps the best. Lanes may be ahead of that by then, and who grows trees on has
    /// to do so after one round.
    pub(super) fn weigh_again(&mut self, rounds: usize) {
        let mut best = (
            self.loads.quality(),
            self.trees.next.clone(),
            self.chosen.clone(),
        );
        for _ in 0..rounds {
            self.forget_unused();
            self.weigh();
            let quality = self.loads.quality();
            if quality < best.0 {
                best = (quality, self.trees.next.clone(), self.chosen.clone());
            }
        }
        (_, self.trees.next, self.chosen) = best;
        self.count_loads();
    }

    /// Leaves lanes what routes use, and the first one its tree.
    fn forget_unused(&mut self) {
        let turns = self.turns;
        let mut used = vec![0; turns.count()];
        if let Some(escape) = self.escape {
            let tree = Lane::with(turns, escape, Allowed::Tree);
            for arc in 0..self.graph.arcs() as u32 {
                for (number, next) in turns.onwards(arc) {
                    used[number] |= u32::from(tree.has_allowed(turns, arc, next));
                }
            }
        }
        self.each_turn(|_, lane, arc, next| {
            used[turns.number(arc, next)] |= 1 << lane;
        });
        self.lanes.forget(turns, &used);
    }

    /// Does something with every turn of every route, told its lane, once or more often.
    fn each_turn(&mut self, mut each: impl FnMut(&mut Self, usize, u32, u32)) {
        let trees = std::mem::take(&mut self.trees.next);
        let width = self.trees.width;
        for (index, tree) in trees.chunks_exact(width.max(1)).enumerate() {
            for router in 0..width {
                let mut arc = tree[router];
                if arc == NONE || self.graph.terminals(router as u32) == 0 {
                    continue;
                }
                let lane = usize::from(self.chosen[index * width + router]);
                loop {
                    let next = tree[self.graph.to(arc) as usize];
                    if next == NONE {
                        break;
                    }
                    each(self, lane, arc, next);
                    arc = next;
                }
            }
        }
        self.trees.next = trees;
    }

    /// Grows every tree anew among all others.
    pub(super) fn weigh(&mut self) {
        let mut search = Search {
            far: vec![0; self.graph.routers()],
            most: self.loads.most().max(1),
            ..Search::default()
        };
        self.sparing = Sparing::Never;
        let mut index = 0;
        self.round(|growing, destination, tree| {
            growing.clear(destination, tree);
            let kept = tree.to_vec();
            let mut stuck = Vec::new();
            loop {
                growing.begin(destination, tree, &stuck);
                growing.clear(destination, tree);
                search.outwards(growing, destination, tree);
                let known = stuck.len();
                let routers = growing.nearest.order.iter();
                let lost = routers.filter(|&&router| growing.fits[router as usize] == 0);
                stuck.extend(lost);
                if stuck.len() == known {
                    break;
                }
                if growing.escape.is_none() {
                    tree.copy_from_slice(&kept);
                    growing.stay(index, tree);
                    break;
                }
            }
            for place in 1..growing.nearest.order.len() {
                growing.put(growing.nearest.order[place], destination, tree);
            }
            index += 1;
        });
    }

    /// All routes to a destination stay in their lanes.
    fn stay(&mut self, index: usize, tree: &[u32]) {
        let chosen = &self.chosen[index * tree.len()..];
        for (fits, lane) in self.fits.iter_mut().zip(chosen) {
            *fits = 1 << lane;
        }
    }
}

impl Search {
    /// Ways for all that can be reached, beyond those that are there.
    fn outwards(&mut self, growing: &mut Growing<'_>, destination: u32, tree: &mut [u32]) {
        self.far[destination as usize] = 0;
        let routers = growing.nearest.order.iter();
        let has_way = |router: &&u32| growing.fits[**router as usize] != 0;
        let mut known: Vec<u32> = routers.filter(has_way).copied().collect();
        known.sort_by_key(|&router| growing.lengths[router as usize]);
        for &router in &known {
            let arc = tree[router as usize];
            if arc != NONE {
                let next = growing.graph.to(arc) as usize;
                self.far[router as usize] = self.far[next] + self.weight(growing, arc);
            }
        }
        for router in known {
            self.look_from(growing, router);
        }
        while let Some(Reverse((far, router, arc))) = self.near.pop() {
            let at = router as usize;
            if growing.fits[at] != 0 {
                continue;
            }
            growing.fits[at] = growing.fitting(arc, tree);
            if growing.fits[at] != 0 {
                tree[at] = arc;
                growing.lengths[at] = growing.lengths[growing.graph.to(arc) as usize] + 1;
                self.far[at] = far;
                self.look_from(growing, router);
            }
        }
    }

    /// Whoever has an arc to a router may take its way.
    fn look_from(&mut self, growing: &Growing<'_>, router: u32) {
        for arc in growing.graph.arriving(router) {
            let before = growing.graph.from(arc);
            if growing.fits[before as usize] == 0 {
                let far = self.far[router as usize] + self.weight(growing, arc);
                self.near.push(Reverse((far, before, arc)));
            }
        }
    }

    fn weight(&self, growing: &Growing<'_>, arc: u32) -> u64 {
        let graph = growing.graph;
        // What the router that takes it adds beyond what it adds to any: an idle slow channel is not as light as it looks.
        let own = u64::from(graph.terminals(graph.from(arc)).max(1) * growing.receivers);
        let more = (graph.pace(arc) - 1) * own;
        Loads::weight(growing.loads.of(arc) + more, self.most)
    }
}
