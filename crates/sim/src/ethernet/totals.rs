//! Sums over a whole run, and what ends it.

use crate::outcome::Violation;
use std::collections::BTreeMap;
use turnwise_network::TerminalId;

/// Sums over the whole run.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) window_end: u64,
    pub(super) events: u64,
    pub(super) flit_hops: u64,
    pub(super) packets: u64,
    pub(super) fingerprint: u64,
    pub(super) last_arrival: u64,
    /// Pause frames that stopped somebody, and the cycles for which channels stood still for them.
    pub(super) pauses: u64,
    pub(super) stopped: u64,
    /// Notifications: sent, kept by a switch, come to a source.
    pub(super) notifications: u64,
    pub(super) absorbed: u64,
    pub(super) heeded: u64,
    /// Of the packets that were delivered, those that came after a later one of their flow.
    pub(super) reordered: u64,
    /// Cycles for which packets were held back, and the most flits that a terminal has held.
    pub(super) held_time: u64,
    pub(super) most_held: u64,
    /// Flits that all terminals together hold, since when, and the sum over time until then.
    held: u64,
    held_since: u64,
    held_flit_cycles: u64,
    /// The first packet for which the routing found no route.
    pub(super) lost: Option<(u64, u32, TerminalId)>,
    pub(super) violation: Option<Violation>,
    /// By source, destination and class, the number of the packet that arrived last; only if that is checked.
    pub(super) last_of: BTreeMap<(u32, u32, u8), u32>,
}

impl Totals {
    /// A terminal holds more flits than before, or fewer.
    pub(super) fn held_changes(&mut self, now: u64, by: i64) {
        self.held_flit_cycles = self.held_flit_cycles_until(now);
        self.held_since = now;
        self.held = self.held.saturating_add_signed(by);
    }

    /// Flits that are held, added up over cycles.
    pub(super) fn held_flit_cycles_until(&self, now: u64) -> u64 {
        self.held_flit_cycles + self.held * now.saturating_sub(self.held_since)
    }

    /// The routing found no route for a packet.
    pub(super) fn lose(&mut self, now: u64, source: u32, destination: TerminalId) {
        self.lost.get_or_insert((now, source, destination));
    }

    /// Something is as it must not be.
    pub(super) fn violate(&mut self, cycle: u64, what: impl FnOnce() -> String) {
        self.violation.get_or_insert_with(|| Violation {
            cycle,
            what: what(),
        });
    }
}
