//! How much memory a simulation will take, computed from what it will allocate.

use crate::engine::{Footprint, can_be_numbered};
use crate::model::RouterModel;
use turnwise_network::Network;

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
}

impl Traffic {
    /// Packets inside the network at a time, by Little's law, and never more than were ever sent.
    pub(crate) fn packets(&self) -> f64 {
        let rate = self.flits_per_cycle / self.packet_flits.max(1.0);
        rate * self.residence.min(self.cycles)
    }
}

/// Bytes that a simulation needs at its peak, on at most so many threads, each of which keeps
/// arrays of its own.
///
/// Memory that is set aside and never touched does not count: the system does not provide it.
/// A network with more virtual channels than the engine can number needs `u64::MAX` bytes,
/// more than there are anywhere. O(ports).
pub fn memory_bytes(
    network: &Network,
    model: &RouterModel,
    threads: usize,
    traffic: &Traffic,
) -> u64 {
    if !can_be_numbered(network, model) {
        return u64::MAX;
    }
    Footprint::new(network, model, threads).bytes(traffic)
}
