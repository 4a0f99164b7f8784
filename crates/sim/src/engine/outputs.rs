//! The output queues of input/output-queued routers: one for each virtual channel of each output.
//!
//! A flit has its place in a queue from the moment it wins the switch, so that one which crosses
//! always finds room, and waits there for a credit and its turn at the channel.
//! Routers of the other kind have no such queues, and nothing here is allocated for them.

use super::wheel::Wheel;
use super::wiring::{NOWHERE, Wiring};
use crate::model::RouterModel;
use std::collections::VecDeque;

/// The flits behind the crossbar, or inside it, for one output virtual channel.
#[derive(Clone, Debug, Default)]
struct Queue {
    /// Of each flit, in order: its packet if it is a tail, [`NOWHERE`] otherwise.
    flits: VecDeque<u32>,
    /// How many of them have crossed.
    waiting: u32,
    /// Have some of a packet's flits left, and others not?
    under_way: bool,
    /// Lengths of the packets whose heads are in the queue, if heads wait until their whole packets may leave.
    lengths: VecDeque<u16>,
}

/// All output queues of a domain, by the numbers of output virtual channels among all.
#[derive(Clone, Debug)]
pub(super) struct OutputQueues {
    queues: Vec<Queue>,
    /// Flits of one queue, at most.
    limit: u32,
    /// By router and mask word: queues with a flit that has crossed.
    waiting: Vec<u64>,
    /// By port: the virtual channel that sent last.
    turns: Vec<u32>,
    /// Flits inside a crossbar: router, output virtual channel.
    pub(super) crossing: Wheel<(u32, u32)>,
}

impl OutputQueues {
    /// Empty queues, if the model has any.
    pub(super) fn new(wiring: &Wiring, model: &RouterModel) -> Self {
        let (limit, all) = match model.output_queue_flits() {
            Some(limit) => (limit, 1),
            None => (0, 0),
        };
        Self {
            queues: vec![Queue::default(); all * wiring.lanes()],
            limit,
            waiting: vec![0; all * wiring.routers.len() * wiring.words as usize],
            turns: vec![wiring.stride - 1; all * wiring.ports as usize],
            crossing: Wheel::new(model.crossing().into()),
        }
    }

    /// Flits that have won the switch and not left the router.
    #[inline]
    pub(super) fn queued(&self, out: u32) -> u32 {
        match self.queues.get(out as usize) {
            Some(queue) => queue.flits.len() as u32,
            None => 0,
        }
    }

    /// May another flit cross?
    #[inline]
    pub(super) fn has_room(&self, out: u32) -> bool {
        self.queued(out) < self.limit
    }

    /// Flits that may still begin to cross.
    #[inline]
    pub(super) fn room(&self, out: u32) -> u32 {
        self.limit - self.queued(out)
    }

    /// The flit that began to cross last is the head of a packet of so many flits.
    pub(super) fn push_length(&mut self, out: u32, flits: u16) {
        self.queues[out as usize].lengths.push_back(flits);
    }

    /// Credits that the first flit of a queue needs if heads wait until their whole packets may leave.
    pub(super) fn needed(&self, out: u32) -> u16 {
        let queue = &self.queues[out as usize];
        match queue.under_way {
            true => 1,
            false => queue.lengths.front().copied().unwrap_or(1),
        }
    }

    /// Can the first flit of a queue leave with so many credits, if heads wait until their whole packets may leave?
    pub(super) fn flows(&self, out: u32, credits: u16) -> bool {
        self.queued(out) > 0 && credits >= self.needed(out)
    }

    /// Have some of a packet's flits left a queue, and others not?
    pub(super) fn is_under_way(&self, out: u32) -> bool {
        self.queues[out as usize].under_way
    }

    /// A flit begins to cross; `tail` is its packet if it is the last one.
    pub(super) fn push(&mut self, out: u32, tail: Option<u32>) {
        self.queues[out as usize]
            .flits
            .push_back(tail.unwrap_or(NOWHERE));
    }

    /// A flit has crossed.
    pub(super) fn land(&mut self, wiring: &Wiring, router: u32, local: u32) {
        let at = wiring.routers[router];
        self.queues[(at.first_lane + local) as usize].waiting += 1;
        self.waiting[(router * wiring.words + local / 64) as usize] |= 1 << (local % 64);
    }

    /// Queues in one of a router's mask words with a flit that has crossed.
    pub(super) fn waiting(&self, wiring: &Wiring, router: u32, word: u32) -> u64 {
        self.waiting[(router * wiring.words + word) as usize]
    }

    /// The virtual channel of a port that sent last.
    pub(super) fn turn_mut(&mut self, port: u32) -> &mut u32 {
        &mut self.turns[port as usize]
    }

    /// Takes the first flit out of a queue that has one waiting; its packet if it is a tail.
    pub(super) fn pop(&mut self, wiring: &Wiring, router: u32, local: u32) -> Option<u32> {
        let at = wiring.routers[router];
        let queue = &mut self.queues[(at.first_lane + local) as usize];
        queue.waiting -= 1;
        if queue.waiting == 0 {
            self.waiting[(router * wiring.words + local / 64) as usize] &= !(1 << (local % 64));
        }
        if !queue.under_way {
            queue.lengths.pop_front();
        }
        let tail = queue.flits.pop_front().filter(|&slot| slot != NOWHERE);
        queue.under_way = tail.is_none();
        tail
    }

    /// The flits in all queues; or the first queue that holds too many or has lost count.
    pub(super) fn audit(&self, wiring: &Wiring) -> Result<u64, String> {
        let mut crossing = vec![0; self.queues.len()];
        for &(router, local) in self.crossing.iter() {
            crossing[(wiring.routers[router].first_lane + local) as usize] += 1;
        }
        let mut flits = 0;
        for (out, (queue, crossing)) in self.queues.iter().zip(crossing).enumerate() {
            let (router, local) = wiring.place(out as u32);
            let marked = self.waiting(wiring, router, local / 64) >> (local % 64) & 1 == 1;
            let held = queue.flits.len() as u32;
            if held > self.limit
                || held != queue.waiting + crossing
                || marked != (queue.waiting > 0)
            {
                return Err(format!(
                    "output queue {out} of {} flits holds {held}: {} wait, {crossing} cross, marked: {marked}",
                    self.limit, queue.waiting
                ));
            }
            flits += u64::from(held);
        }
        Ok(flits)
    }
}
