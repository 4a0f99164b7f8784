//! Grows a set of routers one by one and keeps count of the channels that leave and enter it.

use super::{Bound, BoundReason, compare};
use crate::components::nontrivial;
use std::cmp::Ordering;
use turnwise_network::{Network, RouterId};

/// Router adjacency in both directions, cut into strongly connected parts.
///
/// Paths between two routers of one part stay inside it, so each part is a network of its
/// own. Pairs in different parts are not counted: that can only lower the bound.
pub(super) struct Parts {
    part_of: Vec<u32>,
    terminals: Vec<u64>,
    total: Vec<u64>,
    out_offsets: Vec<usize>,
    out: Vec<u32>,
    in_offsets: Vec<usize>,
    into: Vec<u32>,
}

impl Parts {
    pub(super) fn of(network: &Network) -> Self {
        let count = network.router_count();
        let ends: Vec<(RouterId, RouterId)> = network
            .channels()
            .filter_map(|(id, _)| network.ends(id))
            .collect();
        let (out_offsets, out) = adjacency(count, ends.iter().map(|&(from, to)| (from.0, to.0)));
        let (in_offsets, into) = adjacency(count, ends.iter().map(|&(from, to)| (to.0, from.0)));
        let successor = |router: u32, n: usize| {
            let range = out_offsets[router as usize]..out_offsets[router as usize + 1];
            out[range].get(n).copied()
        };
        let roots: Vec<u32> = (0..count as u32).collect();
        let mut part_of = roots.clone();
        for part in nontrivial(count, &roots, successor) {
            for &router in &part {
                part_of[router as usize] = part[0];
            }
        }
        let terminals: Vec<u64> = network
            .routers()
            .map(|router| network.living_terminals_of(router).count() as u64)
            .collect();
        let mut total = vec![0; count];
        for router in 0..count {
            total[part_of[router] as usize] += terminals[router];
        }
        Self {
            part_of,
            terminals,
            total,
            out_offsets,
            out,
            in_offsets,
            into,
        }
    }

    /// Routers in the same part one channel on, once a channel.
    pub(super) fn successors(&self, router: u32) -> impl Iterator<Item = u32> + '_ {
        let all =
            &self.out[self.out_offsets[router as usize]..self.out_offsets[router as usize + 1]];
        self.same_part(router, all)
    }

    fn predecessors(&self, router: u32) -> impl Iterator<Item = u32> + '_ {
        let all =
            &self.into[self.in_offsets[router as usize]..self.in_offsets[router as usize + 1]];
        self.same_part(router, all)
    }

    /// Both, so that most are told twice.
    pub(super) fn neighbours(&self, router: u32) -> impl Iterator<Item = u32> + '_ {
        self.successors(router).chain(self.predecessors(router))
    }

    pub(super) fn terminals(&self, router: u32) -> u64 {
        self.terminals[router as usize]
    }

    /// The terminals of all of the router's part.
    pub(super) fn total(&self, router: u32) -> u64 {
        self.total[self.part_of[router as usize] as usize]
    }

    fn same_part<'a>(&'a self, router: u32, all: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
        let part = self.part_of[router as usize];
        all.iter()
            .copied()
            .filter(move |&other| self.part_of[other as usize] == part)
    }
}

fn adjacency(
    count: usize,
    edges: impl Iterator<Item = (u32, u32)> + Clone,
) -> (Vec<usize>, Vec<u32>) {
    let mut offsets = vec![0; count + 1];
    for (from, _) in edges.clone() {
        offsets[from as usize + 1] += 1;
    }
    for router in 0..count {
        offsets[router + 1] += offsets[router];
    }
    let mut fill = offsets.clone();
    let mut targets = vec![0; offsets[count]];
    for (from, to) in edges {
        targets[fill[from as usize]] = to;
        fill[from as usize] += 1;
    }
    (offsets, targets)
}

/// A growing set of routers, and the best cut any of its stages gave.
pub(super) struct Sweep<'a> {
    parts: &'a Parts,
    inside: Vec<bool>,
    terminals: Vec<u64>,
    leaving: Vec<u64>,
    entering: Vec<u64>,
    members: Vec<u32>,
    touched: Vec<u32>,
    best: Option<Bound>,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(parts: &'a Parts) -> Self {
        let count = parts.part_of.len();
        Self {
            parts,
            inside: vec![false; count],
            terminals: vec![0; count],
            leaving: vec![0; count],
            entering: vec![0; count],
            members: Vec::new(),
            touched: Vec::new(),
            best: None,
        }
    }

    /// Adds a router to the set. O(degree).
    pub(super) fn add(&mut self, router: u32) {
        if std::mem::replace(&mut self.inside[router as usize], true) {
            return;
        }
        let part = self.parts.part_of[router as usize] as usize;
        let is_empty = self.terminals[part] + self.leaving[part] + self.entering[part] == 0;
        if is_empty && !self.touched.contains(&(part as u32)) {
            self.touched.push(part as u32);
        }
        self.members.push(router);
        self.terminals[part] += self.parts.terminals[router as usize];
        for other in self.parts.successors(router) {
            match self.inside[other as usize] {
                true => self.entering[part] -= 1,
                false => self.leaving[part] += 1,
            }
        }
        for other in self.parts.predecessors(router) {
            match self.inside[other as usize] {
                true => self.leaving[part] -= 1,
                false => self.entering[part] += 1,
            }
        }
    }

    /// Takes a router out of the set. O(degree).
    pub(super) fn remove(&mut self, router: u32) {
        if !std::mem::replace(&mut self.inside[router as usize], false) {
            return;
        }
        let part = self.parts.part_of[router as usize] as usize;
        self.terminals[part] -= self.parts.terminals[router as usize];
        for other in self.parts.successors(router) {
            match self.inside[other as usize] {
                true => self.entering[part] += 1,
                false => self.leaving[part] -= 1,
            }
        }
        for other in self.parts.predecessors(router) {
            match self.inside[other as usize] {
                true => self.leaving[part] += 1,
                false => self.entering[part] -= 1,
            }
        }
    }

    /// Considers the cuts around the present set; `set` names it if it is the best so far.
    pub(super) fn consider(&mut self, set: impl Fn() -> String) {
        for at in 0..self.touched.len() {
            let part = self.touched[at] as usize;
            let (inside, outside) = (
                self.terminals[part],
                self.parts.total[part] - self.terminals[part],
            );
            let channels = self.leaving[part].min(self.entering[part]);
            let demand = inside * outside;
            if demand == 0 || channels == 0 {
                continue;
            }
            let best = self
                .best
                .as_ref()
                .map_or((0, 1), |best| (best.demand, best.channels));
            if compare((demand, channels), best) == Ordering::Greater {
                let reason = BoundReason::Cut {
                    inside,
                    outside,
                    set: set(),
                };
                self.best = Some(Bound {
                    demand,
                    channels,
                    reason,
                });
            }
        }
    }

    /// Empties the set.
    pub(super) fn clear(&mut self) {
        for router in self.members.drain(..) {
            self.inside[router as usize] = false;
        }
        for part in self.touched.drain(..) {
            self.terminals[part as usize] = 0;
            self.leaving[part as usize] = 0;
            self.entering[part as usize] = 0;
        }
    }

    pub(super) fn into_best(self) -> Option<Bound> {
        self.best
    }
}
