//! Lanes that change on the way: fewer are enough than if every route kept to its own.
//!
//! A switch tells a packet's lane by the ports it comes and leaves by and its service level, and not by the lane it comes on. So for each
//! service level there is a lane for every turn, and for every first arc. Routes come one after the other, and each takes the lowest service
//! level with which it finds lanes: where a turn has its lane already that is the one, and elsewhere the lane the packet is on, or else the
//! first other one that closes no circle of arcs and lanes. On a grid what is tried first are datelines: a service level has a bit for each
//! dimension with rings, that says whether the route goes over their edge, and the lane is the bit of the dimension an arc lies in. Two lanes
//! are enough for that, as long as trees keep to dimension order. Where something is missing some routes turn back to a dimension before, or
//! back along one. From there on they have two lanes of their own, and service levels apart, as long as there are some.
//!
//! One lane is tried first, then two, and so on.
//!
//! Source: datelines as in Dally and Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE Trans.
//! Computers C-36(5), 1987, told by service levels as by OpenSM's torus-2QoS.
//!
//! Complexity: O(routes x diameter x service levels) turns that are tried, each of which costs a search of a part of a graph of arcs and
//! lanes at most, for each number of lanes.

use crate::irregular::acyclic::{Acyclic, Added};
use crate::irregular::by_destination::{Graph, NONE, Steps, Trees, Turns};
use turnwise_network::tables::SERVICE_LEVELS;

/// In large networks a search for a circle looks at so many arcs, and what is not known by then counts as one.
const SEARCH: usize = 300;

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
    (1..=most).find_map(|lanes| Filling::new(&turns, trees, steps, lanes).filled())
}

struct Filling<'a> {
    turns: &'a Turns<'a>,
    trees: &'a Trees,
    steps: Option<&'a Steps>,
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
}

impl<'a> Filling<'a> {
    fn new(turns: &'a Turns<'a>, trees: &'a Trees, steps: Option<&'a Steps>, lanes: u32) -> Self {
        let arcs = turns.graph.arcs();
        let levels = usize::from(SERVICE_LEVELS);
        Self {
            turns,
            trees,
            steps,
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
        }
    }

    fn filled(mut self) -> Option<Changes> {
        let (trees, graph) = (self.trees, self.turns.graph);
        for route in trees.routed(graph) {
            let tree = trees.to(route / trees.width);
            self.route.clear();
            let mut at = route % trees.width;
            while tree[at] != NONE {
                self.route.push(tree[at]);
                at = graph.to(tree[at]) as usize;
            }
            self.changes.levels[route] = self.place()?;
        }
        Some(self.changes)
    }

    /// The service level of the route that is looked at, which has its lanes then.
    fn place(&mut self) -> Option<u8> {
        if let Some((level, wanted)) = self.by_datelines()
            && self.fits(level, |at, _| Some(wanted[at]))
        {
            self.commit(level);
            return Some(level);
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
        let node = |arc: u32, lane: u8| arc * self.lanes + u32::from(lane);
        let (from, to) = (node(self.route[at - 1], before), node(self.route[at], lane));
        match self.graph.add(from, to) {
            Added::Known => true,
            Added::Refused => false,
            Added::New => {
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

    /// What datelines would have the route do: a service level, and a lane for each arc.
    fn by_datelines(&self) -> Option<(u8, Vec<u8>)> {
        let steps = self.steps.filter(|_| self.lanes > 1)?;
        let mut level = 0;
        let (mut legs, mut last) = (0, None);
        let mut masks = Vec::with_capacity(self.route.len());
        for &arc in &self.route {
            let (dimension, positive) = steps.direction(self.turns.graph, arc)?;
            let mask = match steps.rings().position(|ring| ring == dimension) {
                Some(bit) => bit_of(bit)?,
                None => 0,
            };
            if steps.is_edge(self.turns.graph, arc) {
                level |= mask;
            }
            if last.is_some_and(|(before, was)| {
                dimension < before || dimension == before && positive != was
            }) {
                legs += 1;
            }
            last = Some((dimension, positive));
            masks.push((mask, 2 * legs));
        }
        let lanes = masks.into_iter();
        let lanes = lanes
            .map(|(mask, first)| first + u8::from(level & mask > 0))
            .collect();
        let apart = bit_of(steps.rings().count()).filter(|_| legs > 0);
        Some((level | apart.unwrap_or(0), lanes))
    }
}

/// The service level that has this bit alone.
fn bit_of(bit: usize) -> Option<u8> {
    let level = 1u8.checked_shl(bit as u32)?;
    Some(level).filter(|&level| level < SERVICE_LEVELS)
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
