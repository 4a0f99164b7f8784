//! How groups are joined: every arrangement of a dragonfly and every wiring of a megafly is an
//! involution without self-links that gives each pair of groups equally many links.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use turnwise_network::shape::{self, Arrangement, Shape, Wiring};
use turnwise_network::topologies::{Dragonfly, Megafly, Topology};
use turnwise_network::{ChannelClass, Network, RouterId};

/// Checks a map from (group, port) to its peer; `ports` to a group, `m` links to a pair.
fn assert_wiring(g: u32, ports: u32, m: u32, peer: impl Fn(u32, u32) -> Option<(u32, u32)>) {
    let mut links = BTreeMap::new();
    for group in 0..g {
        let connected = (0..ports).filter_map(|q| Some((q, peer(group, q)?)));
        for (q, (other, back)) in connected {
            assert!(
                other < g && back < ports,
                "{group}:{q} leads to {other}:{back}"
            );
            assert_ne!(other, group, "port {q} of group {group}");
            assert_eq!(peer(other, back), Some((group, q)));
            *links.entry((group, other)).or_insert(0) += 1;
        }
    }
    let expected = if m == 0 { 0 } else { g * (g - 1) };
    assert_eq!(links.len(), expected as usize);
    assert!(links.values().all(|&count| count == m), "{links:?}");
}

/// Those by rule.
const ARRANGEMENTS: [Arrangement; 4] = [
    Arrangement::Absolute,
    Arrangement::Relative,
    Arrangement::Palmtree,
    Arrangement::Circulant,
];

/// Is there such a dragonfly?
fn is_legal(arrangement: Arrangement, groups: u32, global_ports: u32) -> bool {
    let in_pairs = groups % 2 == 1 && global_ports.is_multiple_of(2);
    arrangement != Arrangement::Circulant || in_pairs || groups == 1
}

proptest! {
    #[test]
    fn dragonflies(a in 1u32..9, h in 1u32..7, groups in 1u32..60) {
        let groups = groups.min(a * h + 1);
        for arrangement in ARRANGEMENTS {
            if !is_legal(arrangement, groups, h) {
                continue;
            }
            let shape = shape::Dragonfly {
                groups,
                routers_per_group: a,
                terminals_per_router: 1,
                global_ports_per_router: h,
                arrangement,
            };
            let m = if groups > 1 { a * h / (groups - 1) } else { 0 };
            assert_wiring(groups, a * h, m, |group, q| shape.global_peer(group, q));
        }
    }

    #[test]
    fn megaflies(r in 1u32..9, groups in 1u32..66) {
        let groups = groups.min(r * r + 1);
        let m = if groups > 1 { r * r / (groups - 1) } else { 0 };
        for wiring in [Wiring::Absolute, Wiring::Relative, Wiring::Circulant, Wiring::Alltoall] {
            let legal = match wiring {
                Wiring::Circulant => r % 2 == 0 && groups % 2 == 1,
                Wiring::Alltoall => groups > 1 && r % (groups - 1) == 0,
                _ => true,
            };
            let shape = shape::Megafly { half_radix: r, groups, wiring };
            if legal {
                assert_wiring(groups, r * r, m, |group, q| shape.global_peer(group, q));
            }
        }
    }

    #[test]
    fn built_networks_follow_their_wiring(r in 1u32..5, groups in 2u32..18, seed: u64) {
        let groups = groups.min(r * r + 1);
        for wiring in [Wiring::Absolute, Wiring::Relative, Wiring::Random] {
            let megafly = Megafly { half_radix: r, groups, wiring, seed, ..Megafly::default() };
            let network = megafly.build(None).unwrap();
            let m = r * r / (groups - 1);
            let shape = shape::Megafly { half_radix: r, groups, wiring };
            assert_wiring(groups, r * r, m, |group, q| {
                let (index, port) = shape.global_port(q);
                peer(&network, RouterId(shape.spine(group, index)), port, r, r)
            });
        }
    }

    #[test]
    fn built_dragonflies_follow_their_arrangement(a in 1u32..6, h in 1u32..5, groups in 2u32..18, seed: u64) {
        let groups = groups.min(a * h + 1);
        for arrangement in ARRANGEMENTS.into_iter().chain([Arrangement::Random]) {
            let dragonfly = Dragonfly {
                groups,
                routers_per_group: a,
                global_ports_per_router: Some(h),
                arrangement,
                seed,
                ..Dragonfly::default()
            };
            let network = match dragonfly.build(None) {
                Ok(network) => network,
                Err(invalid) => {
                    prop_assert!(!is_legal(arrangement, groups, h));
                    prop_assert_eq!(&invalid.place, "arrangement");
                    continue;
                }
            };
            prop_assert!(is_legal(arrangement, groups, h));
            let Shape::Dragonfly(shape) = network.shape() else { panic!("not a dragonfly") };
            let first = u32::from(shape.global_port(0).1);
            assert_wiring(groups, a * h, a * h / (groups - 1), |group, q| {
                let (index, port) = shape.global_port(q);
                peer(&network, RouterId(shape.router_at(group, index)), port, h, first)
            });
            if arrangement == Arrangement::Random {
                continue;
            }
            for group in 0..groups {
                for q in 0..a * h {
                    let (index, port) = shape.global_port(q);
                    let router = RouterId(shape.router_at(group, index));
                    let found = peer(&network, router, port, h, first);
                    prop_assert_eq!(found, shape.global_peer(group, q));
                }
            }
        }
    }
}

/// Group and global port behind a global port; routers have `h` of these from port `first` on.
fn peer(network: &Network, router: RouterId, port: u16, h: u32, first: u32) -> Option<(u32, u32)> {
    let out = network.out_channel(router, port)?;
    assert_eq!(network.channel(out).class, ChannelClass::Global);
    let other = network.next_router(router, port)?;
    let back = network.reverse(out)?;
    let turnwise_network::End::Router(same, back) = network.channel(back).source else {
        return None;
    };
    assert_eq!(same, other);
    let index = match network.shape() {
        Shape::Megafly(megafly) => megafly.group_and_index(other.0).1,
        Shape::Dragonfly(dragonfly) => dragonfly.group_and_index(other.0).1,
        _ => return None,
    };
    Some((
        network.shape().group(other)?,
        index * h + u32::from(back) - first,
    ))
}

/// (half radix, groups, terminals, global links, links of a pair, spines to a target)
const SYSTEMS: [(u32, u32, usize, usize, usize, usize); 3] = [
    (12, 9, 1296, 648, 18, 12),
    (10, 11, 1100, 550, 10, 10),
    (8, 17, 1088, 544, 4, 4),
];

#[test]
fn the_three_systems_of_the_literature() {
    for (half_radix, groups, terminals, links, pair, spines) in SYSTEMS {
        for wiring in [
            Wiring::Absolute,
            Wiring::Relative,
            Wiring::Circulant,
            Wiring::Alltoall,
            Wiring::Random,
        ] {
            let megafly = Megafly {
                half_radix,
                groups,
                wiring,
                seed: 5,
                ..Megafly::default()
            };
            if wiring == Wiring::Alltoall && half_radix != 10 {
                let invalid = megafly.build(None).unwrap_err();
                assert_eq!(invalid.place, "wiring");
                continue;
            }
            let network = megafly.build(None).unwrap();
            assert_eq!(network.terminal_count(), terminals);
            let mut pairs: BTreeMap<(u32, u32), Vec<RouterId>> = BTreeMap::new();
            for (id, channel) in network.channels() {
                let (from, to) = network.ends(id).unwrap();
                if channel.class == ChannelClass::Global {
                    let group = |router| network.shape().group(router).unwrap();
                    pairs
                        .entry((group(from), group(to)))
                        .or_default()
                        .push(from);
                }
            }
            assert_eq!(pairs.values().map(Vec::len).sum::<usize>(), 2 * links);
            assert_eq!(pairs.len(), (groups * (groups - 1)) as usize);
            for from in pairs.values() {
                assert_eq!(from.len(), pair, "{wiring:?}");
                let distinct: BTreeSet<_> = from.iter().collect();
                if matches!(
                    wiring,
                    Wiring::Absolute | Wiring::Relative | Wiring::Alltoall
                ) {
                    assert_eq!(distinct.len(), spines, "{wiring:?}");
                }
            }
        }
    }
}

#[test]
fn random_wirings_come_from_their_seed() {
    let megafly = |seed| {
        let megafly = Megafly {
            wiring: Wiring::Random,
            seed,
            half_radix: 4,
            ..Megafly::default()
        };
        megafly.build(None).unwrap()
    };
    let dragonfly = |seed| {
        let dragonfly = Dragonfly {
            arrangement: Arrangement::Random,
            seed,
            ..Dragonfly::default()
        };
        dragonfly.build(None).unwrap()
    };
    let builds: [&dyn Fn(u64) -> Network; 2] = [&megafly, &dragonfly];
    for build in builds {
        let targets = |seed| {
            let network = build(seed);
            let channels = network.channels();
            channels
                .map(|(_, channel)| channel.target)
                .collect::<Vec<_>>()
        };
        assert_eq!(targets(1), targets(1));
        assert_ne!(targets(1), targets(2));
    }
}
