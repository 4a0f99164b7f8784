//! Takes routes off arcs that carry too much, as far as lanes allow it.
//!
//! Where something has failed of a large grid, those around it carry what it would have. Only a few routes have to go elsewhere, and all others
//! had better stay: the more of them leave the ways of the grid, the more lanes they need. So one router after the other takes another way, with
//! all who come by at it, that is no longer, carries less on its busiest arc and fits into lanes of all of these, until arcs carry no more
//! than others do. From the destination outwards whole streams find ways around, which others can join; from the outermost routers inwards as little
//! moves as can be. Rounds of both kinds take turns.
//!
//! Source: none; after Nair, "A simple yet effective technique for global wiring", IEEE TCAD 6(2), 1987.
//!
//! Complexity: O(routers) for each tree with such an arc and round, O(ports x (diameter + who comes by)) for each move.

use super::growing::{Growing, Lanes};
use super::loads::{Arrivals, Cost, Measure};
use super::taste::Taste;
use crate::irregular::by_destination::{Graph, NONE};

/// Pairs of rounds, at most, each of which takes away so many hundredths of what is too much.
const ROUNDS: usize = 4;
const WORTH: u64 = 10;

impl Growing<'_> {
    /// Round after round, as long as that helps.
    pub(super) fn relieve(&mut self, taste: &dyn Taste) {
        let share = self.loads.usual_of(taste).max(self.loads.least());
        let mut tree_of = Relief::new(self.graph);
        self.keeps = true;
        for _ in 0..ROUNDS {
            let before = self.loads.beyond(share);
            let is_busy = |growing: &Self, _: usize, tree: &[u32]| {
                let mut arcs = tree.iter().filter(|&&arc| arc != NONE);
                arcs.any(|&arc| growing.loads.of(arc) > share)
            };
            for is_outwards in [true, false] {
                self.round_of(is_busy, |growing, destination, tree| {
                    tree_of.look(growing, tree, destination);
                    tree_of.relieve(growing, tree, (share, is_outwards));
                });
            }
            let left = self.loads.beyond(share);
            if left == 0 || 100 * left >= (100 - WORTH) * before {
                return;
            }
        }
    }
}

/// What is known of one tree while its routes move.
struct Relief {
    arrivals: Arrivals,
    destination: u32,
    /// By router: the load of the busiest arc on its way, when the tree was looked at.
    greatest: Vec<u64>,
    /// By router: one of those who send to it, and another one who sends where it does.
    child: Vec<u32>,
    sibling: Vec<u32>,
    /// Arcs by which a router may have a better way.
    others: Vec<(Cost, u32)>,
    /// Who comes by at a router that moves, and what was known of them.
    moving: Vec<(u32, Lanes, u32)>,
}

impl Relief {
    fn new(graph: &Graph) -> Self {
        let routers = graph.routers();
        Self {
            arrivals: Arrivals::new(graph),
            destination: NONE,
            greatest: vec![0; routers],
            child: vec![NONE; routers],
            sibling: vec![NONE; routers],
            others: Vec::new(),
            moving: Vec::new(),
        }
    }

    /// Looks at a tree, in which everybody's way fits into some lane.
    fn look(&mut self, growing: &mut Growing<'_>, tree: &[u32], destination: u32) {
        let graph = growing.graph;
        self.destination = destination;
        self.arrivals.look(graph, tree, destination);
        growing.arrive(destination);
        self.child.fill(NONE);
        self.greatest[destination as usize] = 0;
        self.arrivals.count(graph, tree, growing.receivers);
        for index in 1..self.arrivals.order.len() {
            let router = self.arrivals.order[index];
            let arc = tree[router as usize];
            let next = graph.to(arc);
            self.greatest[router as usize] =
                growing.loads.of(arc).max(self.greatest[next as usize]);
            growing.fits[router as usize] = growing.allowed(arc, tree);
            growing.lengths[router as usize] = growing.lengths[next as usize] + 1;
            self.adopt(next, router);
        }
    }

    fn relieve(
        &mut self,
        growing: &mut Growing<'_>,
        tree: &mut [u32],
        (share, is_outwards): (u64, bool),
    ) {
        let last = self.arrivals.order.len() - 1;
        for place in 1..=last {
            let index = if is_outwards { place } else { last + 1 - place };
            let router = self.arrivals.order[index];
            if self.greatest[router as usize] > share && self.arrivals.behind[router as usize] > 0 {
                self.relieve_at(router, growing, tree, share);
            }
        }
    }

    /// Gives a router another way, if its own carries more than a share somewhere.
    fn relieve_at(&mut self, router: u32, growing: &mut Growing<'_>, tree: &mut [u32], share: u64) {
        let (at, graph, destination) = (router as usize, growing.graph, self.destination);
        let own = tree[at];
        let cost = |growing: &Growing<'_>, arc, tree: &[u32]| {
            growing
                .loads
                .cost(arc, destination, tree, Measure::Greatest, 0)
        };
        let (present, _) = cost(growing, own, tree);
        if present <= share {
            return;
        }
        let mut others = std::mem::take(&mut self.others);
        others.clear();
        for arc in graph.leaving(router).filter(|&arc| arc != own) {
            let next = graph.to(arc) as usize;
            let is_short = growing.lengths[next] < growing.lengths[at];
            if is_short && growing.may_allow(arc, tree) != 0 {
                // What carries as much already is no better, whoever moves there.
                let cost = cost(growing, arc, tree);
                others.extend((cost.0 < present).then_some((cost, arc)));
            }
        }
        if !others.is_empty() {
            self.move_to_one(&mut others, router, growing, tree, present);
        }
        self.others = others;
    }

    /// Moves a router to the arc of these whose way carries least with all who come by, if that is less than at present and they find lanes.
    fn move_to_one(
        &mut self,
        others: &mut Vec<(Cost, u32)>,
        router: u32,
        growing: &mut Growing<'_>,
        tree: &mut [u32],
        present: u64,
    ) {
        let (graph, own) = (growing.graph, tree[router as usize]);
        let routes = self.arrivals.behind[router as usize];
        self.carry(router, growing, tree, false);
        for (cost, arc) in &mut *others {
            let (measure, loads) = (Measure::Greatest, &growing.loads);
            *cost = loads.cost(*arc, self.destination, tree, measure, routes);
        }
        others.retain(|&((greatest, _), _)| greatest < present);
        others.sort_unstable();
        for &(_, arc) in &*others {
            if self.moves(router, arc, growing, tree) {
                self.abandon(graph.to(own), router);
                self.adopt(graph.to(arc), router);
                break;
            }
        }
        self.carry(router, growing, tree, true);
    }

    /// Moves a router and who comes by to another arc, if all of them find lanes.
    fn moves(
        &mut self,
        router: u32,
        arc: u32,
        growing: &mut Growing<'_>,
        tree: &mut [u32],
    ) -> bool {
        let own = std::mem::replace(&mut tree[router as usize], arc);
        self.moving.clear();
        self.moving.push((router, 0, 0));
        let mut next = 0;
        let mut fit = true;
        while fit && let Some(entry) = self.moving.get_mut(next) {
            let at = entry.0;
            let (fits, length) = (&growing.fits[at as usize], &growing.lengths[at as usize]);
            (entry.1, entry.2) = (*fits, *length);
            next += 1;
            let arc = tree[at as usize];
            let to = growing.graph.to(arc);
            // Only these turns are others than they were.
            let lanes = match at == router || to == router {
                true => growing.opened(arc, tree),
                false => growing.allowed(arc, tree),
            };
            growing.fits[at as usize] = lanes;
            growing.lengths[at as usize] = growing.lengths[to as usize] + 1;
            fit = lanes != 0;
            let mut child = self.child[at as usize];
            while child != NONE {
                self.moving.push((child, 0, 0));
                child = self.sibling[child as usize];
            }
        }
        if !fit {
            for &(at, fits, length) in &self.moving[..next] {
                (growing.fits[at as usize], growing.lengths[at as usize]) = (fits, length);
            }
            tree[router as usize] = own;
        }
        fit
    }

    /// Puts all that comes by at a router on its way, or takes it off.
    fn carry(&mut self, router: u32, growing: &mut Growing<'_>, tree: &[u32], adds: bool) {
        let routes = self.arrivals.behind[router as usize];
        let mut at = router;
        while at != self.destination {
            let arc = tree[at as usize];
            at = growing.graph.to(arc);
            let (loads, behind) = (&mut growing.loads, &mut self.arrivals.behind[at as usize]);
            match adds {
                true => {
                    loads.add_routes(arc, routes);
                    *behind += routes;
                }
                false => {
                    loads.take_routes(arc, routes);
                    *behind -= routes;
                }
            }
        }
    }

    fn adopt(&mut self, parent: u32, router: u32) {
        self.sibling[router as usize] = std::mem::replace(&mut self.child[parent as usize], router);
    }

    fn abandon(&mut self, parent: u32, router: u32) {
        let after = self.sibling[router as usize];
        let mut at = self.child[parent as usize];
        if at == router {
            self.child[parent as usize] = after;
            return;
        }
        while self.sibling[at as usize] != router {
            at = self.sibling[at as usize];
        }
        self.sibling[at as usize] = after;
    }
}
