//! Which channel waits for which on each lane, without circles.
//!
//! Most of what tables do stays as it is while a few entries change. That is taken in at once, as a mask of lanes for each turn, and sorted
//! once; what comes and goes is counted, and puts the order right where it does not agree.
//!
//! Source: Marchetti-Spaccamela, Nanni, Rohnert, "Maintaining a topological order under edge insertions", Inf. Process. Lett. 59(1), 1996;
//! Kahn, "Topological sorting of large networks", CACM 5(11), 1962.
//!
//! Complexity: O(turns x lanes) to make; a dependency that agrees with the order costs O(1), another one what lies between its ends.

use crate::irregular::acyclic::Places;
use crate::irregular::by_destination::Turns;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Dependencies of all lanes, none of which closes a circle.
pub(super) struct Dependencies<'a> {
    turns: &'a Turns<'a>,
    /// By turn: lanes on which it is taken by packets that stay.
    standing: Vec<u16>,
    /// By turn: lanes on which it is taken by any.
    taken: Vec<u16>,
    /// By turn and lane on which none stays: destinations whose packets take it, if there are any.
    counts: FxHashMap<(usize, usize), u32>,
    /// Whatever was counted since all was forgotten.
    counted: Vec<(usize, usize)>,
    /// Turns into and out of arcs that have failed, and the lanes on which they were taken.
    failed: Vec<(Turn, u16)>,
    lanes: Vec<Order>,
}

/// From one arc into another.
type Turn = [u32; 2];

/// A turn from one arc into another, on a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dependency {
    pub(super) lane: usize,
    pub(super) from: u32,
    pub(super) to: u32,
}

impl<'a> Dependencies<'a> {
    /// So many lanes, by turn those on which packets take it that stay; `None` if they close a circle.
    pub(super) fn standing(turns: &'a Turns<'a>, lanes: usize, standing: Vec<u16>) -> Option<Self> {
        let all = Edges::by_lane(turns, lanes, &standing);
        let orders = all
            .iter()
            .map(|edges| Order::new(turns.graph.arcs(), edges));
        Some(Self {
            lanes: orders.collect::<Option<_>>()?,
            counts: FxHashMap::default(),
            counted: Vec::new(),
            failed: Vec::new(),
            taken: standing.clone(),
            standing,
            turns,
        })
    }

    /// Counts another destination, unless that would close a circle.
    pub(super) fn add(&mut self, dependency: Dependency) -> bool {
        let fits = self.fits(dependency);
        if fits {
            let Dependency { lane, from, to } = dependency;
            let turn = self.turns.number(from, to);
            if self.standing[turn] >> lane & 1 == 0 {
                if self.taken[turn] >> lane & 1 == 0 {
                    self.counted.push((turn, lane));
                }
                self.taken[turn] |= 1 << lane;
                *self.counts.entry((turn, lane)).or_insert(0) += 1;
            }
        }
        fits
    }

    /// Counts one destination less.
    pub(super) fn remove(&mut self, Dependency { lane, from, to }: Dependency) {
        let turn = self.turns.number(from, to);
        if let Entry::Occupied(mut count) = self.counts.entry((turn, lane)) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
                self.taken[turn] &= !(1 << lane);
            }
        }
    }

    /// Takes back all that has been counted.
    pub(super) fn forget(&mut self) {
        for (turn, lane) in self.counted.drain(..) {
            self.taken[turn] &= !(1 << lane);
        }
        self.counts.clear();
    }

    /// Nobody waits for an arc any more: packets that want it are thrown away. So it is on no circle, though those that got over it still
    /// wait for others. Nothing may have been counted yet.
    pub(super) fn fail(&mut self, arc: u32) {
        let (graph, turns) = (self.turns.graph, self.turns);
        let before = graph.arriving(graph.from(arc)).map(|before| [before, arc]);
        let behind = turns.onwards(arc).map(|(_, next)| [arc, next]);
        for turn in before.chain(behind) {
            let taken = &mut self.taken[turns.number(turn[0], turn[1])];
            if *taken != 0 {
                self.failed.push((turn, std::mem::take(taken)));
            }
        }
    }

    /// Those that have failed are there again. Nothing may be counted any more.
    pub(super) fn revive(&mut self) {
        for ([from, to], taken) in std::mem::take(&mut self.failed) {
            for lane in (0..self.lanes.len()).filter(|lane| taken >> lane & 1 == 1) {
                let stood = self.fits(Dependency { lane, from, to });
                debug_assert!(stood, "what stood closes no circle");
                self.taken[self.turns.number(from, to)] |= 1 << lane;
            }
        }
    }

    fn fits(&mut self, Dependency { lane, from, to }: Dependency) -> bool {
        let waits = Waits {
            turns: self.turns,
            taken: &self.taken,
            lane,
        };
        self.taken[self.turns.number(from, to)] >> lane & 1 == 1
            || self.lanes[lane].admits([from, to], waits)
    }
}

/// Which arc waits for which on a lane.
#[derive(Clone, Copy)]
struct Waits<'a> {
    turns: &'a Turns<'a>,
    taken: &'a [u16],
    lane: usize,
}

impl<'a> Waits<'a> {
    fn of(self, arc: u32) -> impl Iterator<Item = u32> + 'a {
        let all = self.turns.onwards(arc);
        all.filter_map(move |(turn, next)| (self.taken[turn] >> self.lane & 1 == 1).then_some(next))
    }

    /// Those that wait for an arc.
    fn before(self, arc: u32) -> impl Iterator<Item = u32> + 'a {
        let graph = self.turns.graph;
        let all = graph.arriving(graph.from(arc));
        all.filter(move |&before| self.taken[self.turns.number(before, arc)] >> self.lane & 1 == 1)
    }
}

/// The same in lists.
struct Edges {
    /// By arc: where its list begins; and one more.
    first: Vec<usize>,
    to: Vec<u32>,
}

impl Edges {
    fn by_lane(turns: &Turns<'_>, lanes: usize, taken: &[u16]) -> Vec<Self> {
        let none = || Self {
            first: vec![0],
            to: Vec::new(),
        };
        let mut all: Vec<Self> = (0..lanes).map(|_| none()).collect();
        for arc in 0..turns.graph.arcs() as u32 {
            for (turn, next) in turns.onwards(arc) {
                let mut left = taken[turn];
                while left != 0 {
                    all[left.trailing_zeros() as usize].to.push(next);
                    left &= left - 1;
                }
            }
            for edges in &mut all {
                edges.first.push(edges.to.len());
            }
        }
        all
    }

    fn of(&self, arc: u32) -> &[u32] {
        &self.to[self.first[arc as usize]..self.first[arc as usize + 1]]
    }
}

/// An order of all arcs in which each comes before those it waits for.
struct Order {
    places: Places,
    found: Vec<u32>,
    before: Vec<u32>,
}

impl Order {
    /// `None` if there is none.
    fn new(arcs: usize, edges: &Edges) -> Option<Self> {
        let mut pending = vec![0u32; arcs];
        for &to in &edges.to {
            pending[to as usize] += 1;
        }
        let first = (0..arcs as u32).filter(|&arc| pending[arc as usize] == 0);
        let mut order: Vec<u32> = first.collect();
        let mut done = 0;
        while let Some(&arc) = order.get(done) {
            done += 1;
            for &next in edges.of(arc) {
                pending[next as usize] -= 1;
                if pending[next as usize] == 0 {
                    order.push(next);
                }
            }
        }
        (order.len() == arcs).then(|| Self {
            places: Places::new(&order),
            found: Vec::new(),
            before: Vec::new(),
        })
    }

    /// May an arc wait for another one as well? The order is one for that from now on.
    fn admits(&mut self, [from, to]: [u32; 2], waits: Waits<'_>) -> bool {
        let [last, first] = [from, to].map(|arc| self.places.of(arc));
        if last < first {
            return true;
        }
        let lists = (&mut self.found, &mut self.before);
        let ways = (|arc| waits.of(arc), |arc| waits.before(arc));
        let Some(search) = self.places.reach([to, from], usize::MAX, lists, ways) else {
            return false;
        };
        self.places
            .move_along(search, [first, last], &mut self.found);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::irregular::acyclic::{Acyclic, Added};
    use crate::irregular::by_destination::Graph;
    use proptest::prelude::*;
    use turnwise_network::topologies::{RandomRegular, Topology};

    proptest! {
        /// What closes a circle is refused, as by [`Acyclic`], whatever stands and whatever was counted and taken back before.
        #[test]
        fn what_closes_a_circle_is_refused(
            standing in proptest::collection::vec((0u32..60, 0u32..4), 0..60),
            steps in proptest::collection::vec((0u32..60, 0u32..4, 0usize..2, any::<bool>()), 0..200),
        ) {
            let random = RandomRegular { routers: 15, degree: 4, ..RandomRegular::default() };
            let graph = Graph::new(&random.build(None).unwrap());
            let turns = Turns::new(&graph);
            let turn = |arc: u32, which: u32| (arc, graph.leaving(graph.to(arc)).start + which);
            let mut lanes = [Acyclic::new(graph.arcs()), Acyclic::new(graph.arcs())];
            let (mut masks, mut closes) = (vec![0; turns.count()], false);
            for (arc, which) in standing {
                let (from, to) = turn(arc, which);
                masks[turns.number(from, to)] = 1;
                closes |= lanes[0].add(from, to) == Added::Refused;
            }
            let found = Dependencies::standing(&turns, 2, masks.clone());
            prop_assert_eq!(found.is_none(), closes);
            let Some(mut dependencies) = found else { return Ok(()) };
            let mut counted: Vec<Dependency> = Vec::new();
            for (arc, which, lane, adds) in steps {
                let (from, to) = turn(arc, which);
                let is_it = |other: &Dependency| (other.lane, other.from, other.to) == (lane, from, to);
                if adds {
                    let fits = lanes[lane].add(from, to) != Added::Refused;
                    prop_assert_eq!(dependencies.add(Dependency { lane, from, to }), fits);
                    counted.extend(fits.then_some(Dependency { lane, from, to }));
                } else if let Some(at) = counted.iter().position(is_it) {
                    dependencies.remove(counted.swap_remove(at));
                    let stands = masks[turns.number(from, to)] >> lane & 1 == 1;
                    if !stands && !counted.iter().any(is_it) {
                        lanes[lane].remove(from, to);
                    }
                }
            }
        }

        /// An arc that has failed is on no circle, and is again when it has come back, whatever was counted meanwhile.
        #[test]
        fn what_has_failed_is_on_no_circle(
            standing in proptest::collection::vec((0u32..60, 0u32..4), 0..60),
            failing in proptest::collection::vec(0u32..60, 1..6),
            meanwhile in proptest::collection::vec((0u32..60, 0u32..4), 0..100),
            later in proptest::collection::vec((0u32..60, 0u32..4), 0..100),
        ) {
            let random = RandomRegular { routers: 15, degree: 4, ..RandomRegular::default() };
            let graph = Graph::new(&random.build(None).unwrap());
            let turns = Turns::new(&graph);
            let turn = |(arc, which): (u32, u32)| (arc, graph.leaving(graph.to(arc)).start + which);
            let is_alive = |&(from, to): &(u32, u32)| !failing.contains(&from) && !failing.contains(&to);
            let (mut whole, mut left) = (Acyclic::new(graph.arcs()), Acyclic::new(graph.arcs()));
            let mut masks = vec![0; turns.count()];
            for (from, to) in standing.into_iter().map(turn) {
                if whole.add(from, to) != Added::Refused {
                    masks[turns.number(from, to)] = 1;
                    if is_alive(&(from, to)) {
                        left.add(from, to);
                    }
                }
            }
            let mut dependencies = Dependencies::standing(&turns, 1, masks).unwrap();
            failing.iter().for_each(|&arc| dependencies.fail(arc));
            let dependency = |(from, to)| Dependency { lane: 0, from, to };
            for (from, to) in meanwhile.into_iter().map(turn).filter(is_alive) {
                let fits = left.add(from, to) != Added::Refused;
                prop_assert_eq!(dependencies.add(dependency((from, to))), fits);
            }
            dependencies.forget();
            dependencies.revive();
            for (from, to) in later.into_iter().map(turn) {
                let fits = whole.add(from, to) != Added::Refused;
                prop_assert_eq!(dependencies.add(dependency((from, to))), fits);
            }
        }
    }
}
