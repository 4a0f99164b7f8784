//! Programs whose messages all take the same time, or different times.

use crate::mock::{JITTER, LATENCY, Outcome, run};
use crate::{LIMIT, line_up, parameters};
use std::path::Path;
use turnwise_config::File;
use turnwise_network::Network;

/// Plays a schedule with a cycle of 1 ns and flits of 16 B.
fn play(network: &Network, schedule: &str, host: &str, jitter: u32) -> Outcome {
    play_until(network, schedule, host, jitter, LIMIT)
}

fn play_until(network: &Network, schedule: &str, host: &str, jitter: u32, limit: u64) -> Outcome {
    let text = format!(
        "kind = \"goal\"\nfile = \"a.goal\"\ncycle_ns = 1\nflit_bytes = 16\nhost = {{ {host} }}"
    );
    let workload = parameters(&text).build(network, 1, &[file(schedule)]);
    run(network, &*workload.unwrap(), limit, jitter)
}

fn file(schedule: &str) -> File {
    File {
        name: "a.goal".into(),
        bytes: schedule.as_bytes().to_vec().into(),
    }
}

fn two(first: &str, second: &str) -> String {
    format!("num_ranks 2\nrank 0 {{\n{first}\n}}\nrank 1 {{\n{second}\n}}")
}

#[test]
fn a_short_message_takes_one_trip_and_a_long_one_three() {
    let schedule = two("send 64b to 1", "recv 64b from 0");
    let time = |host| play(&line_up(2), &schedule, host, 0).makespan;
    assert_eq!(time("eager_bytes = 64"), LATENCY);
    assert_eq!(time("eager_bytes = 63"), 3 * LATENCY);
    // Overheads of the sender and of the receiver; the announcement itself is free.
    assert_eq!(time("overhead_cycles = 7"), LATENCY + 14);
    assert_eq!(
        time("overhead_cycles = 7, eager_bytes = 0"),
        3 * LATENCY + 14
    );
}

/// Neither is a program that waits for ever.
#[test]
fn messages_that_are_too_long_or_too_many_are_told() {
    let refused = |kind: &str, text: &str| {
        let fields = format!("kind = \"{kind}\"\nfile = \"a.goal\"\ncycle_ns = 1\nflit_bytes = 16");
        let built = parameters(&fields).build(&line_up(2), 1, &[file(text)]);
        built.err().map(|invalid| invalid.message)
    };
    let head = "turnwise-trace 1\nranks 2\ntime ns\n";
    for (bytes, is_refused) in [((1_u64 << 42) - 1, false), (1 << 42, true)] {
        let words = format!(
            "rank 0 sends {bytes} bytes to rank 1: messages on a network have up to 4398046511103, a byte less than 4 TiB (line"
        );
        let goal = two(&format!("send 5b to 1\nsend {bytes}b to 1"), "");
        let calls = format!("{head}content calls\nrank 0\nsend 1 {bytes}\nrank 1\nend\n");
        let tasks = calls.replace("calls", "tasks");
        for (kind, text) in [("goal", goal), ("trace", calls), ("trace", tasks)] {
            let message = refused(kind, &text);
            assert_eq!(message.is_some(), is_refused, "{message:?}");
            assert!(
                message.is_none_or(|message| message.contains(&words)),
                "{text}"
            );
        }
    }
    // The receiver is late, so that all of them wait.
    let sends = "send 8b to 1\n".repeat((1 << 20) + 1);
    let schedule = two(&sends, "a: calc 900000000\nb: recv 8b from 0\nb requires a");
    for host in ["", "eager_bytes = 7"] {
        let played = play_until(&line_up(2), &schedule, host, 0, 2 * LIMIT);
        assert_eq!(played.failures.len(), 1, "{host}: {:?}", played.failures);
        let told = "more than 1048576 messages of rank 0 wait until rank 1 receives them";
        assert!(
            played.failures[0].starts_with(told),
            "{:?}",
            played.failures
        );
    }
}

#[test]
fn computing_takes_its_time_in_cycles() {
    let alone = |body: &str| {
        play(
            &line_up(1),
            &format!("num_ranks 1\nrank 0 {{\n{body}\n}}"),
            "",
            0,
        )
        .makespan
    };
    assert_eq!(alone("calc 500"), 500);
    assert_eq!(alone("calc 500\ncalc 500"), 1000);
    assert_eq!(alone("calc 500\ncalc 300 cpu 1"), 500);
    assert_eq!(alone("a: calc 500\nb: calc 300 cpu 1\nb requires a"), 800);
    assert_eq!(alone("a: calc 500\nb: calc 300 cpu 1\nb irequires a"), 500);
    assert_eq!(
        alone("a: send 5b to 0\nb: calc 3\nc: recv 5b from 0\nc requires b"),
        3
    );
}

#[test]
fn a_message_is_cut_into_packets_whose_last_is_the_rest() {
    let schedule = two("send 1000b to 1", "recv 1000b from 0");
    let flits = |host| play(&line_up(2), &schedule, host, 0).flits;
    assert_eq!(flits("packet_flits = 16"), 63);
    assert_eq!(flits("packet_flits = 16, full_packets = true"), 64);
    assert_eq!(flits("packet_flits = 10, eager_bytes = 0"), 65);
    assert_eq!(
        flits("packet_flits = 10, eager_bytes = 0, full_packets = true"),
        90
    );
}

#[test]
fn receives_wait_for_their_messages_and_messages_for_their_receives() {
    let late = two(
        "a: calc 1000\nb: send 8b to 1\nb requires a",
        "recv 8b from 0",
    );
    assert_eq!(play(&line_up(2), &late, "", 0).makespan, 1000 + LATENCY);
    let busy = two(
        "send 8b to 1",
        "a: calc 1000\nb: recv 8b from 0\nb requires a",
    );
    assert_eq!(play(&line_up(2), &busy, "", 0).makespan, 1000);
    assert_eq!(
        play(&line_up(2), &busy, "eager_bytes = 0", 0).makespan,
        1000 + 2 * LATENCY
    );
}

#[test]
fn a_program_that_waits_for_ever_is_not_done() {
    let schedule = two("recv 8b from 1 tag 1", "send 8b to 0 tag 2");
    assert_eq!(play(&line_up(2), &schedule, "", 0).busy, 1);
}

/// Real programs, and packets that overtake each other.
#[test]
fn schedules_end_whatever_overtakes_what() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/reference/goal");
    let network = line_up(128);
    let mut played = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "goal")
        {
            let schedule = std::fs::read_to_string(&path).unwrap();
            for host in ["", "eager_bytes = 0, packet_flits = 3, overhead_cycles = 2"] {
                let outcome = play(&network, &schedule, host, JITTER);
                assert_eq!(outcome.busy, 0, "{}", path.display());
                played += 1;
            }
        }
    }
    assert_eq!(played, 26);
}

#[test]
fn benchmarks_end_with_as_many_ranks_as_they_take() {
    for (program, terminals) in [
        ("cg", 33),
        ("ft", 64),
        ("is", 20),
        ("mg", 9),
        ("lu", 13),
        ("bt", 17),
    ] {
        let text = format!(
            "kind = \"npb\"\nprogram = \"{program}\"\nclass = \"S\"\niterations = 2\ncomputing = 0\ncycle_ns = 1\n\
             flit_bytes = 64\nhost = {{ packet_flits = 64 }}"
        );
        let network = line_up(terminals);
        let parameters = parameters(&text);
        let workload = parameters.build(&network, 1, &[]).unwrap();
        let outcome = run(&network, &*workload, 100 * LIMIT, JITTER);
        assert_eq!(outcome.busy, 0, "{program}");
        let foretold = parameters.total_flits(terminals, &[]).unwrap() * f64::from(terminals);
        assert!(
            (outcome.flits as f64 - foretold).abs() < 1e-6 * foretold,
            "{program}: {} {foretold}",
            outcome.flits
        );
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |fields: &str| {
        let text = format!("kind = \"npb\"\nclass = \"S\"\nflit_bytes = 16\n{fields}");
        let parameters = parameters(&text);
        let error = parameters.build(&line_up(16), 1, &[]).err().expect(fields);
        (error.place.to_string(), error.message)
    };
    let is = |fields: &str, place: &str, message: &str| {
        let found = refused(fields);
        assert!(
            found.0 == place && found.1.contains(message),
            "{fields}: {found:?}"
        );
    };
    is("program = \"cg\"", "cycle_ns", "programs count time");
    is(
        "program = \"cg\"\ncycle_ns = 1\nranks = 12",
        "ranks",
        "a power of two",
    );
    is(
        "program = \"cg\"\ncycle_ns = 1\nranks = 32",
        "ranks",
        "32 ranks do not fit on 16 terminals",
    );
    is(
        "program = \"cg\"\ncycle_ns = 0",
        "cycle_ns",
        "expected 0.000001",
    );
    is(
        "program = \"cg\"\ncycle_ns = 1\ncomputing = -1",
        "computing",
        "0 or more",
    );
    is(
        "program = \"ft\"\ncycle_ns = 1\ncollectives = { all-to-al = \"x\" }",
        "collectives.all-to-al",
        "no collective",
    );
    is(
        "program = \"ft\"\ncycle_ns = 1\ncollectives = { all-to-all = \"x\" }",
        "collectives.all-to-all",
        "no all-to-all",
    );
    is(
        "program = \"ft\"\ncycle_ns = 1\nhost = { packet_flits = 0 }",
        "host.packet_flits",
        "expected 1 to",
    );
    is(
        "program = \"bt\"\ncycle_ns = 1\nranks = 12",
        "ranks",
        "a square of ranks",
    );
    let goal = parameters("kind = \"goal\"\nfile = \"a.goal\"\ncycle_ns = 1\nflit_bytes = 16");
    let error = goal
        .build(&line_up(2), 1, &[file("num_ranks 2\nrank 0 {\nsent\n}")])
        .err()
        .unwrap();
    assert_eq!(
        error.message,
        "a.goal:3:1: expected `calc`, `send` or `recv`, perhaps after `label:`, found `sent`"
    );
}

/// Tasks wait for ends, or for starts only, on whichever processor.
#[test]
fn processors_of_a_rank_work_side_by_side() {
    let time = |word: &str| {
        let text = format!(
            "turnwise-trace 1\nranks 2\ntime ns\ncontent tasks\nrank 0\ncompute 500 cpu 1\nsend 1 64\n{word} 1 0\n\
             rank 1\nrecv 0 64\nend"
        );
        let written = "kind = \"trace\"\nfile = \"a.trace\"\ncycle_ns = 1\nflit_bytes = 16";
        let workload = parameters(written).build(&line_up(2), 1, &[file(&text)]);
        run(&line_up(2), &*workload.unwrap(), LIMIT, 0).makespan
    };
    assert_eq!(time("requires"), 500 + LATENCY);
    assert_eq!(time("irequires"), LATENCY.max(500));
}
