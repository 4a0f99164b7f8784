//! UGAL-G: UGAL by the queues of the global channels themselves. An ideal, which other algorithms are measured against.
//!
//! A packet compares, by UGAL's rule, the queue of the global channel of a random minimal way with that of the first global channel
//! of a random detour, wherever in the group they are. With several `paths` these are the ways of each kind whose queues are the
//! shortest of so many random ones.
//!
//! **Megafly.** What counts is the sum of the queues along the way as far as the group knows them (our reading): the channel up from the leaf,
//! and the first global channel. Or, with `along_way = "max"`, the longer one.
//!
//! **Information.** A group knows the queues of all its global channels, `feedback_delay` cycles late: 1 by default, which no real
//! network could do.
//!
//! **Classes and faults.** As UGAL's: see `dragonfly.rs` and `megafly.rs` beside this file.
//!
//! Source: Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008, section 4.
//!
//! Complexity: O(1) a hop, O(global channels of a group, 128 at most) where a packet decides, and O(global ports) at a router in whose
//! global queues something changes. Memory as `valiant`, and 14 bytes a global channel.

use super::candidates;
use super::families::Asked;
use super::judge::Judge;
use super::local::queue;
use super::rule::{HopModel, Rule};
use super::tables::{Known, QueueTables};
use super::ways::Ways;
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use crate::common::delay::delay;
use crate::common::draw::Least;
use crate::common::phantom::Phantom;
use crate::grouped::via::{DetourVia, under_faults};
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
        aliases: &["ugal-global"],
        summary: "Dragonfly and megafly: as UGAL, by the queues of all global channels of the group: an ideal",
        source: "Kim, Dally, Scott, Abts, Technology-driven, highly-scalable dragonfly topology, ISCA 2008",
        example: "threshold_flits = 0\npaths = 4\nfeedback_delay = 1\nvia = \"router\"\nhop_model = \"ratio\"\n\
                  phantom = { value_coefficient = 1.0, length_coefficient = 2.0 }\nwhole_queues = true\nvirtual_channels = 4",
        schema: schema_of::<UgalG>,
        parse: |table, errors| Some(Box::new(parse_as::<UgalG, dyn Algorithm>(table, errors)?)),
    },
    fits: |shape| matches!(shape, Shape::Dragonfly(_) | Shape::Megafly(_)),
};

const NAME: &str = "ugal-g";

/// Parameters of UGAL-G.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UgalG {
    /// By how many flits the minimal way's product may be larger; negative prefers detours. By default, on a
    /// dragonfly, half of the longest queue that is seen of minimal packets between groups, at most 30, and none on a megafly.
    #[schemars(transform = units::flits)]
    pub threshold_flits: Option<i32>,
    /// Ways of each kind that are drawn, 1 to 64; those with the shortest queues are compared. By default 1.
    #[schemars(range(min = 1, max = 64))]
    pub paths: Option<u32>,
    /// Cycles until a group knows of a queue, 0 being as good as 1. By default 1.
    #[schemars(range(max = Receiver::MOST_DELAY), transform = units::cycles)]
    pub feedback_delay: Option<u32>,
    /// What counts of a megafly's queues along a way, the channel's up from the leaf and the global one's: by default their sum. A
    /// dragonfly's have the global one alone.
    pub along_way: Option<AlongWay>,
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

/// What counts of several queues along a way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AlongWay {
    /// Their sum: a packet waits in each of them.
    #[default]
    Sum,
    /// The longest: others are gone by the time it has been waited for.
    Max,
}

impl Algorithm for UgalG {
    fn under_faults(&self, shape: &Shape) -> UnderFaults {
        under_faults(shape, self.gg_shortcut)
    }

    fn minds_buffers(&self) -> bool {
        self.threshold_flits.is_none()
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let candidates = candidates::count(self.paths, 1)?;
        let asked = Asked {
            name: NAME,
            progressive: false,
            threshold_flits: self.threshold_flits,
            hop_model: self.hop_model,
            via: self.via,
            gg_shortcut: self.gg_shortcut,
            phantom: self.phantom,
            whole_queues: self.whole_queues,
            virtual_channels: self.virtual_channels,
        };
        asked.build(network, context, |given| {
            let delay = delay("feedback_delay", self.feedback_delay.unwrap_or(1))?;
            if self.along_way.is_some() && !given.is_megafly {
                let message = "a dragonfly's ways count by one queue, that of the global channel";
                return Err(Invalid::new("along_way", message).with_help("leave it out"));
            }
            Ok(Knowing {
                candidates,
                rule: given.rule,
                queues: QueueTables::new(network, given.links, delay, 1),
                first: given.is_megafly.then(|| self.along_way.unwrap_or_default()),
            })
        })
    }
}

/// Compares the queues of global channels.
struct Knowing {
    candidates: usize,
    rule: Rule,
    queues: QueueTables,
    /// Does the queue at the packet's own router count as well, and how?
    first: Option<AlongWay>,
}

impl Knowing {
    /// What a way has to wait for, as far as it is known.
    #[inline(always)]
    fn queue<W: Ways>(
        &self,
        ways: &W,
        known: &Known<'_>,
        way: W::Way,
        sees: &dyn Congestion,
    ) -> u32 {
        let global = known.queue(ways.link(way));
        match self.first.filter(|_| W::GOES_UP) {
            None => global,
            Some(AlongWay::Sum) => global + queue(ways, way, sees),
            Some(AlongWay::Max) => global.max(queue(ways, way, sees)),
        }
    }

    /// Is a minimal way short enough for any detour that there may be? Where no queue of the group is short enough for one, none
    /// need be drawn.
    #[inline(always)]
    fn is_short<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        known: &Known<'_>,
        minimal: W::Way,
        its: u32,
    ) -> bool {
        let enough = self.rule.enough(ways, at, minimal, its);
        enough.is_none_or(|enough| known.are_all(enough))
    }

    /// The best minimal way of those that are looked at.
    #[inline(never)]
    fn best_minimal<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<W::Way> {
        let known = self.queues.known(at, sees.memory());
        let mut least = Least::default();
        candidates::minimal(ways, at, header, self.candidates, rng, |way, rng| {
            least.offer(self.queue(ways, &known, way, sees), way, rng);
        });
        least.item()
    }

    /// The best detour of those that are looked at.
    #[inline(never)]
    fn best_detour<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<W::Way> {
        let known = self.queues.known(at, sees.memory());
        let mut least = Least::default();
        candidates::detours(ways, at, header, self.candidates, rng, |way, rng| {
            least.offer(self.queue(ways, &known, way, sees), way, rng);
        });
        least.item()
    }
}

impl Judge for Knowing {
    const LOOKS_FIRST: bool = true;

    #[inline(always)]
    fn surely_minimal<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        minimal: W::Way,
        sees: &dyn Congestion,
    ) -> bool {
        let known = self.queues.known(at, sees.memory());
        let its = self.queue(ways, &known, minimal, sees);
        self.is_short(ways, at, &known, minimal, its)
    }

    #[inline(always)]
    fn choose<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<W::Way> {
        let only = ways.only_minimal(at, header);
        let Some(minimal) = only.or_else(|| self.best_minimal(ways, at, header, sees, rng)) else {
            return self.best_detour(ways, at, header, sees, rng);
        };
        let known = self.queues.known(at, sees.memory());
        let its = self.queue(ways, &known, minimal, sees);
        if !self.is_short(ways, at, &known, minimal, its)
            && let Some(detour) = self.best_detour(ways, at, header, sees, rng)
        {
            let that = self.queue(ways, &known, detour, sees);
            if !(self.rule).prefers_minimal(ways, at, (minimal, its), (detour, that)) {
                return Some(detour);
            }
        }
        Some(minimal)
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        Some(&self.queues)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_first_changes_nothing() {
        for (candidates, hops) in [(1, HopModel::Ratio), (3, HopModel::Links)] {
            super::super::looking::check(|network, links| Knowing {
                candidates,
                rule: Rule { hops, threshold: 5 },
                queues: QueueTables::new(network, links, 1, 1),
                first: None,
            });
        }
    }
}
