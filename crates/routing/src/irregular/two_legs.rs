//! Legs of routes on any network: shortest paths, one for each pair of routers, in classes by hop.
//!
//! Each of the two legs has as many classes of virtual channels as the longest shortest path has hops, and takes them one after the
//! other. So dependencies only ever increase: free of deadlock with twice as many virtual channels as the longest path has hops.
//!
//! Intermediate routers are those with terminals.
//!
//! Source: Günther, "Prevention of deadlocks in packet-switched data transport systems", IEEE Trans. Communications 29(4), 1981; Besta and
//! Hoefler, "Slim Fly: a cost effective low-diameter network topology", SC 2014, section IV.
//!
//! Complexity: that of balanced shortest paths, O(1) a hop, O(hops) for a distance; one or two bytes for each router and destination router.

use super::search::{Search, TieBreak};
use super::ways::AnyWay;
use crate::algorithm::Context;
use crate::common::two_legs::{Intermediates, Legs};
use crate::common::vc_plan::VcPlan;
use std::fmt::Debug;
use std::sync::Arc;
use turnwise_network::tables::NextHopTable;
use turnwise_network::{
    Header, Hop, Invalid, Network, PopulatedRouters, RouterId, Routing, Vc, VcSet,
};

/// `Header::class` counts hops on a leg.
pub(crate) struct PathLegs {
    network: Arc<Network>,
    table: NextHopTable,
    plan: VcPlan,
    /// By leg, then by hop.
    classes: [Vec<VcSet>; 2],
    /// Does every router with terminals reach every other one?
    complete: bool,
}

impl PathLegs {
    /// Bytes of the table, at most, with what building it takes.
    pub(crate) fn table_bytes(network: &Network) -> u64 {
        // As much again while it is built.
        2 * super::table::bytes(network, 1)
    }

    /// # Errors
    /// Virtual channels that the router does not have.
    pub(crate) fn new(
        kind: &str,
        virtual_channels: Option<Vc>,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Self, Invalid> {
        let mut search = Search::new(network, &AnyWay, TieBreak::Balanced, context.seed);
        let table = NextHopTable::new(network, |destination, ports| {
            search.routes(destination, ports);
        })?;
        let longest = table.longest_route().max(1) as usize;
        let most = usize::from(VcSet::CAPACITY);
        if 2 * longest > most && virtual_channels.is_none() {
            let message = format!(
                "`{kind}` needs {} virtual channels on this network, two for each hop of its longest path, and no channel has more than {most}",
                2 * longest
            );
            let help = format!("with virtual_channels = {most} it can deadlock");
            return Err(Invalid::new("virtual_channels", message).with_help(help));
        }
        let needed = (2 * longest).min(most) as Vc;
        let plan = VcPlan::new(kind, virtual_channels, needed, context)?;
        let of_leg = |leg| {
            let class = |hop| plan.class(leg * longest + hop, 2 * longest);
            (0..longest).map(class).collect()
        };
        let ends = PopulatedRouters::new(network).routers;
        let connected = |from: &RouterId| {
            let reaches = |to: &RouterId| from == to || table.port(*from, *to).is_some();
            ends.iter().all(reaches)
        };
        Ok(Self {
            complete: ends.iter().all(connected),
            network: network.clone(),
            plan,
            classes: [0, 1].map(of_leg),
            table,
        })
    }
}

impl Legs for PathLegs {
    fn network(&self) -> &Network {
        &self.network
    }

    fn plan(&self) -> &VcPlan {
        &self.plan
    }

    #[inline]
    fn hops(&self, leg: usize, at: RouterId, to: RouterId, header: Header) -> [Option<Hop>; 2] {
        let hop = self.table.port(at, to).map(|port| {
            let arrives = self.network.next_router(at, port) == Some(to);
            let class = if arrives { 0 } else { header.class + 1 };
            Hop {
                port,
                vcs: self.classes[leg][usize::from(header.class)],
                header: Header { class, ..header },
            }
        });
        [hop, None]
    }

    #[inline]
    fn reaches(&self, _: usize, from: RouterId, to: RouterId) -> bool {
        self.complete || from == to || self.table.port(from, to).is_some()
    }

    fn is_complete(&self) -> bool {
        self.complete
    }

    fn has_ties(&self) -> bool {
        false
    }

    fn distance(&self, from: RouterId, to: RouterId) -> u32 {
        let mut at = from;
        let mut hops = 0;
        while let Some(port) = self.table.port(at, to) {
            let Some(next) = self.network.next_router(at, port) else {
                break;
            };
            (at, hops) = (next, hops + 1);
        }
        hops
    }

    fn words(&self) -> impl Debug {
        (self.plan, &self.classes)
    }

    fn memory_bytes(&self) -> u64 {
        self.table.memory_bytes()
    }
}

/// Any router with terminals.
impl Intermediates<PathLegs> for PopulatedRouters {
    const WORDS: &'static str = "any router with terminals";
    const ARE_SAME: bool = true;

    fn count(&self, _: &PathLegs, _: RouterId, _: RouterId) -> u32 {
        self.routers.len() as u32
    }

    fn nth(&self, _: &PathLegs, _: RouterId, _: RouterId, n: u32) -> RouterId {
        self.routers[n as usize]
    }
}
