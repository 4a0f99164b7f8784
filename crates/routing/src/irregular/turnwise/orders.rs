//! Lanes in which no circle has to be looked for.
//!
//! Every lane has an order of all routers. In one lane of a pair packets go up, to routers before, and then down; in the other one they go
//! down and then up. So a router knows by a few bits which lanes a way still fits into. What turns only once fits into one of any pair.
//! Orders are those in which routers are found from some root, so that in every first lane of a pair all of them are connected; and roots
//! are far apart, so that what fits into no pair so far may well fit into the next one.
//!
//! Source: lanes as in Koibuchi et al., "Descending layers routing", ICPP 2003, with a root for each pair, and none left for another; those
//! who find routers late are as different as those who find them early.
//!
//! Complexity: O(lanes x channels) to make, O(1) for a turn.

use crate::irregular::by_destination::{Graph, NONE, Nearest};

/// Some of the lanes, a bit for each.
pub(super) type Lanes = u16;

/// The lanes that each turn is allowed in.
pub(super) struct Orders {
    /// All lanes.
    pub(super) all: Lanes,
    /// By arc: the lanes in which it comes behind the bend.
    late: Vec<Lanes>,
}

impl Orders {
    /// So many lanes, at most 16 and at least one.
    pub(super) fn new(graph: &Graph, lanes: u32) -> Self {
        let mut late = vec![0; graph.arcs()];
        let pairs = lanes.div_ceil(2);
        for pair in 0..pairs {
            let root = pair as usize * graph.routers() / pairs as usize;
            let places = places(graph, root as u32);
            let [up_first, down_first]: [Lanes; 2] = [1 << (2 * pair), 1 << (2 * pair + 1)];
            for (arc, late) in (0..).zip(&mut late) {
                let [from, to] = [graph.from(arc), graph.to(arc)].map(|at| places[at as usize]);
                *late |= if to < from { down_first } else { up_first };
            }
        }
        let mut orders = Self { all: 0, late };
        orders.keep(lanes);
        orders
    }

    /// Leaves the first ones, so many.
    pub(super) fn keep(&mut self, lanes: u32) {
        self.all = Lanes::MAX >> (Lanes::BITS - lanes);
    }

    /// The lanes in which an arc may follow another one; there may be none behind.
    #[inline]
    pub(super) fn allowing(&self, arc: u32, next: u32) -> Lanes {
        match next {
            NONE => self.all,
            next => !self.late[arc as usize] | self.late[next as usize],
        }
    }

    /// One of the lanes that go up first, by turns.
    pub(super) fn going_up(&self, turn: u32) -> u32 {
        2 * (turn % self.all.count_ones().div_ceil(2))
    }

    /// Does an arc lead up in a lane that goes up first?
    pub(super) fn is_up(&self, arc: u32, lane: u32) -> bool {
        self.late[arc as usize] >> lane & 1 == 0
    }
}

/// By router: its place in the order in which they are found from a root, and where that ends from whoever is left.
fn places(graph: &Graph, root: u32) -> Vec<u32> {
    let mut nearest = Nearest::new(graph);
    let (mut places, mut count) = (vec![NONE; graph.routers()], 0);
    for root in std::iter::once(root).chain(0..graph.routers() as u32) {
        if places[root as usize] != NONE {
            continue;
        }
        nearest.search(graph, root);
        for &router in &nearest.order {
            if places[router as usize] == NONE {
                places[router as usize] = count;
                count += 1;
            }
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::irregular::acyclic::{Acyclic, Added};
    use turnwise_network::topologies::{RandomRegular, Topology};

    /// What a lane allows closes no circle, and what turns once fits into one of the first two lanes.
    #[test]
    fn lanes_have_no_circles_and_pairs_all_turns() {
        for (routers, degree) in [(2, 1), (40, 3), (64, 7), (33, 2)] {
            let random = RandomRegular {
                routers,
                degree,
                ..RandomRegular::default()
            };
            let graph = Graph::new(&random.build(None).unwrap());
            let orders = Orders::new(&graph, 7);
            let mut lanes = vec![Acyclic::new(graph.arcs()); 7];
            for arc in 0..graph.arcs() as u32 {
                assert_eq!(orders.allowing(arc, NONE), 0b111_1111);
                for next in graph.leaving(graph.to(arc)) {
                    let allowing = orders.allowing(arc, next) & orders.all;
                    assert_ne!(allowing & 0b11, 0);
                    for (lane, dependencies) in lanes.iter_mut().enumerate() {
                        let allows = allowing >> lane & 1 == 1;
                        assert!(!allows || dependencies.add(arc, next) == Added::New);
                    }
                }
            }
        }
    }
}
