//! One step of the routers: switch allocation, channel allocation, route computation, traversal.
//!
//! As in BookSim2, both allocators look at the state before the step; their effects, and
//! routes computed in it, count from the next step on. Hence the order in
//! [`Routers::step`]: the switch is matched first but its winners move last. With
//! look-ahead (`routing_delay = 0`) routes are computed before the allocators.
//!
//! A head that arrives at an empty lane is routed as it arrives, before the first step of
//! its cycle: nothing that an algorithm may look at changes in between. Its lane is `fresh`
//! until the allocators have been through.

/// Runs a block for every one of a word, ascending, with its position.
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

mod arrivals;
mod channels;
mod route;
mod switch;
mod traverse;

use super::Totals;
use super::matcher::{Matcher, Request};
use super::state::{State, Wake};
use super::unchecked::Arena;
use super::wiring::{RoomRule, RouterWiring, Wiring};
use crate::measure::Recorder;
use crate::model::RouterModel;
use turnwise_network::Routing;

/// Step `index` of `count` in this cycle, for speedups above one.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) index: u32,
    pub(super) count: u32,
}

/// What a step of any router may touch, borrowed for a cycle.
///
/// `ONE_WORD` says that no router has more than 64 lanes, `PLAIN` that the model
/// [is plain](super::is_plain): one source, compiled for the common case and for everything else.
pub(super) struct Routers<'s, 'a, const ONE_WORD: bool, const PLAIN: bool> {
    pub(super) now: u64,
    pub(super) step: Step,
    /// Logarithm of the lanes a port has, to base 2.
    pub(super) shift: u32,
    pub(super) seed: u64,
    pub(super) check: bool,
    pub(super) rule: RoomRule,
    /// All virtual channels of a port, as bits.
    pub(super) all_vcs: u32,
    /// One iteration of iSLIP: outputs grant, inputs accept, done.
    pub(super) simple: bool,
    pub(super) model: &'s RouterModel,
    pub(super) routing: &'a dyn Routing,
    pub(super) minimal: Option<super::MinimalHops<'a>>,
    pub(super) wiring: &'s Wiring,
    pub(super) state: &'s mut State,
    pub(super) recorder: &'s mut Recorder,
    pub(super) totals: &'s mut Totals,
    pub(super) scratch: &'s mut Scratch,
}

/// Lists that a step fills anew.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    /// Lanes that cross the switch in this step, a bit each.
    winners: Arena<u64>,
    /// Did the matcher choose them, and move the switch's pointers?
    matched: bool,
    /// Heads that compete for a port's virtual channels.
    contested: Arena<u64>,
    /// By output or channel: the lane it grants.
    held: [u8; 64],
    /// By lane: the channel it accepts.
    accepted: [u8; 64],
    requests: Vec<Request>,
    matches: Vec<u32>,
    matcher: Matcher,
}

impl Scratch {
    /// For routers of at most `most` lanes, in so many mask words.
    pub(super) fn new(most: usize, words: u32) -> Self {
        let words = words as usize;
        Self {
            winners: Arena::new(vec![0; words]),
            matched: false,
            contested: Arena::new(vec![0; words]),
            held: [0; 64],
            accepted: [0; 64],
            requests: Vec::new(),
            matches: Vec::new(),
            matcher: Matcher::new(most),
        }
    }
}

/// What a word of winners leaves behind, to be noted once for all of them.
#[derive(Default)]
struct Done {
    /// Lanes with nothing more to send now.
    idle: u64,
    /// Lanes with another packet at the front.
    next: u64,
    /// Output virtual channels given back.
    freed: u64,
}

/// A lane's or port's bit in its mask word.
#[inline(always)]
fn bit(local: u32) -> u64 {
    1 << (local % 64)
}

/// How far an index comes after the one behind `last`, going round; only good for comparing.
#[inline(always)]
fn behind(index: u32, last: u32, mask: u32) -> u32 {
    index.wrapping_sub(last + 1) & mask
}

/// Of these bits, the first one after `last`, going round; there is one.
#[inline(always)]
fn next_after(set: u64, last: u32) -> u32 {
    let later = set & (u64::MAX << (last % 64) << 1);
    if later != 0 { later } else { set }.trailing_zeros()
}

impl<const ONE_WORD: bool, const PLAIN: bool> Routers<'_, '_, ONE_WORD, PLAIN> {
    /// One step of every router that has something to do.
    pub(super) fn step_all(&mut self) {
        for word in 0..self.state.active.len() as u32 {
            for_bits!(bit in self.state.active[word], {
                self.totals.router_steps += 1;
                if !self.step(word * 64 + bit) {
                    self.state.active[word] &= !(1 << bit);
                }
            });
        }
    }

    /// One allocation step of a router; `false` if nothing is left to do there.
    #[inline(always)]
    fn step(&mut self, router: u32) -> bool {
        let at = self.wiring.routers[router];
        let look_ahead = !PLAIN && self.model.routing_delay == 0;
        if look_ahead {
            self.route_waiting(router, at);
        }
        let winners = self.match_switch(router, at);
        self.allocate_channels(router, at);
        if !look_ahead {
            self.route_waiting(router, at);
        }
        if winners != 0 {
            for word in 0..self.words() {
                let mut done = Done::default();
                let mut winners = match ONE_WORD {
                    true => winners,
                    false => self.scratch.winners[word],
                };
                while winners != 0 {
                    let mask = winners & winners.wrapping_neg();
                    let local = word * 64 + winners.trailing_zeros();
                    winners ^= mask;
                    self.traverse(router, at, local, mask, &mut done);
                }
                let index = router * self.words() + word;
                let wants = &mut self.state.wants[index];
                wants.ready &= !done.idle;
                wants.free |= done.freed;
                wants.route |= done.next;
            }
        }
        if ONE_WORD {
            return self.state.wants[router].any();
        }
        let first = router * self.words();
        (first..first + self.words()).any(|word| self.state.wants[word].any())
    }

    #[inline(always)]
    fn words(&self) -> u32 {
        if ONE_WORD { 1 } else { self.wiring.words }
    }

    /// Where a lane's bits are.
    #[inline(always)]
    fn word(&self, router: u32, local: u32) -> u32 {
        if ONE_WORD {
            router
        } else {
            router * self.wiring.words + local / 64
        }
    }

    /// Keeps a lane off the switch until a stage of several cycles is over.
    fn hold(&mut self, lane: u32, cycles: u32) {
        self.state.lanes[lane].held = true;
        self.state
            .wakes
            .push(self.now + u64::from(cycles), Wake::Switch(lane));
    }

    /// Routes of the heads that came to the front when the tail before them left.
    #[inline(always)]
    fn route_waiting(&mut self, router: u32, at: RouterWiring) {
        for word in 0..self.words() {
            let index = router * self.words() + word;
            let wants = &mut self.state.wants[index];
            wants.heads |= wants.fresh;
            wants.fresh = 0;
            let waiting = wants.route;
            if waiting == 0 {
                continue;
            }
            wants.route = 0;
            for_bits!(bit in waiting, {
                let lane = at.first_lane + word * 64 + bit;
                if self.route(lane) {
                    self.state.wants[index].heads |= 1 << bit;
                }
            });
        }
    }
}
