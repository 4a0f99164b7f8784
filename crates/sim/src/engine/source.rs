//! Terminals as senders: at most one flit a cycle each, from a source queue that is never stored.
//!
//! A packet is asked for when the one before it has left, however long ago it was created,
//! so an overloaded source costs no more memory than an idle one.

use super::Simulation;
use super::packets::{Flit, Packet};
use super::state::Arrival;
use super::wiring::NOWHERE;
use turnwise_network::{FlowControl, Header, PacketRequest, TerminalId, Vc, VcSet};

/// The packet a terminal sends, or will send next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    created: u64,
    destination: TerminalId,
    /// Number of the next packet to ask for.
    sequence: u32,
    /// Slot of the packet under way, [`NOWHERE`] while it waits.
    slot: u32,
    flits: u16,
    sent: u16,
    vc: Vc,
    /// Where the round-robin search for a virtual channel begins.
    next_vc: Vc,
}

impl Source {
    pub(super) const IDLE: Self = Self {
        created: u64::MAX,
        destination: TerminalId(0),
        sequence: 0,
        slot: NOWHERE,
        flits: 0,
        sent: 0,
        vc: 0,
        next_vc: 0,
    };
}

impl Simulation<'_> {
    /// Asks for every living terminal's first packet.
    pub(super) fn start_sources(&mut self) {
        for terminal in 0..self.sources.len() as u32 {
            if self.wiring.alive[terminal as usize] {
                self.next_packet(terminal, None);
            }
        }
    }

    /// Asks for a terminal's next packet and schedules it.
    fn next_packet(&mut self, terminal: u32, after: Option<u64>) {
        let source = &mut self.sources[terminal as usize];
        let request = self
            .injector
            .next(TerminalId(terminal), source.sequence, after);
        let Some(PacketRequest {
            created,
            destination,
            flits,
        }) = request
        else {
            source.created = u64::MAX;
            return;
        };
        source.sequence = source.sequence.wrapping_add(1);
        source.created = created;
        source.destination = destination;
        source.flits = flits.max(1);
        source.slot = NOWHERE;
        source.sent = 0;
        let (created, flits) = (source.created, source.flits);
        self.longest_packet = self.longest_packet.max(flits);
        self.recorder.packet_created(created, flits);
        if created < self.window_end {
            self.early_sources += 1;
        }
        if created <= self.now {
            self.active_sources[terminal as usize / 64] |= 1 << (terminal % 64);
        } else {
            self.due_sources.push(created, terminal);
        }
    }

    /// Wakes the terminals whose packets are created in this cycle.
    pub(super) fn wake_sources(&mut self) {
        let Some(due) = self.due_sources.take(self.now) else {
            return;
        };
        for &terminal in &due {
            let created = self.sources[terminal as usize].created;
            if created == self.now {
                self.active_sources[terminal as usize / 64] |= 1 << (terminal % 64);
            } else {
                // The wheel has gone round, but the packet is further away than that.
                self.due_sources.push(created, terminal);
            }
        }
        self.due_sources.recycle(self.now, due);
    }

    /// Lets every terminal with something to send put one flit on its injection channel.
    pub(super) fn inject(&mut self) {
        for word in 0..self.active_sources.len() {
            let mut bits = self.active_sources[word];
            while bits != 0 {
                let terminal = word as u32 * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                self.inject_flit(terminal);
            }
        }
    }

    fn inject_flit(&mut self, terminal: u32) {
        let port = self.wiring.ports + terminal;
        let first_out = port * self.wiring.vcs;
        if self.sources[terminal as usize].slot == NOWHERE
            && !self.begin_packet(terminal, first_out)
        {
            return;
        }
        let source = &mut self.sources[terminal as usize];
        let out = &mut self.state.outs[(first_out + u32::from(source.vc)) as usize];
        if out.credits == 0 {
            return;
        }
        out.credits -= 1;
        source.sent += 1;
        let tail = source.sent == source.flits;
        let flit = Flit::new(source.slot, tail);
        let downstream = self.wiring.downstream[port as usize];
        let arrives = self.now + 1 + u64::from(downstream.latency);
        let lane = downstream.first_lane + u32::from(source.vc);
        self.state.arrivals.push(arrives, Arrival { lane, flit });
        self.totals.flits_injected += 1;
        self.totals.last_progress = self.now;
        if tail {
            out.owner = NOWHERE;
            let created = source.created;
            self.active_sources[terminal as usize / 64] &= !(1 << (terminal % 64));
            if created < self.window_end {
                self.early_sources -= 1;
            }
            self.next_packet(terminal, Some(created));
        }
    }

    /// Gives the waiting packet a virtual channel of the injection channel, if one is free.
    fn begin_packet(&mut self, terminal: u32, first_out: u32) -> bool {
        let source = self.sources[terminal as usize];
        let start = self.routing.start(TerminalId(terminal), source.destination);
        let Some(start) = start else {
            self.totals.lost = Some((TerminalId(terminal), source.destination));
            return false;
        };
        let Some(vc) = self.free_vc(first_out, &source, start.vcs) else {
            return false;
        };
        self.state.outs[(first_out + u32::from(vc)) as usize].owner = terminal;
        let slot = self.state.packets.add(Packet {
            header: Header {
                destination: source.destination,
                ..start.header
            },
            created: source.created,
            injected: self.now,
            source: TerminalId(terminal),
            sequence: source.sequence.wrapping_sub(1),
            flits: source.flits,
            routers: 0,
        });
        let source = &mut self.sources[terminal as usize];
        source.slot = slot;
        source.vc = vc;
        source.next_vc = (vc + 1) % self.model.virtual_channels;
        true
    }

    fn free_vc(&self, first_out: u32, source: &Source, admissible: VcSet) -> Option<Vc> {
        let vcs = self.model.virtual_channels;
        let needed = match self.model.flow_control {
            FlowControl::Wormhole => 1,
            FlowControl::VirtualCutThrough | FlowControl::Bubble => source.flits,
        };
        let candidates = (source.next_vc..vcs).chain(0..source.next_vc);
        candidates
            .filter(|&vc| admissible.contains(vc))
            .find(|&vc| {
                let out = self.state.outs[(first_out + u32::from(vc)) as usize];
                out.owner == NOWHERE && out.credits >= needed
            })
    }
}
