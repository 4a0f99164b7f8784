//! Datelines of a grid: a service level has a bit for each dimension with rings, that says whether a route goes over their edge, and the lane
//! is the bit of the dimension an arc lies in.
//!
//! Routes in dimension order close no circle so, whichever there are: they are all taken in at once, by what comes by at each turn.
//! Others turn back to a dimension before, or back along one, and have two lanes more from there on.
//!
//! Source: Dally and Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE Trans. Computers C-36(5), 1987,
//! told by service levels as by OpenSM's torus-2QoS.
//!
//! Complexity: O(terminals x routers) for all routes in dimension order together.

use super::loads::Arrivals;
use crate::irregular::by_destination::{Graph, Steps, Trees, Turns};
use turnwise_network::tables::SERVICE_LEVELS;

/// What each arc is among datelines.
pub(super) struct Datelines {
    arcs: Vec<Step>,
    /// The service level's bit of routes that are not in dimension order, if there is one left.
    apart: u8,
}

/// A step along a dimension.
#[derive(Clone, Copy)]
struct Step {
    dimension: usize,
    positive: bool,
    /// The bit of its dimension, if that has rings.
    bit: u8,
    /// The same, if it leads over the edge.
    crossed: u8,
}

/// Routes in dimension order.
pub(super) struct Regular {
    /// By turn, and by arc that packets set out by: the service levels of those that come by.
    pub(super) turns: Vec<u16>,
    pub(super) firsts: Vec<u16>,
    /// The places of all other routes.
    pub(super) others: Vec<usize>,
}

impl Datelines {
    /// `None` where there are more dimensions with rings than bits, or arcs that lead along none.
    pub(super) fn new(graph: &Graph, steps: &Steps) -> Option<Self> {
        let arcs = (0..graph.arcs() as u32).map(|arc| {
            let (dimension, positive) = steps.direction(graph, arc)?;
            let bit = match steps.rings().position(|ring| ring == dimension) {
                Some(ring) => bit_of(ring)?,
                None => 0,
            };
            let crossed = if steps.is_edge(graph, arc) { bit } else { 0 };
            Some(Step {
                dimension,
                positive,
                bit,
                crossed,
            })
        });
        Some(Self {
            arcs: arcs.collect::<Option<_>>()?,
            apart: bit_of(steps.rings().count()).unwrap_or(0),
        })
    }

    /// The lane of an arc at a service level, on a route in dimension order.
    pub(super) fn lane(&self, arc: u32, level: u8) -> u8 {
        u8::from(level & self.arcs[arc as usize].bit > 0)
    }

    /// Does an arc go on in dimension order behind another one?
    fn goes_on(&self, before: u32, arc: u32) -> bool {
        let [before, arc] = [before, arc].map(|arc| self.arcs[arc as usize]);
        let is_same = arc.dimension == before.dimension && arc.positive == before.positive;
        is_same || arc.dimension > before.dimension
    }

    /// The service level of a route; its arcs get their lanes.
    pub(super) fn of_route(&self, route: &[u32], lanes: &mut Vec<u8>) -> u8 {
        let steps = route.iter().map(|&arc| self.arcs[arc as usize]);
        let level = steps.fold(0, |level, step| level | step.crossed);
        let mut legs = 0;
        lanes.clear();
        for (at, &arc) in route.iter().enumerate() {
            legs += u8::from(at > 0 && !self.goes_on(route[at - 1], arc));
            lanes.push(2 * legs + self.lane(arc, level));
        }
        if legs > 0 { level | self.apart } else { level }
    }

    /// All routes in dimension order, whose service levels are put at their places.
    pub(super) fn regular(&self, turns: &Turns<'_>, trees: &Trees, levels: &mut [u8]) -> Regular {
        let graph = turns.graph;
        let mut regular = Regular {
            turns: vec![0; turns.count()],
            firsts: vec![0; graph.arcs()],
            others: Vec::new(),
        };
        let mut arrivals = Arrivals::new(graph);
        // By router: is its route in dimension order, its level, and the levels of routes that come by.
        let mut is_regular = vec![false; trees.width];
        let (mut level_of, mut passing) = (vec![0u8; trees.width], vec![0u16; trees.width]);
        for (index, &destination) in trees.routers.iter().enumerate() {
            let tree = trees.to(index);
            arrivals.look(graph, tree, destination);
            (
                is_regular[destination as usize],
                level_of[destination as usize],
            ) = (true, 0);
            for &router in &arrivals.order[1..] {
                let at = router as usize;
                let arc = tree[at];
                let next = graph.to(arc);
                let goes_on = next == destination || self.goes_on(arc, tree[next as usize]);
                is_regular[at] = is_regular[next as usize] && goes_on;
                level_of[at] = level_of[next as usize] | self.arcs[arc as usize].crossed;
                passing[at] = 0;
                if graph.terminals(router) == 0 {
                    continue;
                }
                let place = index * trees.width + at;
                if is_regular[at] {
                    levels[place] = level_of[at];
                    passing[at] = 1 << level_of[at];
                    regular.firsts[arc as usize] |= passing[at];
                } else {
                    regular.others.push(place);
                }
            }
            for &router in arrivals.order[1..].iter().rev() {
                let arc = tree[router as usize];
                let next = graph.to(arc);
                if next != destination {
                    let levels = passing[router as usize];
                    passing[next as usize] |= levels;
                    regular.turns[turns.number(arc, tree[next as usize])] |= levels;
                }
            }
        }
        regular
    }
}

/// The service level that has this bit alone.
fn bit_of(bit: usize) -> Option<u8> {
    let level = 1u8.checked_shl(bit as u32)?;
    Some(level).filter(|&level| level < SERVICE_LEVELS)
}

#[cfg(test)]
mod tests {
    use super::super::taste::{Sharing, in_order};
    use super::super::trees::Ease;
    use super::*;
    use crate::irregular::by_destination::NONE;
    use turnwise_network::Faults;
    use turnwise_network::topologies::{Topology, Torus};

    /// Routes in dimension order are taken in all at once as they would be one by one, and those are left that leave it.
    #[test]
    fn all_at_once_is_as_one_by_one() {
        let torus = Torus {
            sizes: vec![5, 4, 6],
            ..Torus::default()
        };
        let faults = Faults {
            random_links: 5.into(),
            random_routers: 1.into(),
            seed: 1,
            ..Faults::default()
        };
        let network = torus.build(None).unwrap().without(&faults).unwrap();
        let graph = Graph::new(&network);
        let steps = Steps::of_rings(&network, &graph).unwrap();
        let taste = in_order(&steps, Sharing::None);
        let trees = Trees::without_ways(&network);
        let trees = trees.balanced(&graph, Some(&taste), Ease::Nothing);
        let turns = Turns::new(&graph);
        let datelines = Datelines::new(&graph, &steps).unwrap();
        let mut levels = vec![0; trees.next.len()];
        let regular = datelines.regular(&turns, &trees, &mut levels);
        let mut others = Vec::new();
        let (mut by_turn, mut firsts) = (vec![0u16; turns.count()], vec![0u16; graph.arcs()]);
        let mut lanes = Vec::new();
        for place in trees.routed(&graph) {
            let tree = trees.to(place / trees.width);
            let first = tree[place % trees.width];
            let onwards =
                |&arc: &u32| Some(tree[graph.to(arc) as usize]).filter(|&arc| arc != NONE);
            let route: Vec<u32> = std::iter::successors(Some(first), onwards).collect();
            let level = datelines.of_route(&route, &mut lanes);
            if lanes.iter().any(|&lane| lane > 1) {
                others.push(place);
                assert_eq!(level >> 3, 1, "apart from those in dimension order");
                continue;
            }
            assert_eq!(levels[place], level);
            firsts[first as usize] |= 1 << level;
            for (pair, lanes) in route.windows(2).zip(lanes.windows(2)) {
                by_turn[turns.number(pair[0], pair[1])] |= 1 << level;
                let known = [pair[0], pair[1]].map(|arc| datelines.lane(arc, level));
                assert_eq!(known, [lanes[0], lanes[1]]);
            }
        }
        let mut left = regular.others;
        left.sort_unstable();
        assert!(!others.is_empty());
        assert_eq!(left, others);
        assert_eq!((regular.turns, regular.firsts), (by_turn, firsts));
    }
}
