//! Informed adaptive routing: ours. Every router weighs all outputs by its own queues and by what its group has told of the global
//! channels behind them.
//!
//! A packet may do at every router whatever leads on. On a dragonfly that is what it may in
//! [`weighted_adaptive`](super::weighted_adaptive): leave its group by any global channel, go by another router of an intermediate
//! group if that is better. On a megafly: up to any spine; from there by any global channel; from the spine where it arrives on by a global
//! channel of that spine, or down to any leaf and up again. Of all that, it takes what has the least weight,
//!
//! ```text
//! minimal      q + t
//! non-minimal  (q + t + bias) * 2
//! ```
//!
//! where `q` is the queue that the packet finds at the output: flits that the router has sent through it on the virtual channels that the packet
//! may take, and that are not credited, and those of packets that wait in the router for it. On a megafly's global channels, where minimal packets
//! have all virtual channels and detours half of them, a detour counts its half twice. `t` is, where the output leads to another router of the group that sends
//! the packet on by a global channel of its own, the same for the best global channel there, as that router has told. So a
//! source does not wait until a congested global channel is felt through a local one, and among detours it finds the
//! emptiest instead of trying one. And because packets that wait at the inputs count, a channel is known to be congested before
//! the buffers in front of it are full: credits alone show no backlog in a router that queues at its inputs.
//!
//! Of minimal ways by other routers a packet looks at two, drawn at random, and likewise of detours by the router's own channels, and of detours
//! by other routers. Whoever takes the best of all takes the same as all others, until the news of it is round. For the same reason
//! the two minimal ways are told apart by `q` alone, which the router knows as it is, and only the shorter one is weighed with its `t`: that
//! says whether a detour is called for, and where all are about as long, following it would send everyone after the same channel. `bias` is what queues differ
//! by in any case: flits under way count as well, and their number varies by the square root of its mean. Every packet has another one,
//! drawn from half of `bias_flits` to one and a half of it, those in the middle more often: when traffic changes, some take detours soon, and the
//! others later, instead of all of them as soon as the news is round, and none when the next news is.
//!
//! **Information.** Each router counts what waits for its outputs, and tells its group the queue of each of its global channels,
//! `feedback_delay` cycles late (by default the latency of the longest local channel), in steps of `queues_grain_flits` flits.
//!
//! **Classes and faults.** On a dragonfly as `weighted-adaptive` with a Valiant node: four virtual channels, five if `progressive`, which who is
//! told of global queues does not need. Global channels have two classes only, the first and the second of a route, with half of the
//! virtual channels each. On a megafly two classes, of which minimal packets take either over their global channel: see `weighing/megafly.rs`.
//!
//! Source: ours.
//!
//! Complexity: a choice draws from all channels of the router, and where the minimal way is not short looks at the queues of all global channels of
//! its group. Memory as `valiant`.

use super::latencies::{longest, longest_local};
use super::tables::QueueTables;
use super::weighing::megafly::MegaflyMoves;
use super::weighing::moves::{End, Leads, Moves, Seen, Step};
use super::weighing::routing::{Scales, Sight, Weighing};
use super::weighing::steps::{Shares, Steps, class_numbers};
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, misfit};
use crate::common::delay::delay;
use crate::common::phantom::{Phantom, compensated};
use crate::common::vc_plan::VcPlan;
use crate::grouped::links::GroupLinks;
use crate::grouped::via::BOTH;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;
use turnwise_network::random::Random;
use turnwise_network::{
    ChannelClass, Header, Hop, Invalid, Network, Receiver, Routing, Sensing, Shape, Vc,
};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["turnwise-adaptive"],
        summary: "Dragonfly and megafly: every router weighs all outputs by its queues and those its group has told of",
        source: "Turnwise",
        example: "bias_flits = 8\nfeedback_delay = 1\nqueues_grain_flits = 4\nprogressive = false\n\
                  phantom = { value_coefficient = 1.0, length_coefficient = 2.0 }\nvirtual_channels = 4",
        schema: schema_of::<Informed>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Informed, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |shape| matches!(shape, Shape::Dragonfly(_) | Shape::Megafly(_)),
};

const NAME: &str = "informed";

/// Parameters of informed adaptive routing.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Informed {
    /// Flits that a non-minimal output counts more than are there, in the mean: for each packet they are drawn from half of that to one and
    /// a half of it. By default four and a half times the square root of the longest latency between groups, at least 8 on a dragonfly, and 4 on
    /// a megafly, where packets have several minimal ways to choose from before they need a detour.
    #[schemars(transform = units::flits)]
    pub bias_flits: Option<u32>,
    /// Cycles until a group knows of a queue, 0 being as good as 1. By default the latency of its longest channel.
    #[schemars(range(max = Receiver::MOST_DELAY), transform = units::cycles)]
    pub feedback_delay: Option<u32>,
    /// Steps in which queues are told.
    #[schemars(range(min = 1), transform = units::flits)]
    pub queues_grain_flits: u32,
    /// May the second router of a dragonfly's source group look at all global channels again? Where channels inside groups are dead
    /// it mostly leaves fewer pairs without a way.
    pub progressive: bool,
    /// Flits on their way that do not count as waiting. By default all that are not credited count.
    pub phantom: Option<Phantom>,
    /// Virtual channels to spread the classes over: by default all the router has, or else as many as there are classes.
    pub virtual_channels: Option<Vc>,
}

impl Default for Informed {
    fn default() -> Self {
        Self {
            bias_flits: None,
            feedback_delay: None,
            queues_grain_flits: 4,
            progressive: false,
            phantom: None,
            virtual_channels: None,
        }
    }
}

impl Algorithm for Informed {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        if self.queues_grain_flits == 0 {
            return Err(Invalid::new(
                "queues_grain_flits",
                "expected at least 1 flit, found 0",
            ));
        }
        match network.shape() {
            Shape::Dragonfly(shape) => {
                let kinds = (self.progressive, true);
                let plan = self.plan(class_numbers(kinds.0, kinds.1).1, context)?;
                self.with(
                    network,
                    Steps::new(network, shape, plan, kinds, Shares::Spread),
                    8,
                )
            }
            Shape::Megafly(_) if self.progressive => Err(Invalid::new(
                "progressive",
                "a megafly's spines decide again in any case",
            )),
            Shape::Megafly(shape) => {
                let plan = self.plan(MegaflyMoves::CLASSES, context)?;
                self.with(network, MegaflyMoves::new(network, shape, plan), 4)
            }
            _ => Err(misfit(NAME, BOTH, network)),
        }
    }
}

impl Informed {
    fn plan(&self, needed: Vc, context: &Context<'_>) -> Result<VcPlan, Invalid> {
        VcPlan::new(NAME, self.virtual_channels, needed, context)
    }

    fn with<M: Moves + 'static>(
        &self,
        network: &Network,
        moves: M,
        bias: u32,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let cycles = self
            .feedback_delay
            .unwrap_or_else(|| longest_local(network));
        let delay = delay("feedback_delay", cycles)?;
        let queues = QueueTables::new(network, moves.links(), delay, self.queues_grain_flits);
        let queues = queues.of_whole_queues();
        let bias = self.bias_flits.unwrap_or_else(|| usual_bias(network, bias));
        let scales = Told { queues, bias };
        compensated(Box::new(Weighing { moves, scales }), network, self.phantom)
    }
}

/// What makes a queue longer than others by chance does not make it a reason for a detour. Flits under way on a channel count as well, and
/// their number varies by the square root of its mean.
fn usual_bias(network: &Network, least: u32) -> u32 {
    let latency = longest(network, ChannelClass::Global);
    least.max((20 * latency).isqrt())
}

struct Told {
    queues: QueueTables,
    bias: u32,
}

impl Told {
    /// Flits on the best global channel of another router behind a step.
    #[inline]
    fn behind(&self, links: &GroupLinks, sight: &Sight<'_>, step: &Step) -> u32 {
        let there = || links.group(sight.to);
        let known = self.queues.known(sight.at, sight.sees.memory());
        let best = match step.leads {
            Leads::ToOwner(owner) if step.is_minimal => {
                let own = links.owned_to(owner, there());
                own.map(|(number, _)| known.queue(number)).min()
            }
            Leads::ToOwner(owner) if links.owned_to(owner, there()).next().is_none() => {
                known.queues_of(owner).min()
            }
            Leads::ToOwner(owner) => {
                let detours = links.owned(owner);
                let detours = detours.filter(|(_, link)| links.group(link.peer) != there());
                detours.map(|(number, _)| known.queue(number)).min()
            }
            Leads::ToAny(_) => {
                let minimal = links.between(links.group(sight.at), there());
                minimal.map(|number| known.queue(number)).min()
            }
            Leads::Over(_) | Leads::To(_) | Leads::Out => None,
        };
        best.unwrap_or(0)
    }

    /// What an output weighs that is not on a minimal way.
    #[inline]
    fn other(&self, flits: u32) -> f64 {
        f64::from(2 * (flits + self.bias))
    }
}

impl<M: Moves> Scales<M> for Told {
    #[inline]
    fn weight(&self, moves: &M, sight: &Sight<'_>, step: &Step) -> impl Fn(Hop) -> f64 {
        let told = match step.leads {
            Leads::ToOwner(_) | Leads::ToAny(_) => self.behind(moves.links(), sight, step),
            Leads::Over(_) | Leads::To(_) | Leads::Out => 0,
        };
        let flits = moves.backlog(step, sight.sees) + told;
        let weight = match step.is_minimal {
            true => flits.into(),
            false => self.other(flits),
        };
        move |_| weight
    }

    #[inline(always)]
    fn weight_seen(&self, moves: &M, sight: &Sight<'_>, _: Header, seen: Seen) -> f64 {
        let links = moves.links();
        let told = match seen.end {
            End::Owner => {
                let (here, there) = (links.group(sight.at), links.group(sight.to));
                let known = self.queues.known(sight.at, sight.sees.memory());
                known.queue(links.first_between(here, there))
            }
            End::Out | End::Elsewhere => 0,
        };
        (sight.sees.backlog(seen.port, seen.vcs) + told).into()
    }

    fn samples(&self) -> bool {
        true
    }

    #[inline]
    fn waiting(&self, moves: &M, sight: &Sight<'_>, step: &Step) -> u32 {
        moves.backlog(step, sight.sees)
    }

    #[inline(always)]
    fn least_other(&self) -> f64 {
        self.other(0)
    }

    #[inline(always)]
    fn surely_minimal(&self) -> f64 {
        self.other(0) - f64::from(self.bias)
    }

    /// The same as if the bias were drawn: the sum of two draws, half of it either way.
    #[inline]
    fn dithered(&self, weight: f64, rng: &mut Random) -> f64 {
        let word = rng.next_u32();
        let sum = (word & 0xffff) + (word >> 16);
        weight + f64::from(self.bias) * (f64::from(sum) / 65536.0 - 1.0)
    }

    #[inline]
    fn least_by_peers(&self, sight: &Sight<'_>) -> f64 {
        let known = self.queues.known(sight.at, sight.sees.memory());
        self.other(known.shortest())
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        Some(&self.queues)
    }
}
