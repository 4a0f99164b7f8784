//! How many routes come by at every arc, and what a way costs that goes by them.

use crate::irregular::by_destination::{Graph, NONE, Trees};

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

/// Routes over each arc.
pub(super) struct Loads<'a> {
    graph: &'a Graph,
    loads: Vec<u64>,
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
        for ((index, &destination), count) in (0..).zip(&trees.routers).zip(trees.terminals()) {
            let tree = trees.to(index);
            for router in 0..graph.routers() as u32 {
                let routes = u64::from(graph.terminals(router) * count);
                let (mut at, mut ways) = (router, 0);
                while at != destination && tree[at as usize] != NONE {
                    at = graph.to(tree[at as usize]);
                    ways += 1;
                }
                if routes > 0 && ways > 0 && at == destination {
                    loads.change(router, destination, tree, |load| *load += routes);
                }
            }
        }
        loads
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

    /// So many hundredths of the mean.
    pub(super) fn share(&self, hundredths: u64) -> u64 {
        self.sum().saturating_mul(hundredths) / (100 * self.loads.len().max(1) as u64)
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
            (own * (all - own)).div_ceil(graph.leaving(router).len().max(1) as u64)
        });
        let mean = self.sum().div_ceil(self.loads.len().max(1) as u64);
        own.max().unwrap_or(0).max(mean)
    }

    /// What the way costs that begins with an arc and goes on by a tree.
    #[inline]
    pub(super) fn cost(
        &self,
        mut arc: u32,
        destination: u32,
        tree: &[u32],
        measure: Measure,
        routes: u32,
    ) -> Cost {
        let (mut greatest, mut sum, mut squares) = (0, 0, 0u64);
        loop {
            let load = self.loads[arc as usize];
            greatest = load.max(greatest);
            sum += load;
            squares = load
                .saturating_mul(load + 2 * u64::from(routes))
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

    #[inline]
    pub(super) fn of_mut(&mut self, arc: u32) -> &mut u64 {
        &mut self.loads[arc as usize]
    }

    /// Adds the routes of a router's terminals to the arcs of its way.
    pub(super) fn add(&mut self, router: u32, destination: u32, tree: &[u32]) {
        let routes = u64::from(self.graph.terminals(router));
        self.change(router, destination, tree, |load| *load += routes);
    }

    /// Takes the routes of a router's terminals off the arcs of its way.
    pub(super) fn remove(&mut self, router: u32, destination: u32, tree: &[u32]) {
        let routes = u64::from(self.graph.terminals(router));
        self.change(router, destination, tree, |load| *load -= routes);
    }

    fn change(
        &mut self,
        router: u32,
        destination: u32,
        tree: &[u32],
        mut change: impl FnMut(&mut u64),
    ) {
        if self.graph.terminals(router) == 0 {
            return;
        }
        let mut at = router;
        while at != destination {
            let arc = tree[at as usize];
            change(&mut self.loads[arc as usize]);
            at = self.graph.to(arc);
        }
    }
}
