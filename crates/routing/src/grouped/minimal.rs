//! Minimal routing of networks with groups: at most one global channel.
//!
//! **Dragonfly**: local, global, local. The source's router draws one of the parallel links
//! between both groups, and the header remembers it (`via`). Class 0 serves the source
//! group, class 1 the global channel and the destination group, as in BookSim's
//! `min_dragonflynew`; traffic inside a group stays in class 0. So local channels of class 0
//! come before global ones, which come before local ones of class 1: free of
//! deadlock with two virtual channels. (BookSim uses two, one a class, however many the router
//! has: to compare with it, write `virtual_channels = 2`.)
//!
//! **Megafly**: up, global, down. The leaf draws one of the links between both groups and
//! thereby the spine; inside a group it draws a spine. Up before global before down: one
//! virtual channel suffices.
//!
//! **Faults.** A packet draws among the links whose owner it can reach and whose far end
//! reaches the destination; a pair without any is not routed.
//!
//! Source: Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology",
//! ISCA 2008; Flajslik, Borch, Parker, "Megafly: a topology for exascale systems", ISC 2018.
//!
//! Complexity: O(1) a hop (with faults O(parallel links) at the source), memory O(groups
//! squared + global links).
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{Dragonfly, Topology};
//! use turnwise_network::{RouterId, TerminalId, VcSet};
//! use turnwise_routing::algorithms::Minimal;
//! use turnwise_routing::{Algorithm, Context};
//!
//! let network = Arc::new(Dragonfly::default().build(None)?);
//! let routing = Minimal::default().build(&network, &Context::default())?;
//! let start = routing.start(TerminalId(0), TerminalId(70)).expect("no faults");
//! let mut options = Vec::new();
//! routing.options(RouterId(0), start.header, &mut options);
//! // Groups 0 and 8 are joined by one link, which leaves from another router: first go there.
//! assert_eq!(options.len(), 1);
//! assert_eq!(options[0].vcs, VcSet::one(0));
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

mod dragonfly;
mod megafly;

use crate::algorithm::{Algorithm, AlgorithmEntry, Context, misfit};
use crate::common::vc_plan::VcPlan;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["min"],
        summary: "Dragonfly and megafly: a random one of the shortest routes, over one global channel",
        source: "Kim, Dally, Scott, Abts, Technology-driven, highly-scalable dragonfly topology, ISCA 2008",
        example: "virtual_channels = 2",
        schema: schema_of::<Minimal>,
        parse: |table, errors| Some(Box::new(parse_as::<Minimal, dyn Algorithm>(table, errors)?)),
    },
    fits: |shape| matches!(shape, Shape::Dragonfly(_) | Shape::Megafly(_)),
};

const NAME: &str = "minimal";

/// Parameters of minimal routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Minimal {
    /// Virtual channels to spread the classes over: by default all the router has, or else 2 on a
    /// dragonfly and 1 on a megafly.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for Minimal {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let plan = |default| VcPlan::new(NAME, self.virtual_channels, default, context);
        match network.shape() {
            Shape::Dragonfly(shape) => Ok(Box::new(dragonfly::MinimalDragonfly::new(
                network,
                shape,
                plan(2)?,
            ))),
            Shape::Megafly(shape) => Ok(Box::new(megafly::MinimalMegafly::new(
                network,
                shape,
                plan(1)?,
            ))),
            _ => Err(misfit(NAME, "dragonfly and megafly networks", network)),
        }
    }
}
