//! Verdicts: against a brute-force cycle search, with their proofs checked either way.

use crate::networks::{random_graph, rng, torus};
use crate::oracle::{Walks, girth, walk_all};
use crate::toys::{AdaptiveMinimal, DimensionOrder, Valiant, random_table};
use petgraph::algo::is_cyclic_directed;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use turnwise_network::FlowControl;
use turnwise_network::{Network, Routing, Vc};
use turnwise_verify::{Certificate, Cycle, Verdict, analyse};

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn verdicts_on_random_tables_equal_a_brute_force_search(seed: u64) {
        let mut rng = rng(seed);
        let network = random_graph(&mut rng);
        let table = random_table(&network, &mut rng);
        let walks = walk_all(&network, &table);
        let analysis = analyse(&network, &table, FlowControl::Wormhole);
        let cyclic = is_cyclic_directed(&walks.dependencies);
        prop_assert_eq!(analysis.verdict.is_deadlock_free(), !cyclic);
        match &analysis.verdict {
            Verdict::DeadlockFree(certificate) => check_certificate(certificate, &walks),
            Verdict::Cyclic(cycle) => check_cycle(cycle, &network, &table, &walks),
            Verdict::Unexplored(_) => panic!("tiny networks are explored"),
        }
    }
}

/// Strictly increasing, complete, and canonical: longest chains recomputed by relaxation.
pub(crate) fn check_certificate(certificate: &Certificate, walks: &Walks) {
    let vcs = u32::from(certificate.virtual_channels);
    let expected: BTreeSet<(u32, u32)> = walks
        .dependencies
        .all_edges()
        .map(|((a, v), (b, w), ())| (a.0 * vcs + u32::from(v), b.0 * vcs + u32::from(w)))
        .collect();
    assert_eq!(
        certificate.dependencies,
        expected.iter().copied().collect::<Vec<_>>()
    );
    let mut longest = vec![0; certificate.numbers.len()];
    for _ in 0..longest.len() {
        for &(held, wanted) in &expected {
            longest[wanted as usize] = longest[wanted as usize].max(longest[held as usize] + 1);
        }
    }
    assert_eq!(certificate.numbers, longest);
    assert!(
        expected
            .iter()
            .all(|&(held, wanted)| longest[held as usize] < longest[wanted as usize])
    );
    assert!(certificate.rings.is_empty());
}

/// As short as any, closed, and every dependency is caused by the packets it names.
fn check_cycle(cycle: &Cycle, network: &Network, routing: &dyn Routing, walks: &Walks) {
    assert!(cycle.is_shortest);
    assert_eq!(Some(cycle.waiting.len()), girth(&walks.dependencies));
    let held: BTreeSet<_> = cycle.waiting.iter().map(|at| (at.channel, at.vc)).collect();
    assert_eq!(held.len(), cycle.waiting.len());
    for (index, at) in cycle.waiting.iter().enumerate() {
        let next = &cycle.waiting[(index + 1) % cycle.waiting.len()];
        let wanted = (next.channel, next.vc);
        assert!(
            walks
                .dependencies
                .contains_edge((at.channel, at.vc), wanted)
        );
        assert!(
            causes(network, routing, at, wanted),
            "{at:?} does not ask for {wanted:?}"
        );
    }
}

/// Can the packets that are named hold the one and ask for the other, however they set out?
pub(crate) fn causes(
    network: &Network,
    routing: &dyn Routing,
    at: &turnwise_verify::Waiting,
    wanted: (turnwise_network::ChannelId, Vc),
) -> bool {
    let mut starts = Vec::new();
    let class = at.class.unwrap_or(0);
    routing.starts(at.source, at.destination, class, &mut starts);
    let router = network.router_of(at.source);
    let mut states: Vec<_> = starts.iter().map(|start| (router, start.header)).collect();
    let mut seen = BTreeSet::new();
    let options = |(router, header)| {
        let mut options = Vec::new();
        routing.options(router, header, &mut options);
        let hops = options.into_iter().map(move |hop| {
            let channel = network.out_channel(router, hop.port).unwrap();
            (
                channel,
                hop.vcs,
                network
                    .channel(channel)
                    .to_router()
                    .map(|next| (next, hop.header)),
            )
        });
        hops.collect::<Vec<_>>()
    };
    let wants = |state| {
        let mut onward = options(state).into_iter();
        onward.any(|(channel, vcs, _)| channel == wanted.0 && vcs.contains(wanted.1))
    };
    if at.channel == network.injection_channel(at.source) {
        let mut starts = starts.iter().filter(|start| start.vcs.contains(at.vc));
        return starts.any(|start| wants((router, start.header)));
    }
    while let Some(state) = states.pop() {
        if !seen.insert(state) {
            continue;
        }
        for (channel, vcs, next) in options(state) {
            let holds = channel == at.channel && vcs.contains(at.vc);
            // What a terminal waits for is not for its packets to say.
            if holds && next.is_none_or(wants) {
                return true;
            }
            states.extend(next);
        }
    }
    false
}

#[test]
fn random_tables_are_of_both_kinds() {
    let mut counts = BTreeMap::new();
    for seed in 0..100 {
        let mut rng = rng(seed);
        let network = random_graph(&mut rng);
        let table = random_table(&network, &mut rng);
        *counts
            .entry(is_cyclic_directed(&walk_all(&network, &table).dependencies))
            .or_insert(0) += 1;
    }
    assert!(counts[&true] > 20 && counts[&false] > 20, "{counts:?}");
}

#[test]
fn the_shortest_cycle_of_the_ring_of_four_has_four_channels() {
    let network = torus(&[4], 1);
    let analysis = analyse(
        &network,
        &DimensionOrder {
            network: &network,
            datelines: false,
        },
        FlowControl::Wormhole,
    );
    let cycle = analysis.verdict.cycle().unwrap();
    assert_eq!(
        cycle.render(&network),
        [
            "(0) -> (1) [+x] VC 0, held by packets 0 -> 2",
            "(1) -> (2) [+x] VC 0, held by packets 1 -> 3",
            "(2) -> (3) [+x] VC 0, held by packets 2 -> 0",
            "(3) -> (0) [+x] VC 0, held by packets 3 -> 1",
        ]
    );
    assert!(cycle.is_shortest);
}

#[test]
fn datelines_make_tori_deadlock_free() {
    for sizes in [&[4u32, 4][..], &[5, 3], &[3, 4, 2], &[2, 2, 2]] {
        let network = torus(sizes, 1);
        let routing = DimensionOrder {
            network: &network,
            datelines: true,
        };
        let analysis = analyse(&network, &routing, FlowControl::Wormhole);
        let certificate = analysis.verdict.certificate().unwrap();
        check_certificate(certificate, &walk_all(&network, &routing));
        assert!(analysis.is_sound());
    }
}

#[test]
fn every_admissible_choice_counts() {
    for vcs in 1..=2 {
        let network = torus(&[3, 3], 1);
        let routing = AdaptiveMinimal {
            network: &network,
            vcs,
        };
        let analysis = analyse(&network, &routing, FlowControl::VirtualCutThrough);
        check_cycle(
            analysis.verdict.cycle().unwrap(),
            &network,
            &routing,
            &walk_all(&network, &routing),
        );
    }
}

#[test]
fn header_states_of_randomised_routing_are_told_apart() {
    let network = torus(&[2, 2, 2], 1);
    let routing = Valiant { network: &network };
    let walks = walk_all(&network, &routing);
    let analysis = analyse(&network, &routing, FlowControl::Wormhole);
    assert!(!is_cyclic_directed(&walks.dependencies));
    check_certificate(analysis.verdict.certificate().unwrap(), &walks);
}
