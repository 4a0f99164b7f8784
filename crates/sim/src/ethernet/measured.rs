//! What a run of Ethernet measured: counts between two cycles, and the most there was of anything.

use super::fabric::Fabric;
use crate::frames::EthernetMeasurement;

/// What has happened until a cycle, of all that is counted in the measurement window.
#[derive(Clone, Copy)]
pub(super) struct Counted {
    cycle: u64,
    pauses: u64,
    /// Cycles for which channels stood still.
    stopped: u64,
    notifications: u64,
    absorbed: u64,
    heeded: u64,
    packets: u64,
    reordered: u64,
    held_time: u64,
    held_flit_cycles: u64,
}

impl Counted {
    /// Until a cycle before which nothing more happens.
    pub(super) fn until(cycle: u64, fabric: &Fabric<'_>) -> Self {
        let totals = &fabric.totals;
        let still = fabric.senders.iter().filter_map(|sender| sender.stopped);
        let still: u64 = still.map(|since| cycle.saturating_sub(since)).sum();
        Self {
            cycle,
            pauses: totals.pauses,
            stopped: totals.stopped + still,
            notifications: totals.notifications,
            absorbed: totals.absorbed,
            heeded: totals.heeded,
            packets: totals.packets,
            reordered: totals.reordered,
            held_time: totals.held_time,
            held_flit_cycles: totals.held_flit_cycles_until(cycle),
        }
    }
}

/// What a run measured whose window is between these two.
pub(super) fn measured(
    fabric: &Fabric<'_>,
    before: &Counted,
    after: &Counted,
) -> EthernetMeasurement {
    let packets = (after.packets - before.packets).max(1) as f64;
    let cycles = (after.cycle - before.cycle).max(1) as f64;
    let channels = fabric.senders.len().max(1) as f64;
    let receivers = fabric.setup.network.living_terminals().count().max(1) as f64;
    let held = after.held_flit_cycles - before.held_flit_cycles;
    let longest_queue = fabric.queues.iter().map(|queue| queue.most).max();
    let most_held = fabric.holds.iter().map(|hold| hold.most).max();
    EthernetMeasurement {
        pauses: after.pauses - before.pauses,
        paused_share: (after.stopped - before.stopped) as f64 / (cycles * channels),
        notifications: after.notifications - before.notifications,
        absorbed: after.absorbed - before.absorbed,
        heeded: after.heeded - before.heeded,
        longest_queue: longest_queue.unwrap_or(0),
        most_held: most_held.unwrap_or(0),
        reordered_share: (after.reordered - before.reordered) as f64 / packets,
        resequencing_delay: (after.held_time - before.held_time) as f64 / packets,
        resequencing_flits: fabric.totals.most_held,
        mean_resequencing_flits: held as f64 / (cycles * receivers),
    }
}
