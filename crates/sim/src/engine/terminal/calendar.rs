//! What is due some day: a wheel for near and far events alike.

use super::super::wheel::Wheel;

/// Events that are due in any later cycle.
///
/// Those that are due later than the wheel goes round are looked at once in a round. Events of the same
/// cycle come out in the order in which they went in.
pub(super) struct Calendar<T> {
    wheel: Wheel<(u64, T)>,
    /// Events of the cycle that is being looked at; kept to be filled again.
    today: Vec<T>,
}

impl<T> Calendar<T> {
    pub(super) fn new() -> Self {
        Self {
            wheel: Wheel::new(1023),
            today: Vec::new(),
        }
    }

    /// Adds an event.
    pub(super) fn push(&mut self, at: u64, event: T) {
        self.wheel.push(at, (at, event));
    }

    /// Takes everything that is due in a cycle; give the vector back with [`recycle`](Self::recycle).
    pub(super) fn take(&mut self, now: u64) -> Option<Vec<T>> {
        let mut due = self.wheel.take(now)?;
        let mut today = std::mem::take(&mut self.today);
        for (at, event) in due.drain(..) {
            match at == now {
                true => today.push(event),
                false => self.wheel.push(at, (at, event)),
            }
        }
        self.wheel.recycle(due);
        Some(today)
    }

    pub(super) fn recycle(&mut self, mut today: Vec<T>) {
        today.clear();
        self.today = today;
    }

    /// Every event, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.wheel.iter().map(|(_, event)| event)
    }

    /// A cycle from `now` on before which nothing is due.
    pub(super) fn next_due(&self, now: u64) -> Option<u64> {
        self.wheel.next_due(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_events_wait_for_their_day() {
        let mut calendar = Calendar::new();
        for (at, event) in [
            (5, 'a'),
            (5 + 10 * 1024, 'd'),
            (5 + 1024, 'b'),
            (5 + 1024, 'c'),
        ] {
            calendar.push(at, event);
        }
        let mut found = Vec::new();
        let mut now = 0;
        while let Some(next) = calendar.next_due(now) {
            let today = calendar.take(next).unwrap_or_default();
            found.extend(today.iter().map(|&event| (next, event)));
            calendar.recycle(today);
            now = next + 1;
        }
        assert_eq!(found, [(5, 'a'), (1029, 'b'), (1029, 'c'), (10_245, 'd')]);
    }
}
