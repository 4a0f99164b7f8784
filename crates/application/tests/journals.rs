//! Journals of replays: they change nothing, and say how everything came to take as long as it did.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[path = "common/paths.rs"]
mod paths;

use std::path::Path;
use turnwise_application::Program;
use turnwise_application::collectives::{Preset, Selection};
use turnwise_application::formats::goal;
use turnwise_application::journal::{Journals, Memory, State, messages, timeline};
use turnwise_application::replay::{LogGops, replay, replay_kept};
use turnwise_application::skeletons::{BENCHMARKS, Class, Options};
use turnwise_application::{Calls, Graph};

fn costs() -> [LogGops; 3] {
    [
        LogGops::default(),
        LogGops {
            eager: 0,
            ..LogGops::default()
        },
        LogGops {
            overhead: 0,
            gap: 7,
            gap_per_byte: 3,
            overhead_per_byte: 5,
            latency: 1_000,
            eager: 100,
        },
    ]
}

fn kept(program: &dyn Program, costs: &LogGops) -> Journals {
    let journals = Journals::new(&[program.ranks()], Box::new(Memory::default()));
    let played = replay_kept(program, costs, &journals);
    journals.check().unwrap();
    assert_eq!(played, replay(program, costs));
    assert_eq!(played.stall, None);
    paths::checked(&journals, played.makespan());
    let (mut count, mut bytes) = (0, 0);
    let told = messages(&journals, &mut |message| {
        count += 1;
        bytes += message.bytes;
        let [left, arrived] = [message.left, message.arrived].map(Option::unwrap);
        let received = message.received.unwrap();
        assert!(message.posted <= left && left <= arrived && arrived <= received);
        Ok(())
    });
    told.unwrap();
    assert_eq!((count, bytes), (played.messages, played.bytes));
    journals
}

/// Among them ranks with several processors and interfaces.
#[test]
fn every_schedule_says_how_its_time_comes_to_be() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/reference/goal");
    let mut played = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "goal") {
            continue;
        }
        let program: Graph = goal::read(&std::fs::read(&path).unwrap()).unwrap();
        for costs in costs() {
            kept(&program, &costs);
            played += 1;
        }
    }
    assert_eq!(played, 39);
}

#[test]
fn every_benchmark_says_how_its_time_comes_to_be() {
    for benchmark in BENCHMARKS {
        for ranks in [4, 16, 64] {
            let program = benchmark.build(&Options {
                class: Class::S,
                ranks,
                iterations: Some(1),
                computing: 1.0,
            });
            let Ok(program) = program else { continue };
            let program = Calls::new(program, Selection::new(Preset::Mpich));
            for costs in costs() {
                kept(&program, &costs);
            }
        }
    }
}

/// More ranks than lines: those that are not on the path are told together.
#[test]
fn lines_of_many_ranks_are_condensed() {
    let ranks = 500;
    let mut text = format!("num_ranks {ranks}\n");
    for rank in 0..ranks {
        let time = 100 + rank % 7;
        text += &format!("rank {rank} {{\ncalc {time}\n}}\n");
    }
    let program = goal::read(text.as_bytes()).unwrap();
    let journals = kept(&program, &LogGops::default());
    let drawn = timeline(&journals).unwrap();
    assert_eq!(drawn.lines.len(), 100);
    assert_eq!(drawn.others.as_ref().unwrap().ranks, 400);
    assert!(drawn.lines.is_sorted_by_key(|line| line.rank));
    assert_eq!(drawn.lines[0].rank, 0);
    let lines = drawn.lines.iter().chain(&drawn.others);
    let computing: u64 = lines
        .flat_map(|line| &line.columns)
        .map(|column| column[State::Compute as usize])
        .sum();
    let expected: u64 = (0..ranks).map(|rank| 1000 * (100 + rank % 7)).sum();
    assert_eq!(computing, expected);
}

/// A message that waits for its receive has not left before, and has never left if nobody receives it.
#[test]
fn what_waits_for_its_receive_leaves_with_it() {
    let log = |text: &str| {
        let graph = goal::read(text.as_bytes()).unwrap();
        let journals = Journals::new(&[2], Box::new(Memory::default()));
        replay_kept(&graph, &LogGops::default(), &journals);
        let mut all = Vec::new();
        let told = messages(&journals, &mut |message| {
            all.push((message.posted, message.left, message.arrived));
            Ok(())
        });
        told.unwrap();
        all
    };
    let two = |first: &str, second: &str| {
        format!("num_ranks 2\nrank 0 {{\n{first}\n}}\nrank 1 {{\n{second}\n}}")
    };
    let second = Some(1_000_000_000_000);
    let late = "a: calc 1000000000\nb: recv 1000000b from 0\nb requires a";
    let send = "send 1000000b to 1";
    assert_eq!(log(&two(send, late)), [(0, second, second)]);
    assert_eq!(log(&two(send, "")), [(0, None, None)]);
    // Latency and overhead after it was sent, where it is awaited.
    let soon = Some(4_000_000);
    let awaited = log(&two(send, "recv 1000000b from 0"));
    assert_eq!(awaited, [(0, soon, soon)]);
    let eager = log(&two("send 8b to 1", "recv 8b from 0"));
    assert_eq!(eager, [(0, Some(1_500_000), soon)]);
}
