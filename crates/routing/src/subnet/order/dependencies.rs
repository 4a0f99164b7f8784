//! Which channel waits for which, and for the packets of how many destinations: what nobody needs any more is taken back.

use crate::irregular::acyclic::{Acyclic, Added};
use crate::irregular::by_destination::Turns;

/// Dependencies of all lanes, none of which closes a circle.
pub(super) struct Dependencies<'a> {
    turns: &'a Turns<'a>,
    lanes: Vec<Lane>,
}

struct Lane {
    graph: Acyclic,
    /// By turn: destinations whose packets take it.
    counts: Vec<u32>,
}

/// A turn from one arc into another, on a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dependency {
    pub(super) lane: usize,
    pub(super) from: u32,
    pub(super) to: u32,
}

impl<'a> Dependencies<'a> {
    pub(super) fn new(turns: &'a Turns<'a>, lanes: usize) -> Self {
        let lane = || Lane {
            graph: Acyclic::new(turns.graph.arcs()),
            counts: vec![0; turns.count()],
        };
        Self {
            turns,
            lanes: (0..lanes).map(|_| lane()).collect(),
        }
    }

    /// Counts another destination, unless that would close a circle.
    pub(super) fn add(&mut self, Dependency { lane, from, to }: Dependency) -> bool {
        let lane = &mut self.lanes[lane];
        let count = &mut lane.counts[self.turns.number(from, to)];
        let fits = *count > 0 || lane.graph.add(from, to) != Added::Refused;
        *count += u32::from(fits);
        fits
    }

    /// Counts one destination less.
    pub(super) fn remove(&mut self, Dependency { lane, from, to }: Dependency) {
        let lane = &mut self.lanes[lane];
        let count = &mut lane.counts[self.turns.number(from, to)];
        *count -= 1;
        if *count == 0 {
            lane.graph.remove(from, to);
        }
    }
}
