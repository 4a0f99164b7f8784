//! What will happen, by cycle: a wheel for what is near, a heap for what is far.

use crate::engine::wheel::Wheel;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Something that happens in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    /// The last flit of a frame has left for a channel; of none of ours if it was a pause frame.
    Left { channel: u32, frame: u32 },
    /// A frame has come by a channel, and through the switch to its output queue if there is one.
    Came { channel: u32, frame: u32 },
    /// A channel's sender is told to pause a priority, or that it may go on.
    Paused {
        channel: u32,
        priority: u8,
        on: bool,
    },
    /// An agent's timer rings.
    Timer { terminal: u32, timer: u32 },
    /// A message that was to be created later is created, by its place among these.
    Message { terminal: u32, place: u32 },
    /// A terminal may have something to send.
    Wake { terminal: u32 },
    /// A flow's rate is raised, unless there has been another notification since.
    Raise {
        terminal: u32,
        flow: u32,
        timer: u32,
    },
}

impl Event {
    /// In which of the three parts of a cycle it happens: first what has left, then what has come, then clocks.
    pub(super) fn part(self) -> u8 {
        match self {
            Self::Left { .. } => 0,
            Self::Came { .. } | Self::Paused { .. } => 1,
            _ => 2,
        }
    }

    /// Does nothing come of it where nothing else happens?
    fn is_idle(self) -> bool {
        matches!(self, Self::Raise { .. })
    }
}

/// Cycles that the wheel reaches ahead.
const REACH: u64 = 4095;

/// Events of later cycles.
pub(super) struct Agenda {
    near: Wheel<Event>,
    far: BinaryHeap<Reverse<(u64, u64, Event)>>,
    /// Events put on the heap so far: those of one cycle come in this order.
    number: u64,
    /// Events of which something may come.
    live: u64,
}

impl Agenda {
    pub(super) fn new() -> Self {
        Self {
            near: Wheel::new(REACH),
            far: BinaryHeap::new(),
            number: 0,
            live: 0,
        }
    }

    /// Adds an event of a cycle later than `now`.
    #[inline]
    pub(super) fn push(&mut self, now: u64, at: u64, event: Event) {
        debug_assert!(at > now);
        self.live += u64::from(!event.is_idle());
        if at - now < REACH {
            self.near.push(at, event);
        } else {
            self.number += 1;
            self.far.push(Reverse((at, self.number, event)));
        }
    }

    /// Will anything happen of which something may come?
    pub(super) fn is_live(&self) -> bool {
        self.live > 0
    }

    /// The first cycle after `now` in which something happens.
    #[inline]
    pub(super) fn next(&self, now: u64) -> Option<u64> {
        let far = self.far.peek().map(|Reverse((at, ..))| *at);
        match (self.near.next_due(now + 1), far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
        }
    }

    /// What happens in a cycle, what was near when it was added first; give it back with [`recycle`](Self::recycle).
    #[inline]
    pub(super) fn take(&mut self, now: u64) -> Vec<Event> {
        let mut due = self.near.take(now).unwrap_or_default();
        while let Some(Reverse((at, _, event))) = self.far.peek()
            && *at == now
        {
            due.push(*event);
            self.far.pop();
        }
        self.live -= due.iter().filter(|event| !event.is_idle()).count() as u64;
        due
    }

    pub(super) fn recycle(&mut self, due: Vec<Event>) {
        self.near.recycle(due);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_and_far_events_come_in_their_cycles() {
        let mut agenda = Agenda::new();
        let wake = |terminal| Event::Wake { terminal };
        let raise = Event::Raise {
            terminal: 0,
            flow: 0,
            timer: 0,
        };
        for (at, event) in [
            (5, wake(1)),
            (1_000_000, wake(2)),
            (4096, wake(3)),
            (2_000_000, raise),
        ] {
            agenda.push(0, at, event);
        }
        let (mut now, mut found) = (0, Vec::new());
        while let Some(next) = agenda.next(now) {
            now = next;
            let due = agenda.take(now);
            found.extend(due.iter().map(|&event| (now, event)));
            agenda.recycle(due);
            if !agenda.is_live() {
                break;
            }
        }
        assert_eq!(found, [(5, wake(1)), (4096, wake(3)), (1_000_000, wake(2))]);
        assert_eq!(agenda.next(now), Some(2_000_000));
    }
}
