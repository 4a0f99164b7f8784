//! Collectives: every algorithm for every number of ranks does what it is for, in the time that its formula says.

#![allow(clippy::unwrap_used)] // helpers are tests too

use turnwise_application::collectives::{
    Algorithm, Collective, Kind, Part, Preset, Round, Selection,
};
use turnwise_application::replay::{LogGops, replay};
use turnwise_application::{Call, Caller, Calling, Calls, Group};

fn part(kind: Kind, me: u32, ranks: u32, bytes: u64, root: u32) -> Part {
    let collective = Collective {
        root,
        ..Collective::new(kind, bytes)
    };
    Part {
        me,
        ranks,
        collective,
    }
}

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
                if ranks.is_power_of_two() || !algorithm.needs_power_of_two {
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
        let all = rounds(algorithm, kind, ranks, 1 << 20, root);
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
    each(Kind::AllToAll, "pairwise", 15 * m);
    each(Kind::AllToAll, "linear", 15 * m);
    each(Kind::AllToAll, "bruck", 4 * 8 * m);
    each(Kind::ReduceScatter, "recursive-halving", m / 16 * 15);
    each(Kind::ReduceScatter, "ring", m / 16 * 15);
    each(Kind::ReduceScatter, "pairwise", m / 16 * 15);
    let total = |kind, name| sent(kind, name, n, m).iter().sum::<u64>();
    assert_eq!(total(Kind::Broadcast, "binomial"), 15 * m);
    assert_eq!(total(Kind::Broadcast, "chain"), 15 * m);
    assert_eq!(
        total(Kind::Broadcast, "scatter-all-gather"),
        4 * m / 2 + 15 * m
    );
    assert_eq!(total(Kind::Reduce, "binomial"), 15 * m);
    for kind in [Kind::Gather, Kind::Scatter] {
        assert_eq!(total(kind, "binomial"), 8 * 4 * m);
        assert_eq!(total(kind, "linear"), 15 * m);
    }
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
    let selection = Selection::new(Preset::Mpich).with(kind, name).unwrap();
    let collective = Collective::new(kind, bytes);
    let program = Calls::new(Box::new(Once { ranks, collective }), selection);
    let played = replay(&program, parameters);
    assert_eq!(played.stall, None, "{} {name}, {ranks} ranks", kind.name());
    played.makespan()
}

/// With nothing but a latency and a time for each byte at the receiver, a step of m bytes takes L + (m - 1) G.
#[test]
fn each_takes_as_long_as_its_formula_says() {
    let parameters = LogGops {
        latency: 1_000_000,
        overhead: 0,
        gap: 0,
        gap_per_byte: 1000,
        overhead_per_byte: 0,
        eager: u64::MAX,
    };
    let step = |bytes: u64| 1_000_000 + 1000 * (bytes - 1);
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
        is(Kind::Broadcast, "binomial", u64::from(levels) * step(m));
        is(Kind::Reduce, "binomial", u64::from(levels) * step(m));
        is(Kind::Reduce, "reduce-scatter-gather", 2 * halving);
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

#[test]
fn libraries_choose_by_ranks_and_bytes() {
    let all = |preset| {
        let selection = Selection::new(preset);
        for kind in Kind::ALL {
            for ranks in [1, 2, 3, 7, 8, 12, 16, 48, 64, 100, 128, 300, 512, 5000] {
                for bytes in [0, 4, 100, 300, 1000, 5000, 20_000, 100_000, 1 << 20] {
                    let chosen = selection.choose(&part(kind, 0, ranks, bytes, 0));
                    assert!(ranks.is_power_of_two() || !chosen.needs_power_of_two);
                }
            }
        }
    };
    all(Preset::Mpich);
    all(Preset::OpenMpi);
    let choose = |preset, kind, ranks, bytes| {
        Selection::new(preset)
            .choose(&part(kind, 0, ranks, bytes, 0))
            .name
    };
    // The one that makes a benchmark load networks very differently: FT, class C, 128 ranks.
    assert_eq!(
        choose(Preset::Mpich, Kind::AllToAll, 128, 131_072),
        "pairwise"
    );
    assert_eq!(
        choose(Preset::OpenMpi, Kind::AllToAll, 128, 131_072),
        "linear"
    );
    assert_eq!(
        choose(Preset::Mpich, Kind::AllReduce, 64, 8),
        "recursive-doubling"
    );
    assert_eq!(
        choose(Preset::Mpich, Kind::AllReduce, 64, 1 << 20),
        "rabenseifner"
    );
    // What needs a power of two gives way to what does not.
    for kind in Kind::ALL {
        for algorithm in kind.algorithms() {
            let selection = Selection::default().with(kind, algorithm.name).unwrap();
            for ranks in [1, 5, 8] {
                let chosen = selection.choose(&part(kind, 0, ranks, 100, 0));
                let fits = ranks.is_power_of_two() || !algorithm.needs_power_of_two;
                assert!(chosen.name == algorithm.name || !fits && !chosen.needs_power_of_two);
            }
        }
    }
    let unknown = Selection::new(Preset::Mpich)
        .with(Kind::Barrier, "disemination")
        .unwrap_err();
    assert!(
        unknown.help.contains("did you mean `dissemination`"),
        "{}",
        unknown.help
    );
}
