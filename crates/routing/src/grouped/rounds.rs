//! Ways round dead channels inside the groups of a dragonfly.
//!
//! Routers of a group that have lost their channel to each other still meet by others of the group. Such a way takes several local
//! channels of one class after the other, so they must not wait for each other in a circle: routers of a group have ranks, and a
//! way climbs to lower ranks first and then only descends (up*/down*). A circle would have to climb again somewhere. So a route
//! that takes each class on one local channel may take it on a way round instead: no virtual channel more is needed, and whatever is
//! connected inside a group is routed there.
//!
//! **Where next** depends on the router and on where in the group a packet wants to go, and on nothing else: straight there if a channel
//! leads there, down if ranks only rise on some way there, and up if not. Who has once gone down finds such a way
//! from everywhere behind. Ranks are those of a breadth-first search from the router with the most channels, so that everybody
//! else can climb. Equally short ways are taken in turn by the sum of both ends' numbers, not at random, so that nothing has to be remembered.
//!
//! Source: Schroeder et al., "Autonet: a high-speed, self-configuring local area network using point-to-point links", IEEE JSAC 9(8), 1991
//! (up*/down*).
//!
//! Complexity: O(groups x routers of a group cubed) once, eight bytes for two routers of a group, and nothing if no channel inside a group is dead.

use turnwise_network::{Network, RouterId};

/// The next router on the way to another of the same group, by router and by the other's place in the group.
pub(crate) struct Rounds {
    routers_per_group: u32,
    next: Vec<Option<RouterId>>,
}

impl Rounds {
    /// `None` if all live routers of a group have channels to each other.
    ///
    /// `joined` says whether a channel leads from a live router to a live one of its group.
    pub(crate) fn new(
        network: &Network,
        routers_per_group: u32,
        joined: impl Fn(RouterId, RouterId) -> bool,
    ) -> Option<Self> {
        let routers = network.router_count() as u32;
        let firsts = (0..routers).step_by(routers_per_group.max(1) as usize);
        let mut next = Vec::new();
        let mut any = false;
        for first in firsts {
            let group: Vec<RouterId> = (first..first + routers_per_group).map(RouterId).collect();
            let links = |from: usize, to: usize| from != to && joined(group[from], group[to]);
            let lives = |at: usize| network.is_alive(group[at]);
            let ways = Group::new(group.len(), &links);
            for at in 0..group.len() {
                for to in 0..group.len() {
                    let found = ways.next(at, to);
                    any |= lives(at) && lives(to) && at != to && found != Some(to);
                    next.push(found.map(|index| group[index]));
                }
            }
        }
        any.then_some(Self {
            routers_per_group,
            next,
        })
    }

    /// The router that a packet goes to next on its way to another of its group; `None` if there is no way.
    #[inline]
    pub(crate) fn next(&self, at: RouterId, to: RouterId) -> Option<RouterId> {
        let place = to.0 % self.routers_per_group;
        self.next[at.index() * self.routers_per_group as usize + place as usize]
    }
}

/// The ways of one group, by places in it.
struct Group {
    size: usize,
    next: Vec<Option<usize>>,
}

impl Group {
    fn new(size: usize, links: &impl Fn(usize, usize) -> bool) -> Self {
        let order = ranked(size, links);
        let mut rank = vec![0; size];
        for (number, &at) in order.iter().enumerate() {
            rank[at] = number;
        }
        let mut next = vec![None; size * size];
        for to in 0..size {
            let is_behind = |at: usize, near: usize| links(at, near) && rank[near] > rank[at];
            let is_before = |at: usize, near: usize| links(at, near) && rank[near] < rank[at];
            // Channels of the way that only descends.
            let mut down = vec![None; size];
            down[to] = Some(0_usize);
            for &at in order.iter().rev().filter(|&&at| rank[at] < rank[to]) {
                let onward = (0..size).filter(|&near| is_behind(at, near));
                down[at] = onward
                    .filter_map(|near| down[near])
                    .min()
                    .map(|rest| rest + 1);
            }
            // Those of the way that is taken.
            let mut length = down.clone();
            for &at in order.iter().filter(|&&at| at != to) {
                if links(at, to) {
                    length[at] = Some(1);
                    next[at * size + to] = Some(to);
                    continue;
                }
                let falls = down[at].is_some();
                let onward = (0..size).filter(|&near| match falls {
                    true => is_behind(at, near),
                    false => is_before(at, near),
                });
                let rest = |near: usize| if falls { down[near] } else { length[near] };
                let Some(least) = onward.clone().filter_map(rest).min() else {
                    continue;
                };
                let alike: Vec<usize> = onward.filter(|&near| rest(near) == Some(least)).collect();
                next[at * size + to] = Some(alike[(at + to) % alike.len()]);
                length[at] = Some(least + 1);
            }
        }
        Self { size, next }
    }

    fn next(&self, at: usize, to: usize) -> Option<usize> {
        self.next[at * self.size + to]
    }
}

/// The routers of a group by rank: breadth first, from the one with the most channels, and so on with what that does not reach.
fn ranked(size: usize, links: &impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let degree = |at: usize| (0..size).filter(|&near| links(at, near)).count();
    let mut roots: Vec<usize> = (0..size).collect();
    roots.sort_by_key(|&at| std::cmp::Reverse(degree(at)));
    let mut order: Vec<usize> = Vec::with_capacity(size);
    for root in roots {
        if order.contains(&root) {
            continue;
        }
        let mut done = order.len();
        order.push(root);
        while done < order.len() {
            let at = order[done];
            done += 1;
            for near in (0..size).filter(|&near| links(at, near)) {
                if !order.contains(&near) {
                    order.push(near);
                }
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Does each of so many nodes come before those it waits for in some order?
    fn is_acyclic(edges: &[(usize, usize)], nodes: usize) -> bool {
        let mut left: Vec<usize> = (0..nodes).collect();
        loop {
            let waits = |node: usize| {
                let mut onward = edges.iter().filter(|&&(from, _)| from == node);
                onward.any(|(_, to)| left.contains(to))
            };
            let rest: Vec<usize> = left.iter().copied().filter(|&node| waits(node)).collect();
            if rest.len() == left.len() {
                return rest.is_empty();
            }
            left = rest;
        }
    }

    proptest! {
        /// On any graph: who is connected meets, in no more channels than there are routers, straight where a channel leads
        /// there, and the channels of all ways together wait for each other in no circle.
        #[test]
        fn whoever_is_connected_meets_without_a_circle(size in 1_usize..8, alive in any::<u32>()) {
            let pair = |from: usize, to: usize| {
                let (low, high) = (from.min(to), from.max(to));
                high * (high - 1) / 2 + low
            };
            let links = |from: usize, to: usize| from != to && alive >> pair(from, to) & 1 == 1;
            let ways = Group::new(size, &links);
            let mut connected = vec![false; size * size];
            for at in 0..size {
                let mut todo = vec![at];
                while let Some(here) = todo.pop() {
                    let known = &mut connected[at * size + here];
                    if !std::mem::replace(known, true) {
                        todo.extend((0..size).filter(|&near| links(here, near)));
                    }
                }
            }
            let mut waits = Vec::new();
            for (from, to) in (0..size).flat_map(|from| (0..size).map(move |to| (from, to))) {
                let (mut at, mut channels) = (from, Vec::new());
                while at != to && let Some(next) = ways.next(at, to) {
                    prop_assert!(links(at, next) && (next == to || !links(at, to)));
                    channels.push(at * size + next);
                    prop_assert!(channels.len() < size);
                    at = next;
                }
                prop_assert_eq!(at == to, connected[from * size + to]);
                waits.extend(channels.windows(2).map(|two| (two[0], two[1])));
            }
            prop_assert!(is_acyclic(&waits, size * size));
        }
    }

    #[test]
    fn ways_round_one_dead_channel_are_shared_out() {
        // All of eight, but not 0 and 1.
        let links = |from: usize, to: usize| from != to && from + to != 1;
        let ways = Group::new(8, &links);
        for (at, to) in (0..8).flat_map(|at| (0..8).map(move |to| (at, to))) {
            match (at, to) {
                (0, 1) | (1, 0) => assert!(ways.next(at, to).is_some_and(|by| by > 1)),
                _ => assert_eq!(ways.next(at, to), (at != to).then_some(to)),
            }
        }
        // Every third one.
        let links = |from: usize, to: usize| from % 3 != to % 3;
        let ways = Group::new(9, &links);
        let mut middles: Vec<_> = [(0, 3), (0, 6), (3, 6)]
            .iter()
            .map(|&(at, to)| ways.next(at, to))
            .collect();
        middles.dedup();
        assert!(middles.len() > 1, "{middles:?}");
    }
}
