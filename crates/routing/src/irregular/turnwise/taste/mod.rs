//! What a network's own structure would do, where it has one: a file for each.
//!
//! Ways of a structure carry the same everywhere, and close few circles.

mod dragonfly;
mod fat_tree;
mod grid;
mod hyperx;
mod megafly;

use crate::irregular::by_destination::{Graph, Steps};
use turnwise_network::Network;
use turnwise_network::recognition::{Structure, recognise};

/// Which routes share a lane.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    /// Each has its own.
    None,
    /// All between two routers, in both directions.
    Mutual,
}

/// A terminal that is sent to.
#[derive(Clone, Copy)]
pub(super) struct Destination {
    pub(super) router: u32,
    /// Its number among the terminals of its router.
    pub(super) number: u32,
    /// How many terminals it stands for.
    pub(super) terminals: u32,
}

/// The ways of a structure.
pub(super) trait Taste {
    /// The arc by which a router would send to a terminal; `None` if that has failed or there is no preference.
    fn arc(&self, graph: &Graph, at: u32, to: Destination) -> Option<u32>;

    /// Do terminals of one router have different ways?
    fn tells_terminals(&self) -> bool {
        false
    }

    /// Do ways say which link to take of those that lie side by side? Otherwise any of them is as good.
    fn tells_copies(&self) -> bool {
        false
    }

    /// Do these ways carry as little as any, if none has failed and all routers have as many terminals?
    fn is_even(&self) -> bool {
        false
    }

    /// The kind of an arc, a small number: shortest ways lead over as many of each kind, whichever they are.
    fn kind(&self, graph: &Graph, arc: u32) -> usize {
        let _ = (graph, arc);
        0
    }

    /// What the busiest arc of a kind has to carry, in hundredths of the mean of that kind.
    fn peak(&self, kind: usize) -> u64 {
        let _ = kind;
        100
    }

    /// For the first lanes one after the other: all arcs, in an order in which every route leads forwards in one of the lanes, or almost every one.
    fn lanes(&self, graph: &Graph) -> Vec<Vec<u32>>;

    /// The same where both directions of a pair have one lane.
    fn mutual_lanes(&self, graph: &Graph) -> Vec<Vec<u32>> {
        let _ = graph;
        Vec::new()
    }

    /// All routers, in an order in which lanes are filled best.
    fn sequence(&self) -> Option<Vec<u32>> {
        None
    }

    /// All arcs, in an order in which most routes lead forwards as far as there are such lanes.
    fn order(&self, graph: &Graph) -> Option<Vec<u32>> {
        self.lanes(graph).into_iter().next()
    }
}

/// The taste of the structure that a network has or is recognised to have, and the steps of a grid, for routes that share lanes so.
pub(super) fn taste<'a>(
    network: &Network,
    graph: &Graph,
    steps: Option<&'a Steps>,
    sharing: Sharing,
) -> Option<Box<dyn Taste + 'a>> {
    if let Some(steps) = steps {
        return Some(Box::new(in_order(steps, sharing)));
    }
    Some(match recognise(network)?.structure {
        Structure::Grid(_) => return None,
        Structure::HyperX(places) => Box::new(hyperx::InOrder(places)),
        Structure::FatTree(tree) => Box::new(fat_tree::ByDestination::new(tree, graph)),
        Structure::Megafly(groups) => Box::new(megafly::ByDestination::new(groups, graph)),
        Structure::Dragonfly(groups) => Box::new(dragonfly::ByGroups::new(groups, graph)),
    })
}

/// The taste of a grid.
pub(super) fn in_order(steps: &Steps, sharing: Sharing) -> impl Taste + '_ {
    grid::InOrder(steps, sharing)
}

/// All arcs, sorted by what a structure says of each.
fn sorted<K: Ord>(graph: &Graph, key: impl Fn(u32) -> K) -> Vec<u32> {
    let mut order: Vec<u32> = (0..graph.arcs() as u32).collect();
    order.sort_by_cached_key(|&arc| key(arc));
    order
}
