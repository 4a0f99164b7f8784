//! How much memory a simulation takes at most, told before anything is allocated.

use crate::engine::{can_be_numbered, footprint_bytes};
use crate::model::RouterModel;
use turnwise_network::{Network, PerClass, Receiver, Sensing, Size};

/// What is under way at a time, on average, as far as it can be told before a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// Flits that all terminals together send in a cycle.
    pub flits_per_cycle: f64,
    /// Flits of a packet.
    pub packet_flits: f64,
    /// Router-to-router channels that a packet crosses.
    pub hops: f64,
    /// Cycles from a head's leaving its source to its tail's leaving the last router.
    pub residence: f64,
    /// Cycles that are simulated.
    pub cycles: f64,
    /// What routers tell each other meanwhile.
    pub news: News,
    /// May heads choose again?
    pub asks_again: bool,
}

/// What routers tell each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// Things that a router tells by itself, those of all routers together.
    pub lines: u64,
    /// Who hears each of them, all together.
    pub heard: u64,
    /// Cycles that the slowest takes to be known.
    pub longest: u64,
}

impl News {
    /// Of a network whose routers tell this. O(lines).
    pub fn of(network: &Network, sensing: &dyn Sensing) -> Self {
        let mut news = Self::default();
        for at in network.routers() {
            for receivers in sensing.lines(at) {
                news.lines += 1;
                news.heard += receivers.len() as u64;
                let delays = receivers.into_iter().map(|receiver| match receiver {
                    Receiver::Region { after, .. } => after,
                    Receiver::Behind(port) => network
                        .out_channel(at, port)
                        .map_or(0, |channel| network.channel(channel).latency),
                });
                news.longest = delays.map(u64::from).fold(news.longest, u64::max);
            }
        }
        news
    }
}

impl Traffic {
    /// What latencies take that are too many for an array: each value that occurs, and while more are sorted in, three times.
    pub(crate) fn latency_bytes(&self) -> u64 {
        /// From such a mean on many may be beyond the array.
        const LONG: f64 = 16_384.0;
        const OF_VALUE: f64 = 56.0;
        if self.residence < LONG {
            return 0;
        }
        let packets = self.flits_per_cycle / self.packet_flits.max(1.0) * self.cycles;
        (packets.min(self.cycles) * OF_VALUE) as u64
    }

    /// Packets inside the network at a time, by Little's law, and never more than were ever sent.
    pub(crate) fn packets(&self) -> f64 {
        let rate = self.flits_per_cycle / self.packet_flits.max(1.0);
        rate * self.residence.min(self.cycles)
    }
}

/// What there is in a network, whether it is built or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dimensions {
    /// Routers.
    pub routers: u64,
    /// Terminals.
    pub terminals: u64,
    /// Ports of all routers together.
    pub ports: u64,
    /// Ports of the largest router.
    pub radix: u64,
    /// The channels of each class.
    pub channels: PerClass<Channels>,
}

/// The channels of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Channels {
    /// How many lead to routers.
    pub count: u64,
    /// Cycles that the longest of them takes.
    pub longest: u32,
    /// Cycles that a flit occupies the slowest of them for.
    pub slowest: u32,
}

impl Dimensions {
    /// Of a network. O(channels).
    pub fn of(network: &Network) -> Self {
        let mut channels = PerClass::<Channels>::default();
        for id in 0..network.total_channel_count() {
            let channel = network.channel(id.into());
            let of_class = channels.of_mut(channel.class);
            of_class.count += u64::from(channel.to_router().is_some());
            of_class.longest = of_class.longest.max(channel.latency);
            of_class.slowest = of_class.slowest.max(channel.interval);
        }
        let radix = |router| network.radix(router) as u64;
        Self {
            routers: network.router_count() as u64,
            terminals: network.terminal_count() as u64,
            ports: network.port_count() as u64,
            radix: network.routers().map(radix).max().unwrap_or(0),
            channels,
        }
    }

    /// At least these, of a network that is not built: channels of one cycle, routers alike.
    pub fn at_least(size: Size) -> Self {
        let ports = size.channels.saturating_add(size.terminals);
        let channels = |count| Channels {
            count,
            longest: 1,
            slowest: 1,
        };
        Self {
            routers: size.routers,
            terminals: size.terminals,
            ports,
            radix: ports.checked_div(size.routers).unwrap_or(0),
            channels: PerClass {
                terminal: channels(size.terminals),
                local: channels(size.channels),
                global: Channels::default(),
            },
        }
    }

    /// Cycles that the longest channel takes.
    pub(crate) fn longest_latency(&self) -> u32 {
        let longest = self.channels.each().map(|channels| channels.longest);
        longest.into_iter().fold(1, u32::max)
    }

    /// Cycles that a flit occupies the slowest channel for.
    pub(crate) fn slowest_interval(&self) -> u32 {
        let slowest = self.channels.each().map(|channels| channels.slowest);
        slowest.into_iter().fold(1, u32::max)
    }
}

/// Who simulates a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crew {
    /// Processes, each with a part of it.
    pub processes: usize,
    /// Threads of each.
    pub threads: usize,
}

impl From<usize> for Crew {
    /// Threads of one process.
    fn from(threads: usize) -> Self {
        Self {
            processes: 1,
            threads,
        }
    }
}

/// Bytes that a simulation needs at its peak, at most, in each process of a crew, where every thread keeps
/// arrays of its own.
///
/// A network with more virtual channels than the engine can number needs `u64::MAX` bytes,
/// more than there are anywhere. O(1).
pub fn memory_bytes(size: &Dimensions, model: &RouterModel, crew: Crew, traffic: &Traffic) -> u64 {
    let ends = size.ports.saturating_add(size.terminals);
    match can_be_numbered(ends.saturating_add(size.routers), model) {
        true => {
            let bytes = footprint_bytes(size, model, crew, traffic);
            bytes.saturating_add(traffic.latency_bytes())
        }
        false => u64::MAX,
    }
}
