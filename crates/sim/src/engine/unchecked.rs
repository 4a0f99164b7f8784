//! Arrays without bounds checks, for the indices the engine makes itself: the only unsafe code of the workspace.
//!
//! Every index that is used here comes from one of four sources, and each of them is bounded
//! by construction:
//!
//! * *Routers, ports, lanes and output virtual channels* are numbered by `Wiring`, which
//!   sizes the arrays by the same numbers. They reach the engine as entries of the wiring, as bits
//!   of masks that are only ever set for existing lanes and ports, or in events that
//!   carry one of these. Likewise the lines of routers that tell each other something, by `Lines`.
//! * *Ports that a routing algorithm names* are compared with the router's radix before
//!   anything is indexed with them, and its virtual channels are cut to those there are.
//! * *Packet slots* are handed out by the slab they index and live until the packet's tail has left.
//! * *Places in the timeline* are cut to it by a mask of its length, a power of two.
//!
//! Debug builds check every index, so every test of the engine and its audit run checked too.
//! `cargo +nightly miri test -p turnwise-sim unchecked` runs the tests below under Miri.

#![allow(unsafe_code)]

use std::ops::{Index, IndexMut};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_where_they_were_put() {
        let mut arena = Arena::new(vec![1u64, 2, 3]);
        arena[1] = 7;
        *arena.at_mut(2) += 1;
        assert_eq!(arena.push(9), 3);
        assert_eq!((arena[0], arena[1], *arena.at(2), arena[3]), (1, 7, 4, 9));
        assert_eq!((arena.len(), arena.iter().sum::<u64>()), (4, 21));
        assert_eq!(arena.as_slice(), [1, 7, 4, 9]);
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
    #[should_panic(expected = "3 of 3")]
    fn debug_builds_check() {
        let arena = Arena::new(vec![0u8; 3]);
        let _ = arena[3];
    }
}
