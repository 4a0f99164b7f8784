//! What only a run of Ethernet measures.

/// What a run of Ethernet measured of pauses, notifications and order: what happened in the measurement window, and the most that there was
/// of anything in the whole run, because that is what switches and adapters need room for.
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
    /// Flits that a receiver holds back, in the mean over time and over all living terminals.
    pub mean_resequencing_flits: f64,
}
