//! State of routers in which not everything takes one flit a cycle: slow channels, channels behind a crossbar that is
//! faster than they are, credits of several flits that leave an input in one cycle, and stages that work in batches.

use super::unchecked::Arena;
use super::wiring::Wiring;
use crate::model::{RouterKind, RouterModel};

/// Of all routers of a domain; what a model does not need is empty.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    /// By port, and terminals behind them: the first cycle in which the channel takes another flit. Of a
    /// slow channel behind a crossbar that is not faster, the first cycle in which a flit may set out for it.
    pub(super) free_at: Arena<u64>,
    /// Flits that may wait for an output's channel after they have crossed; `None` if it takes any number, or if
    /// one never has to wait.
    pub(super) waiting_room: Option<u32>,
    /// Are there channels that a flit occupies for several cycles?
    pub(super) is_slow: bool,
    /// By port: flits that its output puts on the channel in the measurement window. A flit that has
    /// crossed may have to wait for its turn until the window is over.
    pub(super) sent_in_window: Vec<u32>,
    /// By port: the allocation step in which flits last left its input, and when the credits for them leave.
    credits: Vec<(u64, u64)>,
    /// By router: when route computation, and traversal, have done what they have taken up.
    routing: Vec<u64>,
    crossing: Vec<u64>,
}

impl Pace {
    pub(super) fn new(wiring: &Wiring, model: &RouterModel) -> Self {
        let (ports, routers) = (wiring.ports as usize, wiring.routers.len());
        let is_slow = wiring.slowest() > 1;
        let waiting_room = match (model.kind, model.outruns_channels()) {
            (RouterKind::InputOutputQueued, _) => None,
            (RouterKind::InputQueued, true) => model.output_buffer_flits,
            (RouterKind::InputQueued, false) => is_slow.then_some(0),
        };
        let if_needed = |needed: bool, count: usize| if needed { count } else { 0 };
        Self {
            free_at: Arena::new(vec![
                0;
                if_needed(
                    is_slow || model.outruns_channels(),
                    ports + wiring.terminals()
                )
            ]),
            waiting_room,
            is_slow,
            sent_in_window: vec![0; if_needed(model.waits_behind_crossbar(), ports)],
            credits: vec![(u64::MAX, 0); if_needed(model.speedup_permille > 1000, ports)],
            routing: vec![0; if_needed(model.routes_in_batches(), routers)],
            crossing: vec![0; if_needed(model.crosses_in_batches(), routers)],
        }
    }

    /// Is there any channel that does not take a flit in this cycle, because it has one?
    pub(super) fn is_taken(&self, now: u64) -> bool {
        self.free_at.iter().any(|&free| free > now)
    }

    /// Does the channel of a port, or of a terminal behind them, take a flit in this cycle?
    #[inline(always)]
    pub(super) fn is_free(&self, port: u32, now: u64) -> bool {
        !self.is_slow || self.free_at[port] <= now
    }

    /// When a credit leaves for a flit that leaves a port's input in step `index` of cycle `now`.
    ///
    /// A credit channel carries one message a cycle, for all flits of one step.
    #[inline(always)]
    pub(super) fn credit_leaves(&mut self, port: u32, now: u64, index: u32) -> u64 {
        let Some((step, leaves)) = self.credits.get_mut(port as usize) else {
            return now;
        };
        let this = now << 8 | u64::from(index);
        if *step != this {
            // The time kept is one too many, so that it can be zero.
            *leaves = now.max(*leaves) + 1;
            *step = this;
        }
        *leaves - 1
    }

    /// When route computation of `delay` cycles is done that begins in cycle `now` if it can.
    #[inline(always)]
    pub(super) fn routed(&mut self, router: u32, now: u64, delay: u64) -> u64 {
        match self.routing.get_mut(router as usize) {
            Some(end) => join(end, now, delay),
            None => now + delay,
        }
    }

    /// The same of traversal.
    #[inline(always)]
    pub(super) fn crossed(&mut self, router: u32, now: u64, delay: u64) -> u64 {
        match self.crossing.get_mut(router as usize) {
            // It begins in the cycle after the switch was won, and its last cycle counts as over.
            Some(end) => join(end, now + 1, delay) - 1,
            None => now + delay,
        }
    }
}

/// Joins the batch that begins in cycle `now`, or the next one if another is under way: when it is done.
fn join(end: &mut u64, now: u64, delay: u64) -> u64 {
    if now >= *end {
        *end = now + delay;
    } else if now > *end - delay {
        *end += delay;
    }
    *end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_takes_up_what_waits_when_it_begins() {
        let mut end = 0;
        let mut done = |now| join(&mut end, now, 3);
        // The first batch begins at 0; 1 and 2 wait for the one at 3, and so does what comes then.
        assert_eq!([0, 0, 1, 2, 3].map(&mut done), [3, 3, 6, 6, 6]);
        assert_eq!([4, 6, 7, 8].map(&mut done), [9, 9, 12, 12]);
        assert_eq!([20, 20, 21].map(&mut done), [23, 23, 26]);
    }

    #[test]
    fn one_credit_message_a_cycle() {
        let mut pace = Pace {
            free_at: Arena::default(),
            waiting_room: None,
            is_slow: false,
            sent_in_window: Vec::new(),
            credits: vec![(u64::MAX, 0); 2],
            routing: Vec::new(),
            crossing: Vec::new(),
        };
        let leaves = [(0, 0), (0, 0), (0, 1), (1, 0), (5, 1), (5, 1)];
        let leaves = leaves.map(|(now, index)| pace.credit_leaves(1, now, index));
        assert_eq!(leaves, [0, 0, 1, 2, 5, 5]);
        assert_eq!(pace.credit_leaves(0, 0, 1), 0);
        assert_eq!((pace.routed(0, 7, 2), pace.crossed(0, 7, 2)), (9, 9));
    }
}
