//! Routes on a grid of which something is missing that go as they would if nothing were.
//!
//! On the whole grid routes in dimension order take few lanes, since a lane comes to forbid the same turn in all rings of a dimension. Around what is
//! missing it would come to forbid others, and routes that lead through several rings would find room in fewer and fewer lanes. So
//! who goes as on the whole grid has the lane that it has there.
//!
//! Complexity: O(routers^2) for the whole grid, O(terminals x routers) for all routes.

use super::layering::LEFT;
use super::loads::Arrivals;
use super::taste::{Destination, Sharing, Taste, in_order};
use crate::irregular::by_destination::{Graph, Lane, NONE, Steps, Trees};

/// The whole grid, with a terminal at each router, and ways in dimension order.
pub(super) struct Undamaged {
    pub(super) graph: Graph,
    pub(super) steps: Steps,
    pub(super) trees: Trees,
}

impl Undamaged {
    pub(super) fn new(steps: &Steps) -> Self {
        let (graph, steps) = steps.whole();
        let trees = Trees::to_each(graph.routers());
        let mut whole = Self {
            graph,
            steps,
            trees,
        };
        whole.follow();
        whole
    }

    /// Gives all routers their ways.
    fn follow(&mut self) {
        let taste = in_order(&self.steps, Sharing::None);
        for router in 0..self.graph.routers() as u32 {
            let to = Destination {
                router,
                number: 0,
                terminals: 1,
            };
            for (at, arc) in (0..).zip(self.trees.to_mut(router as usize)) {
                *arc = taste.arc(&self.graph, at, to).unwrap_or(NONE);
            }
        }
    }

    /// Puts the routes of trees on the damaged grid that go as here into the lanes that they have here.
    pub(super) fn put_lanes(
        &self,
        graph: &Graph,
        (trees, numbers): (&Trees, &[u32]),
        chosen: &[u8],
        mut put: impl FnMut(usize, u8),
    ) {
        let number = |router: u32| numbers[router as usize];
        let mut arrivals = Arrivals::new(graph);
        let mut is_usual = vec![false; trees.width];
        for (index, &destination) in trees.routers.iter().enumerate() {
            let tree = trees.to(index);
            let row = number(destination) as usize;
            let here = self.trees.to(row);
            let chosen = &chosen[row * self.trees.width..][..self.trees.width];
            arrivals.look(graph, tree, destination);
            is_usual[destination as usize] = true;
            for &router in &arrivals.order[1..] {
                let next = graph.to(tree[router as usize]);
                let at = number(router) as usize;
                let usual = is_usual[next as usize] && self.graph.to(here[at]) == number(next);
                is_usual[router as usize] = usual;
                if usual && graph.terminals(router) > 0 && chosen[at] != LEFT {
                    put(index * trees.width + router as usize, chosen[at]);
                }
            }
        }
    }

    /// All arcs of the damaged grid, in the order of a lane here.
    pub(super) fn order_of(&self, lane: &Lane, graph: &Graph, numbers: &[u32]) -> Vec<u32> {
        let mut places = vec![NONE; self.graph.arcs()];
        for (place, &arc) in (0..).zip(lane.order()) {
            places[arc as usize] = place;
        }
        let mut order: Vec<u32> = (0..graph.arcs() as u32).collect();
        order.sort_by_cached_key(|&arc| {
            let [from, to] = [graph.from(arc), graph.to(arc)].map(|at| numbers[at as usize]);
            let mut arcs = self.graph.leaving(from);
            let arc = arcs.find(|&arc| self.graph.to(arc) == to);
            arc.map(|arc| places[arc as usize])
        });
        order
    }
}

/// By router of the damaged grid: its number on the whole one.
pub(super) fn numbers(graph: &Graph, steps: &Steps) -> Vec<u32> {
    let routers = 0..graph.routers() as u32;
    routers.map(|router| steps.number(router)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::layering::{Partial, Sequence};
    use super::super::trees::Ease;
    use super::*;
    use crate::irregular::by_destination::Turns;
    use turnwise_network::Faults;
    use turnwise_network::topologies::{Topology, Torus};

    /// All routes of the whole grid have lanes, and nearly all of one of which little is missing: each may take all its turns in its own.
    #[test]
    fn who_goes_as_on_the_whole_grid_has_a_lane() {
        let torus = Torus {
            sizes: vec![6, 5, 4],
            ..Torus::default()
        };
        let whole = torus.build(None).unwrap();
        let faults = Faults {
            random_links: 3.into(),
            random_routers: 1.into(),
            seed: 1,
            ..Faults::default()
        };
        let damaged = whole.without(&faults).unwrap();
        let shares = [whole, damaged].map(|network| {
            let graph = Graph::new(&network);
            let steps = Steps::of(&network, &graph).unwrap();
            let taste = in_order(&steps, Sharing::None);
            let trees = Trees::without_ways(&network);
            let trees = trees.balanced(&graph, Some(&taste), Ease::Nothing);
            let here = Undamaged::new(&steps);
            let way = (&here.trees, Sharing::None, Sequence::Any);
            let taste = in_order(&here.steps, Sharing::None);
            let known = Partial::of_taste(&here.graph, way, &taste, 8);
            let turns = Turns::new(&graph);
            let mut chosen = vec![LEFT; trees.next.len()];
            let numbers = numbers(&graph, &steps);
            here.put_lanes(&graph, (&trees, &numbers), &known.chosen, |place, lane| {
                chosen[place] = lane;
            });
            let orders = known.lanes.iter();
            let orders = orders.map(|lane| here.order_of(lane, &graph, &numbers));
            let Partial { lanes, chosen, .. } = Partial::taking(&turns, &trees, chosen, orders);
            let (mut all, mut found) = (0, 0);
            for place in trees.routed(&graph) {
                all += 1;
                let Some(lane) = lanes.get(usize::from(chosen[place])) else {
                    continue;
                };
                found += 1;
                let tree = trees.to(place / trees.width);
                let mut arc = tree[place % trees.width];
                while let next = tree[graph.to(arc) as usize]
                    && next != NONE
                {
                    assert!(lane.has_allowed(&turns, arc, next));
                    arc = next;
                }
            }
            f64::from(found) / f64::from(all)
        });
        assert_eq!(shares[0], 1.0);
        assert!((0.7..1.0).contains(&shares[1]), "{shares:?}");
    }
}
