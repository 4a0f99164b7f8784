//! The routing graph of a system, written out.

use crate::systems::{rules, torus};
use turnwise_routing::angara::{Memory, TurnRule};

/// An edge of the routing graph.
#[derive(Clone, Copy)]
pub(crate) struct Edge {
    pub(crate) channel: usize,
    pub(crate) rank: usize,
    pub(crate) to: usize,
    /// 0 for a hop of the regular part, 1 for a first step, 2 for a last step.
    pub(crate) kind: usize,
    /// Does it follow a first step, or is it a last one, where a regular hop would do?
    pub(crate) repeats: bool,
}

/// The routing graph of a system, written out.
pub(crate) struct Graph {
    pub(crate) memories: usize,
    pub(crate) is_first: Vec<bool>,
    pub(crate) dimensions: usize,
    pub(crate) edges: Vec<Vec<Edge>>,
    /// By node: coordinates, W first.
    pub(crate) places: Vec<[u8; 4]>,
    pub(crate) living: Vec<usize>,
}

impl Graph {
    pub(crate) fn new(sizes: &[u32]) -> Self {
        let rules = rules(&torus(sizes), TurnRule::Theorem2);
        let (system, graph) = (rules.system(), rules.graph());
        let memories = graph.memories();
        let opposite = |rank| system.directions().opposite(rank);
        let mut edges = vec![Vec::new(); system.nodes() * memories];
        for (vertex, out) in edges.iter_mut().enumerate() {
            let (node, memory) = ((vertex / memories) as u32, vertex % memories);
            let from = graph.memory(memory);
            if from
                .arrived()
                .is_some_and(|rank| system.next(node, opposite(rank)).is_none())
            {
                continue;
            }
            graph.each_next(&rules, node, memory, |rank, next, onto| {
                let onto_memory = graph.memory(onto);
                out.push(Edge {
                    channel: system.channel(node, rank),
                    rank,
                    to: next as usize * memories + onto,
                    kind: match onto_memory {
                        Memory::First(_) => 1,
                        Memory::Last(_) => 2,
                        Memory::Begin | Memory::Regular(_) => 0,
                    },
                    repeats: match (from, onto_memory) {
                        (Memory::First(first), _) => rank >= usize::from(first),
                        (Memory::Regular(used), Memory::Last(_)) => {
                            let in_order = from.arrived().is_some_and(|before| rank >= before);
                            in_order && used >> opposite(rank) & 1 == 0
                        }
                        _ => false,
                    },
                });
            });
        }
        let places = (0..system.nodes() as u32).map(|node| {
            let [x, y, z, w] = system.coordinates(node);
            [w, z, y, x]
        });
        let channels = 0..system.nodes() * system.directions().count();
        let lives = |&channel: &usize| {
            let count = system.directions().count();
            system
                .next((channel / count) as u32, channel % count)
                .is_some()
        };
        Self {
            memories,
            is_first: (0..memories)
                .map(|memory| matches!(graph.memory(memory), Memory::First(_)))
                .collect(),
            dimensions: sizes.len(),
            edges,
            places: places.collect(),
            living: channels.filter(lives).collect(),
        }
    }
}
