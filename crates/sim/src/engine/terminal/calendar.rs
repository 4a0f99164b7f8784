//! What is due some day: a wheel for what is near, a list in order for what is far.

use super::super::wheel::Wheel;
use std::collections::BTreeMap;

/// Cycles that a wheel goes round in.
const ROUND: u64 = 1_024;

/// Events that are due in any later cycle. Those of the same cycle come out in the order in which they went in.
///
/// Nothing is looked at before it is due, so that time in which terminals wait costs nothing. O(1) for an event that is near, O(log of the
/// events that are far) otherwise.
pub(in super::super) struct Calendar<T> {
    near: Wheel<T>,
    /// By cycle, then by number.
    far: BTreeMap<(u64, u64), T>,
    /// Far events so far.
    count: u64,
    /// Events of the cycle that is being looked at; kept to be filled again.
    today: Vec<T>,
}

impl<T> Calendar<T> {
    pub(in super::super) fn new() -> Self {
        Self {
            near: Wheel::new(ROUND - 1),
            far: BTreeMap::new(),
            count: 0,
            today: Vec::new(),
        }
    }

    /// Adds an event that is due in cycle `at`, in cycle `now`.
    pub(in super::super) fn push(&mut self, now: u64, at: u64, event: T) {
        if at - now < ROUND {
            return self.near.push(at, event);
        }
        self.far.insert((at, self.count), event);
        self.count += 1;
    }

    /// Takes everything that is due in a cycle; give the vector back with [`recycle`](Self::recycle).
    pub(in super::super) fn take(&mut self, now: u64) -> Option<Vec<T>> {
        let is_due = |far: &BTreeMap<(u64, u64), T>| {
            far.first_key_value().is_some_and(|(&(at, _), _)| at <= now)
        };
        if !is_due(&self.far) {
            return self.near.take(now);
        }
        let mut today = std::mem::take(&mut self.today);
        // What was far when it was added was added before what was near.
        while is_due(&self.far) {
            today.extend(self.far.pop_first().map(|(_, event)| event));
        }
        if let Some(mut near) = self.near.take(now) {
            today.append(&mut near);
            self.near.recycle(near);
        }
        Some(today)
    }

    pub(in super::super) fn recycle(&mut self, mut today: Vec<T>) {
        today.clear();
        match self.today.capacity() {
            0 => self.today = today,
            _ => self.near.recycle(today),
        }
    }

    /// Every event, in no particular order.
    pub(in super::super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.near.iter().chain(self.far.values())
    }

    /// The first cycle from `now` on in which something is due.
    pub(in super::super) fn next_due(&self, now: u64) -> Option<u64> {
        let far = self.far.first_key_value().map(|(&(at, _), _)| at);
        self.near.next_due(now).into_iter().chain(far).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_events_come_out_when_they_are_due_and_not_before() {
        let mut calendar = Calendar::new();
        let events = [
            (5, 'a'),
            (10_245, 'd'),
            (1_029, 'b'),
            (1_029, 'c'),
            (1 << 60, 'f'),
        ];
        for (at, event) in events {
            calendar.push(0, at, event);
        }
        assert_eq!(calendar.iter().count(), events.len());
        let mut found = Vec::new();
        let mut now = 0;
        while let Some(next) = calendar.next_due(now) {
            let today = calendar.take(next).unwrap_or_default();
            assert!(!today.is_empty(), "{next} was looked at for nothing");
            if today.contains(&'b') {
                // Near by now, and due with one that was added when it was far.
                calendar.push(next, next + 9_216, 'x');
                calendar.push(next, next + 1, 'y');
            }
            found.extend(today.iter().map(|&event| (next, event)));
            calendar.recycle(today);
            now = next + 1;
        }
        let expected = [
            (5, 'a'),
            (1_029, 'b'),
            (1_029, 'c'),
            (1_030, 'y'),
            (10_245, 'd'),
            (10_245, 'x'),
            (1 << 60, 'f'),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_was_far_comes_out_before_what_is_near() {
        let mut calendar = Calendar::new();
        calendar.push(0, 2_000, 'a');
        calendar.push(1_500, 2_000, 'b');
        assert_eq!(calendar.take(1_999), None);
        assert_eq!(calendar.take(2_000), Some(vec!['a', 'b']));
        assert_eq!(calendar.next_due(2_001), None);
    }
}
