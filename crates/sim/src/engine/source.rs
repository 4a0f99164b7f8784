//! Terminals as senders: at most one flit a cycle each, from a source queue that is never stored.
//!
//! The injector is asked for a packet when the one before it has left, even if the packet was created
//! long ago. So an overloaded source takes no more memory than an idle one.

use super::domain::Domain;
use super::packets::Packet;
use super::route_cache::Departure;
use super::wiring::{NOWHERE, Wiring};
use turnwise_network::{FlowControl, Header, PacketRequest, TerminalId, Vc, VcSet};

/// Packets asked for at once.
const FEW: usize = 8;

/// The packet a terminal sends, or will send next, and a few that come after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    /// Creation of the present packet, past or to come; `u64::MAX` if there is none.
    created: u64,
    destination: TerminalId,
    /// Number of the next packet to ask for.
    sequence: u32,
    /// Slot of the packet under way, [`NOWHERE`] while it waits.
    slot: u32,
    /// Its router, and the first lane of the injection channel there.
    router: u32,
    first_lane: u32,
    /// Cycles from sending to arriving there.
    delay: u32,
    /// Virtual channels of the injection channel that no packet holds.
    free: u32,
    flits: u16,
    sent: u16,
    vc: Vc,
    /// Where the round-robin search for a virtual channel begins.
    next_vc: Vc,
    /// How many of `few` are still to come, and whether others follow them.
    ahead: u8,
    last: bool,
    few: [PacketRequest; FEW],
}

impl Source {
    /// A terminal that has not asked for anything yet.
    pub(super) fn idle(wiring: &Wiring, terminal: u32) -> Self {
        let behind = wiring.downstream[(wiring.ports + terminal) as usize];
        let (router, first_lane) = wiring.place(behind.first_lane);
        Self {
            router,
            first_lane,
            delay: 1 + behind.latency,
            created: u64::MAX,
            destination: TerminalId(0),
            sequence: 0,
            slot: NOWHERE,
            free: u32::MAX,
            flits: 0,
            sent: 0,
            vc: 0,
            next_vc: 0,
            ahead: 0,
            last: false,
            few: [PacketRequest::default(); FEW],
        }
    }
}

impl Source {
    /// Number of the present packet.
    #[inline(always)]
    fn present(&self) -> u32 {
        self.sequence.wrapping_sub(u32::from(self.ahead) + 1)
    }
}

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Asks for every living terminal's first packet.
    pub(super) fn start_sources(&mut self) {
        for terminal in 0..self.sources.len() as u32 {
            if self.wiring.alive[terminal as usize] && self.is_mine(self.sources[terminal].router) {
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
        if source.last {
            return false;
        }
        let count = self.setup.injector.next_few(
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
    fn next_packet(&mut self, terminal: u32, after: Option<u64>) {
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
        if created <= self.now {
            self.active_sources[terminal / 64] |= 1 << (terminal % 64);
        } else {
            self.due_sources.push(created, terminal);
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

    /// The class of the packet that was asked for last.
    fn class_of_present(&self, terminal: u32) -> usize {
        let sequence = self.sources[terminal].present();
        self.setup.injector.class(TerminalId(terminal), sequence)
    }

    /// Wakes the terminals whose packets are created in this cycle.
    pub(super) fn wake_sources(&mut self) {
        let Some(due) = self.due_sources.take(self.now) else {
            return;
        };
        for &terminal in &due {
            let created = self.sources[terminal].created;
            if created == self.now {
                self.active_sources[terminal / 64] |= 1 << (terminal % 64);
            } else {
                // The packet is due a full turn of the wheel later, or more.
                self.due_sources.push(created, terminal);
            }
        }
        self.due_sources.recycle(due);
    }

    /// Terminals take up the credits that come to them.
    #[inline(always)]
    pub(super) fn receive_terminal_credits(&mut self) {
        let Some(due) = self.state.terminal_credits.take(self.now) else {
            return;
        };
        for &credit in &due {
            let credits = &mut self.state.injection_credits[credit];
            *credits += 1;
            let credits = u32::from(*credits);
            if !PLAIN && self.model.wait_for_tail_credit {
                self.injection_credited(credit, credits);
            }
        }
        self.state.terminal_credits.recycle(due);
    }

    /// If the buffer behind a virtual channel of an injection channel is empty, the virtual channel is free
    /// again, unless its packet has flits left to send.
    #[inline(never)]
    fn injection_credited(&mut self, credit: u32, credits: u32) {
        let vc = credit & (self.wiring.stride - 1);
        let terminal = credit >> self.wiring.shift;
        if credits != self.wiring.injection_depth(terminal) {
            return;
        }
        let source = &mut self.sources[terminal];
        if source.slot == NOWHERE || u32::from(source.vc) != vc {
            source.free |= 1 << vc;
        }
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
        if !PLAIN
            && !self
                .state
                .pace
                .is_free(self.wiring.ports + terminal, self.now)
        {
            return;
        }
        if self.sources[terminal].slot == NOWHERE && !self.begin_packet(terminal) {
            return;
        }
        let source = &mut self.sources[terminal];
        let credits = (terminal << self.wiring.shift) + u32::from(source.vc);
        let credits = &mut self.state.injection_credits[credits];
        if *credits == 0 {
            return;
        }
        *credits -= 1;
        source.sent += 1;
        let tail = source.sent == source.flits;
        if tail && (PLAIN || !self.model.wait_for_tail_credit) {
            source.free |= 1 << source.vc;
        }
        if !PLAIN && self.state.pace.is_slow {
            let channel = self.wiring.ports + terminal;
            let interval = self.wiring.downstream[channel as usize].interval;
            self.state.pace.free_at[channel] = self.now + u64::from(interval);
        }
        let arrives = self.now + u64::from(source.delay);
        let lane = source.first_lane + u32::from(source.vc);
        self.state.timeline.flit(arrives, source.router, lane);
        self.totals.flits_injected += 1;
        self.totals.last_progress = self.now;
        if tail {
            let created = source.created;
            self.active_sources[terminal / 64] &= !(1 << (terminal % 64));
            if created < self.window_end {
                self.early_sources -= 1;
            }
            self.next_packet(terminal, Some(created));
        }
    }

    /// Gives the waiting packet a virtual channel of the injection channel, if one is free.
    #[inline(always)]
    fn begin_packet(&mut self, terminal: u32) -> bool {
        let source = &self.sources[terminal];
        let (destination, next_vc) = (source.destination, source.next_vc);
        let known = self.state.route_cache.departure(terminal, destination.0);
        let mut header = Header::default();
        let departure = match known {
            Some(departure) => departure,
            None => {
                let Some(departure) = self.depart(terminal, destination, &mut header) else {
                    self.lose(TerminalId(terminal), destination);
                    return false;
                };
                departure
            }
        };
        let source = &self.sources[terminal];
        let needed = match self.model.flow_control {
            FlowControl::Wormhole => 1,
            FlowControl::VirtualCutThrough | FlowControl::Bubble => source.flits,
        };
        let free = source.free & departure.vcs;
        let Some(vc) = self.free_vc(terminal, free, next_vc.into(), needed) else {
            return false;
        };
        let source = &self.sources[terminal];
        let slot = self.state.packets.add(Packet {
            header,
            entry: departure.entry,
            next: NOWHERE,
            routers: 0,
            destination,
            created: source.created,
            injected: self.now,
            source: TerminalId(terminal),
            sequence: source.present(),
            flits: source.flits,
            first_hop: (0, 0),
        });
        let source = &mut self.sources[terminal];
        source.slot = slot;
        source.free &= !(1 << vc);
        source.vc = vc as Vc;
        source.next_vc = match vc + 1 == u32::from(self.model.virtual_channels) {
            true => 0,
            false => vc as Vc + 1,
        };
        let (router, lane) = (source.router, source.first_lane + vc);
        self.state
            .link(self.wiring.queue::<ONE_WORD>(router, lane), slot);
        PLAIN || self.model.routing_delay > 0 || self.decide(router, slot)
    }

    /// Asks the algorithm for a packet's first header and its virtual channels of the injection channel.
    #[inline(never)]
    fn depart(
        &mut self,
        terminal: u32,
        destination: TerminalId,
        header: &mut Header,
    ) -> Option<Departure> {
        let start = self
            .setup
            .routing
            .start(TerminalId(terminal), destination)?;
        *header = Header {
            destination,
            ..start.header
        };
        let router = self.sources[terminal].router;
        let vcs = start.vcs.0 & VcSet::all(self.model.virtual_channels).0;
        let pair = (terminal, destination.0);
        Some(self.state.route_cache.depart(pair, router, *header, vcs))
    }

    /// The first of these virtual channels from `turn` on, going round, that has credits enough.
    #[inline(always)]
    fn free_vc(&self, terminal: u32, free: u32, turn: u32, needed: u16) -> Option<u32> {
        let later = free & (u32::MAX << turn);
        for mut set in [later, free & !later] {
            while set != 0 {
                let vc = set.trailing_zeros();
                let credits = (terminal << self.wiring.shift) + vc;
                if self.state.injection_credits[credits] >= needed {
                    return Some(vc);
                }
                set &= set - 1;
            }
        }
        None
    }

    /// Counts every packet created before the run ended, also those that still waited at their
    /// sources and had not been asked for.
    ///
    /// Called when the run is over. Asks overloaded sources for what they have created meanwhile, and
    /// takes back packets that were announced but would have been created after the end.
    pub(super) fn account_for_backlogs(&mut self) {
        for terminal in 0..self.sources.len() as u32 {
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
            while let Some(next) = self.request(terminal, Some(created)) {
                // An injector whose time stands still would be asked for ever.
                if next.created <= created || next.created >= self.now.min(self.window_end) {
                    break;
                }
                created = next.created;
                let flits = next.flits.max(1);
                self.recorder.packet_created(terminal, created, flits);
                if self.classes.is_used() {
                    self.count_class(terminal, created, flits);
                }
            }
        }
    }
}
