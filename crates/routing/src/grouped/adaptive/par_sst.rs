//! Progressive adaptive routing of a megafly as SST-macro has it (`dragonfly_plus_par`).
//!
//! The source's leaf decides nothing: packets go up to the spines that have a link to the destination group. The spine compares one of
//! its own links to that group with a random one of its own links to third groups, and stays minimal if
//!
//! ```text
//! q_min <= 2 * q_val + threshold
//! ```
//!
//! From the spine it arrives at a detour goes straight on if that has a link to the destination group, and down to a leaf if not.
//!
//! SST-macro takes the spines, and parallel links of a spine, in turn. Here they are drawn, links alike, because a routing has no state. SST-macro
//! refuses networks whose spines do not have links to all groups; restricting the leaf to those that have, and the way down
//! to a leaf, are ours.
//!
//! **Classes.** As UGAL's on a megafly: see `megafly.rs` beside this file. **Faults.** A leaf that reaches no spine with a link to the destination
//! group makes a detour itself; a spine that has lost its shortcut goes down to a leaf.
//!
//! Source: SST-macro 9.0, `dragonfly_plus_par`; Newaz, Mollah, Faizian, Tong, CCGrid 2021, which compares with it.
//!
//! Complexity: O(1); with faults, in the worst case a decision looks at all
//! detours. Memory as `valiant`.

use super::local::Drawn;
use super::megafly::{Deciding, MegaflyWays, THRESHOLD, turning};
use super::routing::Adaptive;
use super::rule::{HopModel, Rule};
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults, misfit};
use crate::common::phantom::{Phantom, compensated};
use crate::common::whole_queues::whole;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;
use turnwise_network::{Invalid, Network, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["dragonfly-plus-par"],
        summary: "Megafly: up at random, and decided at the spine by its own queues, as SST-macro does",
        source: "SST-macro 9.0, dragonfly_plus_par",
        example: "threshold_flits = 0\nphantom = { value_coefficient = 1.0, length_coefficient = 2.0 }\nwhole_queues = true\nvirtual_channels = 2",
        schema: schema_of::<ParSst>,
        parse: |table, errors| Some(Box::new(parse_as::<ParSst, dyn Algorithm>(table, errors)?)),
    },
    fits: |shape| matches!(shape, Shape::Megafly(_)),
};

const NAME: &str = "par-sst";

/// Parameters of SST-macro's progressive adaptive routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ParSst {
    /// By how many flits the minimal queue may be longer than twice the other; negative prefers detours. By default 0.
    #[schemars(transform = units::flits)]
    pub threshold_flits: Option<i32>,
    /// Flits on their way that do not count as waiting. By default all that are not credited count.
    pub phantom: Option<Phantom>,
    /// Do packets that wait in a router for a channel count as its queue, beside what has left for it?
    pub whole_queues: bool,
    /// Virtual channels to spread the classes over: by default all the router has, or else 2.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for ParSst {
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::FurtherRoutes
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let Shape::Megafly(shape) = network.shape() else {
            return Err(misfit(NAME, "megafly networks", network));
        };
        let deciding = Deciding {
            turning: turning(None, true)?,
            at_leaf: false,
            at_spine: true,
        };
        let vcs = self.virtual_channels;
        let rule = Rule {
            hops: HopModel::Ratio,
            threshold: self.threshold_flits.unwrap_or(THRESHOLD).into(),
        };
        let routing = Adaptive {
            ways: MegaflyWays::new(NAME, network, shape, deciding, vcs, context)?,
            judge: Drawn(rule),
        };
        let routing = whole(Box::new(routing), self.whole_queues);
        compensated(routing, network, self.phantom)
    }
}
