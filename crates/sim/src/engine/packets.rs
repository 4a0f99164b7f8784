//! Packets inside the network: a slab with a free list.

use super::unchecked::Arena;
use turnwise_network::{Header, TerminalId};

/// A packet between its injection and its tail's arrival.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Packet {
    /// The situation its head is in, or will be in next.
    pub(super) stop: u32,
    /// The packet behind it in the lane its tail is in, or comes to next.
    pub(super) next: u32,
    /// Routers whose route computation it has passed.
    pub(super) routers: u16,
    pub(super) flits: u16,
    pub(super) destination: TerminalId,
    pub(super) created: u64,
    pub(super) injected: u64,
    pub(super) source: TerminalId,
    pub(super) sequence: u32,
    /// What its algorithm knows of it, where its stop does not say.
    pub(super) header: Header,
    /// With look-ahead, the first hop as it was decided at the source: port and virtual channels.
    pub(super) first_hop: (u16, u32),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Packets {
    slots: Arena<Packet>,
    free: Vec<u32>,
}

impl Packets {
    #[inline]
    pub(super) fn add(&mut self, packet: Packet) -> u32 {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot] = packet;
                slot
            }
            None => self.slots.push(packet),
        }
    }

    #[inline(always)]
    pub(super) fn get(&self, slot: u32) -> &Packet {
        &self.slots[slot]
    }

    #[inline(always)]
    pub(super) fn get_mut(&mut self, slot: u32) -> &mut Packet {
        &mut self.slots[slot]
    }

    /// Ends a packet's stay; its slot may be looked at until the next one is added.
    #[inline(always)]
    pub(super) fn remove(&mut self, slot: u32) -> &Packet {
        self.free.push(slot);
        &self.slots[slot]
    }

    /// Packets that are inside now.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}
