//! Open-loop traffic in messages of several packets.
//!
//! All packets of a message are created at once and go to the same terminal, where the message has arrived when all of them have. Loads
//! count flits, so they do not depend on how messages are cut.
//!
//! Source: SuperSim's terminals send so (McDonald et al., ISPASS 2018).

use turnwise_network::{Cutting, Injector, PacketRequest, TerminalId};

/// The messages of a source whose requests are all as long as those that are cut so.
pub fn in_packets(source: Box<dyn Injector>, cutting: Cutting) -> Box<dyn Injector> {
    Box::new(Messages { source, cutting })
}

struct Messages {
    source: Box<dyn Injector>,
    cutting: Cutting,
}

impl Injector for Messages {
    fn next(
        &self,
        terminal: TerminalId,
        sequence: u32,
        after: Option<u64>,
    ) -> Option<PacketRequest> {
        self.source.next(terminal, sequence, after)
    }

    fn next_few(
        &self,
        terminal: TerminalId,
        sequence: u32,
        after: Option<u64>,
        packets: &mut [PacketRequest],
    ) -> usize {
        self.source.next_few(terminal, sequence, after, packets)
    }

    fn longest_packet(&self) -> u16 {
        self.cutting.packet_flits
    }

    fn cutting(&self) -> Option<Cutting> {
        Some(self.cutting)
    }

    fn class_count(&self) -> usize {
        self.source.class_count()
    }

    fn class(&self, terminal: TerminalId, sequence: u32) -> usize {
        self.source.class(terminal, sequence)
    }

    fn memory_bytes(&self) -> u64 {
        self.source.memory_bytes()
    }
}
