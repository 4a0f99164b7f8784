//! Lanes for balanced trees: by shortest ways where these fit in, or else [what few lanes allow](super::few_lanes).
//!
//! On grids, if not all routes by shortest ways fit in, those may that keep to dimension order; small whole ones that this leaves uneven are routed
//! without it as well. And where something is missing of a small one, or the
//! busiest channel carries far too much, fewer lanes than there are may carry less: they are looked at as well.
//!
//! Complexity: that of [lanes](super::layering), and of few of them for each number that is looked at.

use super::few_lanes::FewLanes;
use super::layering::{Partial, Sequence};
use super::loads::Loads;
use super::oriented::Fit;
use super::taste::{Sharing, Taste, taste};
use super::trees::{Ease, SHARE};
use super::{NAME, Turnwise};
use crate::irregular::by_destination::{Graph, Layering, Steps, Trees};
use std::sync::Arc;
use turnwise_network::{Invalid, Network, Vc};

/// On damaged grids of up to so many trees times arcs fewer lanes are looked at as well, down to where these carry so many hundredths of the best;
/// on larger ones only if that carries more than so many hundredths of what lanes enough would. On tiny ones all are.
const COMPARED: usize = 1 << 19;
const LARGER: usize = 1 << 21;
const TINY: usize = 10_000;
const POOR: u64 = 150;
const FAR: u64 = 115;

/// What is routed.
pub(super) struct Asked<'a> {
    pub(super) network: &'a Arc<Network>,
    pub(super) graph: &'a Graph,
    pub(super) seed: u64,
    pub(super) steps: Option<&'a Steps>,
    pub(super) taste: Option<&'a dyn Taste>,
    /// How trees have been balanced.
    pub(super) ease: Ease,
    pub(super) sharing: Sharing,
}

impl Asked<'_> {
    /// Looks at a network, and does something with that and with trees without ways.
    pub(super) fn of<T>(
        network: &Arc<Network>,
        (seed, sharing): (u64, Sharing),
        what: impl FnOnce(&Asked<'_>, &Trees) -> T,
    ) -> T {
        let graph = Graph::new(network);
        let steps = Steps::of(network, &graph);
        let taste = taste(network, &graph, steps.as_ref(), sharing);
        let bare = Trees::without_ways(network);
        let asked = Asked {
            network,
            graph: &graph,
            seed,
            steps: steps.as_ref(),
            taste: taste.as_deref(),
            ease: ease(steps.as_ref(), sharing, bare.work(&graph)),
            sharing,
        };
        what(&asked, &bare)
    }
}

/// How trees are balanced. On larger grids of which something is missing they keep to dimension order wherever they can: lanes for others take
/// long to find, if there are enough. With rings, where lanes are fewest, what carries too much is relieved only once there are lanes.
fn ease(steps: Option<&Steps>, sharing: Sharing, work: usize) -> Ease {
    let damaged = steps.filter(|steps| sharing == Sharing::None && !steps.is_whole());
    match damaged.filter(|_| work > LARGER) {
        None => Ease::All,
        Some(steps) if steps.rings().next().is_none() => Ease::Exceptions,
        Some(_) => Ease::Nothing,
    }
}

/// Trees of a small whole grid that carry less than these, if dimension order has kept these from being even: rings of 6, 10, 14 .. routers it
/// cannot share out.
pub(super) fn out_of_order(
    graph: &Graph,
    bare: &Trees,
    steps: Option<&Steps>,
    trees: &Trees,
) -> Option<Trees> {
    steps.filter(|steps| steps.is_whole() && trees.work(graph) <= COMPARED)?;
    let loads = Loads::of_trees(graph, trees);
    if loads.most() * 100 <= loads.least() * SHARE {
        return None;
    }
    let free = bare.clone().balanced(graph, None, Ease::All);
    (Loads::of_trees(graph, &free).most() < loads.most()).then_some(free)
}

/// Lanes for routes by shortest ways.
#[derive(Default)]
struct Shortest {
    /// A lane for each route, if there are enough.
    layering: Option<Layering>,
    /// Other trees, which these lanes are for; if there are not enough, those to begin with.
    gentle: Option<Trees>,
}

impl Turnwise {
    /// Trees near to these, and their lanes, of so many.
    pub(super) fn fitted(
        &self,
        asked: &Asked<'_>,
        trees: &Trees,
        fit: Option<Fit>,
        most: Vc,
    ) -> Result<(Trees, Layering), Invalid> {
        let &Asked {
            network,
            graph,
            seed,
            steps,
            taste,
            ease,
            sharing,
        } = asked;
        let shortest = match fit.as_ref().is_some_and(Fit::is_near) {
            true => Shortest::default(),
            false if ease != Ease::All => Shortest {
                gentle: Some(trees.clone()),
                ..Shortest::default()
            },
            false => {
                let (taste, lanes) = ((taste, steps), (most.into(), sharing));
                self.shortest(network, graph, trees, taste, lanes)
            }
        };
        if let Some(layering) = shortest.layering {
            return Ok((shortest.gentle.unwrap_or_else(|| trees.clone()), layering));
        }
        let few = FewLanes {
            name: NAME,
            network,
            graph,
            // Of one lane both directions have the same.
            lanes: match sharing {
                Sharing::None => most.into(),
                Sharing::Mutual => 1,
            },
            seed,
        };
        match (steps, taste, shortest.gentle) {
            (Some(steps), Some(taste), Some(gentle)) => few.on_grid(&gentle, steps, taste),
            _ => few.anywhere(trees.clone(), fit),
        }
    }

    /// These, or what fits into fewer lanes where that carries less: on small grids of which something is missing, and on others where these are poor,
    /// as long as it may be better.
    pub(super) fn or_by_fewer(
        &self,
        asked: &Asked<'_>,
        trees: &Trees,
        found: (Trees, Layering),
        most: Vc,
    ) -> Result<(Trees, Layering), Invalid> {
        let graph = asked.graph;
        let Some(steps) = asked.steps else {
            return Ok(found);
        };
        let work = trees.work(graph);
        if work > LARGER {
            return Ok(found);
        }
        let quality = |trees: &Trees| Loads::of_trees(graph, trees).quality();
        let balanced = Loads::of_trees(graph, trees);
        let (least, bound) = (balanced.most(), balanced.least());
        let mut best = (quality(&found.0), found);
        let is_poor = best.0.0 > least * POOR / 100;
        let is_damaged_and_small = || work <= COMPARED && !steps.is_whole();
        if !is_poor && !is_damaged_and_small() {
            return Ok(best.1);
        }
        // What shortest ways need is as good with more.
        let mut lanes = most.min(best.1.1.count as Vc);
        while lanes > 1 {
            lanes -= 1;
            let (busiest, _) = best.0;
            // With more lanes than rings it is found at once whether what is relieved carries less.
            let is_quick = usize::from(lanes) > steps.rings().count() || lanes > 1 && work <= TINY;
            if busiest <= bound || busiest <= least && !is_quick {
                break;
            }
            let other = self.fitted(asked, trees, None, lanes)?;
            let found = quality(&other.0);
            lanes = lanes.min(other.1.count as Vc);
            if found < best.0 {
                best = (found, other);
            } else if found.0 > busiest * FAR / 100 {
                break;
            }
        }
        Ok(best.1)
    }

    /// These, or what fits in [out of order](out_of_order) where that carries less.
    pub(super) fn or_out_of_order(
        &self,
        asked: &Asked<'_>,
        bare: &Trees,
        found: (Trees, Layering),
        most: Vc,
    ) -> Result<(Trees, Layering), Invalid> {
        let graph = asked.graph;
        let Some(trees) = out_of_order(graph, bare, asked.steps, &found.0) else {
            return Ok(found);
        };
        let free = Asked {
            steps: None,
            taste: None,
            ease: Ease::All,
            ..*asked
        };
        let other = self.fitted(&free, &trees, None, most)?;
        let quality = |(trees, _): &(Trees, Layering)| Loads::of_trees(graph, trees).quality();
        Ok(if quality(&other) < quality(&found) {
            other
        } else {
            found
        })
    }

    /// Lanes for trees, or for others that keep to dimension order where they can: these may need fewer lanes, and carry a little more.
    fn shortest(
        &self,
        network: &Network,
        graph: &Graph,
        trees: &Trees,
        (taste, steps): (Option<&dyn Taste>, Option<&Steps>),
        (most, sharing): (usize, Sharing),
    ) -> Shortest {
        let mut layering = Layering::quickly(graph, trees, taste, most, sharing);
        let mut gentle = None;
        if let (Some(taste), Some(steps), None) = (taste, steps, &layering) {
            let other = Trees::without_ways(network).balanced(graph, Some(taste), Ease::Exceptions);
            if sharing == Sharing::None {
                let way = (&other, sharing, Sequence::UsualFirst(steps));
                layering = Partial::of_taste(graph, way, taste, most).whole();
            }
            if layering.is_none() && other.next != trees.next {
                layering = Layering::quickly(graph, &other, Some(taste), most, sharing);
            }
            gentle = Some(other);
        }
        if layering.is_none() {
            layering = Layering::patiently(graph, trees, taste, most, sharing);
            if layering.is_some() {
                gentle = None;
            }
        }
        if let (true, Some(taste), Some(found)) = (self.fewest_lanes, taste, &layering) {
            // Where not all routes lead forwards in the orders of a structure, these may need a lane more than no order does.
            let (fewer, orders) = (found.count as usize - 1, taste.lanes(graph).len());
            if (1..=fewer).contains(&orders) {
                let other = Layering::quickly(graph, trees, None, fewer, sharing);
                layering = other.or(layering);
            }
        }
        Shortest { layering, gentle }
    }
}
