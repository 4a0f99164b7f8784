//! Negative first: adaptive minimal routing of meshes and hypercubes, all steps down before any step up.
//!
//! As long as there are dimensions in which a packet has to go down, it takes one of these, and then
//! those in which it goes up, each time the least congested. No packet turns from up to down, so
//! it is free of deadlock with one virtual channel. On hypercubes this is p-cube routing.
//!
//! **Faults.** A packet only takes ports behind which a way that keeps to the rule survives; a pair without
//! any is not routed.
//!
//! Source: Glass and Ni, "The turn model for adaptive routing", ISCA 1992.
//!
//! Complexity: O(dimensions) a hop; with faults routers squared bits.
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{Mesh, Topology};
//! use turnwise_network::{RouterId, TerminalId};
//! use turnwise_routing::algorithms::NegativeFirst;
//! use turnwise_routing::{Algorithm, Context};
//!
//! let mesh = Arc::new(Mesh { sizes: vec![4, 4], ..Mesh::default() }.build(None)?);
//! let routing = NegativeFirst::default().build(&mesh, &Context::default())?;
//! let ways = |from: u32, to: u32| {
//!     let header = routing.start(TerminalId(from), TerminalId(to)).expect("no faults").header;
//!     let mut options = Vec::new();
//!     routing.options(RouterId(from), header, &mut options);
//!     let next = options.iter().filter_map(|hop| mesh.next_router(RouterId(from), hop.port));
//!     next.map(|router| mesh.router_label(router)).collect::<Vec<_>>()
//! };
//! assert_eq!(ways(5, 0), ["(0,1)", "(1,0)"]); // from (1,1) to (0,0): any way
//! assert_eq!(ways(4, 1), ["(0,0)"]); // from (1,0) to (0,1): down first
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
        summary: "Meshes and hypercubes: all steps down first, then all steps up, in any order",
        source: "Glass and Ni, The turn model for adaptive routing, ISCA 1992",
        example: "virtual_channels = 2",
        schema: schema_of::<NegativeFirst>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<NegativeFirst, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |shape| is_mesh(shape, None),
};

const NAME: &str = "negative-first";

/// Parameters of negative-first routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NegativeFirst {
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for NegativeFirst {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let on = (network, context);
        adaptive::of_turns(NAME, Rule, None, self.virtual_channels, on)
    }
}

struct Rule;

impl TurnModel for Rule {
    fn may(&self, here: &[u32], there: &[u32], way: &Way<'_>, _: u8) -> bool {
        let mut pairs = here.iter().zip(there);
        !way.positive || pairs.all(|(here, there)| there >= here)
    }
}
