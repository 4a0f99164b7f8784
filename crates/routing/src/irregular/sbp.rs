//! Structured buffer pools: at every hop a packet goes on to the next class of buffers.
//!
//! A packet is injected into class 0 and takes the next class at every hop, on any shortest path. So D + 1 classes, a virtual channel or
//! more each, are enough where the longest path has D hops, and no dependency ever leads back. With D virtual channels, if the study
//! says so, packets are injected into class 0 and take it at their first hop as well: injection channels close no circles.
//!
//! Source: Merlin, Schweitzer, "Deadlock avoidance in store-and-forward networks I", IEEE Trans. Communications 28(3), 1980; as
//! in Koibuchi et al., "Performance evaluation of routing algorithms in RHiNET-2 cluster", CLUSTER 2003.
//!
//! Complexity: as `shortest-path`.

use super::search::{Search, TieBreak};
use super::ways::AnyWay;
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use crate::common::endpoints::ejection;
use crate::common::only_way::{OnlyWay, Rule};
use crate::common::vc_plan::VcPlan;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::tables::NextHopTable;
use turnwise_network::{
    Header, Hop, Invalid, Network, RouterId, Routing, Shape, Start, TerminalId, Vc, VcSet,
};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["structured-buffer-pool"],
        summary: "Any network: a shortest path, the next class of virtual channels at every hop",
        source: "Merlin, Schweitzer, Deadlock avoidance in store-and-forward networks I, IEEE Trans. Communications 28(3), 1980",
        example: "ties = \"balanced\"",
        schema: schema_of::<Sbp>,
        parse: |table, errors| Some(Box::new(parse_as::<Sbp, dyn Algorithm>(table, errors)?)),
    },
    fits: |_| true,
};

const NAME: &str = "sbp";

/// Parameters of structured buffer pools.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sbp {
    /// Which of several equally near next hops to take.
    pub ties: TieBreak,
    /// Virtual channels to use: by default all the router has, or else one more than the longest path has hops.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for Sbp {
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::EveryRoute
    }

    fn table_bytes(&self, network: &Network, _: &Context<'_>) -> u64 {
        2 * (network.router_count() as u64).pow(2)
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let mut search = Search::new(network, &AnyWay, self.ties, context.seed);
        let table = NextHopTable::new(network, |destination, ports| {
            search.routes(destination, ports);
        })?;
        let hops = table.longest_route();
        let asked = self.virtual_channels.or(context.router_virtual_channels);
        // Injection shares a class with the first hop where there is none to spare.
        let most = u32::from(VcSet::CAPACITY);
        let available = asked.map_or(most, u32::from);
        let injection = u32::from(available > hops);
        let classes = (hops + injection).max(1);
        if classes > available {
            let message = format!(
                "the longest path has {hops} hops, each with a class of its own; there are {available} virtual channels"
            );
            let invalid = Invalid::new("virtual_channels", message);
            return Err(match hops < most {
                true => invalid.with_help(format!("take {hops} or {} virtual channels", hops + 1)),
                false => invalid,
            });
        }
        let plan = VcPlan::new(NAME, self.virtual_channels, classes as Vc, context)?;
        let classes = classes as usize;
        Ok(Box::new(OnlyWay(Pools {
            network: network.clone(),
            table,
            plan,
            vcs: (0..classes)
                .map(|class| plan.class(class, classes))
                .collect(),
            first: injection,
        })))
    }
}

struct Pools {
    network: Arc<Network>,
    table: NextHopTable,
    plan: VcPlan,
    /// By class.
    vcs: Vec<VcSet>,
    /// The class of the first hop.
    first: u32,
}

impl Rule for Pools {
    fn plan(&self) -> &VcPlan {
        &self.plan
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let start = self.table.start(source, destination)?;
        let [from, to] = [source, destination].map(|terminal| self.network.router_of(terminal));
        Some(Start {
            header: Header {
                step: if from == to { 0 } else { self.first },
                ..start.header
            },
            vcs: self.vcs[0],
        })
    }

    /// `Header::step` is the class to take next; 0 after the last hop, which nobody minds.
    fn hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let destination = self.network.router_of(header.destination);
        if at == destination {
            return Some(ejection(&self.network, header, self.plan.all()));
        }
        let port = self.table.port(at, destination)?;
        let is_last = self.network.next_router(at, port) == Some(destination);
        let step = if is_last { 0 } else { header.step + 1 };
        Some(Hop {
            port,
            vcs: *self.vcs.get(header.step as usize)?,
            header: Header { step, ..header },
        })
    }

    fn memory_bytes(&self) -> u64 {
        self.table.memory_bytes()
    }
}
