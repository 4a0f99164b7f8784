//! Shortest ways to one destination after the other, searched backwards, and which of several equally short ones is taken.
//!
//! Complexity: for each destination O(channels x memories), times the logarithm of the routers where channels differ in
//! length, times the diameter if balanced.

use super::ways::{Node, Ways};
use crate::common::draw;
use schemars::JsonSchema;
use serde::Deserialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{ChannelId, Neighbour, Network, Port, RouterId};

/// Which of several equally near next hops to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TieBreak {
    /// The one on whose way the most loaded channel carries fewest routes so far.
    #[default]
    Balanced,
    /// The one at the lowest port.
    First,
    /// A random one for each router and destination.
    Random,
}

/// Search backwards from destinations, the nearest routers first.
pub(crate) struct Search<'a, W> {
    network: &'a Network,
    ways: &'a W,
    ties: TieBreak,
    seed: u64,
    /// Routes over each channel so far, of packets that set out without memories.
    loads: Vec<u64>,
    /// By node.
    distance: Vec<u64>,
    /// Nodes in the order they were found, the nearest first.
    queue: Vec<u32>,
    /// The channel to take at each node, and the node it leads to, once it is chosen.
    next: Vec<(ChannelId, u32)>,
}

/// The distance of those who do not get there.
pub(crate) const FAR: u64 = u64::MAX;

impl<'a, W: Ways> Search<'a, W> {
    pub(crate) fn new(network: &'a Network, ways: &'a W, ties: TieBreak, seed: u64) -> Self {
        let nodes = network.router_count() * ways.memories() as usize;
        Self {
            network,
            ways,
            ties,
            seed,
            loads: vec![0; network.channel_count()],
            distance: vec![FAR; nodes],
            queue: Vec::with_capacity(nodes),
            next: vec![(ChannelId(0), 0); nodes],
        }
    }

    /// By node: how far a destination is.
    pub(crate) fn distances_to(&mut self, destination: RouterId) -> &[u64] {
        self.search(destination);
        &self.distance
    }

    /// Writes the port to the destination into the place of every node that can get there.
    pub(crate) fn routes(&mut self, destination: RouterId, ports: &mut [Option<Port>]) {
        self.search(destination);
        let network = self.network;
        let memories = self.ways.memories();
        let weight = network.living_terminals_of(destination).count() as u64;
        for index in 0..self.queue.len() {
            let number = self.queue[index];
            let at = Node::of(number, memories);
            if at.router == destination {
                continue;
            }
            let candidates = || {
                let neighbours = network.neighbours(at.router);
                neighbours.filter_map(|next| Some((next, self.nearer(&next, at)?)))
            };
            let count = candidates().count() as u32;
            let chosen = match self.ties {
                TieBreak::Balanced if count > 1 => {
                    candidates().min_by_key(|&(next, node)| self.load(next.channel, node))
                }
                TieBreak::Balanced | TieBreak::First => candidates().next(),
                TieBreak::Random => {
                    let mut rng =
                        Random::new(self.seed, Purpose::Permutation, number, destination.0);
                    candidates().nth(draw::below(count, &mut rng) as usize)
                }
            };
            let Some((chosen, node)) = chosen else {
                continue;
            };
            ports[number as usize] = Some(chosen.port);
            self.next[number as usize] = (chosen.channel, node);
            if self.ties == TieBreak::Balanced && at.memory == 0 {
                let senders = network.living_terminals_of(at.router).count() as u64;
                let routes = weight * senders;
                self.add(number, routes);
            }
        }
    }

    /// The node behind a channel, if it lies on a shortest way.
    #[inline]
    fn nearer(&self, next: &Neighbour, at: Node) -> Option<u32> {
        let memory = self.ways.behind(at.memory, next.channel)?;
        let memories = self.ways.memories();
        let router = next.router;
        let node = Node { router, memory }.index(memories);
        let length = self.ways.length(at.memory, next.channel);
        let through = self.distance[node].checked_add(length);
        (through == Some(self.distance[at.index(memories)])).then_some(node as u32)
    }

    /// The greatest load, and the sum of loads, of a channel and those that follow it.
    fn load(&self, first: ChannelId, behind: u32) -> (u64, u64) {
        let load = self.loads[first.index()];
        let (mut greatest, mut sum, mut at) = (load, load, behind);
        while self.distance[at as usize] > 0 {
            let (channel, next) = self.next[at as usize];
            let load = self.loads[channel.index()];
            (greatest, sum, at) = (greatest.max(load), sum + load, next);
        }
        (greatest, sum)
    }

    /// Counts so many routes from a node to the destination.
    fn add(&mut self, from: u32, routes: u64) {
        let mut at = from;
        while self.distance[at as usize] > 0 {
            let (channel, next) = self.next[at as usize];
            self.loads[channel.index()] += routes;
            at = next;
        }
    }

    /// Distances to the destination along living channels, which may be one-way.
    fn search(&mut self, destination: RouterId) {
        self.distance.fill(FAR);
        self.queue.clear();
        let memories = self.ways.memories();
        let nodes = (0..memories).map(|memory| Node {
            router: destination,
            memory,
        });
        let ends: Vec<u32> = nodes.map(|node| node.index(memories) as u32).collect();
        for &end in &ends {
            self.distance[end as usize] = 0;
        }
        match self.ways.is_uniform() {
            true => self.by_hops(ends),
            false => self.by_length(ends),
        }
    }

    /// Breadth first.
    fn by_hops(&mut self, ends: Vec<u32>) {
        self.queue.extend(ends);
        let mut next = 0;
        while let Some(&number) = self.queue.get(next) {
            next += 1;
            let further = self.distance[number as usize] + 1;
            self.in_front_of(number, |search, node, _| {
                if search.distance[node as usize] == FAR {
                    search.distance[node as usize] = further;
                    search.queue.push(node);
                }
            });
        }
    }

    /// Dijkstra's way.
    fn by_length(&mut self, ends: Vec<u32>) {
        let mut near: BinaryHeap<_> = ends.into_iter().map(|end| Reverse((0, end))).collect();
        while let Some(Reverse((distance, number))) = near.pop() {
            if distance > self.distance[number as usize] {
                continue;
            }
            self.queue.push(number);
            self.in_front_of(number, |search, node, length| {
                let further = distance + length;
                if further < search.distance[node as usize] {
                    search.distance[node as usize] = further;
                    near.push(Reverse((further, node)));
                }
            });
        }
    }

    /// Every node from which one gets to this one in a hop, and how long that is.
    fn in_front_of(&mut self, number: u32, mut each: impl FnMut(&mut Self, u32, u64)) {
        let memories = self.ways.memories();
        let at = Node::of(number, memories);
        let network = self.network;
        for port in 0..network.radix(at.router) {
            let Some(channel) = network.in_channel(at.router, port as Port) else {
                continue;
            };
            let Some(router) = network.channel(channel).from_router() else {
                continue;
            };
            for memory in 0..memories {
                if self.ways.behind(memory, channel) == Some(at.memory) {
                    let node = Node { router, memory }.index(memories);
                    let length = self.ways.length(memory, channel);
                    each(self, node as u32, length);
                }
            }
        }
    }
}
