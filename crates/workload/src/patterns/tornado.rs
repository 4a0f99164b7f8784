//! Tornado: almost half way round in every dimension, always in the same direction.
//!
//! In a dimension of size k, `ceil(k/2) - 1` coordinates further on, so that all traffic of a ring goes
//! one way round. Needs coordinates: a mesh, torus, hypercube or HyperX.
//!
//! Source: Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3;
//! Singh et al., "GOAL: a load-balanced adaptive routing algorithm for torus networks", ISCA 2003.
//!
//! Complexity: O(1) a packet, memory O(terminals).
//!
//! ```
//! use turnwise_network::TerminalId;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{Torus, Topology};
//! use turnwise_workload::patterns::Tornado;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let torus = Torus { sizes: vec![8, 8], ..Torus::default() }.build(None)?;
//! let pattern = Tornado::default().build(&torus, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! // From (1,2) three steps on along both dimensions.
//! assert_eq!(pattern.destination(TerminalId(8 + 2), &mut rng), Some(TerminalId(4 * 8 + 5)));
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
    aliases: &[],
    summary: "Almost half way round every dimension, all in one direction",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3",
    example: "dimensions = [0]",
    schema: schema_of::<Tornado>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<Tornado, dyn PatternParameters>(
            table, errors,
        )?))
    },
};

const NAME: &str = "tornado";

/// Parameters of tornado traffic.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Tornado {
    /// The dimensions along which packets go, 0 is X; all of them by default.
    pub dimensions: Option<Vec<u32>>,
}

impl PatternParameters for Tornado {
    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        let dimensions = chosen(self.dimensions.as_deref(), NAME, network)?;
        Fixed::of_coordinates(NAME, network, context, |place, sizes| {
            for &dimension in &dimensions {
                let size = sizes[dimension];
                place[dimension] = (place[dimension] + size.div_ceil(2) - 1) % size;
            }
        })
    }
}
