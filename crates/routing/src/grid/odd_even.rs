//! Odd-even: adaptive minimal routing of two-dimensional meshes, where turns depend on the column.
//!
//! In even columns no packet turns from east to north or south, in odd ones none from north or south to west.
//! (East is up the first dimension, whose coordinate is the column.) So the rightmost column of a circle
//! of waiting packets cannot exist: free of deadlock with one virtual channel, and more evenly adaptive
//! than models that forbid the same turns everywhere. Of the ways left a packet takes the least congested.
//!
//! `Header::phase` is 1 once a packet has gone east; until then it has not turned and may in any column.
//!
//! **Faults.** A packet only takes ports behind which a way that keeps to the rule survives; a pair without
//! any is not routed.
//!
//! Source: Chiu, "The odd-even turn model for adaptive routing", IEEE TPDS 11(7), 2000, the function ROUTE.
//!
//! Complexity: O(1) a hop; with faults routers squared bits twice.
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{Mesh, Topology};
//! use turnwise_network::{RouterId, TerminalId};
//! use turnwise_routing::algorithms::OddEven;
//! use turnwise_routing::{Algorithm, Context};
//!
//! let mesh = Arc::new(Mesh { sizes: vec![4, 4], ..Mesh::default() }.build(None)?);
//! let routing = OddEven::default().build(&mesh, &Context::default())?;
//! let ways = |from: u32, to: u32| {
//!     let header = routing.start(TerminalId(from), TerminalId(to)).expect("no faults").header;
//!     let mut options = Vec::new();
//!     routing.options(RouterId(from), header, &mut options);
//!     let next = options.iter().filter_map(|hop| mesh.next_router(RouterId(from), hop.port));
//!     next.map(|router| mesh.router_label(router)).collect::<Vec<_>>()
//! };
//! assert_eq!(ways(4, 11), ["(1,1)"]); // from (1,0) to (2,3): no turn in column 2, so not east yet
//! assert_eq!(ways(4, 15), ["(2,0)", "(1,1)"]); // to (3,3): any way
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::algorithm::{Algorithm, AlgorithmEntry, Context};
use crate::grid::adaptive::{self, TurnModel};
use crate::grid::ports::{Way, is_mesh};
use schemars::JsonSchema;
use serde::Deserialize;
use std::cmp::Ordering;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, Routing, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Meshes of two dimensions: any shortest way, turns restricted by the parity of columns",
        source: "Chiu, The odd-even turn model for adaptive routing, IEEE TPDS 11(7), 2000",
        example: "virtual_channels = 2",
        schema: schema_of::<OddEven>,
        parse: |table, errors| Some(Box::new(parse_as::<OddEven, dyn Algorithm>(table, errors)?)),
    },
    fits: |shape| is_mesh(shape, Some(2)),
};

const NAME: &str = "odd-even";

/// Parameters of odd-even routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OddEven {
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for OddEven {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let on = (network, context);
        adaptive::of_turns(NAME, Rule, Some(2), self.virtual_channels, on)
    }
}

struct Rule;

impl TurnModel for Rule {
    fn may(&self, here: &[u32], there: &[u32], way: &Way<'_>, phase: u8) -> bool {
        let along_row = way.dimension.index == 0;
        let is_odd = |column: u32| !column.is_multiple_of(2);
        match there[0].cmp(&here[0]) {
            Ordering::Equal => true,
            // The destination's column is entered in its row, unless packets may turn there.
            Ordering::Greater if along_row => {
                let arrives = here[0] + 1 == there[0] && here[1] != there[1];
                !arrives || is_odd(there[0])
            }
            Ordering::Greater => phase == 0 || is_odd(here[0]),
            Ordering::Less => along_row || !is_odd(here[0]),
        }
    }

    fn phase_after(&self, way: &Way<'_>, phase: u8) -> u8 {
        phase.max(u8::from(way.dimension.index == 0 && way.positive))
    }

    const PHASES: u8 = 2;
}
