//! Several domains at once, one thread each.
//!
//! Whatever one domain does to another takes effect after the look-ahead at the earliest. So all
//! of them simulate as many cycles without looking at each other, exchange mail, and go on:
//! the same events in the same cycles as in one domain, whatever the threads do when.

use super::domain::Domain;
use super::mail::Mail;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};

/// Where the threads of a stretch of cycles meet.
struct Meeting {
    threads: usize,
    waiting: AtomicUsize,
    round: AtomicUsize,
    /// Has a thread panicked, so that it will never come?
    broken: AtomicBool,
    /// By round's parity, sender and receiver.
    mail: Vec<Mutex<Mail>>,
    /// By round's parity and domain: recorded packets created there less those delivered there.
    outstanding: Vec<AtomicI64>,
}

impl Meeting {
    fn new(threads: usize) -> Self {
        let boxes = 2 * threads * threads;
        Self {
            threads,
            waiting: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            broken: AtomicBool::new(false),
            mail: std::iter::repeat_with(Mutex::default).take(boxes).collect(),
            outstanding: (0..2 * threads).map(|_| AtomicI64::new(0)).collect(),
        }
    }

    fn mail(&self, parity: usize, from: usize, to: usize) -> &Mutex<Mail> {
        &self.mail[(parity * self.threads + from) * self.threads + to]
    }

    fn outstanding(&self, parity: usize) -> &[AtomicI64] {
        &self.outstanding[parity * self.threads..(parity + 1) * self.threads]
    }

    /// Waits until everybody is here.
    fn wait(&self) {
        /// Looks before a thread lets others have its core.
        const PATIENCE: u32 = 300;
        let round = self.round.load(Ordering::Acquire);
        if self.waiting.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.waiting.store(0, Ordering::Relaxed);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut looks = 0;
        while self.round.load(Ordering::Acquire) == round {
            assert!(
                !self.broken.load(Ordering::Relaxed),
                "another thread of the simulation panicked"
            );
            looks += 1;
            match looks < PATIENCE {
                true => std::hint::spin_loop(),
                false => std::thread::yield_now(),
            }
        }
    }
}

/// Tells the others if its thread panics.
struct Alarm<'a>(&'a AtomicBool);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Simulates all domains from their common present to cycle `until`, or, if `drain`, until all
/// recorded packets have arrived.
pub(super) fn run<const ONE_WORD: bool, const PLAIN: bool>(
    domains: &mut [Domain<'_, ONE_WORD, PLAIN>],
    until: u64,
    drain: bool,
) {
    let meeting = Meeting::new(domains.len());
    std::thread::scope(|scope| {
        let (first, others) = domains.split_at_mut(1);
        for domain in others {
            scope.spawn(|| stretch(domain, &meeting, until, drain));
        }
        stretch(&mut first[0], &meeting, until, drain);
    });
}

/// One domain's part.
fn stretch<const ONE_WORD: bool, const PLAIN: bool>(
    domain: &mut Domain<'_, ONE_WORD, PLAIN>,
    meeting: &Meeting,
    until: u64,
    drain: bool,
) {
    let _alarm = Alarm(&meeting.broken);
    let me = usize::from(domain.number);
    // Whether all have arrived must be known in every cycle.
    let lookahead = if drain { 1 } else { domain.partition.lookahead };
    let mut parity = 0;
    while domain.now < until {
        let end = domain.now.saturating_add(lookahead).min(until);
        domain.run_until(end);
        for to in (0..meeting.threads).filter(|&to| to != me) {
            let mut place = lock(meeting.mail(parity, me, to));
            std::mem::swap(&mut *place, &mut domain.outboxes[to]);
        }
        meeting.outstanding(parity)[me].store(domain.outstanding(), Ordering::Relaxed);
        meeting.wait();
        for from in (0..meeting.threads).filter(|&from| from != me) {
            domain.open(&mut lock(meeting.mail(parity, from, me)));
        }
        let outstanding = meeting.outstanding(parity).iter();
        if drain
            && outstanding
                .map(|count| count.load(Ordering::Relaxed))
                .sum::<i64>()
                == 0
        {
            break;
        }
        // What belongs to this round is written again in the next but one, after another meeting.
        parity = 1 - parity;
    }
}

/// A box is only ever opened by its sender or, a round later, by its receiver.
fn lock(mail: &Mutex<Mail>) -> std::sync::MutexGuard<'_, Mail> {
    mail.lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
