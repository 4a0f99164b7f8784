//! What one domain sends to another: kept until the domains exchange their outboxes.

use super::domain::Domain;
use super::packets::{Packet, Words};
use super::route_cache::{EntryId, Lookup};
use super::signals::Flying;
use super::wiring::NOWHERE;
use serde::{Deserialize, Serialize};

/// All events that one domain sends to another one.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Outbox {
    /// Packets that got a virtual channel.
    heads: Vec<Packet>,
    /// By head, the queue of the lane behind that. A packet fills a cache line; a pair would fill two.
    queues: Vec<u32>,
    /// By head, what it carries, if packets carry anything.
    words: Vec<Words>,
    /// When, at which router, at which of its lanes or output virtual channels.
    flits: Vec<(u64, u32, u32)>,
    credits: Vec<(u64, u32, u32)>,
    /// When, and what is heard.
    notices: Vec<(u64, Flying)>,
}

impl Outbox {
    /// A notice leaves the domain.
    pub(super) fn tell(&mut self, at: u64, notice: Flying) {
        self.notices.push((at, notice));
    }

    pub(super) fn is_empty(&self) -> bool {
        // Words come with heads.
        let all = [
            self.heads.len(),
            self.flits.len(),
            self.credits.len(),
            self.notices.len(),
        ];
        all == [0; 4]
    }

    /// Empties it; the memory is used again.
    pub(super) fn clear(&mut self) {
        self.heads.clear();
        self.queues.clear();
        self.words.clear();
        self.flits.clear();
        self.credits.clear();
        self.notices.clear();
    }

    /// Takes all notices.
    pub(super) fn notices(&mut self) -> impl Iterator<Item = (u64, Flying)> + '_ {
        self.notices.drain(..)
    }
}

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    #[inline(always)]
    pub(super) fn is_mine(&self, router: u32) -> bool {
        self.partition.owner[router as usize] == self.number
    }

    fn outbox(&mut self, router: u32) -> &mut Outbox {
        let owner = self.partition.owner[router as usize];
        &mut self.outboxes[usize::from(owner)]
    }

    /// A packet has got a virtual channel that leads out of the domain: tells the domain behind it, or the
    /// terminal if that wants to know.
    #[inline(never)]
    pub(super) fn announce(&mut self, router: u32, out: u32, slot: u32) {
        let target = self.state.storage.out(router, out).target;
        if target == NOWHERE {
            if !PLAIN {
                let place = self.behind(router, out).1;
                self.announce_to_terminal(place, slot);
            }
            return;
        }
        let packet = *self.state.packets.get(slot);
        // Entries are numbered by every domain for itself.
        let header = match packet.entry.lookup() {
            Lookup::Header | Lookup::FirstHop => packet.header,
            Lookup::Entry => self.state.route_cache.header(packet.entry),
        };
        let packet = Packet {
            header,
            entry: EntryId::NONE,
            ..packet
        };
        let next = self.behind(router, out).0;
        let words = self.carries.then(|| self.state.packets.words(slot));
        let outbox = self.outbox(next);
        outbox.words.extend(words);
        outbox.heads.push(packet);
        outbox.queues.push(target);
    }

    /// The router behind an output virtual channel, and the lane there.
    fn behind(&self, router: u32, out: u32) -> (u32, u32) {
        let port = self.state.storage.port(router, out >> self.wiring.shift);
        let vc = out & (self.wiring.stride - 1);
        (port.next_router, port.next_lane.saturating_add(vc))
    }

    /// A flit leaves the domain; the tail takes the packet with it.
    #[inline(never)]
    pub(super) fn send_away(&mut self, at: u64, router: u32, out: u32, tail: Option<u32>) {
        let (next, lane) = self.behind(router, out);
        self.outbox(next).flits.push((at, next, lane));
        if let Some(slot) = tail {
            self.state.packets.remove(slot);
        }
    }

    /// A credit leaves the domain.
    #[inline(never)]
    pub(super) fn credit_away(&mut self, at: u64, router: u32, out: u32) {
        self.outbox(router).credits.push((at, router, out));
    }

    /// Takes what another domain has sent.
    pub(super) fn open(&mut self, from: &mut Outbox) {
        let mut words = from.words.drain(..);
        for (packet, queue) in from.heads.drain(..).zip(from.queues.drain(..)) {
            // What follows it where it comes from is nothing here.
            let slot = self.state.packets.add(Packet {
                next: NOWHERE,
                ..packet
            });
            if let Some(words) = words.next() {
                self.state.packets.write(slot, words);
            }
            self.state.link(queue, slot);
        }
        drop(words);
        for (at, router, lane) in from.flits.drain(..) {
            self.flit_later(at, router, lane);
        }
        for (at, router, out) in from.credits.drain(..) {
            self.credit_later(at, router, out);
        }
        self.hear(from);
    }
}
