//! Collectives: every algorithm for every number of ranks does what it is for, in the time that its formula says.

#![allow(clippy::unwrap_used)] // helpers are tests too

use turnwise_application::collectives::{
    Algorithm, Collective, Kind, Part, Preset, Round, Selection, Tuning,
};
use turnwise_application::replay::{LogGops, replay};
use turnwise_application::{Call, Caller, Calling, Calls, Graph, Group, Members, Repeated, Work};

fn part(kind: Kind, me: u32, ranks: u32, bytes: u64, root: u32) -> Part {
    let collective = Collective {
        root,
        ..Collective::new(kind, bytes)
    };
    Part {
        me,
        ranks,
        collective,
        tuning: TUNING,
    }
}

/// Several segments of most vectors here, and no power of two.
const TUNING: Tuning = Tuning {
    segment: 300,
    radix: 3,
};

/// By member, its rounds.
fn rounds(algorithm: &Algorithm, kind: Kind, ranks: u32, bytes: u64, root: u32) -> Vec<Vec<Round>> {
    let member = |me| {
        let part = part(kind, me, ranks, bytes, root);
        let round = |number| {
            let mut round = Round::default();
            (algorithm.round)(&part, number, &mut round);
            round
        };
        (0..(algorithm.rounds)(&part)).map(round).collect()
    };
    (0..ranks).map(member).collect()
}

fn every(mut check: impl FnMut(Kind, &Algorithm, u32)) {
    for kind in Kind::ALL {
        for algorithm in kind.algorithms() {
            for ranks in (1..=33_u32).chain([64, 100, 128]) {
                let is_power = ranks.is_power_of_two();
                let is_even = ranks.is_multiple_of(2);
                if (is_power || !algorithm.needs_power_of_two) && (is_even || !algorithm.needs_even)
                {
                    check(kind, algorithm, ranks);
                }
            }
        }
    }
}

#[test]
fn whatever_is_sent_is_received_in_the_same_round() {
    every(|kind, algorithm, ranks| {
        for root in [0, ranks / 2] {
            let all = rounds(algorithm, kind, ranks, 1000, root);
            for number in 0..all[0].len() {
                let name = format!(
                    "{} {}, {ranks} ranks, round {number}",
                    kind.name(),
                    algorithm.name
                );
                let (mut sent, mut received) = (Vec::new(), Vec::new());
                for (me, rounds) in (0..).zip(&all) {
                    sent.extend(
                        rounds[number]
                            .sends
                            .iter()
                            .map(|&(to, bytes)| (me, to, bytes)),
                    );
                    received.extend(
                        rounds[number]
                            .receives
                            .iter()
                            .map(|&(from, bytes)| (from, me, bytes)),
                    );
                }
                sent.sort_unstable();
                received.sort_unstable();
                assert_eq!(sent, received, "{name}");
                assert!(
                    sent.iter().all(|&(from, to, _)| from != to && to < ranks),
                    "{name}"
                );
            }
        }
    });
}

/// Whose data each member has in the end, if a message has all that its sender had before the round.
#[test]
fn everybody_hears_of_everybody_who_matters() {
    every(|kind, algorithm, ranks| {
        let root = ranks / 3;
        let all = rounds(algorithm, kind, ranks, 1 << 10, root);
        let mut knows: Vec<u128> = (0..ranks).map(|me| 1 << me).collect();
        for number in 0..all[0].len() {
            let before = knows.clone();
            for (me, rounds) in all.iter().enumerate() {
                for &(from, _) in &rounds[number].receives {
                    knows[me] |= before[from as usize];
                }
            }
        }
        let everybody = u128::MAX >> (128 - ranks);
        let name = format!("{} {}, {ranks} ranks", kind.name(), algorithm.name);
        match kind {
            Kind::Broadcast => assert!(knows.iter().all(|who| who >> root & 1 == 1), "{name}"),
            Kind::Scatter => assert!(knows.iter().all(|who| who >> root & 1 == 1), "{name}"),
            Kind::Reduce | Kind::Gather => assert_eq!(knows[root as usize], everybody, "{name}"),
            _ => assert!(knows.iter().all(|&who| who == everybody), "{name}"),
        }
    });
}

/// What goes from a member, for vectors that are cut evenly.
#[test]
fn members_send_as_much_as_the_literature_says() {
    let sent = |kind, name: &str, ranks, bytes| -> Vec<u64> {
        let kind: Kind = kind;
        let algorithm = kind.algorithms().iter().find(|it| it.name == name).unwrap();
        let all = rounds(algorithm, kind, ranks, bytes, 0);
        let of = |rounds: &Vec<Round>| {
            rounds
                .iter()
                .flat_map(|round| &round.sends)
                .map(|&(_, bytes)| bytes)
                .sum()
        };
        all.iter().map(of).collect()
    };
    let (n, m) = (16, 16 << 10);
    let each =
        |kind, name, bytes| assert_eq!(sent(kind, name, n, m), vec![bytes; n as usize], "{name}");
    each(Kind::AllReduce, "recursive-doubling", 4 * m);
    each(Kind::AllReduce, "rabenseifner", 2 * m / 16 * 15);
    each(Kind::AllReduce, "ring", 2 * m / 16 * 15);
    each(Kind::AllGather, "ring", 15 * m);
    each(Kind::AllGather, "recursive-doubling", 15 * m);
    each(Kind::AllGather, "bruck", 15 * m);
    each(Kind::AllGather, "neighbor-exchange", 15 * m);
    each(Kind::AllToAll, "pairwise", 15 * m);
    each(Kind::AllToAll, "linear", 15 * m);
    each(Kind::AllToAll, "bruck", 4 * 8 * m);
    each(Kind::ReduceScatter, "recursive-halving", m / 16 * 15);
    each(Kind::ReduceScatter, "ring", m / 16 * 15);
    each(Kind::ReduceScatter, "pairwise", m / 16 * 15);
    each(Kind::AllToAll, "scattered", 15 * m);
    let total = |kind, name| sent(kind, name, n, m).iter().sum::<u64>();
    assert_eq!(
        total(Kind::Broadcast, "scatter-all-gather"),
        4 * m / 2 + 15 * m
    );
    assert_eq!(
        total(Kind::Broadcast, "scatter-doubling"),
        4 * m / 2 + 15 * m
    );
    // Half of it each from above and from the other of the pair, or from the root.
    assert_eq!(total(Kind::Broadcast, "split-binary"), 15 * m);
    for kind in [Kind::Broadcast, Kind::Reduce] {
        for name in ["binomial", "linear", "chain", "knomial", "tree"] {
            assert_eq!(total(kind, name), 15 * m, "{} {name}", kind.name());
        }
    }
    assert_eq!(total(Kind::Barrier, "binomial"), 30);
    for kind in [Kind::Gather, Kind::Scatter] {
        assert_eq!(total(kind, "binomial"), 8 * 4 * m);
        assert_eq!(total(kind, "linear"), 15 * m);
    }
    assert_eq!(total(Kind::AllReduce, "tree"), 30 * m);
    // Twice the vector from everybody but the two roots, which have nobody above them in one of the trees.
    let double = sent(Kind::AllReduce, "double-tree", n, m);
    assert_eq!(double.iter().sum::<u64>(), 30 * m);
    assert!(double.iter().all(|&bytes| bytes <= 2 * m), "{double:?}");
    // Bruck's blocks, counted one by one, for numbers of ranks that are no powers of two.
    for ranks in 2..=40_u32 {
        let bits: u64 = (1..ranks).map(|block| u64::from(block.count_ones())).sum();
        assert_eq!(
            sent(Kind::AllToAll, "bruck", ranks, 1)[0],
            bits,
            "{ranks} ranks"
        );
    }
}

struct Once {
    ranks: u32,
    collective: Collective,
}

struct Single(Option<Call>);

impl Caller for Single {
    fn calls(&mut self, _: u32, calls: &mut Vec<Call>) -> bool {
        calls.extend(self.0.take());
        true
    }
}

impl Calling for Once {
    fn ranks(&self) -> u32 {
        self.ranks
    }

    fn parts(&self) -> u32 {
        1
    }

    fn caller(&self, _: u32) -> Box<dyn Caller> {
        let call = Call::Collective(self.collective.clone(), Group::world(self.ranks));
        Box::new(Single(Some(call)))
    }
}

/// How long a collective takes with these costs.
fn makespan(kind: Kind, name: &str, ranks: u32, bytes: u64, parameters: &LogGops) -> u64 {
    tuned(kind, name, ranks, bytes, parameters, Tuning::default())
}

fn tuned(
    kind: Kind,
    name: &str,
    ranks: u32,
    bytes: u64,
    parameters: &LogGops,
    tuning: Tuning,
) -> u64 {
    let selection = Selection::new(Preset::Mpich).with(kind, name).unwrap();
    let selection = selection.tuned(Some(tuning.segment), Some(tuning.radix));
    let collective = Collective::new(kind, bytes);
    let program = Calls::new(Box::new(Once { ranks, collective }), selection);
    let played = replay(&program, parameters);
    assert_eq!(played.stall, None, "{} {name}, {ranks} ranks", kind.name());
    played.makespan()
}

/// Nothing but a latency and a time for each byte: a step of m bytes takes L + (m - 1) G.
const BARE: LogGops = LogGops {
    latency: 1_000_000,
    overhead: 0,
    gap: 0,
    gap_per_byte: 1000,
    overhead_per_byte: 0,
    eager: u64::MAX,
};

fn step(bytes: u64) -> u64 {
    BARE.latency + body(bytes)
}

/// How long a message keeps an interface.
fn body(bytes: u64) -> u64 {
    BARE.gap_per_byte * (bytes - 1)
}

#[test]
fn each_takes_as_long_as_its_formula_says() {
    let parameters = BARE;
    let m = 64 << 10;
    for levels in 1..=7_u32 {
        let n = 1 << levels;
        let blocks = u64::from(n);
        let halves = |level: u32| step(m >> level);
        let halving: u64 = (1..=levels).map(halves).sum();
        let is = |kind, name, time| {
            assert_eq!(
                makespan(kind, name, n, m, &parameters),
                time,
                "{name}, {n} ranks"
            )
        };
        is(Kind::Barrier, "dissemination", u64::from(levels) * step(1));
        is(
            Kind::Barrier,
            "recursive-doubling",
            u64::from(levels) * step(1),
        );
        is(Kind::Barrier, "linear", 2 * step(1));
        is(Kind::Barrier, "binomial", 2 * u64::from(levels) * step(1));
        is(Kind::Broadcast, "binomial", u64::from(levels) * step(m));
        is(Kind::Reduce, "binomial", u64::from(levels) * step(m));
        is(Kind::Reduce, "reduce-scatter-gather", 2 * halving);
        // One message after the other through the interface of the root.
        let at_root = BARE.latency + (blocks - 1) * body(m);
        is(Kind::Broadcast, "linear", at_root);
        is(Kind::Reduce, "linear", at_root);
        is(
            Kind::AllReduce,
            "recursive-doubling",
            u64::from(levels) * step(m),
        );
        is(Kind::AllReduce, "rabenseifner", 2 * halving);
        is(Kind::AllReduce, "ring", 2 * (blocks - 1) * step(m / blocks));
        is(
            Kind::AllReduce,
            "reduce-broadcast",
            2 * u64::from(levels) * step(m),
        );
        is(Kind::AllGather, "ring", (blocks - 1) * step(m));
        let doubling: u64 = (0..levels).map(|level| step(m << level)).sum();
        is(Kind::AllGather, "recursive-doubling", doubling);
        is(Kind::AllGather, "bruck", doubling);
        let neighbors = step(m) + (blocks / 2 - 1) * step(2 * m);
        is(Kind::AllGather, "neighbor-exchange", neighbors);
        is(Kind::AllToAll, "pairwise", (blocks - 1) * step(m));
        is(
            Kind::AllToAll,
            "bruck",
            u64::from(levels) * step(m * blocks / 2),
        );
        is(Kind::Gather, "binomial", doubling);
        is(Kind::Scatter, "binomial", doubling);
        is(Kind::ReduceScatter, "recursive-halving", halving);
        is(Kind::ReduceScatter, "ring", (blocks - 1) * step(m / blocks));
        is(
            Kind::ReduceScatter,
            "pairwise",
            (blocks - 1) * step(m / blocks),
        );
    }
}

/// Of k members k - 1 are told, or tell, one after the other, and then those who stand for as many each: d rounds of `L + (k - 1) G m` for
/// k^d ranks.
#[test]
fn nomial_trees_take_as_long_as_their_formula_says() {
    let m = 1 << 10;
    for (radix, deepest) in [(2, 7), (3, 4), (4, 4), (5, 3), (16, 2)] {
        for depth in 1..=deepest {
            let ranks = u32::pow(radix, depth);
            let tuning = Tuning {
                radix,
                ..Tuning::default()
            };
            let time = u64::from(depth) * (BARE.latency + u64::from(radix - 1) * body(m));
            for kind in [Kind::Broadcast, Kind::Reduce] {
                let taken = tuned(kind, "knomial", ranks, m, &BARE, tuning);
                assert_eq!(taken, time, "{}, {ranks} ranks, k = {radix}", kind.name());
            }
        }
    }
}

/// The tree of ten members, in Open MPI's own drawing of it.
#[test]
fn nomial_trees_are_those_of_open_mpi() {
    let broadcast = Kind::Broadcast.algorithms().iter();
    let algorithm = broadcast.clone().find(|it| it.name == "knomial").unwrap();
    let below = |radix: u32, me: u32| -> Vec<u32> {
        let mut part = part(Kind::Broadcast, me, 10, 1, 0);
        part.tuning.radix = radix;
        let mut children = Vec::new();
        for number in 0..(algorithm.rounds)(&part) {
            let mut round = Round::default();
            (algorithm.round)(&part, number, &mut round);
            children.extend(round.sends.into_iter().map(|(to, _)| to));
        }
        children
    };
    for (radix, me, children) in [
        (2, 0, &[8, 4, 2, 1][..]),
        (2, 4, &[6, 5]),
        (2, 6, &[7]),
        (2, 8, &[9]),
        (3, 0, &[9, 3, 6, 1, 2]),
        (3, 3, &[4, 5]),
        (3, 6, &[7, 8]),
        (4, 0, &[4, 8, 1, 2, 3]),
        (4, 4, &[5, 6, 7]),
        (4, 8, &[9]),
        (4, 9, &[]),
    ] {
        assert_eq!(below(radix, me), children, "{me}, k = {radix}");
    }
}

/// Members beyond a power of two give theirs away first; then it goes as without them. Others may send parts to one that is still being
/// given a whole, which takes that much longer.
#[test]
fn halves_are_shared_by_any_number_of_ranks() {
    let m = 64 << 10;
    for ranks in [3_u32, 5, 6, 7, 12, 24, 63, 100] {
        let halving: u64 = (1..=ranks.ilog2()).map(|level| step(m >> level)).sum();
        let least = step(m) + 2 * halving;
        let found = makespan(Kind::Reduce, "reduce-scatter-gather", ranks, m, &BARE);
        let most = least + body(m);
        assert!((least..=most).contains(&found), "{ranks} ranks: {found}");
    }
}

/// Of six members two give their vectors to the next, who are worth two of the four that go on; what is cut off is as long as what the others keep.
#[test]
fn parts_of_a_sum_are_shared_by_any_number_of_ranks() {
    let algorithms = Kind::ReduceScatter.algorithms();
    let halving = algorithms.iter().find(|it| it.name == "recursive-halving");
    let members = rounds(halving.unwrap(), Kind::ReduceScatter, 6, 600, 0);
    let sent = |member: &Vec<Round>| -> Vec<u64> {
        let of_round = |round: &Round| round.sends.iter().map(|&(_, bytes)| bytes).sum();
        member.iter().map(of_round).collect()
    };
    let expected = [
        [600, 0, 0, 0],
        [0, 200, 200, 100],
        [600, 0, 0, 0],
        [0, 200, 200, 100],
        [0, 400, 100, 0],
        [0, 400, 100, 0],
    ];
    let found: Vec<Vec<u64>> = members.iter().map(sent).collect();
    assert_eq!(found, expected);
}

/// As in Open MPI, whoever is beyond a power of two tells the one as far before him, and is told by him.
#[test]
fn barriers_fold_the_ranks_beyond_a_power_of_two() {
    let algorithms = Kind::Barrier.algorithms();
    let doubling = algorithms.iter().find(|it| it.name == "recursive-doubling");
    let members = rounds(doubling.unwrap(), Kind::Barrier, 6, 0, 0);
    let partners = |me: usize| -> Vec<(Option<u32>, Option<u32>)> {
        let first = |messages: &Vec<(u32, u64)>| messages.first().map(|&(other, _)| other);
        let of_round = |round: &Round| (first(&round.sends), first(&round.receives));
        members[me].iter().map(of_round).collect()
    };
    let each = |other| (Some(other), Some(other));
    let nobody = (None, None);
    assert_eq!(
        partners(0),
        [(None, Some(4)), each(1), each(2), (Some(4), None)]
    );
    assert_eq!(partners(3), [nobody, each(2), each(1), nobody]);
    assert_eq!(
        partners(5),
        [(Some(1), None), nobody, nobody, (None, Some(1))]
    );
}

/// Those that go segment by segment fill their tree or chain once, and then get a segment further in the time that the busiest
/// member takes for one. Here a segment keeps an interface for g, and nothing else.
#[test]
fn pipelines_fill_once_and_then_go_as_fast_as_their_busiest_member() {
    let (latency, gap) = (1_000_000, 7_000);
    let parameters = LogGops {
        latency,
        gap,
        gap_per_byte: 0,
        ..BARE
    };
    let tuning = Tuning {
        segment: 4096,
        radix: 2,
    };
    for levels in 1..=6_u32 {
        let (ranks, d) = ((2 << levels) - 1, u64::from(levels));
        let others = u64::from(ranks) - 1;
        let all_to_all = |name| tuned(Kind::AllToAll, name, ranks, 8, &parameters, tuning);
        assert_eq!(all_to_all("linear"), latency + (others - 1) * gap);
        // 32 partners at a time; nobody sends before its own receives are done.
        let groups = others.div_ceil(32);
        let scattered = groups * latency + (others - groups) * gap;
        assert_eq!(all_to_all("scattered"), scattered);
        for segments in [1, 2, 5, 40] {
            let is = |kind, name, bytes, time| {
                let taken = tuned(kind, name, ranks, bytes, &parameters, tuning);
                assert_eq!(taken, time, "{name}, {ranks} ranks, {segments} segments");
            };
            let (m, more) = (segments * 4096, segments - 1);
            is(Kind::Broadcast, "chain", m, others * latency + more * gap);
            is(Kind::Reduce, "chain", m, others * latency + more * gap);
            // Two below each: the second gets a segment when the first has had it.
            let fill = d * (latency + gap);
            is(Kind::Broadcast, "tree", m, fill + more * 2 * gap);
            is(Kind::Reduce, "tree", m, fill + more * 2 * gap);
            let halves = fill + more * 2 * gap + latency;
            is(Kind::Broadcast, "split-binary", 2 * m, halves);
            // What comes down is at most eight segments behind what goes up, and here never in its way.
            if segments <= 8 {
                is(Kind::AllReduce, "tree", m, 2 * fill + more * 2 * gap);
            }
        }
    }
}

/// Where messages cost nothing but their latency, what counts is how many links are in a row.
#[test]
fn trees_are_as_deep_as_they_are() {
    let parameters = LogGops {
        gap_per_byte: 0,
        ..BARE
    };
    for ranks in 2..=70_u32 {
        for radix in 2..=5_u32 {
            let tuning = Tuning {
                segment: 1000,
                radix,
            };
            let is = |kind, name, links: u32| {
                let taken = tuned(kind, name, ranks, 5000, &parameters, tuning);
                let time = u64::from(links) * BARE.latency;
                assert_eq!(taken, time, "{name}, {ranks} ranks, radix {radix}");
            };
            let mut depth = 0;
            let mut holds = 1;
            let mut level = 1;
            while holds < ranks {
                level *= radix;
                holds += level;
                depth += 1;
            }
            is(Kind::AllReduce, "tree", 2 * depth);
            is(Kind::Broadcast, "tree", depth);
            is(Kind::Barrier, "offloaded", 2 * depth);
            let rounds = (1..).find(|&rounds| radix.pow(rounds) >= ranks).unwrap();
            is(Kind::Barrier, "dissemination", rounds);
            // A link for each digit that is not zero.
            let digits = |member: u32| {
                let places = std::iter::successors(Some(member), |left| Some(left / radix));
                let digits = places.take_while(|&left| left > 0);
                digits.filter(|left| left % radix > 0).count() as u32
            };
            let links = (0..ranks).map(digits).max().unwrap();
            is(Kind::Broadcast, "knomial", links);
            is(Kind::Reduce, "knomial", links);
        }
        // Halves until everybody has its block, and then every block around the ring.
        let halves = ranks.next_power_of_two().trailing_zeros();
        let taken = makespan(
            Kind::Broadcast,
            "scatter-all-gather",
            ranks,
            5000,
            &parameters,
        );
        let rounds = u64::from(halves + ranks - 1);
        assert!(taken <= rounds * BARE.latency, "{ranks} ranks");
        if ranks.is_power_of_two() {
            assert_eq!(taken, rounds * BARE.latency, "{ranks} ranks");
            let doubling = makespan(
                Kind::Broadcast,
                "scatter-doubling",
                ranks,
                5000,
                &parameters,
            );
            assert_eq!(doubling, u64::from(2 * halves) * BARE.latency);
        }
        let links = 2 * (1 + (ranks - 1).ilog2());
        let taken = makespan(Kind::AllReduce, "double-tree", ranks, 5000, &parameters);
        assert!(taken <= u64::from(links) * BARE.latency, "{ranks} ranks");
        if ranks.is_power_of_two() {
            assert_eq!(taken, u64::from(links) * BARE.latency, "{ranks} ranks");
        }
    }
}

/// What interfaces do among themselves costs no processor anything, and does not wait for one.
#[test]
fn what_is_offloaded_costs_hosts_nothing() {
    let parameters = LogGops {
        overhead: 1_000_000_000,
        ..BARE
    };
    let taken = makespan(Kind::Barrier, "offloaded", 15, 0, &parameters);
    assert_eq!(taken, 6 * BARE.latency);
    let by_hosts = makespan(Kind::Barrier, "linear", 15, 0, &parameters);
    assert!(by_hosts > 14 * parameters.overhead);
}

/// Members of a single tree have two below them and one above, so that a vector passes their links three times. In the two trees who has
/// somebody below it in one has nobody in the other: twice, and a little for what is in the way of each other.
#[test]
fn two_trees_need_two_thirds_of_the_time_of_one() {
    let m = 64 << 20;
    for ranks in [8, 15, 16, 31, 64] {
        let tuning = Tuning {
            segment: 32 << 10,
            radix: 2,
        };
        let time = |name| tuned(Kind::AllReduce, name, ranks, m, &BARE, tuning) as f64;
        let link = body(m) as f64;
        let (single, double) = (time("tree") / link, time("double-tree") / link);
        assert!((3.0..3.15).contains(&single), "{ranks} ranks: {single}");
        assert!((2.0..2.3).contains(&double), "{ranks} ranks: {double}");
    }
}

#[test]
fn all_are_played_to_their_end_whatever_the_ranks_and_however_large() {
    every(|kind, algorithm, ranks| {
        for (bytes, eager) in [(0, 65_535), (1, 0), (1000, 0), (1 << 20, 65_535)] {
            let parameters = LogGops {
                eager,
                ..LogGops::default()
            };
            makespan(kind, algorithm.name, ranks, bytes, &parameters);
        }
    });
}

/// Also where there are many more segments than a strand may be ahead.
#[test]
fn a_collective_takes_as_long_when_it_is_told_whole() {
    every(|kind, algorithm, ranks| {
        if ranks > 20 {
            return;
        }
        let selection = Selection::new(Preset::Mpich).with(kind, algorithm.name);
        let selection = selection.unwrap();
        let selection = selection.tuned(Some(TUNING.segment), Some(TUNING.radix));
        let collective = Collective::new(kind, 20_000);
        let program = Calls::new(Box::new(Once { ranks, collective }), selection);
        let graph = Graph::of(&program);
        for eager in [0, u64::MAX] {
            let parameters = LogGops {
                eager,
                ..LogGops::default()
            };
            let (streamed, whole) = (replay(&program, &parameters), replay(&graph, &parameters));
            assert_eq!(streamed.stall, None);
            assert_eq!(
                streamed.makespan(),
                whole.makespan(),
                "{} {}",
                kind.name(),
                algorithm.name
            );
        }
    });
}

/// In each group the member that is asked for begins: it is the only one that receives nothing.
#[test]
fn each_group_has_the_root_that_is_asked_for() {
    for (members, roots) in [
        (Members::Consecutive, [3, 8, 13]),
        (Members::Strided, [9, 10, 11]),
    ] {
        let program = Repeated {
            collective: Collective {
                root: 3,
                ..Collective::new(Kind::Broadcast, 100)
            },
            ranks: 15,
            groups: 3,
            members,
            times: 1,
            computing: 0,
        };
        program.check().unwrap();
        let graph = Graph::of(&Calls::new(
            Box::new(program),
            Selection::new(Preset::Mpich),
        ));
        let receives = |rank: u32| {
            let tasks = &Graph::of_rank(&graph, rank).tasks;
            tasks
                .iter()
                .any(|task| matches!(task.work, Work::Receive(_)))
        };
        let silent: Vec<u32> = (0..15).filter(|&rank| !receives(rank)).collect();
        assert_eq!(silent, roots, "{members:?}");
    }
}
