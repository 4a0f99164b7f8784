//! Neighbor: one step further on in every dimension, around the end.
//!
//! Needs coordinates: a mesh, torus, hypercube or HyperX.
//!
//! Source: Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3.
//!
//! Complexity: O(1) a packet, memory O(terminals).
//!
//! ```
//! use turnwise_network::TerminalId;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{Torus, Topology};
//! use turnwise_workload::patterns::Neighbor;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let torus = Torus { sizes: vec![8, 8], ..Torus::default() }.build(None)?;
//! let pattern = Neighbor::default().build(&torus, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! // From (1,2) to (2,3).
//! assert_eq!(pattern.destination(TerminalId(8 + 2), &mut rng), Some(TerminalId(2 * 8 + 3)));
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::fixed::{Fixed, chosen};
use crate::pattern::{Context, Pattern, PatternParameters};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network};

pub(super) const ENTRY: Entry<dyn PatternParameters> = Entry {
    name: NAME,
    aliases: &["neighbour"],
    summary: "One step further on in every dimension",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3",
    example: "dimensions = [0]",
    schema: schema_of::<Neighbor>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<Neighbor, dyn PatternParameters>(
            table, errors,
        )?))
    },
};

const NAME: &str = "neighbor";

/// Parameters of neighbor traffic.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Neighbor {
    /// The dimensions along which packets go, 0 is X; all of them by default.
    pub dimensions: Option<Vec<u32>>,
}

impl PatternParameters for Neighbor {
    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        let dimensions = chosen(self.dimensions.as_deref(), NAME, network)?;
        Fixed::of_coordinates(NAME, network, context, |place, sizes| {
            for &dimension in &dimensions {
                place[dimension] = (place[dimension] + 1) % sizes[dimension];
            }
        })
    }
}
