//! What only a run of Ethernet measures.

use super::fabric::Fabric;

/// What a run of Ethernet measured of pauses, notifications and order, all of it over the whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EthernetMeasurement {
    /// Pause frames that stopped a sender.
    pub pauses: u64,
    /// Share of time for which a channel stood still, although there was something to be sent, in the mean over all channels.
    pub paused_share: f64,
    /// Notifications that queues sent, that switches kept, and that came to their sources.
    pub notifications: u64,
    /// Those that a switch kept.
    pub absorbed: u64,
    /// Those that came to a source.
    pub heeded: u64,
    /// The longest that an output queue has been, in flits.
    pub longest_queue: u32,
    /// The most that a switch has held of one priority of one port, in flits.
    pub most_held: u32,
    /// Share of packets that came after a later one of their flow.
    pub reordered_share: f64,
    /// Cycles for which a packet was held back at its receiver, in the mean over all.
    pub resequencing_delay: f64,
    /// The most flits that a receiver has held back.
    pub resequencing_flits: u64,
}

impl EthernetMeasurement {
    pub(super) fn of(fabric: &Fabric<'_>, end: u64) -> Self {
        let totals = &fabric.totals;
        let per_packet = |sum: u64| sum as f64 / totals.packets.max(1) as f64;
        let still = fabric.senders.iter().filter_map(|sender| sender.stopped);
        let still: u64 = still.map(|since| end.saturating_sub(since)).sum();
        let time = end.max(1) as f64 * fabric.senders.len().max(1) as f64;
        Self {
            pauses: totals.pauses,
            paused_share: (totals.stopped + still) as f64 / time,
            notifications: totals.notifications,
            absorbed: totals.absorbed,
            heeded: totals.heeded,
            longest_queue: fabric
                .queues
                .iter()
                .map(|queue| queue.most)
                .max()
                .unwrap_or(0),
            most_held: fabric.holds.iter().map(|hold| hold.most).max().unwrap_or(0),
            reordered_share: per_packet(totals.reordered),
            resequencing_delay: per_packet(totals.held_time),
            resequencing_flits: totals.most_held,
        }
    }
}
