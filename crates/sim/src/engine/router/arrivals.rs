//! What comes in at the beginning of a cycle: credits, flits, and ends of long stages.

use super::super::state::{Arrival, Lane, OutVc, Wake};
use super::super::wiring::NOWHERE;
use super::{Routers, bit};

impl<const ONE_WORD: bool, const PLAIN: bool> Routers<'_, '_, ONE_WORD, PLAIN> {
    /// Everything that is due in this cycle.
    pub(in super::super) fn receive(&mut self) {
        self.receive_credits();
        self.receive_flits();
        self.receive_wakes();
    }

    fn receive_credits(&mut self) {
        let Some(due) = self.state.credits.take(self.now) else {
            return;
        };
        for &credit in &due {
            let index = credit.out();
            let out = &mut self.state.outs[index];
            out.credits += 1;
            if !PLAIN && out.owner == OutVc::DRAINING {
                if credit.is_tail() {
                    self.drained(index);
                }
            } else if out.credits == 1 && out.owner != NOWHERE {
                self.credited(index);
            }
        }
        self.state.credits.recycle(self.now, due);
    }

    /// The holder of an output virtual channel has one credit again.
    #[inline(never)]
    fn credited(&mut self, index: u32) {
        // Terminals look at their credits themselves.
        if (index as usize) < self.state.lanes.len() {
            let owner = self.state.outs[index].owner;
            self.state.want_switch(self.wiring, owner);
        }
    }

    /// An output virtual channel that waited for its last tail's credit has got it.
    #[inline(never)]
    fn drained(&mut self, index: u32) {
        self.state.outs[index].owner = NOWHERE;
        // A router's lanes and output virtual channels have the same numbers.
        let Lane { router, local, .. } = self.state.lanes[index];
        let word = self.word(router, local);
        self.state.wants[word].free |= bit(local);
        self.state.unpark(self.words(), router, index >> self.shift);
        self.state.activate(router);
    }

    fn receive_flits(&mut self) {
        let Some(due) = self.state.arrivals.take(self.now) else {
            return;
        };
        for &Arrival { lane, slot } in &due {
            let at = &mut self.state.lanes[lane];
            at.len += 1;
            if slot == Arrival::BODY {
                if at.len == 1 {
                    self.state.want_switch(self.wiring, lane);
                }
            } else if at.packets == 0 {
                at.packets = 1;
                at.slot = slot;
                self.head_arrived(lane);
            } else {
                self.state.queue(lane, slot);
            }
        }
        self.state.arrivals.recycle(self.now, due);
    }

    /// A head is alone in its lane: its route is computed in this cycle's first step.
    #[inline(always)]
    fn head_arrived(&mut self, lane: u32) {
        if !self.route(lane) {
            return;
        }
        let at = &self.state.lanes[lane];
        let (router, local) = (at.router, at.local);
        let word = self.word(router, local);
        let wants = &mut self.state.wants[word];
        if !PLAIN && self.model.routing_delay == 0 {
            wants.heads |= bit(local);
        } else {
            wants.fresh |= bit(local);
        }
        self.state.activate(router);
    }

    fn receive_wakes(&mut self) {
        let Some(due) = self.state.wakes.take(self.now) else {
            return;
        };
        for &wake in &due {
            match wake {
                Wake::Vc(lane) => self.state.want_channel(self.wiring, lane),
                Wake::Switch(lane) => {
                    self.state.lanes[lane].held = false;
                    self.state.want_switch(self.wiring, lane);
                }
            }
        }
        self.state.wakes.recycle(self.now, due);
    }
}
