//! Valiant's routing: minimally to a random intermediate place, then minimally on to the
//! destination, so that every traffic pattern looks random.
//!
//! **Grids and HyperX.** The intermediate router is any of the network, source and destination included, with the
//! same probability; both ways are in dimension order. The second has virtual channels of its own, and
//! each two dateline classes on rings, unless flow control is bubble: 4 virtual channels on a torus with rings,
//! 2 elsewhere. So every pattern in which no terminal sends or receives more than others loads
//! channels at most twice as much as uniform traffic does.
//!
//! **Networks without structure**, Slim Fly and random graphs among them. The intermediate router is any with terminals, source and
//! destination included; both ways are shortest paths, one for each pair of routers, in classes by hop: twice as many virtual channels as
//! the longest shortest path has hops, 4 on a Slim Fly that has lost nothing.
//!
//! **Networks with groups.**
//! The intermediate group is neither the source's nor the destination's, and uniformly random.
//! The place is, on a **dragonfly**, a random router of that group (`via = "router"`, five or
//! six channels) or the router at which the packet happens to arrive (`via = "group"`, which
//! overloads local channels under some patterns: García et al., ICPP 2012); on a **megafly**
//! a random leaf, drawn by the spine at which the packet arrives (`via = "group"`) or by the
//! source (`via = "leaf"`). With `gg_shortcut` a megafly's spine that has a link to the
//! destination group takes it without turning at a leaf.
//!
//! **Classes.** Local and global channels are different channels, so that they share numbers.
//!
//! | channel | `router` | `group` |
//! |---|---|---|
//! | local in the source group, first global | 0 | 0 |
//! | local to the intermediate router | 1 | |
//! | local from there on, second global | 2 | 1 |
//! | local in the destination group | 3 | 2 |
//!
//! Four and three virtual channels are the fewest, because a route may cross as many local
//! channels one after the other. A megafly needs two: one up to the turning point, another from there on.
//! Fewer than that cap the class and can deadlock.
//!
//! Traffic inside a group goes minimally in class 0 unless `intra_group = "valiant"`.
//!
//! **Faults.** A packet draws among what survives. If no intermediate place survives, or
//! there is no third group, it goes minimally; if that is impossible, the pair is not routed. On a dragonfly packets that have lost
//! a channel inside a group [go round](crate::grouped::rounds) by other routers of it, in the same class. On grids and HyperX
//! (where the source itself is an intermediate place) a pair is routed if some router can be reached
//! from the source, and the destination from there, in dimension order. On networks without structure whatever is connected is routed.
//!
//! Source: Valiant, "A scheme for fast parallel communication", SIAM J. Computing 11(2), 1982;
//! Kim et al., ISCA 2008; Flajslik et al., ISC 2018; Besta and Hoefler, "Slim Fly: a cost effective low-diameter network
//! topology", SC 2014.
//!
//! Complexity: O(1) a hop, O(dimensions) on grids; with faults, in the worst case the source looks at all
//! intermediate places. Memory O(groups squared + global links); on grids with faults routers squared bits; without structure a byte
//! or two for each router and destination router.
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{Dragonfly, Topology};
//! use turnwise_network::{RouterId, TerminalId};
//! use turnwise_routing::algorithms::Valiant;
//! use turnwise_routing::{Algorithm, Context};
//!
//! let network = Arc::new(Dragonfly::default().build(None)?);
//! let routing = Valiant::default().build(&network, &Context::default())?;
//! assert_eq!(routing.virtual_channels(), 4);
//! let start = routing.start(TerminalId(0), TerminalId(70)).expect("no faults");
//! let mut options = Vec::new();
//! routing.options(RouterId(0), start.header, &mut options);
//! // 7 other groups with 4 routers each, and one link to each group.
//! assert_eq!(options.len(), 7 * 4);
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

mod dragonfly;
mod megafly;

use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults, misfit};
use crate::common::two_legs::{Anywhere, TwoLegs};
use crate::common::vc_plan::VcPlan;
use crate::grid::legs::GridLegs;
use crate::grouped::megafly_draws::Turning;
use crate::grouped::via::{
    MISSED_LEAF, NO_LEAVES, ONLY_SPINES, ROUTES, has_detours, no_groups, only_routers,
    wrong_shortcut, wrong_via,
};
use crate::irregular::two_legs::PathLegs;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, PopulatedRouters, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["val"],
        summary: "Grids, HyperX, dragonfly, megafly and irregular: minimally to a random place, then minimally on",
        source: "Valiant, A scheme for fast parallel communication, SIAM J. Computing 11(2), 1982",
        example: "via = \"group\"\nintra_group = \"minimal\"\nvirtual_channels = 3",
        schema: schema_of::<Valiant>,
        parse: |table, errors| Some(Box::new(parse_as::<Valiant, dyn Algorithm>(table, errors)?)),
    },
    fits: has_detours,
};

const NAME: &str = "valiant";

/// Parameters of Valiant's routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Valiant {
    /// The intermediate place: by default a group on a megafly, a router elsewhere.
    pub via: Option<Via>,
    /// How traffic inside a group goes (dragonfly, megafly).
    pub intra_group: IntraGroup,
    /// May a megafly's spine go from group to group without turning at a leaf?
    pub gg_shortcut: bool,
    /// Virtual channels to spread the classes over: by default all the router has, or else as many as there are classes: 4 on a dragonfly
    /// (3 by groups) and on tori, 2 on a megafly, on other grids and on HyperX, elsewhere two for each hop of the longest shortest path.
    pub virtual_channels: Option<Vc>,
}

/// Where a packet goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Via {
    /// A random router, on a dragonfly of a random group (all but megafly).
    Router,
    /// A random group, wherever it arrives there.
    Group,
    /// A random leaf of a random group (megafly).
    Leaf,
}

/// How traffic between routers of one group goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IntraGroup {
    /// Without leaving the group.
    #[default]
    Minimal,
    /// Over another group, like all other traffic.
    Valiant,
}

impl Algorithm for Valiant {
    fn under_faults(&self, shape: &Shape) -> UnderFaults {
        match shape {
            // If no detour survives packets go minimally.
            Shape::Dragonfly(_) | Shape::Megafly(_) => UnderFaults::FurtherRoutes,
            Shape::Graph => UnderFaults::EveryRoute,
            _ => UnderFaults::SurvivingRoutes,
        }
    }

    fn table_bytes(&self, network: &Network, _: &Context<'_>) -> u64 {
        match network.shape() {
            Shape::Graph => PathLegs::table_bytes(network),
            _ => 0,
        }
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let plan = |default| VcPlan::new(NAME, self.virtual_channels, default, context);
        let everywhere = self.intra_group == IntraGroup::Valiant;
        match network.shape() {
            Shape::Dragonfly(shape) => {
                let by_router = match self.via.unwrap_or(Via::Router) {
                    Via::Router => true,
                    Via::Group => false,
                    Via::Leaf => {
                        return Err(wrong_via(NO_LEAVES, "\"router\" and \"group\""));
                    }
                };
                if self.gg_shortcut {
                    return Err(wrong_shortcut(ONLY_SPINES));
                }
                let plan = plan(if by_router { 4 } else { 3 })?;
                Ok(Box::new(dragonfly::ValiantDragonfly::new(
                    network, shape, plan, by_router, everywhere,
                )))
            }
            Shape::Megafly(shape) => {
                let by_leaf = match self.via.unwrap_or(Via::Group) {
                    Via::Leaf => true,
                    Via::Group => false,
                    Via::Router => {
                        return Err(wrong_via(
                            "a megafly's routers are leaves and spines",
                            "\"group\" and \"leaf\"",
                        ));
                    }
                };
                if self.gg_shortcut && by_leaf {
                    return Err(wrong_shortcut(MISSED_LEAF));
                }
                let shortcut = self.gg_shortcut;
                let turning = match by_leaf {
                    true => Turning::Leaf,
                    false => Turning::Arrival { shortcut },
                };
                Ok(Box::new(megafly::ValiantMegafly::new(
                    network,
                    shape,
                    plan(2)?,
                    turning,
                    everywhere,
                )))
            }
            Shape::Grid(_) | Shape::HyperX(_) => {
                self.without_groups()?;
                let vcs = self.virtual_channels;
                Ok(Box::new(TwoLegs {
                    legs: GridLegs::two(NAME, ROUTES, vcs, network, context)?,
                    intermediates: Anywhere,
                }))
            }
            Shape::Graph => {
                self.without_groups()?;
                Ok(Box::new(TwoLegs {
                    legs: PathLegs::new(NAME, self.virtual_channels, network, context)?,
                    intermediates: PopulatedRouters::new(network),
                }))
            }
            _ => Err(misfit(NAME, ROUTES, network)),
        }
    }
}

impl Valiant {
    /// Refuses what only networks with groups know.
    fn without_groups(&self) -> Result<(), Invalid> {
        if self.intra_group != IntraGroup::Minimal {
            return Err(no_groups("intra_group"));
        }
        let by_router = matches!(self.via, None | Some(Via::Router));
        only_routers(by_router, self.gg_shortcut)
    }
}
