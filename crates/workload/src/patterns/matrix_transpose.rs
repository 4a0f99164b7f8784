//! Matrix transpose: the router's coordinates in opposite order, (x,y) to (y,x).
//!
//! Needs coordinates (a mesh, torus, hypercube or HyperX) with sizes that read the same backwards.
//! Terminals keep their index at the router.
//!
//! Source: Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3.
//!
//! Complexity: O(1) a packet, memory O(terminals).
//!
//! ```
//! use turnwise_network::TerminalId;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{Torus, Topology};
//! use turnwise_workload::patterns::MatrixTranspose;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let torus = Torus { sizes: vec![8, 8], ..Torus::default() }.build(None)?;
//! let pattern = MatrixTranspose::default().build(&torus, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! // From (1,2) to (2,1).
//! assert_eq!(pattern.destination(TerminalId(8 + 2), &mut rng), Some(TerminalId(2 * 8 + 1)));
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::fixed::{Fixed, sizes_of};
use crate::pattern::{Context, Pattern, PatternParameters, unfit};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network};

pub(super) const ENTRY: Entry<dyn PatternParameters> = Entry {
    name: NAME,
    aliases: &[],
    summary: "The router's coordinates in opposite order, (x,y) to (y,x)",
    source: "Dally and Towles, Principles and Practices of Interconnection Networks, chapter 3",
    example: "load = 0.2",
    schema: schema_of::<MatrixTranspose>,
    parse: |table, errors| {
        Some(Box::new(
            parse_as::<MatrixTranspose, dyn PatternParameters>(table, errors)?,
        ))
    },
};

const NAME: &str = "matrix-transpose";

/// Parameters of matrix-transpose traffic: none of its own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatrixTranspose {}

impl PatternParameters for MatrixTranspose {
    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        let sizes = sizes_of(NAME, network)?;
        if !sizes.iter().eq(sizes.iter().rev()) {
            let help =
                "take a square network, or `transpose`, which swaps bits of terminals' numbers";
            return Err(unfit(
                NAME,
                "sizes that read the same backwards",
                network,
                help,
            ));
        }
        Fixed::of_coordinates(NAME, network, context, |place, _| place.reverse())
    }
}
