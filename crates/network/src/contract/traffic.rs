//! How packets come into being: the interface between workloads and the simulator.

use crate::ids::TerminalId;

/// A packet that a terminal wants to send, or a message that is [cut](Injector::cutting) into several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketRequest {
    /// The cycle it is created in; it may wait at its source from then on.
    pub created: u64,
    /// Where it goes; may be the source itself.
    pub destination: TerminalId,
    /// Its length, at least 1.
    pub flits: u16,
}

/// How messages are cut into packets, all of which are created at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cutting {
    /// Flits of a packet, at most: the last one of a message has the rest.
    pub packet_flits: u16,
    /// Packets of every message.
    pub packets: u16,
}

impl Cutting {
    /// Messages of so many flits in packets of at most so many.
    pub fn new(message_flits: u16, packet_flits: u16) -> Self {
        let packet_flits = packet_flits.clamp(1, message_flits.max(1));
        Self {
            packet_flits,
            packets: message_flits.div_ceil(packet_flits).max(1),
        }
    }

    /// The message that the packet of a number belongs to.
    pub fn message(self, packet: u32) -> u32 {
        packet / u32::from(self.packets)
    }
}

/// An open-loop source of packets: what a terminal sends does not depend on what arrives.
///
/// A pure function of its arguments, so the simulator may ask as late as it likes and
/// never stores a source queue.
pub trait Injector: Send + Sync {
    /// The packet number `sequence` of a terminal (0, 1, 2, ...), created later than
    /// `after`, the creation of the one before it (`None` for the first). `None`: no more.
    fn next(
        &self,
        terminal: TerminalId,
        sequence: u32,
        after: Option<u64>,
    ) -> Option<PacketRequest>;

    /// The packets from number `sequence` on, as many as there is room for; how many there are.
    /// Fewer than there is room for: no more will follow, and what is behind them means nothing.
    ///
    /// The same packets as by calling [`next`](Self::next) again and again, which is what
    /// the default does; worth overriding where several are cheaper than one at a time.
    fn next_few(
        &self,
        terminal: TerminalId,
        sequence: u32,
        after: Option<u64>,
        packets: &mut [PacketRequest],
    ) -> usize {
        one_by_one(self, terminal, sequence, after, packets)
    }

    /// The longest packet that any terminal ever sends, in flits: an upper bound is safe, too.
    ///
    /// Bubble flow control leaves room for one of these in every ring, whoever has sent one so far. So
    /// there is no default, and it must not be too short.
    fn longest_packet(&self) -> u16;

    /// How what it asks for is cut into packets, if that is messages, which are measured too. All have as many packets, and
    /// [`longest_packet`](Self::longest_packet) is one of these. By default it asks for packets.
    fn cutting(&self) -> Option<Cutting> {
        None
    }

    /// How many classes of traffic there are, each measured on its own; one by default.
    fn class_count(&self) -> usize {
        1
    }

    /// The class of a packet or message, below [`class_count`](Self::class_count).
    fn class(&self, _terminal: TerminalId, _sequence: u32) -> usize {
        0
    }

    /// Bytes of memory that this takes, where it is much.
    fn memory_bytes(&self) -> u64 {
        0
    }
}

/// What [`Injector::next_few`] does by default, for injectors that do better in most cases but not in all.
#[inline(never)]
pub fn one_by_one<I: Injector + ?Sized>(
    injector: &I,
    terminal: TerminalId,
    sequence: u32,
    mut after: Option<u64>,
    packets: &mut [PacketRequest],
) -> usize {
    for (index, packet) in packets.iter_mut().enumerate() {
        let number = sequence.wrapping_add(index as u32);
        let Some(next) = injector.next(terminal, number, after) else {
            return index;
        };
        after = Some(next.created);
        *packet = next;
    }
    packets.len()
}
