//! The formats of programs: read, written, mangled.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

mod chakra;
#[path = "../common/mod.rs"]
mod common;
mod dumpi;
mod export;
mod hostile;
mod htsim;
mod simgrid;
mod trace;

use std::sync::Arc;
use turnwise_application::Program;
use turnwise_application::formats::{FORMATS, Format, Reading};
use turnwise_application::replay::{LogGops, Replay, replay};
use turnwise_config::File;

fn file(name: &str, bytes: &[u8]) -> File {
    File {
        name: name.to_owned(),
        bytes: bytes.to_vec().into(),
    }
}

/// Reads files of a format; a complaint has its place.
fn read(format: &str, files: &[File]) -> Result<Box<dyn Program>, String> {
    read_as(format, files, &Reading::default())
}

fn read_as(format: &str, files: &[File], reading: &Reading) -> Result<Box<dyn Program>, String> {
    let format = Format::named(format).unwrap();
    let files: Arc<[File]> = files.into();
    let read = format.read(&files, reading);
    read.map_err(|fault| fault.in_files("file", &files).message)
}

fn of_text(format: &str, text: &str) -> Result<Box<dyn Program>, String> {
    read(format, &[file("a", text.as_bytes())])
}

/// Only bytes cost time, a nanosecond each at the receiver, and ways a microsecond; so a message of m bytes takes
/// 1000 + m - 1.
const BARE: LogGops = LogGops {
    latency: 1_000_000,
    overhead: 0,
    gap: 0,
    gap_per_byte: 1000,
    overhead_per_byte: 0,
    eager: u64::MAX,
};

/// How long a program takes, in nanoseconds.
fn nanoseconds(program: &dyn Program) -> u64 {
    let played = replay(program, &BARE);
    assert_eq!(played.stall, None);
    played.makespan() / 1000
}

/// As an oracle has it: with three sets of costs.
fn replays(program: &dyn Program) -> Vec<Replay> {
    let played = |eager| {
        let parameters = LogGops {
            eager,
            ..LogGops::default()
        };
        replay(program, &parameters)
    };
    [0, 1000, 1 << 42].map(played).into()
}

#[test]
fn formats_are_known_by_what_is_in_them_or_by_their_names() {
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    assert_eq!(
        names,
        ["trace", "goal", "htsim", "simgrid", "chakra", "dumpi"]
    );
    let of = |name: &str, bytes: &[u8]| {
        let format = Format::of(&file(name, bytes)).ok();
        format.map(|format| format.name)
    };
    assert_eq!(of("a", b"\n# ours\nturnwise-trace 1\n"), Some("trace"));
    assert_eq!(of("a", b"num_ranks 2\n"), Some("goal"));
    assert_eq!(of("a", &4223_u64.to_le_bytes()), Some("goal"));
    assert_eq!(of("a", b"Nodes 16\nConnections 2"), Some("htsim"));
    assert_eq!(of("a", b"0 init\n0 send 1 0 5"), Some("simgrid"));
    assert_eq!(of("a", b"ranks/0.txt\nranks/1.txt\n"), Some("simgrid"));
    assert_eq!(of("a", &chakra::Rank::new().bytes), Some("chakra"));
    assert_eq!(of("a.goal.zst", b""), Some("goal"));
    assert_eq!(of("a.cm", b""), Some("htsim"));
    assert_eq!(of("a.txt", b"hello world"), None);
    let invalid = Format::named("chakar").err().unwrap();
    assert!(invalid.help.unwrap().contains("did you mean `chakra`?"));
    for format in FORMATS {
        let message = read(format.name, &[]).err().unwrap();
        assert_eq!(message, "there is no file", "{}", format.name);
    }
}

/// A byte order mark is no part of a text, of which what is wrong stands where it stood.
#[test]
fn byte_order_marks_are_skipped() {
    for (format, text) in [
        (
            "trace",
            "turnwise-trace 1\nranks 1\ntime ns\ncontent calls\nrank 0\ncompute 5\nend\n",
        ),
        ("goal", "num_ranks 1\nrank 0 {\nl1: calc 5\n}\n"),
        (
            "htsim",
            "Nodes 2\nConnections 1\n0->1 id 1 start 0 size 8\n",
        ),
        ("simgrid", "0 init\n0 compute 5\n0 finalize\n"),
    ] {
        let marked = format!("\u{feff}{text}");
        let found = Format::of(&file("a", marked.as_bytes())).unwrap();
        assert_eq!(found.name, format);
        let [plain, marked] = [text, &marked].map(|text| of_text(format, text));
        let (plain, marked) = (plain.unwrap(), marked.unwrap());
        assert_eq!(nanoseconds(&*marked), nanoseconds(&*plain), "{format}");
        let last = text.lines().count() + 1;
        for mark in ["", "\u{feff}"] {
            let wrong = of_text(format, &format!("{mark}{text}?!\n")).err().unwrap();
            assert!(
                wrong.starts_with(&format!("a:{last}:1: ")),
                "{format}: {wrong}"
            );
        }
    }
    let (list, ranks) = ("\u{feff}0.txt\n", "\u{feff}0 compute 5\n");
    let simgrid = Format::named("simgrid").unwrap();
    assert_eq!(simgrid.companions(list.as_bytes()), ["0.txt"]);
    let files = [("a", list), ("0.txt", ranks)].map(|(name, text)| file(name, text.as_bytes()));
    assert!(read("simgrid", &files).is_ok());
}

/// Whatever format is asked for, and whatever the name says: what people have and is not read says what it is, and what to do.
#[test]
fn files_that_are_not_read_say_what_to_do_instead() {
    let dumpi = b"\xff\xaa\xddDUMPI\0\0\0\0MKB\xe4";
    let calls = b"# collprof 0.9 output file\n\nMPI_Init:-:140:141:1237.0\nMPI_Comm_size:1237.0:0,0,4:140:1237.1\n";
    let text = b"#Paraver (21/03/09 at 16:07):5:1(4):1:4(1:1)\n";
    for (name, bytes, what) in [
        ("a-0000.bin", &dumpi[..], ".meta"),
        ("traces.otf2", b"\x03BOTF2\0\x03", "otf2_to_turnwise.py"),
        ("pmpi-trace-rank-0.txt", calls, "Schedgen"),
        ("a.prv", text, "trace-format.md"),
    ] {
        let file = file(name, bytes);
        let flaw = Format::of(&file).err().unwrap();
        assert!(flaw.help.unwrap().contains(what), "{name}");
        for format in FORMATS {
            let read = format.read(&[file.clone()].into(), &Reading::default());
            assert_eq!(read.err().unwrap().flaw.message, flaw.message, "{name}");
            assert!(format.companions(bytes).is_empty(), "{name}");
        }
    }
}
