//! An event wheel: what happens within the next few cycles, in buckets by cycle.

use super::unchecked::Arena;

/// Events of type `T` due at most `capacity - 1` cycles ahead.
///
/// Pushing and draining are O(1) an event. The memory of drained buckets is used again, so that a run
/// stops allocating once as many events were pending as ever will be.
#[derive(Clone, Debug)]
pub(crate) struct Wheel<T> {
    buckets: Arena<Vec<T>>,
    occupied: Arena<u64>,
    mask: u64,
    /// Drained buckets.
    spare: Vec<Vec<T>>,
}

impl<T> Wheel<T> {
    /// A wheel for delays of up to `longest` cycles.
    pub(crate) fn new(longest: u64) -> Self {
        let size = (longest + 1).next_power_of_two().max(64);
        let buckets = std::iter::repeat_with(Vec::new).take(size as usize);
        Self {
            buckets: Arena::new(buckets.collect()),
            occupied: Arena::new(vec![0; size as usize / 64]),
            mask: size - 1,
            spare: Vec::new(),
        }
    }

    /// Adds an event due in cycle `at`; the caller keeps `at` within the wheel's reach.
    #[inline(always)]
    pub(crate) fn push(&mut self, at: u64, event: T) {
        let slot = (at & self.mask) as usize;
        if self.buckets.at(slot).is_empty() {
            self.begin(slot);
        }
        self.buckets.at_mut(slot).push(event);
    }

    /// An empty bucket is about to get its first event. Apart, because most events have company.
    #[inline(never)]
    fn begin(&mut self, slot: usize) {
        *self.occupied.at_mut(slot / 64) |= 1 << (slot % 64);
        if let Some(spare) = self.spare.pop() {
            *self.buckets.at_mut(slot) = spare;
        }
    }

    /// Takes everything due in cycle `now`; give the vector back with [`recycle`](Self::recycle).
    #[inline]
    pub(crate) fn take(&mut self, now: u64) -> Option<Vec<T>> {
        let slot = (now & self.mask) as usize;
        let bit = 1 << (slot % 64);
        let word = self.occupied.at_mut(slot / 64);
        if *word & bit == 0 {
            return None;
        }
        *word &= !bit;
        Some(std::mem::take(self.buckets.at_mut(slot)))
    }

    /// Gives back the memory of a bucket that was taken.
    #[inline]
    pub(crate) fn recycle(&mut self, mut bucket: Vec<T>) {
        bucket.clear();
        self.spare.push(bucket);
    }

    /// The first cycle from `now` on that has an event.
    pub(crate) fn next_due(&self, now: u64) -> Option<u64> {
        let start = (now & self.mask) as usize;
        let words = self.occupied.len();
        // The starting word is looked at twice: first its upper part, at the end its lower part.
        for step in 0..=words {
            let index = (start / 64 + step) % words;
            let mut word = *self.occupied.at(index);
            if step == 0 {
                word &= u64::MAX << (start % 64);
            } else if step == words {
                word &= !(u64::MAX << (start % 64));
            }
            if word != 0 {
                let slot = (index * 64) as u64 + u64::from(word.trailing_zeros());
                return Some(now + (slot.wrapping_sub(now) & self.mask));
            }
        }
        None
    }

    /// Every event in the wheel, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.buckets.iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_out_when_they_are_due() {
        let mut wheel = Wheel::new(100);
        wheel.push(7, 'a');
        wheel.push(107, 'b');
        assert_eq!(wheel.next_due(0), Some(7));
        assert_eq!(wheel.take(6), None);
        assert_eq!(wheel.take(7), Some(vec!['a']));
        assert_eq!(wheel.next_due(8), Some(107));
        assert_eq!(wheel.next_due(107), Some(107));
        assert_eq!(wheel.iter().count(), 1);
        assert_eq!(wheel.take(107), Some(vec!['b']));
        assert_eq!(wheel.next_due(108), None);
    }

    #[test]
    fn next_due_wraps_around_inside_the_starting_word() {
        let mut wheel = Wheel::new(63);
        wheel.push(66, ());
        assert_eq!(wheel.next_due(5), Some(66));
    }
}
