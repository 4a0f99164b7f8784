//! Uniform random traffic: every packet goes to any terminal with the same probability.
//!
//! The sender itself is excluded unless `send_to_self = true`, which gives it its share of
//! 1/N as in BookSim.
//!
//! Source: Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3.
//!
//! Complexity: O(1) a packet, memory O(terminals).
//!
//! ```
//! use turnwise_network::TerminalId;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{Topology, Torus};
//! use turnwise_workload::patterns::Uniform;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let torus = Torus::default().build(None)?;
//! let pattern = Uniform::default().build(&torus, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 5, 0);
//! assert!((0..100).all(|_| pattern.destination(TerminalId(5), &mut rng) != Some(TerminalId(5))));
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
    name: "uniform",
    aliases: &["uniform-random", "random"],
    summary: "Every packet goes to a random terminal",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3",
    example: "load = 0.3\nsend_to_self = true",
    schema: schema_of::<Uniform>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<Uniform, dyn PatternParameters>(
            table, errors,
        )?))
    },
};

/// Parameters of uniform traffic: none of its own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Uniform {}

impl PatternParameters for Uniform {
    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        let terminals = network.terminal_count();
        Ok(Box::new(UniformPattern {
            everyone: (network.living_terminals().count() == terminals).then_some(terminals as u32),
            blocks: Blocks::whole(network),
            send_to_self: context.send_to_self,
        }))
    }
}

struct UniformPattern {
    /// The number of terminals, if all of them live. A drawn number is then the terminal's own.
    everyone: Option<u32>,
    blocks: Blocks,
    send_to_self: bool,
}

impl UniformPattern {
    fn among(&self, source: TerminalId) -> Choice<'_> {
        match self.everyone {
            Some(terminals) => Choice::any(terminals, (!self.send_to_self).then_some(source.0)),
            None => self.blocks.choice(0, source, self.send_to_self),
        }
    }
}

impl Pattern for UniformPattern {
    fn destination(&self, source: TerminalId, rng: &mut Random) -> Option<TerminalId> {
        self.among(source).draw(rng)
    }

    fn choice(&self, source: TerminalId) -> Option<Choice<'_>> {
        Some(self.among(source))
    }
}
