//! Minimal adaptive routing: any shortest way, the least congested port first, with an escape.
//!
//! In every dimension that it has not finished, a packet may take the next step: fully adaptive and
//! minimal. It chooses the port with the fewest flits under way to the next router, and among equals
//! at random. If all virtual channels there are taken it asks again, any port at random, until it
//! gets one.
//!
//! **Escape** (`escape = "dimension-order"`). Fully adaptive packets would wait for each other in circles.
//! So the lowest virtual channels are kept for dimension order: one, or on rings two, of which a
//! packet takes the upper one on its way up as long as it has still to wrap around, and on its way down
//! afterwards. Every head that waits asks for them too, and may return to the other virtual channels
//! in the next router. They keep the routing free of deadlock (Duato's theorem; the verifier proves it)
//! if a buffer holds the flits of one packet at a time (`router.wait_for_tail_credit`) or
//! whole packets, which is why routers have virtual cut-through if the study does not say. In plain
//! wormhole routers a head may stand behind another packet's tail, where it cannot turn to the escape:
//! Ma, Enright Jerger, Wang, "Whole packet forwarding", HPCA 2012. With `escape = "none"` all virtual
//! channels are adaptive.
//!
//! **Overload.** Nothing limits what terminals send, and on rings the adaptive virtual channels then fill up all
//! the way round: what still moves is little more than the escape. On an 8x8 torus under tornado traffic
//! 0.20 flits a terminal and cycle are accepted below saturation and 0.016 beyond it. Networks of this kind are known
//! for it: Thottethodi, Lebeck, Mukherjee, "Self-tuned congestion control for multiprocessor networks", HPCA 2001.
//!
//! **Faults.** A packet only takes ports behind which dimension order's way survives, so that there is
//! always an escape, or without an escape ports behind which any shortest way does; a pair without one is not routed.
//!
//! Source: Duato, "A new theory of deadlock-free adaptive routing in wormhole networks", IEEE TPDS 4(12),
//! 1993; dateline classes by what is still to come: Dally and Seitz, IEEE Trans. Computers 36(5), 1987.
//!
//! Complexity: O(dimensions) a hop, O(routers x dimensions) memory; with faults also routers squared bits.
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{Mesh, Topology};
//! use turnwise_network::{RouterId, TerminalId, VcSet};
//! use turnwise_routing::algorithms::MinimalAdaptive;
//! use turnwise_routing::{Algorithm, Context};
//!
//! let mesh = Arc::new(Mesh { sizes: vec![4, 4], ..Mesh::default() }.build(None)?);
//! let routing = MinimalAdaptive::default().build(&mesh, &Context::default())?;
//! // From (0,0) to (1,2): along x on both virtual channels, along y on the adaptive one.
//! let header = routing.start(TerminalId(0), TerminalId(6)).expect("no faults").header;
//! let mut options = Vec::new();
//! routing.options(RouterId(0), header, &mut options);
//! assert_eq!(options.iter().map(|hop| hop.vcs).collect::<Vec<_>>(), [VcSet::all(2), VcSet::one(1)]);
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults, misfit};
use crate::common::vc_plan::VcPlan;
use crate::grid::adaptive::{self, GridAdaptive};
use crate::grid::dimension::Joined;
use crate::grid::legs::GRIDS;
use crate::grid::ports::{GridPorts, Way};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{FlowControl, Invalid, Network, Routing, Shape, Vc, VcSet};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["fully-adaptive"],
        summary: "Grids and HyperX: any shortest way by congestion, with dimension order as an escape",
        source: "Duato, A new theory of deadlock-free adaptive routing in wormhole networks, IEEE TPDS 4(12), 1993",
        example: "escape = \"dimension-order\"\nvirtual_channels = 4",
        schema: schema_of::<MinimalAdaptive>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<MinimalAdaptive, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |shape| matches!(shape, Shape::Grid(_) | Shape::HyperX(_)),
};

const NAME: &str = "minimal-adaptive";

/// Parameters of minimal adaptive routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MinimalAdaptive {
    /// What keeps it free of deadlock.
    pub escape: Escape,
    /// Virtual channels to use, those of the escape included: by default all the router has, or
    /// else one more than the escape needs, which is 2 on rings, 1 elsewhere.
    pub virtual_channels: Option<Vc>,
}

/// Virtual channels to which packets can always turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Escape {
    /// The lowest ones lead along one dimension after the other, on rings in two classes.
    #[default]
    DimensionOrder,
    /// There are none: packets can deadlock.
    None,
}

impl Algorithm for MinimalAdaptive {
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        match self.escape {
            // Packets keep to where dimension order still leads on.
            Escape::DimensionOrder => UnderFaults::NewRules,
            Escape::None => UnderFaults::SurvivingRoutes,
        }
    }

    fn is_free_of_deadlock(&self, _: &Shape) -> bool {
        self.escape != Escape::None
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let Some(ports) = GridPorts::of(network) else {
            return Err(misfit(NAME, GRIDS, network));
        };
        let mut joined = ports.dimensions.iter().map(|dimension| dimension.joined);
        let escapes = match self.escape {
            Escape::None => 0,
            Escape::DimensionOrder => 1 + Vc::from(joined.any(|joined| joined == Joined::Ring)),
        };
        let plan = VcPlan::new(NAME, self.virtual_channels, escapes + 1, context)?;
        if plan.used <= escapes {
            let message = format!(
                "an escape of {escapes} and one adaptive virtual channel are {}, found {}",
                escapes + 1,
                plan.used
            );
            let help = format!("take virtual_channels = {} or more", escapes + 1);
            return Err(Invalid::new("virtual_channels", message).with_help(help));
        }
        let rule = Rule {
            escapes,
            used: plan.used,
        };
        Ok(Box::new(GridAdaptive::new(ports, plan, rule)))
    }

    fn flow_control(&self) -> FlowControl {
        FlowControl::VirtualCutThrough
    }
}

struct Rule {
    /// The lowest virtual channels, that are kept for dimension order.
    escapes: Vc,
    used: Vc,
}

impl adaptive::Rule for Rule {
    fn may(&self, _: &[u32], _: &[u32], _: &Way<'_>, _: u8) -> bool {
        true
    }

    fn has_escape(&self) -> bool {
        self.escapes > 0
    }

    fn vcs(&self, way: &Way<'_>) -> VcSet {
        let adaptive = VcSet::range(self.escapes, self.used);
        VcSet(adaptive.0 | self.escape_of(way).0)
    }

    /// Those on which this way is dimension order's; none if it is not.
    fn escape_of(&self, way: &Way<'_>) -> VcSet {
        match way.dimension.joined {
            _ if !way.is_first || self.escapes == 0 => VcSet::default(),
            Joined::Ring => VcSet::one(Vc::from(way.step.upper_class(way.positive))),
            Joined::Line | Joined::Row => VcSet::all(self.escapes),
        }
    }
}
