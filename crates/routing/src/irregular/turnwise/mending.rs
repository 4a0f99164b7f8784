//! A tree while it is mended: whose way fits into no lane takes another one, and who carries too much may.
//!
//! Routers are looked at from the destination outwards. One whose way fits into no lane takes another one of the shortest that does, the one
//! that carries least, with all who come by at it; if there is none, what is short among all ways that fit, once all others
//! have theirs. Who finds none at all goes up and down in one lane, with all who are on its way, and the tree is mended anew around that.
//!
//! Complexity: O(routers), and O(ports x diameter) for each way that changes.

use super::loads::{Loads, Measure};
use super::orders::{Lanes, Orders};
use crate::irregular::by_destination::{Graph, NONE};

/// What is known of one tree, and what all carry.
pub(super) struct Mending<'a> {
    graph: &'a Graph,
    pub(super) orders: Orders,
    pub(super) loads: Loads<'a>,
    destination: u32,
    /// Who has a way, without the destination, the shortest one first.
    pub(super) order: Vec<u32>,
    /// By router: how long its way was, and how long it is.
    distance: Vec<u32>,
    lengths: Vec<u32>,
    /// By router: the lanes its way fits into; none if it has not been looked at.
    pub(super) fits: Vec<Lanes>,
    /// By router: routes that come by, its own among them.
    behind: Vec<u32>,
    /// What was changed, one after the other: routers, and the arcs they had.
    changed: Vec<(u32, u32)>,
    walk: Vec<u32>,
}

impl<'a> Mending<'a> {
    pub(super) fn new(graph: &'a Graph, orders: Orders) -> Self {
        let routers = graph.routers();
        Self {
            graph,
            orders,
            loads: Loads::new(graph),
            destination: NONE,
            order: Vec::with_capacity(routers),
            distance: vec![0; routers],
            lengths: vec![0; routers],
            fits: vec![0; routers],
            behind: vec![0; routers],
            changed: Vec::new(),
            walk: Vec::new(),
        }
    }

    /// Looks at the tree to a router for so many terminals, whose ways are all found already, and says whether every way fits into some lane.
    pub(super) fn look(&mut self, tree: &[u32], destination: u32, terminals: u32) -> bool {
        self.destination = destination;
        self.measure(tree);
        for &router in &self.order {
            self.behind[router as usize] = self.graph.terminals(router) * terminals;
        }
        for &router in self.order.iter().rev() {
            let next = self.graph.to(tree[router as usize]);
            self.behind[next as usize] += self.behind[router as usize];
        }
        self.fits[destination as usize] = self.orders.all;
        let mut fit = true;
        for index in 0..self.order.len() {
            let router = self.order[index];
            let (_, fits) = self.along(tree[router as usize], tree);
            self.fits[router as usize] = fits;
            fit &= fits != 0;
        }
        fit
    }

    /// Lengths of all ways, and the order by them.
    fn measure(&mut self, tree: &[u32]) {
        self.order.clear();
        self.lengths.fill(NONE);
        self.lengths[self.destination as usize] = 0;
        for start in 0..tree.len() as u32 {
            let mut at = start;
            while self.lengths[at as usize] == NONE && tree[at as usize] != NONE {
                self.walk.push(at);
                at = self.graph.to(tree[at as usize]);
            }
            for router in self.walk.drain(..).rev() {
                let next = self.graph.to(tree[router as usize]);
                self.lengths[router as usize] = self.lengths[next as usize] + 1;
                self.order.push(router);
            }
        }
        let lengths = &self.lengths;
        self.order.sort_by_key(|&router| lengths[router as usize]);
        self.distance.copy_from_slice(lengths);
    }

    /// Adds the routes of the tree that was looked at to what all carry.
    pub(super) fn add(&mut self, tree: &[u32]) {
        for &router in &self.order {
            let routes = u64::from(self.behind[router as usize]);
            self.loads.add_routes(tree[router as usize], routes);
        }
    }

    /// Gives everybody a way that fits.
    pub(super) fn mend(&mut self, tree: &mut [u32]) {
        let (mut stuck, mut escape) = (Vec::new(), Vec::new());
        loop {
            self.begin();
            for &router in &stuck {
                self.take_escape(router, tree, &escape);
            }
            let mut left = self.ease(tree, Measure::Squares, u64::MAX);
            loop {
                let before = left.len();
                left.retain(|&router| !self.place(router, tree, Measure::Squares, NONE));
                if left.len() == before {
                    break;
                }
            }
            if left.is_empty() {
                return;
            }
            if escape.is_empty() {
                escape = self.up_and_down();
            }
            stuck.extend(left);
            self.undo(tree);
        }
    }

    /// Lets those take other ways, no longer ones, whose first arcs carry more than a share; nobody, if somebody is left without a way then.
    pub(super) fn relieve(&mut self, tree: &mut [u32], share: u64) {
        self.begin();
        if !self.ease(tree, Measure::Greatest, share).is_empty() {
            self.undo(tree);
        }
    }

    /// Nobody has been looked at, and nothing has changed.
    fn begin(&mut self) {
        self.changed.clear();
        self.fits.fill(0);
        self.fits[self.destination as usize] = self.orders.all;
    }

    /// Keeps ways that fit and carry no more than a share, and looks for others no longer than those; says who has none.
    fn ease(&mut self, tree: &mut [u32], measure: Measure, share: u64) -> Vec<u32> {
        let mut left = Vec::new();
        for index in 0..self.order.len() {
            let router = self.order[index];
            let at = router as usize;
            if self.fits[at] != 0 {
                continue;
            }
            let own = tree[at];
            let (length, fits) = self.along(own, tree);
            let is_light = self.behind[at] == 0 || self.loads.of(own) <= share;
            if fits != 0 && length <= self.distance[at] && is_light {
                (self.lengths[at], self.fits[at]) = (length, fits);
            } else if !self.place(router, tree, measure, self.distance[at]) {
                left.push(router);
            }
        }
        left
    }

    /// How long a way is that begins with an arc, and the lanes that it fits into.
    #[inline]
    fn along(&self, arc: u32, tree: &[u32]) -> (u32, Lanes) {
        let next = self.graph.to(arc) as usize;
        let allowed = self.orders.allowing(arc, tree[next]);
        (self.lengths[next] + 1, self.fits[next] & allowed)
    }

    /// Gives a router the shortest way that fits, of these the one that carries least, unless that is too long; the one it has if that is as good.
    fn place(&mut self, router: u32, tree: &mut [u32], measure: Measure, longest: u32) -> bool {
        let at = router as usize;
        let own = tree[at];
        self.carry(router, tree, false);
        let way = |arc: u32| {
            let (length, fits) = self.along(arc, tree);
            let counts = fits != 0 && length <= longest;
            counts.then_some((length, arc, fits))
        };
        let cost = |arc| {
            let routes = u64::from(self.behind[at]);
            self.loads
                .cost(arc, self.destination, tree, measure, routes)
        };
        let ways = self.graph.leaving(router).filter_map(way);
        let best = ways.min_by_key(|&(length, arc, _)| (length, cost(arc), arc != own, arc));
        if let Some((length, arc, fits)) = best {
            (self.lengths[at], self.fits[at]) = (length, fits);
            self.change(router, arc, tree);
        }
        self.carry(router, tree, true);
        best.is_some()
    }

    fn change(&mut self, router: u32, arc: u32, tree: &mut [u32]) {
        let own = std::mem::replace(&mut tree[router as usize], arc);
        if own != arc {
            self.changed.push((router, own));
        }
    }

    fn undo(&mut self, tree: &mut [u32]) {
        while let Some((router, own)) = self.changed.pop() {
            self.carry(router, tree, false);
            tree[router as usize] = own;
            self.carry(router, tree, true);
        }
    }

    /// Puts all that comes by at a router on its way, or takes it off.
    fn carry(&mut self, router: u32, tree: &[u32], adds: bool) {
        let routes = self.behind[router as usize];
        let mut at = router;
        while routes > 0 && at != self.destination {
            let arc = tree[at as usize];
            at = self.graph.to(arc);
            let behind = &mut self.behind[at as usize];
            match adds {
                true => {
                    self.loads.add_routes(arc, routes.into());
                    *behind += routes;
                }
                false => {
                    self.loads.take_routes(arc, routes.into());
                    *behind -= routes;
                }
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
        for router in way.into_iter().rev() {
            let at = router as usize;
            let (arc, lane) = escape[at];
            self.carry(router, tree, false);
            self.change(router, arc, tree);
            self.carry(router, tree, true);
            self.lengths[at] = self.lengths[self.graph.to(arc) as usize] + 1;
            self.fits[at] = lane;
        }
    }

    /// By router: the arc by which it goes up and down in one lane, which is told as well. It goes down at once wherever that leads to
    /// the destination, and up otherwise.
    fn up_and_down(&self) -> Vec<(u32, Lanes)> {
        let lane = self.orders.going_up(self.destination);
        let mut arcs = vec![(NONE, 1 << lane); self.graph.routers()];
        let mut known = vec![self.destination];
        for is_up in [false, true] {
            // Those who have a way to go down are all known before anybody goes up.
            let mut next = 0;
            while let Some(&at) = known.get(next) {
                next += 1;
                for arc in self.graph.arriving(at) {
                    let router = self.graph.from(arc);
                    let is_new = router != self.destination && arcs[router as usize].0 == NONE;
                    if is_new && self.orders.is_up(arc, lane) == is_up {
                        arcs[router as usize].0 = arc;
                        known.push(router);
                    }
                }
            }
        }
        arcs
    }
}
