//! Ways around what has failed of a torus, and for what does not fit into its lanes.
//!
//! Where rings are [cut](super::cuts), most destinations lose some ways only; where routes are [put into lanes](super::layering), most find
//! one. Those that have a way and a lane stay as they are. Who has not takes the least loaded of what is short among all ways
//! that close no circle in some lane, the nearest to the destination first.
//!
//! Around a failed link all have to go by the same side: where some go by one side and some by the other, nobody can go back. So what
//! is allowed already comes before what is short, if nothing else helps; and if that does not help either, one lane has room for a spanning tree
//! from the beginning, along which everybody finds a way.
//!
//! Source: none; ways are found as in [`growing`](super::growing).
//!
//! Complexity: O(terminals x routers x (diameter + ports)), and O(lanes x turns) searches in a graph of channels.

use super::growing::{Growing, Sparing};
use super::layering::Partial;
use super::loads::{Arrivals, Measure};
use super::taste::Taste;
use crate::irregular::by_destination::{
    Allowed, Escape, Graph, Lane, Layering, NONE, Trees, Turns,
};

/// What those that have no way look at first.
#[derive(Clone, Copy)]
pub(super) enum First<'a> {
    /// What is short.
    Short,
    /// What is short, and the last lane has room for a spanning tree.
    ShortOrTree(&'a Escape),
    /// What is allowed already.
    Allowed,
    /// The same, and the last lane has room for a spanning tree.
    AllowedOrTree(&'a Escape),
}

impl<'a> First<'a> {
    fn tree(self) -> Option<&'a Escape> {
        match self {
            Self::ShortOrTree(escape) | Self::AllowedOrTree(escape) => Some(escape),
            Self::Short | Self::Allowed => None,
        }
    }
}

/// Trees without gaps, and so many lanes at most; `None` if somebody finds no way. Destinations of the given trees are in one lane each.
pub(super) fn around(
    graph: &Graph,
    (trees, layering): (Trees, Layering),
    lanes: u32,
    first: First<'_>,
) -> Option<(Trees, Layering)> {
    let turns = Turns::new(graph);
    let mut growing = Growing::idle(graph, &turns, first.tree(), trees);
    for _ in 0..lanes {
        growing.lanes.push(Lane::new(&turns));
    }
    if let Some(escape) = first.tree() {
        let last = Lane::with(&turns, escape, Allowed::Tree);
        growing.lanes.replace_last(last);
    }
    growing.chosen = layering.lanes;
    let (width, mut index) = (growing.trees.width, 0);
    let is_whole = growing.fill_gaps(first, |growing, tree| {
        let lane = usize::from(growing.chosen[index * width]);
        index += 1;
        growing.learn(tree, Some(lane));
    });
    is_whole.then(|| growing.finished())
}

/// The same for trees near to a taste of which not everything fits into the lanes there are. What carries too much is relieved as well.
pub(super) fn beside(
    graph: &Graph,
    (trees, partial): (&Trees, Partial),
    (lanes, first): (u32, First<'_>),
    taste: &dyn Taste,
) -> Option<(Trees, Layering)> {
    let turns = Turns::new(graph);
    let mut growing = Growing::idle(graph, &turns, first.tree(), trees.clone());
    growing.chosen = partial.chosen;
    for lane in partial.lanes {
        growing.lanes.push(lane);
    }
    while growing.lanes.len() < lanes as usize {
        growing.lanes.push(Lane::new(&turns));
    }
    if let Some(escape) = first.tree() {
        let last = Lane::with(&turns, escape, Allowed::Tree);
        growing.lanes.replace_last(last);
    }
    let is_whole = growing.fill_gaps(first, |growing, tree| growing.learn(tree, None));
    if is_whole {
        growing.relieve(taste);
    }
    is_whole.then(|| growing.finished())
}

impl Growing<'_> {
    /// Keeps what has a way and a lane, as it is learnt of every tree, and finds ways for all others; `false` if somebody finds none.
    fn fill_gaps(
        &mut self,
        first: First<'_>,
        mut learn: impl FnMut(&mut Self, &mut [u32]),
    ) -> bool {
        self.keeps = true;
        self.sparing = match first {
            First::Short | First::ShortOrTree(_) => Sparing::Never,
            First::Allowed | First::AllowedOrTree(_) => Sparing::OfAll,
        };
        let mut has_gaps = Vec::with_capacity(self.trees.routers.len());
        let mut arrivals = Arrivals::new(self.graph);
        self.round(|growing, destination, tree| {
            growing.arrive(destination);
            learn(growing, tree);
            arrivals.look(growing.graph, tree, destination);
            growing
                .loads
                .add_tree(tree, &mut arrivals, growing.receivers);
            has_gaps.push(arrivals.order.len() < growing.nearest.order.len());
        });
        let last = self.lanes.len() - 1;
        let mut is_stuck = false;
        self.round_of(
            |_, index, _| has_gaps[index],
            |growing, destination, tree| {
                if is_stuck {
                    return;
                }
                growing.measure(destination);
                let kept = tree.to_vec();
                growing.arrive(destination);
                growing.learn(tree, None);
                let mut left = growing.place_all(destination, tree, Measure::Squares);
                if !left.is_empty() {
                    // Nobody's way to this destination is kept any more.
                    growing.clear(destination, tree);
                    tree.fill(NONE);
                    growing.arrive(destination);
                    left = growing.place_all(destination, tree, Measure::Squares);
                }
                is_stuck = first.tree().is_none() && !left.is_empty();
                let mut stuck = Vec::new();
                while !left.is_empty() && !is_stuck {
                    stuck.extend(left);
                    growing.clear(destination, tree);
                    tree.copy_from_slice(&kept);
                    growing.arrive(destination);
                    growing.escape(destination, tree, &stuck, last);
                    growing.take_up(destination, tree);
                    left = growing.place_all(destination, tree, Measure::Squares);
                }
            },
        );
        !is_stuck
    }

    /// Learns who has a way to a destination behind those that go along the tree, and puts their routes on it.
    fn take_up(&mut self, destination: u32, tree: &mut [u32]) {
        let known = self.fits.clone();
        self.learn(tree, None);
        for router in 0..tree.len() as u32 {
            if known[router as usize] == 0 && tree[router as usize] != NONE {
                self.put(router, destination, tree);
            }
        }
    }

    /// Learns who has a way to a destination, in which lanes, and how long it is; who has none has none from now on. In one lane ways may be
    /// allowed that are not yet.
    pub(super) fn learn(&mut self, tree: &mut [u32], lane: Option<usize>) {
        let (mut is_lost, mut walk) = (vec![false; tree.len()], Vec::new());
        for start in 0..tree.len() as u32 {
            let mut at = start;
            while self.fits[at as usize] == 0 && !is_lost[at as usize] {
                walk.push(at);
                match tree[at as usize] {
                    NONE => is_lost[at as usize] = true,
                    arc => at = self.graph.to(arc),
                }
            }
            for router in walk.drain(..).rev() {
                let arc = tree[router as usize];
                if arc == NONE || is_lost[at as usize] {
                    is_lost[router as usize] = true;
                    tree[router as usize] = NONE;
                    at = router;
                    continue;
                }
                let next = self.graph.to(arc) as usize;
                let further = tree[next];
                if let Some(lane) = lane
                    && further != NONE
                    && self.fits[next] >> lane & 1 == 1
                {
                    self.lanes.allows(lane, self.turns, arc, further);
                }
                self.fits[router as usize] = self.allowed(arc, tree);
                self.lengths[router as usize] = self.lengths[next] + 1;
                if self.fits[router as usize] == 0 {
                    is_lost[router as usize] = true;
                    tree[router as usize] = NONE;
                }
                at = router;
            }
        }
    }
}
