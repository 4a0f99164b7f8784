//! How a packet gets into the network: its route's beginning, and a virtual channel of the injection channel.

use super::super::domain::Domain;
use super::super::packets::Packet;
use super::super::route_cache::Departure;
use super::super::wiring::NOWHERE;
use super::injection::{InjectionChannel, Launch};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{FlowControl, Header, Start, TerminalId, Vc, VcSet};

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Puts a packet on a virtual channel of the injection channel, if one is free: its slot, and the virtual channel,
    /// which the caller notes as [taken](InjectionChannel::take).
    #[inline(always)]
    pub(super) fn launch(
        &mut self,
        terminal: u32,
        channel: InjectionChannel,
        launch: Launch,
    ) -> Option<(u32, Vc)> {
        let key = terminal + u32::from(launch.class) * self.wiring.terminals() as u32;
        let known = self.state.route_cache.departure(key, launch.destination.0);
        let mut header = Header::default();
        let departure = match known {
            Some(departure) => departure,
            None => match self.depart(terminal, channel.router, key, launch, &mut header) {
                Some(departure) => departure,
                None => {
                    self.lose(TerminalId(terminal), launch.destination);
                    return None;
                }
            },
        };
        let needed = self.needed_to_start(launch.flits);
        let free = channel.free & departure.vcs;
        let vc = self.free_vc(terminal, free, channel.next_vc.into(), needed)?;
        let slot = self.state.packets.add(Packet {
            header,
            entry: departure.entry,
            next: NOWHERE,
            routers: 0,
            destination: launch.destination,
            created: launch.created,
            injected: self.now,
            source: TerminalId(terminal),
            sequence: launch.sequence,
            flits: launch.flits,
            first_hop: (0, 0),
        });
        let queue = self
            .wiring
            .queue::<ONE_WORD>(channel.router, channel.first_lane + vc);
        self.state.link(queue, slot);
        Some((slot, vc as Vc))
    }

    /// The first cycle in which a packet that is created in this one may leave its terminal.
    #[inline(always)]
    pub(super) fn leaves(&self, created: u64) -> u64 {
        match PLAIN {
            true => created,
            false => created + u64::from(self.model.injection_delay),
        }
    }

    /// Credits that a packet of so many flits needs to set out.
    #[inline(always)]
    pub(in super::super) fn needed_to_start(&self, flits: u16) -> u16 {
        match self.model.flow_control {
            FlowControl::Wormhole if PLAIN || !self.model.whole_packets => 1,
            FlowControl::Wormhole => flits,
            FlowControl::VirtualCutThrough | FlowControl::Bubble | FlowControl::Pause => flits,
        }
    }

    /// Asks the algorithm for a packet's first header and its virtual channels of the injection channel.
    ///
    /// A packet that cannot go at once asks again, and chooses the same again.
    #[inline(never)]
    fn depart(
        &mut self,
        terminal: u32,
        router: u32,
        key: u32,
        launch: Launch,
        header: &mut Header,
    ) -> Option<Departure> {
        let start = self.starting(TerminalId(terminal), &launch)?;
        *header = Header {
            destination: launch.destination,
            ..start.header
        };
        let vcs = start.vcs.0 & VcSet::all(self.model.virtual_channels).0;
        let pair = (key, launch.destination.0);
        let route_cache = &mut self.state.route_cache;
        Some(match self.chooses_start {
            true => route_cache.set_out(pair, router, *header, vcs),
            false => route_cache.depart(pair, router, *header, vcs),
        })
    }

    pub(super) fn starting(&mut self, source: TerminalId, launch: &Launch) -> Option<Start> {
        let (routing, destination, class) = (self.setup.routing, launch.destination, launch.class);
        if destination.index() >= self.wiring.terminals() {
            return None;
        }
        if !self.chooses_start && class == 0 {
            return routing.start(source, destination);
        }
        let mut starts = Vec::new();
        if !self.chooses_start {
            routing.starts(source, destination, class, &mut starts);
            return starts.first().copied();
        }
        let (seed, number) = (self.setup.seed, launch.sequence);
        let mut rng = Random::new(seed, Purpose::Departure, source.0, number);
        let chosen = routing.choose_start(source, destination, class, &mut rng);
        if self.setup.check {
            routing.starts(source, destination, class, &mut starts);
            if chosen.map_or(!starts.is_empty(), |chosen| !starts.contains(&chosen)) {
                let what = format!(
                    "from terminal {source} to terminal {destination} the algorithm chose {chosen:?}, \
                     which is no start of it"
                );
                self.totals.violation = Some(what);
            }
        }
        chosen
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

    /// May a terminal put a flit on its injection channel in this cycle?
    #[inline(always)]
    pub(super) fn may_send(&self, terminal: u32) -> bool {
        PLAIN
            || self
                .state
                .pace
                .is_free(self.wiring.ports + terminal, self.now)
    }

    /// Sends a flit on a virtual channel of an injection channel, if there is a credit for it.
    #[inline(always)]
    pub(super) fn send_flit(&mut self, terminal: u32, channel: InjectionChannel, vc: Vc) -> bool {
        let credits = (terminal << self.wiring.shift) + u32::from(vc);
        let credits = &mut self.state.injection_credits[credits];
        if *credits == 0 {
            return false;
        }
        *credits -= 1;
        if !PLAIN && self.state.pace.is_slow {
            let number = self.wiring.ports + terminal;
            let interval = self.wiring.downstream[number as usize].interval;
            self.state.pace.free_at[number] = self.now + u64::from(interval);
        }
        let arrives = self.now + u64::from(channel.delay);
        let lane = channel.first_lane + u32::from(vc);
        self.state.timeline.flit(arrives, channel.router, lane);
        self.totals.flits_injected += 1;
        self.totals.last_progress = self.now;
        true
    }
}
