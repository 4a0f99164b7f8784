//! Whatever fails, in whatever topology: ids and ports stay consistent, and the rest is told.

#![allow(clippy::unwrap_used)]

use petgraph::unionfind::UnionFind;
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::{Arc, LazyLock};
use turnwise_network::metrics::{Distances, distances, is_connected};
use turnwise_network::{
    ChannelClass, End, Faults, Network, NetworkBuilder, RouterId, Shape, TerminalId,
};

#[allow(dead_code)]
mod common;

static ZOO: LazyLock<Vec<Arc<Network>>> = LazyLock::new(common::zoo);

fn assert_consistent(healthy: &Network, survivor: &Network) {
    assert_eq!(survivor.router_count(), healthy.router_count());
    assert_eq!(survivor.terminal_count(), healthy.terminal_count());
    assert_eq!(survivor.port_count(), healthy.port_count());
    for (id, channel) in survivor.channels() {
        let (End::Router(from, out), End::Router(to, into)) = (channel.source, channel.target)
        else {
            panic!("{id} is no channel between routers")
        };
        assert!(survivor.is_alive(from) && survivor.is_alive(to));
        assert_eq!(survivor.out_channel(from, out), Some(id));
        assert_eq!(survivor.in_channel(to, into), Some(id));
        let before = healthy.out_channel(from, out).unwrap();
        assert_eq!(healthy.channel(before), channel);
        let reverse = survivor.reverse(id).unwrap();
        assert_eq!(survivor.reverse(reverse), Some(id));
        assert_eq!(survivor.ends(reverse), Some((to, from)));
    }
    for terminal in survivor.terminals() {
        let (router, port) = (
            survivor.router_of(terminal),
            survivor.terminal_port(terminal),
        );
        let alive = survivor.is_terminal_alive(terminal);
        assert!(!alive || survivor.is_alive(router));
        let (injection, ejection) = (
            survivor.injection_channel(terminal),
            survivor.ejection_channel(terminal),
        );
        assert_eq!(survivor.channel(injection).source, End::Terminal(terminal));
        assert_eq!(survivor.channel(ejection).target, End::Terminal(terminal));
        assert_eq!(
            survivor.in_channel(router, port),
            alive.then_some(injection)
        );
        assert_eq!(
            survivor.out_channel(router, port),
            alive.then_some(ejection)
        );
    }
    let connected = survivor
        .routers()
        .flat_map(|router| (0..survivor.radix(router)).map(move |port| (router, port as u16)))
        .filter_map(|(router, port)| survivor.out_channel(router, port))
        .count();
    assert_eq!(
        connected,
        survivor.channel_count() + survivor.living_terminals().count()
    );
}

fn assert_connectivity(survivor: &Network) {
    let mut components = UnionFind::<u32>::new(survivor.router_count());
    for (id, _) in survivor.channels() {
        let (a, b) = survivor.ends(id).unwrap();
        components.union(a.0, b.0);
    }
    let living: Vec<u32> = survivor
        .routers()
        .filter(|&r| survivor.is_alive(r))
        .map(|r| r.0)
        .collect();
    let whole = living
        .iter()
        .all(|&router| components.equiv(router, living[0]));
    assert_eq!(is_connected(survivor), whole);
    let component = |terminal| components.find(survivor.router_of(terminal).0);
    let terminals: Vec<u32> = survivor.living_terminals().map(component).collect();
    let apart: usize = terminals
        .iter()
        .map(|a| terminals.iter().filter(|&b| b != a).count())
        .sum();
    assert_eq!(Distances::of(survivor).disconnected, apart as u64);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn networks_survive(
        index in 0..ZOO.len(),
        links in 0u32..20,
        routers in 0u32..5,
        seed: u64,
        listed in proptest::collection::btree_set(0u32..6, 0..3),
        terminals in proptest::collection::btree_set(0u32..4, 0..3),
    ) {
        let healthy = &ZOO[index];
        let faults = Faults {
            random_links: links.into(),
            random_routers: routers.into(),
            routers: listed.into_iter().collect(),
            terminals: terminals.iter().copied().collect(),
            seed,
            ..Faults::default()
        };
        match healthy.without(&faults) {
            Ok(survivor) => {
                assert_consistent(healthy, &survivor);
                assert_connectivity(&survivor);
                let dead = survivor.routers().filter(|&router| !survivor.is_alive(router)).count();
                prop_assert!(dead >= routers as usize);
                let lives = |&terminal: &u32| survivor.is_terminal_alive(TerminalId(terminal));
                prop_assert!(!terminals.iter().any(lives));
                if dead == 0 {
                    prop_assert_eq!(survivor.channel_count() + 2 * links as usize, healthy.channel_count());
                }
            }
            Err(invalid) => prop_assert!(invalid.place.starts_with("r"), "{}", invalid),
        }
    }

    #[test]
    fn parallel_links_fail_one_by_one(index in 0..ZOO.len(), pick: usize) {
        let healthy = &ZOO[index];
        let ids: Vec<_> = healthy.channels().map(|(id, _)| id).collect();
        let (a, b) = healthy.ends(ids[pick % ids.len()]).unwrap();
        let parallel = healthy.neighbours(a).filter(|n| n.router == b).count();
        for times in 1..=parallel + 1 {
            let faults = Faults { links: vec![[a.0, b.0]; times], ..Faults::default() };
            match healthy.without(&faults) {
                Ok(survivor) => {
                    prop_assert!(times <= parallel);
                    prop_assert_eq!(survivor.channel_count() + 2 * times, healthy.channel_count());
                    assert_consistent(healthy, &survivor);
                }
                Err(invalid) => {
                    prop_assert_eq!(times, parallel + 1);
                    prop_assert_eq!(invalid.place, format!("links[{parallel}]"));
                }
            }
        }
    }

    #[test]
    fn faults_add_up(index in select((0..ZOO.len()).collect::<Vec<_>>()), seed: u64) {
        let first = ZOO[index].without(&Faults { random_links: 1.into(), seed, ..Faults::default() }).unwrap();
        let second = first.without(&Faults { random_routers: 1.into(), seed, ..Faults::default() }).unwrap();
        assert_consistent(&ZOO[index], &second);
    }
}

/// All routers still forward: distances between the terminals that are left do not change.
#[test]
fn dead_terminals_only_take_their_pairs_along() {
    for healthy in ZOO.iter() {
        let dead = TerminalId(1);
        let faults = Faults {
            terminals: vec![dead.0],
            ..Faults::default()
        };
        let survivor = healthy.without(&faults).unwrap();
        assert!(healthy.channels().eq(survivor.channels()));
        let (before, after) = (Distances::of(healthy), Distances::of(&survivor));
        let terminals = healthy.terminal_count() as u64;
        assert_eq!(after.pairs, (terminals - 1) * (terminals - 2));
        let distance = distances(healthy, healthy.router_of(dead));
        let reached = |terminal| distance[healthy.router_of(terminal).index()];
        let lost = healthy.terminals().map(reached).filter(|&d| d < u32::MAX);
        assert_eq!(
            after.total + 2 * lost.map(u64::from).sum::<u64>(),
            before.total
        );
    }
}

#[test]
fn healthy_networks_are_consistent_too() {
    for network in ZOO.iter() {
        assert_consistent(network, network);
        assert_connectivity(network);
    }
}

#[test]
fn one_way_channels_fail_alone() {
    let mut builder = NetworkBuilder::new("one-way ring", Shape::Graph);
    let routers: Vec<RouterId> = (0..4).map(|_| builder.router(2, 1)).collect();
    for at in 0..4 {
        let (from, to) = (routers[at], routers[(at + 1) % 4]);
        builder.channel((from, 1), (to, 1), 1, ChannelClass::Local);
    }
    let ring = builder.build(1).unwrap();
    let listed = ring
        .without(&Faults {
            links: vec![[1, 2]],
            ..Faults::default()
        })
        .unwrap();
    assert_eq!(listed.channel_count(), 3);
    let drawn = ring
        .without(&Faults {
            random_links: 4.into(),
            ..Faults::default()
        })
        .unwrap();
    assert_eq!(drawn.channel_count(), 0);
}
