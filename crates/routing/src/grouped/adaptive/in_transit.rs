//! In-transit adaptive routing of dragonflies: a packet may leave its minimal way at every router, with three virtual channels.
//!
//! Most adaptive routing of dragonflies decides once or twice, in the source's group. Here every router on the way compares the
//! minimal output with another one, drawn at random, and sends the packet there if the minimal one is full and the other one
//! is not:
//!
//! ```text
//! share(minimal) > minimal_share   and   share(other) <= relative_threshold * share(minimal)
//! ```
//!
//! where a share is the flits sent on the virtual channels that the packet would take and not yet credited, of what the buffers
//! there hold.
//!
//! * **In the source's group**, to another group than the destination's (a global detour, one a packet). `global_detours` says who
//!   may: by the router's own global channels (`"current-router"`), by a peer, which then takes any of its own
//!   (`"neighbour-router"`), or both, drawn by the number of routers (`"random-router"`). `"mixed"`, the default, is by
//!   own channels at the source's router, and by a peer at the second one, that is, at the owner of the minimal global
//!   channel: the others' channels are then as good as any.
//! * **In other groups, and for packets that stay in one**, by another router than the owner of the global channel or the
//!   destination's: a local detour, one a group (`local_detours`). It is what helps where one local channel carries what a
//!   group sends to one other.
//!
//! A head that finds no free virtual channel asks again in the next cycle, with another draw.
//!
//! **Classes.** Opportunistic local misrouting. The virtual channels of minimal hops rise along the longest route without local detours, local
//! 0, global 0, local 1, global 1, local 2. A local detour takes the class of the last local hop, or one that a
//! local hop would have had before: 0 in the source's and in an intermediate group, and in the destination's 0 or, behind two global
//! channels, 1. That closes circles, but from wherever a packet is its minimal way goes on in a higher class. This is its escape (Duato), so that
//! three virtual channels do, where decisions in every group would take six; the verifier proves it for virtual cut-through, which
//! routers have if the study does not say.
//!
//! **Faults.** A router offers detours only to where a minimal way leads on, and a pair is routed if one survives or, in the source's
//! group, a detour does. Where a channel inside a group is dead, minimal hops [go round](crate::grouped::rounds) by other routers of the
//! group, in their own class, and so does the escape: three virtual channels still do. Who goes round does nothing else until it is there.
//!
//! Source: García, Vallejo, Beivide, Odriozola, Valero, "Efficient routing mechanisms for dragonfly networks", ICPP 2013 (opportunistic local
//! misrouting); who takes which detour as in the authors' simulator FOGSim. Their trigger is a minimal output without credits or in
//! use in this very cycle; `minimal_share` stands for it, and its default and that of `relative_threshold` are reconstructed.
//!
//! Complexity: O(1) a hop; where a global detour is drawn by a peer, its global channels are looked at. With faults, in the worst
//! case all links between two groups. Memory as `valiant`.

mod states;

use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults, misfit};
use crate::common::draw;
use crate::common::phantom::{Phantom, compensated};
use crate::common::vc_plan::VcPlan;
use schemars::JsonSchema;
use serde::Deserialize;
use states::States;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, FlowControl, Header, Hop, Invalid, Network, RouterId, Routing, Shape, Start,
    TerminalId, Vc,
};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["olm", "opportunistic-local-misrouting"],
        summary: "Dragonfly: every router may send a packet off its minimal way, with three virtual channels",
        source: "García, Vallejo, Beivide, Odriozola, Valero, Efficient routing mechanisms for dragonfly networks, ICPP 2013",
        example: "global_detours = \"mixed\"\nlocal_detours = true\nminimal_share = 0.1\nrelative_threshold = 0.43\n\
                  phantom = { value_coefficient = 1.0, length_coefficient = 2.0 }\nvirtual_channels = 3",
        schema: schema_of::<InTransit>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<InTransit, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |shape| matches!(shape, Shape::Dragonfly(_)),
};

const NAME: &str = "in-transit";

/// Of so many times that a head asks again it takes any of its options once: the promise of those who do.
const ANY_OF: u32 = 64;

/// Parameters of in-transit adaptive routing.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct InTransit {
    /// By whose global channels packets leave the source's group on a detour.
    pub global_detours: GlobalDetours,
    /// May packets make a detour by another router of an intermediate or of the destination's group?
    pub local_detours: bool,
    /// The share of its buffers that the minimal output must have filled before another one is taken.
    #[schemars(range(min = 0, max = 1))]
    pub minimal_share: f64,
    /// How full the other output may be, at most, as a part of how full the minimal one is.
    #[schemars(range(min = 0))]
    pub relative_threshold: f64,
    /// Flits on their way that do not count as waiting. By default all that are not credited count.
    pub phantom: Option<Phantom>,
    /// Virtual channels to spread the classes over: by default all the router has, or else three.
    pub virtual_channels: Option<Vc>,
}

impl Default for InTransit {
    fn default() -> Self {
        Self {
            global_detours: GlobalDetours::Mixed,
            local_detours: true,
            minimal_share: 0.1,
            relative_threshold: 0.43,
            phantom: None,
            virtual_channels: None,
        }
    }
}

/// By whose global channels packets leave the source's group on a detour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GlobalDetours {
    /// Those of the router that decides.
    CurrentRouter,
    /// Those of a random peer.
    NeighbourRouter,
    /// Those of any router of the group.
    RandomRouter,
    /// Its own at the source's router, a peer's at the next one.
    #[default]
    Mixed,
}

impl Algorithm for InTransit {
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        // Who has no minimal way makes detours that it would not make on the healthy network.
        UnderFaults::FurtherRoutes
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let Shape::Dragonfly(shape) = network.shape() else {
            return Err(misfit(NAME, "dragonflies", network));
        };
        for (field, value, most) in [
            ("minimal_share", self.minimal_share, 1.0),
            ("relative_threshold", self.relative_threshold, f64::MAX),
        ] {
            if !(0.0..=most).contains(&value) {
                let message = match most < f64::MAX {
                    true => format!("expected 0 to {most}, found {value}"),
                    false => format!("expected a number of at least 0, found {value}"),
                };
                return Err(Invalid::new(field, message));
            }
        }
        let plan = VcPlan::new(NAME, self.virtual_channels, 3, context)?;
        let detours = (self.global_detours, self.local_detours);
        let routing = Trigger {
            states: States::new(network, shape, plan, detours),
            minimal_share: self.minimal_share,
            relative_threshold: self.relative_threshold,
            per_vc: f64::from(plan.total),
        };
        compensated(Box::new(routing), network, self.phantom)
    }

    fn flow_control(&self) -> FlowControl {
        FlowControl::VirtualCutThrough
    }
}

/// Sends packets off their minimal way where that is full.
struct Trigger {
    states: States,
    minimal_share: f64,
    relative_threshold: f64,
    /// Virtual channels of a port.
    per_vc: f64,
}

impl Trigger {
    /// How full the buffers are that a hop leads to.
    #[inline]
    fn share(&self, hop: &Hop, sees: &dyn Congestion) -> f64 {
        self.share_of(hop, hop.vcs.0.count_ones().into(), sees)
    }

    /// The same of a hop on so many virtual channels.
    #[inline(always)]
    fn share_of(&self, hop: &Hop, vcs: f64, sees: &dyn Congestion) -> f64 {
        let (flits, capacity) = sees.occupancy_of(hop.port, hop.vcs);
        let room = f64::from(capacity) * vcs / self.per_vc;
        f64::from(flits) / if room > 1.0 { room } else { 1.0 }
    }

    /// The minimal hop, whose buffers are so full, unless another one is drawn that is better.
    #[inline(never)]
    fn or_other(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
        (minimal, share): (Hop, f64),
    ) -> Option<Hop> {
        let most = self.relative_threshold * share;
        let other = self.states.draw_other(at, header, rng);
        let other = other.filter(|other| self.share(other, congestion) <= most);
        other.or(Some(minimal))
    }

    /// The choice where the minimal hop is not seen at once: there may be none, or several, or no choice.
    #[inline(never)]
    fn choose_among(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        // Where anything else is settled, it is the minimal hop, and there is no other.
        let forced = self.states.ejection(at, header);
        if let Some(hop) = forced.or_else(|| self.states.round(at, header)) {
            return Some(hop);
        }
        let Some(minimal) = self.states.draw_minimal(at, header, rng) else {
            return self.states.draw_escape(at, header, rng);
        };
        let share = self.share(&minimal, congestion);
        match share <= self.minimal_share {
            true => Some(minimal),
            false => self.or_other(at, header, congestion, rng, (minimal, share)),
        }
    }
}

impl Routing for Trigger {
    fn virtual_channels(&self) -> Vc {
        self.states.plan.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.states.start(source, destination)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        options.extend(self.states.all(at, header));
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.states.only_hop(at, header)
    }

    #[inline(always)]
    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let Some((minimal, vcs)) = self.states.only_minimal(at, header) else {
            return self.choose_among(at, header, congestion, rng);
        };
        let share = self.share_of(&minimal, vcs, congestion);
        match share <= self.minimal_share {
            true => Some(minimal),
            false => self.or_other(at, header, congestion, rng, (minimal, share)),
        }
    }

    fn relation(&self) -> Option<String> {
        Some(self.states.relation())
    }

    fn asks_again(&self) -> bool {
        true
    }

    fn choose_again(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        if rng.below(ANY_OF) > 0 {
            return self.choose(at, header, congestion, rng);
        }
        draw::among(self.states.all(at, header), rng)
    }

    fn escape(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        options.extend(self.states.escapes(at, header));
    }
}
