//! Trees that grow within what some lanes allow.
//!
//! A tree grows from its destination outwards. A router takes the least loaded of those shortest ways whose route fits into some lane
//! together with all before; if none does, it waits until the others have theirs, and takes what is short among all ways that fit.
//!
//! Source: after Domke, Hoefler, Matsuoka, "Routing on the dependency graph: a new approach to deadlock-free high-performance routing" (Nue), HPDC 2016.

use super::loads::{Cost, Loads, Measure};
use crate::irregular::by_destination::{
    Escape, Graph, Layering, NONE, Nearest, Trees, Turns, VirtualLanes, bits,
};

/// Rounds that compare squared loads, and rounds that compare the greatest one.
const ROUNDS: [u32; 2] = [3, 3];

/// Some of the lanes, a bit for each.
pub(super) type Lanes = u32;

/// Whether ways come first that need nothing new to be allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sparing {
    /// No.
    Never,
    /// Of ways that are as long.
    OfEqual,
    /// Of all.
    OfAll,
}

/// Trees, and the lanes of their routes, while both change.
pub(super) struct Growing<'a> {
    pub(super) graph: &'a Graph,
    pub(super) turns: &'a Turns<'a>,
    /// The spanning tree that the first lane, or the last one, has room for, if one has.
    pub(super) escape: Option<&'a Escape>,
    pub(super) nearest: Nearest,
    pub(super) loads: Loads<'a>,
    pub(super) lanes: VirtualLanes,
    /// By router: the lanes in which its route to the destination is allowed.
    pub(super) fits: Vec<Lanes>,
    /// By router: the arcs on its way.
    pub(super) lengths: Vec<u32>,
    pub(super) trees: Trees,
    /// By destination: the terminals it stands for; and those of the one that is looked at.
    terminals: Vec<u32>,
    pub(super) receivers: u32,
    /// By destination, then by router: the lane of its route.
    pub(super) chosen: Vec<u8>,
    candidates: Vec<(u32, bool, Cost, u32)>,
    /// Do ways come first that need nothing new to be allowed?
    pub(super) sparing: Sparing,
    /// Are lanes tried too in which a way could be, but is not yet?
    pub(super) eager: bool,
    /// Does a route stay in its lane as long as that allows it?
    pub(super) keeps: bool,
}

impl<'a> Growing<'a> {
    /// Trees as they are, without lanes.
    pub(super) fn new(
        graph: &'a Graph,
        turns: &'a Turns<'a>,
        escape: Option<&'a Escape>,
        trees: Trees,
    ) -> Self {
        let mut growing = Self::idle(graph, turns, escape, trees);
        growing.count_loads();
        growing
    }

    /// Counts what all trees carry, by destinations that all others have a way to.
    pub(super) fn count_loads(&mut self) {
        self.loads = Loads::of_trees(self.graph, &self.trees);
    }

    /// The same, before anybody has looked at a tree.
    pub(super) fn idle(
        graph: &'a Graph,
        turns: &'a Turns<'a>,
        escape: Option<&'a Escape>,
        trees: Trees,
    ) -> Self {
        Self {
            graph,
            turns,
            escape,
            nearest: Nearest::new(graph),
            loads: Loads::new(graph),
            lanes: VirtualLanes::default(),
            fits: vec![0; graph.routers()],
            lengths: vec![0; graph.routers()],
            chosen: vec![0; trees.next.len()],
            terminals: trees.terminals(),
            receivers: 1,
            trees,
            candidates: Vec::new(),
            sparing: Sparing::Never,
            eager: false,
            keeps: false,
        }
    }

    /// The trees, and a lane for every route.
    pub(super) fn finished(self) -> (Trees, Layering) {
        let count = u32::from(self.chosen.iter().copied().max().unwrap_or(0)) + 1;
        let lanes = self.chosen;
        (self.trees, Layering { lanes, count })
    }

    /// Goes on as long as it is worth it; the most loaded arc of the best round, which is kept.
    pub(super) fn rounds(&mut self) -> u64 {
        let [squares, greatest] = ROUNDS;
        let mut best = (
            self.loads.most(),
            self.trees.next.clone(),
            self.chosen.clone(),
        );
        for round in 1..squares + greatest {
            let measure = match round < squares {
                true => Measure::Squares,
                false => Measure::Greatest,
            };
            self.regrow(measure, Sparing::Never);
            let most = self.loads.most();
            if most < best.0 {
                best = (most, self.trees.next.clone(), self.chosen.clone());
            }
        }
        let most;
        (most, self.trees.next, self.chosen) = best;
        most
    }

    /// Grows every tree anew among all others.
    pub(super) fn regrow(&mut self, measure: Measure, sparing: Sparing) {
        self.sparing = sparing;
        self.round(|growing, destination, tree| {
            growing.clear(destination, tree);
            growing.grow(destination, tree, measure);
        });
    }

    /// Does something with every tree, knowing who is how near to its destination, and notes the lanes of its routes.
    pub(super) fn round(&mut self, mut each: impl FnMut(&mut Self, u32, &mut [u32])) {
        self.round_of(
            |_, _, _| true,
            |growing, destination, tree| {
                growing.measure(destination);
                each(growing, destination, tree);
            },
        );
    }

    /// From now on it is known who is how near to a destination.
    pub(super) fn measure(&mut self, destination: u32) {
        if self.nearest.order.first() != Some(&destination) {
            self.nearest.search(self.graph, destination);
        }
    }

    /// Does something with some of the trees, told by number, and notes the lanes of their routes; all others stay as they are.
    pub(super) fn round_of(
        &mut self,
        concerns: impl Fn(&Self, usize, &[u32]) -> bool,
        mut each: impl FnMut(&mut Self, u32, &mut [u32]),
    ) {
        let width = self.trees.width;
        let mut next = std::mem::take(&mut self.trees.next);
        for (index, tree) in next.chunks_exact_mut(width.max(1)).enumerate() {
            if !concerns(self, index, tree) {
                continue;
            }
            let destination = self.trees.routers[index];
            self.receivers = self.terminals[index];
            each(self, destination, tree);
            let chosen = &mut self.chosen[index * width..(index + 1) * width];
            for (chosen, fits) in chosen.iter_mut().zip(&self.fits) {
                let stays = self.keeps && fits.checked_shr((*chosen).into()).unwrap_or(0) & 1 == 1;
                *chosen = match fits {
                    0 => 0,
                    _ if stays => *chosen,
                    lanes => lanes.trailing_zeros() as u8,
                };
            }
        }
        self.trees.next = next;
    }

    fn grow(&mut self, destination: u32, tree: &mut [u32], measure: Measure) {
        let mut stuck = Vec::new();
        loop {
            self.begin(destination, tree, &stuck);
            let left = self.place_all(destination, tree, measure);
            if left.is_empty() {
                break;
            }
            self.clear(destination, tree);
            stuck.extend(left);
        }
    }

    /// Takes the routes of a tree off its arcs.
    pub(super) fn clear(&mut self, destination: u32, tree: &[u32]) {
        for index in 1..self.nearest.order.len() {
            let router = self.nearest.order[index];
            if tree[router as usize] != NONE {
                let receivers = self.receivers;
                self.loads.remove(router, destination, tree, receivers);
            }
        }
    }

    /// Nobody has a way but those that are stuck and whoever is on their way, who go along the tree.
    pub(super) fn begin(&mut self, destination: u32, tree: &mut [u32], stuck: &[u32]) {
        tree.fill(NONE);
        self.arrive(destination);
        self.escape(destination, tree, stuck, 0);
    }

    /// Nobody has a way but the destination.
    pub(super) fn arrive(&mut self, destination: u32) {
        self.fits.fill(0);
        self.fits[destination as usize] = Lanes::MAX >> (Lanes::BITS - self.lanes.len() as u32);
        self.lengths[destination as usize] = 0;
    }

    /// Those that are stuck, and whoever is on their way, go along the tree, in a lane that allows that.
    pub(super) fn escape(
        &mut self,
        destination: u32,
        tree: &mut [u32],
        stuck: &[u32],
        lane: usize,
    ) {
        let Some(escape) = self.escape.filter(|_| !stuck.is_empty()) else {
            return;
        };
        let down = escape.down_to(self.graph, destination);
        for &router in stuck {
            let mut way = Vec::new();
            let mut at = router;
            while self.fits[at as usize] == 0 {
                let arc = escape.arc(at, &down);
                way.push((at, arc));
                at = self.graph.to(arc);
            }
            for (at, arc) in way.into_iter().rev() {
                let length = self.lengths[self.graph.to(arc) as usize];
                self.take(at, arc, length + 1, 1 << lane, destination, tree);
            }
        }
    }

    /// From now on this is the way of a router.
    fn take(
        &mut self,
        router: u32,
        arc: u32,
        length: u32,
        fits: Lanes,
        destination: u32,
        tree: &mut [u32],
    ) {
        tree[router as usize] = arc;
        self.fits[router as usize] = fits;
        self.lengths[router as usize] = length;
        self.put(router, destination, tree);
    }

    /// Puts the routes of a router's terminals on its way.
    pub(super) fn put(&mut self, router: u32, destination: u32, tree: &[u32]) {
        self.loads.add(router, destination, tree, self.receivers);
    }

    /// Gives every router a way, and says which of them are stuck.
    pub(super) fn place_all(
        &mut self,
        destination: u32,
        tree: &mut [u32],
        measure: Measure,
    ) -> Vec<u32> {
        let mut left = Vec::new();
        for index in 1..self.nearest.order.len() {
            let router = self.nearest.order[index];
            if self.fits[router as usize] == 0
                && !self.place(router, destination, tree, measure, true)
            {
                left.push(router);
            }
        }
        loop {
            let before = left.len();
            left.retain(|&router| !self.place(router, destination, tree, measure, false));
            if left.len() == before {
                return left;
            }
        }
    }

    /// The way of a router is the best one that fits, of the shortest ones or of all.
    fn place(
        &mut self,
        router: u32,
        destination: u32,
        tree: &mut [u32],
        measure: Measure,
        only_shortest: bool,
    ) -> bool {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        for arc in self.graph.leaving(router) {
            let next = self.graph.to(arc);
            let distance = self.nearest.distance[router as usize];
            let length = self.lengths[next as usize] + 1;
            if self.fits[next as usize] != 0 && (!only_shortest || length == distance) {
                let cost = self.loads.cost(arc, destination, tree, measure, 0);
                let is_new = self.sparing != Sparing::Never && self.allowed(arc, tree) == 0;
                candidates.push((length, is_new, cost, arc));
            }
        }
        match self.sparing {
            Sparing::OfAll => candidates
                .sort_unstable_by_key(|&(length, is_new, cost, arc)| (is_new, length, cost, arc)),
            _ => candidates.sort_unstable(),
        }
        let found = candidates.iter().find_map(|&(length, _, _, arc)| {
            let fits = self.fitting(arc, tree);
            (fits != 0).then_some((arc, length, fits))
        });
        self.candidates = candidates;
        if let Some((arc, length, fits)) = found {
            self.take(router, arc, length, fits, destination, tree);
        }
        found.is_some()
    }

    /// The lanes that allow the way that begins with an arc.
    pub(super) fn allowed(&self, arc: u32, tree: &[u32]) -> Lanes {
        let at = self.graph.to(arc) as usize;
        self.lanes
            .allowing(self.fits[at], self.turns, arc, tree[at])
    }

    /// The same, and those of which it is not known yet.
    pub(super) fn may_allow(&self, arc: u32, tree: &[u32]) -> Lanes {
        let at = self.graph.to(arc) as usize;
        self.lanes
            .may_allow(self.fits[at], self.turns, arc, tree[at])
    }

    /// The lanes that allow it, with all that can.
    pub(super) fn opened(&mut self, arc: u32, tree: &[u32]) -> Lanes {
        let at = self.graph.to(arc) as usize;
        self.lanes.opened(self.fits[at], self.turns, arc, tree[at])
    }

    /// The lanes that allow the way; if there is none yet, the first one that can.
    pub(super) fn fitting(&mut self, arc: u32, tree: &[u32]) -> Lanes {
        let allowed = self.allowed(arc, tree);
        if allowed != 0 {
            return allowed;
        }
        let at = self.graph.to(arc);
        let (lanes, turns) = (&mut self.lanes, self.turns);
        let next = tree[at as usize];
        let first = bits(self.fits[at as usize]).find(|&lane| lanes.allows(lane, turns, arc, next));
        let lane = first.or_else(|| {
            let known = match self.eager {
                true => self.fits[at as usize],
                false => Lanes::MAX,
            };
            let others = (0..self.lanes.len()).filter(|lane| known >> lane & 1 == 0);
            let mut others: Vec<usize> = others.collect();
            others.retain(|&lane| self.reaches(lane, at, tree));
            let lanes = &mut self.lanes;
            others
                .into_iter()
                .find(|&lane| lanes.allows(lane, turns, arc, next))
        });
        lane.map_or(0, |lane| 1 << lane)
    }

    /// Can the way of a router be in this lane too? From the destination on, what is not known yet is tried.
    fn reaches(&mut self, lane: usize, router: u32, tree: &[u32]) -> bool {
        let mut way = Vec::new();
        let mut at = router;
        while self.fits[at as usize] >> lane & 1 == 0 {
            way.push(at);
            at = self.graph.to(tree[at as usize]);
        }
        way.into_iter().rev().all(|at| {
            let arc = tree[at as usize];
            let next = tree[self.graph.to(arc) as usize];
            let allows = next == NONE || self.lanes.allows(lane, self.turns, arc, next);
            self.fits[at as usize] |= Lanes::from(allows) << lane;
            allows
        })
    }
}
