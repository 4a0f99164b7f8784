//! Trees that fit into few lanes: ways are chosen by what lanes still allow, shortest ones first.
//!
//! Where routes on balanced trees need more lanes than there are, trees are grown anew, one after the other, from the destination outwards. A
//! router takes the least loaded of those shortest ways whose route fits into some lane together with all before; if none does, it waits until
//! the others have theirs, and takes what is short among all ways that fit.
//!
//! The first lane allows every route that goes up and then down in a tree, so there is always a way: if a router is
//! stuck, the destination's tree is grown anew in that lane alone, on which from the root down to the destination all go
//! straight down, and everybody else can go up until they meet one who has a way. So every budget is enough, one lane too.
//!
//! Rounds follow as for balanced trees, in which lanes only ever allow more.
//!
//! Source: after Domke, Hoefler, Matsuoka, "Routing on the dependency graph: a new approach to deadlock-free high-performance routing" (Nue), HPDC 2016.
//!
//! Complexity: a round takes O(terminals x channels x (diameter + lanes)); all together O(lanes x turns) searches in a graph of channels.

use super::graph::{Graph, NONE, Nearest};
use super::lane::{Lane, Turns};
use super::layering::Layering;
use super::loads::{Cost, Loads, Measure};
use super::trees::Trees;
use crate::irregular::orientation::Orientation;
use turnwise_network::RouterId;

/// Rounds that compare squared loads, and rounds that compare the greatest one.
const ROUNDS: [u32; 2] = [3, 3];

/// Some of the lanes, a bit for each.
type Lanes = u32;
const FIRST: Lanes = 1;

/// Trees near to these, and a lane for every route, of so many; at least one, at most 32.
pub(super) fn confined(
    graph: &Graph,
    trees: Trees,
    order: &Orientation,
    lanes: u32,
) -> (Trees, Layering) {
    let turns = Turns::new(graph);
    let mut all = vec![Lane::up_and_down(&turns, order)];
    all.extend((1..lanes).map(|_| Lane::new(&turns)));
    let width = graph.routers();
    let mut growing = Growing {
        graph,
        order,
        nearest: Nearest::new(graph),
        loads: Loads::new(graph),
        lanes: all,
        turns,
        fits: vec![0; width],
        lengths: vec![0; width],
        chosen: vec![0; trees.next.len()],
        trees,
        candidates: Vec::new(),
    };
    growing.rounds();
    let Growing { trees, chosen, .. } = growing;
    let lanes = chosen;
    let count = u32::from(lanes.iter().copied().max().unwrap_or(0)) + 1;
    (trees, Layering { lanes, count })
}

struct Growing<'a> {
    graph: &'a Graph,
    order: &'a Orientation,
    nearest: Nearest,
    loads: Loads<'a>,
    lanes: Vec<Lane>,
    turns: Turns<'a>,
    /// By router: the lanes in which its route to the destination is allowed.
    fits: Vec<Lanes>,
    /// By router: the arcs on its way.
    lengths: Vec<u32>,
    trees: Trees,
    /// By destination, then by router: the lane of its route.
    chosen: Vec<u8>,
    candidates: Vec<(u32, Cost, u32)>,
}

impl Growing<'_> {
    fn rounds(&mut self) {
        self.round(|growing, destination, tree| {
            for &router in &growing.nearest.order[1..] {
                growing.loads.add(router, destination, tree);
            }
        });
        let [squares, greatest] = ROUNDS;
        let mut best: Option<(u32, Vec<u32>, Vec<u8>)> = None;
        for round in 0..squares + greatest {
            let measure = match round < squares {
                true => Measure::Squares,
                false => Measure::Greatest,
            };
            self.round(|growing, destination, tree| {
                for index in 1..growing.nearest.order.len() {
                    let router = growing.nearest.order[index];
                    growing.loads.remove(router, destination, tree);
                }
                growing.grow(destination, tree, measure);
            });
            let most = self.loads.most();
            if best.as_ref().is_none_or(|(least, ..)| most < *least) {
                best = Some((most, self.trees.next.clone(), self.chosen.clone()));
            }
        }
        if let Some((_, next, chosen)) = best {
            (self.trees.next, self.chosen) = (next, chosen);
        }
    }

    /// Does something with every tree, knowing who is how near to its destination, and notes the lanes of its routes.
    fn round(&mut self, mut each: impl FnMut(&mut Self, u32, &mut [u32])) {
        let width = self.trees.width;
        let mut next = std::mem::take(&mut self.trees.next);
        let mut searched = NONE;
        for (index, tree) in next.chunks_exact_mut(width).enumerate() {
            let destination = self.trees.routers[index];
            if searched != destination {
                self.nearest.search(self.graph, destination);
                searched = destination;
            }
            each(self, destination, tree);
            let chosen = &mut self.chosen[index * width..(index + 1) * width];
            for (chosen, fits) in chosen.iter_mut().zip(&self.fits) {
                *chosen = match fits {
                    0 => 0,
                    lanes => lanes.trailing_zeros() as u8,
                };
            }
        }
        self.trees.next = next;
    }

    fn grow(&mut self, destination: u32, tree: &mut [u32], measure: Measure) {
        let every = Lanes::MAX >> (Lanes::BITS - self.lanes.len() as u32);
        self.begin(destination, tree, every);
        if !self.place_all(destination, tree, measure) {
            for index in 1..self.nearest.order.len() {
                let router = self.nearest.order[index];
                if tree[router as usize] != NONE {
                    self.loads.remove(router, destination, tree);
                }
            }
            self.begin(destination, tree, FIRST);
            self.come_down(destination, tree);
            self.place_all(destination, tree, measure);
        }
    }

    fn begin(&mut self, destination: u32, tree: &mut [u32], lanes: Lanes) {
        tree.fill(NONE);
        self.fits.fill(0);
        self.fits[destination as usize] = lanes;
        self.lengths[destination as usize] = 0;
    }

    /// Gives every router a way, unless one is stuck.
    fn place_all(&mut self, destination: u32, tree: &mut [u32], measure: Measure) -> bool {
        let mut left = Vec::new();
        for index in 1..self.nearest.order.len() {
            let router = self.nearest.order[index];
            if tree[router as usize] == NONE
                && !self.place(router, destination, tree, measure, true)
            {
                left.push(router);
            }
        }
        while !left.is_empty() {
            let before = left.len();
            left.retain(|&router| !self.place(router, destination, tree, measure, false));
            if left.len() == before {
                return false;
            }
        }
        true
    }

    /// The way of a router is the best one that fits, of the shortest ones or of all.
    fn place(
        &mut self,
        router: u32,
        destination: u32,
        tree: &mut [u32],
        measure: Measure,
        only_shortest: bool,
    ) -> bool {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        for arc in self.graph.leaving(router) {
            let next = self.graph.to(arc);
            let distance = |router: u32| self.nearest.distance[router as usize];
            let is_candidate = self.fits[next as usize] != 0
                && (!only_shortest || self.lengths[next as usize] < distance(router));
            if is_candidate {
                let cost = self.loads.cost(arc, destination, tree, measure);
                candidates.push((self.lengths[next as usize], cost, arc));
            }
        }
        candidates.sort_unstable();
        let found = candidates.iter().find_map(|&(length, _, arc)| {
            let fits = self.fitting(arc, tree);
            (fits != 0).then_some((length, arc, fits))
        });
        self.candidates = candidates;
        let Some((length, arc, fits)) = found else {
            return false;
        };
        tree[router as usize] = arc;
        self.fits[router as usize] = fits;
        self.lengths[router as usize] = length + 1;
        self.loads.add(router, destination, tree);
        true
    }

    /// The lanes that allow the way that begins with an arc; if there is none yet, the first one that can.
    fn fitting(&mut self, arc: u32, tree: &[u32]) -> Lanes {
        let at = self.graph.to(arc);
        let lanes = self.fits[at as usize];
        let next = tree[at as usize];
        if next == NONE {
            return lanes;
        }
        let (all, turns) = (&mut self.lanes, &self.turns);
        let mut of = (0..all.len()).filter(|lane| lanes >> lane & 1 == 1);
        let allowed = of
            .clone()
            .filter(|&lane| all[lane].has_allowed(turns, arc, next))
            .fold(0, |lanes, lane| lanes | 1 << lane);
        if allowed != 0 {
            return allowed;
        }
        let first = of.find(|&lane| all[lane].allows(turns, arc, next));
        first.map_or(0, |lane| 1 << lane)
    }

    /// Routers on a way from the root straight down to the destination take that.
    fn come_down(&mut self, destination: u32, tree: &mut [u32]) {
        let mut at = destination;
        loop {
            let (level, _) = self.order.place(RouterId(at));
            let above = self.graph.before(at).iter().copied();
            let above = above.filter(|&router| self.order.place(RouterId(router)).0 < level);
            let arcs = above.filter_map(|router| {
                self.graph
                    .leaving(router)
                    .find(|&arc| self.graph.to(arc) == at)
            });
            let cost = |arc: &u32| self.loads.cost(*arc, destination, tree, Measure::Squares);
            let Some(arc) = arcs.min_by_key(cost) else {
                return;
            };
            let router = self.graph.from(arc);
            tree[router as usize] = arc;
            self.fits[router as usize] = FIRST;
            self.lengths[router as usize] = self.lengths[at as usize] + 1;
            self.loads.add(router, destination, tree);
            at = router;
        }
    }
}
