//! GOAL schedules: read, written, mangled.

#![allow(clippy::unwrap_used)] // helpers are tests too

mod common;

use common::{bytes, names, schedule};
use std::sync::atomic::{AtomicUsize, Ordering};
use turnwise_application::collectives::{Kind, Preset, Selection};
use turnwise_application::formats::goal::{read, write_binary, write_text};
use turnwise_application::replay::{LogGops, replay};
use turnwise_application::skeletons::{Benchmark, Class, Options};
use turnwise_application::{Calls, Graph, Program, RankGraph, RankSchedule, Script};

/// A graph without what says where its tasks stood.
fn bare(graph: &Graph) -> Graph {
    let rank = |rank: &RankSchedule| {
        let mut conditions: Vec<_> = rank.conditions().collect();
        conditions.sort_by_key(|condition| (condition.after, condition.moment, condition.task));
        RankGraph {
            tasks: rank.tasks().collect(),
            conditions,
            lines: Vec::new(),
        }
    };
    Graph::new(graph.schedules().map(rank).collect())
}

#[test]
fn schedules_come_back_from_text_and_from_binary() {
    let cases: Vec<String> = [names("goal", ".goal"), names("goal", ".goal.zst")].concat();
    assert_eq!(cases.len(), 16);
    for case in cases {
        let graph = schedule(&case);
        let again = read(write_text(&graph).unwrap().as_bytes()).unwrap();
        assert_eq!(bare(&again), bare(&graph), "{case} as text");
        let again = read(&write_binary(&graph).unwrap()).unwrap();
        assert_eq!(bare(&again), bare(&graph), "{case} as binary");
    }
}

#[test]
fn binaries_are_byte_for_byte_what_loggopsims_converter_writes() {
    for case in names("goal", ".bin") {
        let binary = bytes(&format!("goal/{case}.bin"));
        assert_eq!(
            bare(&read(&binary).unwrap()),
            bare(&schedule(&case)),
            "{case}"
        );
        assert!(write_binary(&schedule(&case)).unwrap() == binary, "{case}");
    }
}

/// What is streamed and what is told whole is the same program. The sum of all in each goes by two trees, for want of strands
/// elsewhere.
#[test]
fn a_program_takes_as_long_when_it_is_told_whole() {
    for (name, class, ranks) in [
        ("cg", Class::S, 32),
        ("ft", Class::W, 64),
        ("is", Class::S, 8),
        ("mg", Class::S, 16),
        ("lu", Class::S, 12),
        ("bt", Class::S, 9),
    ] {
        let options = Options {
            class,
            ranks,
            iterations: Some(2),
            computing: 0.0,
        };
        let program = Benchmark::named(name).unwrap().build(&options).unwrap();
        let selection = Selection::new(Preset::Mpich).tuned(Some(256), Some(2));
        let selection = selection.with(Kind::AllReduce, "double-tree").unwrap();
        let program = Calls::new(program, selection);
        let graph = Graph::of(&program);
        for eager in [0, 1000, 1 << 40] {
            let parameters = LogGops {
                eager,
                ..LogGops::default()
            };
            let streamed = replay(&program, &parameters);
            assert_eq!(streamed.stall, None, "{name}");
            assert_eq!(streamed.tasks, graph.tasks() as u64, "{name}");
            assert_eq!(
                streamed.makespan(),
                replay(&graph, &parameters).makespan(),
                "{name}, {eager}"
            );
            let file = read(&write_binary(&graph).unwrap()).unwrap();
            assert_eq!(
                streamed.makespan(),
                replay(&file, &parameters).makespan(),
                "{name}, {eager}"
            );
        }
    }
}

#[test]
fn what_is_wrong_has_a_place() {
    let rank = |body: &str| format!("num_ranks 2\nrank 0 {{\n{body}\n}}\nrank 1 {{\n}}\n");
    let place = |text: &str| {
        let flaw = read(text.as_bytes()).unwrap_err();
        let before = &text[..flaw.place.unwrap()];
        let line = before.matches('\n').count() + 1;
        (
            line,
            before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1,
            flaw.message,
        )
    };
    let cases = [
        ("num_rank 2", 1, 1, "expected `num_ranks`, found `num_rank`"),
        ("num_ranks 0", 1, 11, "expected a number of ranks, 1 to"),
        ("num_ranks 2\nrank 1 {\n}", 2, 6, "expected rank 0"),
        (
            "num_ranks 2\nrank 0 {\n}",
            3,
            2,
            "the file ends after 1 of 2 ranks",
        ),
        (
            "num_ranks 1\nrank 0 {\n}\nrank 1 {\n}",
            4,
            1,
            "there are only 1 ranks",
        ),
        (
            "num_ranks 1\nrank 0 {\ncalc 5",
            3,
            7,
            "expected a task, `requires`, or `}`, found the end of the file",
        ),
        (
            &rank("send 8b to 2"),
            3,
            12,
            "expected a rank, 0 to 1, found 2",
        ),
        (
            &rank("l1: calc 1\nl1: calc 2"),
            4,
            1,
            "the label `l1` is given twice",
        ),
        (
            &rank("l1: calc 1\nl1 requires l2"),
            4,
            13,
            "no task of this rank before this line is labelled `l2`",
        ),
        (
            &rank("sent 8b to 1"),
            3,
            1,
            "expected `calc`, `send` or `recv`, perhaps after `label:`, found `sent`",
        ),
        (&rank("send 8 to 1"), 3, 8, "expected `b`, found `to`"),
        (&rank("recv 8b from -2"), 3, 15, "expected -1, which is any"),
        (
            &rank("calc 99999999999999999999"),
            3,
            6,
            "expected nanoseconds",
        ),
        (
            &rank("calc 5 now"),
            3,
            8,
            "expected the end of the line, found `now`",
        ),
        (&rank("calc 5 /* no end"), 3, 8, "this comment has no end"),
    ];
    for (text, line, column, message) in cases {
        let found = place(text);
        assert!(
            (found.0, found.1) == (line, column) && found.2.starts_with(message),
            "{text}: {found:?}"
        );
    }
}

/// Ranks of a bad file may all lie in one place: what is taken for each is what it says, not what it could.
#[test]
fn ranks_that_share_a_place_take_no_memory_for_it() {
    const RANKS: u32 = 1000;
    let mut file = 4223u64.to_le_bytes().to_vec();
    file.extend(RANKS.to_le_bytes());
    file.extend([0, 0]);
    let start = 6 + 16 * u64::from(RANKS);
    // No nodes, no roots, and words behind them that nobody speaks of.
    let rank = vec![0; 8 + 4 * 100_000];
    for _ in 0..RANKS {
        file.extend(start.to_le_bytes());
        file.extend((start + rank.len() as u64).to_le_bytes());
    }
    file.extend(rank);
    let graph = read(&file).unwrap();
    assert_eq!(graph.schedules().count(), RANKS as usize);
    assert!(graph.memory_bytes() <= 8 * u64::from(RANKS));
}

#[test]
fn a_stall_names_ranks_operations_and_who_is_missing() {
    let cases = [
        (
            "num_ranks 2\nrank 0 {\na: recv 8b from 1 tag 3\nb: send 8b to 1\nb requires a\n}\n\
             rank 1 {\na: recv 8b from 0\nb: send 8b to 0 tag 3\nb requires a\n}",
            vec![
                "2 ranks wait for ever",
                "in a circle of 2: 0 -> 1 -> 0",
                "rank 0 waits to receive 8 B from rank 1, tag 3 (line 3), while rank 1 itself waits to receive 8 B from \
                 rank 0, tag 0 (line 8)",
                "rank 0 has 1 more task to do",
            ],
        ),
        (
            "num_ranks 2\nrank 0 {\nrecv 8b from 1 tag 1\n}\nrank 1 {\nsend 8b to 0 tag 2\n}",
            vec![
                "rank 0 waits for ever",
                "tag 1 (line 3), but rank 1 has ended without sending it",
                "rank 0 has 1 message that nobody receives, the first of 8 B from rank 1, tag 2",
            ],
        ),
        (
            "num_ranks 2\nrank 0 {\nsend 100000b to 1\n}\nrank 1 {\n}",
            vec![
                "rank 0 waits to send 100000 B to rank 1, tag 0 (line 3), but rank 1 has ended without receiving it",
            ],
        ),
        (
            "num_ranks 1\nrank 0 {\nsend 1b to 0\nrecv 1b from 0\nrecv 1b from 0 tag 3\n}",
            vec![
                "rank 0 waits to receive 1 B from rank 0, tag 3 (line 5), and sends itself no such message",
            ],
        ),
        (
            "num_ranks 1\nrank 0 {\na: send 100000b to 0\nb: recv 100000b from 0\nb requires a\n}",
            vec!["rank 0 waits to send 100000 B to rank 0, tag 0 (line 3), and never receives it"],
        ),
        (
            "num_ranks 1\nrank 0 {\na: recv 8b from 0\nb: send 8b to 0\nb requires a\n}",
            vec![
                "rank 0 waits to receive 8 B from rank 0, tag 0 (line 3), which it sends itself only behind that",
            ],
        ),
        (
            "num_ranks 2\nrank 0 {\na: recv 8b from -1 tag 5\nb: send 8b to 1\nb requires a\n}\n\
             rank 1 {\na: recv 8b from 0\nb: send 8b to 0 tag 5\nb requires a\n}",
            vec![
                "in a circle of 2: 0 -> 1 -> 0",
                "rank 0 waits to receive 8 B from any rank, tag 5 (line 3), which rank 1 would send, and that waits to receive 8 B \
                 from rank 0, tag 0 (line 8)",
            ],
        ),
        (
            "num_ranks 2\nrank 0 {\nrecv 8b from -1 tag 5\n}\n\
             rank 1 {\na: recv 8b from 0\nb: send 8b to 0 tag 6\nb requires a\n}",
            vec!["from any rank, tag 5 (line 3), and no rank sends any"],
        ),
        (
            "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}",
            vec!["rank 0 waits to compute (line 3), and what it waits for never happens"],
        ),
    ];
    for (text, words) in cases {
        let graph = read(text.as_bytes()).unwrap();
        let stall = replay(&graph, &LogGops::default())
            .stall
            .unwrap()
            .to_string();
        for word in words {
            assert!(stall.contains(word), "{stall}\nlacks {word}");
        }
    }
}

/// A program that counts how often it is asked where a task stands.
struct Asked(Graph, AtomicUsize);

impl Program for Asked {
    fn ranks(&self) -> u32 {
        self.0.ranks()
    }

    fn script(&self, rank: u32) -> Box<dyn Script> {
        self.0.script(rank)
    }

    fn place(&self, rank: u32, task: u64) -> Option<String> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.place(rank, task)
    }
}

/// With work for each pair of ranks this would not come to its end.
#[test]
fn a_stall_of_many_ranks_is_told_at_once() {
    const RANKS: u32 = 100_000;
    // Each waits for the next; the last for nobody, for itself, or for a rank on the way.
    let text = |last: &str| {
        let rank = |rank| match rank + 1 {
            RANKS => format!("rank {rank} {{\n{last}\n}}\n"),
            next => format!("rank {rank} {{\nrecv 8b from {next}\n}}\n"),
        };
        let ranks: String = (0..RANKS).map(rank).collect();
        format!("num_ranks {RANKS}\n{ranks}")
    };
    let cases = [
        ("calc 1", 99_999, vec![]),
        ("recv 8b from 0", 100_000, (0..RANKS).collect()),
        ("recv 8b from 99000", 100_000, (99_000..RANKS).collect()),
    ];
    for (last, waiting, circle) in cases {
        let graph = read(text(last).as_bytes()).unwrap();
        let asked = Asked(graph, AtomicUsize::new(0));
        let stall = replay(&asked, &LogGops::default()).stall.unwrap();
        assert_eq!(stall.ranks().len(), waiting, "{last}");
        assert_eq!(stall.circle(), circle, "{last}");
        let told = stall.to_string();
        assert!(
            told.contains("(line 3), while rank 1 itself waits to"),
            "{told}"
        );
        assert!(told.contains("rank 8, tag 0 (line 24), while rank 8 itself waits to receive 8 B from rank 9, tag 0 (line 27)"), "{told}");
        assert!(
            asked.1.load(Ordering::Relaxed) < 20,
            "{last}: {}",
            asked.1.load(Ordering::Relaxed)
        );
    }
}

#[test]
fn messages_of_no_bytes_and_of_a_tebibyte_are_sent() {
    let text = "num_ranks 2\nrank 0 {\nsend 0b to 1\nsend 1099511627776b to 1 tag 1\n}\n\
                rank 1 {\nrecv 0b from 0\nrecv 1099511627776b from 0 tag 1\n}";
    let played = replay(&read(text.as_bytes()).unwrap(), &LogGops::default());
    assert_eq!(played.stall, None);
    assert!(played.makespan() > 1_099_511_627_775 * 6_000);
    assert_eq!(read(text.as_bytes()).unwrap().ranks(), 2);
}

/// MPI would call the one an error and let the other pass; neither keeps a replay from its end.
#[test]
fn messages_that_nobody_receives_and_those_that_are_too_long_are_told() {
    let text = b"num_ranks 2
rank 0 {
send 8b to 1 tag 7
send 9b to 1 tag 3
}
rank 1 {
recv 8b from 0 tag 3
}";
    let played = replay(&read(text).unwrap(), &LogGops::default());
    assert_eq!(played.stall, None);
    assert_eq!(played.unreceived.count, 1);
    let first = played
        .unreceived
        .first
        .map(|(from, message)| (from, message.peer, message.tag));
    assert_eq!(first, Some((0, 1, 7)));
    assert_eq!(played.truncated.count, 1);
    let first = played
        .truncated
        .first
        .map(|(from, message)| (from, message.bytes));
    assert_eq!(first, Some((0, 9)));
}

#[test]
fn time_that_comes_to_its_end_is_told() {
    let text = |nanoseconds: u64| {
        format!(
            "num_ranks 1\nrank 0 {{\nl1: calc {nanoseconds}\nl2: calc {nanoseconds}\nl2 requires l1\n}}"
        )
    };
    let played = |nanoseconds| {
        replay(
            &read(text(nanoseconds).as_bytes()).unwrap(),
            &LogGops::default(),
        )
    };
    assert_eq!(played(9_999_999_999_999_999).out_of_time(), Some(0));
    let whole = played(4_000_000_000_000_001);
    assert_eq!(
        (whole.out_of_time(), whole.makespan()),
        (None, 8_000_000_000_000_002_000)
    );
}

#[test]
fn programs_of_ours_receive_all_that_they_send() {
    for (name, ranks) in [
        ("cg", 8),
        ("ft", 8),
        ("is", 8),
        ("mg", 8),
        ("lu", 8),
        ("bt", 9),
    ] {
        let options = Options {
            class: Class::S,
            ranks,
            iterations: Some(2),
            computing: 0.0,
        };
        let program = Benchmark::named(name).unwrap().build(&options).unwrap();
        let program = Calls::new(program, Selection::new(Preset::Mpich));
        let played = replay(&program, &LogGops::default());
        assert_eq!(
            (played.unreceived.count, played.truncated.count),
            (0, 0),
            "{name}"
        );
    }
}
