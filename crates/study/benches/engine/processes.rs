//! What processes of one simulation tell each other: `-- --processes`.
//!
//! Counted over pipes between threads, so that it is the same everywhere and takes no MPI.

use super::machines::{LARGE, MACHINES, Machine};
use std::sync::atomic::{AtomicU64, Ordering};
use turnwise_sim::{Outcome, Pipes, Processes, Setup, Simulation};

/// Processes that are compared.
const COUNTS: [usize; 4] = [2, 4, 16, 64];
/// Simulated cycles.
const CYCLES: u64 = 600;

/// Pipes that count what goes through them.
struct Counted<'a> {
    pipes: Pipes,
    bytes: &'a AtomicU64,
    rounds: &'a AtomicU64,
}

impl Processes for Counted<'_> {
    fn rank(&self) -> usize {
        self.pipes.rank()
    }

    fn count(&self) -> usize {
        self.pipes.count()
    }

    fn exchange(&self, outgoing: &[Vec<u8>], incoming: &mut [Vec<u8>]) {
        let bytes: usize = self.others().map(|other| outgoing[other].len()).sum();
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        self.rounds.fetch_add(1, Ordering::Relaxed);
        self.pipes.exchange(outgoing, incoming);
    }
}

/// Prints a table of what is exchanged.
pub(crate) fn compare(wanted: impl Fn(&&Machine) -> bool) {
    println!(
        "| network | load | processes | cycles a round | bytes a flit-hop | bytes a process and round |"
    );
    println!("|---|---|---|---|---|---|");
    let large = LARGE.iter().chain(&MACHINES).filter(wanted);
    for (machine, &load) in
        large.flat_map(|machine| machine.loads.iter().map(move |load| (machine, load)))
    {
        for count in COUNTS {
            let (bytes, rounds) = (AtomicU64::new(0), AtomicU64::new(0));
            let outcome = together(machine, load, count, &bytes, &rounds);
            let (bytes, rounds) = (bytes.into_inner() as f64, rounds.into_inner() as f64);
            println!(
                "| {} | {load} | {count} | {:.1} | {:.2} | {:.0} |",
                machine.name,
                outcome.cycles as f64 * count as f64 / rounds,
                bytes / outcome.flit_hops as f64,
                bytes / rounds,
            );
        }
    }
}

/// A run by so many processes.
fn together(
    machine: &Machine,
    load: f64,
    count: usize,
    bytes: &AtomicU64,
    rounds: &AtomicU64,
) -> Outcome {
    let experiment = machine.experiment(load, 1, CYCLES);
    let experiment = &experiment;
    std::thread::scope(|scope| {
        let processes = Pipes::connect(count).into_iter().map(|pipes| {
            let process = Counted {
                pipes,
                bytes,
                rounds,
            };
            scope.spawn(move || {
                let setup = Setup {
                    threads: 1,
                    ..experiment.setup()
                };
                Simulation::new(setup).run_among(&process, |_| true)
            })
        });
        let processes: Vec<_> = processes.collect();
        let mut outcomes = processes
            .into_iter()
            .map(|process| process.join().unwrap().unwrap());
        let first = outcomes.next().flatten();
        outcomes.for_each(drop);
        first.unwrap()
    })
}
