//! What happens when: events in the order of their times, those of one time in the order of their numbers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Something that happens; a number says in which order it came up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Event {
    pub(super) time: u64,
    pub(super) number: u64,
    pub(super) what: What,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// An operation, by its index.
    Operation(u32),
    /// What a queue, by its index, is free for.
    Queue(u32),
}

/// Events that have not happened.
#[derive(Default)]
pub(super) struct Events {
    heap: BinaryHeap<Reverse<Event>>,
    numbers: u64,
}

impl Events {
    /// Something new happens at a time.
    pub(super) fn add(&mut self, time: u64, what: What) {
        let number = self.numbers;
        self.numbers += 1;
        self.put(Event { time, number, what });
    }

    /// The same with the number that it has had.
    pub(super) fn put(&mut self, event: Event) {
        self.heap.push(Reverse(event));
    }

    pub(super) fn next(&mut self) -> Option<Event> {
        self.heap.pop().map(|Reverse(event)| event)
    }
}
