//! Routes of trees, put into lanes in which they close no circle.
//!
//! A route keeps to one lane. Lane after lane takes of the routes that are left those that fit: a router's route is in it
//! if that of the next router could be, and its first turn is allowed there.
//!
//! Complexity: O(terminals x routers x lanes), and O(lanes x turns) searches in a graph of channels.

use crate::irregular::by_destination::{Graph, Lane, Layering, NONE, Trees, Turns};

/// The lane of a route that has none yet.
const LEFT: u8 = u8::MAX;

impl Layering {
    /// Each route in the first lane where it fits; `None` if they do not all fit into so many lanes, at most 255.
    ///
    /// What leads forwards in an `order` of arcs costs least to put there.
    pub(super) fn new(
        graph: &Graph,
        trees: &Trees,
        order: Option<&[u32]>,
        most: usize,
    ) -> Option<Self> {
        let turns = Turns::new(graph);
        let mut lanes = vec![0; trees.next.len()];
        let mut left = 0usize;
        for place in trees.routed(graph) {
            lanes[place] = LEFT;
            left += 1;
        }
        let mut filling = Filling {
            trees,
            turns: &turns,
            order,
            fits: vec![Fits::Unknown; trees.width],
            walk: Vec::new(),
        };
        let mut count = 0;
        while left > 0 {
            if count == most {
                return None;
            }
            left -= filling.fill(count as u8, &mut lanes);
            count += 1;
        }
        Some(Self {
            lanes,
            count: count.max(1) as u32,
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
    turns: &'a Turns<'a>,
    order: Option<&'a [u32]>,
    /// By router.
    fits: Vec<Fits>,
    walk: Vec<u32>,
}

impl Filling<'_> {
    /// Puts routes that are left into a lane, and says how many.
    fn fill(&mut self, number: u8, lanes: &mut [u8]) -> usize {
        let mut lane = match self.order {
            Some(order) => Lane::in_order(self.turns, order),
            None => Lane::new(self.turns),
        };
        let mut filled = 0;
        for (index, lanes) in lanes.chunks_exact_mut(self.trees.width.max(1)).enumerate() {
            let tree = self.trees.to(index);
            self.fits.fill(Fits::Unknown);
            self.fits[self.trees.routers[index] as usize] = Fits::Yes;
            for router in 0..lanes.len() {
                if lanes[router] == LEFT && self.fits(&mut lane, tree, router as u32) {
                    lanes[router] = number;
                    filled += 1;
                }
            }
        }
        filled
    }

    /// Does the route from a router fit into a lane? From the destination on, what is not known yet is tried.
    fn fits(&mut self, lane: &mut Lane, tree: &[u32], router: u32) -> bool {
        let graph = self.turns.graph;
        self.walk.clear();
        let mut at = router;
        while self.fits[at as usize] == Fits::Unknown {
            self.walk.push(at);
            at = graph.to(tree[at as usize]);
        }
        let mut fits = self.fits[at as usize] == Fits::Yes;
        for &router in self.walk.iter().rev() {
            let arc = tree[router as usize];
            let next = tree[graph.to(arc) as usize];
            fits = fits && (next == NONE || lane.allows(self.turns, arc, next));
            self.fits[router as usize] = if fits { Fits::Yes } else { Fits::No };
        }
        fits
    }
}
