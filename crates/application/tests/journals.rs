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
