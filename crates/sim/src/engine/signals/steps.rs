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
    /// Logarithm to base 2 of the output virtual channels of a port.
    shift: u32,
    flits: Pending<Flits>,
    others: Pending<Step>,
}

/// What a router has sent and what it has been credited in a cycle, as bits of its output virtual channels: a flit each, of
/// ports whose queues are told.
#[derive(Clone, Copy, Debug)]
struct Flits {
    first_port: u32,
    sent: u64,
    credited: u64,
}

/// A queue has become longer by so many flits, modulo 2^32.
#[derive(Clone, Copy, Debug)]
struct Step {
    word: u32,
    more: u32,
}

impl Steps {
    /// `None` if some queue has to be told otherwise.
    pub(super) fn new(lines: &Lines<'_>, shift: u32) -> Option<Self> {
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
            shift,
            flits: Pending::new(delay.into()),
            others: Pending::new(delay.into()),
        })
    }

    /// A router, whose ports begin with this one, has sent flits in cycle `now` and has been credited others.
    #[inline(always)]
    pub(super) fn count_flits(&mut self, now: u64, first_port: u32, (sent, credited): (u64, u64)) {
        let flits = Flits {
            first_port,
            sent,
            credited,
        };
        self.flits.push(now + self.delay, flits);
    }

    /// So many flits more, or less, wait for a port in cycle `now` or are under way behind it.
    #[inline(always)]
    pub(super) fn count(&mut self, now: u64, port: u32, more: u32) {
        let word = self.words[port];
        if word != NOWHERE {
            self.others.push(now + self.delay, Step { word, more });
        }
    }

    /// Keeps what is known from cycle `now` on.
    pub(super) fn keep(&mut self, now: u64, memory: &mut Arena<u32>) {
        if let Some(due) = self.flits.take(now) {
            for flits in &due {
                self.add(flits.sent, flits.first_port, 1, memory);
                self.add(flits.credited, flits.first_port, u32::MAX, memory);
            }
            self.flits.recycle(due);
        }
        if let Some(due) = self.others.take(now) {
            for &Step { word, more } in &due {
                let queue = &mut memory[word];
                *queue = queue.wrapping_add(more);
            }
            self.others.recycle(due);
        }
    }

    /// Adds so much to the queue of each of these output virtual channels.
    #[inline(always)]
    fn add(&self, mut outs: u64, first_port: u32, more: u32, memory: &mut Arena<u32>) {
        while outs != 0 {
            let port = first_port + (outs.trailing_zeros() >> self.shift);
            outs &= outs - 1;
            let queue = &mut memory[self.words[port]];
            *queue = queue.wrapping_add(more);
        }
    }

    /// When the next step is known, from cycle `now` on.
    pub(super) fn next_due(&self, now: u64) -> Option<u64> {
        let due = [self.flits.next_due(now), self.others.next_due(now)];
        due.into_iter().flatten().min()
    }
}
