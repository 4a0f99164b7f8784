//! Who is how near to a destination: a search, breadth first and backwards.
//!
//! Those that were found last look for who has an arc to them. Once few are left, these look for what they lead to instead, which finds the same
//! in the same order.
//!
//! Source: Beamer, Asanović, Patterson, "Direction-optimizing breadth-first search", SC 2012.
//!
//! Complexity: O(routers + channels) at most.

use super::graph::{Graph, NONE};

/// Distances to one router after the other, and all that get there, the nearest first.
pub(crate) struct Nearest {
    pub(crate) distance: Vec<u32>,
    pub(crate) order: Vec<u32>,
    /// By router: arcs that begin shortest ways.
    pub(crate) ways: Vec<u32>,
    /// By router: its place in the order.
    places: Vec<u32>,
    /// Routers that are still to be found, with the places of those they are found from.
    left: Vec<(u32, u32)>,
}

/// Where so many times fewer routers are left than were found last, those that are left look around, and not those that were found.
const FEW: usize = 2;

impl Nearest {
    pub(crate) fn new(graph: &Graph) -> Self {
        let routers = graph.routers();
        Self {
            distance: vec![NONE; routers],
            order: Vec::with_capacity(routers),
            ways: vec![0; routers],
            places: vec![0; routers],
            left: Vec::new(),
        }
    }

    /// Breadth first, backwards.
    pub(crate) fn search(&mut self, graph: &Graph, destination: u32) {
        self.search_all(graph, std::iter::once(destination));
    }

    /// The same to the nearest of several.
    pub(crate) fn search_all(&mut self, graph: &Graph, destinations: impl Iterator<Item = u32>) {
        self.distance.fill(NONE);
        self.order.clear();
        for destination in destinations {
            self.find(destination, 0);
        }
        let (mut first, mut distance) = (0, 0);
        while first < self.order.len() {
            let found = first..self.order.len();
            distance += 1;
            first = found.end;
            let left = graph.routers() - found.end;
            match FEW * left < found.len() {
                true => self.look_around(graph, distance),
                false => self.look_from(graph, found, distance),
            }
        }
    }

    fn find(&mut self, router: u32, distance: u32) {
        self.distance[router as usize] = distance;
        self.places[router as usize] = self.order.len() as u32;
        self.order.push(router);
    }

    /// Finds who has an arc to some of those that were found.
    fn look_from(&mut self, graph: &Graph, found: std::ops::Range<usize>, distance: u32) {
        for place in found {
            for before in graph.before(self.order[place]) {
                let known = self.distance[before as usize];
                if known == NONE {
                    self.ways[before as usize] = 1;
                    self.find(before, distance);
                } else if known == distance {
                    self.ways[before as usize] += 1;
                }
            }
        }
    }

    /// The same, in the same order, by looking at what those lead to who are left.
    fn look_around(&mut self, graph: &Graph, distance: u32) {
        let mut left = std::mem::take(&mut self.left);
        left.clear();
        for router in 0..graph.routers() as u32 {
            if self.distance[router as usize] != NONE {
                continue;
            }
            let last = |&next: &u32| self.distance[next as usize] == distance - 1;
            let nexts = graph.leaving(router).map(|arc| graph.to(arc)).filter(last);
            let places = nexts.map(|next| self.places[next as usize]);
            let (ways, first) = places.fold((0, NONE), |(ways, first), place| {
                (ways + 1, first.min(place))
            });
            if ways > 0 {
                self.ways[router as usize] = ways;
                left.push((first, router));
            }
        }
        left.sort_unstable();
        for &(_, router) in &left {
            self.find(router, distance);
        }
        self.left = left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use turnwise_network::topologies::{RandomIrregular, RandomRegular, Topology};

    /// Whoever looks for whom, routers come in the order in which a queue finds them.
    fn is_that_of_a_queue(graph: &Graph, destination: u32) {
        let mut nearest = Nearest::new(graph);
        nearest.search(graph, destination);
        let (mut order, mut distance) = (vec![destination], vec![NONE; graph.routers()]);
        distance[destination as usize] = 0;
        let mut next = 0;
        while let Some(&router) = order.get(next) {
            next += 1;
            for before in graph.before(router) {
                if distance[before as usize] == NONE {
                    distance[before as usize] = distance[router as usize] + 1;
                    order.push(before);
                }
            }
        }
        assert_eq!((&nearest.order, &nearest.distance), (&order, &distance));
        for &router in &order[1..] {
            let nexts = graph.leaving(router).map(|arc| graph.to(arc) as usize);
            let nearer = nexts.filter(|&next| distance[next] < distance[router as usize]);
            assert_eq!(nearest.ways[router as usize] as usize, nearer.count());
        }
    }
    proptest! {
        #[test]
        fn routers_come_as_a_queue_finds_them(
            routers in 5u32..80,
            degree in 1u32..4,
            links in 0u32..40,
            seed in 0u64..1000,
        ) {
            let regular = RandomRegular {
                routers,
                degree: 2 * degree,
                seed,
                ..RandomRegular::default()
            };
            let irregular = RandomIrregular {
                routers,
                links: (routers + links).min(2 * routers),
                most_links: 6,
                seed,
                ..RandomIrregular::default()
            };
            for topology in [&regular as &dyn Topology, &irregular] {
                if let Ok(network) = topology.build(None) {
                    let graph = Graph::new(&network);
                    is_that_of_a_queue(&graph, 0);
                    is_that_of_a_queue(&graph, routers - 1);
                }
            }
        }
    }
}
