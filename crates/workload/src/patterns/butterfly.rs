//! Butterfly: the highest and the lowest bit of the terminal's number change places.
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
//! use turnwise_workload::patterns::Butterfly;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let network = Hypercube { dimensions: 6, ..Hypercube::default() }.build(None)?;
//! let pattern = Butterfly::default().build(&network, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! let destination = pattern.destination(TerminalId(0b00_0001), &mut rng);
//! assert_eq!(destination, Some(TerminalId(0b10_0000)));
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::fixed::Fixed;
use crate::pattern::{Context, Pattern, PatternParameters};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network};

pub(super) const ENTRY: Entry<dyn PatternParameters> = Entry {
    name: NAME,
    aliases: &[],
    summary: "The highest and the lowest bit of the terminal's number change places",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3",
    example: "load = 0.2",
    schema: schema_of::<Butterfly>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<Butterfly, dyn PatternParameters>(
            table, errors,
        )?))
    },
};

const NAME: &str = "butterfly";

/// Parameters of butterfly traffic: none of its own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Butterfly {}

impl PatternParameters for Butterfly {
    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        Fixed::of_bits(NAME, network, context, |source, bits| match bits {
            0 => source,
            bits => {
                let (low, high) = (source & 1, source >> (bits - 1));
                source & !(1 | 1 << (bits - 1)) | low << (bits - 1) | high
            }
        })
    }
}
