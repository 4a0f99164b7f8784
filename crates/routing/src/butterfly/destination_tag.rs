//! Destination tag: through a butterfly, each stage takes the output that the destination's digit names.
//!
//! There is one route for each pair. A packet for a terminal of its own router goes through all
//! stages too. Channels only lead from stage to stage, so one virtual channel is free of deadlock; packets
//! take any of all the router's.
//!
//! **Faults.** A pair whose route has lost a channel is not routed.
//!
//! Source: Dally and Towles, Principles and Practices of Interconnection Networks, chapter 4; Lawrie,
//! "Access and alignment of data in an array processor", IEEE Trans. Computers 24(12), 1975.
//!
//! Complexity: O(1) a hop, no memory; with faults O(stages) at the source.
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{KAryNFly, Topology};
//! use turnwise_network::{RouterId, TerminalId};
//! use turnwise_routing::algorithms::DestinationTag;
//! use turnwise_routing::{Algorithm, Context};
//!
//! let network = Arc::new(KAryNFly { arity: 2, stages: 3, ..KAryNFly::default() }.build(None)?);
//! let routing = DestinationTag::default().build(&network, &Context::default())?;
//! // Terminal 6 is 110 in binary: the first stage takes output 1, the second 1, the last 0.
//! let start = routing.start(TerminalId(0), TerminalId(6)).expect("no faults");
//! let mut options = Vec::new();
//! routing.options(RouterId(0), start.header, &mut options);
//! let next = network.next_router(RouterId(0), options[0].port).expect("a switch");
//! assert_eq!(network.router_label(next), "stage 1 switch 2");
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::algorithm::{Algorithm, AlgorithmEntry, Context, misfit};
use crate::common::endpoints;
use crate::common::only_way::{self, OnlyWay};
use crate::common::vc_plan::VcPlan;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::shape::Butterfly;
use turnwise_network::{
    Header, Hop, Invalid, Network, RouterId, Routing, Shape, Start, TerminalId, Vc,
};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Butterflies: each stage takes the output that the destination's digit names",
        source: "Lawrie, Access and alignment of data in an array processor, IEEE Trans. Computers 24(12), 1975",
        example: "virtual_channels = 2",
        schema: schema_of::<DestinationTag>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<DestinationTag, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |shape| matches!(shape, Shape::Butterfly(_)),
};

const NAME: &str = "destination-tag";

/// Parameters of destination-tag routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DestinationTag {
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for DestinationTag {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let Shape::Butterfly(shape) = network.shape() else {
            return Err(misfit(NAME, "butterflies", network));
        };
        let plan = VcPlan::new(NAME, self.virtual_channels, 1, context)?;
        let complete = network.channel_count() == network.router_count() * shape.arity as usize;
        Ok(Box::new(OnlyWay(Tagged {
            network: network.clone(),
            shape: shape.clone(),
            plan,
            complete,
        })))
    }
}

/// `Header::phase` of a packet that its source has not sent into the second stage yet.
const SOURCE: u8 = 0;
/// On the way, or at the end of it.
const UNDER_WAY: u8 = 1;

struct Tagged {
    network: Arc<Network>,
    shape: Butterfly,
    plan: VcPlan,
    complete: bool,
}

impl only_way::Rule for Tagged {
    fn plan(&self) -> &VcPlan {
        &self.plan
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let network = &self.network;
        let alive = endpoints::live(network, source, destination);
        let header = Header::to(destination);
        let most = self.shape.stages as usize;
        (alive && (self.complete || self.arrives(network, source, header, most))).then(|| Start {
            header,
            vcs: self.plan.all(),
        })
    }

    fn hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let (stage, _) = self.shape.stage_and_index(at.0);
        if stage == 0 && header.phase != SOURCE {
            return Some(endpoints::ejection(&self.network, header, self.plan.all()));
        }
        let to = self.network.router_of(header.destination);
        let port = self.shape.port(stage, self.shape.digit(stage, to.0));
        let alive = self.complete || self.network.out_channel(at, port).is_some();
        let header = Header {
            phase: UNDER_WAY,
            ..header
        };
        let vcs = self.plan.every_class();
        alive.then_some(Hop { port, vcs, header })
    }
}
