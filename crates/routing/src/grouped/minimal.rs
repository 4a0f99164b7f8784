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
//! With `classes = "supersim"` class 0 serves the global channel as well; the classes take the virtual channels in turn
//! (0, 2, 4 and 1, 3 of five); and packets [settle](crate::common::committed) for the least occupied of them. So SuperSim's
//! `minimal` (McDonald et al., ISPASS 2018).
//!
//! **Megafly**: up, global, down. The leaf draws one of the links between both groups and
//! thereby the spine; inside a group it draws a spine. Up before global before down: one
//! virtual channel suffices.
//!
//! **Faults.** A packet draws among the links whose owner it can reach and whose far end
//! reaches the destination; a pair without any is not routed. On a dragonfly packets that have lost a channel inside a group
//! [go round](crate::grouped::rounds) by other routers of it, in the same class, if no link spares them that.
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

use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults, misfit};
use crate::common::committed::Committed;
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
        summary: "Dragonfly and megafly: over one global channel, any of those between the two groups",
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
    /// Which virtual channels a packet takes where, and when it decides for one of them.
    pub classes: MinimalClasses,
    /// Virtual channels to spread the classes over: by default all the router has, or else 2 on a
    /// dragonfly and 1 on a megafly.
    pub virtual_channels: Option<Vc>,
}

/// Which virtual channels a packet takes where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MinimalClasses {
    /// On a dragonfly two classes, the second from the global channel on. A head takes any virtual channel of its class
    /// that is free.
    #[default]
    Booksim,
    /// The second from behind the global channel on. A packet settles for the least occupied of its class when it is
    /// routed, and for any as it leaves its source.
    Supersim,
}

impl Algorithm for Minimal {
    fn under_faults(&self, shape: &Shape) -> UnderFaults {
        match shape {
            Shape::Dragonfly(_) => UnderFaults::RoundInGroups,
            _ => UnderFaults::SurvivingRoutes,
        }
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let plan = |default| VcPlan::new(NAME, self.virtual_channels, default, context);
        match network.shape() {
            Shape::Dragonfly(shape) => {
                let routing =
                    dragonfly::MinimalDragonfly::new(network, shape, plan(2)?, self.classes);
                Ok(self.settling(routing))
            }
            Shape::Megafly(shape) => {
                Ok(self.settling(megafly::MinimalMegafly::new(network, shape, plan(1)?)))
            }
            _ => Err(misfit(NAME, "dragonfly and megafly networks", network)),
        }
    }
}

impl Minimal {
    /// Packets settle for one virtual channel when they are routed, or else take any that is free.
    fn settling(&self, routing: impl Routing + 'static) -> Box<dyn Routing> {
        match self.classes {
            MinimalClasses::Booksim => Box::new(routing),
            MinimalClasses::Supersim => Box::new(Committed(routing)),
        }
    }
}
