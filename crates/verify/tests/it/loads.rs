//! Loads and path lengths: against walking every route of every pair.

use crate::networks::{graph, mesh, random_graph, rng, torus};
use crate::oracle::walk_all;
use crate::toys::{AdaptiveMinimal, DimensionOrder, Table, Valiant, random_table};
use proptest::prelude::*;
use std::collections::BTreeMap;
use turnwise_network::FlowControl;
use turnwise_network::{Faults, Network, Routing};
use turnwise_verify::{Quality, analyse, lower_bound};

fn quality(network: &Network, routing: &dyn Routing) -> Quality {
    analyse(network, routing, FlowControl::Wormhole).quality
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn loads_of_random_tables_are_exact_and_above_the_bounds(seed: u64) {
        let mut rng = rng(seed);
        let network = random_graph(&mut rng);
        let table = random_table(&network, &mut rng);
        let walks = walk_all(&network, &table);
        let quality = quality(&network, &table);
        prop_assert_eq!(&quality.loads, &walks.loads);
        prop_assert!(quality.single_path);
        prop_assert_eq!((quality.pairs, quality.routable_pairs), (walks.pairs, walks.pairs));
        let shares: Vec<f64> = walks.lengths.iter().map(|pairs| pairs / walks.pairs as f64).collect();
        prop_assert_eq!(&quality.length_shares, &shares);
        prop_assert_eq!(quality.diameter as usize + 1, shares.len());
        prop_assert!((quality.length_shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        prop_assert!((quality.mean_hops * walks.pairs as f64 - walks.hops).abs() < 1e-9);
        let bound = lower_bound(&network);
        let least = if quality.whole_loads { bound.ceil() as f64 } else { bound.value() };
        prop_assert!(least <= quality.edge_forwarding_index + 1e-9, "{}", bound.words());
        let are_whole = quality.loads.iter().all(|load| load.fract() == 0.0);
        prop_assert!(are_whole || !quality.whole_loads);
    }

    #[test]
    fn loads_of_adaptive_routing_split_evenly(seed: u64) {
        let network = random_graph(&mut rng(seed));
        compare(&network, &AdaptiveMinimal { network: &network, vcs: 1 });
    }
}

fn compare(network: &Network, routing: &dyn Routing) {
    let walks = walk_all(network, routing);
    let quality = quality(network, routing);
    for (load, expected) in quality.loads.iter().zip(&walks.loads) {
        assert!((load - expected).abs() < 1e-9, "{load} {expected}");
    }
    assert_eq!(quality.length_shares.len(), walks.lengths.len());
    for (share, expected) in quality.length_shares.iter().zip(&walks.lengths) {
        assert!((share - expected / walks.pairs as f64).abs() < 1e-9);
    }
    assert_eq!(quality.diameter as usize + 1, walks.lengths.len());
    assert!(lower_bound(network).value() <= quality.edge_forwarding_index + 1e-9);
}

#[test]
fn routes_of_different_lengths_are_averaged() {
    for network in [torus(&[5], 1), torus(&[3, 3], 2), mesh(&[3, 2])] {
        let routing = Valiant { network: &network };
        compare(&network, &routing);
        assert!(!quality(&network, &routing).single_path);
    }
}

#[test]
fn dimension_order_on_the_odd_torus_is_perfectly_balanced() {
    let network = torus(&[5, 5], 1);
    let quality = quality(
        &network,
        &DimensionOrder {
            network: &network,
            datelines: false,
        },
    );
    assert_eq!(
        (quality.min_load, quality.edge_forwarding_index),
        (15.0, 15.0)
    );
    assert_eq!((quality.mean_load, quality.deviation), (15.0, 0.0));
    assert_eq!(quality.diameter, 4);
    assert!((quality.mean_hops - 2.5).abs() < 1e-12);
}

#[test]
fn terminals_of_one_router_are_no_hops_apart() {
    let network = graph(&[3, 1], &[(0, 1)]);
    let routing = AdaptiveMinimal {
        network: &network,
        vcs: 1,
    };
    let quality = quality(&network, &routing);
    assert_eq!((quality.pairs, quality.routable_pairs), (12, 12));
    assert_eq!(quality.length_shares, [0.5, 0.5]);
    assert_eq!(quality.loads, [3.0, 3.0]);
}

/// On a line every pair crosses each channel between its ends, so a channel's load is the
/// number of living terminals on one side times that on the other.
#[test]
fn dead_terminals_send_and_receive_nothing_but_their_routers_forward() {
    let faults = Faults {
        terminals: vec![0, 5, 6, 7],
        ..Faults::default()
    };
    let line = graph(&[2, 2, 1, 3], &[(0, 1), (1, 2), (2, 3)]);
    let network = line.without(&faults).unwrap();
    let routing = AdaptiveMinimal {
        network: &network,
        vcs: 1,
    };
    compare(&network, &routing);
    let quality = quality(&network, &routing);
    assert_eq!((quality.pairs, quality.routable_pairs), (12, 12));
    assert_eq!(quality.loads, [3.0, 3.0, 3.0, 3.0, 0.0, 0.0]);
    assert_eq!(lower_bound(&network).value(), 3.0);
}

#[test]
fn a_network_without_channels_has_no_loads() {
    let network = graph(&[2], &[]);
    let quality = quality(
        &network,
        &AdaptiveMinimal {
            network: &network,
            vcs: 1,
        },
    );
    assert_eq!(
        (
            quality.edge_forwarding_index,
            quality.mean_load,
            quality.deviation
        ),
        (0.0, 0.0, 0.0)
    );
    assert_eq!(quality.length_shares, [1.0]);
    assert!(quality.loads.is_empty());
}

#[test]
fn only_routable_pairs_are_counted() {
    let network = graph(&[1, 1, 1], &[(0, 1), (1, 2)]);
    let channel = network
        .neighbours(turnwise_network::RouterId(0))
        .next()
        .unwrap()
        .channel;
    let routes = BTreeMap::from([((0, 1), vec![(channel, 0)])]);
    let quality = quality(
        &network,
        &Table {
            network: &network,
            vcs: 1,
            between_terminals: false,
            routes,
        },
    );
    assert_eq!((quality.pairs, quality.routable_pairs), (6, 1));
    assert_eq!(quality.loads.iter().sum::<f64>(), 1.0);
    assert_eq!(quality.length_shares, [0.0, 1.0]);
}

/// The sum of nothing is -0.0 in Rust, which a log would print.
#[test]
fn a_network_without_channels_has_no_negative_load() {
    let network = graph(&[3], &[]);
    let routing = AdaptiveMinimal {
        network: &network,
        vcs: 1,
    };
    let quality = quality(&network, &routing);
    for none in [quality.mean_load, quality.deviation, quality.mean_hops] {
        assert!(none == 0.0 && none.is_sign_positive(), "{none}");
    }
}
