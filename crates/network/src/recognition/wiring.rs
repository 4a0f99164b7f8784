//! A network as recognition looks at it: who is linked to whom, both directions one link.

use crate::ids::RouterId;
use crate::network::Network;
use crate::partition::Partition;

/// No part, no place.
pub(super) const NONE: u32 = u32::MAX;

/// The links between living routers.
#[derive(Clone)]
pub(super) struct Wiring {
    /// By link: its ends, the lower one first.
    pub(super) ends: Vec<[u32; 2]>,
    /// By link: how many there are side by side.
    pub(super) copies: Vec<u32>,
    /// By router: where its neighbours begin; and one more.
    first: Vec<usize>,
    /// Neighbours in ascending order, and the link to each.
    at: Vec<(u32, u32)>,
    /// By router: living terminals.
    pub(super) terminals: Vec<u32>,
    pub(super) living: Vec<u32>,
}

impl Wiring {
    /// `None` if there is a link that leads one way only, or none at all.
    pub(super) fn of(network: &Network) -> Option<Self> {
        let mut ends: Vec<[u32; 2]> = Vec::new();
        for router in network.routers() {
            for next in network.neighbours(router) {
                network.reverse(next.channel)?;
                if router < next.router {
                    ends.push([router.0, next.router.0]);
                }
            }
        }
        ends.sort_unstable();
        let mut copies: Vec<u32> = Vec::new();
        let mut distinct: Vec<[u32; 2]> = Vec::new();
        for link in ends {
            match copies.last_mut() {
                Some(copies) if distinct.last() == Some(&link) => *copies += 1,
                _ => {
                    distinct.push(link);
                    copies.push(1);
                }
            }
        }
        if distinct.is_empty() {
            return None;
        }
        let living = network.routers().filter(|&router| network.is_alive(router));
        let terminals = |router: RouterId| network.living_terminals_of(router).count() as u32;
        let (first, at) = neighbours(network.router_count(), &distinct);
        Some(Self {
            first,
            at,
            ends: distinct,
            copies,
            terminals: network.routers().map(terminals).collect(),
            living: living.map(|router| router.0).collect(),
        })
    }

    /// The same with a link more, as often as others are there side by side.
    pub(super) fn with_link(&self, link: [u32; 2]) -> Self {
        let mut with = self.clone();
        with.ends.push(link);
        with.copies.push(self.copies());
        (with.first, with.at) = neighbours(self.routers(), &with.ends);
        with
    }

    /// Are these two linked?
    pub(super) fn is_link(&self, one: u32, other: u32) -> bool {
        let at = self.neighbours(one);
        at.binary_search_by_key(&other, |&(next, _)| next).is_ok()
    }

    pub(super) fn routers(&self) -> usize {
        self.terminals.len()
    }

    /// The neighbours of a router in ascending order, and the link to each.
    pub(super) fn neighbours(&self, router: u32) -> &[(u32, u32)] {
        &self.at[self.first[router as usize]..self.first[router as usize + 1]]
    }

    /// Routers that two are both linked to, and the links to them.
    pub(super) fn common(&self, one: u32, other: u32) -> impl Iterator<Item = (u32, [u32; 2])> {
        let (mut these, mut those) = (self.neighbours(one), self.neighbours(other));
        std::iter::from_fn(move || {
            while let ([(a, first), ..], [(b, second), ..]) = (these, those) {
                if a <= b {
                    these = &these[1..];
                }
                if b <= a {
                    those = &those[1..];
                }
                if a == b {
                    return Some((*a, [*first, *second]));
                }
            }
            None
        })
    }

    /// The parts into which the network falls that has only some of these routers and links: by router the number of its part, and
    /// how many there are.
    pub(super) fn parts(
        &self,
        has_router: impl Fn(u32) -> bool,
        has_link: impl Fn(u32) -> bool,
    ) -> (Vec<u32>, u32) {
        let mut parts = vec![NONE; self.routers()];
        let (mut count, mut found) = (0, Vec::new());
        for &start in &self.living {
            if parts[start as usize] != NONE || !has_router(start) {
                continue;
            }
            parts[start as usize] = count;
            found.push(start);
            while let Some(router) = found.pop() {
                for &(next, link) in self.neighbours(router) {
                    if parts[next as usize] == NONE && has_router(next) && has_link(link) {
                        parts[next as usize] = count;
                        found.push(next);
                    }
                }
            }
            count += 1;
        }
        (parts, count)
    }

    /// By link: the first of those that one gets to from triangle to triangle.
    pub(super) fn by_triangles(&self) -> Vec<u32> {
        let mut classes = Partition::new(self.ends.len());
        for (link, &[a, b]) in (0..).zip(&self.ends) {
            // Nearly a full mesh: the other triangles, which are many, unite nothing any more.
            if classes.count == 1 {
                break;
            }
            for (_, [one, other]) in self.common(a, b) {
                classes.unite(link, one);
                classes.unite(link, other);
            }
        }
        classes.numbers()
    }

    /// How many links there are side by side, where most of them are; elsewhere some are missing.
    pub(super) fn copies(&self) -> u32 {
        self.copies.iter().copied().max().unwrap_or(1)
    }

    /// What is missing of a whole of so many routers and links, if that is not too much.
    pub(super) fn missing(&self, routers: u64, links: u64) -> Option<Missing> {
        let missing = Missing {
            routers: routers.checked_sub(self.living.len() as u64)?,
            links: links.checked_sub(self.copies.iter().map(|&copies| u64::from(copies)).sum())?,
        };
        let is_little = |missing, all| 100 * missing <= MOST_MISSING * all;
        (is_little(missing.routers, routers) && is_little(missing.links, links)).then_some(missing)
    }
}

/// By router where its neighbours begin; and these in ascending order, and the link to each.
fn neighbours(routers: usize, ends: &[[u32; 2]]) -> (Vec<usize>, Vec<(u32, u32)>) {
    let mut all: Vec<(u32, u32, u32)> = Vec::with_capacity(2 * ends.len());
    for (link, &[a, b]) in (0..).zip(ends) {
        all.extend([(a, b, link), (b, a, link)]);
    }
    all.sort_unstable();
    let first = |router: u32| all.partition_point(|&(from, ..)| from < router);
    let first = (0..=routers as u32).map(first).collect();
    (first, all.iter().map(|&(_, to, link)| (to, link)).collect())
}

/// Of a hundred routers, and of a hundred links, of the whole at most so many may be missing.
const MOST_MISSING: u64 = 10;

/// What a network lacks of what it is recognised as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Routers that have failed or were never there.
    pub routers: u64,
    /// Links, those to missing routers among them.
    pub links: u64,
}
