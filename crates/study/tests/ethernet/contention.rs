//! How many pairs of a phase share a channel, by counting along routes, against published and derived figures; and simulated times against what
//! follows from these.

use super::{experiment, run, tree};
use std::collections::BTreeMap;
use std::ops::Range;
use turnwise_application::phases::{self, Phase};
use turnwise_network::{Network, Routing, TerminalId};
use turnwise_study::workshop::Experiment;

fn study(hosts: u32, leaves: u32, roots: u32, routing: &str, program: &str, more: &str) -> String {
    let network = tree(hosts, leaves, roots);
    format!(
        "{network}[routing]\n{routing}\n[ethernet]\n[workload]\nkind = 'phases'\nprogram = '{program}'\n\
         host = {{ packet_flits = 1500, eager_bytes = 1_000_000_000 }}\n{more}\
         [simulation]\ncycles_limit = '1 s'\n"
    )
}

/// The most pairs of a phase that share a channel between switches.
fn contention(network: &Network, routing: &dyn Routing, pairs: &[(TerminalId, TerminalId)]) -> u32 {
    let mut shares = BTreeMap::new();
    for &(from, to) in pairs {
        let mut header = routing.start(from, to).unwrap().header;
        let mut at = network.router_of(from);
        loop {
            let hop = routing.settled(at, header).unwrap();
            let channel = network.out_channel(at, hop.port).unwrap();
            let Some(next) = network.next_router(at, hop.port) else {
                break;
            };
            *shares.entry(channel).or_insert(0) += 1;
            (at, header) = (next, hop.header);
        }
    }
    shares.into_values().max().unwrap_or(0)
}

/// Of each phase of a program whose ranks are where their numbers say.
fn of_program(experiment: &Experiment, (_, phases): (u32, Vec<Phase>)) -> Vec<u32> {
    let routed = &experiment.routed;
    let places: Vec<TerminalId> = (0..routed.network.terminal_count())
        .map(TerminalId::from)
        .collect();
    let of_phase = |phase: &Phase| of_places(experiment, phase, &places);
    phases.iter().map(of_phase).collect()
}

fn of_places(experiment: &Experiment, phase: &Phase, places: &[TerminalId]) -> u32 {
    let routed = &experiment.routed;
    let pairs = (0..).zip(&phase.partners).filter(|(from, to)| from != *to);
    let pairs = pairs.map(|(from, &to): (u32, _)| (places[from as usize], places[to as usize]));
    let pairs: Vec<_> = pairs.collect();
    contention(&routed.network, &*routed.routing, &pairs)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// CG: the first four phases stay inside a leaf; in the last 14 of 16 ranks leave it, for two places of every other leaf. So the digits
/// of all of them are the same two; whole numbers differ as well as roots that are no divisor of 16 can tell.
#[test]
fn cg_meets_as_often_as_is_known() {
    for roots in 1..=16 {
        let last = |routing: &str| {
            let experiment = experiment(&study(16, 8, roots, routing, "cg", ""));
            let all = of_program(&experiment, phases::cg());
            assert_eq!(all[..4], [0; 4], "nobody leaves the leaf");
            all[4]
        };
        let expected = if roots == 1 { 14 } else { 7 };
        for kind in ["d-mod-k", "s-mod-k"] {
            let by_digit = last(&format!("kind = '{kind}'\nvariant = 'digit'"));
            assert_eq!(by_digit, expected, "{kind}, {roots}");
            let by_number = last(&format!("kind = '{kind}'"));
            match 16 % roots {
                0 => assert_eq!(by_number, expected, "{kind}, {roots}"),
                _ => assert!(by_number <= expected, "{kind}, {roots}"),
            }
        }
        assert_eq!(last("kind = 'coloured'"), 14_u32.div_ceil(roots), "{roots}");
    }
}

/// The sum over CG's phases, those inside a leaf counting 1 for their hosts' own links, in the mean over random ways.
#[test]
fn random_ways_meet_as_often_as_is_known() {
    for (roots, expected) in [(16, 8.2), (8, 9.55), (4, 11.5), (2, 14.7)] {
        let sum = |seed: u32| {
            let routing = format!("kind = 'nca'\nper = 'pair'\nseed = {seed}");
            let experiment = experiment(&study(16, 8, roots, &routing, "cg", ""));
            4.0 + f64::from(of_program(&experiment, phases::cg())[4])
        };
        let found = mean((0..100).map(sum));
        assert!((found / expected - 1.0).abs() < 0.03, "{roots}: {found}");
    }
}

/// WRF: one root less and everything takes twice as long, seven more and nothing changes.
#[test]
fn wrf_meets_as_often_as_is_known() {
    for roots in 1..=16 {
        for routing in ["d-mod-k", "s-mod-k", "coloured"] {
            let experiment = experiment(&study(
                16,
                16,
                roots,
                &format!("kind = '{routing}'"),
                "wrf",
                "",
            ));
            let found = of_program(&experiment, phases::wrf());
            assert_eq!(found, [16_u32.div_ceil(roots); 2], "{routing}, {roots}");
        }
    }
    for (roots, expected) in [(16, 4.5), (8, 5.9), (2, 12.0)] {
        let first = |seed: u32| {
            let routing = format!("kind = 'nca'\nper = 'pair'\nseed = {seed}");
            let experiment = experiment(&study(16, 16, roots, &routing, "wrf", ""));
            f64::from(of_program(&experiment, phases::wrf())[0])
        };
        let found = mean((0..60).map(first));
        assert!((found / expected - 1.0).abs() < 0.06, "{roots}: {found}");
    }
}

/// FT and all cyclic shifts meet nowhere.
#[test]
fn ft_and_shifts_do_not_meet() {
    for routing in ["kind = 'd-mod-k'", "kind = 's-mod-k'"] {
        let experiment = experiment(&study(16, 8, 16, routing, "ft", ""));
        let most = of_program(&experiment, phases::ft()).into_iter().max();
        assert_eq!(most, Some(1));
        let shifts = (1..128).map(|by| Phase {
            partners: phases::shift(128, by, true),
            bytes: 1,
        });
        let most = of_program(&experiment, (128, shifts.collect()))
            .into_iter()
            .max();
        assert_eq!(most, Some(1));
    }
}

/// Ranks placed at random, in the mean over phases and places.
#[test]
fn random_places_meet_as_often_as_is_known() {
    use turnwise_network::random::{Purpose, Random};
    for (routing, cg, ft) in [
        ("kind = 'd-mod-k'", 3.4, 3.5),
        ("kind = 's-mod-k'", 3.4, 3.5),
        ("kind = 'nca'\nper = 'pair'", 4.3, 4.3),
    ] {
        let experiment = experiment(&study(16, 8, 16, routing, "cg", ""));
        for ((_, phases), expected, draws) in [(phases::cg(), cg, 60), (phases::ft(), ft, 4)] {
            let of_draw = |draw: u32| {
                let mut places: Vec<TerminalId> = (0..128).map(TerminalId).collect();
                Random::new(1, Purpose::Other, 0, draw).shuffle(&mut places);
                let all = phases
                    .iter()
                    .map(|phase| of_places(&experiment, phase, &places));
                mean(all.map(f64::from))
            };
            let found = mean((0..draws).map(of_draw));
            assert!(
                (found / expected - 1.0).abs() < 0.05,
                "{routing}: {found}, not {expected}"
            );
        }
    }
}

/// A phase takes as long as its longest queue of messages: simulated times are within 3 % of that.
#[test]
fn phases_take_as_long_as_contention_says() {
    let megabytes = |routing: &str, roots, program| {
        let text = study(16, 8, roots, routing, program, "");
        run(&experiment(&text)).makespan.unwrap() as f64 / 1e6
    };
    let cg = |routing: &str, roots| megabytes(routing, roots, "cg");
    // Four phases of 0.75 MB, and one of so many times that.
    for (routing, roots, contention) in [
        ("kind = 'd-mod-k'", 16, 7.0),
        ("kind = 's-mod-k'", 16, 7.0),
        ("kind = 'd-mod-k'", 4, 7.0),
        ("kind = 'coloured'", 16, 1.0),
        ("kind = 'coloured'", 7, 2.0),
    ] {
        let (found, expected) = (cg(routing, roots), 0.75 * (4.0 + contention));
        assert!(
            (found / expected - 1.0).abs() < 0.03,
            "{routing}, {roots}: {found}, not {expected}"
        );
    }
    for (roots, contention) in [(16, 1.0), (15, 2.0), (8, 2.0), (4, 4.0), (1, 16.0)] {
        for by in [16, -16] {
            let text = study(16, 16, roots, "kind = 'd-mod-k'", "wrf", "");
            let phase = format!("ranks = 256\nphases = [{{ shift = {by}, bytes = 500_000 }}]");
            let text = text.replace("program = 'wrf'", &phase);
            let found = run(&experiment(&text)).makespan.unwrap() as f64 / 1e6;
            let expected = 0.5 * contention;
            assert!(
                (found / expected - 1.0).abs() < 0.03,
                "WRF, {roots}: {found}, not {expected}"
            );
        }
    }
    let ft = megabytes("kind = 'd-mod-k'", 16, "ft");
    let alone = 127.0 * (131_072.0 + 4.0 * 625.0 + 3.0 * 1_500.0) / 1e6;
    assert!((ft / alone - 1.0).abs() < 0.03, "FT: {ft}, not {alone}");
}

/// Jobs side by side have their phases coloured together: each meets as rarely as alone, wherever its leaves are.
#[test]
fn jobs_are_coloured_together() {
    let job = |name: &str| {
        format!("[[workload.jobs]]\nname = '{name}'\nkind = 'phases'\nprogram = 'cg'\n")
    };
    let jobs = [job("one"), job("other")].concat();
    let network = tree(16, 16, 16);
    let text = format!(
        "{network}[routing]\nkind = 'coloured'\n[ethernet]\n[workload]\nkind = 'jobs'\n{jobs}\
         [placement]\nkind = 'round-robin'\n[simulation]\ncycles_limit = '1 s'\n"
    );
    let experiment = experiment(&text);
    let routed = &experiment.routed;
    let (ranks, phases) = phases::cg();
    assert_eq!(experiment.demand.jobs().len(), 2);
    for phase in &phases {
        let pairs = experiment.demand.jobs().iter().flat_map(|job| {
            let pairs = (0..ranks)
                .zip(&phase.partners)
                .filter(|(from, to)| from != *to);
            pairs.map(|(from, &to)| {
                (
                    job.seats.terminals[from as usize],
                    job.seats.terminals[to as usize],
                )
            })
        });
        let found = contention(
            &routed.network,
            &*routed.routing,
            &pairs.collect::<Vec<_>>(),
        );
        assert!(found <= 1, "{found}");
    }
}

/// Only the jobs that run count: pairs of others go as those go that no phase has, by d-mod-k.
#[test]
fn jobs_that_do_not_run_have_no_colours() {
    let routed = |kind: &str, only: &str| {
        let network = tree(4, 4, 2);
        let text = format!(
            "{network}[routing]\nkind = '{kind}'\n[ethernet]\n[workload]\nkind = 'jobs'\nonly = '{only}'\n\
             [[workload.jobs]]\nname = 'a'\nkind = 'phases'\nranks = 8\nphases = [{{ shift = 5, bytes = 500 }}]\n\
             [[workload.jobs]]\nname = 'b'\nkind = 'collective'\ncollective = 'gather'\nalgorithm = 'linear'\nbytes = 8\n"
        );
        experiment(&text)
    };
    let ways = |kind: &str, only: &str, terminals: Range<u32>| {
        let routed = routed(kind, only).routed;
        let routing = &*routed.routing;
        let pairs = terminals.clone().flat_map(|from| {
            let others = terminals.clone().filter(move |&to| to != from);
            others.map(move |to| (TerminalId(from), TerminalId(to)))
        });
        let ports = pairs.map(|(from, to)| {
            let header = routing.start(from, to).unwrap().header;
            let hop = routing.settled(routed.network.router_of(from), header);
            hop.unwrap().port
        });
        ports.collect::<Vec<_>>()
    };
    let (of_a, of_b) = (0..8, 8..16);
    for (only, running, other) in [("a", &of_a, &of_b), ("b", &of_b, &of_a)] {
        let [coloured, plain] = ["coloured", "d-mod-k"].map(|kind| ways(kind, only, other.clone()));
        assert_eq!(coloured, plain, "{only} alone");
        let [coloured, plain] =
            ["coloured", "d-mod-k"].map(|kind| ways(kind, only, running.clone()));
        assert_ne!(coloured, plain, "{only} alone");
    }
}

/// Programs that do not tell phases: the exchanges of CG, which the benchmark makes call by call, meet as rarely as those of the same program
/// told by phases, and those of a collective as rarely as they can.
#[test]
fn programs_that_tell_no_phases_are_coloured_by_their_rounds() {
    let study = |workload: &str| {
        let network = tree(16, 8, 16);
        experiment(&format!(
            "{network}[routing]\nkind = 'coloured'\n[ethernet]\n[workload]\n{workload}\n\
             [simulation]\ncycles_limit = '1 s'\n"
        ))
    };
    let cg = study("kind = 'npb'\nprogram = 'cg'\nclass = 'A'\niterations = 1");
    assert_eq!(of_program(&cg, phases::cg()), [0, 0, 0, 0, 1]);
    let places = "[placement]\nkind = 'random'\nseed = 3";
    let sum = "kind = 'collective'\ncollective = 'all-reduce'\nalgorithm = 'recursive-doubling'\nbytes = 8";
    let sum = study(&format!("{sum}\n{places}"));
    let seats = &sum.demand.jobs()[0].seats.terminals;
    let found: Vec<u32> = (0..7)
        .map(|bit| {
            let partners = phases::exclusive_or(128, 1 << bit);
            of_places(&sum, &Phase { partners, bytes: 8 }, seats)
        })
        .collect();
    assert!(found.iter().all(|&found| found <= 1), "{found:?}");
}
