//! Journals of programs: whatever a run was, they say how it came to take as long as it did.

use crate::mock::{JITTER, LATENCY, Outcome, run};
use crate::paths::checked;
use crate::{LIMIT, line_up, parameters};
use proptest::prelude::*;
use std::fmt::Write;
use std::sync::Arc;
use turnwise_application::formats::goal;
use turnwise_application::journal::{
    Delivery, Journals, Kind, Memory, State, Step, messages, timeline,
};
use turnwise_application::replay::{LogGops, replay_kept};
use turnwise_config::File;
use turnwise_network::{Network, TerminalId, Workload};
use turnwise_workload::{Kept, Part, journalled, placed};

/// Plays a workload of so many ranks, and keeps its journals.
fn kept(
    network: &Network,
    workload: Box<dyn Workload>,
    ranks: u32,
    jitter: u32,
) -> (Outcome, Arc<Journals>) {
    let journals = Arc::new(Journals::new(&[ranks], Box::new(Memory::default())));
    let terminals: Vec<TerminalId> = network.living_terminals().collect();
    let kept = Kept::new(Arc::clone(&journals), network, &terminals);
    let workload = journalled(workload, kept);
    let outcome = run(network, &*workload, 1000 * LIMIT, jitter);
    journals.check().unwrap();
    (outcome, journals)
}

/// The same of a schedule with a cycle of 1 ns and flits of 16 B.
fn played(schedule: &str, ranks: u32, host: &str, jitter: u32) -> (Outcome, Arc<Journals>) {
    let text = format!(
        "kind = \"goal\"\nfile = \"a.goal\"\ncycle_ns = 1\nflit_bytes = 16\nhost = {{ {host} }}"
    );
    let file = File {
        name: "a.goal".into(),
        bytes: schedule.as_bytes().to_vec().into(),
    };
    let network = line_up(ranks);
    let workload = parameters(&text).build(&network, 1, &[file]).unwrap();
    kept(&network, workload, ranks, jitter)
}

fn log(journals: &Journals) -> Vec<Delivery> {
    let mut log = Vec::new();
    let told = messages(journals, &mut |message| {
        log.push(*message);
        Ok(())
    });
    told.unwrap();
    log
}

/// A program of messages between ranks, each with its own tag, that wait for some of what their ranks did before.
fn schedule(ranks: u32, messages: &[(u32, u32, u64, u64, u8)]) -> String {
    let mut bodies = vec![String::new(); ranks as usize];
    let mut counts = vec![0; ranks as usize];
    for (tag, &(from, distance, bytes, computing, waits)) in messages.iter().enumerate() {
        let (from, to) = (from % ranks, (from + distance) % ranks);
        let mut add = |rank: u32, task: String, back: u32| {
            let number = counts[rank as usize];
            counts[rank as usize] += 1;
            let body = &mut bodies[rank as usize];
            let _ = writeln!(body, "l{number}: {task}");
            if (1..=number).contains(&back) {
                let _ = writeln!(body, "l{number} requires l{}", number - back);
            }
        };
        add(from, format!("calc {computing}"), u32::from(waits & 3));
        add(
            from,
            format!("send {bytes}b to {to} tag {tag}"),
            u32::from(waits >> 2 & 3),
        );
        add(
            to,
            format!("recv {bytes}b from {from} tag {tag}"),
            u32::from(waits >> 4 & 3),
        );
    }
    let mut text = format!("num_ranks {ranks}\n");
    for (rank, body) in bodies.iter().enumerate() {
        let _ = writeln!(text, "rank {rank} {{\n{body}}}");
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_parts_of_a_critical_path_are_the_time_of_its_program(
        ranks in 1_u32..8,
        list in prop::collection::vec((0_u32..8, 0_u32..8, 1_u64..3000, 0_u64..200, any::<u8>()), 1..40),
        eager in prop::sample::select(vec![0, 500, 65_535]),
        overhead in prop::sample::select(vec![0, 7]),
        jitter in prop::sample::select(vec![0, JITTER]),
    ) {
        let host = format!("eager_bytes = {eager}, overhead_cycles = {overhead}");
        let text = schedule(ranks, &list);
        let (outcome, journals) = played(&text, ranks, &host, jitter);
        prop_assert_eq!(outcome.busy, 0);
        checked(&journals, outcome.makespan);
        let log = log(&journals);
        prop_assert_eq!(log.len(), list.len());
        for message in log {
            let (from, distance, bytes, ..) = list[message.tag as usize];
            let expected = (from % ranks, (from + distance) % ranks, bytes);
            prop_assert_eq!((message.source, message.destination, message.bytes), expected);
            let received = message.received.unwrap();
            prop_assert!(message.posted <= message.left.unwrap());
            prop_assert!(message.posted <= message.arrived.unwrap());
            prop_assert!(message.arrived.unwrap() <= received);
            prop_assert!(message.receive_posted.unwrap() <= received);
        }
    }
}

#[test]
fn the_benchmarks_say_how_their_time_comes_to_be() {
    for (program, ranks) in [
        ("cg", 8),
        ("ft", 8),
        ("is", 8),
        ("mg", 8),
        ("lu", 8),
        ("bt", 9),
    ] {
        for host in [
            "packet_flits = 64",
            "overhead_cycles = 9, eager_bytes = 100",
        ] {
            let text = format!(
                "kind = \"npb\"\nprogram = \"{program}\"\nclass = \"S\"\niterations = 2\nranks = {ranks}\n\
                 cycle_ns = 1\nflit_bytes = 64\nhost = {{ {host} }}"
            );
            let network = line_up(ranks);
            let workload = parameters(&text).build(&network, 1, &[]).unwrap();
            let (outcome, journals) = kept(&network, workload, ranks, JITTER);
            assert_eq!(outcome.busy, 0, "{text}");
            let steps = checked(&journals, outcome.makespan);
            assert!(steps.iter().any(|step| step.kind == Kind::Compute));
            let log = log(&journals);
            assert!(log.iter().all(|message| message.received.is_some()));
            assert_eq!(log.len(), outcome.transactions.len());
        }
    }
}

#[test]
fn a_path_goes_where_the_time_goes() {
    let schedule = "num_ranks 3\n\
        rank 0 {\na: calc 100\nb: send 8b to 1\nb requires a\n}\n\
        rank 1 {\na: recv 8b from 0\nb: calc 50\nb requires a\nc: send 8b to 2 tag 1\nc requires b\n}\n\
        rank 2 {\na: calc 20\nb: recv 8b from 1 tag 1\nb requires a\n}";
    let (outcome, journals) = played(schedule, 3, "overhead_cycles = 5", 0);
    let steps = checked(&journals, outcome.makespan);
    let told: Vec<_> = steps
        .iter()
        .map(|step| (step.kind, step.rank, step.to - step.from))
        .collect();
    let message = |rank| {
        [
            (Kind::Overhead, rank, 5),
            (Kind::Send, rank, 1),
            (Kind::Network, rank, LATENCY - 1),
            (Kind::Overhead, rank + 1, 5),
        ]
    };
    let mut expected = vec![(Kind::Compute, 0, 100)];
    expected.extend(message(0));
    expected.push((Kind::Compute, 1, 50));
    expected.extend(message(1));
    assert_eq!(told, expected);
    let drawn = timeline(&journals).unwrap();
    let time = |rank: usize, state: State| -> u64 {
        let columns = drawn.lines[rank].columns.iter();
        columns.map(|column| column[state as usize]).sum()
    };
    assert_eq!(
        (time(0, State::Compute), time(0, State::Overhead)),
        (100, 5)
    );
    assert_eq!(
        (time(1, State::Compute), time(1, State::Overhead)),
        (50, 10)
    );
    // Rank 1 waits for rank 0, and rank 2 for rank 1 from when it has computed.
    assert_eq!(time(1, State::Wait), 105 + LATENCY);
    assert_eq!(time(2, State::Wait), outcome.makespan - 5 - 20);
    assert_eq!(
        drawn.awaited,
        [(1, outcome.makespan - 25), (0, 105 + LATENCY)]
    );
}

/// Whose ranks are elsewhere, and begin late.
#[test]
fn a_program_that_begins_late_says_so() {
    let network = line_up(6);
    let text = "kind = \"collective\"\ncollective = \"all-gather\"\nbytes = 64\nranks = 3\ncycle_ns = 1\nflit_bytes = 16";
    let workload = parameters(text).build(&network, 1, &[]).unwrap();
    let terminals = [5, 1, 3].map(TerminalId);
    let part = Part {
        workload,
        terminals: terminals.to_vec(),
        is_there: false,
        start: 77,
    };
    let journals = Arc::new(Journals::new(&[3], Box::new(Memory::default())));
    let kept = Kept::new(Arc::clone(&journals), &network, &terminals);
    let outcome = {
        let workload = journalled(placed(&network, vec![part]), kept);
        run(&network, &*workload, LIMIT, 0)
    };
    let steps = checked(&journals, outcome.makespan);
    assert_eq!((steps[0].kind, steps[0].to), (Kind::Before, 77));
    assert_eq!(log(&journals).len(), 6);
    assert!(log(&journals).iter().all(|message| message.is_collective));
}

/// What messages take is told in one, from the beginning of their leaving to their arrival.
fn told(steps: &[Step], unit: u64) -> Vec<(Kind, u32, u64)> {
    let mut told: Vec<(Kind, u32, u64)> = Vec::new();
    for step in steps {
        let kind = match step.kind {
            Kind::Send => Kind::Network,
            kind => kind,
        };
        let time = (step.to - step.from) / unit;
        match told.last_mut() {
            Some((last, rank, sum)) if (*last, *rank) == (kind, step.rank) => *sum += time,
            _ => told.push((kind, step.rank, time)),
        }
    }
    told
}

proptest! {
    #[test]
    fn where_nothing_meets_a_path_is_that_of_a_replay(
        ranks in 2_u32..8,
        walk in prop::collection::vec((1_u32..8, 1_u64..500), 1..20),
        overhead in 1_u64..20,
    ) {
        // One rank after the other computes and sends, and all receives are posted from the beginning.
        let mut bodies = vec![String::new(); ranks as usize];
        let (mut at, mut before) = (0, None);
        for (number, &(distance, time)) in walk.iter().enumerate() {
            let to = (at + 1 + distance % (ranks - 1)) % ranks;
            let body = &mut bodies[at as usize];
            let _ = writeln!(body, "c{number}: calc {time}\ns{number}: send 8b to {to} tag {number}");
            let _ = writeln!(body, "s{number} requires c{number}");
            if let Some(before) = before {
                let _ = writeln!(body, "c{number} requires r{before}");
            }
            let _ = writeln!(bodies[to as usize], "r{number}: recv 8b from {at} tag {number}");
            (at, before) = (to, Some(number));
        }
        let mut text = format!("num_ranks {ranks}\n");
        for (rank, body) in bodies.iter().enumerate() {
            let _ = writeln!(text, "rank {rank} {{\n{body}}}");
        }
        let host = format!("overhead_cycles = {overhead}");
        let (outcome, on_network) = played(&text, ranks, &host, 0);
        let program = goal::read(text.as_bytes()).unwrap();
        let costs = LogGops {
            latency: 1000 * LATENCY,
            overhead: 1000 * overhead,
            gap: 0,
            gap_per_byte: 0,
            overhead_per_byte: 0,
            eager: 8,
        };
        let replayed = Journals::new(&[ranks], Box::new(Memory::default()));
        let makespan = replay_kept(&program, &costs, &replayed).makespan();
        prop_assert_eq!(makespan, 1000 * outcome.makespan);
        prop_assert_eq!(
            told(&checked(&on_network, outcome.makespan), 1),
            told(&checked(&replayed, makespan), 1000)
        );
    }
}
