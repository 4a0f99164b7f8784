//! What the engine costs: `make bench`, or `cargo bench -p turnwise-study --bench engine`.
//!
//! A fixed matrix of networks, loads and lengths of packets on one thread: flit-hops per CPU-second,
//! instructions a flit-hop where there is a valgrind, and bytes of memory a router. The whole
//! matrix goes to `docs/results/engine-bench.csv` and `.md` as well.
//!
//! `-- NAME` prints the rows of networks whose name contains it and writes nothing, `-- --threads`
//! how much faster they are on all cores, `-- --large` machines of the largest size there is.
//! `-- --guard` counts the instructions of a few rows and fails if there are more than the file has, `-- --guard COMMAND` those of
//! a `turnwise` that is built, against what `-- --keep COMMAND` has kept of one; `-- --adaptive`, or `-- --adaptive COMMAND`, how many
//! more adaptive routing takes than minimal, `-- --processes` counts what several processes tell each other. Commands are given by their whole paths.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark reports"
)]
#![allow(clippy::unwrap_used, reason = "its studies are its own")]

mod adaptive;
mod count;
mod guard;
mod machines;
mod processes;
mod table;

use machines::{ADAPTIVE, BUBBLE, LARGE, MACHINES, Machine};
use std::path::Path;
use std::time::Instant;
use turnwise_sim::{Outcome, Setup, Simulation};
use turnwise_study::estimate::Estimate;
use turnwise_study::workshop::Experiment;

/// Times that each run is timed; the quickest counts, because others only ever disturb it.
const REPETITIONS: usize = 3;
/// The same where one thread is compared with several.
const ALTERNATIONS: usize = 5;
/// Lengths of packets, in flits.
const LENGTHS: [u32; 2] = [1, 5];

/// One combination of the matrix.
pub(crate) struct Row<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) load: f64,
    pub(crate) flits: u32,
}

/// What was found out about it.
pub(crate) struct Result {
    pub(crate) accepted: f64,
    pub(crate) flit_hops: u64,
    pub(crate) flit_hops_per_second: f64,
    pub(crate) instructions: Option<f64>,
    pub(crate) bytes_per_router: u64,
}

/// Simulates; the outcome, and the seconds it took of one CPU, or of the clock on several threads.
pub(crate) fn simulate(experiment: &Experiment, threads: usize) -> (Outcome, f64) {
    let setup = Setup {
        threads,
        ..experiment.setup()
    };
    let (start, before) = (Instant::now(), cpu_seconds());
    let outcome = Simulation::new(setup).run().unwrap();
    let seconds = match (before, cpu_seconds()) {
        (Some(before), Some(after)) if threads == 1 => after - before,
        _ => start.elapsed().as_secs_f64(),
    };
    (outcome, seconds)
}

/// Seconds this thread has run on a CPU, where the system tells.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

impl Row<'_> {
    fn measure(&self, counts: bool) -> Result {
        let experiment = self
            .machine
            .experiment(self.load, self.flits, self.machine.cycles);
        let (outcome, mut seconds) = simulate(&experiment, 1);
        for _ in 1..REPETITIONS {
            seconds = seconds.min(simulate(&experiment, 1).1);
        }
        let routers = experiment.routed.network.router_count() as u64;
        Result {
            accepted: outcome.measurement.accepted_load.mean,
            flit_hops: outcome.flit_hops,
            flit_hops_per_second: outcome.flit_hops as f64 / seconds,
            instructions: counts.then(|| count::count(self)),
            bytes_per_router: Estimate::of(&experiment, 1).engine_bytes / routers,
        }
    }

    /// Prints how much faster several threads are: the quickest of a few runs each, in turn, because others
    /// only ever disturb them.
    fn compare_threads(&self) {
        let experiment = self
            .machine
            .experiment(self.load, self.flits, self.machine.cycles);
        let cores = turnwise_study::runner::all_cores();
        let (mut alone, mut together) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..ALTERNATIONS {
            let start = Instant::now();
            simulate(&experiment, 1);
            alone = alone.min(start.elapsed().as_secs_f64());
            together = together.min(simulate(&experiment, cores).1);
        }
        println!(
            "{} {} {}: {alone:.2} s on one thread, {together:.2} s on {cores}, {:.2} times as fast",
            self.machine.name,
            self.load,
            self.flits,
            alone / together
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    if count::answer(&arguments, MACHINES.iter().chain(&ADAPTIVE)) {
        return;
    }
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let command = arguments.iter().find(|text| !text.starts_with("--"));
    let command = command.map(Path::new);
    if has("--guard") {
        std::process::exit(guard::guard(command));
    }
    if has("--keep") {
        return guard::keep(command.expect("which command?"));
    }
    if has("--adaptive") {
        return adaptive::compare(command);
    }
    let wanted: Vec<&String> = arguments
        .iter()
        .filter(|text| !text.starts_with("--"))
        .collect();
    let is_wanted = |machine: &&Machine| {
        wanted.is_empty() || wanted.iter().any(|&part| machine.name.contains(part))
    };
    if has("--processes") {
        return processes::compare(is_wanted);
    }
    let (machines, lengths) = match has("--large") {
        true => (&LARGE[..], &LENGTHS[..1]),
        false => (&MACHINES[..], &LENGTHS[..]),
    };
    let threaded = has("--threads").then_some(&BUBBLE);
    let machines = machines.iter().chain(threaded);
    let rows = machines.filter(is_wanted).flat_map(|machine| {
        let pairs = machine
            .loads
            .iter()
            .flat_map(|&load| lengths.iter().map(move |&flits| (load, flits)));
        pairs.map(move |(load, flits)| Row {
            machine,
            load,
            flits,
        })
    });
    if has("--threads") {
        rows.for_each(|row| row.compare_threads());
        return;
    }
    let counts = count::is_possible() && !has("--large");
    if !counts {
        println!(
            "instructions are not counted: that needs valgrind, and machines that are not large"
        );
    }
    println!("{}", table::HEADER);
    let mut table = table::Table::default();
    for row in rows {
        let result = row.measure(counts);
        println!("{}", table.add(&row, &result));
    }
    if wanted.is_empty() && counts {
        table.write();
    }
}
