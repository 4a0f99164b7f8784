//! How packets come into being: the interface between workloads and the simulator.

use crate::ids::TerminalId;

/// A packet that a terminal wants to send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketRequest {
    /// The cycle it is created in; it may wait at its source from then on.
    pub created: u64,
    /// Where it goes; may be the source itself.
    pub destination: TerminalId,
    /// Its length, at least 1.
    pub flits: u16,
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

    /// How many classes of traffic there are, each measured on its own; one by default.
    fn class_count(&self) -> usize {
        1
    }

    /// The class of a packet, below [`class_count`](Self::class_count).
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
