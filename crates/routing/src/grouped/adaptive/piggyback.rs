//! Piggyback routing: UGAL, and a bit for each global channel of the group that says whether it is congested.
//!
//! A packet makes a detour if the global channel of its minimal way is congested, as far as its source's router has been told,
//! or if UGAL's rule says so. It does not make one over a global channel that is known to be congested.
//!
//! A global channel is congested if more than `congested_factor` times the mean of its router's global channels and
//! `congested_flits` are under way on it. The factor is 2, and smaller where that could hardly ever be exceeded, as with few global
//! channels or shallow buffers: see `bits.rs` beside this file (our reading).
//!
//! **Information.** A bit for each global channel, sent to the routers of the group whenever it changes, and known after
//! `feedback_delay` cycles: by default the latency of the longest local channel. Packets carry it as they go, or it takes idle
//! slots; it is not charged for here.
//!
//! **Classes and faults.** As UGAL's: see `dragonfly.rs` and `megafly.rs` beside this file.
//!
//! Source: Jiang, Kim, Dally, "Indirect adaptive routing on large scale interconnection networks", ISCA 2009, section 3.2; the
//! factor of 2 and the rule are FOGSim's. Its threshold of five packets is `congested_flits`, by default UGAL's usual threshold.
//!
//! Complexity: O(1) a hop, and O(global ports) at a router in whose global queues something changes. Memory as `valiant`,
//! and 28 bytes a global channel.

use super::bits::{BitOptions, CongestedBits};
use super::candidates::one_minimal;
use super::families::Asked;
use super::judge::Judge;
use super::local::queue;
use super::rule::{HopModel, Rule};
use super::ways::Ways;
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
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
        aliases: &["pb"],
        summary: "Dragonfly and megafly: as UGAL, but away from global channels that their routers call congested",
        source: "Jiang, Kim, Dally, Indirect adaptive routing on large scale interconnection networks, ISCA 2009",
        example: "threshold_flits = 8\ncongested_factor = 2.0\ncongested_flits = 5\nfeedback_delay = 1\nvia = \"router\"\n\
                  hop_model = \"links\"\nphantom = { value_coefficient = 1.0, length_coefficient = 2.0 }\nwhole_queues = true\nvirtual_channels = 4",
        schema: schema_of::<Piggyback>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Piggyback, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |shape| matches!(shape, Shape::Dragonfly(_) | Shape::Megafly(_)),
};

const NAME: &str = "piggyback";

/// Parameters of piggyback routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Piggyback {
    /// By how many flits the minimal way's product may be larger; negative prefers detours. By default, on a
    /// dragonfly, half of the longest queue that is seen of minimal packets between groups, at most 30, and none on a megafly.
    #[schemars(transform = units::flits)]
    pub threshold_flits: Option<i32>,
    /// Times the mean of its router's global channels that a congested one exceeds. By default 2, or less where routers have so few of
    /// them, or so shallow buffers, that no queue would be that long.
    #[schemars(range(min = 0, max = 1e6))]
    pub congested_factor: Option<f64>,
    /// Flits beyond that. By default the threshold; on a megafly half of the longest queue that is seen of minimal packets between groups,
    /// at most 30.
    #[schemars(range(min = 0), transform = units::flits)]
    pub congested_flits: Option<u32>,
    /// Cycles until a group knows of a bit, 0 being as good as 1. By default the latency of the longest channel inside a group.
    #[schemars(range(max = Receiver::MOST_DELAY), transform = units::cycles)]
    pub feedback_delay: Option<u32>,
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

impl Algorithm for Piggyback {
    fn under_faults(&self, shape: &Shape) -> UnderFaults {
        under_faults(shape, self.gg_shortcut)
    }

    fn minds_buffers(&self) -> bool {
        // Whether `threshold_flits` tells the flits of a congested channel depends on the network.
        let of_bits = self.congested_factor.is_none() || self.congested_flits.is_none();
        self.threshold_flits.is_none() || of_bits
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
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
            let threshold = self.threshold_flits.filter(|_| !given.is_megafly);
            let threshold = threshold.map(|flits| flits.max(0).unsigned_abs());
            let options = BitOptions {
                congested_factor: self.congested_factor,
                congested_flits: self.congested_flits.or(threshold),
                feedback_delay: self.feedback_delay,
            };
            Ok(Told {
                rule: given.rule,
                bits: options.build(network, given.links, given.longest_queue)?,
            })
        })
    }
}

/// Compares the queues of first channels, and believes what it is told of global ones.
struct Told {
    rule: Rule,
    bits: CongestedBits,
}

impl Judge for Told {
    const LOOKS_FIRST: bool = true;

    #[inline(always)]
    fn surely_minimal<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        minimal: W::Way,
        sees: &dyn Congestion,
    ) -> bool {
        let is_short = self
            .rule
            .is_short(ways, at, minimal, queue(ways, minimal, sees));
        is_short
            && !self
                .bits
                .is_congested(&self.bits.known(at, sees), ways.link(minimal))
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
        let known = self.bits.known(at, sees);
        let congested = |way| self.bits.is_congested(&known, ways.link(way));
        let Some(minimal) = one_minimal(ways, at, header, rng) else {
            return ways.draw_detour(at, header, rng);
        };
        let (its, is_congested) = (queue(ways, minimal, sees), congested(minimal));
        if is_congested || !self.rule.is_short(ways, at, minimal, its) {
            let detour = ways.draw_detour(at, header, rng);
            if let Some(detour) = detour.filter(|&detour| !congested(detour)) {
                let that = queue(ways, detour, sees);
                let queues = ((minimal, its), (detour, that));
                if is_congested || !self.rule.prefers_minimal(ways, at, queues.0, queues.1) {
                    return Some(detour);
                }
            }
        }
        Some(minimal)
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        Some(self.bits.sensing())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_first_changes_nothing() {
        super::super::looking::check(|network, links| Told {
            rule: Rule {
                hops: HopModel::Ratio,
                threshold: 20,
            },
            bits: BitOptions {
                congested_factor: None,
                congested_flits: Some(20),
                feedback_delay: None,
            }
            .build(network, links, 64)
            .unwrap(),
        });
    }
}
