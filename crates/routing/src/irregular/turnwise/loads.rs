//! What every arc carries, and what a way costs that goes by them.
//!
//! An arc carries the routes that come by, each as often as the arc is slower than others: where a cable has trained at a fifth of
//! its speed, one route over it is as much as five over another.

use super::taste::Taste;
use crate::irregular::by_destination::{Graph, NONE, Trees};

/// More than so many hundredths of what all but a few arcs carry are an exception.
const USUAL: u64 = 102;
/// All but a few arcs, in hundredths.
const USUAL_ARCS: usize = 90;

/// What an arc weighs by itself.
const ONE: u64 = 1 << STEPS.pow(4).ilog2();
/// The busiest arc weighs so many times as much in addition, others by the fourth power of their share of that, in such steps.
const BUSIEST: u64 = 6;
const STEPS: u64 = 32;

/// An arc of pace 1.
const WHOLE: u64 = 1 << 24;

/// What a way costs: compared in this order.
pub(super) type Cost = (u64, u64);

/// What of a way's loads is compared first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// The sum of their squares.
    Squares,
    /// The greatest of them, then their sum.
    Greatest,
}

/// What each arc carries.
pub(super) struct Loads<'a> {
    graph: &'a Graph,
    loads: Vec<u64>,
}

/// Arcs together: routes that come by, and as how many arcs of pace 1 they are as good.
#[derive(Clone, Copy, Default)]
pub(super) struct Kind {
    routes: u64,
    /// In parts of [`WHOLE`].
    width: u64,
}

impl Kind {
    fn add(&mut self, load: u64, pace: u64) {
        self.routes += load / pace;
        self.width += WHOLE.div_ceil(pace);
    }

    /// Their width; that of one where there is none.
    fn width(self) -> u128 {
        match self.width {
            0 => WHOLE.into(),
            width => width.into(),
        }
    }

    /// So many hundredths of what each of them would carry if all had their share.
    pub(super) fn share(self, hundredths: u64) -> u64 {
        let carried = u128::from(self.routes) * u128::from(WHOLE) * u128::from(hundredths);
        (carried / (100 * self.width())) as u64
    }

    /// One of them has to carry so much.
    fn least(self) -> u64 {
        let carried = u128::from(self.routes) * u128::from(WHOLE);
        carried.div_ceil(self.width()) as u64
    }
}

/// Who arrives at a destination by a tree that may have gaps.
pub(super) struct Arrivals {
    /// The destination, and then everybody behind the router that they send to.
    pub(super) order: Vec<u32>,
    /// By router.
    found: Vec<Found>,
    /// By router that arrives: routes that come by, its own among them, once they are counted.
    pub(super) behind: Vec<u64>,
    walk: Vec<u32>,
}

/// What is known of a router.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Nothing,
    Arrives,
    Lost,
}

impl Arrivals {
    pub(super) fn new(graph: &Graph) -> Self {
        Self {
            order: Vec::with_capacity(graph.routers()),
            found: vec![Found::Nothing; graph.routers()],
            behind: vec![0; graph.routers()],
            walk: Vec::new(),
        }
    }

    /// Looks at a tree.
    pub(super) fn look(&mut self, graph: &Graph, tree: &[u32], destination: u32) {
        self.found.fill(Found::Nothing);
        self.found[destination as usize] = Found::Arrives;
        self.order.clear();
        self.order.push(destination);
        for start in 0..tree.len() as u32 {
            let mut at = start;
            while self.found[at as usize] == Found::Nothing {
                match tree[at as usize] {
                    NONE => self.found[at as usize] = Found::Lost,
                    arc => {
                        self.walk.push(at);
                        at = graph.to(arc);
                    }
                }
            }
            let found = self.found[at as usize];
            for router in self.walk.drain(..).rev() {
                self.found[router as usize] = found;
                if found == Found::Arrives {
                    self.order.push(router);
                }
            }
        }
    }

    /// Counts what comes by everybody in a tree that was looked at, to so many terminals.
    pub(super) fn count(&mut self, graph: &Graph, tree: &[u32], terminals: u32) {
        for &router in &self.order {
            self.behind[router as usize] = u64::from(graph.terminals(router) * terminals);
        }
        for &router in self.order[1..].iter().rev() {
            let next = graph.to(tree[router as usize]);
            self.behind[next as usize] += self.behind[router as usize];
        }
    }
}

impl<'a> Loads<'a> {
    pub(super) fn new(graph: &'a Graph) -> Self {
        Self {
            graph,
            loads: vec![0; graph.arcs()],
        }
    }

    /// All that these trees carry, as far as they have ways.
    pub(super) fn of_trees(graph: &'a Graph, trees: &Trees) -> Self {
        let mut loads = Self::new(graph);
        let mut arrivals = Arrivals::new(graph);
        for ((index, &destination), count) in (0..).zip(&trees.routers).zip(trees.terminals()) {
            let tree = trees.to(index);
            arrivals.look(graph, tree, destination);
            loads.add_tree(tree, &mut arrivals, count);
        }
        loads
    }

    /// Adds what comes by a tree that was looked at, to so many terminals.
    pub(super) fn add_tree(&mut self, tree: &[u32], arrivals: &mut Arrivals, count: u32) {
        arrivals.count(self.graph, tree, count);
        for &router in &arrivals.order[1..] {
            self.add_routes(tree[router as usize], arrivals.behind[router as usize]);
        }
    }

    /// What the most loaded arc carries, then what all do: the less the better.
    pub(super) fn quality(&self) -> (u64, u64) {
        (self.most(), self.sum())
    }

    /// The load of the most loaded arc.
    pub(super) fn most(&self) -> u64 {
        self.loads.iter().copied().max().unwrap_or(0)
    }

    fn sum(&self) -> u64 {
        self.loads.iter().sum()
    }

    /// All arcs together.
    fn all(&self) -> Kind {
        let mut all = Kind::default();
        for (arc, &load) in (0..).zip(&self.loads) {
            all.add(load, self.graph.pace(arc));
        }
        all
    }

    /// So many hundredths of what each arc would carry if all had their share.
    pub(super) fn share(&self, hundredths: u64) -> u64 {
        self.all().share(hundredths)
    }

    /// What all but a few arcs carry, and hardly more: what carries more than that is an exception.
    pub(super) fn usual(&self) -> u64 {
        let mut loads = self.loads.clone();
        loads.sort_unstable();
        let place = loads.len() * USUAL_ARCS / 100;
        loads.get(place).copied().unwrap_or(0) * USUAL / 100
    }

    /// By kind of arcs: what they carry together.
    pub(super) fn of_kinds(&self, taste: Option<&dyn Taste>) -> Vec<Kind> {
        let mut kinds: Vec<Kind> = Vec::new();
        for (arc, &load) in (0..).zip(&self.loads) {
            let kind = taste.map_or(0, |taste| taste.kind(self.graph, arc));
            if kinds.len() <= kind {
                kinds.resize(kind + 1, Kind::default());
            }
            kinds[kind].add(load, self.graph.pace(arc));
        }
        kinds
    }

    /// What arcs carry at most where ways keep to a taste, and hardly more.
    pub(super) fn usual_of(&self, taste: &dyn Taste) -> u64 {
        let kinds = self.of_kinds(Some(taste)).into_iter().enumerate();
        let peaks = kinds.map(|(number, kind)| kind.share(taste.peak(number)));
        self.usual().max(peaks.max().unwrap_or(0) * USUAL / 100)
    }

    /// What all arcs together carry beyond a share.
    pub(super) fn beyond(&self, share: u64) -> u64 {
        let beyond = self.loads.iter().map(|load| load.saturating_sub(share));
        beyond.sum()
    }

    /// No less can be the most, with ways as long as these.
    pub(super) fn least(&self) -> u64 {
        let graph = self.graph;
        let routers = 0..graph.routers() as u32;
        let all: u64 = routers
            .clone()
            .map(|at| u64::from(graph.terminals(at)))
            .sum();
        // What a router's own terminals send to all others leaves by its arcs.
        let own = routers.map(|router| {
            let own = u64::from(graph.terminals(router));
            let mut leaving = Kind::default();
            graph
                .leaving(router)
                .for_each(|arc| leaving.add(0, graph.pace(arc)));
            leaving.routes = own * (all - own);
            leaving.least()
        });
        own.max().unwrap_or(0).max(self.all().least())
    }

    /// What an arc weighs that carries so much, told what the busiest one does. Where that is only the busiest of some, others may carry
    /// a thousand times as much, and count as if they carried twice as much.
    #[inline]
    pub(super) fn weight(load: u64, most: u64) -> u64 {
        ONE + BUSIEST * (load.saturating_mul(STEPS) / most).min(2 * STEPS).pow(4)
    }

    /// What the way costs that begins with an arc and goes on by a tree.
    #[inline]
    pub(super) fn cost(
        &self,
        mut arc: u32,
        destination: u32,
        tree: &[u32],
        measure: Measure,
        routes: u64,
    ) -> Cost {
        let (mut greatest, mut sum, mut squares) = (0, 0, 0u64);
        loop {
            let (load, pace) = (self.loads[arc as usize], self.graph.pace(arc));
            let more = routes * pace;
            greatest = (load + more).max(greatest);
            sum += load;
            // What is the same for all arcs is left out: where all are as fast, all that does not grow with the load.
            squares = load
                .saturating_mul(load + 2 * more)
                .saturating_add(more.saturating_mul(more) - routes * routes)
                .saturating_add(squares);
            let next = self.graph.to(arc);
            if next == destination {
                break;
            }
            arc = tree[next as usize];
        }
        match measure {
            Measure::Squares => (squares, greatest),
            Measure::Greatest => (greatest, sum),
        }
    }

    #[inline]
    pub(super) fn of(&self, arc: u32) -> u64 {
        self.loads[arc as usize]
    }

    /// So many routes more come by at an arc.
    #[inline]
    pub(super) fn add_routes(&mut self, arc: u32, routes: u64) {
        self.loads[arc as usize] += routes * self.graph.pace(arc);
    }

    /// So many routes less.
    #[inline]
    pub(super) fn take_routes(&mut self, arc: u32, routes: u64) {
        self.loads[arc as usize] -= routes * self.graph.pace(arc);
    }

    /// Adds the routes of a router's terminals, to so many, to the arcs of its way.
    pub(super) fn add(&mut self, router: u32, destination: u32, tree: &[u32], receivers: u32) {
        let routes = u64::from(self.graph.terminals(router) * receivers);
        self.change(router, destination, tree, |loads, arc| {
            loads.add_routes(arc, routes);
        });
    }

    /// Takes the routes of a router's terminals, to so many, off the arcs of its way.
    pub(super) fn remove(&mut self, router: u32, destination: u32, tree: &[u32], receivers: u32) {
        let routes = u64::from(self.graph.terminals(router) * receivers);
        self.change(router, destination, tree, |loads, arc| {
            loads.take_routes(arc, routes);
        });
    }

    fn change(
        &mut self,
        router: u32,
        destination: u32,
        tree: &[u32],
        change: impl Fn(&mut Self, u32),
    ) {
        if self.graph.terminals(router) == 0 {
            return;
        }
        let mut at = router;
        while at != destination {
            let arc = tree[at as usize];
            change(self, arc);
            at = self.graph.to(arc);
        }
    }
}
