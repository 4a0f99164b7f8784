//! Terminals that send whatever arrives: packets are asked for when there is room for them.
//!
//! As in the flit engine the injector is asked late, so an overloaded source takes no more memory than an idle one, and what is a
//! message of several packets to it is cut into them here, one after the other.

use super::adapter::Waiting;
use super::fabric::Fabric;
use crate::engine::Demand;
use turnwise_network::{PacketRequest, TerminalId};

/// The packets of a terminal that only its injector knows of.
pub(super) struct Source {
    /// The next one; it may not be created yet.
    present: Option<PacketRequest>,
    /// Number of its message; its own, where messages are packets.
    message: u32,
    /// Packets of its message before it, and flits behind it.
    before: u16,
    rest: u16,
}

impl Source {
    /// When the next packet is created; never if that is over.
    pub(super) fn next_creation(&self, now: u64) -> u64 {
        let created = self.present.map_or(u64::MAX, |present| present.created);
        match created > now {
            true => created,
            false => u64::MAX,
        }
    }
}

impl Fabric<'_> {
    /// Asks for every living terminal's first packet, and has them woken for it.
    pub(super) fn start_sources(&mut self) {
        let network = self.setup.network;
        for terminal in network.living_terminals() {
            self.adapters.all[terminal.index()].source = Some(Source {
                present: None,
                message: 0,
                before: 0,
                rest: 0,
            });
            self.next_packet(terminal.0, None);
            self.wake(terminal.0);
        }
    }

    /// Makes the packet after the present one the present one.
    fn next_packet(&mut self, terminal: u32, after: Option<PacketRequest>) {
        let Demand::Open(injector) = self.setup.demand else {
            return;
        };
        let Some(source) = &mut self.adapters.all[terminal as usize].source else {
            return;
        };
        if let Some(before) = after {
            self.adapters.early -= usize::from(before.created < self.totals.window_end);
        }
        let whole = match after {
            Some(before) if source.rest > 0 => {
                source.before += 1;
                Some(PacketRequest {
                    flits: source.rest,
                    ..before
                })
            }
            _ => {
                source.message = source.message.wrapping_add(u32::from(after.is_some()));
                source.before = 0;
                let after = after.map(|before| before.created);
                injector.next(TerminalId(terminal), source.message, after)
            }
        };
        source.present = whole.map(|whole| {
            let left = whole.flits.max(1);
            let flits = left.min(self.messages.packet_flits());
            source.rest = left - flits;
            PacketRequest { flits, ..whole }
        });
        let message = source.message;
        let Some(packet) = source.present else {
            return;
        };
        self.adapters.early += usize::from(packet.created < self.totals.window_end);
        self.check_length(terminal, packet.flits);
        self.announce(terminal, message, packet.created, packet.flits);
    }

    /// Counts a packet of a message.
    fn announce(&mut self, terminal: u32, message: u32, created: u64, flits: u16) {
        self.recorder.packet_created(terminal, created, flits);
        if self.classes.is_used() && self.recorder.in_window(created) {
            self.classes
                .created(self.class_of(terminal, message), flits);
        }
    }

    /// Counts the packets of so many flits of a message.
    fn announce_rest(&mut self, terminal: u32, message: u32, created: u64, mut rest: u16) {
        while rest > 0 {
            let flits = rest.min(self.messages.packet_flits());
            rest -= flits;
            self.announce(terminal, message, created, flits);
        }
    }

    fn class_of(&self, terminal: u32, message: u32) -> usize {
        match self.setup.demand {
            Demand::Open(injector) => injector.class(TerminalId(terminal), message),
            Demand::Closed(_) => 0,
        }
    }

    /// Puts the present packet into its lane, if it is created and nothing waits there.
    pub(super) fn draw(&mut self, terminal: u32) {
        let adapter = &mut self.adapters.all[terminal as usize];
        let Some(source) = &adapter.source else {
            return;
        };
        let Some(packet) = source.present.filter(|packet| packet.created <= self.now) else {
            return;
        };
        if !adapter.lanes[0].queue.is_empty() {
            return;
        }
        let (message, before) = (source.message, source.before);
        let packets = self.messages.cutting.map_or(1, |cutting| cutting.packets);
        let first = message.wrapping_mul(packets.into());
        let class = self.class_of(terminal, message) as u8;
        self.adapters.all[terminal as usize].lanes[0]
            .queue
            .push_back(Waiting {
                destination: packet.destination,
                created: packet.created,
                tag: 0,
                note: 0,
                number: first.wrapping_add(before.into()),
                flits: packet.flits,
                class,
                parties: [0; 2],
                is_reported: false,
            });
        self.next_packet(terminal, Some(packet));
    }

    /// Counts every packet created before the run ended, also those that still waited at their sources and had not
    /// been asked for; takes back those that were announced but would have been created later.
    pub(super) fn account_for_backlogs(&mut self, end: u64) {
        let Demand::Open(injector) = self.setup.demand else {
            return;
        };
        for terminal in 0..self.adapters.all.len() as u32 {
            let Some(source) = &self.adapters.all[terminal as usize].source else {
                continue;
            };
            let (mut message, rest) = (source.message, source.rest);
            let Some(present) = source.present else {
                continue;
            };
            if present.created >= end {
                self.recorder
                    .packet_not_created(terminal, present.created, present.flits);
                if self.classes.is_used() && self.recorder.in_window(present.created) {
                    self.classes
                        .not_created(self.class_of(terminal, message), present.flits);
                }
                continue;
            }
            let mut created = present.created;
            self.announce_rest(terminal, message, created, rest);
            loop {
                message = message.wrapping_add(1);
                let next = injector.next(TerminalId(terminal), message, Some(created));
                // An injector whose time stands still would be asked for ever.
                let until = end.min(self.totals.window_end);
                let Some(next) = next.filter(|next| next.created > created && next.created < until)
                else {
                    break;
                };
                created = next.created;
                self.announce_rest(terminal, message, created, next.flits.max(1));
            }
        }
    }
}
