//! Segment-based routing: one forbidden turn for each segment that a network is put together from.
//!
//! A network grows from one router: every segment is a way through new routers from a router that is there to one that is, the shortest that
//! there is. In the middle of it one turn is forbidden, both ways. Links that are left over join routers that are there, and may be the first
//! of a way or the last one, at one of their ends. Links that are part of no circle forbid nothing. Any circle has to go through the
//! youngest of its segments from end to end, and so through a turn that is forbidden. Packets take shortest ways without such turns.
//!
//! Source: Mejia, Flich, Duato, Reinemo, Skeie, "Segment-based routing: an efficient fault-tolerant routing algorithm for meshes and tori",
//! IPDPS 2006. The paper leaves open which segments are taken and where turns are forbidden; here segments are as short as can be, and
//! the turn is that in their middle.
//!
//! Complexity: O(routers x channels) to find segments, and O(destination routers x channels x ports) to build; O(1) a hop; two bytes for each
//! pair of a port and a destination router.

use super::orientation::{Orientation, both_ways, parts};
use super::root::Root;
use super::search::TieBreak;
use super::table::{self, Table};
use super::ways::Ways;
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use crate::common::only_way::OnlyWay;
use crate::common::vc_plan::VcPlan;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::VecDeque;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{
    ChannelId, End, Invalid, Neighbour, Network, Port, RouterId, Routing, Shape, Vc,
};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Any network: shortest paths without one turn of each segment",
        source: "Mejia, Flich, Duato, Reinemo, Skeie, Segment-based routing, IPDPS 2006",
        example: "root = \"min-ecc\"\nties = \"balanced\"",
        schema: schema_of::<Segment>,
        parse: |table, errors| Some(Box::new(parse_as::<Segment, dyn Algorithm>(table, errors)?)),
    },
    fits: super::carries_both_ways,
};

const NAME: &str = "segment";

/// Parameters of segment-based routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Segment {
    /// Where the network grows from: how the router is found, or its number.
    pub root: Root,
    /// Which of several equally near next hops to take.
    pub ties: TieBreak,
    /// Virtual channels to use as lanes: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for Segment {
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::EveryRoute
    }

    fn table_bytes(&self, network: &Network, _: &Context<'_>) -> u64 {
        table::bytes(network, memories(network))
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        both_ways(NAME, network)?;
        let order = self.root.orient(network, context.seed)?;
        let plan = VcPlan::new(NAME, self.virtual_channels, 1, context)?;
        let turns = Turns {
            memories: memories(network),
            network: network.clone(),
            forbidden: Forbidden::of(network, &order),
        };
        let table = Table::new(
            network,
            turns,
            plan,
            |_| plan.every_class(),
            (self.ties, context.seed),
        );
        Ok(Box::new(OnlyWay(table)))
    }
}

/// A packet remembers the port it has come by, or that it has come by none.
fn memories(network: &Network) -> u32 {
    let radices = network.routers().map(|router| network.radix(router));
    radices.max().unwrap_or(0) as u32 + 1
}

/// Every way without a forbidden turn.
struct Turns {
    network: Arc<Network>,
    memories: u32,
    forbidden: Forbidden,
}

impl Ways for Turns {
    fn memories(&self) -> u32 {
        self.memories
    }

    fn behind(&self, memory: u32, channel: ChannelId) -> Option<u32> {
        let channel = self.network.channel(channel);
        let (End::Router(at, to), End::Router(_, by)) = (channel.source, channel.target) else {
            return None;
        };
        if let Some(from) = memory.checked_sub(1) {
            let radix = self.network.radix(at);
            if from as usize >= radix || self.forbidden.has(&self.network, at, (from as Port, to)) {
                return None;
            }
        }
        Some(u32::from(by) + 1)
    }
}

/// The turns that segments forbid.
pub(super) struct Forbidden {
    /// By router: where its turns begin.
    first: Vec<usize>,
    /// By router, port and port.
    turns: Vec<bool>,
}

impl Forbidden {
    /// Those of segments that grow, in every part of a network, from the router that is first in an order.
    pub(super) fn of(network: &Network, order: &Orientation) -> Self {
        let mut growing = Growing::new(network);
        for part in parts(network) {
            let root = part.iter().min_by_key(|&&router| order.place(router));
            if let Some(&root) = root {
                growing.grow(root);
            }
        }
        let Growing {
            first, forbidden, ..
        } = growing;
        Self {
            first,
            turns: forbidden,
        }
    }

    /// Is it forbidden to come by one port and leave by another? Who turns back goes around what is forbidden, and closes circles.
    pub(super) fn has(&self, network: &Network, at: RouterId, (from, to): (Port, Port)) -> bool {
        let turn = usize::from(from) * network.radix(at) + usize::from(to);
        from == to || self.turns[self.first[at.index()] + turn]
    }
}

/// A network that is put together.
struct Growing<'a> {
    network: &'a Network,
    first: Vec<usize>,
    forbidden: Vec<bool>,
    /// By router, by channel: is it there?
    is_there: Vec<bool>,
    is_taken: Vec<bool>,
}

impl<'a> Growing<'a> {
    fn new(network: &'a Network) -> Self {
        let (mut first, mut total) = (Vec::new(), 0);
        for router in network.routers() {
            first.push(total);
            total += network.radix(router).pow(2);
        }
        Self {
            network,
            first,
            forbidden: vec![false; total],
            is_there: vec![false; network.router_count()],
            is_taken: vec![false; network.channel_count()],
        }
    }

    /// Takes in the part of the network that a router belongs to.
    fn grow(&mut self, root: RouterId) {
        self.is_there[root.index()] = true;
        let mut there = vec![root];
        let mut next = 0;
        while let Some(&at) = there.get(next) {
            let news = self
                .new_links(at)
                .find(|link| !self.is_there[link.router.index()]);
            let Some(link) = news else {
                next += 1;
                continue;
            };
            let segment = self.segment(at, link);
            for link in &segment {
                self.take(link.channel);
                if !std::mem::replace(&mut self.is_there[link.router.index()], true) {
                    there.push(link.router);
                }
            }
            if segment.len() > 1 {
                let middle = segment.len() / 2;
                self.forbid(segment[middle - 1].channel, segment[middle].channel);
            }
            // Those that came before may have more segments through what is new.
            next = 0;
        }
        for &at in &there {
            let left: Vec<Neighbour> = self.new_links(at).collect();
            for link in left {
                let others: Vec<Neighbour> = self.taken_links(at).collect();
                self.take(link.channel);
                for other in others {
                    self.forbid_both(at, (link.port, other.port));
                }
            }
        }
    }

    fn new_links(&self, at: RouterId) -> impl Iterator<Item = Neighbour> + '_ {
        let links = self.network.neighbours(at);
        links.filter(|link| !self.is_taken[link.channel.index()])
    }

    fn taken_links(&self, at: RouterId) -> impl Iterator<Item = Neighbour> + '_ {
        let links = self.network.neighbours(at);
        links.filter(|link| self.is_taken[link.channel.index()])
    }

    fn take(&mut self, channel: ChannelId) {
        self.is_taken[channel.index()] = true;
        if let Some(back) = self.network.reverse(channel) {
            self.is_taken[back.index()] = true;
        }
    }

    /// The shortest way over a new link to a new router, on through new ones, and back to one that is there; the link alone if there is none.
    fn segment(&self, at: RouterId, link: Neighbour) -> Vec<Neighbour> {
        let mut came_by: Vec<Option<Neighbour>> = vec![None; self.network.router_count()];
        let mut before: Vec<RouterId> = vec![at; self.network.router_count()];
        let mut queue = VecDeque::from([link.router]);
        came_by[link.router.index()] = Some(link);
        let home = self.network.reverse(link.channel);
        while let Some(here) = queue.pop_front() {
            for next in self.new_links(here) {
                let back_by = came_by[here.index()].and_then(|by| self.network.reverse(by.channel));
                if Some(next.channel) == home || Some(next.channel) == back_by {
                    continue;
                }
                if self.is_there[next.router.index()] {
                    let mut way = vec![next];
                    let mut at = here;
                    while let Some(by) = came_by[at.index()] {
                        way.push(by);
                        if at == link.router {
                            break;
                        }
                        at = before[at.index()];
                    }
                    way.reverse();
                    return way;
                }
                if came_by[next.router.index()].is_none() {
                    came_by[next.router.index()] = Some(next);
                    before[next.router.index()] = here;
                    queue.push_back(next.router);
                }
            }
        }
        vec![link]
    }

    /// Forbids to turn from one channel into the next, and the other way round.
    fn forbid(&mut self, channel: ChannelId, next: ChannelId) {
        let ends = [channel, next].map(|channel| *self.network.channel(channel));
        if let (End::Router(at, from), End::Router(_, to)) = (ends[0].target, ends[1].source) {
            self.forbid_both(at, (from, to));
        }
    }

    fn forbid_both(&mut self, at: RouterId, (one, other): (Port, Port)) {
        let radix = self.network.radix(at);
        for (from, to) in [(one, other), (other, one)] {
            let turn = usize::from(from) * radix + usize::from(to);
            self.forbidden[self.first[at.index()] + turn] = true;
        }
    }
}
