//! Routes where those by shortest ways need more lanes than there are.
//!
//! On a grid most routes keep to their shortest ways, and what fits into no lane goes around (`detours`). Where that leaves somebody stuck, or
//! some channel carries much more than it would if there were lanes enough, rings are cut as well: aslant (`slanted`), or straight (`cuts`), in all
//! lanes or only in some of them, since a lane more is not always better. What was found is improved (`weighing`), and networks that are not large are
//! routed anew within their lanes too (`confined`). What carries least is taken. Where something is missing, what goes as on the whole grid has the lane
//! that it has there (`undamaged`), and what carries too much is relieved (`relieving`); of larger grids all routes come this way. All other
//! networks are routed anew at once, or by orders (`oriented`), whichever carries less, and if they are large by orders alone.

use super::confined::confined;
use super::cuts;
use super::detours::{First, around, beside};
use super::layering::{Partial, Sequence};
use super::loads::Loads;
use super::oriented::{Fit, best_orders, oriented};
use super::slanted::slanted;
use super::taste::{Sharing, Taste};
use super::trees::Ease;
use super::weighing::polished;
use crate::irregular::by_destination::{Escape, Graph, Layering, Steps, Trees};
use crate::irregular::orientation::{Orientation, both_ways};
use crate::irregular::root::Root;
use std::sync::Arc;
use turnwise_network::{Invalid, Network};

/// Trees are good enough that carry so many hundredths of what those carry that need more lanes.
const ENOUGH: u64 = 110;
const ENOUGH_IF_SMALL: u64 = 105;
const ENOUGH_IF_LABORIOUS: u64 = 130;

/// Networks of so many routers are routed anew in a moment.
const SMALL: usize = 128;
/// With up to so many trees times arcs that takes a second or two, and so does it to improve what was found, in so many rounds.
const QUICK: usize = 1 << 19;
const ANEW: usize = 1 << 21;
pub(super) const POLISHED: usize = 1 << 22;
/// With so many it takes up to ten seconds to route anew in a single lane, where orders leave twice or three times as much on some channel.
const ALONE: usize = 1 << 24;
pub(super) const ROUNDS: usize = 12;

/// A network, and so many lanes.
pub(super) struct FewLanes<'a> {
    pub(super) name: &'static str,
    pub(super) network: &'a Arc<Network>,
    pub(super) graph: &'a Graph,
    pub(super) lanes: u32,
    pub(super) seed: u64,
}

impl FewLanes<'_> {
    /// Trees near to these, by orders if these are known already.
    pub(super) fn anywhere(
        &self,
        trees: Trees,
        fit: Option<Fit>,
    ) -> Result<(Trees, Layering), Invalid> {
        self.check_both_ways()?;
        self.anew(trees, fit)
    }

    /// The same on a grid, whose trees keep to dimension order where they can.
    pub(super) fn on_grid(
        &self,
        trees: &Trees,
        steps: &Steps,
        taste: &dyn Taste,
    ) -> Result<(Trees, Layering), Invalid> {
        let work = trees.work(self.graph);
        let is_laborious = work > ANEW;
        let loads = Loads::of_trees(self.graph, trees);
        let most = match is_laborious {
            true => loads.usual_of(taste).min(loads.most()),
            false => loads.most(),
        };
        let mut best = Best {
            graph: self.graph,
            enough: match is_laborious {
                true => most * ENOUGH_IF_LABORIOUS / 100,
                false => most * ENOUGH / 100,
            },
            found: None,
        };
        let is_cut_whole = self.is_cut_whole(steps, self.lanes);
        if is_cut_whole {
            best.offer(Some(self.cut(steps, self.lanes)));
            best.offer(self.slanted(steps, taste));
            // In large networks it takes seconds to find anything better.
            let is_final = self.graph.is_large() || both_ways(self.name, self.network).is_err();
            if is_final && let Some((_, found)) = best.found {
                return Ok(found);
            }
        }
        self.check_both_ways()?;
        // With no more lanes than rings most routes do not fit in.
        if self.lanes as usize > steps.rings().count() {
            let beside = |sequence, lanes: u32, first| {
                let way = (trees, Sharing::None, sequence);
                let partial = Partial::of_taste(self.graph, way, taste, lanes as usize);
                beside(self.graph, (trees, partial), (self.lanes, first), taste)
            };
            let found = beside(Sequence::UsualFirst(steps), self.lanes, First::Short);
            let found = match (found, is_laborious) {
                (Some(found), _) => Some(found),
                (None, true) => beside(
                    Sequence::UsualFirst(steps),
                    self.lanes - 1,
                    First::ShortOrTree(&self.escape()?),
                ),
                (None, false) => beside(Sequence::Any, self.lanes, First::Short),
            };
            best.offer(found);
        }
        if !best.is_enough() && !is_cut_whole {
            best.offer(self.slanted(steps, taste));
        }
        if !best.is_enough() {
            self.offer_cuts(&mut best, steps)?;
        }
        if self.graph.routers() <= SMALL {
            best.enough = most * ENOUGH_IF_SMALL / 100;
        }
        // Where it takes long to begin anew, what is there may become good enough.
        let is_quick = work <= QUICK;
        if !is_quick {
            self.polish(&mut best, work);
        }
        let before = best.most();
        if before.is_none() || !best.is_enough() && work <= ANEW {
            let trees = Trees::without_ways(self.network);
            let trees = trees.balanced(self.graph, Some(taste), Ease::All);
            best.offer(Some(self.anew(trees, None)?));
        }
        // What is anew has been through that.
        if is_quick && best.most() == before {
            best.enough = most * ENOUGH_IF_SMALL / 100;
            self.polish(&mut best, work);
        }
        match best.found {
            Some((_, found)) => Ok(found),
            None => self.anywhere(trees.clone(), None),
        }
    }

    /// What was found, improved, if it is not enough and that takes no longer than it may.
    fn polish(&self, best: &mut Best<'_>, work: usize) {
        if !best.is_enough()
            && work <= POLISHED
            && let Some((_, (trees, layering))) = &best.found
        {
            let (found, lanes) = ((trees, layering), (self.lanes, ROUNDS));
            best.offer(Some(polished(self.graph, found, lanes)));
        }
    }

    /// Rings cut in so many lanes, or fewer, with ways around what has failed; of those that carry least, as long as these can be better.
    fn offer_cuts(&self, best: &mut Best<'_>, steps: &Steps) -> Result<(), Invalid> {
        // What has to go around only adds to what the others carry.
        let carried = |lanes| {
            let (trees, _) = self.cut(steps, lanes);
            (Loads::of_trees(self.graph, &trees).quality(), lanes)
        };
        let mut counts: Vec<((u64, u64), u32)> = (1..=self.lanes).map(carried).collect();
        counts.sort_unstable();
        let detoured = |lanes, first| {
            let found = self.cut(steps, lanes);
            match self.is_cut_whole(steps, lanes) {
                true => Some(found),
                false => around(self.graph, found, lanes, first),
            }
        };
        for ((most, _), lanes) in counts {
            if best.most().is_some_and(|best| best <= most) {
                return Ok(());
            }
            let short = detoured(lanes, First::Short);
            best.offer(short.or_else(|| detoured(lanes, First::Allowed)));
        }
        // A tree in the only lane leaves room for little else.
        if best.found.is_none() && self.lanes > 1 {
            best.offer(detoured(self.lanes, First::AllowedOrTree(&self.escape()?)));
        }
        Ok(())
    }

    /// Rings cut aslant. In a single lane lines have to be parted at their cuts, wherever these are, and nothing is gained.
    fn slanted(&self, steps: &Steps, taste: &dyn Taste) -> Option<(Trees, Layering)> {
        if self.lanes == 1 {
            return None;
        }
        let trees = Trees::without_ways(self.network);
        let (trees, partial) = slanted(trees, self.graph, steps, self.lanes);
        if steps.is_whole() && self.graph.is_large() {
            return partial.whole().map(|layering| (trees, layering));
        }
        beside(
            self.graph,
            (&trees, partial),
            (self.lanes, First::Short),
            taste,
        )
    }

    fn cut(&self, steps: &Steps, lanes: u32) -> (Trees, Layering) {
        cuts::cut(Trees::without_ways(self.network), self.graph, steps, lanes)
    }

    fn is_cut_whole(&self, steps: &Steps, lanes: u32) -> bool {
        let terminals = self.network.living_terminals();
        let routers = terminals.map(|terminal| self.network.router_of(terminal).0);
        cuts::is_whole(&routers.collect::<Vec<u32>>(), steps, lanes)
    }

    fn check_both_ways(&self) -> Result<(), Invalid> {
        both_ways(self.name, self.network).map_err(|_| {
            let message = format!(
                "routes need more than {} virtual lanes, and there is no way around that where links carry one way only",
                self.lanes
            );
            Invalid::new("virtual_lanes", message)
        })
    }

    /// It takes a search from every router, and most never ask.
    fn order(&self) -> Result<Orientation, Invalid> {
        Root::default().orient(self.network, self.seed)
    }

    fn escape(&self) -> Result<Escape, Invalid> {
        Ok(Escape::new(self.graph, &self.order()?))
    }

    /// In a single lane orders allow few ways, and in several they are mostly better where there are many.
    fn anew(&self, trees: Trees, fit: Option<Fit>) -> Result<(Trees, Layering), Invalid> {
        let (graph, lanes) = (self.graph, self.lanes);
        let by_orders = |trees: Trees| {
            let fit = fit.unwrap_or_else(|| best_orders(graph, &trees, lanes));
            oriented(graph, trees, fit, lanes)
        };
        if graph.is_large() && (lanes > 1 || trees.work(graph) > ALONE) {
            return Ok(by_orders(trees));
        }
        let within = confined(self.network, (graph, self.order()?), &trees, lanes);
        if lanes == 1 {
            return Ok(within);
        }
        let by_orders = by_orders(trees);
        let quality = |found: &(Trees, Layering)| Loads::of_trees(graph, &found.0).quality();
        Ok(match quality(&by_orders) < quality(&within) {
            true => by_orders,
            false => within,
        })
    }
}

/// What carries least so far: on the most loaded channel, then on all together.
struct Best<'a> {
    graph: &'a Graph,
    /// No channel need carry less.
    enough: u64,
    found: Option<((u64, u64), (Trees, Layering))>,
}

impl Best<'_> {
    fn offer(&mut self, other: Option<(Trees, Layering)>) {
        let Some(other) = other else {
            return;
        };
        let quality = Loads::of_trees(self.graph, &other.0).quality();
        if self.found.as_ref().is_none_or(|best| quality < best.0) {
            self.found = Some((quality, other));
        }
    }

    fn is_enough(&self) -> bool {
        self.most().is_some_and(|most| most <= self.enough)
    }

    fn most(&self) -> Option<u64> {
        self.found.as_ref().map(|&((most, _), _)| most)
    }
}
