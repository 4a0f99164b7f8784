//! Shuffle: the bits of the terminal's number rotated left by one.
//!
//! Needs a power of two of terminals.
//!
//! Source: Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3.
//!
//! Complexity: O(1) a packet, memory O(terminals).
//!
//! ```
//! use turnwise_network::TerminalId;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{Hypercube, Topology};
//! use turnwise_workload::patterns::Shuffle;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let network = Hypercube { dimensions: 6, ..Hypercube::default() }.build(None)?;
//! let pattern = Shuffle::default().build(&network, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! let destination = pattern.destination(TerminalId(0b00_0001), &mut rng);
//! assert_eq!(destination, Some(TerminalId(0b00_0010)));
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::fixed::{Fixed, mask};
use crate::pattern::{Context, Pattern, PatternParameters};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network};

pub(super) const ENTRY: Entry<dyn PatternParameters> = Entry {
    name: NAME,
    aliases: &[],
    summary: "The bits of the terminal's number rotated left by one",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3",
    example: "load = 0.2",
    schema: schema_of::<Shuffle>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<Shuffle, dyn PatternParameters>(
            table, errors,
        )?))
    },
};

const NAME: &str = "shuffle";

/// Parameters of shuffle traffic: none of its own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shuffle {}

impl PatternParameters for Shuffle {
    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        Fixed::of_bits(NAME, network, context, |source, bits| match bits {
            0 => source,
            bits => (source << 1 | source >> (bits - 1)) & mask(bits),
        })
    }
}
