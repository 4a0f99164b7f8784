//! Progressive adaptive routing: UGAL, decided again at the router that owns the minimal way's global channel.
//!
//! The source's router sees the queue of a local channel, which says little of the global channel behind it. So a
//! packet that goes minimally decides again, by the same rule, where that channel's own queue is seen, and may still make a
//! detour from there. A detour is final.
//!
//! A decision draws one minimal way and one detour, and compares the queues of their first channels (flits sent and not yet
//! credited, all virtual channels together) by the rule of UGAL, `q_min * h_min <= q_val * h_val + threshold`.
//! On a dragonfly, where a detour has no other way out, it may share its first channel with the minimal way; then the minimal way wins.
//!
//! **Megafly.** The leaf decides between links by its channels up; a packet that goes minimally decides again at the spine above it, between that
//! spine's own links: the one to the destination group with the shortest queue, and a random one to a third group. Where spines
//! have no links to some groups the leaf's choice cannot be repaired there.
//!
//! **Classes.** On a dragonfly one local channel more than UGAL's: see `dragonfly.rs` beside this file. Five virtual channels if detours are by
//! a router (`via = "router"`), four if by a group. On a megafly two.
//!
//! **Faults.** Who finds only minimal ways or only detours takes them. Inside a dragonfly's groups packets
//! [go round](crate::grouped::rounds) dead channels, and decide again where they would have.
//!
//! Source: Jiang, Kim, Dally, "Indirect adaptive routing on large scale interconnection networks", ISCA 2009, section 3.3.
//! What is compared at the second decision, and the threshold, are reconstructed: as at the first one.
//!
//! Complexity: O(1) a hop; with faults, in the worst case a decision looks at all detours. Memory as `valiant`.

use super::families::Asked;
use super::local::Local;
use super::rule::HopModel;
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use crate::common::phantom::Phantom;
use crate::grouped::via::DetourVia;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;
use turnwise_network::{Invalid, Network, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["progressive-adaptive"],
        summary: "Dragonfly and megafly: as UGAL, but decided again where the minimal way leaves the group",
        source: "Jiang, Kim, Dally, Indirect adaptive routing on large scale interconnection networks, ISCA 2009",
        example: "threshold_flits = 8\nvia = \"group\"\nhop_model = \"ratio\"\n\
                  phantom = { value_coefficient = 1.0, length_coefficient = 2.0 }\nwhole_queues = true\nvirtual_channels = 4",
        schema: schema_of::<Par>,
        parse: |table, errors| Some(Box::new(parse_as::<Par, dyn Algorithm>(table, errors)?)),
    },
    fits: |shape| matches!(shape, Shape::Dragonfly(_) | Shape::Megafly(_)),
};

const NAME: &str = "par";

/// Parameters of progressive adaptive routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Par {
    /// By how many flits the minimal way's product may be larger; negative prefers detours. By default, on a
    /// dragonfly, half of the longest queue that is seen of minimal packets between groups, at most 30, and none on a megafly.
    #[schemars(transform = units::flits)]
    pub threshold_flits: Option<i32>,
    /// What queues are multiplied with.
    pub hop_model: HopModel,
    /// Where detours go: by default by a router on a dragonfly, and by a group on a megafly.
    pub via: Option<DetourVia>,
    /// May a megafly's spine go from group to group without going down to a leaf?
    pub gg_shortcut: bool,
    /// Flits on their way that do not count as waiting. By default all that are not credited count.
    pub phantom: Option<Phantom>,
    /// Do packets that wait in a router for a channel count as its queue, beside what has left for it?
    pub whole_queues: bool,
    /// Virtual channels to spread the classes over: by default all the router has, or else as many as there are classes.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for Par {
    fn under_faults(&self, shape: &Shape) -> UnderFaults {
        match shape {
            Shape::Dragonfly(_) => UnderFaults::RoundInGroups,
            _ => UnderFaults::FurtherRoutes,
        }
    }

    fn minds_buffers(&self) -> bool {
        self.threshold_flits.is_none()
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let asked = Asked {
            name: NAME,
            progressive: true,
            threshold_flits: self.threshold_flits,
            hop_model: self.hop_model,
            via: self.via,
            gg_shortcut: self.gg_shortcut,
            phantom: self.phantom,
            whole_queues: self.whole_queues,
            virtual_channels: self.virtual_channels,
        };
        asked.build(network, context, |given| Ok(Local(given.rule)))
    }
}
