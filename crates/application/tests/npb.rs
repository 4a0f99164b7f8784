//! The skeletons against traces of the real programs, call by call.

#![allow(clippy::unwrap_used)] // helpers are tests too

mod common;

use common::{bytes, names, reference};
use std::io::{BufRead, BufReader};
use turnwise_application::collectives::Kind;
use turnwise_application::skeletons::{Benchmark, Class, Options};
use turnwise_application::{Call, Calling, Group};

/// What a trace is called, and what ran.
struct Run {
    name: String,
    program: Box<dyn Calling>,
}

fn run(name: &str) -> Run {
    let mut parts = name.split('.');
    let mut part = || parts.next().unwrap();
    let benchmark = part();
    let class = part();
    let class = Class::ALL
        .into_iter()
        .find(|it| it.to_string() == class)
        .unwrap();
    let ranks = part().parse().unwrap();
    // In these classes LU and BT were traced with 10 time steps.
    let is_short = matches!(benchmark, "lu" | "bt") && class != Class::S && name != "lu.W.16";
    let options = Options {
        class,
        ranks,
        iterations: is_short.then_some(10),
        computing: 1.0,
    };
    Run {
        name: name.to_owned(),
        program: Benchmark::named(benchmark)
            .unwrap()
            .build(&options)
            .unwrap(),
    }
}

/// A call as the traces have it: name, peer, tag, bytes; -2 where there is no peer, and the bytes of receives
/// when they are done.
type Line = (&'static str, i64, i64, u64);

fn line(call: &Call) -> Option<Line> {
    Some(match call {
        Call::Compute(_) => return None,
        Call::Send(message) => (
            "send",
            message.peer.into(),
            message.tag.into(),
            message.bytes,
        ),
        Call::Recv(message) => (
            "recv",
            message.peer.into(),
            message.tag.into(),
            message.bytes,
        ),
        Call::Isend(message, _) => (
            "isend",
            message.peer.into(),
            message.tag.into(),
            message.bytes,
        ),
        Call::Irecv(message, _) => (
            "irecv",
            message.peer.into(),
            message.tag.into(),
            message.bytes,
        ),
        Call::Wait(_) => ("wait", 0, 0, 1),
        Call::Waitall(count) => ("waitall", 0, 0, (*count).into()),
        Call::Collective(collective, _) => match collective.kind {
            Kind::AllReduce => ("allreduce", -2, 0, collective.bytes),
            Kind::Reduce => ("reduce", collective.root.into(), 0, collective.bytes),
            Kind::AllToAll if collective.lengths.is_some() => ("alltoallv", -2, 0, 0),
            Kind::AllToAll => ("alltoall", -2, 0, collective.bytes),
            other => panic!("no benchmark has a {}", other.name()),
        },
    })
}

/// All that a rank calls.
fn calls(program: &dyn Calling, rank: u32) -> impl Iterator<Item = Call> + use<> {
    let mut caller = program.caller(rank);
    let (mut part, mut is_last) = (0, false);
    std::iter::from_fn(move || {
        if is_last {
            return None;
        }
        let mut calls = Vec::new();
        is_last = caller.calls(part, &mut calls);
        part += 1;
        Some(calls)
    })
    .flatten()
}

/// What follows the timed region, and what only the tracer wrote.
const AFTER: [&str; 4] = ["finalize", "barrier", "bcast", "done"];

/// Compares a trace with its skeleton; how many calls were compared.
fn compare(run: &Run) -> u64 {
    let file = bytes(&format!("npb/events/{}.events.csv", run.name));
    let mut of_rank: Vec<Box<dyn Iterator<Item = Line>>> = (0..run.program.ranks())
        .map(|rank| {
            let lines = calls(&*run.program, rank).filter_map(|call| line(&call));
            Box::new(lines) as Box<dyn Iterator<Item = Line>>
        })
        .collect();
    // Receives by request: what the skeleton says has come.
    let mut requests = vec![Vec::new(); of_rank.len()];
    let mut compared = 0;
    for text in BufReader::new(&file[..]).lines().skip(1) {
        let text = text.unwrap();
        let fields: Vec<&str> = text.split(',').collect();
        let number = |index: usize| fields[index].parse::<i64>().unwrap();
        let (rank, op, request) = (number(0) as usize, fields[2], number(7));
        if fields[1] != "T" || op == "a2av" {
            continue;
        }
        let place = || format!("{}: {text}", run.name);
        if op == "done" {
            let expected: &mut Vec<Option<Line>> = &mut requests[rank];
            let expected = match request {
                -1 => expected.first().copied().flatten(),
                slot => expected.get(slot as usize + 1).copied().flatten(),
            };
            if let Some((_, peer, tag, bytes)) = expected.filter(|_| number(3) != -3) {
                assert_eq!(
                    (peer, tag, bytes as i64),
                    (number(3), number(4), number(5)),
                    "{}",
                    place()
                );
            }
            continue;
        }
        let Some(told) = of_rank[rank].next() else {
            let is_after = AFTER.contains(&op)
                || op == "reduce"
                || run.name.starts_with("lu")
                || run.name.starts_with("bt")
                || run.name.starts_with("is");
            assert!(is_after, "{} goes on after its skeleton", place());
            requests[rank].clear();
            continue;
        };
        compared += 1;
        let (name, peer, tag, bytes) = told;
        assert_eq!(name, op, "{}", place());
        match op {
            "wait" => {}
            "irecv" | "recv" | "isend" => {
                assert_eq!((peer, tag), (number(3), number(4)), "{}", place());
                // Buffers of receives may be longer than what comes.
                assert!(
                    bytes <= number(5) as u64 && (op != "isend" || bytes == number(5) as u64),
                    "{}",
                    place()
                );
                let slot = (request + 1) as usize;
                let requests = &mut requests[rank];
                if requests.len() <= slot {
                    requests.resize(slot + 1, None);
                }
                requests[slot] = (op != "isend").then_some(told);
            }
            "alltoallv" => assert_eq!(peer, number(3), "{}", place()),
            _ => assert_eq!(
                (peer, tag, bytes),
                (number(3), number(4), number(5) as u64),
                "{}",
                place()
            ),
        }
    }
    compared
}

/// How many calls an independent skeleton has, by trace: `skeleton_check.txt`.
fn totals() -> Vec<(String, u64)> {
    let text = reference("npb/skeleton_check.txt");
    let lines = text.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        Some((words.first()?.to_string(), words.get(3)?.parse().ok()?))
    });
    lines.collect()
}

#[test]
fn skeletons_call_what_the_programs_call() {
    let names = names("npb/events", ".events.csv.zst");
    assert_eq!(names.len(), 52);
    let compared: u64 = names.iter().map(|name| compare(&run(name))).sum();
    assert_eq!(compared, 2_867_258);
}

#[test]
fn skeletons_call_as_often_as_the_programs() {
    let totals = totals();
    assert_eq!(totals.len(), 52);
    let mut all = 0;
    for (name, total) in totals {
        let run = run(&name);
        let ranks = 0..run.program.ranks();
        let of_rank = |rank| {
            calls(&*run.program, rank)
                .filter_map(|call| line(&call))
                .count() as u64
        };
        let calls: u64 = ranks.map(of_rank).sum();
        assert_eq!(calls, total, "{name}");
        all += calls;
    }
    assert_eq!(all, 16_391_922);
}

#[test]
fn messages_between_ranks_are_as_many_and_as_long() {
    for name in names("npb/matrices", ".p2p.csv") {
        // After the loop LU and BT check their result.
        if ["lu", "bt"].contains(&&name[..2]) {
            continue;
        }
        let run = run(&name);
        let ranks = run.program.ranks() as usize;
        let mut found = vec![(0, 0); ranks * ranks];
        for rank in 0..ranks {
            for call in calls(&*run.program, rank as u32) {
                if let Call::Send(message) | Call::Isend(message, _) = call {
                    let pair = &mut found[rank * ranks + message.peer as usize];
                    *pair = (pair.0 + 1, pair.1 + message.bytes);
                }
            }
        }
        let mut told = vec![(0, 0); ranks * ranks];
        for line in reference(&format!("npb/matrices/{name}.p2p.csv"))
            .lines()
            .skip(1)
        {
            let numbers: Vec<u64> = line.split(',').map(|word| word.parse().unwrap()).collect();
            told[numbers[0] as usize * ranks + numbers[1] as usize] = (numbers[4], numbers[5]);
        }
        if !name.starts_with("is") {
            assert!(found == told, "{name}");
        }
    }
}

#[test]
fn groups_of_ft_are_the_programs() {
    for name in names("npb/matrices", ".comms.csv") {
        let run = run(&name);
        for line in reference(&format!("npb/matrices/{name}.comms.csv"))
            .lines()
            .skip(1)
        {
            let fields: Vec<&str> = line.split(',').collect();
            let rank: u32 = fields[0].parse().unwrap();
            let members: Vec<u32> = fields[2]
                .split_whitespace()
                .map(|word| word.parse().unwrap())
                .collect();
            let listed = |group: &Group| {
                (0..group.count())
                    .map(|member| group.rank(member))
                    .collect::<Vec<_>>()
            };
            let is_one = calls(&*run.program, rank).any(|call| match call {
                Call::Collective(_, group) => listed(&group) == members,
                _ => false,
            });
            assert!(is_one, "{name}: {line}");
        }
    }
}
