//! Route computation: the routing algorithm says where a head goes.

use super::super::itinerary::Stop;
use super::super::state::{Lane, View, Wake};
use super::super::wiring::NOWHERE;
use super::Routers;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Header, Hop, RouterId};

impl<const ONE_WORD: bool, const PLAIN: bool> Routers<'_, '_, ONE_WORD, PLAIN> {
    /// Finds out where the packet at a lane's front goes. May the head want a virtual channel
    /// from the next step on? Not if it is lost, or if a wake-up will say when.
    #[inline(always)]
    pub(super) fn route(&mut self, lane: u32) -> bool {
        let at = &mut self.state.lanes[lane];
        let packet = self.state.packets.get_mut(at.slot);
        let stop = self.state.itinerary.stop(packet.stop);
        if stop.next == Stop::OPEN {
            return self.ask(lane);
        }
        packet.stop = stop.next;
        packet.routers += 1;
        at.left = packet.flits;
        at.announce = at.slot;
        at.port = stop.port;
        at.want = u64::from(stop.vcs) << ((u32::from(stop.port) << self.shift) % 64);
        !self.wait(lane)
    }

    /// Must a routed head wait for the end of a stage of several cycles?
    #[inline(always)]
    fn wait(&mut self, lane: u32) -> bool {
        let long = !PLAIN && self.model.routing_delay > 1;
        if long {
            let ready = self.now + u64::from(self.model.routing_delay);
            self.state.wakes.push(ready, Wake::Vc(lane));
        }
        long
    }

    /// Asks the algorithm, and remembers its answer if it will always be the same.
    ///
    /// # Panics
    /// If the algorithm names a port that the router does not have.
    #[inline(never)]
    fn ask(&mut self, lane: u32) -> bool {
        let Lane { slot, router, .. } = self.state.lanes[lane];
        let packet = self.state.packets.get_mut(slot);
        let stop = packet.stop;
        let known = self.state.itinerary.stop(stop);
        let left_open = known.port == Stop::LEFT_OPEN;
        if stop != Stop::NONE {
            packet.header = known.header;
        }
        let header = packet.header;
        let settled = match left_open {
            true => None,
            false => self.routing.settled(RouterId(router), header),
        };
        let Some(hop) = settled.or_else(|| self.choose(lane)) else {
            let packet = self.state.packets.get(slot);
            self.totals.lost = Some((packet.source, packet.destination));
            return false;
        };
        let at = self.wiring.routers[router];
        assert!(
            u32::from(hop.port) < at.ports,
            "routed to port {} of a router with {}",
            hop.port,
            at.ports
        );
        let vcs = hop.vcs.0 & self.all_vcs;
        let next = match self.state.itinerary.remembers() {
            true => self.note(router, header, stop, &hop, settled.is_some()),
            false => Stop::NONE,
        };
        let packet = self.state.packets.get_mut(slot);
        packet.header = hop.header;
        packet.stop = next;
        packet.routers += 1;
        let at = &mut self.state.lanes[lane];
        at.left = packet.flits;
        at.announce = slot;
        at.port = hop.port;
        at.want = u64::from(vcs) << ((u32::from(hop.port) << self.shift) % 64);
        if self.check {
            self.check_choice(router, header, hop);
        }
        !self.wait(lane)
    }

    /// Remembers a hop if it is settled; the number of the stop it leads to.
    #[inline(never)]
    fn note(&mut self, router: u32, header: Header, stop: u32, hop: &Hop, settled: bool) -> u32 {
        let itinerary = &mut self.state.itinerary;
        let stop = match stop {
            Stop::NONE => itinerary.number(router, header),
            known => known,
        };
        let port = self.wiring.routers[router].first_port + u32::from(hop.port);
        let behind = self.state.ports[port].first_lane;
        let next = match behind {
            NOWHERE => Stop::NONE,
            lane => itinerary.number(self.state.lanes[lane].router, hop.header),
        };
        if stop != Stop::NONE && !settled {
            itinerary.leave_open(stop);
        } else if stop != Stop::NONE && (next != Stop::NONE || behind == NOWHERE) {
            itinerary.settle(stop, hop, hop.vcs.0 & self.all_vcs, next);
        }
        next
    }

    /// What congestion or dice have a say in.
    #[inline(never)]
    fn choose(&mut self, lane: u32) -> Option<Hop> {
        let Lane { slot, router, .. } = self.state.lanes[lane];
        let packet = self.state.packets.get(slot);
        let view = View {
            wiring: self.wiring,
            outs: self.state.outs.as_slice(),
            depth: self.state.depth,
        };
        let mut dice = Random::new(
            self.seed,
            Purpose::Routing,
            packet.source.0,
            packet.sequence,
        )
        .at_block(u32::from(packet.routers) << 8);
        self.routing
            .choose(RouterId(router), packet.header, &view, &mut dice)
    }

    /// Notes a violation if a choice is not among the options of the same state.
    #[cold]
    fn check_choice(&mut self, router: u32, header: Header, hop: Hop) {
        let mut options = Vec::new();
        self.routing.options(RouterId(router), header, &mut options);
        let offered = |option: &Hop| {
            option.port == hop.port && option.header == hop.header && hop.vcs.0 & !option.vcs.0 == 0
        };
        if hop.vcs.is_empty() || !options.iter().any(offered) {
            let what = format!(
                "at router {router} with {header:?} the algorithm chose {hop:?}, which is no option of it"
            );
            self.totals.violation = Some(what);
        }
    }
}
