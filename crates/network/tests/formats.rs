//! What is written can be read again, or drawn.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use turnwise_config::units::Cycles;
use turnwise_network::formats::{WRITERS, write_dot, write_graphml, write_json, writer};
use turnwise_network::shape::Wiring;
use turnwise_network::topologies::{Megafly, Topology, Torus, Xgft};
use turnwise_network::{
    ChannelClass, ChannelInterval, Faults, Network, NetworkBuilder, PerClass, RouterId, Shape,
};

#[allow(dead_code)]
mod common;

use common::examples::{damaged, examples};

/// Examples of every topology of the registry, healthy and damaged.
fn with_faults() -> impl Iterator<Item = Arc<Network>> {
    examples().into_iter().flat_map(|example| {
        let healthy = example.network;
        let survivors = (0..3).filter_map(|seed| damaged(&healthy, seed).map(Arc::new));
        let survivors: Vec<Arc<Network>> = survivors.collect();
        let slow = Network::clone(&healthy).with_intervals(&slow()).unwrap();
        let networks = [healthy, Arc::new(slow)];
        networks.into_iter().chain(survivors)
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

/// Its channels are one-way, each on its own; those of all others are the two directions of links.
fn is_butterfly(network: &Network) -> bool {
    matches!(network.shape(), Shape::Butterfly(_))
}

#[test]
fn json_gives_back_the_network() {
    for network in with_faults() {
        let again = common::edge_list()
            .build(Some(&write_json(&network)))
            .unwrap();
        assert_eq!(again.description(), network.description());
        assert!(
            network.channels().eq(again.channels()),
            "{}",
            network.description()
        );
        for router in network.routers() {
            assert_eq!(network.terminals_of(router), again.terminals_of(router));
            assert_eq!(network.radix(router), again.radix(router));
            assert_eq!(network.is_alive(router), again.is_alive(router));
        }
        for terminal in network.terminals() {
            assert_eq!(
                network.is_terminal_alive(terminal),
                again.is_terminal_alive(terminal)
            );
            let injection =
                |network: &Network| *network.channel(network.injection_channel(terminal));
            assert_eq!(injection(&network), injection(&again));
        }
    }
}

#[test]
fn graphml_gives_back_all_but_the_ports() {
    for network in with_faults() {
        let again = common::graphml()
            .build(Some(&write_graphml(&network)))
            .unwrap();
        let links = |of: &Network| {
            let ends = |(id, channel): (_, &turnwise_network::Channel)| {
                (
                    of.ends(id),
                    channel.latency,
                    channel.interval,
                    channel.class.name(),
                )
            };
            let mut links: Vec<_> = of.channels().map(ends).collect();
            // Two opposite edges are one link to a reader of GraphML, whose channels are neighbours.
            if is_butterfly(&network) {
                links.sort();
            }
            links
        };
        assert_eq!(links(&network), links(&again));
        for router in network.routers() {
            assert_eq!(network.terminals_of(router), again.terminals_of(router));
            assert_eq!(network.is_alive(router), again.is_alive(router));
        }
        assert!(network.living_terminals().eq(again.living_terminals()));
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

fn assert_dot(network: &Network, clusters: usize) {
    let dot = write_dot(network);
    assert_eq!(dot.matches('{').count(), dot.matches('}').count());
    assert_eq!(dot.matches("subgraph cluster_").count(), clusters);
    assert_eq!(dot.matches(" [label=").count(), network.router_count());
    let lines = network.channel_count() / if is_butterfly(network) { 1 } else { 2 };
    assert_eq!(dot.matches(" -- ").count(), lines);
    assert_eq!(dot.matches("style=dashed").count(), {
        network
            .routers()
            .filter(|&router| !network.is_alive(router))
            .count()
    });
    for line in dot.lines().map(str::trim) {
        assert!(line.ends_with(['{', '}', ';']), "{line}");
        assert_eq!(line.matches('"').count() % 2, 0, "{line}");
    }
}

#[test]
fn dot_draws_every_router_and_link_once() {
    for network in with_faults() {
        let groups = network
            .routers()
            .filter_map(|router| network.shape().group(router))
            .max();
        assert_dot(&network, groups.map_or(0, |last| last as usize + 1));
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
    assert_eq!(names, ["dot", "graphml", "json"]);
    let network = Torus::default().build(None).unwrap();
    for name in names {
        assert!(!(writer(name).unwrap().write)(&network).is_empty());
    }
    assert!(writer("csv").is_none());
}
