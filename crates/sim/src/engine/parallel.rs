//! Several domains at once, one thread each, and perhaps some in other processes.
//!
//! No event in one domain affects another one before the look-ahead is over. So every domain simulates
//! that many cycles on its own; then all exchange their outboxes and go on. Where nothing can happen anywhere for a
//! while, the look-ahead begins behind that: idle cycles cost no exchange. Every event happens in the same cycle as with
//! one domain, whatever the timing of the threads.

use super::abroad::Abroad;
use super::domain::{Domain, Until};
use super::outbox::Outbox;
use super::outlook::Outlook;
use crate::processes::Processes;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Where the threads of a process wait for each other.
struct Barrier {
    threads: usize,
    waiting: AtomicUsize,
    round: AtomicUsize,
    /// Threads that sleep until the next round, or are about to.
    asleep: AtomicUsize,
    bed: Mutex<()>,
    morning: Condvar,
    /// Has a thread panicked? It will not reach the barrier.
    broken: AtomicBool,
    /// By round's parity, sender and receiver.
    outboxes: Vec<Mutex<Outbox>>,
    /// By round's parity and domain.
    said: Vec<Said>,
}

/// What a domain says of itself at the end of a round.
#[derive(Default)]
struct Said {
    left_over: AtomicI64,
    due: AtomicU64,
}

impl Said {
    fn say(&self, outlook: Outlook) {
        self.left_over.store(outlook.left_over, Ordering::Relaxed);
        self.due.store(outlook.due, Ordering::Relaxed);
    }

    fn heard(&self) -> Outlook {
        Outlook {
            left_over: self.left_over.load(Ordering::Relaxed),
            due: self.due.load(Ordering::Relaxed),
        }
    }
}

impl Barrier {
    fn new(threads: usize) -> Self {
        let boxes = 2 * threads * threads;
        Self {
            threads,
            waiting: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            asleep: AtomicUsize::new(0),
            bed: Mutex::new(()),
            morning: Condvar::new(),
            broken: AtomicBool::new(false),
            outboxes: std::iter::repeat_with(Mutex::default).take(boxes).collect(),
            said: std::iter::repeat_with(Said::default)
                .take(2 * threads)
                .collect(),
        }
    }

    fn outbox(&self, parity: usize, from: usize, to: usize) -> &Mutex<Outbox> {
        &self.outboxes[(parity * self.threads + from) * self.threads + to]
    }

    fn said(&self, parity: usize) -> &[Said] {
        &self.said[parity * self.threads..(parity + 1) * self.threads]
    }

    /// Waits until everybody is here.
    fn wait(&self) {
        /// Polls before a thread sleeps: about as long as waking it takes. Others have their cores then, and it is sooner back than
        /// if it gave its core away again and again where other programs are busy.
        const PATIENCE: u32 = 300;
        let round = self.round.load(Ordering::Acquire);
        if self.waiting.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.waiting.store(0, Ordering::Relaxed);
            // Either who is about to sleep sees the new round, or it is seen here.
            self.round.store(round.wrapping_add(1), Ordering::SeqCst);
            if self.asleep.load(Ordering::SeqCst) > 0 {
                self.wake();
            }
            return;
        }
        for _ in 0..PATIENCE {
            if self.round.load(Ordering::Acquire) != round {
                return;
            }
            std::hint::spin_loop();
        }
        self.sleep(round);
    }

    /// Sleeps until a round is over.
    fn sleep(&self, round: usize) {
        self.asleep.fetch_add(1, Ordering::SeqCst);
        let mut bed = lock(&self.bed);
        while self.round.load(Ordering::SeqCst) == round {
            assert!(
                !self.broken.load(Ordering::SeqCst),
                "another thread of the simulation panicked"
            );
            let woken = self.morning.wait(bed);
            bed = woken.unwrap_or_else(PoisonError::into_inner);
        }
        drop(bed);
        self.asleep.fetch_sub(1, Ordering::SeqCst);
    }

    /// Wakes all that sleep.
    fn wake(&self) {
        // Who is about to sleep holds the lock until it does.
        drop(lock(&self.bed));
        self.morning.notify_all();
    }
}

/// Tells the others if its thread panics.
struct Alarm<'a>(&'a Barrier);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.broken.store(true, Ordering::SeqCst);
            self.0.wake();
        }
    }
}

/// Simulates all domains of this process from the common present of all to cycle `end`, or until nobody has anything
/// left over.
pub(super) fn run<const ONE_WORD: bool, const PLAIN: bool>(
    domains: &mut [Domain<'_, ONE_WORD, PLAIN>],
    processes: Option<&dyn Processes>,
    end: u64,
    until: Until,
) {
    let barrier = Barrier::new(domains.len());
    let abroad = processes.map(|processes| Abroad::new(processes, domains[0].partition));
    let abroad = abroad.as_ref();
    std::thread::scope(|scope| {
        let (first, others) = domains.split_at_mut(1);
        for domain in others {
            scope.spawn(|| stretch(domain, &barrier, abroad, end, until));
        }
        stretch(&mut first[0], &barrier, abroad, end, until);
    });
}

/// One domain's part.
fn stretch<const ONE_WORD: bool, const PLAIN: bool>(
    domain: &mut Domain<'_, ONE_WORD, PLAIN>,
    barrier: &Barrier,
    abroad: Option<&Abroad<'_>>,
    last: u64,
    until: Until,
) {
    let _alarm = Alarm(barrier);
    // Domains of this process, from the first on.
    let first = usize::from(domain.number) / barrier.threads * barrier.threads;
    let me = usize::from(domain.number) - first;
    // Whether all have arrived must be known in every cycle. When everything has settled nothing happens any more, so
    // that it does not matter how late this is noticed.
    let lookahead = match until {
        Until::Drained => 1,
        Until::Cycle | Until::Settled => domain.partition.lookahead,
    };
    let (mut parity, mut due) = (0, domain.now);
    while domain.now < last {
        let idle_until = due.max(domain.now);
        domain.run_until(idle_until.saturating_add(lookahead).min(last));
        barrier.said(parity)[me].say(domain.outlook(until));
        for to in (0..barrier.threads).filter(|&to| to != me) {
            let mut place = lock(barrier.outbox(parity, me, to));
            std::mem::swap(&mut *place, &mut domain.outboxes[first + to]);
        }
        if let Some(abroad) = abroad {
            abroad.pack(me, &mut domain.outboxes);
        }
        barrier.wait();
        let here = barrier.said(parity).iter().map(Said::heard);
        let mut all = here.fold(Outlook::NOTHING, Outlook::and);
        if let Some(abroad) = abroad {
            if me == 0 {
                abroad.exchange(all);
            }
            barrier.wait();
            all = all.and(abroad.outlook());
            abroad.unpack(first + me, |outbox| domain.open(outbox));
        }
        for from in (0..barrier.threads).filter(|&from| from != me) {
            domain.open(&mut lock(barrier.outbox(parity, from, me)));
        }
        if all.left_over == 0 {
            break;
        }
        due = all.due;
        // This round's slots are written again two rounds later, after another barrier.
        parity = 1 - parity;
    }
}

/// An outbox is only ever opened by its sender or, a round later, by its receiver.
fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_sleeps_ends_if_another_thread_panics() {
        let barrier = Barrier::new(2);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| barrier.wait());
            // Until it sleeps, or nearly does.
            while barrier.asleep.load(Ordering::SeqCst) == 0 {
                std::thread::yield_now();
            }
            let panics = scope.spawn(|| {
                let _alarm = Alarm(&barrier);
                panic!("on purpose");
            });
            assert!(panics.join().is_err() && waits.join().is_err());
        });
    }
}
