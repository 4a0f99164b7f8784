//! Up*/down* ways in layers, one below the other: a packet that turns from down to up does so by going on in the next layer.
//!
//! In one layer a packet goes up as often as it likes and then down. With more of them it may turn up again, once for each further
//! layer, which has virtual channels of its own. A layer is left for good, and inside of it links are ordered, so that no circle of
//! dependencies can close.
//!
//! What a packet remembers is twice the number of layers it has left, and 1 more if it has gone down in this one.

use super::orientation::Orientation;
use super::search::{FAR, Search, TieBreak};
use super::ways::{Node, Ways};
use turnwise_network::{ChannelId, Network, RouterId};

/// The ways in some layers.
#[derive(Clone, Debug)]
pub(crate) struct Layers {
    /// Which end of links is up, the last one in all layers beyond.
    orders: Vec<Orientation>,
    count: u32,
}

impl Layers {
    /// At least one order and one layer.
    pub(crate) fn new(orders: Vec<Orientation>, count: u32) -> Self {
        Self { orders, count }
    }

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// How many layers a packet has left that remembers this.
    pub(crate) fn left(memory: u32) -> u32 {
        memory / 2
    }

    /// What a packet remembers that sets out after so many layers.
    pub(crate) fn setting_out(left: u32) -> u32 {
        2 * left
    }

    /// The channels on a way of this length.
    pub(crate) fn hops(&self, distance: u64) -> u64 {
        match self.is_uniform() {
            true => distance,
            false => distance >> 32,
        }
    }

    fn is_up(&self, layer: u32, channel: ChannelId) -> bool {
        let last = self.orders.len() - 1;
        self.orders[last.min(layer as usize)].is_up(channel)
    }

    /// The channels of all shortest ways between terminals at these routers together.
    pub(crate) fn total_hops(&self, network: &Network, routers: &[RouterId]) -> u64 {
        let weight = |router: RouterId| network.living_terminals_of(router).count() as u64;
        let mut search = Search::new(network, self, TieBreak::First, 0);
        let mut total = 0;
        for &destination in routers.iter().filter(|&&router| weight(router) > 0) {
            let distances = search.distances_to(destination);
            let from = |&router: &RouterId| {
                let node = Node { router, memory: 0 };
                match distances[node.index(self.memories())] {
                    FAR => 0,
                    distance => weight(router) * self.hops(distance),
                }
            };
            total += weight(destination) * routers.iter().map(from).sum::<u64>();
        }
        total
    }
}

impl Ways for Layers {
    fn memories(&self) -> u32 {
        2 * self.count
    }

    fn behind(&self, memory: u32, channel: ChannelId) -> Option<u32> {
        let (layer, has_gone_down) = (memory / 2, memory % 2 == 1);
        let up = self.is_up(layer, channel);
        if !(has_gone_down && up) {
            return Some(2 * layer + u32::from(!up));
        }
        let next = layer + 1;
        let down = |next| u32::from(!self.is_up(next, channel));
        (next < self.count).then(|| 2 * next + down(next))
    }

    /// The number of channels first, then of layers left.
    fn length(&self, memory: u32, channel: ChannelId) -> u64 {
        if self.is_uniform() {
            return 1;
        }
        let behind = self.behind(memory, channel).unwrap_or(memory);
        1 << 32 | u64::from(behind / 2 - memory / 2)
    }

    fn is_uniform(&self) -> bool {
        self.count == 1
    }
}
