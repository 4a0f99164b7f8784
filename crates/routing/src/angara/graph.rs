//! The routing graph: every legal route is a path in it, hop by hop.
//!
//! A vertex is a node together with what a packet there must remember: that it begins, the
//! direction of its first step, the set of directions of its regular part so far, that it has made
//! its last step, that it has arrived. A node has `3^n + 2n + 1` vertices in `n`
//! dimensions. Edges are not stored: a vertex's follow from the [`Turns`](super::Turns) of the
//! channel it was reached by.
//!
//! Theorem 1 of the source: a legal route joins two nodes exactly if a path joins the
//! beginning at the one to the end at the other.

use super::system::NONE;
use super::{Direction, Directions, Route, Rules};

/// What a packet at a node remembers of its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// It has not moved.
    Begin,
    /// It made a first step in the direction of this rank.
    First(u8),
    /// The directions of its regular part, one bit a rank.
    Regular(u8),
    /// It made a last step in the direction of this rank.
    Last(u8),
}

impl Memory {
    /// The direction it arrived in.
    #[inline]
    pub fn arrived(self) -> Option<usize> {
        match self {
            Self::Begin => None,
            Self::First(rank) | Self::Last(rank) => Some(usize::from(rank)),
            Self::Regular(used) => Some(used.ilog2() as usize),
        }
    }
}

/// The part of the routing graph that is the same at every node: memories and how they follow
/// each other.
#[derive(Clone, Debug)]
pub struct RoutingGraph {
    memories: Vec<Memory>,
    /// By memory and rank: the memory after another hop of the regular part, [`NOWHERE`] if it must not.
    regular: Vec<u16>,
    /// By rank: the memory after a first step and after a last step in its direction.
    first: Vec<u16>,
    last: Vec<u16>,
    directions: usize,
}

const NOWHERE: u16 = u16::MAX;

impl RoutingGraph {
    /// The graph for an order of directions, with or without first and last steps.
    pub fn new(directions: &Directions, first_step: bool, last_step: bool) -> Self {
        let count = directions.count();
        let mut memories = vec![Memory::Begin];
        let mut index = vec![NOWHERE; 1 << count];
        let keeps_bits = |set: usize| {
            (0..count).all(|rank| set >> rank & 1 == 0 || set >> directions.opposite(rank) & 1 == 0)
        };
        for set in (1..1usize << count).filter(|&set| keeps_bits(set)) {
            index[set] = memories.len() as u16;
            memories.push(Memory::Regular(set as u8));
        }
        let (mut first, mut last) = (vec![NOWHERE; count], vec![NOWHERE; count]);
        for rank in 0..count {
            let positive = directions.at(rank).positive;
            if positive && first_step {
                first[rank] = memories.len() as u16;
                memories.push(Memory::First(rank as u8));
            } else if !positive && last_step {
                last[rank] = memories.len() as u16;
                memories.push(Memory::Last(rank as u8));
            }
        }
        let follow = |memory: &Memory, rank: usize| match *memory {
            Memory::Begin | Memory::First(_) => index[1 << rank],
            Memory::Regular(used) if used.ilog2() as usize <= rank => {
                index[usize::from(used) | 1 << rank]
            }
            Memory::Regular(_) | Memory::Last(_) => NOWHERE,
        };
        let regular = memories
            .iter()
            .flat_map(|memory| (0..count).map(move |rank| follow(memory, rank)))
            .collect();
        Self {
            memories,
            regular,
            first,
            last,
            directions: count,
        }
    }

    /// Memories a node, the end not counted.
    #[inline]
    pub fn memories(&self) -> usize {
        self.memories.len()
    }

    /// The memory of this number; 0 is [`Memory::Begin`].
    #[inline]
    pub fn memory(&self, number: usize) -> Memory {
        self.memories[number]
    }

    /// Calls `next` with rank, node and memory of every hop a packet may make next.
    #[inline]
    pub fn each_next(
        &self,
        rules: &Rules,
        node: u32,
        memory: usize,
        mut next: impl FnMut(usize, u32, usize),
    ) {
        let system = rules.system();
        let directions = system.directions();
        let targets = &system.targets()[system.channel(node, 0)..][..self.directions];
        let from = self.memories[memory];
        let allowed = match from.arrived() {
            None => u8::MAX,
            Some(rank) => {
                let before = targets[directions.opposite(rank)];
                rules.turns().after(system.channel(before, rank))
            }
        };
        for (rank, &target) in targets.iter().enumerate() {
            if allowed >> rank & 1 == 0 || target == NONE {
                continue;
            }
            let regular = self.regular[memory * self.directions + rank];
            if regular != NOWHERE {
                next(rank, target, usize::from(regular));
            }
            let step = match from {
                Memory::Begin => self.first[rank],
                Memory::Regular(_) => self.last[rank],
                Memory::First(_) | Memory::Last(_) => NOWHERE,
            };
            if step != NOWHERE {
                next(rank, target, usize::from(step));
            }
        }
    }

    /// Edges that leave all vertices of a node, the ones to its end included.
    pub fn edges_at(&self, rules: &Rules, node: u32) -> usize {
        let leads = |memory: usize| {
            let arrived = self.memories[memory].arrived();
            let directions = rules.system().directions();
            let reached = |rank| {
                rules
                    .system()
                    .next(node, directions.opposite(rank))
                    .is_some()
            };
            arrived.is_none_or(reached)
        };
        let mut edges = 0;
        for memory in (0..self.memories.len()).filter(|&memory| leads(memory)) {
            edges += 1;
            self.each_next(rules, node, memory, |_, _, _| edges += 1);
        }
        edges
    }
}

/// A breadth-first search from one source, which remembers all least distances.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    /// By vertex: hops from the source, [`NONE`] where it was not reached.
    distance: Vec<u32>,
    /// By node: was any of its vertices reached?
    reached: Vec<bool>,
    level: Vec<u32>,
    next_level: Vec<u32>,
}

impl Search {
    /// Searches until every one of `wanted` is reached, or nothing more can be.
    pub(super) fn run(&mut self, rules: &Rules, source: u32, wanted: &mut Vec<u32>) {
        let graph = rules.graph();
        let width = graph.memories() as u32;
        self.distance.clear();
        self.distance
            .resize(rules.system().nodes() * width as usize, NONE);
        self.level.clear();
        self.level.push(source * width);
        self.distance[(source * width) as usize] = 0;
        self.reached.clear();
        self.reached.resize(rules.system().nodes(), false);
        let mut hops = 0;
        while !self.level.is_empty() {
            wanted.retain(|&target| !self.reached[target as usize]);
            if wanted.is_empty() {
                return;
            }
            hops += 1;
            self.next_level.clear();
            let Self {
                distance,
                reached,
                level,
                next_level,
            } = self;
            for &vertex in level.iter() {
                graph.each_next(
                    rules,
                    vertex / width,
                    (vertex % width) as usize,
                    |_, node, memory| {
                        let next = node * width + memory as u32;
                        if distance[next as usize] == NONE {
                            distance[next as usize] = hops;
                            reached[node as usize] = true;
                            next_level.push(next);
                        }
                    },
                );
            }
            std::mem::swap(&mut self.level, &mut self.next_level);
        }
    }

    /// Appends every shortest route to `target`, each physical one once.
    pub(super) fn routes_to(&self, rules: &Rules, target: u32, routes: &mut Vec<Route>) {
        let width = rules.graph().memories();
        let here = &self.distance[target as usize * width..][..width];
        let Some(least) = here.iter().copied().filter(|&hops| hops != NONE).min() else {
            return;
        };
        let directions = rules.system().directions();
        let mut known: Vec<Vec<usize>> = Vec::new();
        for memory in (0..width).filter(|&memory| here[memory] == least) {
            let mut ends = Vec::new();
            self.trace(rules, target, memory, Route::NONE, &mut ends);
            for route in ends {
                let hops = route.hops(directions);
                if !known.contains(&hops) {
                    known.push(hops);
                    routes.push(route);
                }
            }
        }
    }

    /// Follows least distances back to the source, collecting the route hop by hop.
    fn trace(
        &self,
        rules: &Rules,
        node: u32,
        memory: usize,
        behind: Route,
        routes: &mut Vec<Route>,
    ) {
        let (system, graph) = (rules.system(), rules.graph());
        let from = graph.memory(memory);
        let Some(rank) = from.arrived() else {
            routes.push(behind);
            return;
        };
        let width = graph.memories();
        let hops = self.distance[node as usize * width + memory];
        let before = system.targets()[system.channel(node, system.directions().opposite(rank))];
        let Direction {
            dimension,
            positive,
        } = system.directions().at(rank);
        let mut route = behind;
        match from {
            Memory::First(_) => route = route.with_first(Some(usize::from(dimension))),
            Memory::Last(_) => route = route.with_last(Some(usize::from(dimension))),
            _ => {
                route.counts[usize::from(dimension)] += 1;
                route.down |= u8::from(!positive) << dimension;
            }
        }
        for earlier in 0..width {
            if self.distance[before as usize * width + earlier] != hops - 1 {
                continue;
            }
            let mut leads = false;
            graph.each_next(rules, before, earlier, |_, next, onto| {
                leads |= next == node && onto == memory;
            });
            if leads {
                self.trace(rules, before, earlier, route, routes);
            }
        }
    }
}
