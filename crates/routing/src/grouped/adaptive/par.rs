//! Progressive adaptive routing: UGAL, decided again at the router that owns the minimal way's global channel.
//!
//! The source's router sees the queue of a local channel, which says little of the global channel behind it. So a
//! packet that goes minimally decides again, by the same rule, where that channel's own queue is seen, and may still make a
//! detour from there. A detour is final.
//!
//! A decision draws one minimal way and one detour, and compares the queues of their first channels (flits sent and not yet
//! credited, all virtual channels together) by the rule of UGAL, `q_min * h_min <= q_val * h_val + threshold`.
//! Where a detour has no other way out, it may share its first channel with the minimal way; then the minimal way wins.
//!
//! **Classes.** One local channel more than UGAL's: see the table of the room `adaptive`. Five virtual channels if detours are by
//! a router (`via = "router"`), four if by a group.
//!
//! **Faults.** Who finds only minimal ways or only detours takes them; who finds neither decides at another router of its group.
//!
//! Source: Jiang, Kim, Dally, "Indirect adaptive routing on large scale interconnection networks", ISCA 2009, section 3.3.
//! What is compared at the second decision, and the threshold, are reconstructed: as at the first one.
//!
//! Complexity: O(1) a hop; with faults, in the worst case a decision looks at all detours. Memory as `valiant`.

use super::dragonfly::{Detouring, DragonflyWays};
use super::judge::{Judge, one_of_each};
use super::routing::Adaptive;
use super::rule::{HopModel, Rule, usual_threshold};
use super::ways::{Way, Ways};
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use crate::grouped::via::DetourVia;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;
use turnwise_network::random::Random;
use turnwise_network::{Congestion, Header, Invalid, Network, RouterId, Routing, Shape, Vc, VcSet};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["progressive-adaptive"],
        summary: "Dragonfly: as UGAL, but decided again where the minimal way leaves the group",
        source: "Jiang, Kim, Dally, Indirect adaptive routing on large scale interconnection networks, ISCA 2009",
        example: "threshold_flits = 8\nvia = \"group\"\nhop_model = \"ratio\"\nvirtual_channels = 4",
        schema: schema_of::<Par>,
        parse: |table, errors| Some(Box::new(parse_as::<Par, dyn Algorithm>(table, errors)?)),
    },
    fits: |shape| matches!(shape, Shape::Dragonfly(_)),
};

const NAME: &str = "par";

/// Parameters of progressive adaptive routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Par {
    /// By how many flits the minimal way's product may be larger; negative prefers detours. By default half of what
    /// the minimal way's virtual channels hold, at most 30.
    #[schemars(transform = units::flits)]
    pub threshold_flits: Option<i32>,
    /// What queues are multiplied with.
    pub hop_model: HopModel,
    /// Where detours go.
    pub via: DetourVia,
    /// Virtual channels to spread the classes over: by default all the router has, or else as many as there are classes.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for Par {
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::FurtherRoutes
    }

    fn minds_buffers(&self) -> bool {
        self.threshold_flits.is_none()
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let detouring = Detouring {
            by_router: self.via.is_router(),
            progressive: true,
        };
        let vcs = self.virtual_channels;
        let (shape, plan) = DragonflyWays::plan(NAME, network, detouring, vcs, context)?;
        let threshold = self
            .threshold_flits
            .unwrap_or_else(|| usual_threshold(network, plan, detouring.minimal_class(), context));
        let rule = Rule {
            hops: self.hop_model,
            threshold: threshold.into(),
        };
        Ok(Box::new(Adaptive {
            ways: DragonflyWays::new(network, shape, plan, detouring),
            judge: Local(rule),
        }))
    }
}

/// Compares the queues of first channels.
struct Local(Rule);

impl Judge for Local {
    #[inline]
    fn choose<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Way> {
        one_of_each(ways, at, header, rng, |minimal, detour| {
            let queue = |way: &Way| sees.occupancy(way.hop.port, VcSet::EVERY);
            self.0
                .prefers_minimal(ways, at, (minimal, queue(minimal)), (detour, queue(detour)))
        })
    }
}
