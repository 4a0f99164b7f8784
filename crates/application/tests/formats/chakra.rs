//! Chakra execution traces, written here message by message.

use super::{BARE, file, nanoseconds, read, read_as};
use prost::Message as _;
use turnwise_application::collectives::{Collective, Kind, Selection};
use turnwise_application::formats::chakra::messages::{
    Attribute, Bools, GlobalMetadata, Inputs, Node, Note, Value, kinds,
};
use turnwise_application::formats::{Format, Reading};
use turnwise_application::replay::{LogGops, replay};
use turnwise_application::{Call, Caller, Calling, Calls, Group};
use turnwise_config::File;

/// The file of a rank.
pub(super) struct Rank {
    pub(super) bytes: Vec<u8>,
}

impl Rank {
    pub(super) fn new() -> Self {
        let metadata = GlobalMetadata {
            version: "0.0.4".into(),
            attributes: Vec::new(),
        };
        let bytes = metadata.encode_length_delimited_to_vec();
        Self { bytes }
    }

    /// Another node, behind others.
    pub(super) fn node(
        mut self,
        id: u64,
        kind: i32,
        after: &[u64],
        micros: u64,
        attributes: &[(&str, Value)],
    ) -> Self {
        let attribute = |(name, value): &(&str, Value)| Attribute {
            name: (*name).to_owned(),
            value: Some(value.clone()),
        };
        let node = Node {
            id,
            kind,
            control: after.iter().step_by(2).copied().collect(),
            data: after.iter().skip(1).step_by(2).copied().collect(),
            micros,
            attributes: attributes.iter().map(attribute).collect(),
        };
        self.bytes.extend(node.encode_length_delimited_to_vec());
        self
    }

    /// A node that notes process groups as PyTorch does.
    fn groups(mut self, id: u64, name: &str, json: &str) -> Self {
        let values = format!("['{json}']");
        let note = Note {
            id,
            name: name.to_owned(),
            kind: kinds::METADATA,
            inputs: Some(Inputs { values }),
        };
        self.bytes.extend(note.encode_length_delimited_to_vec());
        self
    }

    fn collective(self, id: u64, after: &[u64], kind: i64, bytes: u64, group: &str) -> Self {
        let attributes = [
            ("comm_type", Value::Int64(kind)),
            ("comm_size", Value::Uint64(bytes)),
            ("pg_name", Value::Text(group.to_owned())),
        ];
        self.node(id, kinds::COMM_COLL, after, 0, &attributes)
    }

    fn message(self, id: u64, after: &[u64], kind: i32, peer: i32, bytes: i64) -> Self {
        let name = if kind == kinds::COMM_SEND {
            "comm_dst"
        } else {
            "comm_src"
        };
        let attributes = [
            (name, Value::Int32(peer)),
            ("comm_size", Value::Int64(bytes)),
            ("comm_tag", Value::Uint32(3)),
        ];
        self.node(id, kind, after, 0, &attributes)
    }
}

pub(super) fn files(ranks: Vec<Rank>) -> Vec<File> {
    let file = |(number, rank): (usize, Rank)| file(&format!("a.{number}.et"), &rank.bytes);
    ranks.into_iter().enumerate().map(file).collect()
}

/// Two ranks with something of everything, and a group.
pub(super) fn sample() -> Vec<File> {
    let first = Rank::new()
        .node(0, kinds::METADATA, &[], 0, &[])
        .node(
            1,
            kinds::COMP,
            &[0],
            5,
            &[("is_cpu_op", Value::Bool(false))],
        )
        .message(2, &[1], kinds::COMM_SEND, 1, 100)
        .collective(3, &[1, 2], 0, 1, "7");
    let second = Rank::new()
        .node(5, kinds::MEM_LOAD, &[], 2, &[])
        .message(4, &[5], kinds::COMM_RECV, 0, 100)
        .collective(3, &[4], 0, 1, "7");
    let mut files = files(vec![first, second]);
    files.push(file("groups.json", b"{\"7\": [1, 0], \"8\": [0]}"));
    files
}

#[test]
fn nodes_take_as_long_as_they_say() {
    let is = |ranks: Vec<Rank>, time: u64| {
        assert_eq!(nanoseconds(&*read("chakra", &files(ranks)).unwrap()), time);
    };
    let host = [("is_cpu_op", Value::Bool(true))];
    let accelerator = [("is_cpu_op", Value::Bool(false))];
    let operations = [("num_ops", Value::Int64(7000))];
    let comp = kinds::COMP;
    is(vec![Rank::new().node(0, comp, &[], 5, &host)], 5000);
    // Two of the host one after the other, one of the accelerator and one of the memory beside.
    let beside = Rank::new()
        .node(0, comp, &[], 5, &host)
        .node(1, comp, &[], 6, &[]);
    let beside = beside
        .node(2, comp, &[], 9, &accelerator)
        .node(3, kinds::MEM_STORE, &[], 10, &[]);
    is(vec![beside], 11_000);
    is(vec![Rank::new().node(0, comp, &[], 0, &operations)], 7000);
    let slow = Reading {
        speed: 1e6,
        ..Reading::default()
    };
    let one = files(vec![Rank::new().node(0, comp, &[], 0, &operations)]);
    assert_eq!(
        nanoseconds(&*read_as("chakra", &one, &slow).unwrap()),
        7_000_000
    );
    // A message beside computing, and one behind; nodes may stand before those that they wait for.
    let sends = Rank::new()
        .node(9, comp, &[1], 3, &[])
        .message(1, &[], kinds::COMM_SEND, 1, 100);
    let receives =
        Rank::new()
            .message(1, &[], kinds::COMM_RECV, 0, 100)
            .node(2, comp, &[1], 50, &[]);
    is(vec![sends, receives], 1099 + 50_000);
}

/// Ranks that send before they receive do not wait for each other, however long the messages are.
#[test]
fn what_waits_for_a_send_is_not_held_up_by_it() {
    let rank = |other, bytes| {
        let rank = Rank::new().message(0, &[], kinds::COMM_SEND, other, bytes);
        rank.message(1, &[0], kinds::COMM_RECV, other, bytes)
    };
    for bytes in [100, 1 << 20] {
        let program = read("chakra", &files(vec![rank(1, bytes), rank(0, bytes)])).unwrap();
        let stall = replay(&*program, &LogGops::default()).stall;
        assert!(stall.is_none(), "{stall:?}");
    }
}

struct Once(u32, Collective);
struct Single(Option<Call>);

impl Caller for Single {
    fn calls(&mut self, _: u32, calls: &mut Vec<Call>) -> bool {
        calls.extend(self.0.take());
        true
    }
}

impl Calling for Once {
    fn ranks(&self) -> u32 {
        self.0
    }

    fn parts(&self) -> u32 {
        1
    }

    fn caller(&self, _: u32) -> Box<dyn Caller> {
        Box::new(Single(Some(Call::Collective(
            self.1.clone(),
            Group::world(self.0),
        ))))
    }
}

#[test]
fn collectives_are_those_that_ranks_would_call() {
    // Numbers of the schema; bytes of an operation of 8400 bytes at each rank, or at the root.
    let all: [(i64, Kind, u64); 10] = [
        (0, Kind::AllReduce, 1),
        (1, Kind::Reduce, 1),
        (2, Kind::AllGather, 1),
        (3, Kind::Gather, 1),
        (4, Kind::Scatter, 0),
        (5, Kind::Broadcast, 1),
        (6, Kind::AllToAll, 0),
        (7, Kind::ReduceScatter, 1),
        (8, Kind::ReduceScatter, 1),
        (9, Kind::Barrier, 1),
    ];
    for ranks in [1, 2, 5, 8, 70] {
        for (number, kind, whole) in all {
            for algorithm in kind.algorithms() {
                let selection = Selection::default().with(kind, algorithm.name).unwrap();
                let reading = Reading {
                    selection: selection.clone(),
                    ..Reading::default()
                };
                let file = || Rank::new().collective(1, &[], number, 8400, "");
                let mut traced = files((0..ranks).map(|_| file()).collect());
                if let [alone] = &mut traced[..] {
                    "a.et".clone_into(&mut alone.name);
                }
                let traced = read_as("chakra", &traced, &reading).unwrap();
                let bytes = if whole == 1 {
                    8400
                } else {
                    8400 / u64::from(ranks)
                };
                let program = Once(ranks, Collective::new(kind, bytes));
                let called = Calls::new(Box::new(program), selection);
                // Without times for bytes nothing is in the way of anything.
                let parameters = LogGops {
                    gap_per_byte: 0,
                    ..BARE
                };
                let time = |program| {
                    let played = replay(program, &parameters);
                    (played.makespan(), played.messages, played.bytes)
                };
                assert_eq!(
                    time(&*traced),
                    time(&called),
                    "{} {}, {ranks} ranks",
                    kind.name(),
                    algorithm.name
                );
            }
        }
    }
}

#[test]
fn groups_are_those_of_the_file_and_files_are_sorted_by_their_numbers() {
    let program = read("chakra", &sample()).unwrap();
    assert_eq!(nanoseconds(&*program), 5000 + 1099 + 1000);
    let ranks = (0..12).map(|rank| match rank {
        3 => Rank::new().message(0, &[], kinds::COMM_SEND, 11, 1),
        11 => Rank::new().message(0, &[], kinds::COMM_RECV, 3, 1),
        _ => Rank::new(),
    });
    let mut files = files(ranks.collect());
    files.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(files[2].name, "a.10.et");
    assert_eq!(nanoseconds(&*read("chakra", &files).unwrap()), 1000);
    for separator in ["_", "-", "_rank."] {
        let renamed = files.iter().map(|it| {
            let name = it.name.replacen('.', separator, 1);
            file(&name, &it.bytes)
        });
        let renamed: Vec<File> = renamed.collect();
        let program = read("chakra", &renamed).unwrap();
        assert_eq!(nanoseconds(&*program), 1000, "{separator}");
    }
    assert!(read("chakra", &[file("a-2026.et", &files[0].bytes)]).is_ok());
    // Whoever is alone calls nobody together, but for a program that is no file of several.
    let alone = Rank::new().collective(1, &[], 0, 5, "").bytes;
    for (name, all) in [
        ("run/all_reduce.7.et", "run/all_reduce.*.et"),
        ("all_reduce.0.et", "all_reduce.*.et"),
        ("rank-7.et.zst", "rank-*.et.zst"),
    ] {
        let format = Format::named("chakra").unwrap();
        let one = format.read(&[file(name, &alone)].into(), &Reading::default());
        let flaw = one.err().unwrap().flaw;
        assert!(flaw.message.contains("one rank of several"), "{name}");
        assert!(flaw.help.unwrap().contains(&format!("`{all}`")), "{name}");
    }
    assert!(read("chakra", &[file("all_reduce.et", &alone)]).is_ok());
    files.remove(1);
    let message = read("chakra", &files).err().unwrap();
    assert_eq!(
        message,
        "a.2.et: expected the trace of rank 1: ranks are numbered from 0 on"
    );
}

/// The name of nodes in which PyTorch notes process groups.
const NOTES: &str = "## process_group:init ##";

#[test]
fn groups_are_those_that_pytorch_has_noted_unless_a_file_says_otherwise() {
    // One barrier of four is 2 rounds, one of two a round.
    let noted = |rank: u64, json: &str| {
        let rank = Rank::new().collective(rank, &[], 9, 0, "1");
        rank.groups(9, NOTES, json)
    };
    let pairs = |rank: u64| match rank < 2 {
        true => noted(
            rank,
            r#"[{"pg_name": "1", "backend": "nccl", "ranks": [0, 1]}]"#,
        ),
        false => noted(
            rank,
            r#"[{"pg_name": "0", "ranks": []}, {"pg_name": "1", "ranks": [2, 3]}]"#,
        ),
    };
    let all = |rank: u64| noted(rank, r#"[{"pg_name": "1", "ranks": []}]"#);
    let time = |files: &[File]| nanoseconds(&*read("chakra", files).unwrap());
    assert_eq!(time(&files((0..4).map(pairs).collect())), 1000);
    assert_eq!(time(&files((0..4).map(all).collect())), 2000);
    let mut with_file = files((0..4).map(pairs).collect());
    with_file.push(file("groups.json", b"{\"1\": [0, 1, 2, 3]}"));
    assert_eq!(time(&with_file), 2000);
    // Other notes are none of groups, and a node of no kind is nothing.
    let others =
        Rank::new()
            .groups(1, "process_group", "[7]")
            .node(2, kinds::INVALID, &[1], 5, &[]);
    assert_eq!(time(&files(vec![others.groups(3, NOTES, "")])), 0);
    // All ranks have two names, unless a file has another group of one of them.
    for name in ["", "0"] {
        let ranks = || (0..4).map(|rank| Rank::new().collective(rank, &[], 9, 0, name));
        assert_eq!(time(&files(ranks().collect())), 2000, "{name}");
    }
    let in_group = |rank| match rank {
        0 | 1 => Rank::new().collective(rank, &[], 9, 0, "0"),
        _ => Rank::new(),
    };
    let mut with_file = files((0..4).map(in_group).collect());
    with_file.push(file("groups.json", b"{\"0\": [1, 0]}"));
    assert_eq!(time(&with_file), 1000);
    let place = format!("a.0.et: byte {}:", Rank::new().bytes.len());
    for (json, message) in [
        (
            "[7]",
            "node 1: expected process groups, [{\"pg_name\": \"1\", \"ranks\": [0, 1]}]: ",
        ),
        (
            r#"[{"pg_name": "3", "ranks": [0, 1]}]"#,
            "group `3` has rank 1, and there are 1 traces",
        ),
        (
            r#"[{"pg_name": "3", "ranks": [0, 0]}]"#,
            "group `3` is empty, or has a rank twice",
        ),
    ] {
        let found = read("chakra", &files(vec![Rank::new().groups(1, NOTES, json)]));
        let found = found.err().unwrap();
        assert!(found.starts_with(&format!("{place} {message}")), "{found}");
    }
}

#[test]
fn collectives_go_in_all_dimensions_or_name_their_group() {
    let rank = |values: &[bool]| {
        let attributes = [
            ("comm_type", Value::Int64(0)),
            ("comm_size", Value::Int64(8)),
            (
                "involved_dim",
                Value::Bools(Bools {
                    values: values.to_vec(),
                }),
            ),
        ];
        Rank::new().node(4, kinds::COMM_COLL, &[], 0, &attributes)
    };
    let found = |values: &[bool]| read("chakra", &files(vec![rank(values), rank(values)]));
    assert!(found(&[true, true]).is_ok());
    let message = found(&[true, false]).err().unwrap();
    let expected = format!(
        "a.0.et: byte {}: node 4: expected all of `involved_dim` to be true, found [true, false]",
        Rank::new().bytes.len()
    );
    assert!(message.starts_with(&expected), "{message}");
}

#[test]
fn what_is_wrong_has_a_place() {
    let is = |ranks: Vec<Rank>, message: &str| {
        let found = read("chakra", &files(ranks)).err().unwrap_or_default();
        assert!(found.starts_with(message), "{found}\nis not {message}");
    };
    let empty = Rank { bytes: Vec::new() };
    is(
        vec![empty],
        "a.0.et:1:1: expected a Chakra trace, found an empty file",
    );
    let metadata = Rank::new().bytes.len();
    let mut cut = Rank::new().node(1, kinds::COMP, &[], 5, &[]);
    cut.bytes.pop();
    is(
        vec![cut],
        &format!("a.0.et: byte {metadata}: expected a node of"),
    );
    let mut broken = Rank::new();
    broken.bytes.extend([2, 0x1f, 0xff]);
    is(
        vec![broken],
        &format!("a.0.et: byte {metadata}: this is not a node:"),
    );
    let place = format!("a.0.et: byte {metadata}:");
    let one = |rank: Rank, message: &str| is(vec![rank], &format!("{place} {message}"));
    one(
        Rank::new().node(1, 9, &[], 0, &[]),
        "nodes of kind 9 are not understood",
    );
    one(
        Rank::new().node(1, kinds::COMP, &[2], 0, &[]),
        "this node depends on node 2, and there is none",
    );
    one(
        Rank::new().node(1, kinds::COMP, &[], 1 << 50, &[]),
        "1125899906842624 microseconds are more than a hundred days",
    );
    one(
        Rank::new().message(1, &[], kinds::COMM_SEND, 1, 5),
        "node 1: expected `comm_dst` below 1, found 1",
    );
    let attributes = [
        ("comm_src", Value::Int32(3)),
        ("comm_dst", Value::Int32(0)),
        ("comm_size", Value::Int64(8)),
    ];
    one(
        Rank::new().node(1, kinds::COMM_SEND, &[], 0, &attributes),
        "node 1: expected `comm_src` to be 0, the rank whose trace this is, found 3",
    );
    one(
        Rank::new().message(1, &[], kinds::COMM_SEND, 0, -5),
        "node 1: expected `comm_size` to be a number from 0 on, found -5",
    );
    one(
        Rank::new().node(1, kinds::COMM_RECV, &[], 0, &[]),
        "node 1 has no number `comm_size`",
    );
    one(
        Rank::new().collective(1, &[], 10, 5, ""),
        "node 1: expected `comm_type` below 10, found 10",
    );
    one(
        Rank::new().collective(1, &[], 0, 5, "7"),
        "there is no group `7`",
    );
    let twice = Rank::new()
        .node(1, kinds::COMP, &[], 5, &[])
        .node(1, kinds::COMP, &[], 5, &[]);
    let found = read("chakra", &files(vec![twice])).err().unwrap();
    assert!(found.contains("there is a node 1 already"), "{found}");
    let differ = vec![
        Rank::new().collective(1, &[], 0, 5, ""),
        Rank::new().collective(1, &[], 9, 5, ""),
    ];
    let found = read("chakra", &files(differ)).err().unwrap();
    assert!(
        found.contains(
            "rank 1's collective call 1 of group 0 is barrier, and rank 0's is all-reduce"
        ),
        "{found}"
    );
    let missing = vec![Rank::new().collective(1, &[], 0, 5, ""), Rank::new()];
    is(
        missing,
        "a.0.et: rank 1 ends after 0 collective calls of group 0, rank 0 makes 1",
    );
    let groups = |text: &str, message: &str| {
        let mut files = sample();
        files[2].bytes = text.as_bytes().to_vec().into();
        let found = read("chakra", &files).err().unwrap();
        assert!(found.starts_with(message), "{text}: {found}");
    };
    groups("{\n\"7\": [0, x]}", "groups.json:2:10: expected groups");
    groups(
        "{\"7\": [0, 2]}",
        "groups.json: group `7` has rank 2, and there are 2 traces",
    );
    groups(
        "{\"7\": [0, 0]}",
        "groups.json: group `7` is empty, or has a rank twice",
    );
    groups("{\"7\": [1]}", "a.0.et: byte");
    groups("{\"6\": [0, 1]}", "a.0.et: byte");
}

#[test]
fn a_stall_names_nodes() {
    let first =
        Rank::new()
            .message(40, &[41], kinds::COMM_RECV, 1, 5)
            .node(41, kinds::COMP, &[], 5, &[]);
    let program = read("chakra", &files(vec![first, Rank::new()])).unwrap();
    let stall = replay(&*program, &LogGops::default())
        .stall
        .unwrap()
        .to_string();
    let expected = "rank 0 waits to receive 5 B from rank 1, tag 3 (node 40), but rank 1 has ended without sending it";
    assert!(stall.contains(expected), "{stall}");
}
