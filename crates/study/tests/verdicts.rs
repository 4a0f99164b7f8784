//! What the verifier says of a routing, and what the simulator does with it.
//!
//! A routing that was proved free of deadlock never stops (Dally and Seitz, "Deadlock-free message
//! routing in multiprocessor interconnection networks", IEEE Trans. Computers 36(5), 1987), and where
//! one stops, what waits for what is what the verifier said might: a cycle of its channel
//! dependency graph, all of it inside one strongly connected component.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::random_studies;
use crate::stack;

use crate::random_studies::{Study, study};
use crate::stack::simulate;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseResult, TestRunner};
use std::cell::RefCell;
use turnwise_sim::{Ending, WaitingChannel};
use turnwise_study::workshop::Experiment;
use turnwise_verify::{Analysis, Dependencies, Survey, Vertex, destinations};

/// What waits for what, and what that means.
fn verify(experiment: &Experiment) -> (Dependencies, Analysis) {
    let (network, routing) = (&experiment.routed.network, &*experiment.routed.routing);
    let mut survey = Survey::new(network, routing);
    for destination in destinations(network, routing) {
        survey.visit(destination);
    }
    let dependencies = survey.dependencies().clone();
    (dependencies, survey.conclude(experiment.model.flow_control))
}

/// Everything that can be reached from a vertex, itself included only if it is.
fn reachable(edges: &[(Vertex, Vertex)], vertices: usize, from: Vertex) -> Vec<bool> {
    let mut next = vec![Vec::new(); vertices];
    for &(held, wanted) in edges {
        next[held as usize].push(wanted);
    }
    let mut seen = vec![false; vertices];
    let mut work = vec![from];
    while let Some(vertex) = work.pop() {
        for &next in &next[vertex as usize] {
            if !std::mem::replace(&mut seen[next as usize], true) {
                work.push(next);
            }
        }
    }
    seen
}

/// Does each channel wait for the next one, the last for the first, as the verifier said? Are all of
/// them in one strongly connected component of its graph? What is wrong, if not.
fn unforeseen(cycle: &[WaitingChannel], dependencies: &Dependencies) -> Option<String> {
    let vertex = |waiting: &WaitingChannel| dependencies.vertex(waiting.channel, waiting.vc);
    let vertices: Vec<Vertex> = cycle.iter().map(vertex).collect();
    let Some(&first) = vertices.first() else {
        return Some("nothing waits".into());
    };
    let mut waits = vertices.iter().zip(vertices.iter().cycle().skip(1));
    if let Some((held, wanted)) = waits.find(|wait| !dependencies.contains(*wait.0, *wait.1)) {
        return Some(format!("{held} waits for {wanted}, which was not foreseen"));
    }
    let forward = dependencies.sorted();
    let backward: Vec<_> = forward
        .iter()
        .map(|&(held, wanted)| (wanted, held))
        .collect();
    let count = dependencies.vertex_count();
    let (after, before) = (
        reachable(&forward, count, first),
        reachable(&backward, count, first),
    );
    let outside = |vertex: &&Vertex| !after[**vertex as usize] || !before[**vertex as usize];
    let vertex = vertices.iter().find(outside)?;
    Some(format!("{vertex} is not in the component of {first}"))
}

/// Systems that stop under full load: networks, routings, routers; packets have five flits.
const STOPS: [(&str, &str, &str); 8] = [
    // Tori without datelines: one virtual channel, wormhole, buffers of less than a packet.
    (
        "kind = 'torus'\nsizes = [8]",
        "kind = 'dimension-order'\nvirtual_channels = 1",
        "buffer_flits = 4",
    ),
    (
        "kind = 'torus'\nsizes = [4, 4]",
        "kind = 'dimension-order'\nvirtual_channels = 1",
        "buffer_flits = 4",
    ),
    (
        "kind = 'torus'\nsizes = [5, 3]\nchannel_latency = 3",
        "kind = 'dimension-order'\nvirtual_channels = 1",
        "buffer_flits = 2",
    ),
    (
        "kind = 'torus'\nsizes = [3, 4, 3]",
        "kind = 'dimension-order'\nvirtual_channels = 1\norder = [2, 0, 1]",
        "buffer_flits = 2",
    ),
    // Two virtual channels that no rule tells apart.
    (
        "kind = 'torus'\nsizes = [7]",
        "kind = 'dimension-order'\nclasses = 'none'\nvirtual_channels = 2",
        "buffer_flits = 3",
    ),
    // Whole packets, but no bubble.
    (
        "kind = 'torus'\nsizes = [5, 4]",
        "kind = 'dimension-order'\nclasses = 'none'",
        "flow_control = 'virtual-cut-through'\nbuffer_flits = 10",
    ),
    // Networks without rings, routed by shortest paths without classes.
    (
        "kind = 'random-regular'\nrouters = 12\ndegree = 3",
        "kind = 'shortest-path'\nvirtual_channels = 1",
        "buffer_flits = 2",
    ),
    (
        "kind = 'dragonfly'\ngroups = 5\nrouters_per_group = 4\nglobal_ports_per_router = 1",
        "kind = 'valiant'\nvirtual_channels = 1",
        "buffer_flits = 2",
    ),
];

#[test]
fn what_waits_in_a_deadlock_is_what_the_verifier_said() {
    for (network, routing, router) in STOPS {
        let text = format!(
            "[network]\n{network}\n[routing]\n{routing}\n[router]\n{router}\n\
             [traffic]\npattern = 'uniform'\nload = 1.0\npacket_flits = 5\n\
             [simulation]\nwarmup_cycles = 0\nmeasure_cycles = 100_000"
        );
        let plan = stack::plan(&text);
        let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
        let outcome = simulate(&experiment, true);
        let Ending::Deadlocked(cycle) = &outcome.ending else {
            panic!("{:?} instead of a deadlock of\n{text}", outcome.ending)
        };
        let (dependencies, analysis) = verify(&experiment);
        assert!(analysis.verdict.cycle().is_some(), "{text}");
        assert_eq!(unforeseen(cycle, &dependencies), None, "{text}");
    }
}

/// How random studies ended.
#[derive(Debug, Default)]
struct Tally {
    refused: u32,
    proved: u32,
    completed: u32,
    saturated: u32,
    deadlocked: u32,
    lost: u32,
}

fn examine(study: &Study, tally: &mut Tally) -> TestCaseResult {
    let plan = match stack::try_plan(&study.text()) {
        Ok(plan) => plan,
        Err(errors) => {
            prop_assert!(study.has_faults(), "{errors:?}");
            tally.refused += 1;
            return Ok(());
        }
    };
    let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
    let outcome = simulate(&experiment, true);
    let again = simulate(&experiment, false);
    prop_assert_eq!(outcome.fingerprint, again.fingerprint);
    prop_assert_eq!(&outcome.ending, &again.ending);
    prop_assert_eq!(&outcome.measurement, &again.measurement);
    let (dependencies, analysis) = verify(&experiment);
    let is_proved = analysis.verdict.is_deadlock_free();
    tally.proved += u32::from(is_proved);
    match &outcome.ending {
        Ending::Completed => tally.completed += 1,
        Ending::LimitReached => tally.saturated += 1,
        Ending::Deadlocked(cycle) => {
            prop_assert!(!is_proved, "deadlocked, although proved not to");
            prop_assert_eq!(unforeseen(cycle, &dependencies), None);
            tally.deadlocked += 1;
        }
        Ending::Lost { .. } => {
            let reachability = &analysis.reachability;
            prop_assert!(study.has_faults() && reachability.routable < reachability.pairs);
            tally.lost += 1;
        }
        Ending::Interrupted | Ending::Stalled(_) => {
            prop_assert!(false, "nobody interrupted, nobody waits")
        }
    }
    Ok(())
}

/// 500 studies, or what `TURNWISE_SOAK_CONFIGURATIONS` says, of `PROPTEST_RNG_SEED`.
#[test]
fn what_was_proved_free_of_deadlock_never_stops() {
    let set = |name: &str| std::env::var(name).ok()?.parse().ok();
    let cases = set("TURNWISE_SOAK_CONFIGURATIONS").unwrap_or(500) as u32;
    let mut runner = TestRunner::new(Config {
        cases,
        ..random_studies::config(set("PROPTEST_RNG_SEED").unwrap_or(5))
    });
    let tally = RefCell::new(Tally::default());
    let tried = runner.run(&study(), |study| examine(&study, &mut tally.borrow_mut()));
    assert!(tried.is_ok(), "{}", tried.unwrap_err());
    // All kinds of ends are met.
    let tally = tally.into_inner();
    assert!(
        tally.proved > cases / 3 && tally.completed > cases / 3,
        "{tally:?}"
    );
    assert!(
        tally.deadlocked > cases / 100 && tally.lost > 0,
        "{tally:?}"
    );
    assert!(tally.refused < cases / 10, "{tally:?}");
}

/// BookSim2's virtual channels for UGAL, with its look-ahead and speedup: offered all that there is, it
/// hangs with 25,763 flits inside, 61,000 warnings of a possible deadlock, and no end.
#[test]
fn booksims_ugal_deadlocks_where_booksim_hangs() {
    let study = |classes: &str, vcs: u32| {
        format!(
            "[network]\nkind = 'dragonfly'\ngroups = 9\nrouters_per_group = 4\nterminals_per_router = 2\n\
             global_ports_per_router = 2\nchannel_latency = {{ local = 10, global = 100 }}\n\
             [routing]\nkind = 'ugal'\nclasses = '{classes}'\n\
             [router]\npreset = 'booksim-iq'\nvirtual_channels = {vcs}\nbuffer_flits = 256\n\
             routing_delay = 0\ninternal_speedup = 2.0\n\
             [traffic]\npattern = 'bad-dragon'\nload = 1.0\n\
             [simulation]\nwarmup_cycles = 3000\nmeasure_cycles = 3000\ncycles_limit = 60000"
        )
    };
    let run = |text: &str| {
        let plan = stack::plan(text);
        let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
        let outcome = stack::simulate(&experiment, false);
        (outcome, verify(&experiment))
    };
    let (outcome, (dependencies, analysis)) = run(&study("booksim", 3));
    assert!(!analysis.verdict.is_deadlock_free());
    let Ending::Deadlocked(cycle) = &outcome.ending else {
        panic!("{:?}", outcome.ending);
    };
    assert_eq!(unforeseen(cycle, &dependencies), None);
    let (outcome, (_, analysis)) = run(&study("distance", 4));
    assert!(analysis.verdict.is_deadlock_free());
    assert!(!matches!(outcome.ending, Ending::Deadlocked(_)));
}
