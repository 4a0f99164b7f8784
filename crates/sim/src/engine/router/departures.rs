//! Input/output-queued routers: from the crossbar into an output queue, and from there onto the channel.

use super::super::block::OutVc;
use super::super::domain::Domain;
use super::super::outputs::Flit;
use super::super::wiring::{NOWHERE, RouterWiring};
use super::{bit, next_after};
use crate::model::RouterKind;

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Do flits wait for credits behind the crossbar?
    #[inline(always)]
    pub(in super::super) fn queues_outputs(&self) -> bool {
        !PLAIN && self.model.kind == RouterKind::InputOutputQueued
    }

    /// Could an output virtual channel take a flit now, as far as an input sees it?
    #[inline(always)]
    pub(super) fn takes_flits(&self, router: u32, out: u32) -> bool {
        match self.queues_outputs() {
            true => self.state.outputs.has_room(self.number(router, out)),
            false => self.state.storage.out(router, out).credits > 0,
        }
    }

    /// May the packet that holds an output virtual channel send its next flit? A head that must find room for
    /// its whole packet needs that.
    pub(in super::super) fn admits_holder(&self, router: u32, out: u32) -> bool {
        let owner = self.state.storage.out(router, out).owner;
        let lane = self.state.storage.lane(router, owner);
        let flits = self.state.packets.get(lane.slot).flits;
        let needed = match lane.left == flits {
            true => flits.into(),
            false => 1,
        };
        let room = match self.queues_outputs() {
            true => self.state.outputs.room(self.number(router, out)),
            false => self.state.storage.out(router, out).credits.into(),
        };
        room >= needed
    }

    /// Free slots behind an output virtual channel that no flit in the output queue will need.
    ///
    /// Flits in the output queue have no credit yet but will take one each. A packet that finds room for
    /// its whole length beyond them can always leave its queue. Virtual cut-through and the bubble rule
    /// require this.
    #[inline(always)]
    pub(in super::super) fn room(&self, router: u32, out: u32) -> u32 {
        let credits = u32::from(self.state.storage.out(router, out).credits);
        match self.queues_outputs() {
            true => credits.saturating_sub(self.state.outputs.queued(self.number(router, out))),
            false => credits,
        }
    }

    /// A flit of a lane crosses the switch into an output queue; `tail` is its packet if it is the last one.
    pub(super) fn enqueue(&mut self, router: u32, local: u32, out: u32, tail: Option<u32>) {
        let queue = self.number(router, out);
        let flit = match tail {
            Some(slot) => Flit::Tail(slot),
            None if self.model.whole_packets && !self.state.outputs.follows(queue) => {
                let slot = self.state.storage.lane(router, local).slot;
                Flit::Head(self.state.packets.get(slot).flits)
            }
            None => Flit::Body,
        };
        self.state.outputs.push(queue, flit);
        if !self.state.outputs.has_room(queue) {
            self.masks(router, local / 64).no_credit |= bit(local);
        }
        match self.crossing() {
            0 => self.state.outputs.land(self.wiring, router, out),
            cycles => {
                let crossed = self.now + cycles;
                self.state.outputs.crossing.push(crossed, (router, out));
            }
        }
    }

    /// Cycles until a flit that wins the switch now has crossed it.
    #[inline(always)]
    pub(super) fn crossing(&self) -> u64 {
        // An earlier step of the same cycle saves one cycle of traversal.
        let early = self.step_index + 1 < self.steps && self.model.switch_traversal_delay > 0;
        u64::from(self.model.crossing()) - u64::from(early)
    }

    /// Flits whose crossing is over.
    pub(super) fn receive_crossed(&mut self) {
        let Some(due) = self.state.outputs.crossing.take(self.now) else {
            return;
        };
        for &(router, out) in &due {
            self.state.outputs.land(self.wiring, router, out);
            self.activate(router);
        }
        self.state.outputs.crossing.recycle(due);
    }

    /// Lets every output of a router send a flit for which it has a credit, its virtual channels in turn.
    #[inline(never)]
    pub(super) fn send_waiting(&mut self, router: u32) {
        let shift = self.wiring.shift;
        let RouterWiring {
            first_port,
            first_lane,
            ..
        } = self.wiring.routers[router];
        for word in 0..self.words() {
            let mut able = self.able(router, word, self.now);
            while able != 0 {
                let port = (word * 64 + able.trailing_zeros()) >> shift;
                // The virtual channels of a port are in one word.
                let first = port << shift;
                let of_port = (u64::MAX >> (64 - (1 << shift))) << (first % 64);
                let turn = self.state.outputs.turn_mut(first_port + port);
                let last = *turn;
                let able_vcs = (able & of_port) >> (first % 64);
                let goes_on = self.model.lock_outputs
                    && able_vcs >> last & 1 == 1
                    && self.state.outputs.is_under_way(first_lane + first + last);
                let vc = match goes_on {
                    true => last,
                    false => next_after(able_vcs, last),
                };
                *self.state.outputs.turn_mut(first_port + port) = vc;
                self.send(router, port, first + vc);
                able &= !of_port;
            }
        }
    }

    /// Has a router a flit in an output queue, a credit for it, and in cycle `at` a channel that takes it?
    pub(super) fn can_send(&self, router: u32, at: u64) -> bool {
        (0..self.words()).any(|word| self.able(router, word, at) != 0)
    }

    /// Output virtual channels of a mask word that have a flit, a credit for it, and in cycle `at` a channel
    /// that takes it.
    fn able(&self, router: u32, word: u32, at: u64) -> u64 {
        let RouterWiring {
            first_port,
            first_lane,
            ..
        } = self.wiring.routers[router];
        let mut able = 0;
        for_bits!(position in self.state.outputs.waiting(self.wiring, router, word), {
            let out = word * 64 + position;
            let credits = self.state.storage.out(router, out).credits;
            let free = self.state.pace.is_free(first_port + (out >> self.wiring.shift), at);
            let enough = credits >= self.state.outputs.needed(first_lane + out);
            able |= u64::from(enough && free) << position;
        });
        able
    }

    /// A flit leaves its output queue, which has room for another one from the next step on.
    fn send(&mut self, router: u32, port: u32, out: u32) {
        let tail = self.state.outputs.pop(self.wiring, router, out);
        let storage = &mut self.state.storage;
        let at = storage.port_mut(router, port);
        at.sent = at.sent.wrapping_add(1);
        let delay = at.delay;
        let out_vc = storage.out_mut(router, out);
        out_vc.credits -= 1;
        let owner = out_vc.owner;
        let has_holder = owner != NOWHERE && owner != OutVc::DRAINING;
        if has_holder && (!self.model.whole_packets || self.admits_holder(router, out)) {
            self.masks(router, owner / 64).no_credit &= !bit(owner);
        }
        if self.state.pace.is_slow {
            self.occupy(router, port, self.now);
        }
        let arrives = self.now + u64::from(delay - self.model.crossing());
        self.travel(router, port, out, tail, arrives);
        self.totals.last_progress = self.now;
    }
}
