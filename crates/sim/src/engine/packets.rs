//! Packets inside the network: a slab with a free list, and flits as words that point into it.

use turnwise_network::{Header, TerminalId};

/// A packet between its injection and its tail's arrival.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    pub(super) header: Header,
    pub(super) created: u64,
    pub(super) injected: u64,
    pub(super) source: TerminalId,
    pub(super) sequence: u32,
    pub(super) flits: u16,
    /// Routers whose route computation it has passed.
    pub(super) routers: u16,
}

/// A flit: its packet's slot and whether it is the tail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flit(u32);

impl Flit {
    const TAIL: u32 = 1 << 31;

    #[inline]
    pub(super) fn new(slot: u32, tail: bool) -> Self {
        Self(slot | if tail { Self::TAIL } else { 0 })
    }

    #[inline]
    pub(super) fn slot(self) -> u32 {
        self.0 & !Self::TAIL
    }

    #[inline]
    pub(super) fn is_tail(self) -> bool {
        self.0 & Self::TAIL != 0
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Packets {
    slots: Vec<Packet>,
    free: Vec<u32>,
}

impl Packets {
    #[inline]
    pub(super) fn add(&mut self, packet: Packet) -> u32 {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = packet;
                slot
            }
            None => {
                self.slots.push(packet);
                self.slots.len() as u32 - 1
            }
        }
    }

    #[inline]
    pub(super) fn get(&self, slot: u32) -> &Packet {
        &self.slots[slot as usize]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, slot: u32) -> &mut Packet {
        &mut self.slots[slot as usize]
    }

    #[inline]
    pub(super) fn remove(&mut self, slot: u32) -> Packet {
        self.free.push(slot);
        self.slots[slot as usize]
    }

    /// Packets that are inside now.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}
