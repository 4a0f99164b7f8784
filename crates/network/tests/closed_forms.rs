//! Routers, terminals, channels, diameter and mean distance of every topology against formulas
//! written down here once more, over more than 700 drawn parameter sets a run.

#![allow(clippy::unwrap_used)]

use proptest::collection::vec;
use proptest::prelude::*;
use turnwise_network::RouterId;
use turnwise_network::metrics::{Distances, is_connected};
use turnwise_network::shape::{Arrangement, Wiring};
use turnwise_network::topologies::{
    Dragonfly, FullMesh, HyperX, Hypercube, KAryNFly, KAryNTree, Megafly, Mesh, RandomIrregular,
    RandomRegular, SlimFly, Topology, Torus, Xgft,
};

#[allow(dead_code)]
mod common;
mod forms;

use forms::{
    Form, assert_form, complete, dragonfly_form, lines, megafly_form, path, product, ring,
    tree_form,
};

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn torus(sizes in vec(1u32..6, 1..4), terminals in 1u32..4) {
        let torus = Torus { sizes: sizes.clone(), terminals_per_router: terminals, ..Torus::default() };
        assert_form(&torus.build(None).unwrap(), &product(&lines(&sizes, ring), terminals.into()));
    }

    #[test]
    fn mesh(sizes in vec(1u32..6, 1..4), terminals in 1u32..4) {
        let channel_latency = Default::default();
        let mesh = Mesh { sizes: sizes.clone(), terminals_per_router: terminals, channel_latency };
        assert_form(&mesh.build(None).unwrap(), &product(&lines(&sizes, path), terminals.into()));
    }

    #[test]
    fn hypercube(dimensions in 1u32..8, terminals in 1u32..4) {
        let cube = Hypercube { dimensions, terminals_per_router: terminals, ..Hypercube::default() };
        let n = 1u64 << dimensions;
        let (d, t) = (u64::from(dimensions), u64::from(terminals));
        let form = Form {
            routers: n,
            terminals: n * t,
            channels: n * d,
            diameter: d,
            total: n * d * (n / 2) * t * t,
        };
        assert_form(&cube.build(None).unwrap(), &form);
    }

    #[test]
    fn hyperx(sizes in vec(1u32..6, 1..4), terminals in 1u32..4) {
        let hyperx = HyperX { sizes: sizes.clone(), terminals_per_router: terminals, ..HyperX::default() };
        let form = product(&lines(&sizes, complete), terminals.into());
        assert_form(&hyperx.build(None).unwrap(), &form);
    }

    #[test]
    fn full_mesh(routers in 1u32..40, terminals in 1u32..4) {
        let mesh = FullMesh { routers, terminals_per_router: terminals, ..FullMesh::default() };
        let form = product(&[complete(routers.into())], terminals.into());
        assert_form(&mesh.build(None).unwrap(), &form);
    }

    #[test]
    fn xgft(levels in vec((1u32..5, 1u32..4), 1..4)) {
        let (m, mut w): (Vec<u32>, Vec<u32>) = levels.into_iter().unzip();
        w[0] = 1;
        let form = tree_form(&m, &w);
        assert_form(&Xgft { m, w, ..Xgft::default() }.build(None).unwrap(), &form);
    }

    #[test]
    fn k_ary_n_tree(arity in 1u32..6, levels in 1u32..4) {
        let tree = KAryNTree { arity, levels, ..KAryNTree::default() }.build(None).unwrap();
        let (k, n) = (u64::from(arity), u64::from(levels));
        let leaves = k.pow(levels - 1);
        prop_assert_eq!(tree.router_count() as u64, n * leaves);
        prop_assert_eq!(tree.channel_count() as u64, 2 * (n - 1) * k * leaves);
        let m = vec![arity; levels as usize];
        let mut w = m.clone();
        w[0] = 1;
        assert_form(&tree, &tree_form(&m, &w));
    }

    #[test]
    fn dragonfly(
        (a, h) in (1u32..6, 1u32..4),
        groups in 1u32..11,
        p in 1u32..4,
        arrangement in arrangements(),
    ) {
        let (h, groups) = match arrangement {
            Arrangement::Circulant => (2 * h, groups | 1),
            _ => (h, groups),
        };
        let groups = groups.min(a * h + 1);
        let dragonfly = Dragonfly {
            groups,
            routers_per_group: a,
            terminals_per_router: p,
            global_ports_per_router: Some(h),
            arrangement,
            ..Dragonfly::default()
        };
        let network = dragonfly.build(None).unwrap();
        let form = dragonfly_form((groups, a, p, h), arrangement);
        prop_assert!(form.diameter <= 3);
        assert_form(&network, &form);
    }

    #[test]
    fn megafly(r in 1u32..5, groups in 1u32..18, wiring in wirings(), seed: u64) {
        let groups = groups.min(r * r + 1);
        let megafly = Megafly { half_radix: r, groups, wiring, seed, ..Megafly::default() };
        let legal = groups == 1 || match wiring {
            Wiring::Circulant => r % 2 == 0 && groups % 2 == 1,
            Wiring::Alltoall => r % (groups - 1) == 0,
            _ => true,
        };
        match megafly.build(None) {
            Ok(network) => {
                prop_assert!(legal);
                assert_form(&network, &megafly_form(r.into(), groups.into()));
            }
            Err(invalid) => {
                prop_assert!(!legal);
                prop_assert_eq!(invalid.place, "wiring");
            }
        }
    }

    #[test]
    fn random_regular((n, d) in (3u32..40).prop_flat_map(|n| (Just(n), 2..n)), seed: u64) {
        let n = if n * d % 2 == 1 { n + 1 } else { n };
        let graph = RandomRegular { routers: n, degree: d, seed, ..RandomRegular::default() };
        let network = graph.build(None).unwrap();
        prop_assert_eq!(network.router_count(), n as usize);
        prop_assert_eq!(network.terminal_count(), n as usize);
        prop_assert_eq!(network.channel_count(), (n * d) as usize);
        prop_assert!(is_connected(&network));
        for router in network.routers() {
            let neighbours: Vec<RouterId> = network.neighbours(router).map(|n| n.router).collect();
            prop_assert_eq!(neighbours.len(), d as usize);
            prop_assert!(neighbours.is_sorted_by(|a, b| a < b) && !neighbours.contains(&router));
        }
        let again = graph.build(None).unwrap();
        prop_assert!(network.channels().eq(again.channels()));
    }

    #[test]
    fn random_irregular(n in 1u32..40, most_links in 2u32..12, share in 0.0..1.0, seed: u64) {
        // The last port may be left over; where all but one are taken, a graph is not always found.
        let most = (n * most_links.min(n - 1) / 2).saturating_sub(2).max(n - 1);
        let links = n - 1 + (share * f64::from(most - (n - 1))) as u32;
        let graph = RandomIrregular { routers: n, links, most_links, seed, ..RandomIrregular::default() };
        let network = graph.build(None).unwrap();
        prop_assert_eq!(network.router_count(), n as usize);
        prop_assert_eq!(network.channel_count(), 2 * links as usize);
        prop_assert!(is_connected(&network));
        for router in network.routers() {
            let neighbours: Vec<RouterId> = network.neighbours(router).map(|n| n.router).collect();
            prop_assert!(neighbours.len() <= most_links as usize);
            prop_assert!(neighbours.is_sorted_by(|a, b| a < b) && !neighbours.contains(&router));
        }
        let again = graph.build(None).unwrap();
        prop_assert!(network.channels().eq(again.channels()));
    }

    #[test]
    fn edge_list(n in 2u64..30, terminals in 1u64..4) {
        let text: Vec<String> = (1..n).map(|router| format!("{} {router}", router - 1)).collect();
        let text = format!("terminals_per_router {terminals}\n{}", text.join("\n"));
        let network = common::edge_list().build(Some(&text)).unwrap();
        assert_form(&network, &product(&[path(n)], terminals));
    }

    #[test]
    fn graphml(n in 3u64..30) {
        let node = |id| format!("<node id='{id}'/>");
        let edge = |id| format!("<edge source='{id}' target='{}'/>", (id + 1) % n);
        let (nodes, edges): (String, String) = ((0..n).map(node).collect(), (0..n).map(edge).collect());
        let text = format!("<graphml><graph edgedefault='undirected'>{nodes}{edges}</graph></graphml>");
        assert_form(&common::graphml().build(Some(&text)).unwrap(), &product(&[ring(n)], 1));
    }
}

fn arrangements() -> impl Strategy<Value = Arrangement> {
    prop_oneof![
        Just(Arrangement::Absolute),
        Just(Arrangement::Relative),
        Just(Arrangement::Palmtree),
        Just(Arrangement::Circulant)
    ]
}

fn wirings() -> impl Strategy<Value = Wiring> {
    prop_oneof![
        Just(Wiring::Absolute),
        Just(Wiring::Relative),
        Just(Wiring::Circulant),
        Just(Wiring::Alltoall),
        Just(Wiring::Random)
    ]
}

/// Each router has `d` neighbours, and all others are two hops away.
#[test]
fn slim_fly() {
    for q in [3u32, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19] {
        let delta = [0, 1, 2, -1][q as usize % 4];
        let (q64, degree) = (u64::from(q), (3 * i64::from(q) - delta) as u64 / 2);
        let slim_fly = SlimFly {
            q,
            ..SlimFly::default()
        };
        let network = slim_fly.build(None).unwrap();
        let routers = 2 * q64 * q64;
        let terminals = degree.div_ceil(2);
        let form = Form {
            routers,
            terminals: routers * terminals,
            channels: routers * degree,
            diameter: 2,
            total: routers * (degree + 2 * (routers - 1 - degree)) * terminals * terminals,
        };
        assert_form(&network, &form);
        for router in network.routers() {
            assert_eq!(network.neighbours(router).count() as u64, degree);
        }
    }
}

/// The graph of Hoffman and Singleton: 50 routers of degree 7 and not a cycle of three or four,
/// so that exactly one route of two hops leads to every router that is no neighbour.
#[test]
fn the_slim_fly_of_five_is_a_moore_graph() {
    let network = SlimFly::default().build(None).unwrap();
    for from in network.routers() {
        let mut seen: Vec<RouterId> = network
            .neighbours(from)
            .flat_map(|near| network.neighbours(near.router))
            .map(|far| far.router)
            .chain(network.neighbours(from).map(|near| near.router))
            .filter(|&router| router != from)
            .collect();
        seen.sort_unstable();
        assert_eq!(seen.len(), 49);
        seen.dedup();
        assert_eq!(seen.len(), 49);
    }
}

#[test]
fn what_no_slim_fly_has() {
    let field = |q, terminals_per_router| {
        let slim_fly = SlimFly {
            q,
            terminals_per_router,
            ..SlimFly::default()
        };
        slim_fly.build(None).unwrap_err().place
    };
    for q in [0, 1, 2, 6, 12, 15, 100_000, u32::MAX] {
        assert_eq!(field(q, Some(1)), "q", "{q}");
    }
    assert_eq!(field(5, Some(0)), "terminals_per_router");
}

proptest! {
    /// From every router to every other n - 1 channels, one way only.
    #[test]
    fn k_ary_n_fly(arity in 1u32..5, stages in 3u32..5) {
        let fly = KAryNFly { arity, stages, ..KAryNFly::default() };
        let network = fly.build(None).unwrap();
        let (k, n) = (u64::from(arity), u64::from(stages));
        let width = k.pow(stages - 1);
        let terminals = width * k;
        prop_assert_eq!(network.unconnected_ports().count(), 0);
        let form = Form {
            routers: (n - 1) * width,
            terminals,
            channels: (n - 1) * terminals,
            diameter: if width > 1 { n - 1 } else { 0 },
            total: terminals * (terminals - k) * (n - 1),
        };
        assert_form(&network, &form);
    }
}

#[test]
fn a_butterfly_of_two_stages_is_refused() {
    let fly = KAryNFly {
        stages: 2,
        ..KAryNFly::default()
    };
    assert_eq!(fly.build(None).unwrap_err().place, "stages");
}

#[test]
fn seeds_of_random_graphs_matter() {
    let targets = |graph: &dyn Topology| {
        let network = graph.build(None).unwrap();
        let targets = network.channels().map(|(_, channel)| channel.target);
        targets.collect::<Vec<_>>()
    };
    let regular = |seed| {
        targets(&RandomRegular {
            seed,
            ..RandomRegular::default()
        })
    };
    let irregular = |seed| {
        targets(&RandomIrregular {
            seed,
            ..RandomIrregular::default()
        })
    };
    assert_ne!(regular(1), regular(2));
    assert_ne!(irregular(1), irregular(2));
}

#[test]
fn the_example_of_the_literature_has_its_known_numbers() {
    let dragonfly = Dragonfly {
        groups: 33,
        routers_per_group: 8,
        terminals_per_router: 4,
        ..Dragonfly::default()
    };
    let network = dragonfly.build(None).unwrap();
    assert_eq!(
        (network.router_count(), network.terminal_count()),
        (264, 1056)
    );
    assert_eq!(network.channel_count(), 264 * (7 + 4));
    assert_eq!(Distances::of(&network).diameter, 3);
    assert_eq!(network.unconnected_ports().count(), 0);
}
