//! Transpose: both halves of the bits of the terminal's number change places.
//!
//! Needs a power of two of terminals with an even exponent. For the transpose of coordinates, see
//! `matrix-transpose`.
//!
//! Source: Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3.
//!
//! Complexity: O(1) a packet, memory O(terminals).
//!
//! ```
//! use turnwise_network::TerminalId;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{Hypercube, Topology};
//! use turnwise_workload::patterns::Transpose;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let network = Hypercube { dimensions: 6, ..Hypercube::default() }.build(None)?;
//! let pattern = Transpose::default().build(&network, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! let destination = pattern.destination(TerminalId(0b00_0001), &mut rng);
//! assert_eq!(destination, Some(TerminalId(0b00_1000)));
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
    summary: "Both halves of the bits of the terminal's number change places",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3",
    example: "load = 0.2",
    schema: schema_of::<Transpose>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<Transpose, dyn PatternParameters>(
            table, errors,
        )?))
    },
};

const NAME: &str = "transpose";

/// Parameters of transpose traffic: none of its own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transpose {}

impl PatternParameters for Transpose {
    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        let terminals = network.terminal_count();
        if terminals.is_power_of_two() && terminals.trailing_zeros() % 2 == 1 {
            let bits = terminals.trailing_zeros();
            let message =
                format!("`{NAME}` needs an even number of bits; {terminals} terminals have {bits}");
            let help = "`matrix-transpose` swaps coordinates; 4, 16, 64, 256, 1024, ... terminals have an even number";
            return Err(Invalid::new("pattern", message).with_help(help));
        }
        Fixed::of_bits(NAME, network, context, |source, bits| {
            let half = bits / 2;
            source >> half | (source & mask(half)) << half
        })
    }
}
