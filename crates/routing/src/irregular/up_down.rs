//! Up*/down* routing: up towards the root of a tree as often as it takes, and then down, never up again.
//!
//! Which end of a link is up, a spanning tree says ([`Root`] says where it begins), so that no circle of
//! dependencies closes, on any network and with a single virtual channel. Of the legal paths a shortest one is taken;
//! it may be longer than the shortest of all, and channels near the root are loaded most. Virtual channels are lanes: a packet
//! takes any that is free.
//!
//! Where a network falls apart every part has a tree of its own.
//!
//! Source: Schroeder et al., "Autonet: a high-speed, self-configuring local area network using point-to-point links", IEEE JSAC 9(8), 1991.
//!
//! Complexity: O(destination routers x channels) to build, times the diameter if balanced; O(1) a hop; four bytes for each
//! router and destination router.
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{RandomRegular, Topology};
//! use turnwise_routing::algorithms::UpDown;
//! use turnwise_routing::{Algorithm, Context};
//!
//! let network = Arc::new(RandomRegular::default().build(None)?);
//! let routing = UpDown::default().build(&network, &Context::default())?;
//! assert_eq!(routing.virtual_channels(), 1);
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use super::layers::Layers;
use super::orientation::both_ways;
use super::root::Root;
use super::search::TieBreak;
use super::table::{self, Table};
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use crate::common::only_way::OnlyWay;
use crate::common::vc_plan::VcPlan;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["updn"],
        summary: "Any network: up towards the root of a tree, then down",
        source: "Schroeder et al., Autonet, IEEE JSAC 9(8), 1991",
        example: "root = \"min-ecc\"\nties = \"balanced\"",
        schema: schema_of::<UpDown>,
        parse: |table, errors| Some(Box::new(parse_as::<UpDown, dyn Algorithm>(table, errors)?)),
    },
    fits: super::carries_both_ways,
};

const NAME: &str = "up-down";

/// Parameters of up*/down* routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UpDown {
    /// Where the tree is rooted: how the router is found, or its number.
    pub root: Root,
    /// Which of several equally near next hops to take.
    pub ties: TieBreak,
    /// Virtual channels to use as lanes: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for UpDown {
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::EveryRoute
    }

    fn table_bytes(&self, network: &Network) -> u64 {
        table::bytes(network, 2)
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        both_ways(NAME, network)?;
        let order = self.root.orient(network, context.seed)?;
        let plan = VcPlan::new(NAME, self.virtual_channels, 1, context)?;
        let table = Table::new(
            network,
            Layers::new(vec![order], 1),
            plan,
            |_| plan.every_class(),
            (self.ties, context.seed),
        );
        Ok(Box::new(OnlyWay(table)))
    }
}
