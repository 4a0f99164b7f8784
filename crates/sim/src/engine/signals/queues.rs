//! Queues that are told: what changes with nearly every flit, and is kept without asking anybody.
//!
//! A queue that has a [home](super::home) is written there, at once if it is known from the next cycle on; others are told to all who hear
//! of them.

use super::super::outbox::Outbox;
use super::super::wiring::NOWHERE;
use super::home::Queue;
use super::{Flying, Signals};
use turnwise_network::Notice;

impl Signals<'_> {
    /// So many flits more or less wait for a port or are under way behind it, since cycle `now`.
    #[inline(always)]
    pub(super) fn count(&mut self, now: u64, router: u32, port: u32, more: u32) {
        if let Some(steps) = &mut self.steps {
            return steps.count(now, port, more);
        }
        let gauge = &mut self.gauges[port];
        if gauge.is_watched() && gauge.set(gauge.occupancy().wrapping_add(more)) {
            self.port_changed(router, port);
        }
    }

    /// A router, whose ports begin with this one, has sent flits in cycle `now` and has been credited others, as bits of its output
    /// virtual channels: those of ports whose queues are told [in steps](super::steps).
    #[inline(always)]
    pub(super) fn count_flits(&mut self, now: u64, first_port: u32, flits: (u64, u64)) {
        if let Some(steps) = &mut self.steps {
            steps.count_flits(now, first_port, flits);
        }
    }

    /// Lines that tell queues say those that have changed in cycle `now`. Other domains than this one, with its number, hear
    /// of them from outboxes.
    pub(super) fn tell_queues(&mut self, (now, here): (u64, u16), outboxes: &mut [Outbox]) {
        let changed = std::mem::take(&mut self.changed);
        for &port in &changed {
            let (home, flits) = (self.lines.home(port), self.gauges[port].told());
            match home.word {
                NOWHERE => self.tell_widely(port, flits, (now, here), outboxes),
                word => self.keep_later(now, home.delay, Queue { word, flits }),
            }
        }
        self.changed = changed;
        self.changed.clear();
    }

    /// A queue that has no home: to all who hear it.
    #[inline(never)]
    fn tell_widely(
        &mut self,
        port: u32,
        flits: u32,
        (now, here): (u64, u16),
        outboxes: &mut [Outbox],
    ) {
        let Some(line) = self.lines.of_port(port) else {
            return;
        };
        let notice = Notice([flits, 0]);
        if std::mem::replace(&mut self.said[line], notice) == notice {
            return;
        }
        for &target in self.lines.targets(line) {
            let region = target.region;
            if target.domain != here {
                let flying = Flying {
                    region,
                    line,
                    notice,
                };
                let at = now + u64::from(target.delay);
                outboxes[usize::from(target.domain)].tell(at, flying);
            } else if let Some(word) = self.lines.queue_word(region, line) {
                let word = word as u32;
                self.keep_later(now, target.delay, Queue { word, flits });
            }
        }
    }

    /// A queue is known so many cycles after this one, in which nobody decides anything any more.
    #[inline(always)]
    fn keep_later(&mut self, now: u64, delay: u32, queue: Queue) {
        match delay {
            1 => self.memory[queue.word] = queue.flits,
            _ => self.expect_queue(now + u64::from(delay), queue),
        }
    }

    #[inline(always)]
    fn expect_queue(&mut self, at: u64, queue: Queue) {
        self.queues.push(at, queue);
        self.count += 1;
    }

    /// A queue is on its way here from another domain.
    pub(super) fn expect_from_afar(&mut self, at: u64, flying: Flying) {
        if let Some(word) = self.lines.queue_word(flying.region, flying.line) {
            let (word, flits) = (word as u32, flying.notice.0[0]);
            self.expect_queue(at, Queue { word, flits });
        }
    }

    /// Keeps the queues that are known from cycle `now` on.
    pub(super) fn keep_queues(&mut self, now: u64) {
        if let Some(steps) = &mut self.steps {
            steps.keep(now, &mut self.memory);
        }
        let Some(due) = self.queues.take(now) else {
            return;
        };
        self.count -= due.len();
        for &Queue { word, flits } in &due {
            self.memory[word] = flits;
        }
        self.queues.recycle(due);
    }
}
