//! A tree of shortest ways to every terminal, so that the most loaded channel carries as few routes as possible.
//!
//! Trees are grown one after the other, from the destination outwards. Every router takes, of its shortest ways, the one whose channels
//! carry least so far by the sum of their squares, and its own routes are added to them. After that comes round after round: in each tree,
//! routers whose way leads over channels that carry more than most take another one, with all that comes by at them. The first
//! rounds compare sums of squared loads, which moves much, the later ones the greatest load, which moves what matters. A round that is
//! not better than the best so far is not kept.
//!
//! Where the network has a structure, its own way ([`Taste`]) is taken at first, and left only for channels that carry more than their share.
//! Of links side by side the one that carries least is taken.
//!
//! Complexity: a round takes O(terminals x channels x diameter) at most.

use super::loads::{Loads, Measure};
use super::taste::{Destination, Taste};
use crate::irregular::by_destination::{Graph, NONE, Nearest, Trees};

/// Rounds that compare squared loads, and at most so many that compare the greatest one.
const ROUNDS: [u32; 2] = [3, 12];
/// Ways are good enough where no channel carries more than this many hundredths of the mean.
pub(super) const SHARE: u64 = 104;
/// Where there are at least so many pairs of routers for a channel, all terminals of a router may send and receive by the same ways: what they
/// carry is little of what a channel carries.
const FINE: usize = 40;

/// Which channels are eased.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ease {
    /// All that carry more than their share.
    All,
    /// Those that carry more than most others. Dimension order cannot share out rings of 6, 10, 14 .. routers evenly; who goes by it there
    /// carries more than the mean, and needs few lanes only if left alone.
    Exceptions,
    /// None: who gives them lanes sees to that, too.
    Nothing,
}

impl Ease {
    /// The same, where nobody eases anything later.
    pub(super) fn at_once(self) -> Self {
        match self {
            Self::Nothing => Self::Exceptions,
            other => other,
        }
    }
}

impl Trees {
    /// The same destinations with shortest ways to all of them.
    ///
    /// The terminals of a router have the same ones where that is fine enough.
    pub(super) fn balanced(self, graph: &Graph, taste: Option<&dyn Taste>, ease: Ease) -> Self {
        let mut routers = self.routers.clone();
        routers.dedup();
        let is_fine = routers.len().pow(2) > FINE * graph.arcs();
        match is_fine && !taste.is_some_and(Taste::tells_terminals) {
            true => self.shared().grown(graph, taste, ease),
            false => self.grown(graph, taste, ease),
        }
    }

    fn grown(self, graph: &Graph, taste: Option<&dyn Taste>, ease: Ease) -> Self {
        let mut growing = Growing {
            graph,
            nearest: Nearest::new(graph),
            loads: Loads::new(graph),
            behind: vec![0; graph.routers()],
            greatest: vec![0; graph.routers()],
            terminals: self.terminals(),
            trees: self,
            lacks: false,
            keeps: false,
            enough: 0,
        };
        growing.rounds(taste, ease);
        growing.trees
    }
}

struct Growing<'a> {
    graph: &'a Graph,
    nearest: Nearest,
    loads: Loads<'a>,
    /// By router: routes that come by on the way to a destination, its own among them.
    behind: Vec<u32>,
    /// By router: the load of the most loaded arc on the way to a destination.
    greatest: Vec<u64>,
    trees: Trees,
    /// By destination: the terminals it stands for.
    terminals: Vec<u32>,
    /// Does a router lack the way of its taste?
    lacks: bool,
    /// Do all keep to the ways of a taste for now, so that there is only which link to take of those that lie side by side?
    keeps: bool,
    /// What any channel may carry that is not eased.
    enough: u64,
}

impl Growing<'_> {
    fn rounds(&mut self, taste: Option<&dyn Taste>, ease: Ease) {
        self.round(0, |growing, destination, tree| {
            growing.grow(destination, tree, taste);
        });
        match ease {
            Ease::All => {}
            Ease::Exceptions => {
                self.enough = taste.map_or(0, |taste| self.loads.usual_of(taste));
            }
            Ease::Nothing => return,
        }
        if self.is_even(taste) {
            if !self.graph.has_copies() {
                return;
            }
            // Ways of a taste need fewest lanes.
            self.keeps = true;
            self.improve(taste);
            self.keeps = false;
        }
        self.improve(taste);
    }

    /// Round after round, as long as it is worth it.
    fn improve(&mut self, taste: Option<&dyn Taste>) {
        let [squares, greatest] = ROUNDS;
        let mut best = self.loads.most();
        let mut kept: Option<Vec<u32>> = None;
        for round in 1..squares + greatest {
            let enough = self.share(taste);
            if best <= enough.max(self.loads.least()) {
                break;
            }
            let (measure, share) = match round < squares {
                true if taste.is_none() => (Measure::Squares, self.loads.share(100)),
                true => (Measure::Squares, enough),
                false => (Measure::Greatest, enough),
            };
            let before = best;
            if self.loads.most() == best {
                kept = Some(self.trees.next.clone());
            }
            // Whose ways carry no more than that keeps them.
            self.round(share + 1, |growing, destination, tree| {
                growing.ease(destination, tree, measure, share);
            });
            best = best.min(self.loads.most());
            if measure == Measure::Greatest && best == before {
                break;
            }
        }
        if self.loads.most() > best
            && let Some(kept) = kept
        {
            self.trees.next = kept;
            self.loads = Loads::new(self.graph);
            self.round(0, |growing, destination, tree| {
                growing.load(destination, tree);
            });
        }
    }

    /// What channels may carry that are not eased: a share of the mean, of those of the kind that carries most. Where a ring is longer than the
    /// others its channels carry more, and there is no way around that.
    fn share(&self, taste: Option<&dyn Taste>) -> u64 {
        let kinds = self.loads.of_kinds(taste).into_iter();
        let shares = kinds.map(|kind| kind.share(SHARE));
        shares.fold(self.enough, u64::max)
    }

    /// Adds the routes of a tree to its arcs.
    fn load(&mut self, to: Destination, tree: &[u32]) {
        self.count_behind(to, tree);
        for &router in &self.nearest.order[1..] {
            let routes = u64::from(self.behind[router as usize]);
            self.loads.add_routes(tree[router as usize], routes);
        }
    }

    /// Has everybody the way of a taste that is known to be as good as any?
    fn is_even(&self, taste: Option<&dyn Taste>) -> bool {
        let mut terminals = (0..self.graph.routers() as u32).map(|at| self.graph.terminals(at));
        let first = terminals.next();
        taste.is_some_and(Taste::is_even)
            && !self.lacks
            && self.graph.is_evenly_wired()
            && self.graph.is_evenly_paced()
            && terminals.all(|count| Some(count) == first)
    }

    /// Does something with every tree of which some arc carries at least so much, knowing who is how near to its destination.
    fn round(&mut self, least: u64, mut each: impl FnMut(&mut Self, Destination, &mut [u32])) {
        let mut next = std::mem::take(&mut self.trees.next);
        let mut searched = NONE;
        let mut last = Destination {
            router: NONE,
            number: 0,
            terminals: 1,
        };
        for (index, tree) in next.chunks_exact_mut(self.trees.width.max(1)).enumerate() {
            let router = self.trees.routers[index];
            last.number += 1;
            if last.router != router {
                last.router = router;
                last.number = 0;
            }
            let counts = |&arc: &u32| arc != NONE && self.loads.of(arc) >= least;
            if least > 0 && !tree.iter().any(counts) {
                continue;
            }
            if searched != router {
                self.nearest.search(self.graph, router);
                searched = router;
            }
            last.terminals = self.terminals[index];
            each(self, last, tree);
        }
        self.trees.next = next;
    }

    /// Grows a tree: each router takes the way of its taste, or else the one that carries least.
    fn grow(&mut self, to: Destination, tree: &mut [u32], taste: Option<&dyn Taste>) {
        if let Some(taste) = taste
            && self.follow(to, tree, taste)
        {
            for &router in &self.nearest.order[1..] {
                tree[router as usize] = self.lightest_copy(tree[router as usize], taste);
            }
            self.load(to, tree);
            return;
        }
        for index in 1..self.nearest.order.len() {
            let router = self.nearest.order[index];
            tree[router as usize] = match (tree[router as usize], taste) {
                (NONE, _) | (_, None) => self.lightest(router, to.router, tree),
                (arc, Some(taste)) => self.lightest_copy(arc, taste),
            };
            let routes = u64::from(self.graph.terminals(router) * to.terminals);
            if routes > 0 {
                let arc = tree[router as usize];
                self.move_routes(arc, to.router, tree, |loads, _, arc| {
                    loads.add_routes(arc, routes);
                });
            }
        }
    }

    /// Gives routers the way of their taste, and says whether all have one.
    fn follow(&mut self, to: Destination, tree: &mut [u32], taste: &dyn Taste) -> bool {
        let mut lacks = false;
        for &router in &self.nearest.order[1..] {
            let arc = taste.arc(self.graph, router, to);
            let arc = arc.filter(|&arc| self.is_nearer(router, arc));
            tree[router as usize] = arc.unwrap_or(NONE);
            lacks |= arc.is_none();
        }
        self.lacks |= lacks;
        !lacks
    }

    /// Counts what comes by at each router.
    fn count_behind(&mut self, to: Destination, tree: &[u32]) {
        for &router in &self.nearest.order {
            self.behind[router as usize] = self.graph.terminals(router) * to.terminals;
        }
        for &router in self.nearest.order[1..].iter().rev() {
            let next = self.graph.to(tree[router as usize]);
            self.behind[next as usize] += self.behind[router as usize];
        }
    }

    /// Does an arc begin a shortest way?
    #[inline]
    fn is_nearer(&self, router: u32, arc: u32) -> bool {
        let distance = |router: u32| self.nearest.distance[router as usize];
        distance(self.graph.to(arc)) < distance(router)
    }

    /// The arcs that begin shortest ways.
    fn choices(&self, router: u32) -> impl Iterator<Item = u32> {
        let arcs = self.graph.leaving(router);
        arcs.filter(move |&arc| self.is_nearer(router, arc))
    }

    /// The first arc of the shortest way that carries least, of equals the first one.
    fn lightest(&self, router: u32, destination: u32, tree: &[u32]) -> u32 {
        let mut choices = self.choices(router);
        if self.nearest.ways[router as usize] == 1 {
            return choices.next().unwrap_or(NONE);
        }
        let cost = |arc| self.loads.cost(arc, destination, tree, Measure::Squares, 0);
        let best = choices.map(|arc| (cost(arc), arc)).min();
        best.map_or(NONE, |(_, arc)| arc)
    }

    /// The link that carries least of those that lie side by side, unless the taste has a say in that.
    fn lightest_copy(&self, arc: u32, taste: &dyn Taste) -> u32 {
        if !self.graph.has_copies() || taste.tells_copies() {
            return arc;
        }
        let copies = self.graph.copies(arc);
        let load = |&copy: &u32| self.loads.of(copy) + self.graph.pace(copy);
        copies.min_by_key(load).unwrap_or(arc)
    }

    /// Lets routers whose ways lead over arcs with more than a share take better ones, and with them all who come by there.
    fn ease(&mut self, to: Destination, tree: &mut [u32], measure: Measure, share: u64) {
        let destination = to.router;
        self.count_behind(to, tree);
        self.greatest[destination as usize] = 0;
        for index in 1..self.nearest.order.len() {
            let router = self.nearest.order[index];
            self.greatest[router as usize] = self.greatest_from(tree[router as usize]);
            let is_idle =
                self.behind[router as usize] == 0 && self.nearest.ways[router as usize] > 1;
            // By whom nobody sends yet, somebody may soon.
            if is_idle && self.greatest[router as usize] > share {
                let arc = self.best_choice(router, destination, tree, measure);
                tree[router as usize] = arc;
                self.greatest[router as usize] = self.greatest_from(arc);
            }
        }
        for index in (1..self.nearest.order.len()).rev() {
            let router = self.nearest.order[index];
            let routes = self.behind[router as usize];
            let is_bound = routes == 0 || self.nearest.ways[router as usize] < 2;
            if is_bound || self.greatest[router as usize] <= share {
                continue;
            }
            let old = tree[router as usize];
            self.move_routes(old, destination, tree, |loads, behind, arc| {
                loads.take_routes(arc, routes.into());
                *behind -= routes;
            });
            let best = self.best_choice(router, destination, tree, measure);
            tree[router as usize] = best;
            self.move_routes(best, destination, tree, |loads, behind, arc| {
                loads.add_routes(arc, routes.into());
                *behind += routes;
            });
        }
    }

    /// The load of the most loaded arc of a way that begins with this one.
    fn greatest_from(&self, arc: u32) -> u64 {
        let further = self.greatest[self.graph.to(arc) as usize];
        self.loads.of(arc).max(further)
    }

    /// The first arc of the way that costs least with all that comes by at a router, the present one if others are no better.
    fn best_choice(&self, router: u32, destination: u32, tree: &[u32], measure: Measure) -> u32 {
        let old = tree[router as usize];
        let routes = u64::from(self.behind[router as usize]);
        let cost = |arc| self.loads.cost(arc, destination, tree, measure, routes);
        let is_free = |arc: &u32| !self.keeps || self.graph.to(*arc) == self.graph.to(old);
        let choices = self.choices(router).filter(is_free);
        let costs = choices.map(|arc| (cost(arc), arc != old, arc));
        costs.min().map_or(old, |(_, _, arc)| arc)
    }

    /// Changes the loads of the arcs of a way, and what comes by at the routers behind its first arc.
    fn move_routes(
        &mut self,
        mut arc: u32,
        destination: u32,
        tree: &[u32],
        change: impl Fn(&mut Loads<'_>, &mut u32, u32),
    ) {
        loop {
            let next = self.graph.to(arc);
            change(&mut self.loads, &mut self.behind[next as usize], arc);
            if next == destination {
                return;
            }
            arc = tree[next as usize];
        }
    }
}
