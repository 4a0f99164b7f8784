//! Trees of large networks that fit into few lanes, in each of which packets go up and then down.
//!
//! Every lane has a root of its own, far from the others, and so an order of its own that says which arcs lead up. A route fits into
//! all those lanes in which it never turns up again. So a router knows by a few bits which lanes a way still fits into, and no
//! circle has to be looked for. Trees grow from the destination outwards: a router takes, of its shortest ways that fit into some lane, the one whose
//! channel carries least; if none fits, what is short among all others. Who finds none at all goes up and down in one lane, with all who are on
//! its way, and everybody else is placed anew.
//!
//! Source: lanes as in Koibuchi et al., "Descending layers routing", ICPP 2003, with a root for each as there, and none left for another.
//!
//! Complexity: O(terminals x channels), in two rounds.

use crate::irregular::by_destination::{Graph, Layering, NONE, Nearest, Trees};
use crate::irregular::orientation::Orientation;
use turnwise_network::{Network, RouterId};

/// Some of the lanes, a bit for each.
type Lanes = u16;

/// Shortest ways as far as they fit into so many lanes, at most 16, and a lane for every route.
pub(super) fn oriented(
    network: &Network,
    (graph, order): (&Graph, Orientation),
    trees: Trees,
    lanes: u32,
) -> (Trees, Layering) {
    let mut orders = vec![order];
    while orders.len() < lanes as usize {
        orders.push(Orientation::elsewhere(network, &orders));
    }
    let mut growing = Growing::new(graph, &orders, trees);
    growing.round();
    let Growing { trees, chosen, .. } = growing;
    let layering = Layering {
        lanes: chosen,
        count: lanes,
    };
    (trees, layering)
}

struct Growing<'a> {
    graph: &'a Graph,
    /// By arc: lanes in which it leads up, and in which it leads down.
    up: Vec<Lanes>,
    down: Vec<Lanes>,
    all: Lanes,
    trees: Trees,
    /// By destination, then by router: the lane of its route.
    chosen: Vec<u8>,
    /// Routes in each lane.
    filled: Vec<u64>,
    /// By arc: routes.
    loads: Vec<u64>,
    nearest: Nearest,
    /// By router, for one destination: the lanes that its way fits into, and how long it is.
    fits: Vec<Lanes>,
    lengths: Vec<u32>,
    /// By router: how many send to it.
    before: Vec<u32>,
    /// By router: routes that come by.
    behind: Vec<u64>,
}

impl<'a> Growing<'a> {
    fn new(graph: &'a Graph, orders: &[Orientation], trees: Trees) -> Self {
        let all = Lanes::MAX >> (Lanes::BITS as usize - orders.len());
        let (mut up, mut down) = (Vec::new(), Vec::new());
        for arc in 0..graph.arcs() as u32 {
            let [from, to] = [graph.from(arc), graph.to(arc)].map(RouterId);
            let leads_up = (0..)
                .zip(orders)
                .filter(|(_, order)| order.place(to) < order.place(from))
                .fold(0, |lanes, (lane, _)| lanes | 1 << lane);
            up.push(leads_up);
            down.push(all & !leads_up);
        }
        let routers = graph.routers();
        Self {
            graph,
            up,
            down,
            all,
            chosen: vec![0; trees.next.len()],
            filled: vec![0; orders.len()],
            loads: vec![0; graph.arcs()],
            nearest: Nearest::new(graph),
            fits: vec![0; routers],
            lengths: vec![0; routers],
            before: vec![0; routers],
            behind: vec![0; routers],
            trees,
        }
    }

    /// Mends every tree among all others.
    fn round(&mut self) {
        let next = std::mem::take(&mut self.trees.next);
        for tree in next.chunks_exact(self.trees.width.max(1)) {
            self.count(tree, u64::wrapping_add);
        }
        self.trees.next = next;
        let width = self.trees.width;
        let mut searched = NONE;
        let mut next = std::mem::take(&mut self.trees.next);
        self.filled.fill(0);
        for (index, tree) in next.chunks_exact_mut(width.max(1)).enumerate() {
            let destination = self.trees.routers[index];
            if searched != destination {
                self.nearest.search(self.graph, destination);
                searched = destination;
            }
            self.count(tree, u64::wrapping_sub);
            self.grow(destination, tree);
            self.count(tree, u64::wrapping_add);
            let chosen = &mut self.chosen[index * width..(index + 1) * width];
            for &router in self.nearest.order.iter().skip(1) {
                let fits = self.fits[router as usize];
                let lanes = (0..self.filled.len()).filter(|lane| fits >> lane & 1 == 1);
                let lane = lanes.min_by_key(|&lane| self.filled[lane]).unwrap_or(0);
                self.filled[lane] += u64::from(self.graph.terminals(router));
                chosen[router as usize] = lane as u8;
            }
        }
        self.trees.next = next;
    }

    /// Adds the routes of a tree to what its arcs carry, or takes them off.
    fn count(&mut self, tree: &[u32], change: fn(u64, u64) -> u64) {
        self.before.fill(0);
        for (router, &arc) in (0..).zip(tree) {
            self.behind[router as usize] = self.graph.terminals(router).into();
            if arc != NONE {
                self.before[self.graph.to(arc) as usize] += 1;
            }
        }
        // From the ends of the tree inwards.
        for end in 0..tree.len() as u32 {
            let mut at = end;
            while self.before[at as usize] == 0 {
                // Nobody comes by here again.
                self.before[at as usize] = NONE;
                let arc = tree[at as usize];
                if arc == NONE {
                    break;
                }
                let behind = self.behind[at as usize];
                let load = &mut self.loads[arc as usize];
                *load = change(*load, behind);
                at = self.graph.to(arc);
                self.behind[at as usize] += behind;
                self.before[at as usize] -= 1;
            }
        }
    }

    /// A way for every router that has one, its own as far as that fits.
    fn grow(&mut self, destination: u32, tree: &mut [u32]) {
        let own = tree.to_vec();
        let (mut stuck, mut escape) = (Vec::new(), Vec::new());
        loop {
            tree.copy_from_slice(&own);
            self.fits.fill(0);
            self.fits[destination as usize] = self.all;
            self.lengths[destination as usize] = 0;
            for &router in &stuck {
                self.take_escape(router, tree, &escape);
            }
            let left = self.place_all(tree);
            if left.is_empty() {
                return;
            }
            if escape.is_empty() {
                escape = self.up_and_down(destination);
            }
            stuck.extend(left);
        }
    }

    /// Gives every router a way, and says which of them are stuck.
    fn place_all(&mut self, tree: &mut [u32]) -> Vec<u32> {
        let mut left = Vec::new();
        for index in 1..self.nearest.order.len() {
            let router = self.nearest.order[index];
            if self.fits[router as usize] == 0 && !self.place(router, tree, true) {
                left.push(router);
            }
        }
        loop {
            let before = left.len();
            left.retain(|&router| !self.place(router, tree, false));
            if left.len() == before {
                return left;
            }
        }
    }

    /// A router that is stuck, and whoever is on its way, goes up and down in one lane.
    fn take_escape(&mut self, router: u32, tree: &mut [u32], escape: &[(u32, Lanes)]) {
        let (mut way, mut at) = (Vec::new(), router);
        while self.fits[at as usize] == 0 {
            way.push(at);
            at = self.graph.to(escape[at as usize].0);
        }
        for at in way.into_iter().rev() {
            let (arc, lane) = escape[at as usize];
            tree[at as usize] = arc;
            self.fits[at as usize] = lane;
            self.lengths[at as usize] = self.lengths[self.graph.to(arc) as usize] + 1;
        }
    }

    /// Gives a router a way that fits into some lane: its own if that does, or else the least loaded one of the shortest or of what is
    /// shortest now.
    fn place(&mut self, router: u32, tree: &mut [u32], only_shortest: bool) -> bool {
        let distance = self.nearest.distance[router as usize];
        let own = tree[router as usize];
        let way = |arc: u32| {
            let length = self.lengths[self.graph.to(arc) as usize] + 1;
            let fits = self.fitting(arc, tree);
            let counts = fits != 0 && (!only_shortest || length == distance);
            counts.then_some((length, self.loads[arc as usize], fits, arc))
        };
        // Nearly everybody's own way fits, and is as short as there is one.
        let kept = way(own).filter(|&(length, ..)| length == distance);
        let best = kept.or_else(|| self.graph.leaving(router).filter_map(way).min());
        let Some((length, _, fits, arc)) = best else {
            return false;
        };
        tree[router as usize] = arc;
        self.fits[router as usize] = fits;
        self.lengths[router as usize] = length;
        true
    }

    /// The lanes that the way fits into that begins with an arc.
    fn fitting(&self, arc: u32, tree: &[u32]) -> Lanes {
        let next = self.graph.to(arc) as usize;
        let turns_up = match tree[next] {
            NONE => 0,
            then => self.down[arc as usize] & self.up[then as usize],
        };
        self.fits[next] & !turns_up
    }

    /// By router: the arc by which it goes up and down in one lane, which is told as well. It goes down at once wherever that leads to
    /// the destination, and up otherwise.
    fn up_and_down(&self, destination: u32) -> Vec<(u32, Lanes)> {
        let lane = (0..self.filled.len()).min_by_key(|&lane| self.filled[lane]);
        let only: Lanes = 1 << lane.unwrap_or(0);
        let mut arcs = vec![(NONE, only); self.graph.routers()];
        let mut known = vec![destination];
        for is_up in [false, true] {
            // Those who have a way to go down are all known before anybody goes up.
            let mut next = 0;
            while let Some(&at) = known.get(next) {
                next += 1;
                for arc in self.graph.arriving(at) {
                    let router = self.graph.from(arc);
                    let leads_up = self.up[arc as usize] & only != 0;
                    let is_new = router != destination && arcs[router as usize].0 == NONE;
                    if is_new && leads_up == is_up {
                        arcs[router as usize].0 = arc;
                        known.push(router);
                    }
                }
            }
        }
        arcs
    }
}
