//! Trees of shortest routes on the routing graph, grown through edges of little weight.

use super::{AngaraBfs, SortBy};
use crate::angara::{Memory, NONE, Route, Rules};

/// What the routes so far weigh, and the trees of one source.
pub(super) struct Trees<'a> {
    rules: &'a Rules,
    parameters: &'a AngaraBfs,
    weights: Weights,
    /// On the graph without the edges that only repeat regular routes, or on the whole one if they are wanted.
    pruned: Tree,
    /// On the whole graph, for what is lost by pruning.
    whole: Option<Tree>,
}

/// Weights of the routing graph's edges: how many routes went over them.
struct Weights {
    /// Of all edges over one channel.
    links: Vec<u32>,
    /// Of the edge from a vertex to its node's end.
    ends: Vec<u32>,
}

/// The first shortest route to every vertex.
struct Tree {
    prune: bool,
    /// By vertex: the one it was reached from, [`NONE`] where it was not reached.
    parents: Vec<u32>,
    /// By node: the vertex its end was reached from.
    ends: Vec<u32>,
    /// By node: does it take part, or only forward?
    is_member: Vec<bool>,
    level: Vec<u32>,
    next_level: Vec<u32>,
    sorted: Vec<(u64, u32)>,
    /// Vertices that one vertex discovers, each with the weight of the edge to it.
    out: Vec<(u32, u32)>,
}

impl<'a> Trees<'a> {
    pub(super) fn new(rules: &'a Rules, parameters: &'a AngaraBfs) -> Self {
        let channels = rules.system().targets().len();
        let vertices = rules.system().nodes() * rules.graph().memories();
        let loses_detours = parameters.prune && !rules.system().is_whole();
        Self {
            rules,
            parameters,
            weights: Weights {
                links: vec![0; channels],
                ends: vec![0; vertices],
            },
            pruned: Tree::new(rules, parameters.prune),
            whole: loses_detours.then(|| Tree::new(rules, false)),
        }
    }

    /// Grows the trees of a source, through edges as they weigh after the routes of earlier sources.
    pub(super) fn grow(&mut self, source: u32) {
        let Self {
            rules,
            parameters,
            weights,
            pruned,
            whole,
        } = self;
        pruned.grow(rules, parameters, weights, source);
        if let Some(whole) = whole {
            whole.grow(rules, parameters, weights, source);
        }
    }

    /// The route to a member, whose edges weigh more from now on; empty to itself or if there is none.
    pub(super) fn route(&mut self, source: u32, target: u32) -> Route {
        if source == target {
            return Route::NONE;
        }
        let (mut end, mut route) = self.pruned.route(self.rules, target);
        if let Some(whole) = &self.whole {
            let (other_end, other) = whole.route(self.rules, target);
            if route.is_empty() || other.len() < route.len() {
                (end, route) = (other_end, other);
            }
        }
        if end != NONE {
            self.weights.ends[end as usize] += 1;
            let links = &mut self.weights.links;
            route.walk(self.rules.system(), source, |channel| links[channel] += 1);
        }
        route
    }
}

impl Tree {
    fn new(rules: &Rules, prune: bool) -> Self {
        let mut is_member = vec![false; rules.system().nodes()];
        for &member in rules.system().members() {
            is_member[member as usize] = true;
        }
        Self {
            prune,
            is_member,
            parents: vec![NONE; rules.system().nodes() * rules.graph().memories()],
            ends: vec![NONE; rules.system().nodes()],
            level: Vec::new(),
            next_level: Vec::new(),
            sorted: Vec::new(),
            out: Vec::new(),
        }
    }

    /// A breadth-first search, level by level, until every member is reached or nothing more can be.
    fn grow(&mut self, rules: &Rules, parameters: &AngaraBfs, weights: &Weights, source: u32) {
        let graph = rules.graph();
        let width = graph.memories() as u32;
        self.parents.fill(NONE);
        self.ends.fill(NONE);
        self.level.clear();
        self.level.push(source * width);
        self.parents[(source * width) as usize] = source * width;
        let mut missing = rules.system().members().len();
        while missing > 0 && !self.level.is_empty() {
            self.sorted.clear();
            for &vertex in &self.level {
                let key = self.key(rules, parameters, weights, vertex);
                self.sorted.push((key, vertex));
            }
            self.sorted.sort_by_key(|&(key, _)| key);
            self.next_level.clear();
            let Self {
                prune,
                parents,
                ends,
                is_member,
                next_level,
                sorted,
                out,
                ..
            } = self;
            for &(_, vertex) in sorted.iter() {
                let (node, memory) = (vertex / width, (vertex % width) as usize);
                let end = &mut ends[node as usize];
                if *end == NONE && !(*prune && matches!(graph.memory(memory), Memory::First(_))) {
                    *end = vertex;
                    missing -= usize::from(is_member[node as usize]);
                }
                out.clear();
                let first = rules.system().channel(node, 0);
                graph.each_next(rules, node, memory, |rank, node, onto| {
                    let next = node * width + onto as u32;
                    if parents[next as usize] == NONE && keeps(*prune, rules, memory, rank, onto) {
                        out.push((weights.links[first + rank], next));
                    }
                });
                out.sort_by_key(|&(weight, _)| weight);
                for &(_, next) in out.iter() {
                    parents[next as usize] = vertex;
                    next_level.push(next);
                }
            }
            std::mem::swap(&mut self.level, &mut self.next_level);
        }
    }

    /// When a vertex is visited among those of its level.
    fn key(&self, rules: &Rules, parameters: &AngaraBfs, weights: &Weights, vertex: u32) -> u64 {
        let graph = rules.graph();
        let width = graph.memories() as u32;
        let (node, memory) = (vertex / width, (vertex % width) as usize);
        let (mut least, mut most, mut sum, mut count) = (u64::MAX, 0, 0, 0);
        let mut weigh = |weight: u32| {
            let weight = u64::from(weight);
            least = weight.min(least);
            most = weight.max(most);
            sum += weight;
            count += 1;
        };
        let ends = !(self.prune && matches!(graph.memory(memory), Memory::First(_)));
        if parameters.end_edges && ends {
            weigh(weights.ends[vertex as usize]);
        }
        let first = rules.system().channel(node, 0);
        graph.each_next(rules, node, memory, |rank, _, onto| {
            if keeps(self.prune, rules, memory, rank, onto) {
                weigh(weights.links[first + rank]);
            }
        });
        match parameters.sort_by {
            _ if count == 0 => 0,
            SortBy::Min => least,
            SortBy::Max => most,
            SortBy::Sum => sum,
            // A fraction of two small numbers, told apart from every other one by twenty bits.
            SortBy::Mean => (sum << 20) / count,
        }
    }

    /// The vertex before a target's end, and the route to it.
    fn route(&self, rules: &Rules, target: u32) -> (u32, Route) {
        let (graph, system) = (rules.graph(), rules.system());
        let width = graph.memories() as u32;
        let end = self.ends[target as usize];
        let (mut vertex, mut route) = (end, Route::NONE);
        while vertex != NONE && self.parents[vertex as usize] != vertex {
            let memory = graph.memory((vertex % width) as usize);
            if let Some(rank) = memory.arrived() {
                let direction = system.directions().at(rank);
                let dimension = usize::from(direction.dimension);
                match memory {
                    Memory::First(_) => route = route.with_first(Some(dimension)),
                    Memory::Last(_) => route = route.with_last(Some(dimension)),
                    Memory::Begin | Memory::Regular(_) => {
                        route.counts[dimension] += 1;
                        route.down |= u8::from(!direction.positive) << dimension;
                    }
                }
            }
            vertex = self.parents[vertex as usize];
        }
        (end, route)
    }
}

/// Is an edge no mere repetition of regular routes? A first step that is followed in order, or a last step in
/// order whose dimension was not used the other way, are.
fn keeps(prune: bool, rules: &Rules, memory: usize, rank: usize, onto: usize) -> bool {
    let graph = rules.graph();
    let from = graph.memory(memory);
    !prune
        || match (from, graph.memory(onto)) {
            (Memory::First(first), _) => rank < usize::from(first),
            (Memory::Regular(used), Memory::Last(_)) => {
                let opposite = rules.system().directions().opposite(rank);
                from.arrived().is_some_and(|before| rank < before) || used >> opposite & 1 == 1
            }
            _ => true,
        }
}
