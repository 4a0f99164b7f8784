//! Choosing among minimal routes so that the largest load falls.
//!
//! Every route pays each of its channels a price that grows by a constant factor with each route
//! already there. Pairs choose the cheapest route one after the other, and then again and
//! again, each time at steeper prices, until the most expensive channels have given up whatever
//! can go elsewhere: rip-up and re-route, as in the routing of circuits.
//!
//! A problem may be the whole system, or its quotient by translations: one source for each orbit
//! of nodes, loads by orbit of channels. A solution of the quotient is one of the system with the
//! same loads, everywhere.
//!
//! Source: the price is that of Aspnes, Azar, Fiat, Plotkin, Waarts, "On-line routing of virtual
//! circuits with applications to load balancing and machine scheduling", JACM 44(3),
//! 1997; rip-up and re-route under rising prices is McMurchie and Ebeling, "PathFinder", FPGA 1995.

use super::rules::Scratch;
use super::{Choices, Loads, Orbits, Route, RouteTable, Rules};
use turnwise_network::random::mix;

/// A choice for every pair, and the loads it makes.
pub(crate) struct Balance {
    choices: Choices,
    /// By pair with a choice: the candidate it takes.
    taken: Vec<u32>,
    /// By class of channels.
    loads: Vec<u32>,
    /// Pairs with a single route, or already decided.
    settled: RouteTable,
    /// By load.
    prices: Vec<f64>,
    /// By class of channels: a factor that grows while it carries too much.
    history: Vec<f64>,
    /// Least largest load so far, and the choices that made it.
    best: (u32, Vec<u32>),
}

/// No candidate yet.
const UNDECIDED: u32 = u32::MAX;

impl Balance {
    /// Pairs with one route take it; the others take what `start` says, or choose greedily.
    ///
    /// `keep` is weights by class, and how much heavier than the lightest of its pair a route may
    /// be: weights that prove a bound close to the goal leave little to spare, so most routes
    /// cannot be part of any solution that reaches it.
    pub(crate) fn new(
        rules: &Rules,
        orbits: &Orbits,
        start: Option<&RouteTable>,
        keep: Option<(&[f64], f64)>,
    ) -> Self {
        let mut settled = RouteTable::new(rules.system());
        let mut loads = vec![0; orbits.count];
        let settle = |source, target, route| settled.set(source, target, route);
        let mut choices = Choices::new(
            rules,
            &orbits.sources,
            &orbits.of_channel,
            &mut loads,
            settle,
        );
        if let Some((weights, spare)) = keep {
            choices.retain(
                |channels| {
                    channels
                        .iter()
                        .map(|&channel| weights[channel as usize])
                        .sum()
                },
                spare,
            );
        }
        let mut balance = Self {
            taken: vec![UNDECIDED; choices.pairs.len()],
            choices,
            history: vec![1.0; loads.len()],
            loads,
            settled,
            prices: Vec::new(),
            best: (u32::MAX, Vec::new()),
        };
        balance.set_prices(1.1);
        for pair in 0..balance.taken.len() {
            match start.and_then(|table| balance.candidate_of(pair, table)) {
                Some(candidate) => balance.take(pair, candidate),
                None => balance.choose(pair, 0),
            }
        }
        balance.remember();
        balance
    }

    fn candidate_of(&self, pair: usize, table: &RouteTable) -> Option<usize> {
        let (source, target) = self.choices.pairs[pair];
        let route = table.route(source, target);
        self.choices
            .candidates(pair)
            .find(|&candidate| self.choices.routes[candidate] == route)
    }

    /// The least largest load so far.
    pub(crate) fn index(&self) -> u32 {
        self.best.0
    }

    /// Work of one pass over all pairs, in crossings of channels.
    pub(crate) fn work(&self) -> usize {
        self.choices.work() + self.taken.len()
    }

    fn remember(&mut self) {
        let index = self.loads.iter().copied().max().unwrap_or(0);
        if index < self.best.0 {
            self.best = (index, self.taken.clone());
        }
    }

    /// Prices by load. Only their ratios matter, so they are highest at 1 and vanish far below.
    fn set_prices(&mut self, growth: f64) {
        let top = self.loads.iter().copied().max().unwrap_or(0) as usize + self.taken.len().min(64);
        self.prices.resize(top + 1, 0.0);
        let mut price = 1.0;
        for slot in self.prices.iter_mut().rev() {
            *slot = price;
            price = (price / growth).max(f64::MIN_POSITIVE);
        }
    }

    #[inline]
    fn price(&self, channel: u32) -> f64 {
        let load = self.loads[channel as usize] as usize;
        self.prices[load.min(self.prices.len() - 1)] * self.history[channel as usize]
    }

    #[inline]
    fn take(&mut self, pair: usize, candidate: usize) {
        self.taken[pair] = candidate as u32;
        for &channel in self.choices.channels(candidate) {
            self.loads[channel as usize] += 1;
        }
    }

    /// Lets a pair take its cheapest route; of equally cheap ones, one by lot.
    #[inline]
    fn choose(&mut self, pair: usize, lot: u64) {
        let before = self.taken[pair];
        if before != UNDECIDED {
            for &channel in self.choices.channels(before as usize) {
                self.loads[channel as usize] -= 1;
            }
        }
        let candidates = self.choices.candidates(pair);
        let (mut best, mut least, mut tied) = (candidates.start, f64::INFINITY, 0u64);
        for candidate in candidates {
            let channels = self.choices.channels(candidate).iter();
            let cost: f64 = channels.map(|&channel| self.price(channel)).sum();
            if cost < least * (1.0 - 1e-12) {
                (best, least, tied) = (candidate, cost, 1);
            } else if cost <= least * (1.0 + 1e-12) {
                tied += 1;
                if mix(lot ^ (candidate as u64) << 1).is_multiple_of(tied) {
                    best = candidate;
                }
            }
        }
        self.take(pair, best);
    }

    /// Passes over all pairs at ever steeper prices, until the largest load is at most `goal` or
    /// the passes are used up.
    pub(crate) fn improve(&mut self, goal: u32, passes: u32, seed: u64) {
        self.history.fill(1.0);
        for pass in 0..passes {
            if self.best.0 <= goal {
                return;
            }
            let growth = (1.1 + 0.1 * f64::from(pass)).min(2.0);
            self.set_prices(growth);
            let lot = mix(seed ^ u64::from(pass) << 32);
            for pair in 0..self.taken.len() {
                self.choose(pair, lot);
            }
            self.remember();
            if pass >= 8 {
                for (factor, &load) in self.history.iter_mut().zip(&self.loads) {
                    if load >= self.best.0 {
                        *factor *= 1.3;
                    }
                }
            }
        }
    }

    /// The best choices so far, with the pairs that had none.
    pub(crate) fn table(&self) -> RouteTable {
        let mut table = self.settled.clone();
        for (pair, &(source, target)) in self.choices.pairs.iter().enumerate() {
            let route: Route = self.choices.routes[self.best.1[pair] as usize];
            table.set(source, target, route);
        }
        table
    }
}

/// The table of a system that looks everywhere like that of one source an orbit.
pub(crate) fn lift(rules: &Rules, orbits: &Orbits, quotient: &RouteTable) -> RouteTable {
    let system = rules.system();
    let mut table = RouteTable::new(system);
    for &source in system.members() {
        for &target in system.members() {
            let (from, to) = orbits.pair_of(system, source, target);
            table.set(source, target, quotient.route(from, to));
        }
    }
    table
}

/// The greedy choice alone, source by source, for systems whose choices would not fit into memory.
pub(crate) fn greedy(rules: &Rules) -> RouteTable {
    const GROWTH: f64 = 1.05;
    let system = rules.system();
    let mut table = RouteTable::new(system);
    let mut loads = Loads::new(system);
    let mut scratch = Scratch::default();
    let mut prices: Vec<f64> = vec![1.0];
    for &source in system.members() {
        // Prices may grow for ever, because only those of loads close to each other are compared.
        let base = loads.index().saturating_sub(400);
        let most = (loads.index() - base) as usize + system.members().len() + 1;
        while prices.len() <= most {
            prices.push((prices[prices.len() - 1] * GROWTH).min(f64::MAX / 1e6));
        }
        rules.each_destination(source, &mut scratch, |target, routes| {
            let (mut best, mut least) = (None, f64::INFINITY);
            for &route in routes {
                let mut cost = 0.0;
                route.walk(system, source, |channel| {
                    cost += prices[loads.of(channel).saturating_sub(base) as usize];
                });
                if cost < least {
                    (best, least) = (Some(route), cost);
                }
            }
            if let Some(route) = best {
                loads.add(system, source, route);
                table.set(source, target, route);
            }
        });
    }
    table
}
