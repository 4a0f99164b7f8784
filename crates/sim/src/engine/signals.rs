//! What routers know of congestion, for adaptive routing.
//!
//! * `view`: what an algorithm that decides at a router sees.
//! * `lines`: who hears whom, after how many cycles.
//! * `reports`: which routers report in a cycle, what they say, and what is kept of it.
//!
//! A run whose routing tells nothing has no [`Signals`], and asks for them twice a cycle.

mod lines;
mod reports;
#[cfg(test)]
mod tests;
mod view;

use super::wheel::Wheel;
pub(super) use lines::Lines;
use turnwise_network::Notice;

/// A notice on its way, for the domain that simulates routers of the region.
///
/// The order is that in which notices of one cycle are received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Flying {
    region: u32,
    line: u32,
    notice: Notice,
}

/// What the routers of a domain have said and heard.
pub(super) struct Signals<'a> {
    lines: &'a Lines<'a>,
    /// Memories of all regions, one behind the other. Those of regions without routers here stay empty.
    memory: Vec<u32>,
    /// By line: what it said last.
    said: Vec<Notice>,
    /// By port that is watched: flits it had sent when its router was looked at last.
    sent: Vec<u32>,
    /// Notices that routers of this domain will hear.
    pub(super) flying: Wheel<Flying>,
    /// Routers that report in this cycle, one bit each.
    reporting: Vec<u64>,
    /// Routers with lines that are visited in this cycle.
    visited: Vec<u32>,
    /// What a router says.
    notices: Vec<Notice>,
}

impl<'a> Signals<'a> {
    /// Silence.
    pub(super) fn new(lines: &'a Lines<'a>, routers: usize) -> Self {
        Self {
            lines,
            memory: vec![0; lines.words()],
            said: vec![Notice::default(); lines.count()],
            sent: vec![0; lines.watched_count()],
            flying: Wheel::new(lines.longest),
            reporting: vec![0; routers.div_ceil(64)],
            visited: Vec::new(),
            notices: Vec::new(),
        }
    }

    /// What a router has been told.
    #[inline]
    fn memory_of(&self, router: u32) -> &[u32] {
        &self.memory[self.lines.memory_of(router)]
    }

    #[inline]
    fn must_report(&mut self, router: u32) {
        self.reporting[router as usize / 64] |= 1 << (router % 64);
    }
}
