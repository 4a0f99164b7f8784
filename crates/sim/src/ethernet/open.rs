//! Terminals that send whatever arrives: packets are asked for when there is room for them.
//!
//! As in the flit engine the injector is asked late, so an overloaded source takes no more memory than an idle one.

use super::adapter::Waiting;
use super::fabric::Fabric;
use crate::engine::Demand;
use turnwise_network::{PacketRequest, TerminalId};

/// The packets of a terminal that only its injector knows of.
pub(super) struct Source {
    /// The next one; it may not be created yet.
    pub(super) present: Option<PacketRequest>,
    /// Its number.
    number: u32,
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
                number: 0,
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
            source.number = source.number.wrapping_add(1);
            self.adapters.early -= usize::from(before.created < self.totals.window_end);
        }
        let number = source.number;
        let request = injector.next(
            TerminalId(terminal),
            number,
            after.map(|before| before.created),
        );
        let present = request.map(|request| PacketRequest {
            flits: request.flits.max(1),
            ..request
        });
        source.present = present;
        let Some(packet) = present else { return };
        self.adapters.early += usize::from(packet.created < self.totals.window_end);
        self.announce(terminal, number, packet);
    }

    fn announce(&mut self, terminal: u32, number: u32, packet: PacketRequest) {
        self.recorder
            .packet_created(terminal, packet.created, packet.flits);
        if self.classes.is_used() && self.recorder.in_window(packet.created) {
            self.classes
                .created(self.class_of(terminal, number), packet.flits);
        }
    }

    pub(super) fn class_of(&self, terminal: u32, number: u32) -> usize {
        match self.setup.demand {
            Demand::Open(injector) => injector.class(TerminalId(terminal), number),
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
        let number = source.number;
        let class = self.class_of(terminal, number) as u8;
        self.adapters.all[terminal as usize].lanes[0]
            .queue
            .push_back(Waiting {
                destination: packet.destination,
                created: packet.created,
                tag: 0,
                note: 0,
                number,
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
            let source = self.adapters.all[terminal as usize].source.as_ref();
            let Some((present, mut number)) =
                source.and_then(|source| Some((source.present?, source.number)))
            else {
                continue;
            };
            if present.created >= end {
                self.recorder
                    .packet_not_created(terminal, present.created, present.flits);
                if self.classes.is_used() && self.recorder.in_window(present.created) {
                    self.classes
                        .not_created(self.class_of(terminal, number), present.flits);
                }
                continue;
            }
            let mut created = present.created;
            loop {
                number = number.wrapping_add(1);
                let next = injector.next(TerminalId(terminal), number, Some(created));
                // An injector whose time stands still would be asked for ever.
                let until = end.min(self.totals.window_end);
                let Some(next) = next.filter(|next| next.created > created && next.created < until)
                else {
                    break;
                };
                created = next.created;
                let flits = next.flits.max(1);
                self.announce(terminal, number, PacketRequest { flits, ..next });
            }
        }
    }
}
