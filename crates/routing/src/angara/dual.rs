//! How low can the largest load be under given rules? Weights that prove it.
//!
//! The linear programme "least largest load, routes may be split" has as its dual: weights of channels,
//! one in all, such that all pairs' lightest legal routes together weigh as much as
//! possible. *Any* weights give a valid bound, so how they are found need not be trusted: by cutting
//! planes, which reach the optimum, where the system's symmetry leaves few weights;
//! otherwise by ascent along the loads of the lightest routes (a subgradient), with steps after
//! Polyak towards a level that is lowered whenever it proves to be out of reach. The
//! weights are then rounded to integers and added up exactly.
//!
//! Source: Polyak, "Minimization of unsmooth functionals", USSR Comput. Math. and Math. Phys. 9, 1969;
//! Goffin and Kiwiel, "Convergence of a simple subgradient level method", Math. Programming
//! 85, 1999.

mod cutting;

use super::Orbits;
use super::Rules;
use super::rules::Scratch;
use super::system::NONE;
use crate::algorithm::RuleBound;
use turnwise_network::Network;

/// A search for weights, one for each orbit of channels.
pub(crate) struct Dual<'a> {
    rules: &'a Rules,
    orbits: Orbits,
    /// By orbit: crossings by pairs with one route only.
    forced: Vec<f64>,
    /// Candidates of the other pairs, as runs of (orbit, crossings).
    first_candidate: Vec<u32>,
    first_run: Vec<u32>,
    runs: Vec<(u32, u32)>,
    /// Best weights so far, and what they prove.
    best: Vec<f64>,
    value: f64,
    /// Were all routes collected?
    complete: bool,
}

/// Runs held in memory, at most: 8 bytes each.
const MOST_RUNS: usize = 40_000_000;

impl<'a> Dual<'a> {
    /// Collects the routes of one source an orbit; of large systems without symmetry none at all,
    /// and the weights stay as they are, the same for all channels.
    pub(crate) fn new(rules: &'a Rules, orbits: Orbits) -> Self {
        let mut dual = Self {
            rules,
            forced: vec![0.0; orbits.count],
            first_candidate: vec![0],
            first_run: vec![0],
            runs: Vec::new(),
            best: vec![1.0 / orbits.count.max(1) as f64; orbits.count],
            value: 0.0,
            complete: true,
            orbits,
        };
        let mut scratch = Scratch::default();
        let sources = dual.orbits.sources.clone();
        for source in sources {
            if dual.runs.len() > MOST_RUNS {
                dual.complete = false;
                dual.runs = Vec::new();
                break;
            }
            rules.each_destination(source, &mut scratch, |_, routes| {
                if let &[route] = routes {
                    route.walk(rules.system(), source, |channel| {
                        dual.forced[dual.orbits.of_channel[channel] as usize] += 1.0;
                    });
                    return;
                }
                for route in routes {
                    let begin = dual.runs.len();
                    route.walk(rules.system(), source, |channel| {
                        let orbit = dual.orbits.of_channel[channel];
                        let known = dual.runs[begin..]
                            .iter_mut()
                            .find(|(known, _)| *known == orbit);
                        match known {
                            Some((_, crossings)) => *crossings += 1,
                            None => dual.runs.push((orbit, 1)),
                        }
                    });
                    dual.first_run.push(dual.runs.len() as u32);
                }
                if !routes.is_empty() {
                    dual.first_candidate.push(dual.first_run.len() as u32 - 1);
                }
            });
        }
        dual
    }

    /// Work of one evaluation, for budgets.
    pub(crate) fn work(&self) -> usize {
        match self.complete {
            true => self.runs.len() + self.orbits.count,
            false => usize::MAX,
        }
    }

    /// Least total weight of all pairs' routes, and the loads of those routes.
    fn evaluate(&self, weights: &[f64], loads: &mut [f64]) -> f64 {
        loads.copy_from_slice(&self.forced);
        let mut total: f64 = weights
            .iter()
            .zip(&self.forced)
            .map(|(w, load)| w * load)
            .sum();
        for pair in self.first_candidate.windows(2) {
            let (mut least, mut lightest) = (f64::INFINITY, 0);
            for candidate in pair[0]..pair[1] {
                let runs = self.runs(candidate as usize);
                let weight: f64 = runs
                    .iter()
                    .map(|&(orbit, n)| weights[orbit as usize] * f64::from(n))
                    .sum();
                if weight < least {
                    (least, lightest) = (weight, candidate);
                }
            }
            total += least;
            for &(orbit, n) in self.runs(lightest as usize) {
                loads[orbit as usize] += f64::from(n);
            }
        }
        total
    }

    fn runs(&self, candidate: usize) -> &[(u32, u32)] {
        &self.runs[self.first_run[candidate] as usize..self.first_run[candidate + 1] as usize]
    }

    /// The bound the best weights so far prove, as far as floating point can tell.
    pub(crate) fn value(&self) -> f64 {
        self.value
    }

    /// Finds weights: the best there are if they are few, otherwise good ones within the budget.
    pub(crate) fn solve(&mut self, budget: usize) {
        if !self.complete {
            return;
        }
        if self.is_small() {
            self.ascend(f64::INFINITY, 30);
            self.cut(Self::MOST_PLANES);
        } else {
            self.ascend(
                f64::INFINITY,
                (budget / self.work().max(1)).clamp(30, 20_000),
            );
        }
    }

    /// Are there few enough weights for a linear programme?
    pub(crate) fn is_small(&self) -> bool {
        self.complete && self.orbits.count <= Self::MOST_WEIGHTS
    }

    const MOST_WEIGHTS: usize = 160;
    const MOST_PLANES: usize = 300;

    /// Improves the weights until they prove more than `goal`, or `evaluations` are spent.
    pub(crate) fn ascend(&mut self, goal: f64, evaluations: usize) {
        let count = self.orbits.count;
        if count == 0 {
            return;
        }
        let mut weights = self.best.clone();
        let mut loads = vec![0.0; count];
        let mut direction = vec![0.0; count];
        let mut mean = vec![0.0; count];
        let mut terms = 0.0;
        self.value = self.value.max(self.evaluate(&weights, &mut loads));
        let headroom = |value: f64, least: f64| (goal - value).min(0.05 * value).max(least * value);
        let mut gap = headroom(self.value, 1e-3);
        let (mut since, mut patience) = (0, 20);
        for _ in 0..evaluations {
            if self.value > goal {
                return;
            }
            let value = self.evaluate(&weights, &mut loads);
            if value > self.value {
                since = if value > self.value + 0.05 * gap {
                    0
                } else {
                    since
                };
                self.value = value;
                self.best.copy_from_slice(&weights);
            }
            for (slot, &weight) in mean.iter_mut().zip(&weights) {
                *slot += weight;
            }
            terms += 1.0;
            since += 1;
            if since > patience {
                // The mean of a zigzag is close to its axis.
                for slot in &mut mean {
                    *slot /= terms;
                }
                let value = self.evaluate(&mean, &mut loads);
                if value > self.value {
                    self.value = value;
                    self.best.copy_from_slice(&mean);
                }
                mean.fill(0.0);
                terms = 0.0;
                gap *= 0.6;
                if gap < 1e-6 * self.value {
                    gap = headroom(self.value, 1e-4);
                    patience *= 2;
                }
                since = 0;
                weights.copy_from_slice(&self.best);
                direction.fill(0.0);
                continue;
            }
            let level = (self.value + gap).min(goal + 1e-3 * gap);
            let middle = loads.iter().sum::<f64>() / count as f64;
            for (slot, &load) in direction.iter_mut().zip(&loads) {
                *slot = (load - middle) + 0.7 * *slot;
            }
            let norm: f64 = direction.iter().map(|d| d * d).sum();
            if norm <= 1e-18 {
                return;
            }
            let step = (level - value) / norm;
            for (weight, &d) in weights.iter_mut().zip(&direction) {
                *weight += step * d;
            }
            project(&mut weights);
        }
    }

    /// Sources that stand for all.
    pub(crate) fn sources(&self) -> usize {
        self.orbits.sources.len()
    }

    /// The best weights so far, by the orbits of a smaller group.
    pub(crate) fn weights_by(&self, orbits: &Orbits) -> Vec<f64> {
        let mut weights = vec![0.0; orbits.count];
        for (&to, &from) in orbits.of_channel.iter().zip(&self.orbits.of_channel) {
            if to != NONE {
                weights[to as usize] = self.best[from as usize];
            }
        }
        weights
    }

    /// The best weights as integers, and exactly what they prove.
    pub(crate) fn certify(&self, network: &Network, words: String) -> RuleBound {
        let by_orbit = self.whole_weights();
        bound_of(
            self.rules,
            network,
            &self.orbits.of_channel,
            &by_orbit,
            words,
        )
    }

    /// Small integers if they prove as much, for people to check; otherwise large ones.
    fn whole_weights(&self) -> Vec<u64> {
        const SMALL: u32 = 60;
        /// Demands of millions of pairs over hundreds of hops stay far below 2^64.
        const LARGE: u32 = 100_000_000;
        let top = self.best.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let scaled = |scale: u32| {
            self.best
                .iter()
                .map(move |w| (w / top * f64::from(scale)).round())
        };
        let mut loads = vec![0.0; self.orbits.count];
        let small = (1..=SMALL).filter(|_| self.is_small()).find(|&scale| {
            let weights: Vec<f64> = scaled(scale).collect();
            let total: f64 = weights.iter().sum();
            self.evaluate(&weights, &mut loads) >= self.value * total * (1.0 - 1e-6)
        });
        scaled(small.unwrap_or(LARGE))
            .map(|weight| weight as u64)
            .collect()
    }
}

/// What weights by class of channel prove, added up over all pairs.
fn bound_of(
    rules: &Rules,
    network: &Network,
    class: &[u32],
    by_class: &[u64],
    words: String,
) -> RuleBound {
    let system = rules.system();
    let weight_of = |channel: usize| match class[channel] {
        NONE => 0,
        class => by_class[class as usize],
    };
    let mut demand = 0;
    let mut scratch = Scratch::default();
    for &source in system.members() {
        rules.each_destination(source, &mut scratch, |_, routes| {
            let weigh = |route: &super::Route| {
                let mut weight = 0;
                route.walk(system, source, |channel| weight += weight_of(channel));
                weight
            };
            demand += routes.iter().map(weigh).min().unwrap_or(0);
        });
    }
    let mut weights = vec![0; network.channel_count()];
    for node in 0..system.nodes() as u32 {
        for rank in 0..system.directions().count() {
            if let Some(id) = network.out_channel(super::System::router(node), system.port(rank)) {
                weights[id.index()] = weight_of(system.channel(node, rank));
            }
        }
    }
    RuleBound {
        demand,
        weight: weights.iter().sum::<u64>().max(1),
        weights,
        rules: words,
    }
}

/// The nearest weights that are not negative and add up to one.
fn project(weights: &mut [f64]) {
    let mut sorted = weights.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut shift) = (0.0, 0.0);
    for (index, &weight) in sorted.iter().enumerate() {
        sum += weight;
        let candidate = (sum - 1.0) / (index + 1) as f64;
        if weight > candidate {
            shift = candidate;
        }
    }
    for weight in weights {
        *weight = (*weight - shift).max(0.0);
    }
}
