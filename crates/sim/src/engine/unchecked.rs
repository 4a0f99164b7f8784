//! Arrays without bounds checks, for the indices the engine makes itself: the only unsafe code of the engine.
//!
//! Every index that is used here comes from one of four sources, and each of them is bounded
//! by construction:
//!
//! * *Routers, ports, lanes and output virtual channels* are numbered by `Wiring`, which
//!   sizes the arrays by the same numbers; a part of one has those of all that its domain simulates. They reach the engine as entries of the wiring, as bits
//!   of masks that are only ever set for existing lanes and ports, or in events that
//!   carry one of these. Likewise the lines of routers that tell each other something, and the words that they are told, by `Lines`.
//! * *Ports that a routing algorithm names* are compared with the router's radix before
//!   anything is indexed with them, and its virtual channels are cut to those there are.
//! * *Packet slots* are handed out by the slab they index and live until the packet's tail has left.
//! * *Places in the timeline* are cut to it by a mask of its length, a power of two.
//!
//! Debug builds check every index, so every test of the engine and its audit run checked too.
//! `cargo +nightly miri test -p turnwise-sim unchecked` runs the tests below under Miri.

#![allow(unsafe_code)]

use std::ops::{Index, IndexMut, Range};

/// An array of the engine's own, indexed by its own numbers.
#[derive(Clone, Debug)]
pub(super) struct Arena<T>(Vec<T>);

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Arena<T> {
    /// As many elements as there are things of a kind.
    pub(super) fn new(items: Vec<T>) -> Self {
        Self(items)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    pub(super) fn as_slice(&self) -> &[T] {
        &self.0
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.0
    }

    /// Adds an element; its index.
    #[inline]
    pub(super) fn push(&mut self, item: T) -> u32 {
        self.0.push(item);
        self.0.len() as u32 - 1
    }

    /// Several neighbours.
    #[inline(always)]
    pub(super) fn range(&self, range: Range<usize>) -> &[T] {
        debug_assert!(
            range.start <= range.end && range.end <= self.0.len(),
            "{range:?} of {}",
            self.0.len()
        );
        // SAFETY: the module's invariants keep every range within the array.
        unsafe { self.0.get_unchecked(range) }
    }

    #[inline(always)]
    pub(super) fn at(&self, index: usize) -> &T {
        debug_assert!(index < self.0.len(), "{index} of {}", self.0.len());
        // SAFETY: the module's invariants keep every index below the length.
        unsafe { self.0.get_unchecked(index) }
    }

    #[inline(always)]
    pub(super) fn at_mut(&mut self, index: usize) -> &mut T {
        debug_assert!(index < self.0.len(), "{index} of {}", self.0.len());
        // SAFETY: the module's invariants keep every index below the length.
        unsafe { self.0.get_unchecked_mut(index) }
    }
}

impl<T> Index<u32> for Arena<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, index: u32) -> &T {
        self.at(index as usize)
    }
}

impl<T> IndexMut<u32> for Arena<T> {
    #[inline(always)]
    fn index_mut(&mut self, index: u32) -> &mut T {
        self.at_mut(index as usize)
    }
}

/// A piece of a larger array, by the numbers of the whole: what a domain has of all routers, lanes or terminals.
///
/// It is addressed from where the whole array would begin, so that it costs no more than an [`Arena`].
pub(super) struct Part<T> {
    /// What there is, from `first` on. It never grows, so that it stays where it is.
    items: Vec<T>,
    first: u32,
    /// Where element 0 of the whole would be. Only ever moved on to an element that exists.
    origin: *mut T,
}

// SAFETY: the pointer is one into what the part owns.
unsafe impl<T: Send> Send for Part<T> {}

impl<T> Part<T> {
    /// The elements from number `first` on.
    pub(super) fn new(first: u32, mut items: Vec<T>) -> Self {
        let origin = items.as_mut_ptr().wrapping_sub(first as usize);
        Self {
            items,
            first,
            origin,
        }
    }

    /// As many elements as there are numbers, all alike.
    pub(super) fn filled(numbers: Range<u32>, item: T) -> Self
    where
        T: Clone,
    {
        Self::new(numbers.start, vec![item; numbers.len()])
    }

    pub(super) fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// The numbers of its elements.
    pub(super) fn numbers(&self) -> Range<u32> {
        self.first..self.first + self.items.len() as u32
    }

    /// Its elements by number.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u32, &T)> {
        self.numbers().zip(self.as_slice())
    }

    /// Elements with these numbers, if it has all of them.
    pub(super) fn get_range(&self, numbers: Range<u32>) -> Option<&[T]> {
        let first = numbers.start.checked_sub(self.first)? as usize;
        self.items.get(first..first + numbers.len())
    }

    /// The same to be changed.
    pub(super) fn get_range_mut(&mut self, numbers: Range<u32>) -> Option<&mut [T]> {
        let first = numbers.start.checked_sub(self.first)? as usize;
        self.items.get_mut(first..first + numbers.len())
    }

    /// An element, if it has it.
    #[inline(always)]
    pub(super) fn get(&self, number: u32) -> Option<&T> {
        let index = number.wrapping_sub(self.first) as usize;
        self.items.get(index)
    }

    /// The same to be changed.
    #[inline(always)]
    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        let index = number.wrapping_sub(self.first) as usize;
        self.items.get_mut(index)
    }

    #[inline(always)]
    fn assert_has(&self, number: u32) {
        debug_assert!(
            self.numbers().contains(&number),
            "{number} of {:?}",
            self.numbers()
        );
    }
}

impl<T> Default for Part<T> {
    fn default() -> Self {
        Self::new(0, Vec::new())
    }
}

impl<T: Clone> Clone for Part<T> {
    fn clone(&self) -> Self {
        Self::new(self.first, self.as_slice().to_vec())
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Part<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.numbered()).finish()
    }
}

impl<T> Index<u32> for Part<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, number: u32) -> &T {
        self.assert_has(number);
        // SAFETY: the module's invariants keep every number among those of the part, and from there the
        // pointer came.
        unsafe { &*self.origin.wrapping_add(number as usize) }
    }
}

impl<T> IndexMut<u32> for Part<T> {
    #[inline(always)]
    fn index_mut(&mut self, number: u32) -> &mut T {
        self.assert_has(number);
        // SAFETY: as above, and nobody else has the part meanwhile.
        unsafe { &mut *self.origin.wrapping_add(number as usize) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_the_numbers_of_the_whole() {
        let mut part = Part::new(5, vec![vec![5u32], vec![6], vec![7]]);
        part[6].push(60);
        assert_eq!(
            (part[5][0], &part[6][..], part[7].len()),
            (5, &[6, 60][..], 1)
        );
        part.get_mut(7).unwrap().clear();
        assert_eq!(
            [4, 5, 8].map(|number| part.get(number).is_some()),
            [false, true, false]
        );
        assert_eq!(
            part.get_range(6..8).map(|both| both.concat()),
            Some(vec![6, 60])
        );
        assert!(part.get_range(4..6).is_none() && part.get_range_mut(7..9).is_none());
        let copy = part.clone();
        drop(part);
        let numbered: Vec<_> = copy
            .numbered()
            .map(|(number, of)| (number, of.len()))
            .collect();
        assert_eq!(numbered, [(5, 1), (6, 2), (7, 0)]);
        assert_eq!(Part::<String>::default().numbers(), 0..0);
        assert_eq!(Part::filled(u32::MAX - 2..u32::MAX, 1u8)[u32::MAX - 1], 1);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "4 of 5..6")]
    fn what_a_part_does_not_have_is_noticed() {
        let _ = Part::new(5, vec![0u8])[4];
    }

    #[test]
    fn elements_are_where_they_were_put() {
        let mut arena = Arena::new(vec![1u64, 2, 3]);
        arena[1] = 7;
        *arena.at_mut(2) += 1;
        assert_eq!(arena.push(9), 3);
        assert_eq!((arena[0], arena[1], *arena.at(2), arena[3]), (1, 7, 4, 9));
        assert_eq!((arena.len(), arena.iter().sum::<u64>()), (4, 21));
        assert_eq!(arena.as_slice(), [1, 7, 4, 9]);
        assert_eq!(
            (arena.range(1..3), arena.range(4..4)),
            (&[7, 4][..], &[][..])
        );
    }

    #[test]
    fn elements_may_own_memory() {
        let mut arena: Arena<Vec<u32>> = Arena::new(vec![Vec::new(); 4]);
        for index in 0..4 {
            arena[index].extend(0..index);
        }
        let taken = std::mem::take(&mut arena[3]);
        assert_eq!(
            (taken, arena[2].len(), arena[3].len()),
            (vec![0, 1, 2], 2, 0)
        );
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "1..4 of 3")]
    fn so_are_ranges() {
        let arena = Arena::new(vec![0u8; 3]);
        let _ = arena.range(1..4);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "3 of 3")]
    fn debug_builds_check() {
        let arena = Arena::new(vec![0u8; 3]);
        let _ = arena[3];
    }
}
