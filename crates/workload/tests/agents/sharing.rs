//! Ranks that share terminals: what they send each other is copied, and only the rest enters the network.

use crate::mock::{JITTER, LATENCY, Outcome, run};
use crate::paths::checked;
use crate::{LIMIT, line_up, parameters};
use proptest::prelude::*;
use std::fmt::Write;
use std::sync::Arc;
use turnwise_application::journal::{Journals, Memory, messages};
use turnwise_config::File;
use turnwise_network::{Network, TerminalId, Workload};
use turnwise_workload::tenants::{self, Tenant};
use turnwise_workload::{Kept, Part, journalled, placed};

/// A cycle of 1 ns, flits of 16 B, and 2 bytes copied in a cycle.
const HEAD: &str = "cycle_ns = 1\nflit_bytes = 16\n";
const COPIES: &str = "copy_rate = 0.125";

fn goal(host: &str) -> String {
    format!("kind = \"goal\"\nfile = \"a.goal\"\n{HEAD}host = {{ {host} }}")
}

/// A workload whose ranks are at these terminals.
fn seated(network: &Network, text: &str, schedule: &str, terminals: &[u32]) -> Box<dyn Workload> {
    let parameters = parameters(text);
    let files = [File {
        name: "a.goal".into(),
        bytes: schedule.as_bytes().to_vec().into(),
    }];
    let mut tenant = Tenant::alone(&*parameters, "workload");
    if !parameters.files().is_empty() {
        tenant.files = &files;
    }
    let terminals: Vec<TerminalId> = terminals.iter().copied().map(TerminalId).collect();
    tenants::build(&[tenant], &[terminals.into()], network, 1).unwrap()
}

fn play(schedule: &str, terminals: &[u32], host: &str) -> Outcome {
    let network = line_up(4);
    let workload = seated(&network, &goal(host), schedule, terminals);
    run(&network, &*workload, LIMIT, 0)
}

/// A message from rank 0 to rank 1, and computing of its sender behind it.
const TWO: &str = "num_ranks 2\nrank 0 {\na: send 64b to 1\nb: calc 1000\nb requires a\n}\nrank 1 {\nrecv 64b from 0\n}";

#[test]
fn a_short_message_is_copied_twice_and_a_long_one_once() {
    let short = TWO.replace("calc 1000", "calc 0");
    let time = |schedule: &str, host: &str| {
        let outcome = play(schedule, &[2, 2], host);
        assert_eq!((outcome.messages, outcome.flits, outcome.busy), (0, 0, 0));
        outcome.makespan
    };
    // Copying takes 32 cycles.
    assert_eq!(time(&short, ""), 0);
    assert_eq!(time(&short, COPIES), 64);
    assert_eq!(time(&short, "copy_rate = 0.125, overhead_cycles = 7"), 78);
    assert_eq!(
        time(
            &short,
            "copy_rate = 0.125, overhead_cycles = 7, eager_bytes = 63"
        ),
        46
    );
    // The sender is done when it has copied, or when the receiver has.
    assert_eq!(time(TWO, "copy_rate = 0.125, overhead_cycles = 7"), 1039);
    assert_eq!(
        time(
            TWO,
            "copy_rate = 0.125, overhead_cycles = 7, eager_bytes = 63"
        ),
        1046
    );
    // A long one waits for its receive.
    let late = "num_ranks 2\nrank 0 {\nsend 64b to 1\n}\nrank 1 {\na: calc 500\nb: recv 64b from 0\nb requires a\n}";
    assert_eq!(time(late, COPIES), 532);
    assert_eq!(time(late, "copy_rate = 0.125, eager_bytes = 63"), 532);
    // What goes elsewhere is not copied.
    let apart = play(&short, &[2, 3], "copy_rate = 0.125, overhead_cycles = 7");
    assert_eq!((apart.makespan, apart.flits), (LATENCY + 14, 4));
}

/// Senders copy side by side, and the receiver one after the other.
#[test]
fn processors_copy_one_message_after_the_other() {
    let senders = 9;
    let mut schedule = format!("num_ranks {}\nrank 0 {{\n", senders + 1);
    for rank in 1..=senders {
        let _ = writeln!(schedule, "recv 64b from {rank}");
    }
    schedule += "}\n";
    for rank in 1..=senders {
        let _ = writeln!(schedule, "rank {rank} {{\nsend 64b to 0\n}}");
    }
    let host = "copy_rate = 0.125, overhead_cycles = 3";
    let outcome = play(&schedule, &[1; 10], host);
    assert_eq!(outcome.makespan, 35 + senders * 35);
    assert_eq!(outcome.transactions.len() as u64, senders);
    let long = play(&schedule, &[1; 10], &format!("{host}, eager_bytes = 0"));
    assert_eq!(long.makespan, 3 + senders * 35);
}

#[test]
fn a_tiny_rest_of_a_cycle_counts_as_a_cycle() {
    let schedule = TWO.replace("calc 1000", "calc 0").replace("64b", "3b");
    assert_eq!(play(&schedule, &[0, 0], COPIES).makespan, 4);
    assert_eq!(
        play(&schedule.replace("3b", "0b"), &[0, 0], COPIES).makespan,
        0
    );
}

/// Programs are built where they are, and do there what they would do if they were put there.
#[test]
fn programs_do_where_they_are_built_what_they_do_where_they_are_put() {
    let network = line_up(16);
    let terminals: Vec<u32> = (0..16).map(|rank| rank * 7 % 16).collect();
    for program in ["cg", "is", "mg"] {
        let text = format!(
            "kind = \"npb\"\nprogram = \"{program}\"\nclass = \"S\"\niterations = 1\nranks = 16\n{HEAD}\
             host = {{ eager_bytes = 100, overhead_cycles = 3 }}"
        );
        let there = seated(&network, &text, "", &terminals);
        let part = Part {
            workload: parameters(&text).build(&network, 1, &[]).unwrap(),
            terminals: terminals.iter().copied().map(TerminalId).collect(),
            is_there: false,
            start: 0,
        };
        let put = placed(&network, vec![part]);
        let [there, put] = [there, put].map(|workload| run(&network, &*workload, 100 * LIMIT, 0));
        assert_eq!(there.transactions, put.transactions, "{program}");
        assert_eq!((there.flits, there.busy), (put.flits, 0), "{program}");
    }
}

/// Real programs, whatever overtakes what, with fewer and fewer terminals.
#[test]
fn benchmarks_end_however_many_share_a_terminal() {
    for (program, ranks) in [
        ("cg", 16),
        ("ft", 16),
        ("is", 16),
        ("mg", 16),
        ("lu", 16),
        ("bt", 16),
    ] {
        let text = format!(
            "kind = \"npb\"\nprogram = \"{program}\"\nclass = \"S\"\niterations = 2\ncomputing = 0\nranks = {ranks}\n\
             {HEAD}host = {{ eager_bytes = 500, copy_rate = 2, overhead_cycles = 5 }}"
        );
        let mut flits = u64::MAX;
        for each in [1, 2, 4, 16] {
            let network = line_up(16);
            let terminals: Vec<u32> = (0..ranks).map(|rank| rank / each).collect();
            let workload = seated(&network, &text, "", &terminals);
            let outcome = run(&network, &*workload, 100 * LIMIT, JITTER);
            assert_eq!(outcome.busy, 0, "{program} {each}");
            assert!(outcome.flits < flits, "{program} {each}");
            flits = outcome.flits;
        }
        assert_eq!(flits, 0, "{program}");
    }
}

/// Messages between ranks: their ends and their bytes; every rank posts its receives first.
fn schedule(ranks: u32, list: &[(u32, u32, u64)]) -> String {
    let mut bodies = vec![[String::new(), String::new()]; ranks as usize];
    for (tag, &(from, distance, bytes)) in list.iter().enumerate() {
        let (from, to) = (from % ranks, (from + distance) % ranks);
        let _ = writeln!(
            bodies[to as usize][0],
            "recv {bytes}b from {from} tag {tag}"
        );
        let _ = writeln!(bodies[from as usize][1], "send {bytes}b to {to} tag {tag}");
    }
    let mut text = format!("num_ranks {ranks}\n");
    for (rank, [receives, sends]) in bodies.iter().enumerate() {
        let _ = writeln!(text, "rank {rank} {{\n{receives}{sends}}}");
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Every message comes to its rank, wherever ranks are; what stays at its terminal enters no network, all else does; and the
    /// time it took is told without gaps.
    #[test]
    fn messages_come_to_their_ranks_however_these_share_terminals(
        terminals in prop::collection::vec(0_u32..4, 1..9),
        list in prop::collection::vec((0_u32..8, 0_u32..8, 1_u64..3000), 0..40),
        eager in prop::sample::select(vec![0, 500, 65_535]),
        more in prop::sample::select(vec!["", ", copy_rate = 1.5", ", copy_rate = 0.3, overhead_cycles = 7"]),
        jitter in prop::sample::select(vec![0, JITTER]),
    ) {
        let ranks = terminals.len() as u32;
        let network = line_up(4);
        let host = format!("eager_bytes = {eager}{more}");
        let workload = seated(&network, &goal(&host), &schedule(ranks, &list), &terminals);
        let journals = Arc::new(Journals::new(&[ranks], Box::new(Memory::default())));
        let ids: Vec<TerminalId> = terminals.iter().copied().map(TerminalId).collect();
        let kept = Kept::new(Arc::clone(&journals), &network, &ids);
        let outcome = run(&network, &*journalled(workload, kept), LIMIT, jitter);
        prop_assert_eq!(outcome.busy, 0);
        prop_assert_eq!(outcome.transactions.len(), list.len());
        let at = |rank: u32| terminals[(rank % ranks) as usize];
        let crosses = list.iter().filter(|(from, distance, _)| at(*from) != at(from + distance));
        let flits = crosses.map(|&(.., bytes)| bytes.div_ceil(16) + 2 * u64::from(bytes > eager));
        prop_assert_eq!(outcome.flits, flits.sum::<u64>());
        checked(&journals, outcome.makespan);
        let mut log = Vec::new();
        messages(&journals, &mut |message| {
            log.push(*message);
            Ok(())
        }).unwrap();
        prop_assert_eq!(log.len(), list.len());
        for message in log {
            let (from, distance, bytes) = list[message.tag as usize];
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
