//! The propagation ratio: how long a way is, in widths of the network.

use super::moves::{Leads, Step};
use super::steps::Steps;
use crate::grouped::links::GroupLink;
use turnwise_network::{Network, Port, RouterId};

/// How long ways are.
pub(crate) struct Propagation {
    pub(crate) weight: f64,
    /// Latency of the widest global channel, or what the study says, in cycles.
    width: f64,
    /// Only the next global channel, or the whole way?
    next_only: bool,
    pub(crate) on_minimal: bool,
}

impl Propagation {
    pub(crate) fn new(weight: f64, width: f64, next_only: bool, on_minimal: bool) -> Self {
        Self {
            weight,
            width: width.max(1.0),
            next_only,
            on_minimal,
        }
    }

    /// What a step adds to the congestion of its channel.
    pub(crate) fn ratio(&self, steps: &Steps, (at, to): (RouterId, RouterId), step: &Step) -> f64 {
        let legs = &steps.legs;
        let latency = |from: RouterId, port: Port| latency(&legs.network, from, port);
        let local = |from: RouterId, peer: RouterId| match from == peer {
            true => 0,
            false => latency(from, legs.place(from).port_to(from, peer)),
        };
        let over = |from: RouterId, owner: RouterId, port: Port, peer: RouterId| {
            let first = local(from, owner) + latency(owner, port);
            match self.next_only {
                true => first,
                false => first + minimal(steps, peer, to),
            }
        };
        let cycles = match step.leads {
            Leads::Over(link) => over(at, link.owner, link.port, link.peer),
            Leads::ToOwner(owner) => {
                let is_last = |link: &GroupLink| legs.group(link.peer) == legs.group(to);
                let ways = steps
                    .owned(owner)
                    .filter(|link| is_last(link) == step.is_minimal);
                let ways = ways.map(|link| over(at, owner, link.port, link.peer));
                ways.min().unwrap_or(0)
            }
            Leads::ToAny(peer) | Leads::To(peer) => {
                let first = local(at, peer);
                match self.next_only {
                    true => first,
                    false => first + minimal(steps, peer, to),
                }
            }
            Leads::Out => 0,
        };
        f64::from(cycles) / self.width
    }
}

/// Cycles that a minimal way takes on its channels.
fn minimal(steps: &Steps, from: RouterId, to: RouterId) -> u32 {
    let legs = &steps.legs;
    let local = |from: RouterId, to: RouterId| match from == to {
        true => 0,
        false => latency(&legs.network, from, legs.place(from).port_to(from, to)),
    };
    if legs.group(from) == legs.group(to) {
        return local(from, to);
    }
    let ways = legs.usable_links(from, to).map(|(_, link)| {
        let global = latency(&legs.network, link.owner, link.port);
        local(from, link.owner) + global + local(link.peer, to)
    });
    ways.min().unwrap_or(0)
}

fn latency(network: &Network, from: RouterId, port: Port) -> u32 {
    let channel = network.out_channel(from, port);
    channel.map_or(0, |channel| network.channel(channel).latency)
}
