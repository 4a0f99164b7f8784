//! Random involution: terminals in pairs, each sends to the other.
//!
//! Drawn once from the study's seed among the living terminals. With an odd number of them, one is
//! left to itself.
//!
//! Source: Camarero et al., CAMINOS, `RandomInvolution`.
//!
//! Complexity: O(1) a packet, memory O(terminals).
//!
//! ```
//! use turnwise_network::TerminalId;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{Torus, Topology};
//! use turnwise_workload::patterns::RandomInvolution;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let torus = Torus::default().build(None)?;
//! let pattern = RandomInvolution::default().build(&torus, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! let partner = pattern.destination(TerminalId(3), &mut rng).expect("16 is even");
//! assert_eq!(pattern.destination(partner, &mut rng), Some(TerminalId(3)));
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
    summary: "Terminals in random pairs, each sends to the other",
    source: "CAMINOS, RandomInvolution",
    example: "load = 0.2",
    schema: schema_of::<RandomInvolution>,
    parse: |table, errors| {
        Some(Box::new(
            parse_as::<RandomInvolution, dyn PatternParameters>(table, errors)?,
        ))
    },
};

const NAME: &str = "random-involution";

/// Parameters of random-involution traffic: none of its own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomInvolution {}

impl PatternParameters for RandomInvolution {
    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        let mut living: Vec<TerminalId> = network.living_terminals().collect();
        Random::new(context.seed, Purpose::Permutation, 1, 0).shuffle(&mut living);
        let mut partners = vec![None; network.terminal_count()];
        for pair in living.chunks(2) {
            let (one, other) = (pair[0], *pair.last().unwrap_or(&pair[0]));
            partners[one.index()] = Some(other);
            partners[other.index()] = Some(one);
        }
        Ok(Box::new(Fixed::new(network, context, |source| {
            partners[source.index()]
        })))
    }
}
