//! Who simulates a network: threads, or processes with threads each.

use turnwise_sim::{Outcome, Pipes, Setup, Simulation, Violation};

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
            let processes = Pipes::connect(count)
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
