//! Traces of DUMPI, against the same programs in Turnwise's own format.

use super::{file, of_text, read, replays};
use turnwise_application::formats::Format;
use turnwise_application::replay::{LogGops, replay};
use turnwise_config::File;

/// An argument of a call.
pub(super) enum Argument<'a> {
    Word(i32),
    Half(i16),
    Byte(i8),
    Words(&'a [i32]),
    Halves(&'a [i16]),
    /// Bytes and sender of each.
    Statuses(&'a [(i32, i32)]),
}
use Argument::{Byte, Half, Halves, Statuses, Word, Words};

const WORLD: Argument<'static> = Half(2);
const INT: Argument<'static> = Half(9);
const BYTE: Argument<'static> = Half(5);
const SUM: Argument<'static> = Byte(3);

/// The file of a rank, as libdumpi writes it.
pub(super) struct Rank {
    bytes: Vec<u8>,
    /// Nanoseconds.
    now: u64,
}

impl Rank {
    pub(super) fn new() -> Self {
        let mut rank = Self {
            bytes: b"\xff\xaa\xddDUMPI".to_vec(),
            now: 1_999_999_990,
        };
        rank.bytes.extend([0, 0, 0, 0, 0x4d, 0x4b, 0x42, 0xe4]);
        rank.call(124, &[Word(0)])
    }

    /// A call that takes five nanoseconds.
    pub(super) fn call(mut self, number: u16, arguments: &[Argument<'_>]) -> Self {
        self.bytes.extend(number.to_be_bytes());
        self.bytes.push(0x4f);
        self.bytes.extend([0; 2 + 12]);
        for time in [self.now, self.now + 5] {
            let (seconds, rest) = (time / 1_000_000_000, time % 1_000_000_000);
            self.bytes.extend((seconds as u16).to_be_bytes());
            self.bytes.extend((rest as u32).to_be_bytes());
        }
        self.now += 5;
        for argument in arguments {
            self.argument(argument);
        }
        self
    }

    fn argument(&mut self, argument: &Argument<'_>) {
        let bytes = &mut self.bytes;
        let mut word = |value: i32| bytes.extend(value.to_be_bytes());
        match argument {
            Word(value) => word(*value),
            Half(value) => bytes.extend(value.to_be_bytes()),
            Byte(value) => bytes.extend(value.to_be_bytes()),
            Words(values) => {
                word(values.len() as i32);
                values.iter().for_each(|&value| word(value));
            }
            Halves(values) => {
                word(values.len() as i32);
                let values = values.iter().flat_map(|value| value.to_be_bytes());
                bytes.extend(values);
            }
            Statuses(statuses) => {
                word(statuses.len() as i32);
                for (length, sender) in *statuses {
                    bytes.extend(length.to_be_bytes());
                    bytes.extend(sender.to_be_bytes());
                    bytes.extend([0; 6]);
                }
            }
        }
    }

    fn compute(mut self, nanoseconds: u64) -> Self {
        self.now += nanoseconds;
        self
    }

    /// Types 28 and 29 are the program's own, of 12 and 1000 bytes.
    pub(super) fn end(self) -> Vec<u8> {
        let mut bytes = self.call(125, &[]).bytes;
        bytes.extend(293_u16.to_be_bytes());
        let header = bytes.len() as u64;
        bytes.extend([1, 0, 0]);
        bytes.extend([0; 8 + 2 + 2 + 4 + 4]);
        let types = bytes.len() as u64;
        let lengths = [
            0, 0, 1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8, 16, 0, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20,
            12, 1000_u32,
        ];
        bytes.extend((lengths.len() as u32).to_be_bytes());
        bytes.extend(lengths.iter().flat_map(|length| length.to_be_bytes()));
        bytes.extend(b"\xff\xaa\xddDUMPI");
        for place in [types, 0, 0, header, 8, 0, 0] {
            bytes.extend(place.to_be_bytes());
        }
        bytes
    }
}

/// The files of a trace.
pub(super) fn files(ranks: Vec<Rank>) -> Vec<File> {
    let about = format!(
        "hostname=a\nnumprocs={}\nfileprefix=/home/somebody/job\n",
        ranks.len()
    );
    let ranks = ranks.into_iter().enumerate();
    let of_ranks = ranks.map(|(rank, calls)| file(&format!("job-{rank:04}.bin"), &calls.end()));
    [file("job.meta", about.as_bytes())]
        .into_iter()
        .chain(of_ranks)
        .collect()
}

/// A little of everything.
pub(super) fn sample() -> Vec<File> {
    let rank = |me: i32| {
        let (left, right) = ((me + 2) % 3, (me + 1) % 3);
        let rank = Rank::new()
            .compute(100 * me as u64)
            .call(12, &[Word(5), INT, Word(left), Word(7), WORLD, Word(4)])
            .call(8, &[Word(5), INT, Word(right), Word(7), WORLD, Word(5)])
            .call(
                18,
                &[Word(2), Words(&[4, 5]), Statuses(&[(20, left), (0, 0)])],
            )
            .call(86, &[WORLD, Word(me % 2), Word(0), Half(4)]);
        match me {
            1 => rank.call(65, &[Word(3), INT, SUM, Half(4)]),
            _ => rank.call(52, &[Half(4)]),
        }
        .call(
            61,
            &[
                Word(3),
                Words(&[1, 2, 3]),
                Words(&[0, 1, 3]),
                BYTE,
                Words(&[me + 1; 3]),
                Words(&[0; 3]),
                BYTE,
                WORLD,
            ],
        )
    };
    files((0..3).map(rank).collect())
}

/// Plays the same as a trace of Turnwise's.
#[track_caller]
fn same(files: &[File], trace: &str) {
    let program = read("dumpi", files).unwrap();
    let expected = of_text("trace", trace).unwrap();
    for (found, expected) in replays(&*program).iter().zip(&replays(&*expected)) {
        assert_eq!(found.stall, None);
        assert_eq!(found, expected);
    }
}

fn header(ranks: u32, groups: &str) -> String {
    format!("turnwise-trace 1\nranks {ranks}\ntime ns\ncontent calls\n{groups}")
}

#[test]
fn pauses_are_computing_and_messages_are_messages() {
    let first = Rank::new()
        .compute(700)
        .call(122, &[])
        .compute(300)
        .call(0, &[Word(3), Half(28), Word(1), Word(7), WORLD])
        .call(
            1,
            &[Word(2), INT, Word(-1), Word(-1), WORLD, Statuses(&[(8, 1)])],
        )
        // From and to nobody, whose number is another library's number for anybody.
        .call(
            1,
            &[
                Word(2),
                INT,
                Word(-1),
                Word(-1),
                WORLD,
                Statuses(&[(0, -1)]),
            ],
        )
        .call(0, &[Word(2), INT, Word(-1), Word(7), WORLD])
        .call(
            33,
            &[
                Word(1),
                Half(29),
                Word(1),
                Word(1),
                Word(2),
                Half(29),
                Word(1),
                Word(2),
                WORLD,
                Statuses(&[]),
            ],
        )
        .compute(50);
    let second = Rank::new()
        .call(
            1,
            &[Word(3), Half(28), Word(0), Word(7), WORLD, Statuses(&[])],
        )
        .call(4, &[Word(2), INT, Word(0), Word(9), WORLD])
        .call(
            34,
            &[
                Word(2),
                Half(29),
                Word(0),
                Word(2),
                Word(0),
                Word(1),
                WORLD,
                Statuses(&[]),
            ],
        );
    // `MPI_Wtime` takes five nanoseconds, which are the program's.
    let calls = "rank 0\ncompute 1005\nsend 1 36 7\nrecv any 8 any\nirecv 0 1 2000 2\nsend 1 1000 1\nwait 0\ncompute 50\n\
        rank 1\nrecv 0 36 7\nsend 0 8 9\nirecv 0 0 2000 1\nsend 0 2000 2\nwait 0\nend\n";
    same(&files(vec![first, second]), &(header(2, "") + calls));
}

#[test]
fn requests_are_waited_for_whichever_way() {
    let receive = |request: i32| [Word(1), INT, Word(1), Word(request), WORLD, Word(request)];
    let first = Rank::new()
        .call(12, &receive(4))
        .call(12, &receive(5))
        .call(12, &receive(6))
        .call(12, &receive(7))
        .call(12, &receive(8))
        .call(14, &[Word(4), Word(0), Statuses(&[])])
        .call(16, &[Word(2), Words(&[4, 5]), Word(1), Statuses(&[])])
        .call(
            20,
            &[
                Word(3),
                Words(&[4, 5, 6]),
                Word(2),
                Words(&[0, 2]),
                Statuses(&[]),
            ],
        )
        .call(
            17,
            &[
                Word(2),
                Words(&[7, 8]),
                Word(-32766),
                Word(0),
                Statuses(&[]),
            ],
        )
        .call(14, &[Word(7), Word(1), Statuses(&[])])
        .call(19, &[Word(2), Words(&[8, 1]), Word(1), Statuses(&[])])
        // A persistent one, twice.
        .call(30, &receive(9))
        .call(31, &[Word(9)])
        .call(13, &[Word(9), Statuses(&[])])
        .call(32, &[Word(1), Words(&[9])])
        .call(13, &[Word(9), Statuses(&[])])
        .call(15, &[Word(9)]);
    let send = |tag: i32| [Word(1), INT, Word(0), Word(tag), WORLD];
    let tags = [8, 4, 5, 6, 7, 9, 9];
    let second = tags
        .iter()
        .fold(Rank::new(), |rank, &tag| rank.call(0, &send(tag)));
    let calls = "rank 0\nirecv 4 1 4 4\nirecv 5 1 4 5\nirecv 6 1 4 6\nirecv 7 1 4 7\nirecv 8 1 4 8\n\
        wait 5\nwait 4 6\nwait 7\nwait 8\nirecv 9 1 4 9\nwait 9\nirecv 9 1 4 9\nwait 9\n\
        rank 1\nsend 0 4 8\nsend 0 4 4\nsend 0 4 5\nsend 0 4 6\nsend 0 4 7\nsend 0 4 9\nsend 0 4 9\nend\n";
    same(&files(vec![first, second]), &(header(2, "") + calls));
}

/// What is cancelled is forgotten, and a persistent request can be started again.
#[test]
fn a_cancelled_request_may_be_started_again() {
    let first = Rank::new()
        .call(26, &[Word(1), INT, Word(1), Word(9), WORLD, Word(4)])
        .call(31, &[Word(4)])
        .call(24, &[Word(4)])
        .call(31, &[Word(4)])
        .call(13, &[Word(4), Statuses(&[])]);
    let second = Rank::new()
        .call(1, &[Word(1), INT, Word(0), Word(9), WORLD, Statuses(&[])])
        .call(1, &[Word(1), INT, Word(0), Word(9), WORLD, Statuses(&[])]);
    let calls =
        "rank 0\nisend 4 1 4 9\nisend 5 1 4 9\nwait 5\nrank 1\nrecv 0 4 9\nrecv 0 4 9\nend\n";
    same(&files(vec![first, second]), &(header(2, "") + calls));
}

#[test]
fn what_nobody_waits_for_stays_open() {
    let send = |tag: i32| [Word(1), INT, Word(1), Word(tag), WORLD, Word(4)];
    // It is freed, then forgotten, then waited for.
    let first = Rank::new()
        .call(8, &send(1))
        .call(15, &[Word(4)])
        .call(8, &send(2))
        .call(8, &send(3))
        .call(13, &[Word(4), Statuses(&[])]);
    let receive = |tag: i32| [Word(1), INT, Word(0), Word(tag), WORLD, Statuses(&[])];
    let second = (1..=3).fold(Rank::new(), |rank, tag| rank.call(1, &receive(tag)));
    let files = files(vec![first, second]);
    let calls = "rank 0\nisend 0 1 4 1\nisend 1 1 4 2\nisend 2 1 4 3\nwait 2\n\
        rank 1\nrecv 0 4 1\nrecv 0 4 2\nrecv 0 4 3\nend\n";
    same(&files, &(header(2, "") + calls));
    let written = super::trace::written(&*read("dumpi", &files).unwrap());
    same(&files, &written);
}

#[test]
fn every_collective_is_that_collective() {
    let rank = |me: i32| {
        let at_root = |root: i32, arguments: [Argument<'static>; 2]| {
            let own = (me == root).then_some(arguments);
            own.into_iter().flatten()
        };
        let gather = [Word(me), Word(5), BYTE, Word(1), WORLD]
            .into_iter()
            .chain(at_root(1, [Word(5), BYTE]));
        let scatter = [Word(me), Word(6), BYTE, Word(0), WORLD]
            .into_iter()
            .chain(at_root(0, [Word(6), BYTE]));
        let gatherv = [Word(me), Word(2), Word(7 + me), BYTE, Word(0), WORLD].into_iter();
        let gatherv = gatherv
            .chain(at_root(0, [Words(&[7, 8]), Words(&[0, 7])]))
            .chain([BYTE]);
        let scatterv = [Word(me), Word(2), INT, Word(1 + me), INT, Word(1), WORLD].into_iter();
        let scatterv = scatterv.chain(at_root(1, [Words(&[1, 2]), Words(&[0, 1])]));
        let own = [[3, 4], [5, 6]];
        let (mine, of_me) = (own[me as usize], own.map(|sent| sent[me as usize]));
        let all =
            |arguments: &mut dyn Iterator<Item = Argument<'static>>| arguments.collect::<Vec<_>>();
        Rank::new()
            .call(52, &[WORLD])
            .call(53, &[Word(9), INT, Word(1), WORLD])
            .call(54, &all(&mut { gather }))
            .call(55, &all(&mut { gatherv }))
            .call(56, &all(&mut { scatter }))
            .call(57, &all(&mut { scatterv }))
            .call(58, &[Word(3), INT, Word(3), INT, WORLD])
            .call(
                59,
                &[
                    Word(2),
                    Word(1),
                    INT,
                    Words(&[1, 3]),
                    Words(&[0, 1]),
                    INT,
                    WORLD,
                ],
            )
            .call(60, &[Word(2), BYTE, Word(2), BYTE, WORLD])
            .call(
                61,
                &[
                    Word(2),
                    Words(&mine),
                    Words(&[0, 0]),
                    BYTE,
                    Words(&of_me),
                    Words(&[0, 0]),
                    BYTE,
                    WORLD,
                ],
            )
            .call(
                155,
                &[
                    Word(2),
                    Words(&[1, 1]),
                    Words(&[0, 0]),
                    Halves(&[28, 9]),
                    Words(&[1, 1]),
                    Words(&[0, 0]),
                    Halves(if me == 0 { &[28, 28] } else { &[9, 9] }),
                    WORLD,
                ],
            )
            .call(62, &[Word(4), INT, SUM, Word(0), WORLD])
            .call(65, &[Word(5), INT, SUM, WORLD])
            .call(66, &[Word(2), Words(&[2, 4]), INT, SUM, WORLD])
            .call(67, &[Word(6), INT, SUM, WORLD])
            .call(156, &[Word(7), INT, SUM, WORLD])
            // Alone there is nobody to wait for.
            .call(65, &[Word(1 + me), INT, SUM, Half(3)])
    };
    let calls = |me: usize| {
        let gatherv = ["gather-v 0 0 7 8", "gather-v 0 0 8"][me];
        let scatterv = ["scatter-v 0 1 4", "scatter-v 0 1 4 8"][me];
        let all_to_all = ["all-to-all-v 0 3 4 3 5", "all-to-all-v 0 5 6 4 6"][me];
        let with_types = ["all-to-all-v 0 12 4 12 12", "all-to-all-v 0 12 4 4 4"][me];
        format!(
            "rank {me}\nbarrier\nbroadcast 36 1\ngather 5 1\n{gatherv}\nscatter 6 0\n{scatterv}\nall-gather 12\n\
             all-gather 8\nall-to-all 2\n{all_to_all}\n{with_types}\nreduce 16 0\nall-reduce 20\nreduce-scatter 24\n\
             all-reduce 24\nall-reduce 28\n"
        )
    };
    let trace = header(2, "") + &calls(0) + &calls(1) + "end\n";
    same(&files(vec![rank(0), rank(1)]), &trace);
}

/// Whatever is passed for what is sent in place counts for nothing.
#[test]
fn what_is_sent_in_place_is_as_long_as_what_is_received() {
    const NULL: Argument<'static> = Half(1);
    let rank = |me: i32, in_place: bool| {
        let sent = |count, of| match in_place {
            true => [Word(0), NULL],
            false => [Word(count), of],
        };
        let rooted = |first: Vec<Argument<'static>>, own: [Argument<'static>; 2], rest: Vec<_>| {
            [first, own.into(), rest]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
        };
        // The root of all of these is rank 0; the others send and receive as ever.
        let is_root = me == 0;
        let at_root = |count, of| match is_root {
            true => sent(count, of),
            false => [Word(count), of],
        };
        let of_root = |arguments: Vec<Argument<'static>>| match is_root {
            true => arguments,
            false => Vec::new(),
        };
        let ends = |behind| {
            [vec![Word(0), WORLD], behind]
                .into_iter()
                .flatten()
                .collect()
        };
        let gather = rooted(
            vec![Word(me)],
            at_root(5, INT),
            ends(of_root(vec![Word(5), INT])),
        );
        let scatter = rooted(
            vec![Word(me)],
            at_root(6, INT),
            ends(of_root(vec![Word(6), INT])),
        );
        let gatherv = of_root(vec![Words(&[7, 8]), Words(&[0, 7])]);
        let gatherv = [ends(gatherv), vec![BYTE]].into_iter().flatten().collect();
        let gatherv = rooted(vec![Word(me), Word(2)], at_root(7 + me, BYTE), gatherv);
        let scatterv = ends(of_root(vec![Words(&[1, 2]), Words(&[0, 1])]));
        let scatterv = rooted(vec![Word(me), Word(2), INT], at_root(1 + me, INT), scatterv);
        let all = rooted(Vec::new(), sent(3, INT), vec![Word(3), INT, WORLD]);
        let (counts, of): (&[i32], _) = match in_place {
            true => (&[0, 0], NULL),
            false => (&[3, 3], BYTE),
        };
        let blocks = [Words(&[3, 3]), Words(&[0, 0])];
        let [received, places] = blocks;
        Rank::new()
            .call(54, &gather)
            .call(55, &gatherv)
            .call(56, &scatter)
            .call(57, &scatterv)
            .call(58, &all)
            .call(60, &all)
            .call(
                61,
                &[
                    Word(2),
                    Words(counts),
                    Words(&[0, 0]),
                    of,
                    received,
                    places,
                    BYTE,
                    WORLD,
                ],
            )
    };
    let calls = |me: usize| {
        let gatherv = ["gather-v 0 0 7 8", "gather-v 0 0 8"][me];
        let scatterv = ["scatter-v 0 0 4 8", "scatter-v 0 0 8"][me];
        format!(
            "rank {me}\ngather 20 0\n{gatherv}\nscatter 24 0\n{scatterv}\nall-gather 12\nall-to-all 12\nall-to-all-v 0 3 3 3 3\n"
        )
    };
    let trace = header(2, "") + &calls(0) + &calls(1) + "end\n";
    for in_place in [false, true] {
        same(&files(vec![rank(0, in_place), rank(1, in_place)]), &trace);
    }
}

#[test]
fn communicators_are_found_by_who_makes_them() {
    // Six ranks are split by parity, the highest first; of each half the first two make one by groups; all make a grid of
    // 2x3 and its rows; and a copy of all of them.
    let rank = |me: i32| {
        let parity = Half(4);
        let rank = Rank::new()
            .call(86, &[WORLD, Word(me % 2), Word(-me), parity])
            .call(52, &[Half(4)])
            .call(72, &[Half(4), Half(7)])
            .call(76, &[Half(7), Word(2), Words(&[0, 1]), Half(8)])
            .call(85, &[Half(4), Half(8), Half(if me >= 2 { 5 } else { 1 })])
            .call(
                99,
                &[
                    WORLD,
                    Word(2),
                    Words(&[2, 3]),
                    Words(&[0, 0]),
                    Word(0),
                    Half(6),
                ],
            )
            .call(111, &[Word(2), Half(6), Words(&[0, 1]), Half(7)])
            .call(84, &[WORLD, Half(8)])
            .call(53, &[Word(1), BYTE, Word(0), Half(4)]);
        let rank = match me >= 2 {
            true => rank.call(53, &[Word(2), BYTE, Word(1), Half(5)]),
            false => rank,
        };
        // The second of its row sends to the third.
        let rank = rank.call(53, &[Word(3), BYTE, Word(2), Half(7)]);
        let rank = match me % 3 {
            1 => rank.call(0, &[Word(4), BYTE, Word(2), Word(0), Half(7)]),
            2 => rank.call(
                1,
                &[Word(4), BYTE, Word(1), Word(0), Half(7), Statuses(&[])],
            ),
            _ => rank,
        };
        rank.call(60, &[Word(1), BYTE, Word(1), BYTE, Half(8)])
    };
    // What makes groups takes time of the program's own.
    let groups =
        "group 1 4 2 0\ngroup 2 5 3 1\ngroup 3 4 2\ngroup 4 5 3\ngroup 5 0 1 2\ngroup 6 3 4 5\n";
    let calls = |me: usize| {
        let parity = 1 + me % 2;
        let (first, second) = [(4, 2), (5, 3)][me % 2];
        let pair = match me >= 2 {
            true => format!("broadcast 2 {second} {}\n", parity + 2),
            false => String::new(),
        };
        let (row, last) = (5 + me / 3, me / 3 * 3 + 2);
        let message = match me % 3 {
            1 => format!("send {last} 4 0 {row}\n"),
            2 => format!("recv {} 4 0 {row}\n", last - 1),
            _ => String::new(),
        };
        format!(
            "rank {me}\nbarrier {parity}\ncompute 10\nbroadcast 1 {first} {parity}\n{pair}broadcast 3 {last} {row}\n{message}\
             all-to-all 1\n"
        )
    };
    let calls: String = (0..6).map(calls).collect();
    same(
        &files((0..6).map(rank).collect()),
        &(header(6, groups) + &calls + "end\n"),
    );
}

#[test]
fn groups_are_made_of_groups() {
    let rank = |me: i32| {
        let rank = Rank::new()
            .call(72, &[WORLD, Half(7)])
            // Without ranks 3 and 1, then with 1 again, behind 2; what is left is 3, of which rank 3 makes another.
            .call(
                79,
                &[Half(7), Word(1), Word(1), Words(&[3, 1, -2]), Half(8)],
            )
            .call(78, &[Half(7), Word(1), Word(1), Words(&[1, 1, 1]), Half(9)])
            .call(73, &[Half(8), Half(9), Half(10)])
            .call(75, &[Half(7), Half(10), Half(11)])
            .call(77, &[Half(7), Word(3), Words(&[0, 1, 2]), Half(12)])
            .call(74, &[Half(11), Half(12), Half(13)])
            .call(85, &[WORLD, Half(if me == 3 { 13 } else { 10 }), Half(4)]);
        rank.call(
            53,
            &[Word(5), BYTE, Word(if me == 3 { 0 } else { 2 }), Half(4)],
        )
    };
    let calls = |me: usize| {
        let broadcast = if me == 3 { "" } else { "broadcast 5 1 1\n" };
        format!("rank {me}\ncompute 35\n{broadcast}")
    };
    let calls: String = (0..4).map(calls).collect();
    let trace = header(4, "group 1 0 2 1\n") + &calls + "end\n";
    same(&files((0..4).map(rank).collect()), &trace);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let complaint = |ranks: Vec<Rank>| read("dumpi", &files(ranks)).err().unwrap();
    let place = 16 + 29 + 4;
    let message = complaint(vec![Rank::new().call(143, &[]), Rank::new()]);
    assert_eq!(
        message,
        format!("job-0000.bin: byte {place}: call 143 (MPI_Put) is not read")
    );
    let split = Rank::new().call(86, &[WORLD, Word(0), Word(0), Half(4)]);
    let message = complaint(vec![split, Rank::new()]);
    let expected = "rank 0 calls MPI_Comm_split, and not all other members of its communicator do";
    assert_eq!(message, format!("job-0000.bin: byte {place}: {expected}"));
    let message = complaint(vec![
        Rank::new().call(52, &[WORLD]),
        Rank::new().call(65, &[Word(1), INT, SUM, WORLD]),
    ]);
    assert!(
        message.starts_with(&format!(
            "job-0001.bin: byte {place}: rank 1's collective call 1"
        )),
        "{message}"
    );
    let send =
        |to: i32, of: i16| Rank::new().call(0, &[Word(1), Half(of), Word(to), Word(0), WORLD]);
    assert!(
        complaint(vec![send(1, 9)])
            .ends_with("MPI_Send: there is no rank 1 in a communicator of 1")
    );
    assert!(
        complaint(vec![send(0, 30)])
            .ends_with("MPI_Send: the length of type 30 is not in the file")
    );
    let mut cut = sample();
    let bytes = cut[2].bytes.to_vec();
    cut[2] = file("job-0001.bin", &bytes[..bytes.len() - 1]);
    let message = read("dumpi", &cut).err().unwrap();
    assert!(
        message.contains("there is no index at the end"),
        "{message}"
    );
    let message = read("dumpi", &sample()[..3]).err().unwrap();
    assert_eq!(message, "job.meta: expected files of 3 ranks, found 2");
}

#[test]
fn a_stall_names_calls_by_their_places() {
    let stuck = Rank::new().call(1, &[Word(1), INT, Word(1), Word(3), WORLD, Statuses(&[])]);
    let program = read("dumpi", &files(vec![stuck, Rank::new()])).unwrap();
    let stall = replay(&*program, &LogGops::default()).stall.unwrap();
    let place = program.place(0, 0).unwrap();
    assert_eq!(place, "job-0000.bin byte 49, MPI_Recv");
    assert!(format!("{stall:?}").contains("Receive"), "{stall:?}");
}

#[test]
fn the_file_about_all_names_those_of_the_ranks() {
    let about = &sample()[0];
    let format = Format::of(about).unwrap();
    assert_eq!(format.name, "dumpi");
    let names = ["job-0000.bin", "job-0001.bin", "job-0002.bin"];
    assert_eq!(format.companions(&about.bytes), names);
}
