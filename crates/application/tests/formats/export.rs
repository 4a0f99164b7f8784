//! What GOAL has no words for, and schedules of it all the same.

use super::trace::written;
use super::{file, of_text, read_as};
use turnwise_application::collectives::{Kind, Selection};
use turnwise_application::formats::Reading;
use turnwise_application::formats::goal::{read, write_binary, write_text};
use turnwise_application::replay::{LogGops, Replay, replay};
use turnwise_application::{Graph, Program};

/// Three ranks that call this, by a clock of some unit.
fn three(unit: &str, calls: [&str; 3]) -> Box<dyn Program> {
    let mut text = format!("turnwise-trace 1\nranks 3\ntime {unit}\ncontent calls\n");
    text += "group 1 0 1\ngroup 2 0 1\n";
    for (rank, calls) in (0..).zip(calls) {
        text += &format!("rank {rank}\n{calls}\n");
    }
    of_text("trace", &(text + "end\n")).unwrap()
}

fn played(program: &dyn Program) -> Replay {
    replay(program, &LogGops::default())
}

/// What a program does when it has been written as text; in binary it does the same.
fn exported(program: &dyn Program) -> Replay {
    let graph = Graph::of(program);
    let text = read(write_text(&graph).unwrap().as_bytes()).unwrap();
    let binary = read(&write_binary(&graph).unwrap()).unwrap();
    let found = played(&text);
    assert_eq!(found.finished, played(&binary).finished);
    found
}

#[test]
fn receives_of_any_tag_are_refused_where_they_could_take_what_is_not_theirs() {
    let cases = [
        (
            [
                "barrier\nsend 1 8 5",
                "irecv 0 0 8 any\nbarrier\nwait 0",
                "barrier",
            ],
            "rank 1 receives any tag from rank 0 in the world's communicator, and rank 0 also sends it messages in \
             collectives of the world's communicator: GOAL has no communicators",
        ),
        (
            ["send 1 8 5 1", "recv any 8 any 1\nrecv 2 8 7", "send 1 8 7"],
            "rank 1 receives any tag from any rank in communicator 1, and rank 2 also sends it messages in the world's \
             communicator: ",
        ),
        (
            ["send 1 8 5 1\nbarrier 2", "recv 0 8 any 1\nbarrier 2", ""],
            "rank 1 receives any tag from rank 0 in communicator 1, and rank 0 also sends it messages in collectives of \
             communicator 2: ",
        ),
    ];
    for (calls, words) in cases {
        let program = three("ns", calls);
        assert_eq!(played(&*program).stall, None, "{words}");
        let graph = Graph::of(&*program);
        let found = write_text(&graph).unwrap_err();
        assert!(found.starts_with(words), "{found}");
        assert_eq!(write_binary(&graph), Err(found));
    }
}

#[test]
fn receives_of_any_tag_are_written_where_all_that_comes_is_theirs() {
    let cases = [
        ["send 1 8 5\nsend 1 8 6", "recv 0 8 any\nrecv 0 8 any", ""],
        ["send 1 8 5 1", "recv any 8 any 1\nsend 2 8 3", "recv 1 8 3"],
        // What rank 2 sends in another communicator is not from the rank that is waited for.
        ["send 1 8 5 1", "recv 0 8 any 1\nrecv 2 8 7", "send 1 8 7"],
    ];
    for calls in cases {
        let program = three("ns", calls);
        let expected = played(&*program);
        assert_eq!(exported(&*program).finished, expected.finished, "{calls:?}");
    }
}

/// The highest tag of all is one that programs may use; the next one would be any.
#[test]
fn tags_of_collectives_are_such_as_nobody_else_has() {
    for tags in [[u32::MAX - 1, 0], [u32::MAX - 1, 1], [7, 0], [0, 3]] {
        let sends = tags.map(|tag| format!("send 1 8 {tag}\n")).concat();
        let receives = tags.map(|tag| format!("recv 0 8 {tag}\n")).concat();
        let calls = [
            format!("{sends}barrier 1\nbarrier"),
            format!("barrier 1\nbarrier\n{receives}"),
        ];
        let program = three("ns", [&calls[0], &calls[1], "barrier"]);
        let expected = played(&*program);
        assert_eq!(expected.stall, None);
        assert_eq!(exported(&*program).finished, expected.finished, "{tags:?}");
    }
}

/// What interfaces do among themselves costs no processor anything, which GOAL cannot say and a trace can, of calls and of tasks.
#[test]
fn what_is_offloaded_stays_so_or_is_refused() {
    let text = "turnwise-trace 1\nranks 3\ntime ns\ncontent calls\n\
                rank 0\nbarrier\nrank 1\nbarrier\nrank 2\nbarrier\nend\n";
    let selection = Selection::default();
    let reading = Reading {
        selection: selection.with(Kind::Barrier, "offloaded").unwrap(),
        ..Reading::default()
    };
    let read = |text: &str| read_as("trace", &[file("a", text.as_bytes())], &reading).unwrap();
    let program = read(text);
    let expected = played(&*program).finished;
    let graph = Graph::of(&*program);
    let found = write_text(&graph).unwrap_err();
    assert!(
        found.starts_with("rank 0 leaves a collective to its network interface"),
        "{found}"
    );
    assert_eq!(write_binary(&graph), Err(found));
    for told in [written(&*program), written(&graph)] {
        assert_eq!(played(&*read(&told)).finished, expected, "{told}");
    }
    assert!(written(&graph).contains(" offloaded\n"));
}

#[test]
fn fractions_of_nanoseconds_are_not_lost() {
    let short = "compute 999\n".repeat(1000);
    let long = "compute 1500\nsend 2 8\ncompute 700\n";
    let program = three("ps", [&*short, long, "recv 1 8\ncompute 1999"]);
    let expected = played(&*program).finished;
    let found = exported(&*program).finished;
    for (rank, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert!(
            found.abs_diff(*expected) < 2000,
            "rank {rank}: {found} for {expected}"
        );
    }
    assert_eq!((found[0], expected[0]), (999_000, 999_000));
}
