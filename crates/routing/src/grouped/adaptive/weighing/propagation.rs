//! The propagation ratio: how long a way is, in widths of the network.

use super::moves::{Leads, Step};
use super::steps::Steps;
use crate::grouped::links::GroupLink;
use turnwise_network::{Network, Port, RouterId};

/// How long ways are.
pub(crate) struct Propagation {
    pub(crate) weight: f64,
    pub(crate) on_minimal: bool,
    /// Latency of the widest global channel, or what the study says, in cycles.
    width: f64,
    /// Only the next global channel, or the whole way?
    next_only: bool,
    /// Of every router's output channels, as many for each router.
    latencies: Vec<u32>,
    ports: usize,
    /// Cycles of the minimal way from each router to each other; empty if nobody asks, or if there are very many.
    ways: Vec<u32>,
    routers: usize,
}

/// Beyond so many pairs of routers (64 MiB), ways are measured again whenever somebody asks.
const MOST_WAYS: usize = 1 << 24;

impl Propagation {
    /// O(channels), and O(routers squared) if whole ways count.
    pub(crate) fn new(
        steps: &Steps,
        weight: f64,
        width: f64,
        (next_only, on_minimal): (bool, bool),
    ) -> Self {
        let network = &*steps.legs.network;
        let ports = network.routers().map(|router| network.radix(router));
        let ports = ports.max().unwrap_or(0);
        let latencies = network
            .routers()
            .flat_map(|router| (0..ports).map(move |port| latency(network, router, port as Port)));
        let mut propagation = Self {
            weight,
            on_minimal,
            width,
            next_only,
            latencies: latencies.collect(),
            ports,
            ways: Vec::new(),
            routers: network.router_count(),
        };
        let is_asked = weight > 0.0 && !next_only;
        if is_asked && propagation.routers.pow(2) <= MOST_WAYS {
            let pairs = network
                .routers()
                .flat_map(|from| network.routers().map(move |to| (from, to)));
            let ways = pairs.map(|(from, to)| propagation.measure(steps, from, to));
            propagation.ways = ways.collect();
        }
        propagation
    }

    /// What a step adds to the congestion of its channel.
    #[inline(never)]
    pub(crate) fn weighted(&self, steps: &Steps, way: (RouterId, RouterId), step: &Step) -> f64 {
        self.weight * self.ratio(steps, way, step)
    }

    fn ratio(&self, steps: &Steps, (at, to): (RouterId, RouterId), step: &Step) -> f64 {
        let legs = &steps.legs;
        let over = |owner: RouterId, port: Port, peer: RouterId| {
            let first = self.local(steps, at, owner) + self.latency(owner, port);
            first + self.onward(steps, peer, to)
        };
        let cycles = match step.leads {
            Leads::Over(link) => over(link.owner, link.port, link.peer),
            Leads::ToOwner(owner) => {
                let last = legs.group(to);
                let is_last = |link: &GroupLink| legs.group(link.peer) == last;
                let ways = steps
                    .owned(owner)
                    .filter(|link| is_last(link) == step.is_minimal);
                let ways = ways.map(|link| over(owner, link.port, link.peer));
                ways.min().unwrap_or(0)
            }
            Leads::ToAny(peer) | Leads::To(peer) => {
                self.local(steps, at, peer) + self.onward(steps, peer, to)
            }
            Leads::Out => 0,
        };
        f64::from(cycles) / self.width
    }

    /// Cycles from a router on, as far as they count.
    #[inline]
    fn onward(&self, steps: &Steps, from: RouterId, to: RouterId) -> u32 {
        match self.next_only {
            true => 0,
            false => self.minimal(steps, from, to),
        }
    }

    /// Cycles that a minimal way takes on its channels.
    #[inline]
    fn minimal(&self, steps: &Steps, from: RouterId, to: RouterId) -> u32 {
        match self.ways.get(from.index() * self.routers + to.index()) {
            Some(&cycles) => cycles,
            None => self.measure(steps, from, to),
        }
    }

    #[inline(never)]
    fn measure(&self, steps: &Steps, from: RouterId, to: RouterId) -> u32 {
        let legs = &steps.legs;
        if legs.group(from) == legs.group(to) {
            return self.local(steps, from, to);
        }
        // With faults a detour may lead on by another router of the intermediate group alone.
        let by_peers = || {
            let peers = legs.peers(from);
            let ways = peers.filter_map(|peer| {
                Some(self.local(steps, from, peer) + self.direct(steps, peer, to)?)
            });
            ways.min()
        };
        let direct = self.direct(steps, from, to);
        direct.or_else(by_peers).unwrap_or(0)
    }

    /// Over one global channel, if there is such a way.
    fn direct(&self, steps: &Steps, from: RouterId, to: RouterId) -> Option<u32> {
        let ways = steps.legs.usable_links(from, to).map(|(_, link)| {
            let global = self.latency(link.owner, link.port);
            self.local(steps, from, link.owner) + global + self.local(steps, link.peer, to)
        });
        ways.min()
    }

    /// Between routers of one group.
    #[inline]
    fn local(&self, steps: &Steps, from: RouterId, to: RouterId) -> u32 {
        match from == to {
            true => 0,
            false => self.latency(from, steps.legs.port(from, to)),
        }
    }

    #[inline]
    fn latency(&self, from: RouterId, port: Port) -> u32 {
        let place = from.index() * self.ports + usize::from(port);
        self.latencies.get(place).copied().unwrap_or(0)
    }
}

/// 0 where no channel is.
fn latency(network: &Network, from: RouterId, port: Port) -> u32 {
    let channel = network.out_channel(from, port);
    channel.map_or(0, |channel| network.channel(channel).latency)
}
