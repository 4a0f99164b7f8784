//! Ways around what has failed of a torus with few lanes.
//!
//! Where rings are [cut](super::cuts), most destinations lose some ways only. Those that are left stay as they are. Who has lost its way takes
//! the least loaded of what is short among all ways that close no circle in some lane, the nearest to the destination first.
//!
//! Source: none; ways are found as in [`growing`](super::growing).
//!
//! Complexity: O(terminals x routers x (diameter + ports)), and O(lanes x turns) searches in a graph of channels.

use super::growing::{Growing, Lanes};
use super::loads::Measure;
use crate::irregular::by_destination::{Escape, Graph, Lane, Layering, NONE, Trees, Turns};

/// Trees without gaps, and so many lanes at most; `None` if somebody finds no way. Destinations of the given trees are in one lane each.
pub(super) fn around(
    graph: &Graph,
    escape: &Escape,
    (trees, layering): (Trees, Layering),
    lanes: u32,
) -> Option<(Trees, Layering)> {
    let (turns, width) = (Turns::new(graph), trees.width);
    let given: Vec<u8> = layering
        .lanes
        .chunks(width.max(1))
        .map(|all| all[0])
        .collect();
    let mut growing = Growing::idle(graph, &turns, escape, trees);
    growing.lanes.extend((0..lanes).map(|_| Lane::new(&turns)));
    let mut of_next = given.iter();
    growing.round(|growing, destination, tree| {
        let lane = of_next.next().map_or(0, |&lane| usize::from(lane));
        growing.keep(destination, tree, lane);
    });
    let (mut of_next, mut is_stuck) = (given.iter(), false);
    growing.round(|growing, destination, tree| {
        let lane = of_next.next().map_or(0, |&lane| usize::from(lane));
        growing.know(destination, tree, lane);
        is_stuck |= !growing
            .place_all(destination, tree, Measure::Squares)
            .is_empty();
    });
    (!is_stuck).then(|| growing.finished())
}

impl Growing<'_> {
    /// Takes in the routes of a tree that lead to its destination; all others are none.
    fn keep(&mut self, destination: u32, tree: &mut [u32], lane: usize) {
        self.know(destination, tree, lane);
        for router in 0..tree.len() as u32 {
            let arc = tree[router as usize];
            if router == destination || self.fits[router as usize] == 0 {
                tree[router as usize] = NONE;
                continue;
            }
            let next = tree[self.graph.to(arc) as usize];
            if next != NONE {
                self.lanes[lane].allows(self.turns, arc, next);
            }
        }
        for router in 0..tree.len() as u32 {
            if tree[router as usize] != NONE {
                self.loads.add(router, destination, tree);
            }
        }
    }

    /// Notes who has a way to a destination, in which lane, and how long it is.
    fn know(&mut self, destination: u32, tree: &[u32], lane: usize) {
        let width = tree.len();
        self.fits.fill(0);
        self.fits[destination as usize] = Lanes::MAX >> (Lanes::BITS - self.lanes.len() as u32);
        self.lengths[destination as usize] = 0;
        let (mut is_lost, mut walk) = (vec![false; width], Vec::new());
        for start in 0..width as u32 {
            let mut at = start;
            walk.clear();
            while self.fits[at as usize] == 0 && !is_lost[at as usize] {
                walk.push(at);
                match tree[at as usize] {
                    NONE => is_lost[at as usize] = true,
                    arc => at = self.graph.to(arc),
                }
            }
            for &router in walk.iter().rev() {
                match is_lost[at as usize] {
                    true => is_lost[router as usize] = true,
                    false => {
                        self.fits[router as usize] = 1 << lane;
                        let next = self.graph.to(tree[router as usize]);
                        self.lengths[router as usize] = self.lengths[next as usize] + 1;
                    }
                }
            }
        }
    }
}
