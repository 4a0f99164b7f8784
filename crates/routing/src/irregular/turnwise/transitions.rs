//! Lanes that change on the way: fewer are enough than if every route kept to its own.
//!
//! A switch tells a packet's lane by the ports it comes and leaves by and its service level, and not by the lane it comes on. So for each
//! service level there is a lane for every turn, and for every first arc. Routes come one after the other, and each takes the lowest service
//! level with which it finds lanes: where a turn has its lane already that is the one, and elsewhere the lane the packet is on, or else the
//! first other one that closes no circle of arcs and lanes. On a grid what is tried first are [datelines](super::datelines). Two lanes
//! are enough for these, as long as trees keep to dimension order. Where something is missing some routes do not, and come last: they have two
//! lanes of their own where they leave it, and service levels apart, as long as there are some.
//!
//! One lane is tried first, then two, and so on; in large networks only if all there are do.
//!
//! Source: none.
//!
//! Complexity: O(routes x diameter x service levels) turns that are tried, but for those in dimension order, and O(turns x lanes^2) searches of
//! a part of a graph of arcs and lanes, for each number of lanes.

use super::datelines::{Datelines, Regular};
use crate::irregular::acyclic::{Acyclic, Added};
use crate::irregular::by_destination::{Graph, NONE, Steps, Trees, Turns, bits};
use turnwise_network::tables::SERVICE_LEVELS;

/// In large networks a search for a circle looks at so many arcs, and what is not known by then counts as one.
const SEARCH: usize = 300;

/// Where there are more pairs of routers than this, that many turns are tried for routes that leave dimension order: they mostly find lanes by
/// then, or none at all.
const PAIRS: usize = 1 << 18;
const PATIENCE: usize = 1 << 18;

/// No lane yet.
const OPEN: u8 = u8::MAX;

/// Service levels of all routes, and the lanes they stand for.
pub(super) struct Changes {
    /// By destination, then by router.
    pub(super) levels: Vec<u8>,
    /// By service level, then by arc that a packet sets out by.
    firsts: Vec<u8>,
    /// By service level, then by turn.
    turns: Vec<u8>,
    arcs: usize,
    pub(super) count: u32,
}

impl Changes {
    /// The lane of a packet that sets out by an arc, or turns into it from another one.
    pub(super) fn lane(&self, turns: &Turns<'_>, from: Option<u32>, to: u32, level: u8) -> u8 {
        let lane = match from {
            None => self.firsts[usize::from(level) * self.arcs + to as usize],
            Some(from) => self.turns[usize::from(level) * turns.count() + turns.number(from, to)],
        };
        if lane == OPEN { 0 } else { lane }
    }
}

/// Lanes for all routes, of at most so many; `None` if these or the service levels are too few.
pub(super) fn changing(
    graph: &Graph,
    trees: &Trees,
    steps: Option<&Steps>,
    most: u32,
) -> Option<Changes> {
    let turns = Turns::new(graph);
    let datelines = steps.and_then(|steps| Datelines::new(graph, steps));
    let with = |lanes| Filling::new(&turns, trees, (steps, datelines.as_ref()), lanes).filled();
    // It takes long to find that few do not suffice, and that more do not either.
    let with_most = match takes_long(trees) {
        true => Some(with(most)?),
        false => None,
    };
    let last = if with_most.is_some() { most } else { most + 1 };
    (1..last).find_map(with).or(with_most)
}

/// Are there so many pairs of routers that it takes long to find that lanes do not suffice?
pub(super) fn takes_long(trees: &Trees) -> bool {
    trees.next.len() > PAIRS
}

/// Do lanes not suffice for trees of many pairs on a grid, not even all there are? It takes less time to find that here than for trees that
/// leave dimension order more often.
pub(super) fn is_hopeless(graph: &Graph, trees: &Trees, steps: Option<&Steps>, most: u32) -> bool {
    let turns = Turns::new(graph);
    let datelines = steps.and_then(|steps| Datelines::new(graph, steps));
    takes_long(trees)
        && datelines.is_some_and(|datelines| {
            let filling = Filling::new(&turns, trees, (steps, Some(&datelines)), most);
            filling.filled().is_none()
        })
}

struct Filling<'a> {
    turns: &'a Turns<'a>,
    trees: &'a Trees,
    datelines: Option<&'a Datelines>,
    lanes: u32,
    /// Of arcs and lanes, those of an arc together.
    graph: Acyclic,
    changes: Changes,
    /// Service levels that are in use.
    used: u8,
    /// The arcs of the route that is looked at, the lanes it would take, and what was allowed for it.
    route: Vec<u32>,
    taken: Vec<u8>,
    added: Vec<(u32, u32)>,
    /// Turns that have been tried, and how many may be.
    tries: usize,
    patience: usize,
    /// The lanes that datelines would have it take.
    wanted: Vec<u8>,
    /// By turn and lane that a packet is on: lanes that close a circle with what is there for good.
    refused: Vec<[u16; SERVICE_LEVELS as usize]>,
}

impl<'a> Filling<'a> {
    fn new(
        turns: &'a Turns<'a>,
        trees: &'a Trees,
        (steps, datelines): (Option<&Steps>, Option<&'a Datelines>),
        lanes: u32,
    ) -> Self {
        let arcs = turns.graph.arcs();
        let levels = usize::from(SERVICE_LEVELS);
        Self {
            turns,
            trees,
            datelines: datelines.filter(|_| lanes > 1),
            lanes,
            graph: dependencies(turns.graph, steps, lanes),
            changes: Changes {
                levels: vec![0; trees.next.len()],
                firsts: vec![OPEN; levels * arcs],
                turns: vec![OPEN; levels * turns.count()],
                arcs,
                count: lanes,
            },
            used: 0,
            route: Vec::new(),
            taken: Vec::new(),
            added: Vec::new(),
            tries: 0,
            patience: match datelines.is_some() && takes_long(trees) {
                true => PATIENCE,
                false => usize::MAX,
            },
            wanted: Vec::new(),
            refused: vec![[0; SERVICE_LEVELS as usize]; turns.count()],
        }
    }

    fn filled(mut self) -> Option<Changes> {
        let mut all = self.trees.routed(self.turns.graph);
        let found = match self.datelines {
            Some(datelines) => {
                let mut others = self.take_regular(datelines)?.into_iter();
                others.try_for_each(|route| self.take(route))
            }
            None => all.try_for_each(|route| self.take(route)),
        };
        found.map(|()| self.changes)
    }

    /// Finds lanes for a route, by its place.
    fn take(&mut self, route: usize) -> Option<()> {
        let tree = self.trees.to(route / self.trees.width);
        self.route.clear();
        let mut at = route % self.trees.width;
        while tree[at] != NONE {
            self.route.push(tree[at]);
            at = self.turns.graph.to(tree[at]) as usize;
        }
        self.changes.levels[route] = self.place()?;
        (self.tries <= self.patience).then_some(())
    }

    /// Takes in all routes in dimension order; the places of all others.
    fn take_regular(&mut self, datelines: &Datelines) -> Option<Vec<usize>> {
        let (turns, levels) = (self.turns, &mut self.changes.levels);
        let Regular {
            turns: taken,
            firsts,
            others,
        } = datelines.regular(turns, self.trees, levels);
        let node = |arc: u32, level| arc * self.lanes + u32::from(datelines.lane(arc, level));
        for arc in 0..turns.graph.arcs() as u32 {
            for level in bits(firsts[arc as usize].into()) {
                let entry = level * self.changes.arcs + arc as usize;
                self.changes.firsts[entry] = datelines.lane(arc, level as u8);
                self.used = self.used.max(level as u8 + 1);
            }
            for (number, next) in turns.onwards(arc) {
                for level in bits(taken[number].into()) {
                    let [from, to] = [arc, next].map(|arc| node(arc, level as u8));
                    if self.graph.add(from, to) == Added::Refused {
                        return None;
                    }
                    let entry = level * turns.count() + number;
                    self.changes.turns[entry] = datelines.lane(next, level as u8);
                }
            }
        }
        Some(others)
    }

    /// The service level of the route that is looked at, which has its lanes then.
    fn place(&mut self) -> Option<u8> {
        if let Some(datelines) = self.datelines {
            let mut wanted = std::mem::take(&mut self.wanted);
            let level = datelines.of_route(&self.route, &mut wanted);
            let fits = self.fits(level, |at, _| Some(wanted[at]));
            self.wanted = wanted;
            if fits {
                self.commit(level);
                return Some(level);
            }
        }
        // With one lane all service levels are alike.
        let last = match self.lanes {
            1 => 0,
            _ => self.used.min(SERVICE_LEVELS - 1),
        };
        for level in 0..=last {
            for first in 0..self.lanes as u8 {
                let stay = |at: usize, before: Option<u8>| match at {
                    0 => Some(first),
                    _ => before,
                };
                if self.fits(level, stay) {
                    self.commit(level);
                    return Some(level);
                }
                if self.known(level, 0) != OPEN {
                    break;
                }
            }
        }
        None
    }

    /// The lane that a place of the route has with a service level already.
    fn known(&self, level: u8, at: usize) -> u8 {
        let entry = self.entry(level, at);
        match at {
            0 => self.changes.firsts[entry],
            _ => self.changes.turns[entry],
        }
    }

    fn entry(&self, level: u8, at: usize) -> usize {
        match at {
            0 => usize::from(level) * self.changes.arcs + self.route[0] as usize,
            _ => {
                let turn = self.turns.number(self.route[at - 1], self.route[at]);
                usize::from(level) * self.turns.count() + turn
            }
        }
    }

    /// Does the route find lanes with a service level? `wish` says which one it would like at a place, told the one before.
    fn fits(&mut self, level: u8, wish: impl Fn(usize, Option<u8>) -> Option<u8>) -> bool {
        self.taken.clear();
        self.added.clear();
        for at in 0..self.route.len() {
            let before = self.taken.last().copied();
            let lane = match self.known(level, at) {
                OPEN => {
                    let wished = wish(at, before);
                    let others = (0..self.lanes as u8).filter(|&lane| Some(lane) != wished);
                    // The first lane is wished for in turns, so there is nothing else to try.
                    let others = others.filter(|_| at > 0);
                    let mut all = wished.into_iter().chain(others);
                    all.find(|&lane| self.allows(at, before, lane))
                }
                lane => Some(lane).filter(|&lane| self.allows(at, before, lane)),
            };
            match lane {
                Some(lane) => self.taken.push(lane),
                None => {
                    self.take_back();
                    return false;
                }
            }
        }
        true
    }

    /// May the route go on to a lane of its next arc? From now on it may, unless that is taken back.
    fn allows(&mut self, at: usize, before: Option<u8>, lane: u8) -> bool {
        if u32::from(lane) >= self.lanes {
            return false;
        }
        let Some(before) = before else { return true };
        let [arc, next] = [self.route[at - 1], self.route[at]];
        let node = |arc: u32, lane: u8| arc * self.lanes + u32::from(lane);
        let (from, to) = (node(arc, before), node(next, lane));
        let turn = self.turns.number(arc, next);
        if self.refused[turn][usize::from(before)] >> lane & 1 == 1 {
            return false;
        }
        match self.graph.add(from, to) {
            Added::Known => true,
            Added::Refused => {
                self.tries += 1;
                if self.added.is_empty() {
                    self.refused[turn][usize::from(before)] |= 1 << lane;
                }
                false
            }
            Added::New => {
                self.tries += 1;
                self.added.push((from, to));
                true
            }
        }
    }

    fn take_back(&mut self) {
        for (from, to) in self.added.drain(..) {
            self.graph.remove(from, to);
        }
    }

    fn commit(&mut self, level: u8) {
        self.used = self.used.max(level + 1);
        for at in 0..self.route.len() {
            let (entry, lane) = (self.entry(level, at), self.taken[at]);
            match at {
                0 => self.changes.firsts[entry] = lane,
                _ => self.changes.turns[entry] = lane,
            }
        }
    }
}

/// What waits for what, of arcs and lanes, without anything to begin with. On a grid what leads on by datelines costs nothing, nor what goes on from two
/// lanes to the next ones.
fn dependencies(graph: &Graph, steps: Option<&Steps>, lanes: u32) -> Acyclic {
    let nodes = graph.arcs() * lanes as usize;
    let Some(steps) = steps else {
        return Acyclic::new(nodes);
    };
    let mut order: Vec<u32> = (0..nodes as u32).collect();
    order.sort_by_cached_key(|node| {
        let (arc, lane) = (node / lanes, node % lanes);
        (lane / 2, steps.along(graph, arc, lane % 2 == 1))
    });
    let dependencies = Acyclic::in_order(&order);
    match graph.is_large() {
        true => dependencies.searching(SEARCH),
        false => dependencies,
    }
}
