//! Route computation: the routing algorithm says where a head goes.

use super::super::domain::Domain;
use super::super::route_cache::{EntryId, EntryState, Lookup};
use super::super::state::{State, Wake};
use super::super::wiring::NOWHERE;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Header, Hop, RouterId, VcSet};

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Computes the route of a lane's front packet. Does the head compete for a virtual channel from the
    /// next step on? Not if it has no route, and not before the end of a stage of several cycles.
    #[inline(always)]
    pub(super) fn route(&mut self, router: u32, local: u32) -> bool {
        let slot = self.state.queues[self.wiring.queue::<ONE_WORD>(router, local)].first;
        self.route_packet(router, local, slot)
    }

    /// The same for a packet of the lane that may not be the front one.
    #[inline(always)]
    pub(super) fn route_packet(&mut self, router: u32, local: u32, slot: u32) -> bool {
        let State {
            storage,
            packets,
            route_cache,
            ..
        } = &mut self.state;
        let packet = packets.get_mut(slot);
        let entry = route_cache.entry(packet.entry);
        let Some(next) = entry.next() else {
            return self.ask(router, local, slot);
        };
        packet.entry = next;
        packet.routers += 1;
        let lane = storage.lane_mut(router, local);
        lane.slot = slot;
        lane.left = packet.flits;
        lane.port = entry.port;
        lane.want = entry.want;
        lane.claim = entry.claim | 1 << (32 + lane.input % 32);
        self.has_route(router, local)
    }

    /// A head has just got its route. May it compete from the next step on?
    #[inline(always)]
    fn has_route(&mut self, router: u32, local: u32) -> bool {
        if !PLAIN && self.awaits {
            self.count_routed(router, local, 0);
        }
        !self.wait(router, local)
    }

    /// Must a routed head wait for the end of a stage of several cycles?
    #[inline(always)]
    fn wait(&mut self, router: u32, local: u32) -> bool {
        let long = !PLAIN && self.model.routing_delay > 1 && !self.has_registers();
        if long {
            let delay = self.model.routing_delay.into();
            let ready = self.state.pace.routed(router, self.now, delay);
            let wake = Wake {
                router,
                local,
                routed: true,
            };
            self.state.wakes.push(ready, wake);
        }
        long
    }

    /// Asks the algorithm, and remembers its answer if it will always be the same.
    #[inline(never)]
    pub(super) fn ask(&mut self, router: u32, local: u32, slot: u32) -> bool {
        let packet = self.state.packets.get_mut(slot);
        let entry = packet.entry;
        let is_open = match entry.lookup() {
            Lookup::FirstHop => {
                let ((port, vcs), header) = (packet.first_hop, packet.header);
                let vcs = VcSet(vcs);
                let hop = Hop { port, vcs, header };
                return self.take_hop(router, local, slot, hop, EntryId::NONE);
            }
            // Who has no entry at the source gets none: nothing is remembered there, settled or open.
            Lookup::Header => self.decides_at_source && packet.routers == 0,
            Lookup::Entry => {
                packet.header = self.state.route_cache.header(entry);
                self.state.route_cache.entry(entry).state() == EntryState::LeftOpen
            }
        };
        let header = packet.header;
        let settled = match is_open {
            true => None,
            false => self.setup.routing.settled(RouterId(router), header),
        };
        let Some(hop) = settled.or_else(|| self.choose_at(router, local, slot)) else {
            let packet = *self.state.packets.get(slot);
            self.lose(packet.source, packet.destination);
            return false;
        };
        if self.setup.check && !self.check_choice(router, header, hop) {
            return false;
        }
        let next = match self.state.route_cache.remembers() {
            true => self.note(router, header, entry, &hop, settled.is_some()),
            false => EntryId::NONE,
        };
        self.take_hop(router, local, slot, hop, next)
    }

    /// What the algorithm chooses for a lane's front packet, which may ask again.
    fn choose_at(&mut self, router: u32, local: u32, slot: u32) -> Option<Hop> {
        if self.asks_again {
            self.state.storage.lane_mut(router, local).asked = self.state.packets.get(slot).header;
            self.forget_what_it_may_take(router, local);
        }
        self.choose(router, slot)
    }

    /// Sets the route of a lane's front packet, and its next entry.
    ///
    /// # Panics
    /// If the algorithm has named a port that the router does not have.
    #[inline(always)]
    fn take_hop(&mut self, router: u32, local: u32, slot: u32, hop: Hop, next: EntryId) -> bool {
        let ports = self.wiring.routers[router].ports;
        assert!(
            u32::from(hop.port) < ports,
            "routed to port {} of a router with {ports}",
            hop.port
        );
        let packet = self.state.packets.get_mut(slot);
        packet.header = hop.header;
        packet.entry = next;
        packet.routers += 1;
        let lane = self.state.storage.lane_mut(router, local);
        lane.slot = slot;
        lane.left = packet.flits;
        lane.port = hop.port;
        lane.claim = 1 << (hop.port % 32) | 1 << (32 + lane.input % 32);
        lane.want = self.wiring.channels(hop.port, hop.vcs.0 & self.all_vcs);
        self.has_route(router, local)
    }

    /// Another route for a head that has one. It goes through no stage again. Where it leads is looked up when the packet is there: most such
    /// choices are in vain.
    ///
    /// # Panics
    /// As [`take_hop`](Self::take_hop).
    pub(super) fn retake_hop(&mut self, router: u32, local: u32, hop: Hop) {
        let ports = self.wiring.routers[router].ports;
        assert!(
            u32::from(hop.port) < ports,
            "routed to port {} of a router with {ports}",
            hop.port
        );
        if self.awaits {
            let lane = self.state.storage.lane(router, local);
            let (before, flits) = (u32::from(lane.port), u32::from(lane.left));
            self.count_rerouted(router, (before, hop.port.into()), flits);
        }
        let lane = self.state.storage.lane_mut(router, local);
        lane.port = hop.port;
        lane.claim = 1 << (hop.port % 32) | 1 << (32 + lane.input % 32);
        lane.want = self.wiring.channels(hop.port, hop.vcs.0 & self.all_vcs);
        let packet = self.state.packets.get_mut(lane.slot);
        packet.header = hop.header;
        packet.entry = EntryId::NONE;
    }

    /// With look-ahead, a packet's first hop is decided as it leaves its source. Is there one?
    ///
    /// Heads that ask again are routed when they arrive, because they must know what they asked with.
    #[inline(never)]
    pub(in super::super) fn decide(&mut self, router: u32, slot: u32) -> bool {
        if self.asks_again {
            return true;
        }
        let packet = self.state.packets.get_mut(slot);
        match packet.entry.lookup() {
            Lookup::FirstHop => return true,
            Lookup::Header => {}
            Lookup::Entry => {
                let entry = self.state.route_cache.entry(packet.entry);
                if matches!(entry.state(), EntryState::Settled { .. }) {
                    return true;
                }
                packet.header = self.state.route_cache.header(packet.entry);
            }
        }
        let header = packet.header;
        if self
            .setup
            .routing
            .settled(RouterId(router), header)
            .is_some()
        {
            return true;
        }
        let Some(hop) = self.choose(router, slot) else {
            let packet = *self.state.packets.get(slot);
            self.lose(packet.source, packet.destination);
            return false;
        };
        if self.setup.check && !self.check_choice(router, header, hop) {
            return false;
        }
        let packet = self.state.packets.get_mut(slot);
        packet.first_hop = (hop.port, hop.vcs.0);
        packet.header = hop.header;
        packet.entry = EntryId::FIRST_HOP;
        true
    }

    /// Remembers a hop if it is settled; the number of the entry it leads to.
    #[inline(never)]
    pub(super) fn note(
        &mut self,
        router: u32,
        header: Header,
        entry: EntryId,
        hop: &Hop,
        settled: bool,
    ) -> EntryId {
        let route_cache = &mut self.state.route_cache;
        let entry = match entry {
            EntryId::NONE => route_cache.number(router, header),
            known => known,
        };
        let port = self.wiring.routers[router].first_port + u32::from(hop.port);
        let behind = self.wiring.downstream[port as usize].first_lane;
        let next = match behind {
            NOWHERE => EntryId::NONE,
            lane => route_cache.number(self.wiring.router_of(lane), hop.header),
        };
        if entry != EntryId::NONE && !settled {
            route_cache.leave_open(entry);
        } else if entry != EntryId::NONE && (next != EntryId::NONE || behind == NOWHERE) {
            let want = self.wiring.channels(hop.port, hop.vcs.0 & self.all_vcs);
            route_cache.settle(entry, hop.port, want, next);
        }
        next
    }

    /// Asks the algorithm to choose, given congestion and random numbers.
    #[inline(never)]
    fn choose(&mut self, router: u32, slot: u32) -> Option<Hop> {
        let packet = self.state.packets.get(slot);
        let mut rng = Random::new(
            self.setup.seed,
            Purpose::Routing,
            packet.source.0,
            packet.sequence,
        )
        .at_block(u32::from(packet.routers) << 8);
        let (at, header, routing) = (RouterId(router), packet.header, self.setup.routing);
        if PLAIN {
            return routing.choose(at, header, &self.view(router), &mut rng);
        }
        self.seeing(router, slot, |sees| {
            routing.choose(at, header, sees, &mut rng)
        })
    }

    /// Notes a violation if a choice is not among the options of the same state, or nothing that the router has. Is it a choice?
    #[cold]
    pub(super) fn check_choice(&mut self, router: u32, header: Header, hop: Hop) -> bool {
        let mut options = Vec::new();
        self.setup
            .routing
            .options(RouterId(router), header, &mut options);
        let offered = |option: &Hop| hop.is_part_of(option);
        let ports = self.wiring.routers[router].ports;
        let wrong = if hop.vcs.is_empty() || !options.iter().any(offered) {
            "which is no option of it".to_owned()
        } else if u32::from(hop.port) >= ports {
            format!("which is a port of none: the router has {ports}")
        } else if hop.vcs.0 & !self.all_vcs != 0 {
            let channels = self.model.virtual_channels;
            format!("which are virtual channels of none: ports have {channels}")
        } else {
            return true;
        };
        let what =
            format!("at router {router} with {header:?} the algorithm chose {hop:?}, {wrong}");
        self.totals.violation = Some(what);
        false
    }
}
