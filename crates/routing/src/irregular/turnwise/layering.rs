//! Routes of trees, put into lanes in which they close no circle.
//!
//! A route keeps to one lane. Trees come one after the other, each from its
//! destination outwards: a router's route is in a lane if that of the next router could be, and its first turn is allowed there.
//!
//! Complexity: O(terminals x routers x lanes) and O(lanes x turns) searches in a graph of channels.

use crate::irregular::by_destination::{Graph, Lane, Layering, NONE, Trees, Turns};

impl Layering {
    /// Each route in the first lane where it fits; `None` if they do not all fit into so many lanes, at most 255.
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
        for (index, lanes) in lanes.chunks_exact_mut(width.max(1)).enumerate() {
            if !filling.place(index, lanes, most) {
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
