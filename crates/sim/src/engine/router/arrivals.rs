//! What comes in at the beginning of a cycle: credits, flits, and ends of long stages.

use super::super::block::OutVc;
use super::super::domain::Domain;
use super::super::wiring::NOWHERE;
use super::bit;

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Everything that comes to one mask word of a router in this cycle.
    #[inline(always)]
    pub(super) fn receive(&mut self, router: u32, word: u32) {
        let [flits, credits] = self.state.timeline.take(self.now, router, word);
        for_bits!(bit in credits, {
            self.credit(router, word * 64 + bit);
        });
        for_bits!(bit in flits, {
            self.state.storage.lane_mut(router, word * 64 + bit).stored += 1;
            if self.has_registers() {
                self.buffer(router, word * 64 + bit);
            }
        });
        if self.has_registers() {
            return;
        }
        let masks = self.masks(router, word);
        masks.next |= flits & !masks.fronts;
        masks.fronts |= flits;
        masks.flits |= flits;
    }

    /// An output virtual channel of a router gets a credit.
    #[inline(always)]
    fn credit(&mut self, router: u32, local: u32) {
        if !PLAIN && self.times {
            self.time_credit(router, local);
        }
        let out = self.state.storage.out_mut(router, local);
        out.credits += 1;
        let (credits, owner, drained) = (out.credits, out.owner, out.credits == out.depth);
        if owner == OutVc::DRAINING {
            // No other packet has used it since the tail, so this is the tail's credit.
            if drained && !self.holds_tail(router, local) {
                self.drained(router, local);
            }
        } else if owner != NOWHERE && !self.queues_outputs() && self.opens(router, local, credits) {
            self.masks(router, owner / 64).no_credit &= !bit(owner);
        }
    }

    /// With a credit that makes so many, may the holder of an output virtual channel go on?
    #[inline(always)]
    fn opens(&self, router: u32, out: u32, credits: u16) -> bool {
        match PLAIN || !self.model.whole_packets {
            true => credits == 1,
            false => self.admits_holder(router, out),
        }
    }

    /// Is the last packet that took an output virtual channel still in its output queue?
    #[inline(always)]
    fn holds_tail(&self, router: u32, out: u32) -> bool {
        self.queues_outputs() && self.state.outputs.queued(self.number(router, out)) > 0
    }

    /// An output virtual channel that waited for its last tail's credit has got it.
    #[inline(never)]
    fn drained(&mut self, router: u32, local: u32) {
        self.state.storage.out_mut(router, local).owner = NOWHERE;
        self.masks(router, local / 64).free |= bit(local);
        self.state
            .storage
            .unpark(router, local >> self.wiring.shift);
    }

    /// Credits and flits that the timeline could not hold.
    pub(in super::super) fn receive_others(&mut self) {
        self.receive_crossed();
        if let Some(due) = self.state.late_flits.take(self.now) {
            for &(router, lane) in &due {
                self.state.timeline.flit(self.now, router, lane);
            }
            self.state.late_flits.recycle(due);
        }
        let Some(due) = self.state.further_credits.take(self.now) else {
            return;
        };
        for &(router, local) in &due {
            self.credit(router, local);
            self.activate(router);
        }
        self.state.further_credits.recycle(due);
    }

    /// Lanes whose stage of several cycles is over.
    pub(in super::super) fn receive_wakes(&mut self) {
        let Some(due) = self.state.wakes.take(self.now) else {
            return;
        };
        for &wake in &due {
            let masks = self.masks(wake.router, wake.local / 64);
            if wake.routed {
                masks.heads |= bit(wake.local);
            } else {
                masks.hold |= bit(wake.local);
            }
            self.activate(wake.router);
        }
        self.state.wakes.recycle(due);
    }
}
