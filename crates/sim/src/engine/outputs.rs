//! The output queues of input/output-queued routers: one for each virtual channel of each output.
//!
//! A flit has its place in a queue from the moment it wins the switch, so that one which crosses
//! always finds room, and waits there for a credit and its turn at the channel.
//! Routers of the other kind have no such queues, and nothing here is allocated for them.

use super::extent::Extent;
use super::unchecked::Part;
use super::wheel::Wheel;
use super::wiring::Wiring;
use crate::model::RouterModel;
use std::ops::Range;

/// A flit in an output queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flit {
    /// The first of a packet of so many flits that leaves only when there is room behind for all of them.
    Head(u16),
    /// One that waits for nothing but a credit.
    Body,
    /// The last one of this packet, whether or not it is the first as well.
    Tail(u32),
}

impl Flit {
    const HEAD: u32 = 1 << 31;

    /// In one word, because queues are many and mostly short.
    #[inline]
    fn word(self) -> u32 {
        match self {
            Self::Head(flits) => Self::HEAD | u32::from(flits),
            Self::Body => Self::HEAD,
            Self::Tail(slot) => slot,
        }
    }

    #[inline]
    fn of(word: u32) -> Self {
        match (word & Self::HEAD, word as u16) {
            (0, _) => Self::Tail(word),
            (_, 0) => Self::Body,
            (_, flits) => Self::Head(flits),
        }
    }

    /// Credits that it needs to leave.
    #[inline]
    fn needs(self) -> u16 {
        match self {
            Self::Head(flits) => flits,
            Self::Body | Self::Tail(_) => 1,
        }
    }
}

/// The flits behind the crossbar, or inside it, for one output virtual channel: what is looked at in every cycle.
#[derive(Clone, Copy, Debug)]
struct Queue {
    /// Where the first one is in the queue's ring.
    first: u16,
    /// Those that have won the switch and not left.
    queued: u16,
    /// How many of them have crossed.
    waiting: u16,
    /// Credits that the first one needs; 1 if there is none.
    needed: u16,
    /// Have some of a packet's flits begun to cross, and others not?
    coming: bool,
    /// Have some of a packet's flits left, and others not?
    under_way: bool,
}

impl Queue {
    const EMPTY: Self = Self {
        first: 0,
        queued: 0,
        waiting: 0,
        needed: 1,
        coming: false,
        under_way: false,
    };
}

/// All output queues of a domain, by the numbers of output virtual channels among all.
#[derive(Clone, Debug)]
pub(super) struct OutputQueues {
    queues: Part<Queue>,
    /// The flits of each, in a ring of `limit` words.
    rings: Vec<u32>,
    /// Flits of one queue, at most.
    limit: u32,
    /// By router and mask word: queues with a flit that has crossed.
    waiting: Part<u64>,
    /// By port: the virtual channel that sent last.
    turns: Part<u32>,
    /// Flits inside a crossbar: router, output virtual channel.
    pub(super) crossing: Wheel<(u32, u32)>,
}

impl OutputQueues {
    /// Empty queues, if the model has any.
    pub(super) fn new(wiring: &Wiring, model: &RouterModel, extent: &Extent) -> Self {
        let limit = model.output_queue_flits();
        let if_any = |numbers: Range<u32>| if limit.is_some() { numbers } else { 0..0 };
        let limit = limit.unwrap_or(0);
        let lanes = if_any(extent.lanes.clone());
        Self {
            rings: vec![0; lanes.len() * limit as usize],
            queues: Part::filled(lanes, Queue::EMPTY),
            limit,
            waiting: Part::filled(if_any(Extent::words(&extent.routers, wiring)), 0),
            turns: Part::filled(if_any(extent.ports.clone()), wiring.stride - 1),
            crossing: Wheel::new(model.crossing().into()),
        }
    }

    /// Flits that have won the switch and not left the router.
    #[inline]
    pub(super) fn queued(&self, out: u32) -> u32 {
        match self.queues.get(out) {
            Some(queue) => queue.queued.into(),
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

    /// Credits that the first flit of a queue needs.
    #[inline]
    pub(super) fn needed(&self, out: u32) -> u16 {
        self.queues[out].needed
    }

    /// Can the first flit of a queue leave with so many credits?
    pub(super) fn flows(&self, out: u32, credits: u16) -> bool {
        self.queued(out) > 0 && credits >= self.needed(out)
    }

    /// Have some of a packet's flits left a queue, and others not?
    pub(super) fn is_under_way(&self, out: u32) -> bool {
        self.queues[out].under_way
    }

    /// Is the next flit that begins to cross one that follows its head?
    #[inline]
    pub(super) fn follows(&self, out: u32) -> bool {
        self.queues[out].coming
    }

    /// A place of a queue's ring, so many behind its first flit.
    #[inline]
    fn place(&self, out: u32, behind: u16) -> usize {
        let place = u32::from(self.queues[out].first) + u32::from(behind);
        let place = match place < self.limit {
            true => place,
            false => place - self.limit,
        };
        (out - self.queues.numbers().start) as usize * self.limit as usize + place as usize
    }

    /// A flit begins to cross.
    #[inline]
    pub(super) fn push(&mut self, out: u32, flit: Flit) {
        let queued = self.queues[out].queued;
        let place = self.place(out, queued);
        self.rings[place] = flit.word();
        let queue = &mut self.queues[out];
        queue.queued += 1;
        queue.coming = !matches!(flit, Flit::Tail(_));
        if queued == 0 {
            queue.needed = flit.needs();
        }
    }

    /// A flit has crossed.
    pub(super) fn land(&mut self, wiring: &Wiring, router: u32, local: u32) {
        let at = wiring.routers[router];
        self.queues[at.first_lane + local].waiting += 1;
        self.waiting[router * wiring.words + local / 64] |= 1 << (local % 64);
    }

    /// Queues in one of a router's mask words with a flit that has crossed.
    pub(super) fn waiting(&self, wiring: &Wiring, router: u32, word: u32) -> u64 {
        self.waiting[router * wiring.words + word]
    }

    /// The virtual channel of a port that sent last.
    pub(super) fn turn_mut(&mut self, port: u32) -> &mut u32 {
        &mut self.turns[port]
    }

    /// Takes the first flit out of a queue that has one waiting; its packet if it is a tail.
    #[inline]
    pub(super) fn pop(&mut self, wiring: &Wiring, router: u32, local: u32) -> Option<u32> {
        let out = wiring.routers[router].first_lane + local;
        let flit = Flit::of(self.rings[self.place(out, 0)]);
        let next = self.rings[self.place(out, 1)];
        let limit = self.limit;
        let queue = &mut self.queues[out];
        queue.first += 1;
        if u32::from(queue.first) == limit {
            queue.first = 0;
        }
        queue.queued -= 1;
        queue.waiting -= 1;
        queue.needed = match queue.queued {
            0 => 1,
            _ => Flit::of(next).needs(),
        };
        if queue.waiting == 0 {
            self.waiting[router * wiring.words + local / 64] &= !(1 << (local % 64));
        }
        let tail = match flit {
            Flit::Tail(slot) => Some(slot),
            Flit::Head(_) | Flit::Body => None,
        };
        queue.under_way = tail.is_none();
        tail
    }

    /// The flits in all queues; or the first queue that holds too many or has lost count.
    pub(super) fn audit(&self, wiring: &Wiring) -> Result<u64, String> {
        let mut crossing = vec![0; self.queues.numbers().end as usize];
        for &(router, local) in self.crossing.iter() {
            crossing[(wiring.routers[router].first_lane + local) as usize] += 1;
        }
        let mut flits = 0;
        for (out, queue) in self.queues.numbered() {
            let crossing = crossing[out as usize];
            let (router, local) = wiring.place(out);
            let marked = self.waiting(wiring, router, local / 64) >> (local % 64) & 1 == 1;
            let held = u32::from(queue.queued);
            if held > self.limit
                || held != u32::from(queue.waiting) + crossing
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

/// Bytes of an output queue for so many flits.
pub(super) fn bytes(limit: u32) -> u64 {
    size_of::<Queue>() as u64 + u64::from(limit) * size_of::<u32>() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RouterKind;
    use proptest::prelude::*;
    use std::collections::VecDeque;
    use turnwise_network::topologies::{Mesh, Topology};

    /// Output virtual channel 1 of router 1, among all.
    const AT: (u32, u32) = (1, 1);

    fn queues(limit: u32) -> (Wiring, OutputQueues) {
        let model = RouterModel {
            kind: RouterKind::InputOutputQueued,
            virtual_channels: 2,
            output_buffer_flits: Some(limit),
            ..RouterModel::default()
        };
        let wiring = Wiring::new(&Mesh::default().build(None).unwrap(), &model);
        let queues = OutputQueues::new(&wiring, &model, &Extent::whole(&wiring));
        (wiring, queues)
    }

    /// What crosses, in order: packets of so many flits.
    fn crossing(packets: &[u16]) -> impl Iterator<Item = Flit> {
        let packets = packets.iter().zip(0..);
        packets.flat_map(|(&flits, slot)| {
            (1..=flits).map(move |flit| match flit {
                flit if flit == flits => Flit::Tail(slot),
                1 => Flit::Head(flits),
                _ => Flit::Body,
            })
        })
    }

    proptest! {
        /// A ring is a queue, however often it goes round.
        #[test]
        fn flits_leave_as_they_crossed(
            limit in 1u32..6,
            packets in proptest::collection::vec(1u16..5, 1..12),
            pushes in proptest::collection::vec(any::<bool>(), 0..80),
        ) {
            let (wiring, mut queues) = queues(limit);
            let (router, local) = AT;
            let out = wiring.routers[router].first_lane + local;
            let (mut flits, mut expected) = (crossing(&packets), VecDeque::new());
            for push in pushes {
                if push && queues.has_room(out) {
                    let Some(flit) = flits.next() else { break };
                    prop_assert!((expected.len() as u32) < limit);
                    queues.push(out, flit);
                    queues.land(&wiring, router, local);
                    expected.push_back(flit);
                    prop_assert_eq!(queues.follows(out), !matches!(flit, Flit::Tail(_)));
                } else if let Some(flit) = expected.pop_front() {
                    prop_assert_eq!(queues.needed(out), flit.needs());
                    let tail = queues.pop(&wiring, router, local);
                    let is_tail = match flit {
                        Flit::Tail(slot) => Some(slot),
                        Flit::Head(_) | Flit::Body => None,
                    };
                    prop_assert_eq!(tail, is_tail);
                    prop_assert_eq!(queues.is_under_way(out), tail.is_none());
                }
                prop_assert_eq!(queues.room(out), limit - expected.len() as u32);
                prop_assert_eq!(queues.audit(&wiring), Ok(expected.len() as u64));
            }
        }
    }

    #[test]
    fn a_word_is_one_flit() {
        for flit in [
            Flit::Head(2),
            Flit::Head(u16::MAX),
            Flit::Body,
            Flit::Tail(0),
            Flit::Tail(Flit::HEAD - 1),
        ] {
            assert_eq!(Flit::of(flit.word()), flit);
        }
    }
}
