//! Random permutation: every terminal sends to one other, and receives from one other.
//!
//! Drawn once from the study's seed among the living terminals; uniform among all permutations without
//! fixed points (with them, if `send_to_self = true`).
//!
//! Source: Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3.
//!
//! Complexity: O(1) a packet, memory O(terminals).
//!
//! ```
//! use turnwise_network::TerminalId;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{Torus, Topology};
//! use turnwise_workload::patterns::RandomPermutation;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let torus = Torus::default().build(None)?;
//! let pattern = RandomPermutation::default().build(&torus, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! let mut reached: Vec<_> = (0..16).filter_map(|source| pattern.destination(TerminalId(source), &mut rng)).collect();
//! reached.sort();
//! assert_eq!(reached, (0..16).map(TerminalId).collect::<Vec<_>>());
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::fixed::Fixed;
use crate::pattern::{Context, Pattern, PatternParameters};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Invalid, Network, TerminalId};

pub(super) const ENTRY: Entry<dyn PatternParameters> = Entry {
    name: NAME,
    aliases: &[],
    summary: "Every terminal sends to one other and receives from one other, drawn from the seed",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3",
    example: "load = 0.2",
    schema: schema_of::<RandomPermutation>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<
            RandomPermutation,
            dyn PatternParameters,
        >(table, errors)?))
    },
};

const NAME: &str = "random-permutation";

/// Parameters of random-permutation traffic: none of its own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomPermutation {}

impl PatternParameters for RandomPermutation {
    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        let living: Vec<TerminalId> = network.living_terminals().collect();
        let mut destinations = vec![None; network.terminal_count()];
        for (source, destination) in living.iter().zip(draw(&living, context)) {
            destinations[source.index()] = Some(destination);
        }
        Ok(Box::new(Fixed::new(network, context, |source| {
            destinations[source.index()]
        })))
    }
}

/// Shuffles until no terminal is mapped to itself; that takes e = 2.7 attempts on average.
fn draw(living: &[TerminalId], context: &Context) -> Vec<TerminalId> {
    let mut destinations = living.to_vec();
    let mut rng = Random::new(context.seed, Purpose::Permutation, 0, 0);
    loop {
        rng.shuffle(&mut destinations);
        let fixed = living
            .iter()
            .zip(&destinations)
            .any(|(source, destination)| source == destination);
        if !fixed || context.send_to_self || living.len() < 2 {
            return destinations;
        }
    }
}
