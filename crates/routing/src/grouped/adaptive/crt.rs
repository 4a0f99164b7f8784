//! UGAL by credit round trips: routers return credits late for flits that go to congested global channels, so that those who send them see the
//! congestion in their own queues.
//!
//! A router measures how long the credits of its outputs take, `t_crt`, and how long they take without a queue, `t_crt0`: the least so far.
//! With `t_d = t_crt - t_crt0` of an output's last credit, the credit for a flit that came over a channel inside the group and leaves by global channel `o` is
//! withheld for
//!
//! ```text
//! t_d(o) - min t_d
//! ```
//!
//! cycles, where the minimum is over all outputs to other routers, so that nothing is withheld where everything is equally congested. Sources decide as
//! UGAL does (see [`ugal`](super::super::ugal)), by the queues of first channels: those of a channel to a router with a congested
//! global channel are longer, by the flits that go there. Credits over global channels are never withheld.
//!
//! **Information.** Nothing is sent but the credits themselves. A withheld credit is a slot of the buffer that is not used: buffers should hold more
//! than the round trip of a local channel. Routers that return a credit before they know the flit's output (`stages = "registers"`,
//! as SuperSim's) withhold none.
//!
//! **Classes and faults.** As UGAL's: see `dragonfly.rs` and `megafly.rs` beside this file.
//!
//! Source: Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008, section 4.3.2; Jiang, Kim, Dally,
//! ISCA 2009, where it is one of four. Reconstructed: the limit of the delay, that the last credit counts whatever its virtual channel (of several in a cycle
//! the longest), and that the least round trip so far is the one without a queue.
//!
//! Complexity: O(1) a hop, O(ports) for a credit that may be withheld. Memory as `valiant`, and eight bytes a flit without a credit.

use super::families::Asked;
use super::judge::Judge;
use super::local::Local;
use super::rule::HopModel;
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
    ChannelClass, Congestion, Header, Invalid, Network, Notice, Port, Receiver, RouterId, Routing,
    Sender, Sensing, Shape, Vc,
};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["credit-round-trip"],
        summary: "Dragonfly and megafly: as UGAL, where credits for flits to congested global channels come late",
        source: "Kim, Dally, Scott, Abts, Technology-driven, highly-scalable dragonfly topology, ISCA 2008",
        example: "threshold_flits = 8\nmost_withheld_cycles = 64\nvia = \"router\"\nhop_model = \"ratio\"\n\
                  phantom = { value_coefficient = 1.0, length_coefficient = 2.0 }\nwhole_queues = true\nvirtual_channels = 4",
        schema: schema_of::<Crt>,
        parse: |table, errors| Some(Box::new(parse_as::<Crt, dyn Algorithm>(table, errors)?)),
    },
    fits: |shape| matches!(shape, Shape::Dragonfly(_) | Shape::Megafly(_)),
};

const NAME: &str = "crt";

/// The longest time that credits may be withheld, in cycles.
const MOST: u32 = 4_096;

/// Parameters of UGAL by credit round trips.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Crt {
    /// By how many flits the minimal way's product may be larger; negative prefers detours. By default, on a
    /// dragonfly, half of the longest queue that is seen of minimal packets between groups, at most 30, and none on a megafly.
    #[schemars(transform = units::flits)]
    pub threshold_flits: Option<i32>,
    /// For how many cycles a credit is withheld at most. By default 256.
    #[schemars(range(min = 0, max = MOST), transform = units::cycles)]
    pub most_withheld_cycles: Option<u32>,
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

impl Algorithm for Crt {
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
        let most = self.most_withheld_cycles.unwrap_or(256);
        if most > MOST {
            let message = format!("expected 0 to {MOST} cycles, found {most}");
            return Err(Invalid::new("most_withheld_cycles", message));
        }
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
            Ok(Late {
                local: Local(given.rule),
                credits: LateCredits {
                    network: Arc::clone(network),
                    most,
                },
            })
        })
    }
}

/// Compares the queues of first channels, whose credits may be late.
struct Late {
    local: Local,
    credits: LateCredits,
}

impl Judge for Late {
    #[inline]
    fn choose<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<W::Way> {
        self.local.choose(ways, at, header, sees, rng)
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        Some(&self.credits)
    }
}

/// Which credits are withheld. Routers tell nothing else.
struct LateCredits {
    network: Arc<Network>,
    most: u32,
}

impl LateCredits {
    fn is(&self, at: RouterId, port: Port, class: ChannelClass) -> bool {
        let channel = self.network.out_channel(at, port);
        channel.is_some_and(|channel| self.network.channel(channel).class == class)
    }
}

impl Sensing for LateCredits {
    fn words(&self, _: u32) -> usize {
        0
    }

    fn lines(&self, _: RouterId) -> Vec<Vec<Receiver>> {
        Vec::new()
    }

    fn report(&self, _: RouterId, _: &dyn Congestion, _: &mut [Notice]) {}

    fn receive(&self, _: u32, _: Sender, _: Notice, _: &mut [u32]) -> bool {
        false
    }

    fn times(&self) -> bool {
        true
    }

    fn most_withheld(&self) -> u32 {
        self.most
    }

    fn withholds(&self, at: RouterId, input: Port, output: Port) -> bool {
        self.is(at, output, ChannelClass::Global) && self.is(at, input, ChannelClass::Local)
    }
}
