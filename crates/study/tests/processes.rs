//! What several processes simulate together is what one does alone.

#![allow(clippy::unwrap_used)] // helpers are tests too

use crate::stack::{figure, plan, run};
use std::sync::atomic::{AtomicUsize, Ordering};
use turnwise_sim::{Pipes, Processes};
use turnwise_study::memory::Budget;
use turnwise_study::processes::{Leader, agree, follow, meet};
use turnwise_study::row::Row;
use turnwise_study::runner::RunSummary;
use turnwise_study::searches::Searches;
use turnwise_study::trial::Trial;

/// Networks of every family, traffic of every kind, and all that is measured on the way.
const STUDIES: [&str; 6] = [
    "[network]
kind = 'torus'
sizes = [6, 6]
[routing]
kind = 'dimension-order'
[router]
virtual_channels = 4
[traffic]
pattern = 'tornado'
[simulation]
find_saturation = true
warmup_cycles = 200
measure_cycles = 600
[sweep]
'traffic.load' = [0.1, 0.5]
",
    "[network]
kind = 'dragonfly'
groups = 9
routers_per_group = 4
terminals_per_router = 2
global_ports_per_router = 2
[router]
virtual_channels = 6
[traffic]
pattern = 'uniform'
load = 0.4
[simulation]
warmup_cycles = 200
measure_cycles = 600
herding_cycles = 100
channel_interval_cycles = 200
[sweep]
'routing.kind' = ['minimal', 'ugal', 'piggyback', 'informed', 'in-transit']
",
    "[network]
kind = 'k-ary-n-tree'
arity = 4
levels = 3
[routing]
kind = 'adaptive-nca'
[traffic]
pattern = 'transpose'
load = 0.6
packet_flits = 5
[simulation]
warmup_cycles = 200
measure_cycles = 600
",
    "[network]
kind = 'random-regular'
routers = 40
degree = 5
[network.faults]
random_links = 3
[routing]
kind = 'turnwise'
[traffic]
pattern = 'uniform'
load = 0.2
[simulation]
warmup_cycles = 200
measure_cycles = 600
",
    "[network]
kind = 'megafly'
half_radix = 4
groups = 5
[router]
kind = 'input-output-queued'
virtual_channels = 4
[workload]
kind = 'request-reply'
pattern = 'uniform'
[routing]
kind = 'minimal'
[simulation]
warmup_cycles = 200
measure_cycles = 1000
",
    "[study]
clock = '1 GHz'
flit_size = '16 B'
[network]
kind = 'k-ary-n-tree'
arity = 4
levels = 2
[workload]
kind = 'npb'
program = 'cg'
class = 'S'
ranks = 16
iterations = 1
computing = 0
[routing]
kind = 'd-mod-k'
",
];

/// Rows without the seconds they took.
fn told(rows: &[Row]) -> Vec<String> {
    let rows = rows.iter().map(|row| {
        let mut object = row.clone().into_object();
        object.remove("seconds");
        serde_json::to_string(&object).unwrap()
    });
    rows.collect()
}

/// A study by several processes, of which the others read `other`.
fn together(text: &str, other: &str, processes: usize, threads: usize) -> (Vec<Row>, RunSummary) {
    std::thread::scope(|scope| {
        let mut pipes = Pipes::connect(processes).into_iter();
        let first = pipes.next().unwrap();
        for pipe in pipes {
            scope.spawn(move || follow(&plan(other), &pipe, &|| false));
        }
        run(&plan(text), threads, Some(&Leader::new(&first)))
    })
}

#[test]
fn rows_do_not_tell_how_many_processes_there_were() {
    for text in STUDIES {
        let (rows, summary) = run(&plan(text), 1, None);
        assert!(
            summary.failures.is_empty(),
            "{:?}\n{text}",
            summary.failures
        );
        for (processes, threads) in [(2, 1), (4, 1), (2, 2)] {
            let (others, summary) = together(text, text, processes, threads);
            assert!(
                summary.failures.is_empty(),
                "{:?}\n{text}",
                summary.failures
            );
            assert_eq!(
                told(&others),
                told(&rows),
                "{processes} x {threads}\n{text}"
            );
        }
    }
}

/// What the first of so many processes keeps of the only point of a study beside its row: details, and the log of messages.
fn kept(text: &str, processes: usize) -> (Vec<u8>, String) {
    let folder = tempfile::tempdir().unwrap();
    let found = std::thread::scope(|scope| {
        let mut pipes = Pipes::connect(processes).into_iter();
        let first = pipes.next().unwrap();
        for pipe in pipes {
            scope.spawn(move || follow(&plan(text), &pipe, &|| false));
        }
        let plan = plan(text);
        let leader = Leader::new(&first);
        let trial = Trial {
            plan: &plan,
            threads: 1,
            budget: &Budget::default(),
            searches: &Searches::default(),
            memory: None,
            messages: Some(folder.path()),
            leader: (processes > 1).then_some(&leader),
        };
        let planned = plan.point(0).unwrap();
        trial.run(&planned, &|| false).unwrap().unwrap()
    });
    let messages = std::fs::read_to_string(folder.path().join("point-0.csv")).unwrap();
    (found.details.unwrap(), messages)
}

/// A process that counts how often it exchanges anything with others.
struct Counted(Pipes, AtomicUsize);

impl Processes for Counted {
    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn count(&self) -> usize {
        self.0.count()
    }

    fn exchange(&self, outgoing: &[Vec<u8>], incoming: &mut [Vec<u8>]) {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.exchange(outgoing, incoming);
    }
}

/// Some fifty packets in three million cycles, and processes exchange what they have for a few dozen cycles for each.
#[test]
fn idle_cycles_cost_no_exchange() {
    let text = "[network]
kind = 'torus'
sizes = [6, 6]
[routing]
kind = 'dimension-order'
[router]
virtual_channels = 2
[traffic]
pattern = 'uniform'
load = 5e-7
[simulation]
warmup_cycles = 0
measure_cycles = 3_000_000
";
    let (rows, _) = run(&plan(text), 1, None);
    let mut pipes = Pipes::connect(2).into_iter();
    let (first, other) = (pipes.next().unwrap(), pipes.next().unwrap());
    let first = Counted(first, AtomicUsize::new(0));
    let (others, _) = std::thread::scope(|scope| {
        scope.spawn(move || follow(&plan(text), &other, &|| false));
        run(&plan(text), 1, Some(&Leader::new(&first)))
    });
    assert_eq!(told(&others), told(&rows));
    let (exchanges, packets) = (first.1.into_inner(), figure(&rows[0], "packets"));
    assert!(packets > 20.0, "{packets} packets");
    assert!(
        exchanges < 10_000,
        "{exchanges} exchanges for {packets} packets"
    );
}

#[test]
fn journals_of_ranks_are_those_of_one_process() {
    let study = format!("{}[simulation]\ntimeline = true\n", STUDIES[5]);
    let (details, messages) = kept(&study, 1);
    assert!(messages.lines().count() > 100);
    for processes in [2, 3, 4] {
        let (others, log) = kept(&study, processes);
        assert_eq!(log, messages, "{processes} processes");
        assert!(others == details, "{processes} processes");
    }
}

#[test]
fn another_study_is_noticed() {
    let text = STUDIES[2];
    let (rows, summary) = together(text, &text.replace("0.6", "0.5"), 3, 1);
    assert!(rows.is_empty());
    let [failure] = &summary.failures[..] else {
        panic!("{:?}", summary.failures)
    };
    let words = "process 1: it has read another study than the first one";
    assert_eq!(failure.message, words);
}

/// Before anything is simulated, all hear it, whichever study is longer.
#[test]
fn who_has_read_another_study_is_told_of_at_once() {
    let longer = format!("{}[sweep]\n'traffic.load' = [0.6, 0.7]\n", STUDIES[2]);
    for (texts, same) in [
        ([STUDIES[2]; 2], true),
        ([STUDIES[2], &longer], false),
        ([&longer, STUDIES[2]], false),
    ] {
        let said: Vec<Result<(), String>> = std::thread::scope(|scope| {
            let pipes = Pipes::connect(2).into_iter().zip(texts);
            let meets = |(pipe, text)| scope.spawn(move || meet(&plan(text), &pipe));
            let threads: Vec<_> = pipes.map(meets).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        let words = "process 1: it has read another study than the first one";
        let expected = if same { Ok(()) } else { Err(words.to_owned()) };
        assert_eq!(said, [expected.clone(), expected]);
    }
}

/// Whatever the first one says in another version's words, or answers, nobody waits for ever.
#[test]
fn another_turnwise_is_noticed() {
    std::thread::scope(|scope| {
        let mut pipes = Pipes::connect(2).into_iter();
        let (first, other) = (pipes.next().unwrap(), pipes.next().unwrap());
        scope.spawn(move || follow(&plan(STUDIES[2]), &other, &|| false));
        first.tell_all(br#"{"point":1}"#.to_vec());
        let said = agree(&first, Ok(())).unwrap_err();
        assert_eq!(
            said,
            "process 1: it is another turnwise, which does not understand the first one"
        );
        // Nothing more is to be simulated.
        first.tell_all(b"null".to_vec());
    });
    std::thread::scope(|scope| {
        let mut pipes = Pipes::connect(2).into_iter();
        let (first, other) = (pipes.next().unwrap(), pipes.next().unwrap());
        scope.spawn(move || other.tell_all(b"yes".to_vec()));
        let said = agree(&first, Ok(())).unwrap_err();
        assert_eq!(
            said,
            "process 1: it is another turnwise, which does not understand this one"
        );
    });
}

#[test]
fn who_cannot_go_on_is_heard_by_all() {
    let said = std::thread::scope(|scope| {
        let pipes = Pipes::connect(3).into_iter().enumerate();
        let threads = pipes.map(|(rank, pipe)| {
            let mine = if rank == 1 {
                Err("no".to_owned())
            } else {
                Ok(())
            };
            scope.spawn(move || agree(&pipe, mine))
        });
        let threads: Vec<_> = threads.collect();
        let said = threads.into_iter().map(|thread| thread.join().unwrap());
        said.collect::<Vec<_>>()
    });
    assert_eq!(said, vec![Err("process 1: no".to_owned()); 3]);
}
