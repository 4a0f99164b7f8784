//! What is written can be read again, or drawn.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use turnwise_config::units::Cycles;
use turnwise_network::formats::{WRITERS, write_dot, write_graphml, write_json, writer};
use turnwise_network::shape::Wiring;
use turnwise_network::topologies::{FullMesh, Megafly, Topology, Torus, Xgft};
use turnwise_network::{
    ChannelClass, ChannelInterval, Faults, Network, NetworkBuilder, PerClass, RouterId, Shape,
};

#[allow(dead_code)]
mod common;

use common::examples::examples;
use common::promises::{assert_dot, assert_graphml, assert_json, survivors};

/// Examples of every topology of the registry, healthy and damaged.
fn with_faults() -> impl Iterator<Item = Arc<Network>> {
    let networks = examples().into_iter().map(|example| example.network);
    networks.flat_map(|network| {
        let slow = Network::clone(&network).with_intervals(&slow()).unwrap();
        let slow = std::iter::once(Arc::new(slow));
        survivors(&network).into_iter().chain(slow)
    })
}

/// Intervals that differ between classes.
fn slow() -> ChannelInterval {
    ChannelInterval(PerClass {
        terminal: Some(Cycles(2)),
        local: Some(Cycles(3)),
        global: Some(Cycles(4)),
    })
}

#[test]
fn json_gives_back_the_network() {
    for network in with_faults() {
        assert_json(&network);
    }
}

#[test]
fn graphml_gives_back_all_but_the_ports() {
    for network in with_faults() {
        assert_graphml(&network);
    }
}

/// What a format that is read again cannot hold is told.
#[test]
fn what_a_format_leaves_out_is_told() {
    let network = FullMesh::default().build(None).unwrap();
    let slow = network.clone().with_intervals(&slow()).unwrap();
    for writer in WRITERS {
        assert_eq!(writer.leaves_out(&network), None, "{}", writer.name);
        let is_told = writer.leaves_out(&slow).is_some();
        assert_eq!(is_told, writer.name == "net", "{}", writer.name);
    }
}

/// Slurm's file has trees only: what else is near what is lost, and told so.
#[test]
fn whoever_becomes_a_star_is_told() {
    let conf = writer("conf").unwrap();
    let torus = Torus::default().build(None).unwrap();
    assert!(
        conf.leaves_out(&torus)
            .unwrap()
            .contains("links between switches")
    );
    let tree = Xgft::default().build(None).unwrap();
    assert_eq!(conf.leaves_out(&tree), None);
    // Two leaves below a spine, and the same twice, as parts.
    for parts in [1, 2] {
        let mut builder = NetworkBuilder::new("stars", Shape::Graph);
        for _ in 0..parts {
            let [spine, one, other] = [0, 1, 1].map(|terminals| builder.router(2, terminals));
            for (port, leaf) in [(0, one), (1, other)] {
                let class = ChannelClass::Local;
                builder.link((spine, port), (leaf, 1), 1, class, class);
            }
        }
        let stars = builder.build(1).unwrap();
        assert_eq!(conf.leaves_out(&stars), None, "{parts} parts");
    }
}

#[test]
fn one_way_channels_stay_one_way() {
    let mut builder = NetworkBuilder::new("a <one-way> \"ring\" & more", Shape::Graph);
    let routers: Vec<RouterId> = (0..3).map(|_| builder.router(2, 1)).collect();
    for at in 0..3 {
        let (from, to) = (routers[at], routers[(at + 1) % 3]);
        builder.channel((from, 1), (to, 1), 1 + at as u32, ChannelClass::Local);
    }
    let network = builder.build(2).unwrap();
    let json = common::edge_list()
        .build(Some(&write_json(&network)))
        .unwrap();
    assert!(network.channels().eq(json.channels()));
    assert_eq!(json.description(), network.description());
    let graph = common::graphml()
        .build(Some(&write_graphml(&network)))
        .unwrap();
    assert_eq!(graph.channel_count(), 3);
    assert_eq!(write_dot(&network).matches("dir=forward").count(), 3);
}

#[test]
fn dot_draws_every_router_and_link_once() {
    for network in with_faults() {
        assert_dot(&network);
    }
    let megafly = Megafly {
        wiring: Wiring::Relative,
        ..Megafly::default()
    }
    .build(None)
    .unwrap();
    let dot = write_dot(&megafly);
    let cluster = dot.split("subgraph ").nth(2).unwrap();
    assert!(cluster.contains("label=\"group 1\""), "{cluster}");
    assert!(
        cluster.contains("group 1 leaf 0\\n2 terminals") && cluster.contains("group 1 spine 1\"")
    );
    let faults = Faults {
        terminals: vec![1],
        ..Faults::default()
    };
    let dot = write_dot(&megafly.without(&faults).unwrap());
    assert!(dot.contains("group 0 leaf 0\\n2 terminals, 1 dead\""));
    let tree = write_dot(&Xgft::default().build(None).unwrap());
    assert_eq!(tree.matches("rank=same").count(), 2);
}

#[test]
fn the_writers_are_found_by_name() {
    let names: Vec<&str> = WRITERS.iter().map(|writer| writer.name).collect();
    assert_eq!(names, ["dot", "graphml", "json", "net", "conf"]);
    let network = Torus::default().build(None).unwrap();
    for name in names {
        assert!(!(writer(name).unwrap().write)(&network).unwrap().is_empty());
        assert_eq!(writer(&name.to_uppercase()).unwrap().name, name);
    }
    assert!(writer("csv").is_none());
}
