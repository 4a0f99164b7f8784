//! What a router does in a cycle: receives flits and credits, computes routes, allocates, moves flits.
//!
//! As in BookSim2, both allocators look at the state before the step; their effects, and
//! routes computed in it, count from the next step on. Hence the order in
//! [`Domain::step`]: the switch is matched first but its winners move last. With
//! look-ahead (`routing_delay = 0`) heads compete in the step that computes their routes.
//!
//! Routers act on each other only through events at least one cycle away. So a router is
//! visited once a cycle, and only if something comes to it or is left to do there.

/// Runs a block for every set bit of a word, in ascending order, with its position.
macro_rules! for_bits {
    ($bit:ident in $word:expr, $block:block) => {
        let mut rest: u64 = $word;
        while rest != 0 {
            let $bit = rest.trailing_zeros();
            rest &= rest - 1;
            $block
        }
    };
}

mod again;
mod arrivals;
mod channels;
mod departures;
mod expanded;
mod plain;
mod registers;
mod route;
mod switch;
mod traverse;

use super::block::Masks;
use super::domain::Domain;
use super::state::Wake;
use super::tells;

/// A lane's or port's bit in its mask word.
#[inline(always)]
fn bit(local: u32) -> u64 {
    1 << (local % 64)
}

/// How many places an index is behind `last + 1`, going round. Meaningful only in comparisons.
#[inline(always)]
fn behind(index: u32, last: u32, mask: u32) -> u32 {
    index.wrapping_sub(last + 1) & mask
}

/// The first set bit after `last`, going round. At least one bit must be set.
#[inline(always)]
fn next_after(set: u64, last: u32) -> u32 {
    let later = set & (u64::MAX << (last % 64) << 1);
    if later != 0 { later } else { set }.trailing_zeros()
}

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Visits every router to which something comes, or that has something left to do.
    ///
    /// `TELLS`: [what](tells) routers tell each other. `PICKY`: at plain routers it is not enough for a head that a virtual
    /// channel is free, or heads ask again. One source, compiled once more for each.
    #[inline(never)]
    pub(super) fn visit_all<const TELLS: u8, const PICKY: bool>(&mut self) {
        let base = self.state.timeline.base(self.now);
        for group in 0..self.state.timeline.groups() {
            let first = self.state.timeline.first() + 8 * group;
            let due = self.state.timeline.take_due(self.now, first);
            for_bits!(bit in due, {
                let router = first + bit / 8;
                let busy = match ONE_WORD && PLAIN {
                    true => self.visit_plain::<TELLS, PICKY>(router, base),
                    false => self.visit(router),
                };
                if TELLS != tells::NOTHING && !PLAIN {
                    self.look_at_ports(router);
                }
                if busy {
                    self.state.timeline.visit(self.now + 1, router);
                }
            });
        }
        if TELLS != tells::NOTHING
            && self
                .signals
                .as_ref()
                .is_some_and(|signals| signals.any_reports())
        {
            self.report_all();
        }
    }

    /// A router's cycle; is anything left to do there?
    #[inline(always)]
    fn visit(&mut self, router: u32) -> bool {
        for word in 0..self.words() {
            self.receive(router, word);
        }
        let busy = self.make_steps(router);
        if !self.queues_outputs() && !self.has_registers() {
            return busy;
        }
        if self.has_registers() {
            self.advance_registers(router);
        }
        if self.queues_outputs() {
            self.send_waiting(router);
        }
        // A queue that has sent has room for a flit that could not cross in this cycle.
        self.is_busy(router)
    }

    /// Is there anything to do at a router in the next cycle, even if nothing comes there?
    pub(super) fn is_busy(&self, router: u32) -> bool {
        let next = self.now + 1;
        self.any(router, next)
            || self.queues_outputs() && self.can_send(router, next)
            || self.has_registers() && self.state.registers.any_moves(router)
    }

    /// The allocation steps of a cycle; is another one needed?
    #[inline(always)]
    fn make_steps(&mut self, router: u32) -> bool {
        for index in 0..self.steps {
            if !self.any(router, self.now) {
                return !PLAIN && self.state.pace.is_slow && self.any(router, self.now + 1);
            }
            self.step_index = index;
            self.totals.router_steps += 1;
            self.step(router);
        }
        self.any(router, self.now + 1)
    }

    /// Is there anything to do in an allocation step of cycle `at`?
    #[inline(always)]
    fn any(&self, router: u32, at: u64) -> bool {
        (0..self.words()).any(|word| match PLAIN || !self.state.pace.is_slow {
            true => self.state.storage.masks(router, word).any(),
            false => self.any_open(router, word, at),
        }) || self.state.crossbar.keeps(router)
    }

    /// The same for a mask word where lanes may wait for a slow channel. Nobody looks after them until it is
    /// free: the router is [visited](Self::occupy) then.
    #[inline(never)]
    fn any_open(&self, router: u32, word: u32, at: u64) -> bool {
        let masks = self.state.storage.masks(router, word);
        let ready = masks.ready();
        let open = match self.state.pace.waiting_room {
            Some(room) => self.with_open_outputs(router, word, ready, room, at),
            None => ready,
        };
        masks.next | masks.heads | open != 0
    }

    /// One allocation step.
    #[inline(always)]
    fn step(&mut self, router: u32) {
        let routed = self.route_waiting(router);
        let winners = self.match_switch(router);
        self.ask_again(router);
        self.allocate_channels(router);
        self.note_vain(router);
        for word in 0..self.words() {
            let routed = match ONE_WORD {
                true => routed,
                false => self.scratch.routed[word],
            };
            self.masks(router, word).heads |= routed;
        }
        if winners == 0 {
            return;
        }
        for word in 0..self.words() {
            let winners = match ONE_WORD {
                true => winners,
                false => self.scratch.winners[word],
            };
            for_bits!(bit in winners, {
                self.traverse(router, word * 64 + bit);
            });
        }
    }

    #[inline(always)]
    pub(super) fn words(&self) -> u32 {
        if ONE_WORD { 1 } else { self.wiring.words }
    }

    /// One of a router's mask words.
    #[inline(always)]
    fn masks(&mut self, router: u32, word: u32) -> &mut Masks {
        self.state.storage.masks_mut(router, word)
    }

    /// There is something to do at a router in this cycle, whatever comes there.
    fn activate(&mut self, router: u32) {
        self.state.timeline.visit(self.now, router);
    }

    /// Schedules the end of a lane's stage of several cycles. The caller has taken the lane out of `hold`.
    fn hold(&mut self, router: u32, local: u32, cycles: u32) {
        let wake = Wake {
            router,
            local,
            routed: false,
        };
        self.state.wakes.push(self.now + u64::from(cycles), wake);
    }

    /// Routes of the heads that have just come to the front: they compete from the next step
    /// on, and with look-ahead in this one.
    #[inline(always)]
    fn route_waiting(&mut self, router: u32) -> u64 {
        let look_ahead = self.model.routing_delay == 0;
        let mut routed = 0;
        for word in 0..self.words() {
            routed = 0;
            let waiting = std::mem::take(&mut self.masks(router, word).next);
            for_bits!(bit in waiting, {
                if self.has_registers() {
                    self.route_ahead(router, word * 64 + bit);
                } else if self.route(router, word * 64 + bit) {
                    routed |= 1 << bit;
                }
            });
            if look_ahead {
                self.masks(router, word).heads |= routed;
                routed = 0;
            }
            if !ONE_WORD {
                self.scratch.routed[word] = routed;
            }
        }
        routed
    }
}
