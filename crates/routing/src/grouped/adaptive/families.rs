//! Algorithms that both families know: what they ask for, and ways with a judge on either network.

use super::dragonfly::{Detouring, DragonflyWays};
use super::judge::Judge;
use super::megafly::{Deciding, MegaflyWays, THRESHOLD, turning};
use super::routing::Adaptive;
use super::rule::{HopModel, Rule};
use crate::algorithm::{Context, misfit};
use crate::common::phantom::{Phantom, compensated};
use crate::common::visible::{Counted, long_queue, longest_queue};
use crate::common::whole_queues::whole;
use crate::grouped::links::GroupLinks;
use crate::grouped::via::{BOTH, DetourVia, by_router};
use std::sync::Arc;
use turnwise_network::shape::{Dragonfly, Megafly};
use turnwise_network::{Invalid, Network, Routing, Shape, Vc};

/// What such an algorithm, or its study, says.
pub(crate) struct Asked {
    pub(crate) name: &'static str,
    /// Do packets that go minimally decide again where they leave their group?
    pub(crate) progressive: bool,
    pub(crate) threshold_flits: Option<i32>,
    pub(crate) hop_model: HopModel,
    pub(crate) via: Option<DetourVia>,
    pub(crate) gg_shortcut: bool,
    pub(crate) phantom: Option<Phantom>,
    /// Do packets that wait in a router for a channel count as its queue?
    pub(crate) whole_queues: bool,
    pub(crate) virtual_channels: Option<Vc>,
}

/// What a judge is made from.
pub(crate) struct Given<'a> {
    pub(crate) rule: Rule,
    pub(crate) links: &'a GroupLinks,
    pub(crate) is_megafly: bool,
    /// The flits of the longest queue of minimal packets that is seen between groups.
    pub(crate) longest_queue: u32,
}

impl Asked {
    /// # Errors
    /// A network of another family, options that make no sense on this one, virtual channels that the router does not
    /// have, and what the judge says.
    pub(crate) fn build<J: Judge + 'static>(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
        judge: impl FnOnce(&Given<'_>) -> Result<J, Invalid>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        match network.shape() {
            Shape::Dragonfly(shape) => self.on_dragonfly(network, shape, context, judge),
            Shape::Megafly(shape) => self.on_megafly(network, shape, context, judge),
            _ => Err(misfit(self.name, BOTH, network)),
        }
    }

    fn on_dragonfly<J: Judge + 'static>(
        &self,
        network: &Arc<Network>,
        shape: &Dragonfly,
        context: &Context<'_>,
        judge: impl FnOnce(&Given<'_>) -> Result<J, Invalid>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let detouring = Detouring {
            by_router: by_router(self.via, self.gg_shortcut)?,
            progressive: self.progressive,
        };
        let vcs = self.virtual_channels;
        let ways = DragonflyWays::new(self.name, network, shape, detouring, vcs, context)?;
        let longest = longest_queue(network, ways.minimal_vcs(), self.counted(), context);
        let usual = long_queue(longest) as i32;
        let judge = judge(&Given {
            rule: self.rule(self.threshold_flits.unwrap_or(usual)),
            links: &ways.legs().links,
            is_megafly: false,
            longest_queue: longest,
        })?;
        let routing = whole(Box::new(Adaptive { ways, judge }), self.whole_queues);
        compensated(routing, network, self.phantom)
    }

    /// # Errors
    /// As [`build`](Self::build).
    pub(crate) fn on_megafly<J: Judge + 'static>(
        &self,
        network: &Arc<Network>,
        shape: &Megafly,
        context: &Context<'_>,
        judge: impl FnOnce(&Given<'_>) -> Result<J, Invalid>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let deciding = Deciding {
            turning: turning(self.via, self.gg_shortcut)?,
            at_leaf: true,
            at_spine: self.progressive,
        };
        let vcs = self.virtual_channels;
        let ways = MegaflyWays::new(self.name, network, shape, deciding, vcs, context)?;
        let judge = judge(&Given {
            rule: self.rule(self.threshold_flits.unwrap_or(THRESHOLD)),
            links: ways.links(),
            is_megafly: true,
            longest_queue: longest_queue(network, ways.minimal_vcs(), self.counted(), context),
        })?;
        let routing = whole(Box::new(Adaptive { ways, judge }), self.whole_queues);
        compensated(routing, network, self.phantom)
    }

    fn counted(&self) -> Counted {
        Counted {
            whole_queues: self.whole_queues,
            phantom: self.phantom,
        }
    }

    fn rule(&self, threshold: i32) -> Rule {
        Rule {
            hops: self.hop_model,
            threshold: threshold.into(),
        }
    }
}
