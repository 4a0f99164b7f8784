//! Time-independent traces of SimGrid.

use super::trace::written;
use super::{file, nanoseconds, of_text, read, read_as, replays};
use turnwise_application::formats::{Format, Reading};
use turnwise_application::replay::{LogGops, replay};

/// All there is, as SimGrid writes it.
const ALL: &str = "\
0 init 1
1 init 1
2 init 1
0 comm_size 3
0 compute 1e6
1 location file.c 12
0 isend 1 7 100 6
1 irecv -1 7 100 6
1 test 0 1 7
1 wait 0 1 7
0 wait 0 1 7
0 isend 2 8 10 2
2 recv 0 8 10 2
0 waitall 1.000000
2 sleep 0.5
2 waitall
0 bcast 5 1 1
1 bcast 5 1 1
2 bcast 5 1 1
0 reduce 4 1e3 2 0
1 reduce 4 1e3 2 0
2 reduce 4 1e3 2 0
0 allreduce 4 1e3
1 allreduce 4 1e3
2 allreduce 4 1e3
0 alltoall 10 10 1 1
1 alltoall 10 10 1 1
2 alltoall 10 10 1 1
0 alltoallv 6 1 2 3 6 1 4 7 6 6
1 alltoallv 15 4 5 6 15 2 5 8 6 6
2 alltoallv 24 7 8 9 24 3 6 9 6 6
0 allgather 3 3 1 1
1 allgather 3 3 1 1
2 allgather 3 3 1 1
0 allgatherv 3 3 4 5 1
1 allgatherv 4 3 4 5 1
2 allgatherv 5 3 4 5 1
0 gather 5 5 2 0 0
1 gather 5 5 2 0 0
2 gather 5 5 2 0 0
0 gatherv 5 5 6 7 0 6 6
1 gatherv 6 5 6 7 0 6 6
2 gatherv 7 5 6 7 0 6 6
0 scatter 5 5 1 0 0
1 scatter 5 5 1 0 0
2 scatter 5 5 1 0 0
0 scatterv 5 6 7 5 0 6 6
1 scatterv 5 6 7 6 0 6 6
2 scatterv 5 6 7 7 0 6 6
0 reducescatter 1 2 3 1e3 0
1 reducescatter 1 2 3 1e3 0
2 reducescatter 1 2 3 1e3 0
0 barrier
1 barrier
2 barrier
0 finalize
1 finalize
2 finalize
";

pub(super) fn sample() -> &'static str {
    ALL
}

#[test]
fn every_action_is_played_and_comes_back_from_a_trace() {
    let program = of_text("simgrid", ALL).unwrap();
    let again = of_text("trace", &written(&*program)).unwrap();
    for (found, expected) in replays(&*again).iter().zip(&replays(&*program)) {
        assert_eq!(found.stall, None);
        assert_eq!(
            (found.tasks, &found.finished),
            (expected.tasks, &expected.finished)
        );
    }
}

#[test]
fn one_file_or_one_a_rank_is_the_same() {
    let lines = |rank: &str| -> String {
        let own = ALL.lines().filter(|line| line.starts_with(rank));
        own.map(|line| format!("{line}\n")).collect()
    };
    let list = b"ti/0.txt\nti/1.txt\nti/2.txt\n";
    assert_eq!(
        Format::named("simgrid").unwrap().companions(list),
        ["ti/0.txt", "ti/1.txt", "ti/2.txt"]
    );
    let files = [
        file("list", list),
        file("ti/0.txt", lines("0").as_bytes()),
        file("ti/1.txt", lines("1").as_bytes()),
        file("ti/2.txt", lines("2").as_bytes()),
    ];
    let several = replays(&*read("simgrid", &files).unwrap());
    assert_eq!(several, replays(&*of_text("simgrid", ALL).unwrap()));
}

#[test]
fn actions_take_as_long_as_they_say() {
    let is = |text: &str, time: u64| {
        assert_eq!(
            nanoseconds(&*of_text("simgrid", text).unwrap()),
            time,
            "{text}"
        );
    };
    is("0 init\n0 compute 1e6", 1_000_000);
    is("0 init\n0 sleep 0.25", 250_000_000);
    // Bytes, doubles, ints.
    is("0 init\n1 init\n0 send 1 0 10\n1 recv 0 0 10", 1009);
    is("0 init 1\n1 init 1\n0 send 1 0 10\n1 recv 0 0 10", 1079);
    is("0 init 1\n1 init 1\n0 send 1 0 10 1\n1 recv 0 0 -1", 1039);
    // What follows a reduction is computed behind it.
    is(
        "0 init\n1 init\n0 allreduce 8 500\n1 allreduce 8 500",
        1007 + 500,
    );
    // The oldest of two equal requests is waited for first.
    is(
        "0 init\n1 init\n1 irecv 0 0 1\n1 irecv 0 0 1\n1 wait 0 1 0\n1 send 0 1 1\n1 wait 0 1 0\n\
         0 send 1 0 1\n0 recv 1 1 1\n0 send 1 0 1",
        3000,
    );
    // A test may have found a request done, and who waits for it once more waits for nothing.
    is(
        "0 init\n1 init\n0 isend 1 0 10\n0 test 0 1 0\n0 wait 0 1 0\n0 wait 0 1 0\n1 recv 0 0 10",
        1009,
    );
    let slow = Reading {
        speed: 1e6,
        ..Reading::default()
    };
    let program = read_as("simgrid", &[file("a", b"0 compute 7")], &slow).unwrap();
    assert_eq!(nanoseconds(&*program), 7000);
}

#[test]
fn what_is_wrong_has_a_place() {
    let is = |text: &str, message: &str| {
        let found = of_text("simgrid", text).err().unwrap_or_default();
        assert!(found.starts_with(message), "{text}: {found}");
    };
    is("", "a: there is no line of any rank");
    is(
        "0 init\n2 init",
        "a: there is no line of rank 1, and there is one of rank 2",
    );
    is("0 init\nzero init", "a:2:1: expected a rank, found `zero`");
    is("0 init\n9999 init", "a:2:1: expected a rank, 0 to");
    is(
        "0 init\n0 brodcast 5",
        "a:2:3: there is no action `brodcast`",
    );
    is(
        "0 init\n0 send 1 0 5",
        "a:2:8: expected a rank, 0 to 0, found 1",
    );
    is(
        "0 init\n0 send 0 0 x",
        "a:2:12: expected a number of elements, found `x`",
    );
    is(
        "0 init\n0 send 0 0 1e30",
        "a:2:12: expected a number of elements, 0 to",
    );
    is(
        "0 init\n0 send 0 0 1 60",
        "a:2:14: expected the number of a type, 0 to 59, found 60",
    );
    is(
        "0 init\n0 compute nan",
        "a:2:11: expected operations, found `nan`",
    );
    is(
        "0 init\n0 sleep -1",
        "a:2:9: expected seconds, at most a hundred days, found `-1`",
    );
    is(
        "0 init\n1 init\n0 isend 1 0 1\n0 wait 0 1 0\n0 test 0 1 0\n0 wait 0 1 0\n1 recv 0 0 1",
        "a:6:8: rank 0 has no open request from 0 to 1 with tag 0",
    );
    is(
        "0 init\n0 wait 0 0 5",
        "a:2:8: rank 0 has no open request from 0 to 0 with tag 5",
    );
    is(
        "0 init\n0 compute 5\n0 init",
        "a:3:3: rank 0 has done `init` already",
    );
    is(
        "0 init\n0 finalize\n0 compute 5",
        "a:3:3: rank 0 has done `finalize`, and nothing follows",
    );
    is(
        "0 init\n0 barrier now",
        "a:2:11: expected the end of the line, found `now`",
    );
    is(
        "0 barrier\n1 init",
        "a: rank 1 ends after 0 collective calls of group 0, rank 0 makes 1",
    );
    let files = [
        file("list", b"0.txt\n1.txt"),
        file("0.txt", b"0 init"),
        file("1.txt", b"1 init\n1 bcast -5"),
    ];
    let message = read("simgrid", &files).err().unwrap();
    assert!(
        message.starts_with("1.txt:2:9: expected a number of elements, 0 to"),
        "{message}"
    );
}

#[test]
fn a_stall_names_file_and_line() {
    let files = [
        file("list", b"0.txt\n1.txt"),
        file("0.txt", b"0 init\n0 recv 1 0 5"),
        file("1.txt", b"1 init"),
    ];
    let program = read("simgrid", &files).unwrap();
    let stall = replay(&*program, &LogGops::default())
        .stall
        .unwrap()
        .to_string();
    let expected = "rank 0 waits to receive 5 B from rank 1, tag 0 (0.txt line 2), but rank 1 has ended without sending it";
    assert!(stall.contains(expected), "{stall}");
}

/// What counts operations takes a whole number of picoseconds, whatever its quotient is in binary.
#[test]
fn operations_take_their_time_to_the_picosecond() {
    let text = "0 compute 15\n0 compute 60\n0 sleep 0.000000001021\n";
    let calls = written(&*read("simgrid", &[file("operations.txt", text.as_bytes())]).unwrap());
    assert!(
        calls.contains("compute 75000\n") || calls.contains("compute 15000\ncompute 60000\n"),
        "{calls}"
    );
    assert!(
        calls.contains("compute 1021\n") || calls.contains("compute 76021\n"),
        "{calls}"
    );
}
