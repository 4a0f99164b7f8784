//! Chromosomes, and how one generation follows another.

use super::AngaraGenetic;
use crate::angara::{Choices, RouteTable, Rules};
use turnwise_network::random::{Purpose, Random};

/// The fittest tables so far, each as its choices.
pub(super) struct Population<'a> {
    parameters: &'a AngaraGenetic,
    seed: u64,
    choices: Choices,
    /// Loads of the routes that are not chosen.
    forced: Vec<u32>,
    /// Ascending by fitness: the best first.
    members: Vec<Member>,
    loads: Vec<u32>,
}

struct Member {
    fitness: f64,
    /// By pair with a choice: which of its candidates it takes.
    genes: Vec<u32>,
}

impl<'a> Population<'a> {
    /// A random population; pairs without a choice go to the table.
    pub(super) fn new(
        rules: &Rules,
        parameters: &'a AngaraGenetic,
        seed: u64,
        table: &mut RouteTable,
    ) -> Self {
        let system = rules.system();
        let channels = system.targets().len();
        let each: Vec<u32> = (0..channels as u32).collect();
        let mut forced = vec![0; channels];
        let settled = |source, target, route| table.set(source, target, route);
        let choices = Choices::new(rules, system.members(), &each, &mut forced, settled);
        let mut population = Self {
            parameters,
            seed,
            choices,
            forced,
            members: Vec::new(),
            loads: Vec::new(),
        };
        for number in 0..parameters.population {
            let mut rng = population.rng(number, 0);
            let genes = (0..population.choices.pairs.len())
                .map(|pair| population.draw(pair, &mut rng))
                .collect();
            population.admit(genes);
        }
        population.select();
        population
    }

    /// Is there anything to choose?
    pub(super) fn has_choice(&self) -> bool {
        !self.choices.pairs.is_empty()
    }

    /// The least fitness.
    pub(super) fn best(&self) -> f64 {
        self.members[0].fitness
    }

    /// One generation: children of random parents, of which and their parents the fittest survive.
    pub(super) fn breed(&mut self, generation: u32) {
        let (population, pairs) = (self.parameters.population, self.choices.pairs.len());
        let points = pairs as u32 + 1;
        for number in 0..population.div_ceil(2) {
            let mut rng = self.rng(number, generation);
            let mut parent = || &self.members[rng.below(population) as usize].genes;
            let (mut one, mut other) = (parent().clone(), parent().clone());
            let (a, b) = (rng.below(points) as usize, rng.below(points) as usize);
            let between = a.min(b)..a.max(b);
            one[between.clone()].swap_with_slice(&mut other[between]);
            for mut child in [one, other] {
                self.mutate(&mut child, &mut rng);
                self.admit(child);
            }
        }
        self.select();
    }

    /// Writes the choices of the best into a table.
    pub(super) fn express(&self, table: &mut RouteTable) {
        for (pair, &gene) in self.members[0].genes.iter().enumerate() {
            let (source, target) = self.choices.pairs[pair];
            let candidate = self.choices.candidates(pair).start + gene as usize;
            table.set(source, target, self.choices.routes[candidate]);
        }
    }

    fn rng(&self, number: u32, generation: u32) -> Random {
        Random::new(self.seed, Purpose::Permutation, number, generation)
    }

    fn draw(&self, pair: usize, rng: &mut Random) -> u32 {
        rng.below(self.choices.candidates(pair).len() as u32)
    }

    fn mutate(&self, genes: &mut [u32], rng: &mut Random) {
        // Thirty-two bits are enough to draw with, and a quarter of the work.
        let below = (self.parameters.mutation * f64::from(u32::MAX)) as u32;
        for (pair, gene) in genes.iter_mut().enumerate() {
            if rng.next_u32() < below {
                *gene = self.draw(pair, rng);
            }
        }
    }

    fn admit(&mut self, genes: Vec<u32>) {
        self.loads.clone_from(&self.forced);
        for (pair, &gene) in genes.iter().enumerate() {
            let candidate = self.choices.candidates(pair).start + gene as usize;
            for &channel in self.choices.channels(candidate) {
                self.loads[channel as usize] += 1;
            }
        }
        let exponent = self.parameters.exponent;
        let powers = self
            .loads
            .iter()
            .map(|&load| power(f64::from(load), exponent));
        let fitness = powers.sum();
        self.members.push(Member { fitness, genes });
    }

    /// Keeps the fittest; of equals, those that came first.
    fn select(&mut self) {
        self.members.sort_by(|a, b| a.fitness.total_cmp(&b.fitness));
        self.members.truncate(self.parameters.population as usize);
    }
}

/// By squaring: `powi` may round differently from machine to machine.
fn power(base: f64, exponent: u32) -> f64 {
    let (mut result, mut square, mut left) = (1.0, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    result
}
