//! Where channels are not all as fast: longer ways around slow ones, and tables that leave these out.
//!
//! Trees of shortest ways spare slow channels as far as there are others as short, and lanes enough. Where a slow channel carries most
//! nevertheless, trees are improved by weights, which may make ways longer ([`weighing`](super::weighing)). And where few lanes leave no choice, or
//! both directions have to share them, a slow cable may be worse than none: the network is routed without it as well, and what
//! carries less is taken.
//!
//! Source: none.
//!
//! Complexity: 12 rounds of weights, on networks of up to 2^22 trees times arcs, and routing once or twice more.

use super::few_lanes::{POLISHED, ROUNDS};
use super::fitting::Asked;
use super::loads::Loads;
use super::trees::SHARE;
use super::weighing::polished;
use super::{NAME, Turnwise};
use crate::irregular::by_destination::{Graph, Layering, NONE, Trees};
use crate::irregular::orientation::both_ways;
use std::sync::Arc;
use turnwise_network::metrics::is_connected;
use turnwise_network::{ChannelId, Network, Vc};

/// Slow channels are exceptions if they are no more than one in so many.
const FEW: usize = 10;

impl Turnwise {
    /// These, or what goes around slow channels by longer ways within so many lanes, where that carries less. On large networks nobody looks.
    pub(super) fn or_around_slow(
        &self,
        asked: &Asked<'_>,
        found: (Trees, Layering),
        most: Vc,
    ) -> (Trees, Layering) {
        let graph = asked.graph;
        let (trees, layering) = &found;
        let Some(busiest) = too_busy(asked, trees).filter(|_| trees.work(graph) <= POLISHED) else {
            return found;
        };
        let lanes = match self.fewest_lanes {
            true => layering.count,
            false => most.into(),
        };
        let other = polished(graph, (trees, layering), (lanes, ROUNDS));
        match Loads::of_trees(graph, &other.0).most() < busiest {
            true => other,
            false => found,
        }
    }

    /// These, or what does without slow channels, where that carries less.
    pub(super) fn or_without_slow(
        &self,
        asked: &Asked<'_>,
        mut found: (Trees, Layering),
        most: Vc,
    ) -> (Trees, Layering) {
        let graph = asked.graph;
        for reduced in without_slow(asked.network) {
            let Some(busiest) = too_busy(asked, &found.0) else {
                break;
            };
            let asked_again = (asked.seed, asked.sharing);
            let other = self.layered_from_nothing(&Arc::new(reduced), asked_again, most);
            let Ok((among, (mut trees, layering))) = other else {
                continue;
            };
            rename(&mut trees, &among, graph);
            if Loads::of_trees(graph, &trees).most() < busiest {
                found = (trees, layering);
            }
        }
        found
    }
}

/// What the busiest arc carries, if some are slower than others and that is more than it need be.
fn too_busy(asked: &Asked<'_>, trees: &Trees) -> Option<u64> {
    let graph = asked.graph;
    if graph.is_evenly_paced() {
        return None;
    }
    let loads = Loads::of_trees(graph, trees);
    // Of arcs of a kind all may carry as much, and there is no way around that.
    let kinds = loads.of_kinds(asked.taste).into_iter();
    let shares = kinds.map(|kind| kind.share(SHARE));
    let enough = shares.fold(loads.least() * SHARE / 100, u64::max);
    Some(loads.most()).filter(|&most| most > enough)
}

/// The network without its exceptionally slow channels, and without all that are not among the fastest, as far as these are different
/// networks that hold together.
fn without_slow(network: &Network) -> Vec<Network> {
    if both_ways(NAME, network).is_err() || !is_connected(network) {
        return Vec::new();
    }
    let paces = network.paces();
    let mut sorted = paces.clone();
    sorted.sort_unstable();
    let (Some(&fastest), Some(&slowest)) = (sorted.first(), sorted.last()) else {
        return Vec::new();
    };
    let usual = sorted[sorted.len() - 1 - sorted.len() / FEW];
    let mut slow_from = vec![usual, fastest];
    slow_from.dedup();
    slow_from.retain(|&pace| pace < slowest);
    let reduced = slow_from.into_iter().map(|pace| {
        let is_slow = |channel: ChannelId| paces[channel.index()] > pace;
        network.without_channels(is_slow)
    });
    reduced.filter(is_connected).collect()
}

/// Has trees that were grown on one graph lead over the same ports of another.
fn rename(trees: &mut Trees, among: &Graph, graph: &Graph) {
    let same = |arc: u32| {
        let mut arcs = graph.leaving(among.from(arc));
        arcs.find(|&other| graph.port(other) == among.port(arc))
    };
    let names: Vec<u32> = (0..among.arcs() as u32)
        .map(|arc| same(arc).unwrap_or(NONE))
        .collect();
    for arc in trees.next.iter_mut().filter(|arc| **arc != NONE) {
        *arc = names[*arc as usize];
    }
}
