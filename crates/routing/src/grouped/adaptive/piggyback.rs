//! Piggyback routing: UGAL, and a bit for each global channel of the group that says whether it is congested.
//!
//! A packet makes a detour if the global channel of its minimal way is congested, as far as its source's router has been told,
//! or if UGAL's rule says so. It does not make one over a global channel that is known to be congested.
//!
//! A global channel is congested if more than `congested_factor` times the mean of its router's global channels and
//! `congested_flits` are under way on it; the mean counts the channel itself. With two of them, or one, twice the mean is
//! never exceeded. So the factor is 2 from three global channels a router on, 1 with two, and 0 with one, unless the study
//! says otherwise (our reading).
//!
//! **Information.** A bit for each global channel, sent to the routers of the group whenever it changes, and known after
//! `bits_delay` cycles: by default the latency of the longest local channel. Packets carry it as they go, or it takes idle
//! slots; it is not charged for here.
//!
//! **Classes and faults.** As UGAL's: see the table of the room `adaptive`.
//!
//! Source: Jiang, Kim, Dally, "Indirect adaptive routing on large scale interconnection networks", ISCA 2009, section 3.2; the
//! factor of 2 and the rule are FOGSim's. Its threshold of five packets is `congested_flits`, by default UGAL's threshold.
//!
//! Complexity: O(1) a hop, and O(global ports) at a router in whose global queues something changes. Memory as `valiant`,
//! and 12 bytes a global channel.

use super::bits::CongestedBits;
use super::dragonfly::{Detouring, DragonflyWays};
use super::judge::{Judge, one_of_each};
use super::routing::Adaptive;
use super::rule::{HopModel, Rule, usual_threshold};
use super::ways::{Way, Ways};
use crate::algorithm::{Algorithm, AlgorithmEntry, Context};
use crate::grouped::via::DetourVia;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;
use turnwise_network::random::Random;
use turnwise_network::{
    ChannelClass, Congestion, Header, Invalid, Network, Receiver, RouterId, Routing, Sensing,
    Shape, Vc, VcSet,
};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["pb"],
        summary: "Dragonfly: as UGAL, but away from global channels that their routers call congested",
        source: "Jiang, Kim, Dally, Indirect adaptive routing on large scale interconnection networks, ISCA 2009",
        example: "threshold_flits = 8\ncongested_factor = 2.0\ncongested_flits = 5\nbits_delay = 1\nvia = \"router\"\n\
                  hop_model = \"links\"\nvirtual_channels = 4",
        schema: schema_of::<Piggyback>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Piggyback, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |shape| matches!(shape, Shape::Dragonfly(_)),
};

const NAME: &str = "piggyback";

/// Parameters of piggyback routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Piggyback {
    /// By how many flits the minimal way's product may be larger; negative prefers detours. By default half of what
    /// the minimal way's virtual channels hold, at most 30.
    #[schemars(transform = units::flits)]
    pub threshold_flits: Option<i32>,
    /// Times the mean of its router's global channels that a congested one exceeds.
    #[schemars(range(min = 0))]
    pub congested_factor: Option<f64>,
    /// Flits beyond that. By default the threshold.
    #[schemars(range(min = 0), transform = units::flits)]
    pub congested_flits: Option<u32>,
    /// Cycles until a group knows of a bit. By default the latency of its longest channel.
    #[schemars(range(min = 1, max = Receiver::MOST_DELAY), transform = units::cycles)]
    pub bits_delay: Option<u32>,
    /// What queues are multiplied with.
    pub hop_model: HopModel,
    /// Where detours go.
    pub via: DetourVia,
    /// Virtual channels to spread the classes over: by default all the router has, or else as many as there are classes.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for Piggyback {
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
            progressive: false,
        };
        let vcs = self.virtual_channels;
        let (shape, plan) = DragonflyWays::plan(NAME, network, detouring, vcs, context)?;
        let factor = match (self.congested_factor, shape.global_ports_per_router) {
            (Some(factor), _) if !(0.0..=1e6).contains(&factor) => {
                let message = format!("expected 0 to 1000000, found {factor}");
                return Err(Invalid::new("congested_factor", message));
            }
            (Some(factor), _) => factor,
            (None, 0 | 1) => 0.0,
            (None, 2) => 1.0,
            (None, _) => 2.0,
        };
        let delay = self.bits_delay.unwrap_or_else(|| longest_local(network));
        if !(1..=Receiver::MOST_DELAY).contains(&delay) {
            let message = format!(
                "expected 1 to {} cycles, found {delay}",
                Receiver::MOST_DELAY
            );
            return Err(Invalid::new("bits_delay", message));
        }
        let threshold = self
            .threshold_flits
            .unwrap_or_else(|| usual_threshold(network, plan, detouring.minimal_class(), context));
        let beyond = self.congested_flits.unwrap_or(threshold.max(0) as u32);
        let ways = DragonflyWays::new(network, shape, plan, detouring);
        let limits = (factor, beyond.into());
        let bits = CongestedBits::new(network, &ways.legs().links, limits, delay);
        let rule = Rule {
            hops: self.hop_model,
            threshold: threshold.into(),
        };
        let judge = Told { rule, bits };
        Ok(Box::new(Adaptive { ways, judge }))
    }
}

/// The latency of the longest channel inside a group, at least 1.
fn longest_local(network: &Network) -> u32 {
    let local = network
        .channels()
        .filter(|(_, channel)| channel.class == ChannelClass::Local);
    let latencies = local.map(|(_, channel)| channel.latency);
    latencies.max().unwrap_or(1).max(1)
}

/// Compares the queues of first channels, and believes what it is told of global ones.
struct Told {
    rule: Rule,
    bits: CongestedBits,
}

impl Judge for Told {
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
            let congested = |way: &Way| self.bits.is_congested(way.link, sees);
            let short = || {
                let (its, that) = (queue(minimal), queue(detour));
                self.rule
                    .prefers_minimal(ways, at, (minimal, its), (detour, that))
            };
            congested(detour) || !congested(minimal) && short()
        })
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        Some(&self.bits)
    }
}
