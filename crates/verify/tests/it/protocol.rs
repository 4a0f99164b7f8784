//! Messages that wait at terminals: textbook protocols, and a brute-force search to compare with.

use crate::checker::checked;
use crate::deadlock::{causes, check_certificate};
use crate::networks::{graph, mesh, random_graph, rng, torus};
use crate::oracle::{Held, girth, walk_protocol};
use crate::toys::{AdaptiveMinimal, DimensionOrder, Layers, Table, random_table};
use petgraph::algo::is_cyclic_directed;
use petgraph::graphmap::DiGraphMap;
use std::collections::BTreeMap;
use turnwise_network::{Agent, FlowControl, Network, Routing, TerminalId, Workload};
use turnwise_verify::{Analysis, Protocol, Verdict, analyse, analyse_with, destinations};

fn judged(network: &Network, routing: &dyn Routing, answers: &[(u8, u8)]) -> Analysis {
    let protocol = Protocol::new(1, answers.iter().copied());
    analyse_with(network, routing, &protocol, FlowControl::Wormhole)
}

fn is_free(network: &Network, routing: &dyn Routing, answers: &[(u8, u8)]) -> bool {
    let analysis = judged(network, routing, answers);
    if let Some(cycle) = analysis.verdict.cycle() {
        assert!(cycle.passes_terminals() && cycle.is_shortest);
    }
    analysis.verdict.is_deadlock_free()
}

fn pair() -> Network {
    graph(&[1, 1], &[(0, 1)])
}

fn minimal(network: &Network) -> AdaptiveMinimal<'_> {
    AdaptiveMinimal { network, vcs: 1 }
}

/// As many layers of minimal routing as there are classes.
fn layers(network: &Network, classes: usize) -> Vec<AdaptiveMinimal<'_>> {
    (0..classes).map(|_| minimal(network)).collect()
}

#[test]
fn one_class_that_answers_itself_can_stop_two_terminals() {
    let network = pair();
    let analysis = judged(&network, &minimal(&network), &[(0, 0)]);
    let cycle = analysis.verdict.cycle().unwrap();
    let lines = [
        "router 0 -> router 1 [local] VC 0, held by packets 0 -> 1",
        "terminal 1's ejection channel VC 0, held by packets 0 -> 1 until terminal 1 has sent messages of class 0",
        "terminal 1's injection channel VC 0, held by packets 1 -> 0",
        "router 1 -> router 0 [local] VC 0, held by packets 1 -> 0",
        "terminal 0's ejection channel VC 0, held by packets 1 -> 0 until terminal 0 has sent messages of class 0",
        "terminal 0's injection channel VC 0, held by packets 0 -> 1",
    ];
    assert_eq!(cycle.render(&network), lines);
    assert!(cycle.is_shortest && cycle.passes_terminals());
    // The routing itself is free.
    assert!(is_free(&network, &minimal(&network), &[]));
}

#[test]
fn two_classes_are_free_if_they_are_kept_apart_and_only_then() {
    let network = pair();
    let apart = Layers::apart(layers(&network, 2));
    assert!(is_free(&network, &apart, &[(0, 1)]));
    assert!(!is_free(&network, &apart, &[(0, 1), (1, 0)]));
    let together = Layers::together(layers(&network, 2));
    let analysis = judged(&network, &together, &[(0, 1)]);
    let lines = analysis.verdict.cycle().unwrap().render(&network);
    assert!(
        lines.iter().any(|line| line.ends_with(
            "held by packets 0 -> 1 of class 0 until terminal 1 has sent messages of class 1"
        )),
        "{lines:#?}"
    );
}

#[test]
fn chains_of_classes_are_free_and_circles_are_not() {
    for network in [pair(), graph(&[2, 0, 1], &[(0, 1), (1, 2)])] {
        let apart = Layers::apart(layers(&network, 3));
        assert!(is_free(&network, &apart, &[(0, 1), (1, 2)]));
        assert!(is_free(&network, &apart, &[(0, 1), (0, 2), (1, 2)]));
        assert!(!is_free(&network, &apart, &[(0, 1), (1, 0)]));
        assert!(!is_free(&network, &apart, &[(0, 1), (1, 2), (2, 0)]));
        // What is received last is always taken up, so it may share the virtual channels of what nobody waits for.
        let last_two = Layers {
            of_class: vec![vec![0], vec![1], vec![1]],
            ..Layers::apart(layers(&network, 2))
        };
        assert!(is_free(&network, &last_two, &[(0, 1), (0, 2)]));
        assert!(!is_free(&network, &last_two, &[(0, 1), (1, 2)]));
    }
}

#[test]
fn terminals_alone_can_wait_for_each_other() {
    let network = graph(&[2], &[]);
    let lines = |answers: &[(u8, u8)]| {
        let analysis = judged(&network, &minimal(&network), answers);
        analysis.verdict.cycle().unwrap().render(&network)
    };
    assert_eq!(lines(&[(0, 0)]).len(), 4);
    // One terminal is left only itself to send to.
    let lonely = graph(&[1], &[]);
    let analysis = judged(&lonely, &minimal(&lonely), &[(0, 0)]);
    let cycle = analysis.verdict.cycle().unwrap();
    assert_eq!(
        cycle.render(&lonely),
        [
            "terminal 0's injection channel VC 0, held by packets 0 -> 0",
            "terminal 0's ejection channel VC 0, held by packets 0 -> 0 until terminal 0 has sent messages of class 0",
        ]
    );
    assert_eq!(analysis.reachability.pairs, 0);
    assert!(is_free(
        &lonely,
        &Layers::apart(layers(&lonely, 2)),
        &[(0, 1)]
    ));
}

/// The acceptance of message classes: request and reply on an 8x8 mesh, and on a torus.
#[test]
fn request_and_reply_need_two_classes_on_meshes_and_tori() {
    for (name, network, datelines) in [
        ("mesh", mesh(&[8, 8]), false),
        ("torus", torus(&[8, 8], 1), true),
    ] {
        let order = || DimensionOrder {
            network: &network,
            datelines,
        };
        assert!(!is_free(&network, &order(), &[(0, 0)]), "{name}");
        let together = Layers::together(vec![order(), order()]);
        assert!(!is_free(&network, &together, &[(0, 1)]), "{name}");
        let apart = Layers::apart(vec![order(), order()]);
        let analysis = judged(&network, &apart, &[(0, 1)]);
        let certificate = analysis.verdict.certificate().unwrap();
        assert_eq!(certificate.answers, [(0, 1)]);
        let text = certificate.to_json(&network, "dimension order, classes apart");
        let (status, output) = checked(&format!("answers-{name}.json"), &text);
        assert_eq!(status, Some(0), "{output}");
        assert!(output.contains("64 terminals that answer"), "{output}");
        // What the protocol does not touch is as it was.
        let alone = analyse(&network, &order(), FlowControl::Wormhole);
        assert_eq!(analysis.reachability, alone.reachability);
        for (load, expected) in analysis.quality.loads.iter().zip(&alone.quality.loads) {
            assert!((load - expected).abs() < 1e-9, "{name}");
        }
    }
}

#[test]
fn a_protocol_is_what_a_workload_says() {
    struct Says;
    impl Workload for Says {
        fn agent(&self, _: TerminalId) -> Box<dyn Agent> {
            panic!("nobody runs it")
        }
        fn longest_packet(&self) -> u16 {
            1
        }
        fn classes(&self) -> u8 {
            4
        }
        fn answers(&self) -> &[(u8, u8)] {
            &[(2, 3), (0, 1), (2, 3)]
        }
    }
    let protocol = Protocol::of(&Says);
    assert_eq!(protocol, Protocol::new(4, [(0, 1), (2, 3)]));
    assert_eq!(protocol.answers(), [(0, 1), (2, 3)]);
    assert_eq!(protocol.classes().collect::<Vec<_>>(), [0, 1, 2, 3]);
    // No class that is named is left out.
    assert_eq!(Protocol::new(0, []).class_count(), 1);
    assert_eq!(Protocol::new(1, [(255, 0)]).class_count(), 256);
    assert_eq!(Protocol::new(1, [(255, 0)]).classes().last(), Some(255));
}

#[test]
fn a_protocol_without_answers_changes_nothing() {
    let network = torus(&[4, 3], 2);
    for routing in [
        &DimensionOrder {
            network: &network,
            datelines: true,
        } as &dyn Routing,
        &AdaptiveMinimal {
            network: &network,
            vcs: 2,
        },
    ] {
        let without = analyse(&network, routing, FlowControl::Wormhole);
        let protocol = Protocol::new(1, []);
        assert_eq!(protocol, Protocol::default());
        let with = analyse_with(&network, routing, &protocol, FlowControl::Wormhole);
        assert_eq!(without, with);
        // Classes that are not told apart are in the same states.
        let classes = Protocol::new(3, []);
        let several = analyse_with(&network, routing, &classes, FlowControl::Wormhole);
        assert_eq!(without.quality, several.quality);
        assert_eq!(without.reachability, several.reachability);
        assert_eq!(
            without.verdict.is_deadlock_free(),
            several.verdict.is_deadlock_free()
        );
    }
}

/// Random tables in layers: several for some classes, on virtual channels of their own or not.
fn random_layers<'a>(
    network: &'a Network,
    rng: &mut turnwise_network::random::Random,
) -> (Layers<Table<'a>>, Protocol) {
    let classes = 1 + rng.below(3) as usize;
    let count = classes + rng.below(2) as usize;
    let tables = (0..count).map(|_| random_table(network, rng)).collect();
    let mut layers = Layers::apart(tables);
    let shared = rng.below(3) == 0;
    for (_, first) in &mut layers.layers {
        if shared && rng.below(2) == 0 {
            *first = 0;
        }
    }
    layers.of_class = (0..classes).map(|class| vec![class]).collect();
    for layer in classes..count {
        layers.of_class[rng.below(classes as u32) as usize].push(layer);
    }
    let mut answers = Vec::new();
    for _ in 0..rng.below(4) {
        let (one, other) = (
            rng.below(classes as u32) as u8,
            rng.below(classes as u32) as u8,
        );
        // Mostly upwards, because circles of classes are never free.
        if one < other || rng.below(4) == 0 {
            answers.push((one, other));
        }
    }
    (layers, Protocol::new(classes as u8, answers))
}

#[test]
fn verdicts_on_random_protocols_equal_a_brute_force_search() {
    let mut outcomes = BTreeMap::new();
    for seed in 0..1_000 {
        let mut rng = rng(seed);
        let network = random_graph(&mut rng);
        let (routing, protocol) = random_layers(&network, &mut rng);
        let walks = walk_protocol(&network, &routing, &protocol);
        let cyclic = is_cyclic_directed(&walks.dependencies);
        let analysis = analyse_with(&network, &routing, &protocol, FlowControl::Wormhole);
        let through_terminals = match &analysis.verdict {
            Verdict::DeadlockFree(certificate) => {
                assert!(!cyclic, "seed {seed}");
                check_certificate(certificate, &walks);
                false
            }
            Verdict::Cyclic(cycle) => {
                assert!(cyclic, "seed {seed}");
                check_cycle(cycle, &network, &routing, &walks.dependencies);
                cycle.passes_terminals()
            }
            Verdict::Unexplored(_) => panic!("tiny networks are explored"),
        };
        let kind = (protocol.has_answers(), cyclic, through_terminals);
        *outcomes.entry(kind).or_insert(0) += 1;
    }
    // Without answers, with them free, with them cyclic in the network alone and through terminals.
    for kind in [
        (false, false, false),
        (false, true, false),
        (true, false, false),
        (true, true, false),
        (true, true, true),
    ] {
        assert!(outcomes.get(&kind) > Some(&30), "{outcomes:?}");
    }
}

/// Closed, caused by the packets it names, and as short as any that is not of messages of terminals to themselves.
fn check_cycle(
    cycle: &turnwise_verify::Cycle,
    network: &Network,
    routing: &dyn Routing,
    dependencies: &DiGraphMap<Held, ()>,
) {
    let held: Vec<Held> = cycle.waiting.iter().map(|at| (at.channel, at.vc)).collect();
    for (index, &at) in held.iter().enumerate() {
        let next = held[(index + 1) % held.len()];
        assert!(dependencies.contains_edge(at, next), "{at:?} {next:?}");
        let named = &cycle.waiting[index];
        assert!(causes(network, routing, named, next), "{named:?} {next:?}");
    }
    let others = dependencies.all_edges().filter(|&(held, wanted, ())| {
        let (from, to) = (network.channel(held.0), network.channel(wanted.0));
        from.from_router().is_some() || to.to_router().is_some() || from.source != to.target
    });
    let shortest = girth(&others.collect()).or_else(|| girth(dependencies));
    assert!(cycle.is_shortest);
    assert_eq!(Some(held.len()), shortest);
    for at in &cycle.waiting {
        let ends = network.channel(at.channel);
        let source = turnwise_network::End::Terminal(at.source);
        let destination = turnwise_network::End::Terminal(at.destination);
        assert!(ends.from_router().is_some() || ends.source == source);
        assert_eq!(
            ends.to_router().is_none(),
            ends.target == destination && at.until_sent.is_some()
        );
    }
}

#[test]
fn surveys_of_protocols_can_be_shared_out() {
    for seed in 0..40 {
        let mut rng = rng(seed);
        let network = random_graph(&mut rng);
        let (routing, protocol) = random_layers(&network, &mut rng);
        let once = analyse_with(&network, &routing, &protocol, FlowControl::Bubble);
        let all = destinations(&network, &routing);
        let survey = || turnwise_verify::Survey::with_protocol(&network, &routing, &protocol);
        let mut whole = survey();
        for share in all.chunks(all.len().div_ceil(3)) {
            let mut part = survey();
            share.iter().for_each(|&one| part.visit(one));
            whole.merge(part);
        }
        let shared = whole.conclude(FlowControl::Bubble);
        assert_eq!(shared.verdict, once.verdict, "seed {seed}");
        assert_eq!(shared.reachability, once.reachability, "seed {seed}");
    }
}
