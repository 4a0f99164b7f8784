//! Bit complement: every bit of the terminal's number is flipped.
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
//! use turnwise_workload::patterns::BitComplement;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let network = Hypercube { dimensions: 6, ..Hypercube::default() }.build(None)?;
//! let pattern = BitComplement::default().build(&network, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! let destination = pattern.destination(TerminalId(0b00_0001), &mut rng);
//! assert_eq!(destination, Some(TerminalId(0b11_1110)));
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
    summary: "Every bit of the terminal's number is flipped",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3",
    example: "load = 0.2",
    schema: schema_of::<BitComplement>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<BitComplement, dyn PatternParameters>(
            table, errors,
        )?))
    },
};

const NAME: &str = "bit-complement";

/// Parameters of bit-complement traffic: none of its own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BitComplement {}

impl PatternParameters for BitComplement {
    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        Fixed::of_bits(NAME, network, context, |source, bits| !source & mask(bits))
    }
}
