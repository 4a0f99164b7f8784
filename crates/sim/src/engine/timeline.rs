//! What arrives when: one bit for every flit and every credit on its way to a router.
//!
//! Over a channel come at most one flit and one credit a cycle, so what comes to a router in a cycle
//! is two masks with a bit for each of its lanes. Sending sets a bit; nothing is queued, sorted or
//! searched. An idle router costs one flag a cycle.

use super::unchecked::Arena;
use std::ops::Range;

/// Flits and credits due at most `capacity - 1` cycles ahead.
///
/// `ONE_WORD`: a router has one mask word.
#[derive(Clone, Debug)]
pub(super) struct Timeline<const ONE_WORD: bool> {
    /// By cycle, router and mask word: the lanes that get a flit, the output virtual channels that get a credit.
    coming: Arena<[u64; 2]>,
    /// By cycle and router: is there anything to do? Eight of them are looked at together.
    due: Arena<u8>,
    /// Logarithm of the places of a cycle to base 2: one for each router, and some for none.
    shift: u32,
    /// Mask words a router.
    words: usize,
    /// Places of all cycles, less one.
    mask: usize,
    /// The first router that there is a place for, a multiple of eight. The places of a cycle are those of as many
    /// numbers from there on, modulo their number.
    first: u32,
}

impl<const ONE_WORD: bool> Timeline<ONE_WORD> {
    /// For delays of up to `longest` cycles, and these routers with so many mask words.
    pub(super) fn new(longest: u64, routers: &Range<u32>, words: u32) -> Self {
        let first = routers.start - routers.start % 8;
        let routers = (routers.end - first) as usize;
        let all = cycles(longest) as usize * places(routers);
        Self {
            coming: Arena::new(vec![[0; 2]; all * words as usize]),
            due: Arena::new(vec![0; all]),
            shift: places(routers).trailing_zeros(),
            words: words as usize,
            mask: all - 1,
            first,
        }
    }

    /// The place of an event at a router, relative to [`base`](Self::base) of the cycle in which it is
    /// sent.
    pub(super) fn offset(&self, delay: u32, router: u32) -> u32 {
        // Places are counted modulo their number, which has less than 32 bits.
        ((((delay as usize) << self.shift) + router as usize) & self.mask) as u32
    }

    /// What to add to offsets in cycle `now`.
    #[inline(always)]
    pub(super) fn base(&self, now: u64) -> usize {
        (now as usize) << self.shift
    }

    #[inline(always)]
    fn place(&self, at: u64, router: u32) -> usize {
        (self.base(at) + router as usize) & self.mask
    }

    /// A flit arrives, at the lane with this bit.
    #[inline(always)]
    pub(super) fn flit_at(&mut self, place: usize, bit: u64) {
        let place = place & self.mask;
        self.coming.at_mut(place)[0] |= bit;
        *self.due.at_mut(place) = 1;
    }

    /// The output virtual channel with this bit has a credit more.
    #[inline(always)]
    pub(super) fn credit_at(&mut self, place: usize, bit: u64) {
        let place = place & self.mask;
        self.coming.at_mut(place)[1] |= bit;
        *self.due.at_mut(place) = 1;
    }

    /// What comes to the lanes of a router from `64 * word` on, and whether any does.
    #[inline(always)]
    fn coming_mut(&mut self, at: u64, router: u32, word: u32) -> (&mut [u64; 2], &mut u8) {
        let place = self.place(at, router);
        let coming = match ONE_WORD {
            true => place,
            false => place * self.words + word as usize,
        };
        (self.coming.at_mut(coming), self.due.at_mut(place))
    }

    /// A flit arrives in cycle `at` at a lane of a router.
    #[inline(always)]
    pub(super) fn flit(&mut self, at: u64, router: u32, local: u32) {
        let (coming, due) = self.coming_mut(at, router, local / 64);
        coming[0] |= 1 << (local % 64);
        *due = 1;
    }

    /// A credit for an output virtual channel of a router counts from cycle `at` on. `false` if
    /// it gets another one in the same cycle: the timeline has one bit for both.
    #[inline(always)]
    pub(super) fn credit(&mut self, at: u64, router: u32, local: u32) -> bool {
        let (coming, due) = self.coming_mut(at, router, local / 64);
        let before = coming[1];
        coming[1] |= 1 << (local % 64);
        *due = 1;
        coming[1] != before
    }

    /// Can the timeline, in cycle `now`, hold an event of cycle `at`?
    #[inline(always)]
    pub(super) fn reaches(&self, now: u64, at: u64) -> bool {
        at - now <= (self.mask >> self.shift) as u64
    }

    /// There is something to do at a router in cycle `at`.
    #[inline(always)]
    pub(super) fn visit(&mut self, at: u64, router: u32) {
        let place = self.place(at, router);
        *self.due.at_mut(place) = 1;
    }

    /// The router that the first group begins with.
    #[inline(always)]
    pub(super) fn first(&self) -> u32 {
        self.first
    }

    /// Groups of eight routers.
    #[inline(always)]
    pub(super) fn groups(&self) -> u32 {
        (1 << self.shift >> 3) as u32
    }

    /// Which of the eight routers of a group, from `router` on, have anything to do in cycle `now`: a byte each.
    /// Their flags are cleared.
    #[inline(always)]
    pub(super) fn take_due(&mut self, now: u64, router: u32) -> u64 {
        let place = self.place(now, router);
        let due = &mut self.due.as_mut_slice()[place..place + 8];
        let bytes = <[u8; 8]>::try_from(&*due).map_or(0, u64::from_le_bytes);
        if bytes != 0 {
            due.fill(0);
        }
        bytes
    }

    /// Flits and credits of a router's mask word in cycle `now`.
    #[inline(always)]
    pub(super) fn take(&mut self, now: u64, router: u32, word: u32) -> [u64; 2] {
        std::mem::take(self.coming_mut(now, router, word).0)
    }

    /// Flits and credits at a place.
    #[inline(always)]
    pub(super) fn take_at(&mut self, place: usize) -> [u64; 2] {
        let place = place & self.mask;
        std::mem::take(self.coming.at_mut(place))
    }

    /// The first cycle from `now` on in which there is anything to do.
    pub(super) fn next_due(&self, now: u64) -> Option<u64> {
        let last = (self.mask >> self.shift) as u64;
        (now..=now + last).find(|&at| {
            let due = self.due.as_slice();
            let (first, count) = (self.place(at, self.first), 1 << self.shift);
            // The last places of all may be followed by the first.
            let until = (first + count).min(due.len());
            let wrapped = first + count - until;
            due[first..until]
                .iter()
                .chain(&due[..wrapped])
                .any(|&due| due != 0)
        })
    }

    /// Everything to come: router, first lane of a mask word, flits, credits; in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32, u64, u64)> + '_ {
        let places = self.coming.iter().enumerate();
        places
            .filter(|(_, coming)| **coming != [0; 2])
            .map(|(index, &[flits, credits])| {
                let (first, place) = (self.first as usize, index / self.words);
                let router = first + (place.wrapping_sub(first) & ((1 << self.shift) - 1));
                let word = index % self.words;
                (router as u32, 64 * word as u32, flits, credits)
            })
    }
}

/// Cycles to keep for delays of up to `longest`.
pub(super) fn cycles(longest: u64) -> u64 {
    (longest + 1).next_power_of_two()
}

/// Places of a cycle for so many routers.
pub(super) fn places(routers: usize) -> usize {
    routers.next_power_of_two().max(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_once_and_in_its_cycle() {
        let mut timeline = Timeline::<true>::new(100, &(0..70), 1);
        timeline.flit(7, 3, 0);
        timeline.flit(7, 3, 2);
        assert!(timeline.credit(107, 69, 1));
        assert!(!timeline.credit(107, 69, 1));
        assert_eq!(timeline.next_due(0), Some(7));
        assert_eq!(timeline.take_due(6, 0), 0);
        assert_eq!(timeline.groups(), 16);
        let due = (timeline.take_due(7, 0), timeline.take_due(7, 8));
        assert_eq!(due, (1 << 24, 0));
        assert_eq!(timeline.take_due(7, 0), 0);
        assert_eq!(timeline.take(7, 3, 0), [5, 0]);
        assert_eq!(timeline.take(7, 3, 0), [0, 0]);
        assert_eq!(timeline.next_due(8), Some(107));
        assert_eq!(timeline.iter().collect::<Vec<_>>(), [(69, 0, 0, 2)]);
        assert_eq!(timeline.take_due(107, 64), 1 << 40);
        assert_eq!(timeline.take(107, 69, 0), [0, 2]);
        assert_eq!(timeline.next_due(108), None);
    }

    /// Numbers that begin in the middle of the places, so that a cycle's last routers are before its first.
    #[test]
    fn some_of_all_routers_have_the_numbers_they_have() {
        let mut timeline = Timeline::<true>::new(3, &(61..83), 1);
        assert_eq!((timeline.first(), timeline.groups()), (56, 4));
        for cycle in 0..40 {
            for router in [61, 63, 64, 82] {
                timeline.flit(cycle + 1, router, router % 7);
                let place = timeline.base(cycle) + timeline.offset(3, router) as usize;
                timeline.credit_at(place, 2);
            }
            let mut coming: Vec<_> = timeline.iter().collect();
            coming.sort_unstable();
            let routers: Vec<u32> = coming.iter().map(|&(router, ..)| router).collect();
            assert_eq!(routers.iter().min(), Some(&61), "{routers:?}");
            assert_eq!(routers.iter().max(), Some(&82), "{routers:?}");
            assert_eq!(timeline.next_due(cycle + 1), Some(cycle + 1));
            let due: Vec<u32> = (56..88)
                .step_by(8)
                .flat_map(|first| {
                    let due = timeline.take_due(cycle + 1, first).to_le_bytes();
                    (first..).zip(due).filter(|&(_, due)| due != 0)
                })
                .map(|(router, _)| router)
                .collect();
            assert_eq!(due, [61, 63, 64, 82]);
            for router in due {
                let credit = if cycle < 2 { 0 } else { 2 };
                assert_eq!(
                    timeline.take(cycle + 1, router, 0),
                    [1 << (router % 7), credit]
                );
            }
        }
    }

    #[test]
    fn large_routers_have_several_words() {
        let mut timeline = Timeline::<false>::new(9, &(0..5), 3);
        timeline.flit(4, 2, 130);
        assert_eq!(timeline.take_due(4, 0), 1 << 16);
        assert_eq!(timeline.iter().collect::<Vec<_>>(), [(2, 128, 4, 0)]);
        assert_eq!(timeline.take(4, 2, 1), [0, 0]);
        assert_eq!(timeline.take(4, 2, 2), [4, 0]);
    }
}
