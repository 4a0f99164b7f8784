//! KAPR on a megafly: K ways of each kind, and a bit for each global channel of the group that says whether it is congested.
//!
//! The source's leaf draws K minimal ways over different links (all, if there are no more) and K detours over different first links. Of the
//! minimal ways whose global channel is not known to be congested it takes the one with the shortest queue up; if there is
//! none, of the detours whose first global channel is not; if there is none either, it compares the best of both kinds by UGAL's rule,
//! best by the product of queue and hops. Inside a group it takes the shortest queue of K spines.
//!
//! With `progressive`, a minimal packet whose global channel its spine's group knows to be congested decides there once more as in `par`.
//!
//! **Information.** The bits of `piggyback`, for the global channels of the packet's own group, known after `feedback_delay` cycles.
//!
//! **Classes and faults.** As UGAL's on a megafly: see `megafly.rs` beside this file.
//!
//! Source: Newaz, Mollah, Faizian, Tong, extended abstract on adaptive routing of Megafly, which names the algorithm and does not
//! define it, so that this is our reading of the name and of its descent from piggyback routing (Jiang, Kim,
//! Dally, ISCA 2009): what K counts (4 by default), the order in which kinds are preferred, the bit, and the threshold of 0.
//!
//! Complexity: O(K + links between two groups) a packet at its leaf, O(1) elsewhere, and O(global ports) at a router in whose global
//! queues something changes. Memory as `valiant`, and 28 bytes a global channel.

use super::bits::{BitOptions, CongestedBits};
use super::candidates;
use super::judge::Judge;
use super::local::{Local, queue};
use super::megafly::{Deciding, MegaflyWays, THRESHOLD, turning};
use super::routing::Adaptive;
use super::rule::{HopModel, Rule};
use super::ways::Ways;
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults, misfit};
use crate::common::draw::Least;
use crate::common::phantom::{Phantom, compensated};
use crate::common::visible::{Counted, longest_queue};
use crate::common::whole_queues::whole;
use crate::grouped::phases::AGAIN;
use crate::grouped::via::under_faults;
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
        aliases: &[],
        summary: "Megafly: the best of K ways of each kind, away from global channels that their routers call congested",
        source: "Newaz, Mollah, Faizian, Tong, extended abstract on adaptive routing of Megafly; as we read it",
        example: "paths = 4\nprogressive = true\nthreshold_flits = 0\ncongested_factor = 2.0\ncongested_flits = 20\n\
                  feedback_delay = 100\nphantom = { value_coefficient = 1.0, length_coefficient = 2.0 }\nwhole_queues = true\nvirtual_channels = 2",
        schema: schema_of::<Kapr>,
        parse: |table, errors| Some(Box::new(parse_as::<Kapr, dyn Algorithm>(table, errors)?)),
    },
    fits: |shape| matches!(shape, Shape::Megafly(_)),
};

const NAME: &str = "kapr";

/// Parameters of KAPR.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Kapr {
    /// K: ways of each kind that are compared, 1 to 64. By default 4.
    #[schemars(range(min = 1, max = 64))]
    pub paths: Option<u32>,
    /// Does a minimal packet whose global channel is congested decide again at the spine?
    pub progressive: bool,
    /// By how many flits the minimal way's product may be larger where all ways are congested; negative prefers detours. By default 0.
    #[schemars(transform = units::flits)]
    pub threshold_flits: Option<i32>,
    /// Times the mean of its router's global channels that a congested one exceeds. By default 2, or less where routers have so few of
    /// them, or so shallow buffers, that no queue would be that long.
    #[schemars(range(min = 0, max = 1e6))]
    pub congested_factor: Option<f64>,
    /// Flits beyond that. By default half of the longest queue that is seen of minimal packets between groups, at most 30.
    #[schemars(range(min = 0), transform = units::flits)]
    pub congested_flits: Option<u32>,
    /// Cycles until a group knows of a bit, 0 being as good as 1. By default the latency of the longest channel inside a group.
    #[schemars(range(max = Receiver::MOST_DELAY), transform = units::cycles)]
    pub feedback_delay: Option<u32>,
    /// May a spine go from group to group without going down to a leaf?
    pub gg_shortcut: bool,
    /// Flits on their way that do not count as waiting. By default all that are not credited count.
    pub phantom: Option<Phantom>,
    /// Do packets that wait in a router for a channel count as its queue, beside what has left for it?
    pub whole_queues: bool,
    /// Virtual channels to spread the classes over: by default all the router has, or else 2.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for Kapr {
    fn under_faults(&self, shape: &Shape) -> UnderFaults {
        under_faults(shape, self.gg_shortcut)
    }

    fn minds_buffers(&self) -> bool {
        self.congested_flits.is_none() || self.congested_factor.is_none()
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let Shape::Megafly(shape) = network.shape() else {
            return Err(misfit(NAME, "megafly networks", network));
        };
        let candidates = candidates::count(self.paths, 4)?;
        let deciding = Deciding {
            turning: turning(None, self.gg_shortcut)?,
            at_leaf: true,
            at_spine: self.progressive,
        };
        let vcs = self.virtual_channels;
        let ways = MegaflyWays::new(NAME, network, shape, deciding, vcs, context)?;
        let counted = Counted {
            whole_queues: self.whole_queues,
            phantom: self.phantom,
        };
        let longest = longest_queue(network, ways.minimal_vcs(), counted, context);
        let options = BitOptions {
            congested_factor: self.congested_factor,
            congested_flits: self.congested_flits,
            feedback_delay: self.feedback_delay,
        };
        let bits = options.build(network, ways.links(), longest)?;
        let rule = Rule {
            hops: HopModel::Links,
            threshold: self.threshold_flits.unwrap_or(THRESHOLD).into(),
        };
        let judge = Several {
            candidates,
            rule,
            again: Local(Rule {
                hops: HopModel::Ratio,
                ..rule
            }),
            bits,
        };
        let routing = whole(Box::new(Adaptive { ways, judge }), self.whole_queues);
        compensated(routing, network, self.phantom)
    }
}

/// Prefers what is not congested, and among it what is short.
struct Several {
    candidates: usize,
    rule: Rule,
    again: Local,
    bits: CongestedBits,
}

/// Above every product of queue and hops.
const CONGESTED: u64 = 1 << 48;

impl Several {
    /// The queue of a way that is not congested; above them all, the product of a congested one.
    fn key<W: Ways>(&self, ways: &W, at: RouterId, way: W::Way, sees: &dyn Congestion) -> u64 {
        let queue = u64::from(queue(ways, way, sees));
        match self
            .bits
            .is_congested(&self.bits.known(at, sees), ways.link(way))
        {
            true => CONGESTED + queue * u64::from(ways.channels(at, way)),
            false => queue,
        }
    }
}

/// Which of the two is taken: the detour only if there is one and `prefers_minimal` says no.
#[inline(always)]
fn between<T: Copy>(
    minimal: Option<T>,
    detour: Option<T>,
    prefers_minimal: impl FnOnce(T, T) -> bool,
) -> Option<T> {
    match (minimal, detour) {
        (Some(minimal), Some(detour)) => match prefers_minimal(minimal, detour) {
            true => Some(minimal),
            false => Some(detour),
        },
        (one, other) => one.or(other),
    }
}

impl Judge for Several {
    fn choose<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<W::Way> {
        if header.phase == AGAIN {
            let way = ways.draw_minimal(at, header, rng)?;
            return match self
                .bits
                .is_congested(&self.bits.known(at, sees), ways.link(way))
            {
                true => self.again.choose(ways, at, header, sees, rng),
                false => Some(way),
            };
        }
        let (most, key) = (self.candidates, |way: W::Way| self.key(ways, at, way, sees));
        let mut minimal = Least::default();
        candidates::minimal(ways, at, header, most, rng, |way, rng| {
            minimal.offer(key(way), way, rng);
        });
        let is_free = |least: &Least<u64, W::Way>| least.key().is_some_and(|key| key < CONGESTED);
        if is_free(&minimal) {
            return minimal.item();
        }
        let mut detour = Least::default();
        candidates::detours(ways, at, header, most, rng, |way, rng| {
            detour.offer(key(way), way, rng);
        });
        if is_free(&detour) {
            return detour.item();
        }
        between(minimal.item(), detour.item(), |minimal, detour| {
            let queues = (queue(ways, minimal, sees), queue(ways, detour, sees));
            self.rule
                .prefers_minimal(ways, at, (minimal, queues.0), (detour, queues.1))
        })
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        Some(self.bits.sensing())
    }
}
