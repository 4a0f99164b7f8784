//! Lanes in which no circle has to be looked for.
//!
//! Every lane has an order of all routers, and packets go up in it, to routers before, and then down. So a router knows by a few bits which
//! lanes a way still fits into. Orders are those in which routers are found from some root, so that all of them are connected; and roots are
//! far apart, so that what fits into no lane so far may well fit into the next one. Or lanes come in pairs that share an order: in the second one
//! packets go down and then up. What turns only once fits into one of any pair, and of longer ways more fit into a pair than into two other
//! lanes where there are many ways; where there are few, as on grids, two roots are better.
//!
//! Source: lanes as in Koibuchi et al., "Descending layers routing", ICPP 2003, with a root for each as there, and none left for another.
//!
//! Complexity: O(lanes x channels) to make, O(1) for a turn.

use crate::irregular::by_destination::{Graph, NONE, Nearest};

/// Some of the lanes, a bit for each.
pub(super) type Lanes = u16;

/// One of some lanes, which take turns.
pub(super) fn in_turn(lanes: Lanes, turn: &mut u32) -> u8 {
    let later = lanes & (Lanes::MAX << *turn);
    let lane = if later == 0 { lanes } else { later }.trailing_zeros();
    *turn = (lane + 1) % Lanes::BITS;
    lane as u8
}

/// How lanes bend.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bends {
    /// Up first, each in an order of its own.
    Up,
    /// By turns up first and down first, two in the same order.
    Both,
}

/// Where the roots of lanes are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Roots {
    /// Spread evenly over the numbers of routers.
    Evenly,
    /// Each as far as can be from those before: on grids, where what is even among numbers may all be on one line.
    FarApart,
}

/// The lanes that each turn is allowed in.
pub(super) struct Orders {
    /// All lanes.
    pub(super) all: Lanes,
    bends: Bends,
    /// By arc: the lanes in which it comes behind the bend.
    late: Vec<Lanes>,
}

impl Orders {
    /// So many lanes, at most 16 and at least one.
    pub(super) fn new(graph: &Graph, lanes: u32, bends: Bends, roots: Roots) -> Self {
        let mut late = vec![0; graph.arcs()];
        let each = match bends {
            Bends::Up => 1,
            Bends::Both => 2,
        };
        let count = lanes.div_ceil(each);
        for (number, root) in (0..).zip(roots.of(graph, count as usize)) {
            let places = places(graph, root);
            let up_first: Lanes = 1 << (each * number);
            let down_first = match bends {
                Bends::Up => 0,
                Bends::Both => up_first << 1,
            };
            for (arc, late) in (0..).zip(&mut late) {
                let [from, to] = [graph.from(arc), graph.to(arc)].map(|at| places[at as usize]);
                *late |= if to < from { down_first } else { up_first };
            }
        }
        let mut orders = Self {
            all: 0,
            bends,
            late,
        };
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
        let lanes = self.all.count_ones();
        match self.bends {
            Bends::Up => turn % lanes,
            Bends::Both => 2 * (turn % lanes.div_ceil(2)),
        }
    }

    /// Does an arc lead up in a lane that goes up first?
    pub(super) fn is_up(&self, arc: u32, lane: u32) -> bool {
        self.late[arc as usize] >> lane & 1 == 0
    }
}

impl Roots {
    /// So many.
    fn of(self, graph: &Graph, count: usize) -> Vec<u32> {
        let evenly = |number| (number * graph.routers() / count) as u32;
        match self {
            Self::Evenly => (0..count).map(evenly).collect(),
            Self::FarApart => {
                let mut nearest = Nearest::new(graph);
                let is_joined = |router: &u32| !graph.leaving(*router).is_empty();
                let first = (0..graph.routers() as u32).find(is_joined);
                let mut roots = vec![first.unwrap_or(0)];
                while roots.len() < count {
                    nearest.search_all(graph, roots.iter().copied());
                    let farthest = nearest.order.last();
                    match farthest.filter(|&&router| nearest.distance[router as usize] > 0) {
                        Some(&router) => roots.push(router),
                        // Where there are fewer routers they come again.
                        None => break,
                    }
                }
                roots.iter().copied().cycle().take(count).collect()
            }
        }
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
    use turnwise_network::topologies::{RandomRegular, Topology, Torus};

    /// On a torus the second root is as far away as a router can be, and four keep away from each other, where even ones share a line.
    #[test]
    fn roots_are_far_apart() {
        let torus = Torus {
            sizes: vec![8, 8, 8],
            ..Torus::default()
        };
        let graph = Graph::new(&torus.build(None).unwrap());
        let distances = |roots: Roots, count| {
            let roots = roots.of(&graph, count);
            let mut nearest = Nearest::new(&graph);
            let mut all = Vec::new();
            for (number, &root) in roots.iter().enumerate() {
                nearest.search(&graph, root);
                let others = roots[..number].iter();
                all.extend(others.map(|&other| nearest.distance[other as usize]));
            }
            all
        };
        assert_eq!(distances(Roots::FarApart, 2), [12]);
        let least = |roots| distances(roots, 4).into_iter().min();
        assert_eq!(least(Roots::Evenly), Some(2));
        assert!(least(Roots::FarApart) >= Some(4));
    }

    /// What a lane allows closes no circle, and what turns once fits into one of a pair.
    #[test]
    fn lanes_have_no_circles_and_pairs_all_turns() {
        for (routers, degree) in [(2, 1), (40, 3), (64, 7), (33, 2)] {
            let random = RandomRegular {
                routers,
                degree,
                ..RandomRegular::default()
            };
            let graph = Graph::new(&random.build(None).unwrap());
            let all = [
                (Bends::Up, Roots::Evenly),
                (Bends::Up, Roots::FarApart),
                (Bends::Both, Roots::Evenly),
                (Bends::Both, Roots::FarApart),
            ];
            for (bends, roots) in all {
                let orders = Orders::new(&graph, 7, bends, roots);
                let mut lanes = vec![Acyclic::new(graph.arcs()); 7];
                for arc in 0..graph.arcs() as u32 {
                    assert_eq!(orders.allowing(arc, NONE), 0b111_1111);
                    for next in graph.leaving(graph.to(arc)) {
                        let allowing = orders.allowing(arc, next) & orders.all;
                        assert!(matches!(bends, Bends::Up) || allowing & 0b11 != 0);
                        for (lane, dependencies) in lanes.iter_mut().enumerate() {
                            let allows = allowing >> lane & 1 == 1;
                            assert!(!allows || dependencies.add(arc, next) == Added::New);
                        }
                    }
                }
            }
        }
    }
}
