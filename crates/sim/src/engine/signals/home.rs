//! Where a queue is kept that is told.
//!
//! A line that [tells a queue](turnwise_network::Sensing::queue_line) is a number that ends up in a word of a memory. Mostly one
//! region hears it, which the teller's own domain simulates: its [`Home`] says where, so that telling it is no more than writing
//! it there.

use super::super::wiring::NOWHERE;
use super::Lines;

/// Where the queue of a port is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Home {
    /// The word of all memories; [`NOWHERE`] if more than one region hears it, another domain, or nobody.
    pub(super) word: u32,
    /// Cycles until it is known.
    pub(super) delay: u32,
}

impl Home {
    pub(super) const NONE: Self = Self {
        word: NOWHERE,
        delay: 0,
    };

    /// Of a line that a domain tells, if it has one.
    pub(super) fn of(lines: &Lines<'_>, line: u32, teller: u16) -> Self {
        match lines.targets(line) {
            [only] if only.domain == teller => {
                let word = lines.queue_word(only.region, line);
                word.map_or(Self::NONE, |word| Self {
                    word: word as u32,
                    delay: only.delay,
                })
            }
            _ => Self::NONE,
        }
    }
}

/// A queue on its way to a memory of this domain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    pub(super) word: u32,
    pub(super) flits: u32,
}
