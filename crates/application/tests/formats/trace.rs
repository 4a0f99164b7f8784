//! Traces of ours.

use super::common::{names, schedule};
use super::{file, nanoseconds, of_text, read, replays};
use turnwise_application::collectives::{Kind, Preset, Selection};
use turnwise_application::formats::{Format, Reading, trace};
use turnwise_application::replay::{LogGops, replay};
use turnwise_application::skeletons::{BENCHMARKS, Class, Options};
use turnwise_application::{Calls, Graph, Program, RankSchedule};

/// A program as it is written.
pub(super) fn written(program: &dyn Program) -> String {
    let mut bytes = Vec::new();
    trace::write(program, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Two ranks that call this.
fn two(first: &str, second: &str) -> String {
    let head = "turnwise-trace 1\nranks 2\ntime ns\ncontent calls\ngroup 1 1\n";
    format!("{head}rank 0\n{first}\nrank 1\n{second}\nend\n")
}

#[test]
fn schedules_come_back_as_they_were() {
    // Who waits for one task must stand in the same order; who waits for different ones need not.
    let bare = |rank: &RankSchedule| -> (Vec<_>, Vec<_>) {
        (rank.tasks().collect(), rank.conditions().collect())
    };
    let all = [names("goal", ".goal"), names("goal", ".goal.zst")].concat();
    for case in all {
        let graph = schedule(&case);
        let again = of_text("trace", &written(&graph)).unwrap();
        let again = Graph::of(&*again);
        let (found, expected) = (again.schedules(), graph.schedules());
        assert!(found.map(bare).eq(expected.map(bare)), "{case}");
    }
}

#[test]
fn benchmarks_come_back_and_are_as_long_as_they_were() {
    for (benchmark, ranks) in BENCHMARKS.iter().zip([32, 64, 8, 16, 12, 9]) {
        let options = Options {
            class: Class::S,
            ranks,
            iterations: Some(2),
            computing: 1.0,
        };
        // FT has groups beside the world on 64 ranks only.
        let program = benchmark.build(&options).unwrap();
        let program = Calls::new(program, Selection::new(Preset::Mpich));
        let text = written(&program);
        let again = of_text("trace", &text).unwrap();
        let (found, expected) = (replays(&*again), replays(&program));
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found.stall, None, "{}", benchmark.name);
            assert_eq!(
                (found.tasks, &found.finished),
                (expected.tasks, &expected.finished),
                "{}",
                benchmark.name
            );
        }
        let text = written(&*again);
        let again = of_text("trace", &text).unwrap();
        assert!(written(&*again) == text, "{}", benchmark.name);
    }
}

#[test]
fn calls_take_as_long_as_they_say() {
    let is = |first: &str, second: &str, time: u64| {
        let program = of_text("trace", &two(first, second)).unwrap();
        assert_eq!(nanoseconds(&*program), time, "{first}; {second}");
    };
    is("compute 70", "", 70);
    is("send 1 100", "recv 0 100", 1099);
    is(
        "send 1 100 5 7 # in a group that nobody declares",
        "recv any 100 any 7",
        1099,
    );
    is("isend 9 1 100\ncompute 5000\nwait 9", "recv 0 100", 5000);
    is(
        "compute 200\nsend 1 1",
        "irecv 4294967295 0 1\ncompute 100\nwait 4294967295\ncompute 10",
        1210,
    );
    // The second message goes when the first one's request is waited for, or all are.
    is(
        "recv 1 1\nsend 1 1",
        "irecv 0 0 1\nisend 1 0 1\nwait 0 1",
        2000,
    );
    is(
        "recv 1 1\nsend 1 1",
        "irecv 0 0 1\nisend 1 0 1\nwaitall",
        2000,
    );
    is("barrier", "barrier", 1000);
    is("broadcast 500 1", "broadcast 500 1", 1499);
    is("gather 500 0 0", "gather 500 0", 1499);
    is("gather-v 0 1 30", "gather-v 0 1 30 7", 1029);
    is("scatter-v 0 1 30", "scatter-v 0 1 30 7", 1029);
    is("all-to-all-v 0 1 50 1 60", "all-to-all-v 0 60 1 50 1", 1059);
    is("", "all-reduce 8 1\nbarrier 1", 0);
}

/// Members count a group's collectives for themselves, whatever else they do in other groups.
#[test]
fn groups_do_not_count_each_others_collectives() {
    let text = "turnwise-trace 1\nranks 3\ntime us\ncontent calls\ngroup 1 0 1\ngroup 2 2 0\n\
                rank 0\nbarrier 1\nbarrier 1\nbroadcast 1 2 2\nrank 1\nbarrier 1\nbarrier 1\n\
                rank 2\nbroadcast 1 2 2\nend";
    let program = of_text("trace", text).unwrap();
    assert_eq!(nanoseconds(&*program), 2000);
}

/// Ranks may be told piece by piece, in any order.
#[test]
fn ranks_may_be_told_in_pieces() {
    let text = "turnwise-trace 1\nranks 2\ntime ns\ncontent calls\nrank 1\nrecv 0 1\nrank 0\ncompute 5\n\
                rank 1\ncompute 7\nrank 0\nsend 1 1\nend";
    assert_eq!(nanoseconds(&*of_text("trace", text).unwrap()), 1012);
}

#[test]
fn what_is_wrong_has_a_place() {
    let head = "turnwise-trace 1\nranks 2\ntime ns\ncontent calls\n";
    let is = |text: &str, message: &str| {
        let found = of_text("trace", text).err().unwrap_or_default();
        assert!(
            found.starts_with(message),
            "{text}\nsays {found}\nnot {message}"
        );
    };
    is(
        "",
        "a:1:1: expected `turnwise-trace`, found the end of the file",
    );
    is(
        "turnwise-trace 2",
        "a:1:16: this is version 2 of the format",
    );
    is(
        "turnwise-trace 1\nranks 0",
        "a:2:7: expected a number of ranks, 1 to",
    );
    is(
        "turnwise-trace 1\nranks 9999",
        "a:2:7: 9999 ranks do not fit into 27 bytes",
    );
    is(
        "turnwise-trace 1\nranks 2\ntime ms",
        "a:3:6: there is no `ms` here",
    );
    is(
        "turnwise-trace 1\nranks 2\ntime ns\nrank 0",
        "a:4:1: expected `content`, found `rank`",
    );
    is(
        &format!("{head}group 0 1"),
        "a:5:7: expected the number of a group, 1 to",
    );
    is(
        &format!("{head}group 1 1 0 1"),
        "a:5:7: rank 1 is twice in group 1",
    );
    is(
        &format!("{head}group 1 2"),
        "a:5:9: expected a rank, 0 to 1, found 2",
    );
    is(
        &format!("{head}send 1 1"),
        "a:5:1: expected `group` or `rank`, found `send`",
    );
    is(
        &format!("{head}rank 0\nrank 1\n"),
        "a:7:1: expected `end`, found the end of the file",
    );
    is(
        &format!("{head}rank 0\nend\n"),
        "a:7:1: there is no `rank 1`, and there are 2 ranks",
    );
    is(
        &format!("{head}rank 0\nrank 1\nend\nrank 0"),
        "a:8:1: expected nothing after `end`",
    );
    let call = |line: &str, message: &str| is(&two(line, ""), message);
    call("sned 1 1", "a:7:1: there is no call `sned`");
    call("send 2 1", "a:7:6: expected a rank, 0 to 1, found 2");
    call("send any 1", "a:7:6: expected a rank, found `any`");
    call(
        "send 1",
        "a:7:7: expected a number of bytes, found the end of the line",
    );
    call(
        "send 1 1125899906842625",
        "a:7:8: expected a number of bytes, 0 to 1125899906842624",
    );
    call(
        "send 1 1 2 3 4",
        "a:7:14: expected the end of the line, found `4`",
    );
    call(
        "send 1 1 any",
        "a:7:10: expected a tag, a number, found `any`",
    );
    call("compute 1.5", "a:7:9: expected a time, found `1.5`");
    call("compute 99999999999999999", "a:7:9: expected a time, 0 to");
    call("wait 3", "a:7:6: there is no open request 3");
    call("irecv 3 1 1\nirecv 3 1 1", "a:8:7: request 3 is open");
    call("barrier 1", "a:7:1: rank 0 is not in group 1");
    call("barrier 5", "a:7:9: there is no group 5");
    call("send 1 8 0 1", "a:7:6: rank 0 is not in group 1");
    call(
        "reduce 8",
        "a:7:9: expected the rank of the root, found the end of the line",
    );
    call("all-reduce-v 8", "a:7:1: there is no call `all-reduce-v`");
    call(
        "all-to-all 1099511627776",
        "a:7:1: all-to-all of 1099511627776 bytes among 2 ranks: all blocks together may have",
    );
    call(
        "reduce 1099511627777 0",
        "a:7:1: reduce of 1099511627777 bytes among 2 ranks: a vector may have",
    );
    let differ = |first: &str, second: &str, message: &str| is(&two(first, second), message);
    differ(
        "barrier",
        "",
        "a: rank 1 ends after 0 collective calls of group 0, rank 0 makes 1",
    );
    differ(
        "",
        "barrier",
        "a: rank 0 ends after 0 collective calls of group 0, rank 1 makes 1",
    );
    differ(
        "barrier",
        "barrier\nbarrier",
        "a:10:1: rank 1's collective call 2 of group 0 is barrier, and rank 0's last one is 1",
    );
    differ(
        "barrier",
        "all-reduce 8",
        "a:9:1: rank 1's collective call 1 of group 0 is all-reduce, and rank 0's is barrier",
    );
    differ(
        "all-reduce 9",
        "all-reduce 8",
        "a:9:1: rank 1's collective call 1 of group 0 is all-reduce, and rank 0's is of 9 bytes instead of 8 bytes",
    );
    // Each member sends what the others receive from it: to each of all, or between the root and each.
    differ(
        "all-to-all-v 0 3 2 3 4",
        "all-to-all-v 0 1 2 2 2",
        "a:9:1: rank 1's collective call 1 of group 0 is all-to-all of 1 bytes to rank 0, which receives 4",
    );
    differ(
        "all-to-all-v 0 3 2 3 4",
        "all-to-all-v 0 1 2 4 3",
        "a:9:1: rank 1 has 2 bytes for itself here, and receives 3",
    );
    differ(
        "all-to-all-v 0 3 2 3 4",
        "all-to-all-v 0 4 2 9 2",
        "a:9:1: rank 1's collective call 1 of group 0 is all-to-all of 9 bytes from rank 0, which sends 2",
    );
    differ(
        "gather-v 0 0 6 7",
        "gather-v 0 0 5",
        "a:9:1: rank 1's collective call 1 of group 0 is gather of 5 bytes to rank 0, which receives 7",
    );
    differ(
        "scatter-v 0 1 5",
        "barrier\nscatter-v 0 1 6 7",
        "a:9:1: rank 1's collective call 1 of group 0 is barrier, and rank 0's is scatter",
    );
    differ(
        "barrier\nscatter-v 0 1 5",
        "barrier\nscatter-v 0 1 6 7",
        "a:11:1: rank 1's collective call 2 of group 0 is scatter of 6 bytes to rank 0, which receives 5",
    );
    differ(
        "reduce 8 0",
        "reduce 8 1",
        "a:9:1: rank 1's collective call 1 of group 0 is reduce, and rank 0's has root 0 instead of 1",
    );
}

#[test]
fn tasks_may_wait_for_tasks_before_their_lines_only() {
    let head = "turnwise-trace 1\nranks 1\ntime ns\ncontent tasks\nrank 0\n";
    let is = |lines: &str, message: &str| {
        let found = of_text("trace", &format!("{head}{lines}\nend"))
            .err()
            .unwrap();
        assert!(found.starts_with(message), "{lines}: {found}");
    };
    is(
        "compute 1\nrequires 0 1",
        "a:7:12: expected the number of a task before this line, 0 to 0, found 1",
    );
    is(
        "barrier",
        "a:6:1: expected `compute`, `send`, `recv`, `requires` or `irequires`",
    );
    is(
        "compute 1 cpu 255",
        "a:6:15: expected the number of a processor, 0 to 254",
    );
    let text =
        format!("{head}compute 10\ncompute 20 cpu 3\ncompute 30 cpu 1 nic 2\nrequires 2 0\nend");
    assert_eq!(nanoseconds(&*of_text("trace", &text).unwrap()), 40);
    // A circle.
    let text = format!("{head}compute 1\ncompute 1\nrequires 0 1\nrequires 1 0\nend");
    let program = of_text("trace", &text).unwrap();
    let stall = replay(&*program, &LogGops::default())
        .stall
        .unwrap()
        .to_string();
    assert!(
        stall.contains("rank 0 waits to compute (line 6), and what it waits for never happens"),
        "{stall}"
    );
}

#[test]
fn a_stall_says_at_which_line() {
    let text = two(
        "barrier\ncompute 1\nirecv 5 1 64 3\nwait 5",
        "barrier\nrecv 0 8\nsend 0 64 3",
    );
    let program = of_text("trace", &text).unwrap();
    let stall = replay(&*program, &LogGops::default())
        .stall
        .unwrap()
        .to_string();
    for words in [
        "in a circle of 2: 0 -> 1 -> 0",
        "rank 0 waits to receive 64 B from rank 1, tag 3 (line 9)",
        "rank 1 waits to receive 8 B from rank 0, tag 0 (line 13)",
    ] {
        assert!(stall.contains(words), "{stall}\nlacks {words}");
    }
}

/// A tag says nothing without the communicator, and that of a collective nothing at all.
/// Lines are counted by blocks of bytes.
#[test]
fn a_stall_says_at_which_line_of_many() {
    for before in [1, 100, 1000, 4000] {
        let text = two(&"# Nothing.\n".repeat(before), "recv 0 8");
        let program = of_text("trace", &text).unwrap();
        let stall = replay(&*program, &LogGops::default()).stall.unwrap();
        let words = format!("(line {})", 9 + before);
        assert!(stall.to_string().contains(&words), "{stall} lacks {words}");
    }
}

#[test]
fn a_stall_says_in_which_communicator_and_collective() {
    let cases = [
        (
            "recv 1 8 5 2",
            "send 0 8 5",
            vec![
                "rank 0 waits to receive 8 B from rank 1, tag 5 in communicator 2 (line 8), but rank 1 has ended",
                "1 message that nobody receives, the first of 8 B from rank 1, tag 5",
            ],
        ),
        (
            "recv 1 8 5",
            "send 0 8 5 2",
            vec![
                "rank 0 waits to receive 8 B from rank 1, tag 5 (line 8), but rank 1 has ended",
                "1 message that nobody receives, the first of 8 B from rank 1, tag 5 in communicator 2",
            ],
        ),
        (
            "recv 1 8\nbarrier",
            "barrier\nsend 0 8",
            vec![
                "rank 0 waits to receive 8 B from rank 1, tag 0 (line 8), while rank 1 itself waits to receive 1 B from rank 0 \
                 in a barrier (line 11)",
                "rank 0 has 1 message that nobody receives, the first of 1 B from rank 1 in a collective",
            ],
        ),
        (
            "recv 1 8\nall-reduce 8 2",
            "all-reduce 8 2",
            vec![
                "rank 1 waits to receive 8 B from rank 0 in an all-reduce of communicator 2 (line 11)",
            ],
        ),
    ];
    for (first, second, words) in cases {
        let text = two(first, second).replace("group 1 1", "group 1 1\ngroup 2 0 1");
        let program = of_text("trace", &text).unwrap();
        let stall = replay(&*program, &LogGops::default()).stall.unwrap();
        let told = stall.to_string();
        for words in words {
            let is_told = told.lines().any(|line| line.contains(words));
            assert!(is_told, "{told}\nlacks {words}");
        }
    }
}

#[test]
fn messages_of_no_bytes_and_of_a_tebibyte_are_sent() {
    let text = two(
        "send 1 0\nsend 1 1099511627776 1",
        "recv 0 0\nrecv 0 1099511627776 1",
    );
    let program = of_text("trace", &text).unwrap();
    let played = replay(&*program, &LogGops::default());
    assert_eq!((played.stall, played.bytes), (None, 1 << 40));
}

/// A member knows no lengths but those of its own blocks, so nobody can pass on others' and both ends would count differently.
#[test]
fn blocks_of_their_own_lengths_are_as_long_at_both_ends() {
    let between = |from: u64, to: u64| 100 * from + to + 1;
    let calls = |me: u64| {
        let all: Vec<u64> = (0..4).collect();
        let list = |bytes: &dyn Fn(u64) -> u64| {
            let bytes = all.iter().map(|&other| bytes(other).to_string());
            bytes.collect::<Vec<_>>().join(" ")
        };
        let (to, from) = (
            list(&|other| between(me, other)),
            list(&|other| between(other, me)),
        );
        let [gathered, scattered] = match me {
            2 => [from.clone(), to.clone()],
            _ => [between(me, 2).to_string(), between(2, me).to_string()],
        };
        format!(
            "rank {me}\nall-to-all-v 0 {to} {from}\ngather-v 0 2 {gathered}\nscatter-v 0 2 {scattered}\n"
        )
    };
    let text: String = (0..4).map(calls).collect();
    let text = format!("turnwise-trace 1\nranks 4\ntime ns\ncontent calls\n{text}end");
    let sum = |pairs: &dyn Fn(u64, u64) -> bool| -> u64 {
        let all = (0..4).flat_map(|from| (0..4).map(move |to| (from, to)));
        let others = all.filter(|&(from, to)| from != to && pairs(from, to));
        others.map(|(from, to)| between(from, to)).sum()
    };
    let all = sum(&|_, _| true) + sum(&|_, to| to == 2) + sum(&|from, _| from == 2);
    for kind in [Kind::AllToAll, Kind::Gather, Kind::Scatter] {
        for algorithm in kind.algorithms() {
            let reading = Reading {
                selection: Selection::default().with(kind, algorithm.name).unwrap(),
                ..Reading::default()
            };
            let files = [file("a", text.as_bytes())];
            let program = super::read_as("trace", &files, &reading).unwrap();
            let played = replay(&*program, &LogGops::default());
            let name = format!("{} {}", kind.name(), algorithm.name);
            assert_eq!((played.stall, played.truncated.count), (None, 0), "{name}");
            assert_eq!(played.bytes, all, "{name}");
        }
    }
}

/// Bytes of a vector are all of it, and count once whatever the number of ranks.
#[test]
fn vectors_of_a_tebibyte_are_summed() {
    for call in [
        "all-reduce 1099511627776",
        "reduce-scatter 1099511627776",
        "broadcast 1099511627776 0",
        "reduce 1099511627776 0",
    ] {
        let program = of_text("trace", &two(call, call)).unwrap();
        assert_eq!(replay(&*program, &LogGops::default()).stall, None, "{call}");
    }
}

/// A library's algorithms are those that are asked for.
#[test]
fn collectives_are_done_as_one_says() {
    let all: String = (0..5)
        .map(|rank| format!("rank {rank}\nbroadcast 100 0\n"))
        .collect();
    let text = format!("turnwise-trace 1\nranks 5\ntime ns\ncontent calls\n{all}end");
    let time = |name: &str| {
        let kind = Kind::Broadcast;
        let reading = Reading {
            selection: Selection::default().with(kind, name).unwrap(),
            ..Reading::default()
        };
        nanoseconds(&*super::read_as("trace", &[file("a", text.as_bytes())], &reading).unwrap())
    };
    assert_eq!((time("binomial"), time("chain")), (2 * 1099, 4 * 1099));
    assert!(read("trace", &[file("a", b""), file("b", b"")]).is_err());
}

#[test]
fn what_was_meant_is_said() {
    let of = |text: String, expected: &str| {
        let file = file("a", text.as_bytes());
        let found = Format::named("trace")
            .unwrap()
            .read(&[file].into(), &Reading::default());
        let help = found.err().unwrap().flaw.help.unwrap_or_default();
        assert!(help.contains(expected), "{text}: {help}");
    };
    let call = |line: &str, expected: &str| of(two(line, ""), expected);
    call("all-to-allv 0 1 2 3 4", "did you mean `all-to-all-v`?");
    call("gatherv 0 0 6 7", "did you mean `gather-v`?");
    call("gathre 8 0", "did you mean `gather`?");
    call("sned 1 1", "`all-to-all-v`, `gather-v` and `scatter-v`");
    call("send 1 1 any", "only receives may say `any`");
    call("group 2 0", "groups stand before the first rank");
    let tasks = two("group 2 0", "").replace("content calls", "content tasks");
    of(tasks, "groups stand before the first rank");
}

#[test]
fn lengths_that_agree_are_taken() {
    for calls in [
        ["all-to-all-v 0 3 2 3 4", "all-to-all-v 0 4 2 2 2"],
        ["gather-v 0 0 6 7", "gather-v 0 0 7"],
        ["scatter-v 0 1 6", "scatter-v 0 1 6 7"],
        ["barrier 0", "barrier 0"],
    ] {
        let found = of_text("trace", &two(calls[0], calls[1]));
        assert_eq!(found.err(), None, "{calls:?}");
    }
}
