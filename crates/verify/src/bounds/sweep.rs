//! Grows a set of routers one by one and keeps count of the channels that leave and enter it.

use super::widths::Widths;
use super::{Bound, BoundReason, Width, compare};
use crate::components::nontrivial;
use std::cmp::Ordering;
use std::ops::{AddAssign, SubAssign};
use turnwise_network::{Network, RouterId};

/// Router adjacency in both directions, cut into strongly connected parts.
///
/// Paths between two routers of one part stay inside it, so each part is a network of its
/// own. Pairs in different parts are not counted: that can only lower the bound.
pub(super) struct Parts {
    part_of: Vec<u32>,
    terminals: Vec<u64>,
    total: Vec<u64>,
    widths: Widths,
    out_offsets: Vec<usize>,
    out: Vec<Next>,
    in_offsets: Vec<usize>,
    into: Vec<Next>,
}

/// The router at the other end of a channel, and how wide the channel is.
#[derive(Clone, Copy, Default)]
struct Next {
    router: u32,
    parts: u64,
}

/// Channels together.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Channels {
    count: u64,
    parts: u64,
}

impl Channels {
    /// One so wide.
    fn one(parts: u64) -> Self {
        Self { count: 1, parts }
    }

    /// These or those, whichever are narrower.
    pub(super) fn narrower(self, other: Self) -> Self {
        if other.parts < self.parts {
            other
        } else {
            self
        }
    }
}

impl AddAssign for Channels {
    fn add_assign(&mut self, more: Self) {
        self.count += more.count;
        self.parts += more.parts;
    }
}

impl SubAssign for Channels {
    fn sub_assign(&mut self, less: Self) {
        self.count -= less.count;
        self.parts -= less.parts;
    }
}

impl Parts {
    pub(super) fn of(network: &Network) -> Self {
        let count = network.router_count();
        let widths = Widths::of(network);
        let ends = network.channels().filter_map(|(id, _)| {
            let (from, to) = network.ends(id)?;
            Some((from, to, widths.parts(id)))
        });
        let ends: Vec<(RouterId, RouterId, u64)> = ends.collect();
        let next = |RouterId(router), parts| Next { router, parts };
        let forwards = ends
            .iter()
            .map(|&(from, to, parts)| (from.0, next(to, parts)));
        let (out_offsets, out) = adjacency(count, forwards);
        let backwards = ends
            .iter()
            .map(|&(from, to, parts)| (to.0, next(from, parts)));
        let (in_offsets, into) = adjacency(count, backwards);
        let successor = |router: u32, n: usize| {
            let range = out_offsets[router as usize]..out_offsets[router as usize + 1];
            out[range].get(n).map(|next| next.router)
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
            widths,
            out_offsets,
            out,
            in_offsets,
            into,
        }
    }

    /// Routers in the same part one channel on, once a channel.
    pub(super) fn successors(&self, router: u32) -> impl Iterator<Item = u32> + '_ {
        self.leaving(router).map(|next| next.router)
    }

    fn leaving(&self, router: u32) -> impl Iterator<Item = Next> + '_ {
        let all =
            &self.out[self.out_offsets[router as usize]..self.out_offsets[router as usize + 1]];
        self.same_part(router, all)
    }

    fn entering(&self, router: u32) -> impl Iterator<Item = Next> + '_ {
        let all =
            &self.into[self.in_offsets[router as usize]..self.in_offsets[router as usize + 1]];
        self.same_part(router, all)
    }

    /// Both, so that most are told twice.
    pub(super) fn neighbours(&self, router: u32) -> impl Iterator<Item = u32> + '_ {
        let entering = self.entering(router).map(|next| next.router);
        self.successors(router).chain(entering)
    }

    /// The channels that lead from one router to another.
    pub(super) fn between(&self, from: u32, to: u32) -> Channels {
        let mut all = Channels::default();
        for next in self.leaving(from).filter(|next| next.router == to) {
            all += Channels::one(next.parts);
        }
        all
    }

    pub(super) fn width(&self, channels: Channels) -> Width {
        self.widths.width(channels.parts)
    }

    pub(super) fn terminals(&self, router: u32) -> u64 {
        self.terminals[router as usize]
    }

    /// The terminals of all of the router's part.
    pub(super) fn total(&self, router: u32) -> u64 {
        self.total[self.part_of[router as usize] as usize]
    }

    fn same_part<'a>(&'a self, router: u32, all: &'a [Next]) -> impl Iterator<Item = Next> + 'a {
        let part = self.part_of[router as usize];
        all.iter()
            .copied()
            .filter(move |next| self.part_of[next.router as usize] == part)
    }
}

fn adjacency(
    count: usize,
    edges: impl Iterator<Item = (u32, Next)> + Clone,
) -> (Vec<usize>, Vec<Next>) {
    let mut offsets = vec![0; count + 1];
    for (from, _) in edges.clone() {
        offsets[from as usize + 1] += 1;
    }
    for router in 0..count {
        offsets[router + 1] += offsets[router];
    }
    let mut fill = offsets.clone();
    let mut targets = vec![Next::default(); offsets[count]];
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
    leaving: Vec<Channels>,
    entering: Vec<Channels>,
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
            leaving: vec![Channels::default(); count],
            entering: vec![Channels::default(); count],
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
        let channels = self.leaving[part].count + self.entering[part].count;
        let is_empty = self.terminals[part] + channels == 0;
        if is_empty && !self.touched.contains(&(part as u32)) {
            self.touched.push(part as u32);
        }
        self.members.push(router);
        self.terminals[part] += self.parts.terminals[router as usize];
        for next in self.parts.leaving(router) {
            match self.inside[next.router as usize] {
                true => self.entering[part] -= Channels::one(next.parts),
                false => self.leaving[part] += Channels::one(next.parts),
            }
        }
        for next in self.parts.entering(router) {
            match self.inside[next.router as usize] {
                true => self.leaving[part] -= Channels::one(next.parts),
                false => self.entering[part] += Channels::one(next.parts),
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
        for next in self.parts.leaving(router) {
            match self.inside[next.router as usize] {
                true => self.entering[part] += Channels::one(next.parts),
                false => self.leaving[part] -= Channels::one(next.parts),
            }
        }
        for next in self.parts.entering(router) {
            match self.inside[next.router as usize] {
                true => self.leaving[part] += Channels::one(next.parts),
                false => self.entering[part] -= Channels::one(next.parts),
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
            let channels = self.leaving[part].narrower(self.entering[part]);
            let demand = inside * outside;
            if demand == 0 || channels.count == 0 {
                continue;
            }
            let width = self.parts.width(channels);
            let best = self.best.as_ref();
            let best = best.map_or((0, Width::of_equals(1)), |best| (best.demand, best.width));
            if compare((demand, width), best) == Ordering::Greater {
                let reason = BoundReason::Cut {
                    inside,
                    outside,
                    set: set(),
                };
                self.best = Some(Bound {
                    demand,
                    channels: channels.count,
                    width,
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
            self.leaving[part as usize] = Channels::default();
            self.entering[part as usize] = Channels::default();
        }
    }

    pub(super) fn into_best(self) -> Option<Bound> {
        self.best
    }
}
