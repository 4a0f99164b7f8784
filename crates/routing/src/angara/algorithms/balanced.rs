//! Angara tables with the least largest load: proved optimal, or with a proof of how far off.
//!
//! The paper's generators place routes one after the other and stop. This one first solves the
//! linear programme whose optimum no table can beat, and then searches for a table that
//! reaches it:
//!
//! 1. **Bound.** Weights of channels prove how low the largest load can be
//!    ([`RuleBound`]). On a torus without faults translations leave so few different weights
//!    that the optimum takes milliseconds.
//! 2. **Quotient.** Only routes that the weights leave room for are candidates. The search
//!    begins among tables that look alike everywhere: one source stands for all, a thousand
//!    pairs for a million. Then it goes on among tables that distinguish odd from even
//!    coordinates, and at last among all tables, each time from the best table so far.
//! 3. **Search.** Rip-up and re-route: pair by pair, every one takes the route that is cheapest
//!    at prices which grow exponentially with load, steeper from pass to pass, with extra
//!    charges on channels that stay overloaded.
//!
//! It stops as soon as the largest load equals the bound. With `turns = "chosen"` it also
//! chooses which turns to add, so that the bound itself is lowest, among the turns of
//! Theorem 2 and several maximal sets that close no cycle.
//!
//! Free of deadlock with one virtual channel under bubble flow control.
//!
//! **Faults.** A pair is routed exactly if a legal route survives. Without symmetry there is only
//! the last stage, and beyond 40 nodes or so the bound is good rather than best.
//!
//! Source: ours. The rules are those of Mukosey, Semenov, Tretiakov, arXiv:2110.00851, 2021; for the parts see
//! the modules of [`angara`](crate::angara).
//!
//! Complexity: O(passes x candidates x hops), capped by a fixed budget of work; memory 8 bytes a
//! pair, in the last stage also 4 bytes a hop of every candidate.
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{Topology, Torus};
//! use turnwise_routing::algorithms::{AngaraBalanced, SourceRouted};
//! use turnwise_routing::{Algorithm, Context};
//!
//! // The Desmos cluster: the published generators reach 48 (BFS), 27 (genetic), 28 (SSSP).
//! let desmos = Arc::new(Torus { sizes: vec![4, 2, 2, 2], ..Torus::default() }.build(None)?);
//! let balanced = AngaraBalanced::default();
//! let bound = SourceRouted(balanced.clone()).rule_bound(&desmos, &Context::default())?.expect("it knows one");
//! assert_eq!(bound.ceil(), 26);
//! assert_eq!(balanced.index(&desmos)?, 26);
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use crate::angara::{
    Balance, Dual, Generator, Orbits, RouteTable, Rules, Sequence, Settings, SourceRouted, System,
    TurnRule, Turns, greedy, lift,
};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Angara: the least largest load, with a proof of how close to the optimum",
        source: "Turnwise; rules of Mukosey, Semenov, Tretiakov, arXiv:2110.00851, 2021",
        example: "turns = \"chosen\"\npasses = 60",
        schema: schema_of::<AngaraBalanced>,
        parse: |table, errors| {
            Some(Box::new(SourceRouted(parse_as::<
                AngaraBalanced,
                dyn Algorithm,
            >(table, errors)?)))
        },
    },
    fits: System::fits,
};

const NAME: &str = "angara-balanced";

/// Parameters of balanced Angara tables.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AngaraBalanced {
    /// All directions in the order routes take them; positive ones first by default.
    pub order: Option<Vec<String>>,
    /// Turns added to those in order.
    pub turns: AddedTurns,
    /// May routes begin with a first step?
    pub first_step: bool,
    /// May routes end with a last step?
    pub last_step: bool,
    /// Passes over all pairs in each stage of the search, at most. Systems that are too large for the search have none.
    #[schemars(range(min = 1))]
    pub passes: u32,
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

/// Which turns are added to those that keep the order of directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AddedTurns {
    /// None.
    None,
    /// Those that Theorem 2 of the paper shows to be safe.
    #[default]
    Theorem2,
    /// All that close no cycle, tried node by node.
    Exact,
    /// Of these and of maximal sets found in other sequences, those with the lowest bound.
    Chosen,
}

impl Default for AngaraBalanced {
    fn default() -> Self {
        Self {
            order: None,
            turns: AddedTurns::default(),
            first_step: true,
            last_step: true,
            passes: 60,
            virtual_channels: None,
        }
    }
}

/// Crossings of channels that the last stage may look at, and those it may hold in memory.
const MOST_WORK: usize = 24_000_000;
const MOST_MEMORY: usize = 60_000_000;
/// Crossings that the search for weights may look at where a linear programme is too large.
const DUAL_BUDGET: usize = 10_000_000;

impl AngaraBalanced {
    /// The rules of a network, turns chosen.
    ///
    /// # Errors
    /// A network that is no torus or mesh of up to four dimensions with one terminal a router.
    pub fn rules(&self, network: &Network) -> Result<Rules, Invalid> {
        if self.passes == 0 {
            let message = "expected at least 1, found 0";
            return Err(Invalid::new("passes", message));
        }
        let settings = self.settings();
        let published = settings.rules(network)?;
        if self.turns != AddedTurns::Chosen {
            return Ok(published);
        }
        let sets = [(TurnRule::Theorem2, false, false)].into_iter().chain(
            [(false, false), (false, true), (true, false), (true, true)]
                .map(|(nodes, directions)| (TurnRule::Exact, nodes, directions)),
        );
        let candidates = sets.map(|(rule, nodes_descend, directions_descend)| {
            let sequence = Sequence {
                nodes_descend,
                directions_descend,
            };
            let turns = Turns::in_sequence(published.system(), rule, sequence);
            let rules = Rules::new(
                published.system().clone(),
                turns,
                self.first_step,
                self.last_step,
            );
            let mut chain = Orbits::chain(&rules);
            let mut dual = Dual::new(&rules, chain.swap_remove(0));
            dual.solve(DUAL_BUDGET);
            (dual.value(), rules)
        });
        let lowest = candidates.min_by(|a, b| a.0.total_cmp(&b.0));
        Ok(lowest.map_or(published, |(_, rules)| rules))
    }

    /// The largest load of the table for a network.
    ///
    /// # Errors
    /// As [`rules`](Self::rules).
    pub fn index(&self, network: &Network) -> Result<u32, Invalid> {
        let rules = self.rules(network)?;
        Ok(self.table(&rules).loads(rules.system()).index())
    }

    /// The table of a system.
    pub fn table(&self, rules: &Rules) -> RouteTable {
        let chain = Orbits::chain(rules);
        let mut dual = Dual::new(rules, chain[0].clone());
        dual.solve(DUAL_BUDGET);
        let goal = (dual.value() - 1e-4).ceil() as u32;
        let spare = f64::from(goal) - dual.value() + 1e-9;
        let (mut least, mut best) = (u32::MAX, None);
        for (stage, orbits) in chain.iter().enumerate() {
            let last = stage + 1 == chain.len();
            if last && least < u32::MAX && work_of(rules, &dual) > MOST_MEMORY {
                break;
            }
            if last && work_of(rules, &dual) > MOST_MEMORY {
                return greedy(rules);
            }
            let weights = dual.weights_by(orbits);
            let keep = dual.is_small().then_some((weights.as_slice(), spare));
            let mut balance = Balance::new(rules, orbits, best.as_ref(), keep);
            let most = self.passes as usize;
            let affordable = (MOST_WORK / balance.work().max(1)).clamp(most.min(4), most);
            balance.improve(goal, affordable as u32, u64::from(stage as u32));
            if balance.index() < least {
                least = balance.index();
                best = Some(if last {
                    balance.table()
                } else {
                    lift(rules, orbits, &balance.table())
                });
            }
            if least <= goal {
                break;
            }
        }
        best.unwrap_or_else(|| RouteTable::new(rules.system()))
    }
}

/// Crossings of all candidates of all pairs, judged by those of the representatives.
fn work_of(rules: &Rules, dual: &Dual<'_>) -> usize {
    let represented = rules.system().members().len() / dual.sources().max(1);
    dual.work().saturating_mul(represented)
}

impl Generator for AngaraBalanced {
    fn settings(&self) -> Settings<'_> {
        Settings {
            kind: NAME,
            order: self.order.as_deref(),
            turns: match self.turns {
                AddedTurns::None => TurnRule::None,
                AddedTurns::Theorem2 => TurnRule::Theorem2,
                AddedTurns::Exact | AddedTurns::Chosen => TurnRule::Exact,
            },
            first_step: self.first_step,
            last_step: self.last_step,
            virtual_channels: self.virtual_channels,
        }
    }

    /// What the search knows of its candidates lies beside the table.
    fn bytes_of_pair(&self) -> u64 {
        32
    }

    fn generate(&self, rules: &Rules, _: &Context<'_>) -> Result<RouteTable, Invalid> {
        Ok(self.table(rules))
    }

    fn rules(&self, network: &Network) -> Result<Rules, Invalid> {
        self.rules(network)
    }

    fn turns(&self) -> Option<&'static str> {
        Some(match self.turns {
            AddedTurns::Chosen => "chosen",
            _ => self.settings().turns.name(),
        })
    }

    fn under_faults(&self) -> UnderFaults {
        match self.turns {
            // Other turns may be best for what is left.
            AddedTurns::Chosen => UnderFaults::NewRules,
            _ => UnderFaults::FurtherRoutes,
        }
    }
}
