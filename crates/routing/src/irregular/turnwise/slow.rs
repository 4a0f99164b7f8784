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
use turnwise_network::Vc;
use turnwise_network::metrics::{is_connected, usual_interval};

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
        for slowest in kept_intervals(asked) {
            let Some(busiest) = too_busy(asked, &found.0) else {
                break;
            };
            if let Some(other) = self.kept_to(slowest, asked, most)
                && Loads::of_trees(asked.graph, &other.0).most() < busiest
            {
                found = other;
            }
        }
        found
    }

    /// What only takes channels that a flit occupies for so many cycles at most, if these hold the network together and lanes suffice.
    fn kept_to(&self, slowest: u32, asked: &Asked<'_>, most: Vc) -> Option<(Trees, Layering)> {
        let network = asked.network;
        let reduced = network.without_channels(|id| network.channel(id).interval > slowest);
        if !is_connected(&reduced) {
            return None;
        }
        let alike = (asked.seed, asked.sharing);
        Asked::of(&Arc::new(reduced), alike, |fewer, bare| {
            let trees = bare.clone().balanced(fewer.graph, fewer.taste, fewer.ease);
            let (mut trees, layering) = self.layered(fewer, bare, &trees, most).ok()?;
            rename(&mut trees, fewer.graph, asked.graph);
            Some((trees, layering))
        })
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

/// Intervals beyond which channels may be left out: what is usual, and the shortest. None where there is nothing to leave out.
fn kept_intervals(asked: &Asked<'_>) -> Vec<u32> {
    let network = asked.network;
    if asked.graph.is_evenly_paced() || both_ways(NAME, network).is_err() || !is_connected(network)
    {
        return Vec::new();
    }
    let intervals = || network.channels().map(|(_, channel)| channel.interval);
    let usual = usual_interval(intervals().collect());
    let mut kept: Vec<u32> = usual.into_iter().chain(intervals().min()).collect();
    kept.dedup();
    kept.retain(|&slowest| Some(slowest) < intervals().max());
    kept
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
