//! Which routes a pair may take: all legal ones of least length.
//!
//! On a system without faults these can be written down: the shorter way round each ring
//! (both, if they are equally long), dimension by dimension in the order of directions, and
//! first and last steps wherever the turns they need are there. With faults the
//! same list, less what is broken, is still complete as long as it is not empty. Only pairs
//! that have to make a detour are searched for on the [`RoutingGraph`].

use super::graph::Search;
use super::system::NONE;
use super::{Directions, Route, RoutingGraph, System, Turns};

/// A system with its turns, and whether first and last steps are taken at all.
#[derive(Clone, Debug)]
pub struct Rules {
    system: System,
    turns: Turns,
    first_step: bool,
    last_step: bool,
    graph: RoutingGraph,
}

/// Memory that is used again from source to source.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    search: Search,
    routes: Vec<Route>,
    missing: Vec<u32>,
    starts: Vec<u32>,
}

impl Rules {
    /// The rules on a system whose turns are known.
    pub fn new(system: System, turns: Turns, first_step: bool, last_step: bool) -> Self {
        let graph = RoutingGraph::new(system.directions(), first_step, last_step);
        Self {
            system,
            turns,
            first_step,
            last_step,
            graph,
        }
    }

    /// The system.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The turns.
    pub fn turns(&self) -> &Turns {
        &self.turns
    }

    /// The graph of all legal routes, minimal or not.
    pub fn graph(&self) -> &RoutingGraph {
        &self.graph
    }

    /// Calls `found` for every other member with all its legal routes of least length from
    /// `source`, each physical route once, regular ones first; none if it cannot be reached.
    ///
    /// # Complexity
    /// O(routes x hops); a source some of whose members are reached only by a detour searches
    /// the routing graph, O(nodes x 3^dimensions).
    pub fn each_destination(
        &self,
        source: u32,
        scratch: &mut Scratch,
        mut found: impl FnMut(u32, &[Route]),
    ) {
        let Scratch {
            search,
            routes,
            missing,
            starts,
        } = scratch;
        if self.system.is_whole() {
            for &target in self
                .system
                .members()
                .iter()
                .filter(|&&target| target != source)
            {
                routes.clear();
                self.direct(source, target, |route| routes.push(route));
                found(target, routes);
            }
            return;
        }
        routes.clear();
        starts.clear();
        missing.clear();
        let members = self.system.members();
        for &target in members {
            starts.push(routes.len() as u32);
            if target != source {
                self.direct(source, target, |route| {
                    if route.walk(&self.system, source, |_| ()) {
                        routes.push(route);
                    }
                });
                if starts[starts.len() - 1] == routes.len() as u32 {
                    missing.push(target);
                }
            }
        }
        starts.push(routes.len() as u32);
        if !missing.is_empty() {
            search.run(self, source, missing);
        }
        let mut detours = Vec::new();
        for (index, &target) in members
            .iter()
            .enumerate()
            .filter(|&(_, &target)| target != source)
        {
            let known = &routes[starts[index] as usize..starts[index + 1] as usize];
            if known.is_empty() {
                detours.clear();
                search.routes_to(self, target, &mut detours);
                found(target, &detours);
            } else {
                found(target, known);
            }
        }
    }

    /// Every route of the length that source and target would be apart without faults.
    pub(crate) fn direct(&self, source: u32, target: u32, mut found: impl FnMut(Route)) {
        let dimensions = self.system.sizes().len();
        let (from, to) = (
            self.system.coordinates(source),
            self.system.coordinates(target),
        );
        let (mut counts, mut down, mut ties) = ([0; Directions::MOST_DIMENSIONS], 0u8, 0u8);
        for dimension in 0..dimensions {
            let (here, there) = (from[dimension], to[dimension]);
            let size = self.system.sizes()[dimension] as u8;
            let (up, back) = if there >= here {
                (there - here, size.wrapping_sub(there - here))
            } else {
                (size - (here - there), here - there)
            };
            let goes_down = if self.system.is_ring(dimension) {
                up > back
            } else {
                there < here
            };
            counts[dimension] = if goes_down { back } else { up };
            down |= u8::from(goes_down) << dimension;
            ties |= u8::from(self.system.is_ring(dimension) && up == back && up > 0) << dimension;
        }
        let mut flipped = 0u8;
        loop {
            let signs = down | flipped;
            found(Route::regular(counts, signs));
            if self.turns.added() > 0 {
                self.with_steps(source, target, counts, signs, &mut found);
            }
            flipped = flipped.wrapping_sub(ties) & ties;
            if flipped == 0 {
                return;
            }
        }
    }

    /// The routes with a first step, a last step or both whose hops are those of a regular route.
    fn with_steps(
        &self,
        source: u32,
        target: u32,
        counts: [u8; Directions::MOST_DIMENSIONS],
        down: u8,
        found: &mut impl FnMut(Route),
    ) {
        let directions = self.system.directions();
        // The directions of all hops, one bit a rank, and those that would be left without their only hop.
        let (mut all, mut single, mut total) = (0u8, [0u8; Directions::MOST_DIMENSIONS], 0);
        for dimension in (0..directions.dimensions()).filter(|&d| counts[d] > 0) {
            let bit = 1 << directions.rank(dimension, down >> dimension & 1 == 0);
            all |= bit;
            single[dimension] = if counts[dimension] == 1 { bit } else { 0 };
            total += u32::from(counts[dimension]);
        }
        let some = |allowed: bool, upwards: bool| {
            let goes = move |&d: &usize| counts[d] > 0 && (down >> d & 1 == 0) == upwards;
            let steps = (0..directions.dimensions()).filter(move |d| allowed && goes(d));
            std::iter::once(None).chain(steps.map(Some))
        };
        for first in some(self.first_step, true) {
            let (mut after_first, mut left) = (counts, all);
            let mut onto = 0;
            if let Some(first) = first {
                after_first[first] -= 1;
                left &= !single[first];
                // Directions that break the order after the first step.
                let rank = directions.rank(first, true);
                onto = self.turns.after(self.system.channel(source, rank)) & !(u8::MAX << rank);
            }
            if first.is_some() && onto == 0 {
                continue;
            }
            for last in some(self.last_step, false) {
                let (mut rest, mut left, mut down) = (after_first, left, down);
                if let Some(last) = last {
                    rest[last] -= 1;
                    left &= !single[last];
                    down &= !(u8::from(rest[last] == 0) << last);
                }
                if left == 0 || first.or(last).is_none() {
                    continue;
                }
                let (lowest, highest) = (left.trailing_zeros(), left.ilog2() as usize);
                let breaks_first = first.is_none() || onto >> lowest & 1 == 1;
                // Two hops out of order are a first step and a regular one, not the other way round.
                let two_hops = first.is_none()
                    && self.first_step
                    && directions.at(highest).positive
                    && total == 2;
                let breaks_last = || {
                    last.is_none_or(|last| {
                        let rank = directions.rank(last, false);
                        !two_hops && rank < highest && self.may_end(target, highest, rank)
                    })
                };
                if breaks_first && breaks_last() {
                    found(Route::regular(rest, down).with_first(first).with_last(last));
                }
            }
        }
    }

    /// May a packet that comes in direction `before` make its last hop to `target` in direction `last`?
    fn may_end(&self, target: u32, before: usize, last: usize) -> bool {
        let directions = self.system.directions();
        let back = |node: u32, rank: usize| match node {
            NONE => NONE,
            node => self.system.targets()[self.system.channel(node, directions.opposite(rank))],
        };
        let node = back(back(target, last), before);
        node != NONE && self.turns.after(self.system.channel(node, before)) >> last & 1 == 1
    }

    /// Is a route legal hop by hop, whatever its length?
    ///
    /// The first and last steps' signs and the direction bits are kept by the encoding; what is
    /// left are living channels, U-turns, and the turns into and out of the regular part.
    pub fn allow(&self, source: u32, route: Route) -> bool {
        let directions = self.system.directions();
        let (mut before, mut legal) = (None, true);
        let regular = extremes(directions, route.counts, route.down);
        let alive = route.walk(&self.system, source, |channel| {
            if let Some(before) = before {
                legal &= self.turns.after(before) >> (channel % directions.count()) & 1 == 1;
            }
            before = Some(channel);
        });
        let steps = (route.first().is_none() || self.first_step)
            && (route.last().is_none() || self.last_step)
            && (regular.is_some() || route.first().is_none() || route.last().is_none());
        alive && legal && steps
    }
}

/// Lowest and highest rank among the directions of a regular part, if it has any.
fn extremes(
    directions: &Directions,
    counts: [u8; Directions::MOST_DIMENSIONS],
    down: u8,
) -> Option<(usize, usize)> {
    let ranks = (0..directions.dimensions())
        .filter(|&dimension| counts[dimension] > 0)
        .map(|dimension| directions.rank(dimension, down >> dimension & 1 == 0));
    ranks.fold(None, |extremes, rank| match extremes {
        None => Some((rank, rank)),
        Some((low, high)) => Some((rank.min(low), rank.max(high))),
    })
}
