//! The topologies of the RHiNET-2 study are those that were searched for, and routing on them is what is said of them.
//!
//! Distances of the search are counted by a program of its own, so that it and the algorithms check each other.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::rhinet2_page;
#[allow(dead_code)]
#[path = "rhinet2/search.rs"]
mod search;

use std::sync::Arc;
use turnwise_network::formats::read_edge_list;
use turnwise_network::topologies::ChannelLatency;
use turnwise_network::{FlowControl, Network};
use turnwise_routing::algorithms::{Dl, Root, RootPolicy, Sbp, UpDown};
use turnwise_routing::{Algorithm, Context};
use turnwise_verify::{Quality, analyse};

/// Seeds that the search has found; `cargo run --example rhinet2_search` looks for them again.
const FOUND: [(&str, u64, u32); 2] = [("a", 5287, 4), ("b", 4711, 5)];

fn committed(name: &str) -> (String, Arc<Network>) {
    let text =
        std::fs::read_to_string(format!("../../studies/rhinet2/topology-{name}.txt")).unwrap();
    let listing = read_edge_list(&text).unwrap();
    let network = listing.build(name.into(), 1, &ChannelLatency::default());
    (text, Arc::new(network.unwrap()))
}

fn quality(algorithm: &dyn Algorithm, network: &Arc<Network>) -> Quality {
    let routing = algorithm.build(network, &Context::default()).unwrap();
    let found = analyse(network, &*routing, FlowControl::VirtualCutThrough);
    assert!(found.verdict.is_deadlock_free());
    found.quality
}

#[test]
fn the_committed_topologies_are_those_of_their_seeds() {
    for (name, seed, diameter) in FOUND {
        let links = search::links(seed).unwrap();
        let known = search::known(&links).unwrap();
        let (text, network) = committed(name);
        assert_eq!(
            text,
            search::edge_list(&name.to_uppercase(), seed, &links, known)
        );
        assert_eq!((known.diameter, network.terminal_count()), (diameter, 64));
    }
    let [a, b] = FOUND.map(|(_, seed, _)| search::known(&search::links(seed).unwrap()).unwrap());
    assert!(a.has_pair && a.ratio > b.ratio);
    let half = (a.ratio - 1.0) / 2.0;
    assert!((b.ratio - 1.0 - half).abs() < 0.002);
}

#[test]
fn the_page_is_not_stale() {
    let (page, clusters) = rhinet2_page::page();
    let hint = "cargo run --release -p turnwise-study --example rhinet2_page > docs/rhinet2.md";
    assert!(
        page == include_str!("../../../docs/rhinet2.md"),
        "stale: {hint}"
    );
    assert!(
        clusters == include_str!("../../../docs/img/rhinet2-clusters.svg"),
        "stale: {hint}"
    );
}

#[test]
fn ways_get_shorter_with_layers_until_they_are_minimal() {
    for (name, seed, diameter) in FOUND {
        let (_, network) = committed(name);
        let root = Root::Policy(RootPolicy::LowestId);
        let minimal = quality(&Sbp::default(), &network);
        assert_eq!(minimal.diameter, diameter);
        let up_down = UpDown {
            root,
            ..UpDown::default()
        };
        let longest = quality(&up_down, &network).mean_hops;
        let known = search::known(&search::links(seed).unwrap()).unwrap();
        assert!(
            (longest / minimal.mean_hops - known.ratio).abs() < 1e-9,
            "{name}"
        );
        let mut before = longest;
        for layers in 1..=4 {
            let dl = Dl {
                layers: Some(layers),
                root,
                ..Dl::default()
            };
            let hops = quality(&dl, &network).mean_hops;
            match layers {
                1 => assert!((hops - longest).abs() < 1e-9),
                _ => assert!(hops <= before),
            }
            before = hops;
        }
        assert!(
            (before - minimal.mean_hops).abs() < 1e-9,
            "{name}: four layers are enough"
        );
    }
}
