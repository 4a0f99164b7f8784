//! Several starts of a pair: all are explored, all must arrive, loads are shared among them.

use crate::networks::graph;
use crate::toys::{Layers, Route, Table};
use std::collections::BTreeMap;
use turnwise_network::{FlowControl, Network, TerminalId};
use turnwise_verify::{Protocol, Reason, Verdict, analyse, analyse_with};

/// Four routers in a ring with a terminal each: channels `2 i` go up, `2 i + 1` come back.
fn ring() -> Network {
    graph(&[1, 1, 1, 1], &[(0, 1), (1, 2), (2, 3), (3, 0)])
}

/// The channels from one router to another, going round upwards or downwards.
fn round(network: &Network, from: u32, to: u32, up: bool) -> Route {
    let mut at = from;
    let mut route = Route::new();
    while at != to {
        let next = if up { (at + 1) % 4 } else { (at + 3) % 4 };
        let (channel, _) = network
            .channels()
            .find(|&(id, _)| network.ends(id).map(|(a, b)| (a.0, b.0)) == Some((at, next)))
            .unwrap();
        route.push((channel, 0));
        at = next;
    }
    route
}

/// From each router to the one across, and nowhere else.
fn across(network: &Network, up: bool) -> Table<'_> {
    let pairs = (0..4).map(|from| (from, (from + 2) % 4));
    let routes: BTreeMap<(u32, u32), Route> = pairs
        .map(|(from, to)| ((from, to), round(network, from, to, up)))
        .collect();
    Table {
        network,
        vcs: 1,
        between_terminals: false,
        routes,
    }
}

fn both_ways(network: &Network) -> Layers<Table<'_>> {
    Layers {
        layers: vec![(across(network, true), 0), (across(network, false), 0)],
        of_class: vec![vec![0, 1]],
    }
}

#[test]
fn loads_are_shared_equally_among_starts() {
    let network = ring();
    let analysis = analyse(&network, &both_ways(&network), FlowControl::Wormhole);
    let quality = &analysis.quality;
    // Four pairs, two channels each, half of each pair on either side.
    assert_eq!(quality.loads, [1.0; 8]);
    assert!(!quality.single_path);
    assert_eq!((quality.routable_pairs, quality.diameter), (4, 2));
    assert_eq!(quality.length_shares, [0.0, 0.0, 1.0]);
    let up = analyse(&network, &across(&network, true), FlowControl::Wormhole);
    assert!(up.quality.single_path);
    assert_eq!(up.quality.edge_forwarding_index, 2.0);
}

#[test]
fn loads_count_the_first_class_only_and_proofs_count_all() {
    let network = ring();
    let routing = Layers {
        of_class: vec![vec![0], vec![1]],
        ..both_ways(&network)
    };
    let protocol = Protocol::new(2, []);
    let analysis = analyse_with(&network, &routing, &protocol, FlowControl::Wormhole);
    let up = analyse(&network, &across(&network, true), FlowControl::Wormhole);
    assert_eq!(analysis.quality.loads, up.quality.loads);
    assert_eq!(analysis.reachability, up.reachability);
    // Going up is no cycle for one class if the other one makes it: here each of them does.
    let Verdict::Cyclic(cycle) = &analysis.verdict else {
        panic!("rings without datelines")
    };
    assert_eq!(cycle.waiting.len(), 4);
    assert!(cycle.waiting.iter().all(|at| at.class.is_some()));
    let line = &cycle.render(&network)[0];
    assert!(line.contains(" of class "), "{line}");
}

/// The second way of one pair closes the ring that the first ways leave open.
#[test]
fn a_cycle_that_only_another_start_makes_is_found() {
    let network = ring();
    let mut open = across(&network, true);
    open.routes.remove(&(3, 1));
    let alone = analyse(&network, &open, FlowControl::Wormhole);
    assert!(alone.verdict.is_deadlock_free());
    let routing = Layers {
        layers: vec![(open, 0), (across(&network, true), 0)],
        of_class: vec![vec![0, 1]],
    };
    let analysis = analyse(&network, &routing, FlowControl::Wormhole);
    let cycle = analysis.verdict.cycle().unwrap();
    assert!(
        cycle
            .waiting
            .iter()
            .any(|at| (at.source, at.destination) == (TerminalId(3), TerminalId(1)))
    );
}

/// The second way of one pair ends at the first router.
#[test]
fn a_pair_arrives_only_if_it_does_from_every_start() {
    let network = ring();
    let mut broken = across(&network, false);
    broken.routes.insert((0, 2), Route::new());
    let routing = Layers {
        layers: vec![(across(&network, true), 0), (broken, 0)],
        of_class: vec![vec![0, 1]],
    };
    let found = analyse(&network, &routing, FlowControl::Wormhole);
    let refused = 8;
    assert_eq!(found.reachability.lost.pairs, refused + 1);
    assert_eq!(found.reachability.routable, 3);
    // Nothing of the pair is counted, not even its good half.
    assert_eq!(found.quality.loads.iter().sum::<f64>(), 3.0 * 2.0);
    let examples = found.reachability.lost.examples.iter();
    let lost: Vec<_> = examples
        .filter(|example| matches!(example.reason, Reason::DeadEnd(..)))
        .map(|example| (example.source, example.destination))
        .collect();
    assert_eq!(lost, [(TerminalId(0), TerminalId(2))]);
}

#[test]
fn a_class_without_a_way_makes_a_pair_refused() {
    let network = ring();
    let mut fewer = across(&network, false);
    fewer.routes.remove(&(0, 2));
    let routing = Layers {
        layers: vec![(across(&network, true), 0), (fewer, 0)],
        of_class: vec![vec![0], vec![1]],
    };
    let judged = |classes| {
        let protocol = Protocol::new(classes, []);
        analyse_with(&network, &routing, &protocol, FlowControl::Wormhole).reachability
    };
    assert_eq!(judged(1).lost.pairs, 8);
    let both = judged(2);
    assert_eq!((both.lost.pairs, both.routable), (9, 3));
    let reasons = both.lost.examples.iter().map(|example| &example.reason);
    assert!(reasons.clone().all(|reason| *reason == Reason::Refused));
}
