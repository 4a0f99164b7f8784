//! Routes of trees, put into lanes in which they close no circle.
//!
//! A route keeps to one lane, and the lane knows which arc may follow which: what is allowed stays so, and so does what would
//! close a circle with it. So each pair of arcs is looked at once in each lane. Trees come one after the other, each from its
//! destination outwards: a router's route is in a lane if that of the next router could be, and its first turn is allowed there.
//!
//! Complexity: O(terminals x routers x lanes) and O(lanes x turns) searches in a graph of channels.

use super::graph::{Graph, NONE};
use super::trees::Trees;
use crate::irregular::acyclic::{Acyclic, Added};

/// One lane: what may follow what.
struct Lane {
    graph: Acyclic,
    /// By turn.
    turns: Vec<Turn>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Unknown,
    Allowed,
    Refused,
}

/// Where the turns of each arc are numbered.
struct Turns<'a> {
    graph: &'a Graph,
    first: Vec<u32>,
    count: usize,
}

impl<'a> Turns<'a> {
    fn new(graph: &'a Graph) -> Self {
        let mut count = 0;
        let first = (0..graph.arcs() as u32).map(|arc| {
            let first = count;
            count += graph.leaving(graph.to(arc)).len() as u32;
            first
        });
        Self {
            first: first.collect(),
            graph,
            count: count as usize,
        }
    }

    /// The number of a turn from one arc into another.
    #[inline]
    fn number(&self, arc: u32, next: u32) -> usize {
        let at = self.graph.to(arc);
        (self.first[arc as usize] + next - self.graph.leaving(at).start) as usize
    }
}

impl Lane {
    fn new(turns: &Turns<'_>) -> Self {
        Self {
            graph: Acyclic::new(turns.graph.arcs()),
            turns: vec![Turn::Unknown; turns.count],
        }
    }

    /// May a route turn from one arc into another? From now on it may, if that closes no circle.
    #[inline]
    fn allows(&mut self, turns: &Turns<'_>, arc: u32, next: u32) -> bool {
        let turn = &mut self.turns[turns.number(arc, next)];
        if *turn == Turn::Unknown {
            *turn = match self.graph.add(arc, next) {
                Added::New | Added::Known => Turn::Allowed,
                Added::Refused => Turn::Refused,
            };
        }
        *turn == Turn::Allowed
    }
}

/// The lane of every route.
pub(super) struct Layering {
    /// By destination, then by router.
    pub(super) lanes: Vec<u8>,
    pub(super) count: u32,
}

/// Lanes are numbered with a byte.
const MOST_LANES: usize = 255;

impl Layering {
    /// Each route in the first lane where it fits; `None` if they do not all fit into so many lanes.
    pub(super) fn new(graph: &Graph, trees: &Trees, most: usize) -> Option<Self> {
        let turns = Turns::new(graph);
        let width = graph.routers();
        let mut filling = Filling {
            trees,
            turns,
            lanes: Vec::new(),
            fits: vec![Fits::Unknown; width],
            walk: Vec::new(),
        };
        let mut lanes = vec![0; trees.routers.len() * width];
        for (index, lanes) in lanes.chunks_exact_mut(width).enumerate() {
            if !filling.place(index, lanes, most.min(MOST_LANES)) {
                return None;
            }
        }
        Some(Self {
            lanes,
            count: filling.lanes.len().max(1) as u32,
        })
    }
}

/// Does a router's route fit into the lane that is looked at?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fits {
    Unknown,
    Yes,
    No,
}

struct Filling<'a> {
    trees: &'a Trees,
    turns: Turns<'a>,
    lanes: Vec<Lane>,
    /// By router.
    fits: Vec<Fits>,
    walk: Vec<u32>,
}

impl Filling<'_> {
    /// Puts the routes to a destination into lanes.
    fn place(&mut self, index: usize, lanes: &mut [u8], most: usize) -> bool {
        let graph = self.turns.graph;
        let tree = self.trees.to(index);
        let sends = |router: &u32| tree[*router as usize] != NONE && graph.terminals(*router) > 0;
        let mut left: Vec<u32> = (0..graph.routers() as u32).filter(sends).collect();
        for lane in 0.. {
            if left.is_empty() {
                break;
            }
            if lane == most {
                return false;
            }
            if lane == self.lanes.len() {
                self.lanes.push(Lane::new(&self.turns));
            }
            self.fits.fill(Fits::Unknown);
            self.fits[self.trees.routers[index] as usize] = Fits::Yes;
            left.retain(|&router| {
                let fits = self.fits(lane, tree, router);
                if fits {
                    lanes[router as usize] = lane as u8;
                }
                !fits
            });
        }
        true
    }

    /// Does the route from a router fit into a lane? From the destination on, what is not known yet is tried.
    fn fits(&mut self, lane: usize, tree: &[u32], router: u32) -> bool {
        let graph = self.turns.graph;
        self.walk.clear();
        let mut at = router;
        while self.fits[at as usize] == Fits::Unknown {
            self.walk.push(at);
            at = graph.to(tree[at as usize]);
        }
        let lane = &mut self.lanes[lane];
        let mut fits = self.fits[at as usize] == Fits::Yes;
        for &router in self.walk.iter().rev() {
            let arc = tree[router as usize];
            let next = tree[graph.to(arc) as usize];
            fits = fits && (next == NONE || lane.allows(&self.turns, arc, next));
            self.fits[router as usize] = if fits { Fits::Yes } else { Fits::No };
        }
        fits
    }
}
