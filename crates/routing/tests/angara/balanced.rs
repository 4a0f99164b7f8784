//! Balanced tables against published optima, and bounds against an independent enumeration.

use crate::cases::{Case, drafts};
use crate::enumerator::{Node, Torus};
use crate::systems::{published_set, torus};
use proptest::prelude::*;
use turnwise_network::{Network, RouterId};
use turnwise_routing::algorithms::{AddedTurns, AngaraBalanced, AngaraDor, SourceRouted};
use turnwise_routing::{Algorithm, Context, RuleBound};

fn bound<G>(generator: &G, network: &std::sync::Arc<Network>) -> RuleBound
where
    G: Clone,
    SourceRouted<G>: Algorithm,
{
    SourceRouted(generator.clone())
        .rule_bound(network, &Context::default())
        .unwrap()
        .unwrap()
}

#[test]
fn boxes_of_the_desmos_cluster_are_optimal() {
    let balanced = AngaraBalanced::default();
    for (sizes, optimum) in [
        (&[4][..], 2),
        (&[4, 2], 4),
        (&[4, 2, 2], 10),
        (&[4, 2, 2, 2], 26),
    ] {
        let network = torus(sizes);
        assert_eq!(balanced.index(&network).unwrap(), optimum, "{sizes:?}");
        assert_eq!(
            bound(&balanced, &network).ceil(),
            u64::from(optimum),
            "{sizes:?}"
        );
    }
}

/// Optima of the linear programme, computed with another solver for the reconstruction of the paper.
#[test]
fn bounds_are_the_optima_of_the_linear_programme() {
    for (sizes, optimum) in [
        (&[2, 2][..], 2.5),
        (&[3, 2], 3.0),
        (&[2, 3], 3.0),
        (&[4, 2], 4.0),
        (&[2, 4], 4.5),
        (&[2, 5], 9.0),
        (&[2, 6], 10.5),
        (&[2, 7], 18.0),
        (&[8, 2], 17.14),
        (&[2, 8], 19.0),
        (&[2, 2, 2], 6.33),
        (&[3, 2, 2], 7.5),
        (&[2, 2, 3], 9.0),
        (&[4, 2, 2], 10.0),
        (&[2, 2, 4], 10.5),
        (&[5, 2, 2], 17.0),
        (&[6, 2, 2], 19.8),
        (&[8, 2, 2], 39.43),
        (&[2, 2, 8], 54.0),
        (&[4, 4, 2], 16.0),
        (&[2, 4, 4], 18.0),
        (&[2, 2, 2, 2], 16.25),
        (&[3, 2, 2, 2], 19.0),
        (&[2, 2, 2, 3], 27.0),
        (&[4, 2, 2, 2], 25.33),
        (&[3, 3, 2, 2], 22.5),
        (&[2, 2, 3, 3], 27.0),
        (&[4, 4, 2, 2], 40.0),
    ] {
        let found = bound(&AngaraBalanced::default(), &torus(sizes)).value();
        assert!(
            (found - optimum).abs() < 0.006,
            "{sizes:?}: {found} instead of {optimum}"
        );
    }
    assert_eq!(
        bound(&AngaraDor::default(), &torus(&[4, 2, 2, 2])).ceil(),
        36
    );
    assert_eq!(
        bound(&AngaraDor::default(), &torus(&[2, 2, 2, 2])).ceil(),
        27
    );
}

#[test]
fn every_plane_system_is_optimal() {
    let balanced = AngaraBalanced::default();
    for sizes in published_set(2) {
        let network = torus(&sizes);
        let index = u64::from(balanced.index(&network).unwrap());
        assert_eq!(index, bound(&balanced, &network).ceil(), "{sizes:?}");
    }
}

#[test]
fn chosen_turns_lower_the_bound_itself() {
    let with = |turns| AngaraBalanced {
        turns,
        ..AngaraBalanced::default()
    };
    let (published, chosen) = (with(AddedTurns::Theorem2), with(AddedTurns::Chosen));
    for (sizes, before, after) in [(&[2, 8][..], 19, 18), (&[2, 2, 8], 54, 40)] {
        let network = torus(sizes);
        assert_eq!(published.index(&network).unwrap(), before, "{sizes:?}");
        assert_eq!(chosen.index(&network).unwrap(), after, "{sizes:?}");
        assert_eq!(
            bound(&chosen, &network).ceil(),
            u64::from(after),
            "{sizes:?}"
        );
    }
}

/// Least weight of all pairs' legal routes, by the enumerator.
fn demand(oracle: &Torus, network: &Network, weights: &[u64]) -> u64 {
    let nodes = oracle.nodes();
    let weigh = |source: &Node, hops: &Vec<(usize, bool)>| -> u64 {
        let mut at = source.clone();
        let mut weight = 0;
        for &hop in hops {
            let next = oracle.neighbour(&at, hop).unwrap();
            let (from, to) = (RouterId(oracle.number(&at)), RouterId(oracle.number(&next)));
            let joins = |id| network.ends(id) == Some((from, to));
            let channels = network.channels().map(|(id, _)| id);
            weight += weights[channels.into_iter().find(|&id| joins(id)).unwrap().index()];
            at = next;
        }
        weight
    };
    let mut total = 0;
    for source in nodes
        .iter()
        .filter(|node| !oracle.dead_nodes.contains(*node))
    {
        let routes = oracle.shortest(source);
        total += routes
            .values()
            .map(|routes| routes.iter().map(|r| weigh(source, r)).min().unwrap())
            .sum::<u64>();
    }
    total
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn weights_prove_what_they_claim(draft in drafts(16, 1..5, 0..3, 0..2)) {
        let Case { oracle, nodes, network } = Case::new(&draft, false);
        let balanced = AngaraBalanced::default();
        let bound = bound(&balanced, &network);
        prop_assert_eq!(bound.weight.max(1), bound.weights.iter().sum::<u64>().max(1));
        prop_assert_eq!(bound.demand, demand(&oracle, &network, &bound.weights));
        let rules = balanced.rules(&network).unwrap();
        let table = balanced.table(&rules);
        prop_assert_eq!(table.first_illegal(&rules), None);
        let index = u64::from(table.loads(rules.system()).index());
        prop_assert!(index >= bound.ceil());
        for (source, target, route) in table.iter() {
            let known = oracle.shortest(&nodes[source as usize]);
            let best = known.get(&nodes[target as usize]).map(|routes| routes.first().unwrap().len() as u32);
            prop_assert_eq!((!route.is_empty()).then(|| route.len()), best);
        }
    }
}
