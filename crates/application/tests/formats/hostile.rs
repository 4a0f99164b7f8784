//! Files that nobody would write: real ones with pieces torn out, doubled, or replaced by what readers trip over.
//!
//! No reader may panic or hang, and what is read must play to its end or say who waits for whom. 20,000 files, or as many as
//! `TURNWISE_SOAK_FILES` says, from `PROPTEST_RNG_SEED`.

use super::common::bytes;
use super::trace::written;
use super::{chakra, dumpi, file, of_text, read, simgrid};
use turnwise_application::Graph;
use turnwise_application::formats::goal;
use turnwise_application::replay::{LogGops, replay};
use turnwise_config::File;

/// A generator of numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

const WORDS: [&[u8]; 28] = [
    b"requires",
    b"{",
    b"}",
    b"-1",
    b"4294967295",
    b"4294967296",
    b"1e30",
    b"\n",
    b" ",
    b"0b",
    b"rank 1 {",
    b"rank 0\n",
    b"end\n",
    b"any",
    b"wait 0\n",
    b"waitall\n",
    b"barrier\n",
    b"group 1 0 1\n",
    b"all-to-all-v 0 1 2 3 4\n",
    b"#",
    b"->",
    b"trigger 1",
    b"recv_done_trigger 2",
    b"1 irecv 0 0 1\n",
    b"0 waitall\n",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\0",
    b"[0,",
];

const TRACE: &str = "turnwise-trace 1\nranks 3\ntime ns\ncontent calls\ngroup 1 0 1\ngroup 2 2 0\n\
    rank 0\ncompute 500\nisend 0 1 100 7\nirecv 1 any 100 any\nwait 0 1\nall-reduce 80 1\nsend 2 70000 1\nbarrier\n\
    gather-v 0 1 30\nall-to-all-v 0 1 2 3 1 4 7\n\
    rank 1\nrecv 0 100 7\nirecv 5 2 1\nisend 3 0 100\nall-reduce 80 1\nwaitall\nbarrier\ngather-v 0 1 30 7 9\n\
    all-to-all-v 0 4 5 6 2 5 8\n\
    rank 2\nsend 1 1\nrecv 0 70000 1\nbarrier\ngather-v 0 1 9\nall-to-all-v 0 7 8 9 3 6 9\nend\n";
const TASKS: &str = "turnwise-trace 1\nranks 2\ntime us\ncontent tasks\nrank 0\ncompute 5 cpu 1\nsend 1 100000 7 3\n\
    recv any 8 any nic 2\nrequires 1 0\nirequires 2 1\nrank 1\nrecv 0 100000 7 3\nsend 0 8\nrequires 1 0\nend\n";
const MATRIX: &str = "Nodes 4\nConnections 4\nTriggers 2\n0->1 id 1 start 0 size 100000 recv_done_trigger 1\n\
    1->2 id 2 trigger 1 size 200 send_done_trigger 2\n1->3 id 3 trigger 2 size 5\n0->2 start 5000 size 1\n\
    trigger id 1 oneshot\ntrigger id 2 barrier count 1\n";
const SCHEDULE: &[u8] =
    b"num_ranks 1\nrank 0 {\na: calc 1 cpu 3\nb: send 0b to 0 tag 4294967294 nic 2\n\
    c: recv 1b from -1 tag -1\na irequires b\nb requires c\nc requires a\n}";

/// Programs of every format: its name and files.
fn samples() -> Vec<(&'static str, Vec<File>)> {
    let goal = |name: &str| ("goal", vec![file("a", &bytes(&format!("goal/{name}")))]);
    vec![
        goal("pingpong_2.goal"),
        goal("incast_15to1_4KiB.goal"),
        goal("alltoall_bruck_16_64B.goal"),
        goal("pingpong_2.bin"),
        ("goal", vec![file("a", SCHEDULE)]),
        ("trace", vec![file("a", TRACE.as_bytes())]),
        ("trace", vec![file("a", TASKS.as_bytes())]),
        ("simgrid", vec![file("a", simgrid::sample().as_bytes())]),
        (
            "simgrid",
            vec![
                file("list", b"0.txt\n1.txt\n"),
                file(
                    "0.txt",
                    b"0 init\n0 isend 1 0 1e6\n0 waitall\n0 allreduce 8 5\n",
                ),
                file(
                    "1.txt",
                    b"1 init\n1 irecv 0 0 1e6\n1 wait 0 1 0\n1 allreduce 8 5\n",
                ),
            ],
        ),
        ("htsim", vec![file("a", MATRIX.as_bytes())]),
        ("chakra", chakra::sample()),
        ("dumpi", dumpi::sample()),
    ]
}

/// One to three changes.
fn mangle(file: &mut Vec<u8>, numbers: &mut Numbers) {
    for _ in 0..=numbers.below(3) {
        if file.is_empty() {
            return;
        }
        let at = numbers.below(file.len());
        let end = (at + numbers.below(40)).min(file.len());
        match numbers.below(12) {
            0 => file.truncate(at),
            1 => file[at] = numbers.below(256) as u8,
            2 => file[at] = file[at].wrapping_add(1),
            3 => {
                let word = WORDS[numbers.below(WORDS.len())];
                file.splice(at..at, word.iter().copied());
            }
            4 => drop(file.drain(at..end)),
            5 => {
                let part = file[at..end].to_vec();
                file.splice(at..at, part);
            }
            6 => {
                // A line less, or twice.
                let start = file[..at]
                    .iter()
                    .rposition(|&byte| byte == b'\n')
                    .map_or(0, |at| at + 1);
                let length = file[at..].iter().position(|&byte| byte == b'\n');
                let end = length.map_or(file.len(), |length| at + length + 1);
                let line = file[start..end].to_vec();
                match numbers.below(2) {
                    0 => drop(file.drain(start..end)),
                    _ => drop(file.splice(start..start, line)),
                }
            }
            _ => {
                // Another number, which is where a program may still be one.
                let digit = (at..file.len()).find(|&at| file[at].is_ascii_digit());
                match digit {
                    Some(digit) => file[digit] = b'0' + numbers.below(10) as u8,
                    None => file[at] ^= 1,
                }
            }
        }
    }
}

#[test]
fn no_file_makes_a_reader_panic_or_a_replay_hang() {
    let rounds = std::env::var("TURNWISE_SOAK_FILES").map_or(20_000, |text| text.parse().unwrap());
    let samples = samples();
    let seed = std::env::var("PROPTEST_RNG_SEED").map_or(7, |text| text.parse().unwrap());
    let mut numbers = Numbers(seed);
    let mut read_well = vec![0; samples.len()];
    let mut stalled = vec![0; samples.len()];
    for round in 0..rounds {
        let which = round % samples.len();
        let (format, files) = &samples[which];
        let mut files = files.clone();
        let one = numbers.below(files.len());
        let mut contents = files[one].bytes.to_vec();
        mangle(&mut contents, &mut numbers);
        files[one].bytes = contents.into();
        let program = match read(format, &files) {
            Ok(program) => program,
            Err(message) => {
                let names_a_file = files.iter().any(|file| message.starts_with(&file.name));
                assert!(names_a_file, "{format}: {message}");
                continue;
            }
        };
        read_well[which] += 1;
        let played = replay(&*program, &LogGops::default());
        if let Some(stall) = &played.stall {
            stalled[which] += 1;
            assert!(!stall.to_string().is_empty() && !stall.ranks().is_empty());
        }
        // What was read can be written, and is the same program then.
        if program.ranks() < 100 {
            let again = of_text("trace", &written(&*program)).unwrap();
            let again = replay(&*again, &LogGops::default());
            assert_eq!(
                (again.tasks, again.finished),
                (played.tasks, played.finished),
                "{format}"
            );
            if *format == "goal" {
                let graph = Graph::of(&*program);
                let binary = goal::read(&goal::write_binary(&graph).unwrap()).unwrap();
                assert_eq!(binary.tasks(), graph.tasks());
            }
        }
    }
    for ((format, _), counts) in samples.iter().zip(read_well.iter().zip(&stalled)) {
        let (&read_well, &stalled) = counts;
        let each = rounds / samples.len();
        // Flows of htsim stand and fall with triggers, which are refused where they cannot work.
        let has_stalled = stalled > 0 || *format == "htsim";
        assert!(
            read_well > each / 100 && has_stalled,
            "{format}: {each} files, {read_well} read, {stalled} stalled"
        );
    }
}
