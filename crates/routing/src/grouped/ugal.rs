//! UGAL-L: minimally, unless the queue that way is far longer than the queue of
//! a random detour. Universal, globally adaptive, load balanced, by local information.
//!
//! **Dragonfly.** The source's router decides, once for each packet. It draws a random terminal of the whole
//! network. If that is in the source group, the packet goes minimally (as all traffic inside a
//! group does); otherwise it compares the first output ports of the minimal route and of the
//! route to the *router* of that terminal, and goes minimally if
//!
//! ```text
//! q_min <= 2 * q_nonmin + threshold
//! ```
//!
//! where `q` counts flits sent through the port and not yet credited, over all virtual channels
//! (`Congestion::occupancy`), and 2 stands for the detour's two global channels. These are
//! the decision and the draw of BookSim's `ugal_dragonflynew`, and its threshold, 30 flits, where buffers are deep. With `hop_model`
//! queues are multiplied with the channels between routers of both routes instead, or with their routers.
//!
//! **Threshold.** A packet that goes minimally takes a quarter of the virtual channels, so `q_min` of such
//! packets alone is never more than these hold: 16 flits with four virtual channels of 16 flits. A threshold
//! of 30 would never be exceeded, and the packets all go minimally. Nor is it where the backlog of a channel waits at
//! the inputs, and only what is under way on it has left for it. So the threshold is half of the longest queue of minimal
//! packets that is seen between groups (`common/visible.rs`), and at most 30, unless the study says otherwise. With
//! BookSim's classes it is 30.
//!
//! Deep buffers are still better. On channels of
//! long latency `q` counts flits and credits under way as well, so a busy channel looks
//! congested even if no queue is behind it. The intermediate router may be in the
//! destination group; the packet goes there first all the same.
//!
//! **Classes.** Local and global channels are different channels, so that they share numbers.
//!
//! | channel | `distance` | `booksim` |
//! |---|---|---|
//! | detour: local in the source group, first global | 0 | 0 |
//! | detour: local to the intermediate router | 1 | 0 |
//! | local to the (second) global channel | 2 | 1 |
//! | (second) global | 2 | 2 |
//! | local in the destination group | 3 | 2, but 1 from an intermediate router there |
//! | local, inside a group | 0 | 2 |
//! | ejection | all | as the channel before |
//!
//! With distance classes, the default, no route ever takes a lower class after a higher one or
//! two channels of one kind and class, so four virtual channels are free of deadlock. (Four
//! local channels one after the other need as many.) What a router has beyond a multiple of four goes to the two that minimal
//! routes take, and detours as well. BookSim's are three and not: its class 0 serves local, global and local channels of a detour, so that
//! packets of two groups, each on its way to a router of the other, can wait in a circle. It is
//! there to compare with, and `turnwise verify` prints the cycle.
//!
//! **Megafly.** The leaf draws one of the links to the destination group and a detour by a third group, and compares the queues of the channels
//! up to their spines by the same rule, with a threshold of 0. Two virtual channels, as Valiant's. The channels up say little about the
//! global ones behind them, and inside a group any spine is taken.
//!
//! **Other networks**: grids, HyperX, Slim Fly, random graphs. Detours are Valiant's there: by a random router, in dimension order on grids
//! and HyperX and by shortest paths elsewhere, each of the two legs on virtual channels of its own. Packets may do just what they may
//! under [`valiant`](super::valiant), and need as many virtual channels: 4 on tori, 2 on other grids and HyperX, and elsewhere two for each
//! hop of the longest shortest path. Minimal ones keep to those of one leg, whichever is emptier at the source. A packet goes minimally if
//!
//! ```text
//! (q_min - threshold) * h_min <= q_nonmin * h_nonmin
//! ```
//!
//! where `h` counts the channels of the whole way, if `hop_model` does not say otherwise. The threshold is half of the flits and credits
//! that are under way on the channel of the minimal way when it is busy. So much a channel shows without any queue, and where routers queue
//! at their inputs no more than twice that is ever seen. A packet that is longer looks like a queue: it takes a larger threshold to have
//! uniform traffic of long packets go minimally.
//!
//! Beyond saturation it does not keep what it carries below. When the queues of detours are as long as they are seen to be, the rule
//! prefers minimal ways whatever they hold: of a tornado on an 8x8 torus (8 virtual channels of 16 flits, an internal speedup of 2) 0.36
//! flits a terminal and cycle are carried, and 0.25 when 0.5 are offered, of which [`valiant`](super::valiant) carries 0.48.
//!
//! **Faults.** If no minimal route survives, the packet makes a detour by any intermediate router that does;
//! if the drawn one does not, it goes minimally (without groups another one is drawn). A pair with neither is not routed. On a dragonfly packets that have lost a channel
//! inside a group [go round](crate::grouped::rounds) by other routers of it, in the same class. Inside a group that has fallen apart nobody
//! makes a detour by another one.
//!
//! Source: Singh, "Load-balanced routing in interconnection networks", PhD thesis, Stanford
//! 2005; Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology",
//! ISCA 2008 (UGAL-L); BookSim2, `dragonfly.cpp`, commit 28f43299; Besta and Hoefler, "Slim Fly: a cost effective low-diameter network
//! topology", SC 2014.
//!
//! Complexity: O(1) a hop, O(dimensions) on grids, at the source O(hops) of the ways on irregular networks; with faults, in the worst case
//! the source looks at all intermediate routers. Memory O(groups squared + global links + routers + terminals).
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{Dragonfly, Topology};
//! use turnwise_network::{RouterId, TerminalId};
//! use turnwise_routing::algorithms::Ugal;
//! use turnwise_routing::{Algorithm, Context};
//!
//! let network = Arc::new(Dragonfly::default().build(None)?);
//! let routing = Ugal::default().build(&network, &Context::default())?;
//! assert_eq!(routing.virtual_channels(), 4);
//! let start = routing.start(TerminalId(0), TerminalId(70)).expect("no faults");
//! let mut options = Vec::new();
//! routing.options(RouterId(0), start.header, &mut options);
//! // The minimal route, or by any of the 4 routers of any of the 8 other groups.
//! assert_eq!(options.len(), 1 + 8 * 4);
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

mod at_source;
mod dragonfly;

use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults, misfit};
use crate::common::phantom::{Phantom, compensated};
use crate::common::two_legs::{Anywhere, Intermediates, Legs, TwoLegs};
use crate::common::vc_plan::VcPlan;
use crate::common::visible::{BOOKSIM_THRESHOLD, Counted, Thresholds, long_queue, longest_queue};
use crate::common::whole_queues::whole;
use crate::grid::legs::GridLegs;
use crate::grouped::adaptive::families::Asked;
use crate::grouped::adaptive::local::Local;
use crate::grouped::adaptive::rule::{HopModel, Rule};
use crate::grouped::via::{
    DetourVia, ROUTES, by_router, has_detours, only_routers, under_faults, wrong_via,
};
use crate::irregular::two_legs::PathLegs;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;
use turnwise_network::shape::Megafly;
use turnwise_network::{Invalid, Network, PopulatedRouters, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["ugal-l"],
        summary: "Grids, HyperX, dragonfly, megafly and irregular: minimally, or by a random detour where the source sees shorter queues",
        source: "Kim, Dally, Scott, Abts, Technology-driven, highly-scalable dragonfly topology, ISCA 2008",
        example: "threshold_flits = 30\nclasses = \"distance\"\nhop_model = \"ratio\"\nvia = \"router\"\n\
                  phantom = { value_coefficient = 1.0, length_coefficient = 2.0 }\nwhole_queues = true\nvirtual_channels = 4",
        schema: schema_of::<Ugal>,
        parse: |table, errors| Some(Box::new(parse_as::<Ugal, dyn Algorithm>(table, errors)?)),
    },
    fits: has_detours,
};

const NAME: &str = "ugal";

/// Parameters of UGAL-L.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ugal {
    /// By how many flits the minimal queue may be longer than the other, which counts twice, or by `hop_model`; negative prefers detours.
    /// By default half of the longest queue that is seen of minimal packets between groups, at most 30, and 30 with BookSim's classes; on
    /// a megafly 0, and without groups half of what is under way on the port's channel when it is busy.
    #[schemars(transform = units::flits)]
    pub threshold_flits: Option<i32>,
    /// Which virtual channel a packet takes where.
    pub classes: UgalClasses,
    /// What queues are multiplied with: by default `ratio` on dragonflies and megaflies, `links` elsewhere.
    pub hop_model: Option<HopModel>,
    /// Where detours go: by default by a group on a megafly; elsewhere by a router, which is all that is known there.
    pub via: Option<DetourVia>,
    /// May a megafly's spine go from group to group without going down to a leaf?
    pub gg_shortcut: bool,
    /// Flits on their way that do not count as waiting. By default all that are not credited count.
    pub phantom: Option<Phantom>,
    /// Do packets that wait in a router for a channel count as its queue, beside what has left for it?
    pub whole_queues: bool,
    /// Virtual channels to spread the classes over: by default all the router has, or else 4, on a megafly 2; with
    /// BookSim's classes 3. On other networks as many as `valiant` takes: 4 on tori, 2 on other grids and HyperX, elsewhere two for each hop
    /// of the longest shortest path.
    pub virtual_channels: Option<Vc>,
}

/// Which virtual channel a packet takes where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UgalClasses {
    /// Four classes that only ever rise along a route: free of deadlock.
    #[default]
    Distance,
    /// BookSim's three, which can deadlock.
    Booksim,
}

impl Algorithm for Ugal {
    fn under_faults(&self, shape: &Shape) -> UnderFaults {
        match shape {
            Shape::Graph => UnderFaults::EveryRoute,
            _ => under_faults(shape, self.gg_shortcut),
        }
    }

    fn is_free_of_deadlock(&self, _: &Shape) -> bool {
        self.classes != UgalClasses::Booksim
    }

    fn table_bytes(&self, network: &Network, _: &Context<'_>) -> u64 {
        match network.shape() {
            Shape::Graph => PathLegs::table_bytes(network),
            _ => 0,
        }
    }

    fn minds_buffers(&self) -> bool {
        self.threshold_flits.is_none() && self.classes == UgalClasses::Distance
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let shape = match network.shape() {
            Shape::Dragonfly(shape) if by_router(self.via, self.gg_shortcut)? => shape,
            Shape::Dragonfly(_) => {
                let message = "`ugal` goes by the router of a random terminal on a dragonfly";
                return Err(wrong_via(message, "\"router\", or `ugal-g`"));
            }
            Shape::Megafly(shape) => return self.on_megafly(network, shape, context),
            Shape::Grid(_) | Shape::HyperX(_) => {
                self.without_groups()?;
                let vcs = self.virtual_channels;
                let legs = GridLegs::two(NAME, ROUTES, vcs, network, context)?;
                return self.by_router(legs, Anywhere, network, context);
            }
            Shape::Graph => {
                self.without_groups()?;
                let legs = PathLegs::new(NAME, self.virtual_channels, network, context)?;
                return self.by_router(legs, PopulatedRouters::new(network), network, context);
            }
            _ => return Err(misfit(NAME, ROUTES, network)),
        };
        let plan = match self.classes {
            UgalClasses::Distance => VcPlan::new(NAME, self.virtual_channels, 4, context),
            UgalClasses::Booksim => VcPlan::no_more(NAME, self.virtual_channels, 3, context),
        }?;
        let threshold = self
            .threshold_flits
            .unwrap_or_else(|| self.usual_threshold(network, plan, context) as i32);
        let rule = Rule {
            hops: self.hop_model.unwrap_or_default(),
            threshold: threshold.into(),
        };
        let routing = dragonfly::UgalDragonfly::new(network, shape, plan, self.classes, rule);
        let routing = whole(Box::new(routing), self.whole_queues);
        compensated(routing, network, self.phantom)
    }
}

impl Ugal {
    fn on_megafly(
        &self,
        network: &Arc<Network>,
        shape: &Megafly,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        self.own_classes()?;
        let asked = Asked {
            name: NAME,
            progressive: false,
            threshold_flits: self.threshold_flits,
            hop_model: self.hop_model.unwrap_or_default(),
            via: self.via,
            gg_shortcut: self.gg_shortcut,
            phantom: self.phantom,
            whole_queues: self.whole_queues,
            virtual_channels: self.virtual_channels,
        };
        asked.on_megafly(network, shape, context, |given| Ok(Local(given.rule)))
    }

    /// Refuses BookSim's classes.
    fn own_classes(&self) -> Result<(), Invalid> {
        if self.classes == UgalClasses::Booksim {
            let wrong = Invalid::new("classes", "BookSim's are those of a dragonfly");
            return Err(wrong.with_help("leave it out"));
        }
        Ok(())
    }

    /// Refuses what only networks with groups know.
    fn without_groups(&self) -> Result<(), Invalid> {
        self.own_classes()?;
        let by_router = matches!(self.via, None | Some(DetourVia::Router));
        only_routers(by_router, self.gg_shortcut)
    }

    fn by_router<L: Legs + 'static>(
        &self,
        legs: L,
        intermediates: impl Intermediates<L> + 'static,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let (said, all) = (self.threshold_flits, legs.plan().every_class());
        let thresholds = Thresholds::new(network, said, all, self.counted(), context);
        let legs = TwoLegs {
            legs,
            intermediates,
        };
        let routing = at_source::UgalAtSource {
            legs,
            hops: self.hop_model.unwrap_or(HopModel::Links),
            thresholds,
        };
        let routing = whole(Box::new(routing), self.whole_queues);
        compensated(routing, network, self.phantom)
    }

    fn usual_threshold(&self, network: &Network, plan: VcPlan, context: &Context<'_>) -> u32 {
        match self.classes {
            UgalClasses::Booksim => BOOKSIM_THRESHOLD,
            UgalClasses::Distance => {
                let class = dragonfly::share(plan, dragonfly::ONWARD);
                long_queue(longest_queue(network, class, self.counted(), context))
            }
        }
    }

    fn counted(&self) -> Counted {
        Counted {
            whole_queues: self.whole_queues,
            phantom: self.phantom,
        }
    }
}
