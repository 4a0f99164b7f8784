//! KU-GCN on a megafly: K ways of each kind, and the queues of all global channels of the network, some time ago.
//!
//! The source's leaf draws K minimal ways over different links (all, if there are no more) and K detours over different first links, each
//! with a random second link. It takes the cheapest, where a way costs
//!
//! ```text
//! (its queue up, as it is + its global channels' queues, as they were feedback_delay ago) * hops
//! ```
//!
//! with 3 hops for a minimal way, 6 for a detour, and 4 if that goes from group to group at one spine; or, with `hop_flits`, the queues and so many
//! flits for each hop. The first weighs a queue by the hops as UGAL does, which sees but one queue of a way. Here all global queues of
//! the way are counted one by one, and because credits show no more of a queue than the buffers behind it hold, a minimal channel may
//! be as full as it can get and still cheaper than a detour at half of that: the sum diverts sooner. A detour must be cheaper by more than
//! the threshold. The source says the whole way, all but the leaf of the intermediate group, which the spine there draws. Inside a
//! group the shortest queue of K spines is taken.
//!
//! **Information.** Every change of a global queue, by as much as `queues_grain_flits` flits, is known to all routers `feedback_delay` cycles
//! later, at no cost in bandwidth. Where the delay is long many sources go for the same empty channel; K random ways damp it.
//!
//! **Classes and faults.** As UGAL's on a megafly: see `megafly.rs` beside this file.
//!
//! Source: Newaz, Mollah, Faizian, Tong, extended abstract on adaptive routing of Megafly, which names the algorithm and does not
//! define it: the cost, either one, its hops, the default K of 4 and the threshold of 0 are our reading ("K-path UGAL with global
//! congestion notification").
//!
//! Complexity: O(K + links between two groups) a packet at its leaf, O(1) elsewhere, and O(1) a change of a global queue, whatever the size of
//! the network. Memory as `valiant`, and 12 bytes a global channel.

use super::candidates;
use super::judge::Judge;
use super::local::queue;
use super::megafly::{Deciding, MegaflyWays, THRESHOLD};
use super::routing::Adaptive;
use super::tables::QueueTables;
use super::ways::Ways;
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, misfit};
use crate::common::delay::delay;
use crate::common::draw::Least;
use crate::common::phantom::{Phantom, compensated};
use crate::common::whole_queues::whole;
use crate::grouped::megafly_draws::Turning;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Invalid, Network, Receiver, RouterId, Routing, Sensing, Shape, Vc,
};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["kugcn"],
        summary: "Megafly: the cheapest of K ways of each kind, by the queues of all global channels of the network",
        source: "Newaz, Mollah, Faizian, Tong, extended abstract on adaptive routing of Megafly; as we read it",
        example: "paths = 4\nfeedback_delay = 100\nqueues_grain_flits = 1\nthreshold_flits = 0\n\
                  hop_flits = 8\nphantom = { value_coefficient = 1.0, length_coefficient = 2.0 }\nwhole_queues = true\nvirtual_channels = 2",
        schema: schema_of::<KuGcn>,
        parse: |table, errors| Some(Box::new(parse_as::<KuGcn, dyn Algorithm>(table, errors)?)),
    },
    fits: |shape| matches!(shape, Shape::Megafly(_)),
};

const NAME: &str = "ku-gcn";

/// Parameters of KU-GCN.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct KuGcn {
    /// K: ways of each kind that are compared, 1 to 64. By default 4.
    #[schemars(range(min = 1, max = 64))]
    pub paths: Option<u32>,
    /// Cycles until the network knows of a queue, 0 being as good as 1. By default 1.
    #[schemars(range(max = Receiver::MOST_DELAY), transform = units::cycles)]
    pub feedback_delay: Option<u32>,
    /// Queues are told in multiples of so many flits. By default 1.
    #[schemars(range(min = 1), transform = units::flits)]
    pub queues_grain_flits: Option<u32>,
    /// By how much a detour must be cheaper, in flits times hops; negative prefers detours. By default 0.
    #[schemars(transform = units::flits)]
    pub threshold_flits: Option<i32>,
    /// Flits that each hop of a way counts. With them queues are added up; by default they are multiplied by hops instead.
    #[schemars(transform = units::flits)]
    pub hop_flits: Option<u32>,
    /// Flits on their way that do not count as waiting. By default all that are not credited count.
    pub phantom: Option<Phantom>,
    /// Do packets that wait in a router for a channel count as its queue, beside what has left for it?
    pub whole_queues: bool,
    /// Virtual channels to spread the classes over: by default all the router has, or else 2.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for KuGcn {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let Shape::Megafly(shape) = network.shape() else {
            return Err(misfit(NAME, "megafly networks", network));
        };
        let candidates = candidates::count(self.paths, 4)?;
        let delay = delay("feedback_delay", self.feedback_delay.unwrap_or(1))?;
        let grain = self.queues_grain_flits.unwrap_or(1);
        if grain == 0 {
            let message = "expected at least 1 flit, found 0";
            return Err(Invalid::new("queues_grain_flits", message));
        }
        let deciding = Deciding {
            turning: Turning::Links,
            at_leaf: true,
            at_spine: false,
        };
        let vcs = self.virtual_channels;
        let ways = MegaflyWays::new(NAME, network, shape, deciding, vcs, context)?;
        let judge = Cheapest {
            candidates,
            threshold: self.threshold_flits.unwrap_or(THRESHOLD).into(),
            hop: self.hop_flits,
            queues: QueueTables::of_network(network, ways.links(), delay, grain),
        };
        let routing = whole(Box::new(Adaptive { ways, judge }), self.whole_queues);
        compensated(routing, network, self.phantom)
    }
}

/// Takes the cheapest way.
struct Cheapest {
    candidates: usize,
    threshold: i64,
    /// Flits that each hop counts, if queues are added up.
    hop: Option<u32>,
    queues: QueueTables,
}

impl Cheapest {
    #[inline]
    fn cost<W: Ways>(&self, ways: &W, at: RouterId, way: W::Way, sees: &dyn Congestion) -> u64 {
        let told = |link: u32| u64::from(self.queues.queue(at, link, sees));
        let across = told(ways.link(way)) + ways.onward(way).map_or(0, told);
        let queues = u64::from(queue(ways, way, sees)) + across;
        let hops = u64::from(ways.channels(at, way));
        match self.hop {
            Some(each) => queues + hops * u64::from(each),
            None => queues * hops,
        }
    }
}

impl Judge for Cheapest {
    fn choose<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<W::Way> {
        let (most, cost) = (self.candidates, |way: W::Way| {
            self.cost(ways, at, way, sees)
        });
        let (mut minimal, mut detour) = (Least::default(), Least::default());
        candidates::minimal(ways, at, header, most, rng, |way, rng| {
            minimal.offer(cost(way), way, rng);
        });
        if minimal.key() == Some(0) && self.threshold >= 0 {
            return minimal.item(); // Nothing is cheaper.
        }
        candidates::detours(ways, at, header, most, rng, |way, rng| {
            detour.offer(cost(way), way, rng);
        });
        let stays = match (minimal.key(), detour.key()) {
            (Some(minimal), Some(detour)) => minimal as i64 <= detour as i64 + self.threshold,
            (minimal, _) => minimal.is_some(),
        };
        if stays { minimal.item() } else { detour.item() }
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        Some(&self.queues)
    }
}
