//! What a run of Ethernet measured, from its state at the end.

use super::fabric::Fabric;
use crate::frames::EthernetMeasurement;

/// What a run measured that ends in a cycle.
pub(super) fn measured(fabric: &Fabric<'_>, end: u64) -> EthernetMeasurement {
    let totals = &fabric.totals;
    let per_packet = |sum: u64| sum as f64 / totals.packets.max(1) as f64;
    let still = fabric.senders.iter().filter_map(|sender| sender.stopped);
    let still: u64 = still.map(|since| end.saturating_sub(since)).sum();
    let time = end.max(1) as f64 * fabric.senders.len().max(1) as f64;
    let receivers = fabric.setup.network.living_terminals().count();
    let receiving = end.max(1) as f64 * receivers.max(1) as f64;
    EthernetMeasurement {
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
        mean_resequencing_flits: totals.held_flit_cycles_until(end) as f64 / receiving,
    }
}
