//! A genetic algorithm that chooses among the minimal routes of every pair on Angara.
//!
//! A gene is the choice of a pair with several minimal routes; a chromosome, the genes of all of them,
//! is a table. Generation after generation parents are drawn at random from the whole population (panmixia) and
//! crossed at two points, genes of their children mutate, and of parents and children the fittest
//! survive. A reference for the quality of small systems, of up to some 64 nodes: it takes long.
//!
//! **Reconstructed.** The published fitness is lost: here it is the sum of all channels' loads to the power of
//! `exponent`, and less is better. The search ends after `patience` generations in which the best table did not
//! get better by the share `least_improvement` of its fitness, or after `generations`; each generation
//! has as many children as the population has members, in pairs that complement each other.
//!
//! Free of deadlock with one virtual channel under bubble flow control.
//!
//! **Faults.** A pair is routed exactly if a path on the routing graph joins it, by a shortest one.
//!
//! Source: Mukosey, Semenov, Tretiakov, arXiv:2110.00851, 2021, section 4.
//!
//! Complexity: O(population x pairs x hops) a generation; 4 bytes a gene, twice for each of the population.
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{Topology, Torus};
//! use turnwise_network::{FlowControl, TerminalId};
//! use turnwise_routing::algorithms::{AngaraGenetic, SourceRouted};
//! use turnwise_routing::{Algorithm, Context};
//!
//! let torus = Arc::new(Torus { sizes: vec![4, 2], ..Torus::default() }.build(None)?);
//! let algorithm = SourceRouted(AngaraGenetic::default());
//! assert_eq!(algorithm.flow_control(), FlowControl::Bubble);
//! let routing = algorithm.build(&torus, &Context { seed: 1, ..Context::default() })?;
//! assert!(routing.start(TerminalId(0), TerminalId(5)).is_some());
//!
//! let wrong = AngaraGenetic { population: 1, ..AngaraGenetic::default() };
//! let error = SourceRouted(wrong).build(&torus, &Context::default()).err().unwrap();
//! assert_eq!(error.place, "population");
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::algorithm::{Algorithm, AlgorithmEntry, Context};
use crate::angara::{Generator, RouteTable, Rules, Settings, SourceRouted, System, TurnRule};
use population::Population;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Vc};

mod population;

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Angara: minimal routes chosen by a genetic algorithm, for small systems",
        source: "Mukosey, Semenov, Tretiakov, Optimized Graph Based Routing Algorithm for the Angara Interconnect, 2021",
        example: "population = 100\nmutation = 0.02",
        schema: schema_of::<AngaraGenetic>,
        parse: |table, errors| {
            Some(Box::new(SourceRouted(parse_as::<
                AngaraGenetic,
                dyn Algorithm,
            >(table, errors)?)))
        },
    },
    fits: System::fits,
};

const NAME: &str = "angara-genetic";

/// Parameters of the genetic algorithm on Angara.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AngaraGenetic {
    /// All directions in the order routes take them; positive ones first by default.
    pub order: Option<Vec<String>>,
    /// Turns added to those that keep the order.
    pub turns: TurnRule,
    /// May routes begin with a first step?
    pub first_step: bool,
    /// May routes end with a last step?
    pub last_step: bool,
    /// Tables that live at the same time, 2 to 10000.
    #[schemars(range(min = 2, max = 10_000))]
    pub population: u32,
    /// Probability that a gene of a child is drawn anew, 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub mutation: f64,
    /// Fitness is the sum of all loads to this power, 1 to 64.
    #[schemars(range(min = 1, max = 64))]
    pub exponent: u32,
    /// Generations without improvement after which the search ends, at least 1.
    #[schemars(range(min = 1))]
    pub patience: u32,
    /// The share of its fitness by which the best table has to get better for an improvement, 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub least_improvement: f64,
    /// Generations after which the search ends in any case.
    pub generations: u32,
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

impl Default for AngaraGenetic {
    fn default() -> Self {
        Self {
            order: None,
            turns: TurnRule::default(),
            first_step: true,
            last_step: true,
            population: 100,
            mutation: 0.02,
            exponent: 8,
            patience: 30,
            least_improvement: 0.0005,
            generations: 10_000,
            virtual_channels: None,
        }
    }
}

impl AngaraGenetic {
    /// Do the numbers make sense?
    fn check(&self) -> Result<(), Invalid> {
        let whole = [
            ("population", self.population, 2, 10_000),
            ("exponent", self.exponent, 1, 64),
            ("patience", self.patience, 1, u32::MAX),
        ];
        for (field, found, least, most) in whole {
            if !(least..=most).contains(&found) {
                let message = format!("expected {least} to {most}, found {found}");
                return Err(Invalid::new(field, message));
            }
        }
        let shares = [
            ("mutation", self.mutation),
            ("least_improvement", self.least_improvement),
        ];
        for (field, found) in shares {
            if !(0.0..=1.0).contains(&found) {
                let message = format!("expected 0 to 1, found {found}");
                return Err(Invalid::new(field, message));
            }
        }
        Ok(())
    }

    /// The table of a system, the same for the same seed.
    pub fn table(&self, rules: &Rules, seed: u64) -> RouteTable {
        let mut table = RouteTable::new(rules.system());
        let mut population = Population::new(rules, self, seed, &mut table);
        let (mut stale, mut reference) = (0, population.best());
        for generation in 1..=self.generations {
            if stale >= self.patience || !population.has_choice() {
                break;
            }
            population.breed(generation);
            if population.best() < reference * (1.0 - self.least_improvement) {
                (stale, reference) = (0, population.best());
            } else {
                stale += 1;
            }
        }
        population.express(&mut table);
        table
    }
}

impl Generator for AngaraGenetic {
    fn settings(&self) -> Settings<'_> {
        Settings {
            kind: NAME,
            order: self.order.as_deref(),
            turns: self.turns,
            first_step: self.first_step,
            last_step: self.last_step,
            virtual_channels: self.virtual_channels,
        }
    }

    /// A gene for each member of the population and for its children.
    fn bytes_of_pair(&self) -> u64 {
        32 + 8 * u64::from(self.population)
    }

    fn generate(&self, rules: &Rules, context: &Context<'_>) -> Result<RouteTable, Invalid> {
        self.check()?;
        Ok(self.table(rules, context.seed))
    }
}
