//! Queues that are told by how much longer or shorter they have become.
//!
//! Where every flit counts, and all queues are known after the same time, each in one memory of its teller's own domain, nobody has to look a
//! queue up to tell it: what changes is on its way at once, and is added where the queue is kept.

use super::super::unchecked::Arena;
use super::super::wiring::NOWHERE;
use super::Lines;
use super::pending::Pending;

/// What has changed of all queues, on its way.
pub(super) struct Steps {
    /// Cycles until it is known.
    delay: u64,
    /// By port: the word of all memories where its queue is kept; [`NOWHERE`] if it is not told.
    words: Arena<u32>,
    under_way: Pending<Step>,
}

/// A queue has become longer by so many flits, modulo 2^32.
#[derive(Clone, Copy, Debug)]
struct Step {
    word: u32,
    more: u32,
}

impl Steps {
    /// `None` if some queue has to be told otherwise.
    pub(super) fn new(lines: &Lines<'_>) -> Option<Self> {
        let mut words = vec![NOWHERE; lines.grains().len()];
        let mut common = None;
        for (port, &grain) in lines.grains().iter().enumerate() {
            let home = lines.home(port as u32);
            if grain == 0 {
                continue;
            }
            let is_like_others = common.is_none_or(|delay| delay == home.delay);
            if grain > 1 || home.word == NOWHERE || !is_like_others {
                return None;
            }
            common = Some(home.delay);
            words[port] = home.word;
        }
        common.map(|delay| Self {
            delay: delay.into(),
            words: Arena::new(words),
            under_way: Pending::new(delay.into()),
        })
    }

    /// So many flits more, or less, wait for a port in cycle `now` or are under way behind it.
    #[inline(always)]
    pub(super) fn count(&mut self, now: u64, port: u32, more: u32) {
        let word = self.words[port];
        if word != NOWHERE {
            self.under_way.push(now + self.delay, Step { word, more });
        }
    }

    /// Keeps what is known from cycle `now` on.
    pub(super) fn keep(&mut self, now: u64, memory: &mut Arena<u32>) {
        let Some(due) = self.under_way.take(now) else {
            return;
        };
        for &Step { word, more } in &due {
            let queue = &mut memory[word];
            *queue = queue.wrapping_add(more);
        }
        self.under_way.recycle(due);
    }

    /// When the next step is known, from cycle `now` on.
    pub(super) fn next_due(&self, now: u64) -> Option<u64> {
        self.under_way.next_due(now)
    }
}
