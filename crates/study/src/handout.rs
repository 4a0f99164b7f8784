//! Who simulates which point: points are handed out one by one to whoever is free.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Says which point is next: to all threads of a run, and perhaps to other runs.
pub trait Handout: Sync {
    /// The number of a point that nobody else is given; `None` if there are no more.
    fn next(&self) -> Option<usize>;
}

/// Points in the order of the study.
pub(crate) struct InOrder<'a> {
    points: &'a [usize],
    next: AtomicUsize,
}

impl<'a> InOrder<'a> {
    pub(crate) fn new(points: &'a [usize]) -> Self {
        let next = AtomicUsize::new(0);
        Self { points, next }
    }
}

impl Handout for InOrder<'_> {
    fn next(&self) -> Option<usize> {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        self.points.get(next).copied()
    }
}

/// The points that a run is for.
pub struct Share<'a> {
    /// Which of those without a result, one after the other.
    pub handout: &'a dyn Handout,
    /// How many there are, with a result or without.
    pub total: usize,
    /// How many have no result, at most.
    pub missing: usize,
}
