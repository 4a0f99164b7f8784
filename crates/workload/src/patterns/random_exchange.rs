//! Random exchange: every packet goes to a random terminal of the other half.
//!
//! The halves are the lower and the upper half of the terminals' numbers (the upper one is larger if their
//! number is odd), so that everything crosses the middle of the network.
//!
//! Source: SuperSim, Hewlett Packard Labs, `random_exchange`.
//!
//! Complexity: O(1) a packet, memory O(terminals).
//!
//! ```
//! use turnwise_network::TerminalId;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{Torus, Topology};
//! use turnwise_workload::patterns::RandomExchange;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let torus = Torus::default().build(None)?;
//! let pattern = RandomExchange::default().build(&torus, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! assert!(pattern.destination(TerminalId(3), &mut rng) >= Some(TerminalId(8)));
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::blocks::Blocks;
use crate::choice::Choice;
use crate::pattern::{Context, Pattern, PatternParameters};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::random::Random;
use turnwise_network::{Invalid, Network, TerminalId};

pub(super) const ENTRY: Entry<dyn PatternParameters> = Entry {
    name: NAME,
    aliases: &[],
    summary: "Every packet goes to a random terminal of the other half",
    source: "SuperSim, random_exchange",
    example: "load = 0.2",
    schema: schema_of::<RandomExchange>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<RandomExchange, dyn PatternParameters>(
            table, errors,
        )?))
    },
};

const NAME: &str = "random-exchange";

/// Parameters of random exchange: none of its own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomExchange {}

impl PatternParameters for RandomExchange {
    fn build(&self, network: &Network, _: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        Ok(Box::new(Exchange {
            halves: Blocks::halves(network),
        }))
    }
}

struct Exchange {
    halves: Blocks,
}

impl Pattern for Exchange {
    fn destination(&self, source: TerminalId, rng: &mut Random) -> Option<TerminalId> {
        let other = 1 - self.halves.block(source);
        self.halves.draw(other, source, true, rng)
    }

    fn choice(&self, source: TerminalId) -> Option<Choice<'_>> {
        let other = 1 - self.halves.block(source);
        Some(self.halves.choice(other, source, true))
    }
}
