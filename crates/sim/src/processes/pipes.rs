//! Threads that take part as processes: they share nothing but pipes.

use super::Processes;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One of several threads that each simulate a part of a network as if they were processes of their own.
///
/// For tests, and for programs that want to see what processes need without starting any.
pub struct Pipes {
    rank: usize,
    /// By rank.
    to: Vec<Mutex<Sender<Vec<u8>>>>,
    from: Vec<Mutex<Receiver<Vec<u8>>>>,
}

impl Pipes {
    /// So many, each for one thread.
    pub fn connect(count: usize) -> Vec<Self> {
        let alone = |rank| Self {
            rank,
            to: Vec::new(),
            from: Vec::new(),
        };
        let mut all: Vec<Self> = (0..count).map(alone).collect();
        for from in 0..count {
            for to in 0..count {
                let (sender, receiver) = channel();
                all[from].to.push(Mutex::new(sender));
                all[to].from.push(Mutex::new(receiver));
            }
        }
        all
    }
}

impl Processes for Pipes {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.to.len()
    }

    fn exchange(&self, outgoing: &[Vec<u8>], incoming: &mut [Vec<u8>]) {
        const GONE: &str = "another process is gone";
        for other in self.others() {
            let sent = lock(&self.to[other]).send(outgoing[other].clone());
            sent.expect(GONE);
        }
        for other in self.others() {
            incoming[other] = lock(&self.from[other]).recv().expect(GONE);
        }
    }
}

fn lock<T>(end: &Mutex<T>) -> MutexGuard<'_, T> {
    end.lock().unwrap_or_else(PoisonError::into_inner)
}
