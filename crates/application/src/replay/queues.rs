//! Operations that wait until something of their host is free.
//!
//! An operation that finds a processor or an interface busy comes again when it is free, and may find it taken then, by
//! one that came up before it. So of those who wait for the same, only the first need come again: the
//! others would find it busy. That makes a thousand that wait cost as much as a thousand that do not.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Operations that wait for the same.
#[derive(Default)]
pub(super) struct Queue {
    waiting: BinaryHeap<Reverse<(u64, u32)>>,
    /// Time and number of the event by which the first of them comes again.
    pub(super) due: Option<(u64, u64)>,
}

impl Queue {
    /// An operation with its number waits.
    pub(super) fn add(&mut self, number: u64, operation: u32) {
        self.waiting.push(Reverse((number, operation)));
    }

    /// The number of the one that came up first.
    pub(super) fn first(&self) -> Option<u64> {
        self.waiting.peek().map(|Reverse((number, _))| *number)
    }

    /// Takes that one.
    pub(super) fn take(&mut self) -> Option<(u64, u32)> {
        self.waiting.pop().map(|Reverse(first)| first)
    }
}
