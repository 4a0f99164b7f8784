//! Messages of several packets, at the terminals that they go to: one has arrived when its last packet has.

use std::collections::BTreeMap;
use turnwise_network::TerminalId;

/// Messages of which some packets have arrived and others have not.
#[derive(Default)]
pub(in super::super) struct Messages {
    /// By source and number: packets that have arrived, and when the last of these did.
    coming: BTreeMap<(TerminalId, u32), (u16, u64)>,
}

impl Messages {
    /// A packet of a message of so many has arrived: when the message has, if this was all of it. Packets need not be told in order.
    pub(in super::super) fn packet(
        &mut self,
        message: (TerminalId, u32),
        packets: u16,
        arrived: u64,
    ) -> Option<u64> {
        let (count, last) = self.coming.entry(message).or_default();
        (*count, *last) = (*count + 1, arrived.max(*last));
        if *count < packets {
            return None;
        }
        let (_, last) = self.coming.remove(&message)?;
        Some(last)
    }
}
