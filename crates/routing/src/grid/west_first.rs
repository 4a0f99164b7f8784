//! West first: adaptive minimal routing of two-dimensional meshes, all steps west before any other.
//!
//! A packet that has to go west (down the first dimension) does so first, on one way; any other takes all its
//! shortest ways, the least congested first. No packet turns to the west, which breaks
//! both abstract cycles of turns: free of deadlock with one virtual channel.
//!
//! **Faults.** A packet only takes ports behind which a way that keeps to the rule survives; a pair without
//! any is not routed.
//!
//! Source: Glass and Ni, "The turn model for adaptive routing", ISCA 1992.
//!
//! Complexity: O(1) a hop; with faults routers squared bits.
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{Mesh, Topology};
//! use turnwise_network::{RouterId, TerminalId};
//! use turnwise_routing::algorithms::WestFirst;
//! use turnwise_routing::{Algorithm, Context};
//!
//! let mesh = Arc::new(Mesh { sizes: vec![4, 4], ..Mesh::default() }.build(None)?);
//! let routing = WestFirst::default().build(&mesh, &Context::default())?;
//! let ways = |from: u32, to: u32| {
//!     let header = routing.start(TerminalId(from), TerminalId(to)).expect("no faults").header;
//!     let mut options = Vec::new();
//!     routing.options(RouterId(from), header, &mut options);
//!     let next = options.iter().filter_map(|hop| mesh.next_router(RouterId(from), hop.port));
//!     next.map(|router| mesh.router_label(router)).collect::<Vec<_>>()
//! };
//! assert_eq!(ways(0, 5), ["(1,0)", "(0,1)"]); // from (0,0) to (1,1): any way
//! assert_eq!(ways(4, 1), ["(0,0)"]); // from (1,0) to (0,1): west first
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::algorithm::{Algorithm, AlgorithmEntry, Context};
use crate::grid::adaptive::{self, TurnModel};
use crate::grid::ports::{Way, is_mesh};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, Routing, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Meshes of two dimensions: all steps west first, then any shortest way",
        source: "Glass and Ni, The turn model for adaptive routing, ISCA 1992",
        example: "virtual_channels = 2",
        schema: schema_of::<WestFirst>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<WestFirst, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |shape| is_mesh(shape, Some(2)),
};

const NAME: &str = "west-first";

/// Parameters of west-first routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WestFirst {
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for WestFirst {
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
    fn may(&self, here: &[u32], there: &[u32], way: &Way<'_>, _: u8) -> bool {
        let west = there[0] < here[0];
        !west || way.dimension.index == 0
    }
}
