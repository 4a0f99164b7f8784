//! News on their way, by the cycle in which they are known.
//!
//! A wheel has a bucket for every cycle that there may be until then. News that take far longer than packets do, as in studies of how
//! old they may be, are kept by the cycles that they are due in instead, so that memory is as what is under way and not as the delay.

use super::super::wheel::Wheel;
use std::collections::BTreeMap;

/// The longest delay that a wheel is used for, in cycles.
const LONGEST: u64 = 1 << 16;

/// News of type `T`, those of a cycle in the order in which they were sent.
#[derive(Debug)]
pub(super) struct Pending<T> {
    soon: Wheel<T>,
    /// By the cycle that they are due in, if some may take longer than [`LONGEST`]: then all are here.
    late: Option<BTreeMap<u64, Vec<T>>>,
}

impl<T> Pending<T> {
    /// For delays of up to so many cycles.
    pub(super) fn new(longest: u64) -> Self {
        let is_soon = longest <= LONGEST;
        Self {
            soon: Wheel::new(if is_soon { longest } else { 0 }),
            late: (!is_soon).then(BTreeMap::new),
        }
    }

    /// Adds what is known from cycle `at` on.
    #[inline(always)]
    pub(super) fn push(&mut self, at: u64, news: T) {
        match &mut self.late {
            None => self.soon.push(at, news),
            Some(late) => push_late(late, at, news),
        }
    }

    /// Takes what is known from cycle `now` on; give the vector back with [`recycle`](Self::recycle).
    #[inline]
    pub(super) fn take(&mut self, now: u64) -> Option<Vec<T>> {
        match &mut self.late {
            None => self.soon.take(now),
            Some(late) => late.remove(&now),
        }
    }

    /// Gives back the memory of what was taken.
    #[inline]
    pub(super) fn recycle(&mut self, taken: Vec<T>) {
        if self.late.is_none() {
            self.soon.recycle(taken);
        }
    }

    /// The first cycle from `now` on in which something is known.
    pub(super) fn next_due(&self, now: u64) -> Option<u64> {
        match &self.late {
            None => self.soon.next_due(now),
            Some(late) => late.first_key_value().map(|(&at, _)| at),
        }
    }
}

/// Apart, because most news are known soon.
#[cold]
#[inline(never)]
fn push_late<T>(late: &mut BTreeMap<u64, Vec<T>>, at: u64, news: T) {
    late.entry(at).or_default().push(news);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_news_come_as_soon_ones_do() {
        let [mut soon, mut late] = [100, LONGEST + 1].map(Pending::new);
        assert!(soon.late.is_none() && late.late.is_some());
        for at in [7, 107, 7, 60] {
            soon.push(at, at * 2);
            late.push(at, at * 2);
        }
        for now in 0..=107 {
            assert_eq!(soon.next_due(now), late.next_due(now));
            let taken = [soon.take(now), late.take(now)];
            assert_eq!(taken[0], taken[1]);
            for (pending, taken) in [&mut soon, &mut late].into_iter().zip(taken) {
                taken.into_iter().for_each(|taken| pending.recycle(taken));
            }
        }
        assert_eq!((soon.next_due(108), late.next_due(108)), (None, None));
    }
}
