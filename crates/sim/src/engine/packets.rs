//! Packets inside the network: a slab with a free list.

use super::route_cache::EntryId;
use super::unchecked::Arena;
use serde::{Deserialize, Serialize};
use turnwise_network::{Header, Mark, TerminalId};

/// A packet between its injection and its tail's arrival.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub(super) struct Packet {
    /// The cache entry of the router and header its head is at, or will be at next.
    pub(super) entry: EntryId,
    /// The next packet in the same lane: the lane its tail is in, or comes to next. `NOWHERE` if there is none.
    pub(super) next: u32,
    /// Routers whose route computation it has passed.
    pub(super) routers: u16,
    pub(super) flits: u16,
    pub(super) destination: TerminalId,
    pub(super) created: u64,
    pub(super) injected: u64,
    pub(super) source: TerminalId,
    pub(super) sequence: u32,
    /// Its header, where `entry` does not give it.
    pub(super) header: Header,
    /// With look-ahead, the first hop as it was decided at the source: port and virtual channels.
    pub(super) first_hop: (u16, u32),
}

/// What a packet carries for agents, and what routers write on it. Apart from the packet, because most have nothing of the kind.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Words {
    pub(super) tag: u64,
    pub(super) note: u64,
    pub(super) mark: Mark,
    /// Its message class.
    pub(super) class: u8,
    /// Who of those at its ends has sent it, and for whom it is.
    pub(super) parties: [u8; 2],
}

#[derive(Clone, Debug, Default)]
pub(super) struct Packets {
    slots: Arena<Packet>,
    free: Vec<u32>,
    /// By slot, if packets carry anything.
    words: Vec<Words>,
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

    /// Removes a packet. Its slot can be read until the next packet is added.
    #[inline(always)]
    pub(super) fn remove(&mut self, slot: u32) {
        self.free.push(slot);
    }

    /// What a packet carries; nothing if packets do not.
    pub(super) fn words(&self, slot: u32) -> Words {
        self.words.get(slot as usize).copied().unwrap_or_default()
    }

    /// Sets what a packet carries.
    pub(super) fn write(&mut self, slot: u32, words: Words) {
        let index = slot as usize;
        if index >= self.words.len() {
            self.words.resize(self.slots.len(), Words::default());
        }
        self.words[index] = words;
    }

    /// Packets that are inside now.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}
