//! LogGOPSim's figures: 16 schedules with 4 sets of parameters, every makespan and every host's time, to the nanosecond.

#![allow(clippy::unwrap_used)] // helpers are tests too

mod common;

use common::{reference, schedule};
use std::collections::BTreeMap;
use turnwise_application::Program;
use turnwise_application::formats::goal;
use turnwise_application::replay::{LogGops, replay};

type Row<'a> = BTreeMap<&'a str, &'a str>;

/// The rows of a table, their texts by column.
fn rows(text: &str) -> Vec<Row<'_>> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines
        .map(|line| header.iter().copied().zip(line.split(',')).collect())
        .collect()
}

fn number(row: &Row<'_>, column: &str) -> u64 {
    row[column].parse().unwrap()
}

#[test]
fn every_makespan_and_every_hosts_time_is_loggopsims() {
    let results = reference("goal/results.csv");
    let per_host = reference("goal/per_host.csv");
    let (results, hosts) = (rows(&results), rows(&per_host));
    assert_eq!((results.len(), hosts.len()), (64, 840));
    let mut wrong = Vec::new();
    for row in &results {
        let (case, set) = (row["case"], row["paramset"]);
        let parameters = LogGops {
            latency: 1000 * number(row, "L_ns"),
            overhead: 1000 * number(row, "o_ns"),
            gap: 1000 * number(row, "g_ns"),
            gap_per_byte: 1000 * number(row, "G_ns_per_B"),
            overhead_per_byte: 1000 * number(row, "O_ns_per_B"),
            eager: number(row, "S_bytes"),
        };
        let program = schedule(case);
        assert_eq!(u64::from(program.ranks()), number(row, "ranks"), "{case}");
        let played = replay(&program, &parameters);
        assert_eq!(played.stall, None, "{case}");
        assert_eq!(played.messages, number(row, "sends"), "{case}");
        assert_eq!(played.tasks, number(row, "ops"), "{case}");
        let mut check = |what: String, found: u64, told: u64| {
            if found != 1000 * told {
                wrong.push(format!(
                    "{case} {set} {what}: {found} ps, LogGOPSim {told} ns"
                ));
            }
        };
        check(
            "makespan".into(),
            played.makespan(),
            number(row, "makespan_ns"),
        );
        let of_case = |host: &&Row<'_>| host["case"] == case && host["paramset"] == set;
        for host in hosts.iter().filter(of_case) {
            let rank = number(host, "host");
            let finished = played.finished[rank as usize];
            check(format!("host {rank}"), finished, number(host, "finish_ns"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(20)]
    );
}

/// What waits for the beginning of a computation is free before what waits for its end, whichever stands first, and whether or not somebody
/// else, who talks to nobody, has a second processor.
#[test]
fn a_second_processor_elsewhere_changes_nothing() {
    let parameters = LogGops {
        latency: 100_000,
        overhead: 10_000,
        gap: 700_000,
        gap_per_byte: 2_000,
        overhead_per_byte: 5_000,
        eager: 1,
    };
    let makespan = |bystander: &str| {
        let text = format!(
            "num_ranks 3\nrank 0 {{\nz: calc 0{bystander}\n}}\n\
             rank 1 {{\nl0: recv 999b from 2 tag 4\nl1: recv 2b from 2 tag 5\n}}\n\
             rank 2 {{\nl0: calc 0\nl1: send 999b to 1 tag 4\nl1 requires l0\nl2: send 2b to 1 tag 5\nl2 irequires l0\n}}\n"
        );
        replay(&goal::read(text.as_bytes()).unwrap(), &parameters).makespan()
    };
    assert_eq!(makespan(""), 5_812_000);
    assert_eq!(makespan(" cpu 1"), 5_812_000);
}
