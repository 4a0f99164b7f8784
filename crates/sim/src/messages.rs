//! Messages of several packets: how sources cut them, and when they have arrived, which is when their last packet has.

use crate::measure::Recorder;
use std::collections::BTreeMap;
use turnwise_network::{Cutting, TerminalId};

/// How messages are cut, and those of which some packets have arrived and others have not.
#[derive(Default)]
pub(crate) struct Messages {
    /// `None` where packets are all there is.
    pub(crate) cutting: Option<Cutting>,
    /// By source and number: packets that have arrived, and when the last of these did.
    coming: BTreeMap<(TerminalId, u32), (u16, u64)>,
}

impl Messages {
    /// None has been sent yet.
    pub(crate) fn new(cutting: Option<Cutting>) -> Self {
        Self {
            cutting,
            coming: BTreeMap::new(),
        }
    }

    /// Flits of a packet of a message, at most.
    pub(crate) fn packet_flits(&self) -> u16 {
        self.cutting
            .map_or(u16::MAX, |cutting| cutting.packet_flits)
    }

    /// A packet of a source's number has been delivered, and with it the message, if this was all of it: records that. The number of
    /// the message, which is the packet's own where packets are all there is. Packets need not be told in order.
    pub(crate) fn deliver(
        &mut self,
        source: TerminalId,
        packet: u32,
        created: u64,
        arrived: u64,
        recorder: &mut Recorder,
    ) -> u32 {
        let Some(cutting) = self.cutting else {
            return packet;
        };
        let message = cutting.message(packet);
        let (count, last) = self.coming.entry((source, message)).or_default();
        (*count, *last) = (*count + 1, arrived.max(*last));
        if *count >= cutting.packets {
            recorder.message_delivered(created, *last);
            self.coming.remove(&(source, message));
        }
        message
    }
}
