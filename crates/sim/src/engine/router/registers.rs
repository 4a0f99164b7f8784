//! Flits pass the registers of an input, one stage a cycle.

use super::super::block::Lane;
use super::super::domain::Domain;
use super::super::registers::{Held, Route};
use super::super::wiring::NOWHERE;
use super::bit;

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Has every stage of an input a register?
    #[inline(always)]
    pub(super) fn has_registers(&self) -> bool {
        !PLAIN && self.model.has_registers()
    }

    /// Something may move in a lane's registers at the end of this cycle.
    pub(super) fn stir(&mut self, router: u32, local: u32) {
        *self.state.registers.moving(router, local / 64) |= bit(local);
    }

    /// A flit has come into a lane's buffer.
    pub(super) fn buffer(&mut self, router: u32, local: u32) {
        let lane = self.number(router, local);
        self.state.registers.of(lane).buffered += 1;
        self.stir(router, local);
    }

    /// A lane's flit has crossed the switch; of a tail, `slot` is the packet.
    pub(super) fn vacate(&mut self, router: u32, local: u32, slot: Option<u32>) {
        let lane = self.number(router, local);
        let stages = self.state.registers.of(lane);
        stages.switch = false;
        // A packet that has come round to behind its own tail enters before that has left.
        let is_last = (stages.routing, stages.allocation) == (Held::Nothing, Held::Nothing);
        if slot == Some(stages.entered) && is_last {
            stages.entered = NOWHERE;
        }
        self.stir(router, local);
    }

    /// Computes the route of the head in a lane's first register. What the lane itself knows is of a packet before it.
    pub(super) fn route_ahead(&mut self, router: u32, local: u32) {
        let lane = self.number(router, local);
        let stages = self.state.registers.of(lane);
        let (Held::Head, slot) = (stages.routing, stages.entered) else {
            return;
        };
        let before = *self.state.storage.lane(router, local);
        self.state.storage.lane_mut(router, local).asked = Lane::WAITS;
        self.route_packet(router, local, slot);
        let here = self.state.storage.lane_mut(router, local);
        let route = Route::of(here);
        *here = before;
        if self.totals.lost.is_none() {
            self.state.registers.of(lane).routing = Held::Routed;
            self.state.registers.routes(lane)[0] = route;
        }
    }

    /// At the end of a cycle: what can go to the next register does.
    #[inline(never)]
    pub(super) fn advance_registers(&mut self, router: u32) {
        for word in 0..self.words() {
            let moving = std::mem::take(self.state.registers.moving(router, word));
            for_bits!(position in moving, {
                self.advance_lane(router, word * 64 + position);
            });
        }
    }

    fn advance_lane(&mut self, router: u32, local: u32) {
        let number = self.number(router, local);
        let holds_channel = self.state.storage.lane(router, local).out != NOWHERE;
        let stages = self.state.registers.of(number);
        let mut moved = false;
        if !stages.switch {
            let goes_on = match stages.allocation {
                Held::Body => true,
                Held::Routed => stages.competes && holds_channel,
                Held::Nothing | Held::Head => false,
            };
            if goes_on {
                stages.allocation = Held::Nothing;
                (stages.switch, stages.competes) = (true, false);
                moved = true;
            }
        }
        let mut turns = false;
        if stages.allocation == Held::Nothing && matches!(stages.routing, Held::Body | Held::Routed)
        {
            turns = stages.routing == Held::Routed;
            stages.allocation = std::mem::replace(&mut stages.routing, Held::Nothing);
            moved = true;
        }
        let enters = stages.routing == Held::Nothing && stages.buffered > 0;
        let competes = stages.allocation == Held::Routed && !stages.switch && !stages.competes;
        stages.competes |= competes;
        let at_switch = stages.switch;
        if turns {
            let routes = self.state.registers.routes(number);
            routes[1] = routes[0];
        }
        if competes {
            let route = self.state.registers.routes(number)[1];
            route.apply(self.state.storage.lane_mut(router, local));
            self.forget_what_it_may_take(router, local);
            let masks = self.masks(router, local / 64);
            masks.heads |= bit(local);
            masks.fronts |= bit(local);
        }
        if at_switch || competes {
            self.masks(router, local / 64).flits |= bit(local);
        }
        if enters {
            self.enter(router, local);
        }
        if moved || enters || competes {
            self.stir(router, local);
        }
    }

    /// A flit goes from the buffer into the first register, and its slot is credited.
    fn enter(&mut self, router: u32, local: u32) {
        let number = self.number(router, local);
        let queue = self.wiring.queue::<ONE_WORD>(router, local);
        let stages = self.state.registers.of(number);
        stages.buffered -= 1;
        if stages.coming > 0 {
            stages.coming -= 1;
            stages.routing = Held::Body;
        } else {
            let slot = match stages.entered {
                NOWHERE => self.state.queues[queue].first,
                before => self.state.packets.get(before).next,
            };
            stages.coming = self.state.packets.get(slot).flits - 1;
            stages.entered = slot;
            stages.routing = Held::Head;
            self.masks(router, local / 64).next |= bit(local);
        }
        self.free_slot(router, local, 0);
    }
}
