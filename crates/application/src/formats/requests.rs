//! Requests of a rank: what programs call them, and what they are called while they are played.

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Requests that are open, by their numbers; numbers in programs are as low as possible.
#[derive(Default)]
pub(super) struct Requests {
    open: FxHashMap<u32, u32>,
    free: BTreeSet<u32>,
    used: u32,
}

impl Requests {
    /// `None` if it is open.
    pub(super) fn open(&mut self, number: u32) -> Option<u32> {
        if self.open.contains_key(&number) {
            return None;
        }
        let slot = self.free.pop_first().unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        });
        self.open.insert(number, slot);
        Some(slot)
    }

    /// `None` if it is not open.
    pub(super) fn close(&mut self, number: u32) -> Option<u32> {
        let slot = self.open.remove(&number)?;
        self.free.insert(slot);
        Some(slot)
    }

    /// Nobody will wait for it, so its number in programs is never another's.
    pub(super) fn forget(&mut self, number: u32) {
        self.open.remove(&number);
    }

    /// All have been waited for.
    pub(super) fn close_all(&mut self) {
        *self = Self::default();
    }
}
