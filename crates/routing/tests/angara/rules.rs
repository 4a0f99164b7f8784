//! Published counts, and the enumerator's agreement.

use crate::cases::{Case, drafts};
use crate::systems::{published_set, rules, system, torus};
use proptest::prelude::*;
use std::collections::BTreeSet;
use turnwise_routing::angara::{Rules, TurnRule, Turns};

#[test]
fn the_routing_graph_has_the_published_number_of_vertices_and_edges() {
    let expected = [(6, 12), (14, 46), (34, 147), (90, 451)];
    for (dimensions, (vertices, edges)) in (1..).zip(expected) {
        let network = torus(&vec![3; dimensions]);
        let rules = rules(&network, TurnRule::None);
        assert_eq!(rules.graph().memories() + 1, vertices);
        let all: usize = (0..3usize.pow(dimensions as u32))
            .map(|node| rules.graph().edges_at(&rules, node as u32))
            .sum();
        assert_eq!(all, edges * 3usize.pow(dimensions as u32));
    }
}

#[test]
fn added_turns_are_the_published_ones_to_the_unit() {
    let added = |sizes: &[u32], rule| Turns::new(&system(&torus(sizes)), rule).added();
    for (sizes, expected) in [
        (&[2, 2][..], 2),
        (&[4, 2], 8),
        (&[2, 4], 0),
        (&[2, 2, 2], 12),
        (&[3, 2, 2], 30),
        (&[3, 3, 2], 36),
        (&[4, 2, 2], 40),
        (&[2, 4, 2], 24),
        (&[2, 2, 2, 2], 48),
        (&[4, 2, 2, 2], 144),
        (&[4, 4, 2, 2], 288),
        (&[3, 3, 3], 0),
        (&[5, 4, 3, 3], 0),
    ] {
        assert_eq!(added(sizes, TurnRule::Theorem2), expected, "{sizes:?}");
    }
    assert_eq!(added(&[2, 4, 2], TurnRule::Exact), 40);
    assert_eq!(added(&[4, 2, 2, 2], TurnRule::None), 0);
}

/// Share of ordered pairs with a single minimal route.
fn single_routes(rules: &Rules) -> f64 {
    let (mut single, mut pairs) = (0, 0);
    let mut scratch = Default::default();
    for &source in rules.system().members() {
        rules.each_destination(source, &mut scratch, |_, routes| {
            pairs += 1;
            single += usize::from(routes.len() == 1);
        });
    }
    single as f64 / pairs as f64
}

#[test]
fn of_the_pairs_of_all_plane_systems_816_permille_have_one_route() {
    let set = published_set(2);
    assert_eq!(set.len(), 49);
    let mean = |rule| {
        let shares = set
            .iter()
            .map(|sizes| single_routes(&rules(&torus(sizes), rule)));
        shares.sum::<f64>() / set.len() as f64
    };
    assert_eq!((mean(TurnRule::Theorem2) * 10_000.0).round(), 8_161.0);
    assert_eq!((mean(TurnRule::None) * 1_000.0).round(), 844.0);
}

#[test]
fn the_published_sets_have_the_published_sizes() {
    assert_eq!(published_set(3).len(), 339);
    assert_eq!(published_set(4).len(), 1189);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn an_independent_enumeration_finds_the_same_routes(
        draft in drafts(24, 1..6, 0..5, 0..2),
        exact in any::<bool>(),
    ) {
        let Case { oracle, nodes, network } = Case::new(&draft, exact);
        let rules = rules(&network, if exact { TurnRule::Exact } else { TurnRule::Theorem2 });
        prop_assert_eq!(rules.turns().added(), oracle.added.len());
        let directions = rules.system().directions().clone();
        let mut scratch = Default::default();
        for &source in rules.system().members() {
            let expected = oracle.shortest(&nodes[source as usize]);
            rules.each_destination(source, &mut scratch, |target, routes| {
                let spelt: Vec<Vec<(usize, bool)>> = routes
                    .iter()
                    .map(|route| {
                        let hops = route.hops(&directions);
                        hops.iter().map(|&rank| (usize::from(directions.at(rank).dimension), directions.at(rank).positive)).collect()
                    })
                    .collect();
                let found: BTreeSet<_> = spelt.iter().cloned().collect();
                assert_eq!(found.len(), spelt.len(), "twice the same route");
                let wanted = expected.get(&nodes[target as usize]).cloned().unwrap_or_default();
                assert_eq!(found, wanted, "{source} -> {target}");
                for &route in routes {
                    assert!(rules.allow(source, route));
                    assert_eq!(route.end(rules.system(), source), Some(target));
                }
            });
        }
    }
}
