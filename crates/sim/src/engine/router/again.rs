//! Second thoughts: heads that found no virtual channel choose their route again.
//!
//! In the step after one in which it competed in vain, such a head asks the algorithm anew, given the
//! congestion of that moment, and competes with the answer in the same step: routing takes part in the
//! allocation, as adaptive routers with escape channels need it (Dally and Aoki, IEEE TPDS 4(4), 1993).
//! It never waits for a particular port. Where nothing of all it may take is free, whatever it chose would be in vain, so that one that
//! has waited for a while is not asked. Routings that do not [ask again](turnwise_network::Routing::asks_again) know nothing of all this.

use super::super::domain::Domain;
use super::super::may_take::{MayTake, SOON};
use super::bit;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Hop, RouterId};

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Is this the head of a packet that may choose again?
    #[inline(always)]
    pub(super) fn may_ask_again(&self, router: u32, local: u32) -> bool {
        self.asks_again && self.state.storage.lane(router, local).asks_again()
    }

    /// Before channels are allocated: what competed in vain in the last step chooses anew.
    #[inline(always)]
    pub(super) fn ask_again(&mut self, router: u32) {
        if !self.asks_again {
            return;
        }
        for word in 0..self.words() {
            let asking = std::mem::take(&mut self.masks(router, word).asking);
            for_bits!(position in asking, {
                self.choose_again(router, word * 64 + position);
            });
        }
    }

    /// After channels are allocated: what got none, and may, asks again.
    #[inline(always)]
    pub(super) fn note_vain(&mut self, router: u32) {
        if !self.asks_again {
            return;
        }
        for word in 0..self.words() {
            let mut asking = 0;
            for_bits!(position in self.masks(router, word).heads, {
                if self.may_ask_again(router, word * 64 + position) {
                    asking |= bit(position);
                }
            });
            self.masks(router, word).asking = asking;
        }
    }

    /// The numbers drawn are the lane's in this step, whatever else happens in it.
    #[inline(never)]
    fn choose_again(&mut self, router: u32, local: u32) {
        if self.chooses_in_vain(router, local) {
            return;
        }
        let lane = self.state.storage.lane(router, local);
        let (slot, header) = (lane.slot, lane.asked);
        let number = self.wiring.routers[router].first_lane + local;
        let mut rng = Random::new(
            self.setup.seed,
            Purpose::RoutingAgain,
            number,
            self.now as u32,
        )
        .at_block(self.step_index << 8);
        let (at, routing) = (RouterId(router), self.setup.routing);
        let chosen = self.seeing(router, slot, |sees| {
            routing.choose_again(at, header, sees, &mut rng)
        });
        let Some(hop) = chosen else {
            let packet = *self.state.packets.get(slot);
            self.lose(packet.source, packet.destination);
            return;
        };
        if self.setup.check && !self.check_choice(router, header, hop) {
            return;
        }
        self.retake_hop(router, local, hop);
    }

    /// Is nothing of all that this head may take free? Who counts what waits for a port is told of every choice all the same, and where
    /// everything is checked every choice is looked at.
    #[inline(always)]
    fn chooses_in_vain(&mut self, router: u32, local: u32) -> bool {
        if !ONE_WORD || self.awaits || self.setup.check {
            return false;
        }
        let lane = self.number(router, local);
        let channels = match self.may_take[lane] {
            MayTake::Unknown { asked } if asked < SOON => {
                self.may_take[lane] = MayTake::Unknown { asked: asked + 1 };
                return false;
            }
            MayTake::Unknown { .. } => self.find_what_it_may_take(router, local),
            MayTake::Known(channels) => channels,
        };
        self.masks(router, 0).free & channels == 0
    }

    /// Another head is at the front of a lane.
    #[inline(always)]
    pub(super) fn forget_what_it_may_take(&mut self, router: u32, local: u32) {
        if ONE_WORD && self.asks_again {
            let lane = self.number(router, local);
            self.may_take[lane] = MayTake::default();
        }
    }

    #[inline(never)]
    fn find_what_it_may_take(&mut self, router: u32, local: u32) -> u64 {
        let header = self.state.storage.lane(router, local).asked;
        let hops = &mut self.scratch.hops;
        hops.clear();
        let routing = self.setup.routing;
        routing.options(RouterId(router), header, hops);
        let channels = |hop: &Hop| self.wiring.channels(hop.port, hop.vcs.0 & self.all_vcs);
        let all = hops.iter().map(channels).fold(0, |all, some| all | some);
        let lane = self.number(router, local);
        self.may_take[lane] = MayTake::Known(all);
        all
    }
}
