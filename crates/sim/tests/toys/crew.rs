//! Who simulates a network: threads, or processes with threads each.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use turnwise_sim::{Outcome, Processes, Setup, Simulation, Violation};

/// Threads of one process, or of several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crew {
    processes: Option<usize>,
    threads: usize,
    /// Are herding and channels over time recorded, too?
    watches: bool,
}

/// All that must do what one thread does.
pub(crate) fn crews() -> impl Iterator<Item = Crew> {
    let threads = (2..=4).map(Crew::from);
    let processes = [(2, 1), (4, 1), (3, 2)];
    threads.chain(processes.map(|(processes, threads)| Crew {
        processes: Some(processes),
        ..Crew::from(threads)
    }))
}

impl From<usize> for Crew {
    fn from(threads: usize) -> Self {
        Self {
            processes: None,
            threads,
            watches: false,
        }
    }
}

impl Crew {
    /// The same, recording all there is to record.
    pub(crate) fn watching(self) -> Self {
        Self {
            watches: true,
            ..self
        }
    }

    pub(crate) fn simulate(self, setup: Setup<'_>) -> Result<Outcome, Violation> {
        let threads = self.threads;
        let simulation = || {
            Simulation::new(Setup { threads, ..setup })
                .with_herding(self.watches.then_some(200))
                .with_channel_course(self.watches.then_some(128))
        };
        let Some(count) = self.processes else {
            return simulation().run();
        };
        let outcomes: Vec<_> = std::thread::scope(|scope| {
            let processes = Process::all(count)
                .into_iter()
                .map(|process| scope.spawn(move || simulation().run_among(&process, |_| true)));
            let processes: Vec<_> = processes.collect();
            processes
                .into_iter()
                .map(|process| process.join().unwrap())
                .collect()
        });
        let mut outcomes = outcomes.into_iter().map(|outcome| outcome.unwrap());
        let first = outcomes.next().flatten();
        assert!(outcomes.all(|other| other.is_none()));
        Ok(first.unwrap())
    }
}

/// A thread that takes part as if it were a process: it shares nothing with the others but these pipes.
pub(crate) struct Process {
    rank: usize,
    /// By rank.
    to: Vec<Mutex<Sender<Vec<u8>>>>,
    from: Vec<Mutex<Receiver<Vec<u8>>>>,
}

impl Process {
    pub(crate) fn all(count: usize) -> Vec<Self> {
        let mut all: Vec<Self> = (0..count)
            .map(|rank| Self {
                rank,
                to: Vec::new(),
                from: Vec::new(),
            })
            .collect();
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

impl Processes for Process {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.to.len()
    }

    fn exchange(&self, outgoing: &[Vec<u8>], incoming: &mut [Vec<u8>]) {
        let others = || (0..self.count()).filter(|&other| other != self.rank);
        for other in others() {
            let to = self.to[other].lock().unwrap();
            to.send(outgoing[other].clone()).unwrap();
        }
        for other in others() {
            incoming[other] = self.from[other].lock().unwrap().recv().unwrap();
        }
    }
}
