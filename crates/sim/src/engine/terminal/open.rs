//! Terminals as senders: at most one flit a cycle each, from a source queue that is never stored.
//!
//! The injector is asked for a packet when the one before it has left, even if the packet was created
//! long ago. So an overloaded source takes no more memory than an idle one. What is a message of several packets to the injector is
//! cut into them here, one after the other.

use super::super::domain::Domain;
use super::super::packets::Words;
use super::super::wiring::NOWHERE;
use super::Demand;
use super::source::{FEW, Source};
use turnwise_network::{Cutting, PacketRequest, TerminalId};

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Asks for every living terminal's first packet.
    pub(in super::super) fn start_sources(&mut self) {
        for terminal in self.sources.numbers() {
            let router = self.sources[terminal].channel.router;
            if self.wiring.alive[terminal as usize] && self.is_mine(router) {
                self.next_packet(terminal, None);
            }
        }
    }

    /// A terminal's next packet, created later than `after`.
    #[inline(always)]
    fn request(&mut self, terminal: u32, after: Option<u64>) -> Option<PacketRequest> {
        if self.sources[terminal].ahead == 0 && !self.ask_injector(terminal, after) {
            return None;
        }
        let source = &mut self.sources[terminal];
        source.ahead -= 1;
        Some(source.few[FEW - 1 - usize::from(source.ahead) % FEW])
    }

    /// Asks for a few packets; are there any?
    #[inline(never)]
    fn ask_injector(&mut self, terminal: u32, after: Option<u64>) -> bool {
        let source = &mut self.sources[terminal];
        let Demand::Open(injector) = self.setup.demand else {
            return false;
        };
        if source.last {
            return false;
        }
        let count = injector.next_few(
            TerminalId(terminal),
            source.sequence,
            after,
            &mut source.few,
        );
        let count = count.min(FEW);
        source.sequence = source.sequence.wrapping_add(count as u32);
        source.last = count < FEW;
        source.ahead = count as u8;
        // Packets are taken from the end of the list, so a short list is moved there.
        source.few.rotate_right(FEW - count);
        count > 0
    }

    /// Makes a terminal's next packet the present one and schedules it.
    #[inline(always)]
    pub(super) fn next_packet(&mut self, terminal: u32, after: Option<u64>) {
        if let Some(cutting) = self.messages.cutting {
            return self.next_of_messages(terminal, after, cutting);
        }
        let request = self.request(terminal, after);
        let source = &mut self.sources[terminal];
        let Some(PacketRequest {
            created,
            destination,
            flits,
        }) = request
        else {
            source.created = u64::MAX;
            return;
        };
        let flits = flits.max(1);
        source.created = created;
        source.destination = destination;
        source.flits = flits;
        source.slot = NOWHERE;
        source.sent = 0;
        self.schedule(terminal);
    }

    /// The same where messages are cut into packets.
    #[inline(never)]
    fn next_of_messages(&mut self, terminal: u32, after: Option<u64>, cutting: Cutting) {
        if self.sources[terminal].rest > 0 {
            let source = &mut self.sources[terminal];
            source.ahead_of_message = source.ahead_of_message.wrapping_add(1);
        } else {
            let request = self.request(terminal, after);
            let source = &mut self.sources[terminal];
            let Some(message) = request else {
                source.created = u64::MAX;
                return;
            };
            source.created = message.created;
            source.destination = message.destination;
            source.rest = message.flits.max(1);
            let further = u32::from(cutting.packets) - 1;
            source.ahead_of_message = source.message().wrapping_mul(further);
        }
        let source = &mut self.sources[terminal];
        source.flits = source.rest.min(cutting.packet_flits);
        source.rest -= source.flits;
        source.slot = NOWHERE;
        source.sent = 0;
        self.schedule(terminal);
    }

    /// Counts the present packet and schedules it.
    #[inline(always)]
    fn schedule(&mut self, terminal: u32) {
        let &Source { created, flits, .. } = &self.sources[terminal];
        if self.setup.check {
            self.check_length(terminal, flits);
        }
        self.recorder.packet_created(terminal, created, flits);
        if self.classes.is_used() {
            self.count_class(terminal, created, flits);
        }
        if created < self.window_end {
            self.early_sources += 1;
        }
        let leaves = self.leaves(created);
        if leaves <= self.now {
            self.active_sources[terminal / 64] |= 1 << (terminal % 64);
        } else {
            self.due_sources.push(self.now, leaves, terminal);
        }
    }

    /// Counts the present packet for its class.
    #[inline(never)]
    fn count_class(&mut self, terminal: u32, created: u64, flits: u16) {
        if self.recorder.in_window(created) {
            let class = self.class_of_present(terminal);
            self.classes.created(class, flits);
        }
    }

    /// The class of the message that was asked for last.
    fn class_of_present(&self, terminal: u32) -> usize {
        let sequence = self.sources[terminal].message();
        match self.setup.demand {
            Demand::Open(injector) => injector.class(TerminalId(terminal), sequence),
            Demand::Closed(_) => 0,
        }
    }

    /// Wakes the terminals whose packets are created in this cycle.
    pub(super) fn wake_sources(&mut self) {
        let Some(due) = self.due_sources.take(self.now) else {
            return;
        };
        for &terminal in &due {
            self.active_sources[terminal / 64] |= 1 << (terminal % 64);
        }
        self.due_sources.recycle(due);
    }

    /// Lets every terminal with something to send put one flit on its injection channel.
    #[inline(never)]
    pub(super) fn inject(&mut self) {
        for word in 0..self.active_sources.len() as u32 {
            let mut bits = self.active_sources[word];
            while bits != 0 {
                let terminal = word * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                self.inject_flit(terminal);
            }
        }
    }

    #[inline(always)]
    fn inject_flit(&mut self, terminal: u32) {
        if !self.may_send(terminal) {
            return;
        }
        if self.sources[terminal].slot == NOWHERE && !self.begin_packet(terminal) {
            return;
        }
        let &Source { channel, vc, .. } = &self.sources[terminal];
        if !self.send_flit(terminal, channel, vc) {
            return;
        }
        let source = &mut self.sources[terminal];
        source.sent += 1;
        if source.sent < source.flits {
            return;
        }
        if PLAIN || !self.model.wait_for_tail_credit {
            source.channel.free |= 1 << vc;
        }
        let created = source.created;
        self.active_sources[terminal / 64] &= !(1 << (terminal % 64));
        if created < self.window_end {
            self.early_sources -= 1;
        }
        self.next_packet(terminal, Some(created));
    }

    /// Gives the waiting packet a virtual channel of the injection channel, if one is free.
    #[inline(always)]
    fn begin_packet(&mut self, terminal: u32) -> bool {
        let source = &self.sources[terminal];
        let channel = source.channel;
        let Some((slot, vc)) = self.launch(terminal, channel, source.launch()) else {
            return false;
        };
        if !PLAIN && self.marks {
            self.state.packets.write(slot, Words::default());
        }
        let source = &mut self.sources[terminal];
        source.channel.take(vc, self.model.virtual_channels);
        (source.slot, source.vc) = (slot, vc);
        PLAIN || self.model.routing_delay > 0 || self.decide(channel.router, slot)
    }

    /// Counts every packet created before the run ended, also those that still waited at their
    /// sources and had not been asked for.
    ///
    /// Called when the run is over. Asks overloaded sources for what they have created meanwhile, and
    /// takes back packets that were announced but would have been created after the end.
    pub(in super::super) fn account_for_backlogs(&mut self) {
        for terminal in self.sources.numbers() {
            let mut created = self.sources[terminal].created;
            if created == u64::MAX {
                continue;
            }
            if created >= self.now {
                let flits = self.sources[terminal].flits;
                self.recorder.packet_not_created(terminal, created, flits);
                if self.classes.is_used() && self.recorder.in_window(created) {
                    let class = self.class_of_present(terminal);
                    self.classes.not_created(class, flits);
                }
                continue;
            }
            self.count_rest(terminal, created);
            while let Some(next) = self.request(terminal, Some(created)) {
                // An injector whose time stands still would be asked for ever.
                if next.created <= created || next.created >= self.now.min(self.window_end) {
                    break;
                }
                created = next.created;
                self.sources[terminal].rest = next.flits.max(1);
                self.count_rest(terminal, created);
            }
        }
    }

    /// Counts what is left of a message that has been created, packet by packet.
    fn count_rest(&mut self, terminal: u32, created: u64) {
        let most = self.messages.packet_flits();
        while self.sources[terminal].rest > 0 {
            let rest = &mut self.sources[terminal].rest;
            let flits = most.min(*rest);
            *rest -= flits;
            self.recorder.packet_created(terminal, created, flits);
            if self.classes.is_used() {
                self.count_class(terminal, created, flits);
            }
        }
    }
}
