//! Absurd parameters are refused in words, at once, and without allocating what they ask for.

#![allow(clippy::unwrap_used)]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::time::{Duration, Instant};
use turnwise_network::builder::Size;
use turnwise_network::shape::{Arrangement, Wiring};
use turnwise_network::topologies::{
    Dragonfly, FullMesh, HyperX, Hypercube, KAryNTree, Megafly, Mesh, RandomIrregular,
    RandomRegular, Topology, Torus, Xgft,
};

#[allow(dead_code)]
mod common;

/// Numbers at which something overflows, and small ones to combine them with.
fn extreme() -> impl Strategy<Value = u32> {
    select(vec![
        0,
        1,
        2,
        3,
        4,
        5,
        8,
        9,
        16,
        17,
        31,
        32,
        33,
        64,
        255,
        256,
        257,
        32_767,
        32_768,
        65_535,
        65_536,
        65_537,
        1_000_000_000,
        u32::MAX / 2,
        u32::MAX - 1,
        u32::MAX,
    ])
}

/// Building what no machine can hold must fail; what is small must not panic. What lies
/// between is legal and merely slow.
fn check(topology: &dyn Topology, zero: bool) {
    const SMALL: u64 = 20_000;
    let start = Instant::now();
    let Size {
        routers,
        terminals,
        channels,
    } = topology.size();
    let too_large = topology.size().check("field").is_err();
    let total = routers.saturating_add(terminals).saturating_add(channels);
    if zero || too_large || total <= SMALL {
        match topology.build(None) {
            Ok(network) => {
                assert!(!zero && !too_large);
                assert_eq!(network.router_count() as u64, routers);
                assert_eq!(network.terminal_count() as u64, terminals);
                assert!(network.channel_count() as u64 <= channels);
            }
            Err(invalid) => assert!(!invalid.place.is_empty() && !invalid.message.is_empty()),
        }
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "{:?}",
            start.elapsed()
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn grids(sizes in vec(extreme(), 0..6), terminals in extreme()) {
        let zero = sizes.is_empty() || sizes.contains(&0) || terminals == 0;
        let channel_latency = Default::default();
        check(&Torus { sizes: sizes.clone(), terminals_per_router: terminals, ..Torus::default() }, zero);
        check(&HyperX { sizes: sizes.clone(), terminals_per_router: terminals, ..HyperX::default() }, zero);
        check(&Mesh { sizes, terminals_per_router: terminals, channel_latency }, zero);
    }

    #[test]
    fn cubes_and_full_meshes(n in extreme(), terminals in extreme()) {
        let zero = n == 0 || terminals == 0;
        check(&Hypercube { dimensions: n, terminals_per_router: terminals, ..Hypercube::default() }, zero);
        check(&FullMesh { routers: n, terminals_per_router: terminals, ..FullMesh::default() }, zero);
    }

    #[test]
    fn dragonflies(
        groups in extreme(),
        routers_per_group in extreme(),
        terminals_per_router in extreme(),
        global_ports_per_router in proptest::option::of(extreme()),
        arrangement in select(vec![
            Arrangement::Absolute,
            Arrangement::Relative,
            Arrangement::Palmtree,
            Arrangement::Circulant,
            Arrangement::Random,
        ]),
    ) {
        let zero = groups == 0 || routers_per_group == 0 || terminals_per_router == 0;
        let dragonfly = Dragonfly {
            groups,
            routers_per_group,
            terminals_per_router,
            global_ports_per_router,
            arrangement,
            ..Dragonfly::default()
        };
        check(&dragonfly, zero);
    }

    #[test]
    fn megaflies(
        half_radix in extreme(),
        groups in extreme(),
        wiring in select(vec![
            Wiring::Absolute, Wiring::Relative, Wiring::Circulant, Wiring::Alltoall, Wiring::Random,
        ]),
    ) {
        let megafly = Megafly { half_radix, groups, wiring, ..Megafly::default() };
        check(&megafly, half_radix == 0 || groups == 0);
    }

    #[test]
    fn trees(m in vec(extreme(), 0..7), w in vec(extreme(), 0..7), arity in extreme(), levels in extreme()) {
        let zero = m.is_empty() || m.len() != w.len() || m.contains(&0) || w[0] != 1 || w.contains(&0);
        check(&Xgft { m: m.clone(), w: w.clone(), ..Xgft::default() }, zero);
        let mut w: Vec<u32> = w.into_iter().chain([2; 7]).take(m.len()).collect();
        if let Some(first) = w.first_mut() {
            *first = 1;
        }
        let zero = m.is_empty() || m.contains(&0) || w.contains(&0);
        check(&Xgft { m, w, ..Xgft::default() }, zero);
        check(&KAryNTree { arity, levels, ..KAryNTree::default() }, arity == 0 || levels == 0);
    }

    #[test]
    fn random_graphs(
        routers in extreme(),
        degree in extreme(),
        links in extreme(),
        terminals in extreme(),
        seed: u64,
    ) {
        let graph = RandomRegular {
            routers,
            degree,
            terminals_per_router: terminals,
            seed,
            ..RandomRegular::default()
        };
        check(&graph, routers == 0 || terminals == 0 || degree >= routers);
        let graph = RandomIrregular {
            routers,
            links: degree,
            most_links: links,
            terminals_per_router: terminals,
            seed,
            ..RandomIrregular::default()
        };
        check(&graph, routers == 0 || terminals == 0 || degree < routers - 1);
    }
}

#[test]
fn more_levels_and_dimensions_than_anybody_has() {
    let many = vec![1; 1_000_000];
    check(
        &Torus {
            sizes: many.clone(),
            ..Torus::default()
        },
        true,
    );
    check(
        &Xgft {
            m: many.clone(),
            w: many,
            ..Xgft::default()
        },
        true,
    );
}

#[test]
fn absurd_files_are_refused() {
    let lists = [
        "",
        "# nothing",
        "routers 0",
        "routers 4294967295",
        "routers 4294967296",
        "0 4294967295",
        "0 1\nterminals 0 4294967295",
        "0 1\nterminals_per_router 70000",
        "routers 10000000\nterminals_per_router 60000",
        "0 1 0",
        "0 1 1e9",
        "-1 0",
        "{",
        "{}",
        r#"{"routers": [], "links": []}"#,
        r#"{"routers": [{"terminals": 4294967295}], "links": []}"#,
        r#"{"routers": [{"terminals": 3, "ports": 2}], "links": []}"#,
        r#"{"routers": [{}, {}], "links": [{"a": {"router": 0, "port": 65535}, "b": {"router": 1, "port": 1}}]}"#,
        r#"{"routers": [{}, {}], "links": [{"a": {"router": 0, "port": 0}, "b": {"router": 1, "port": 1}}]}"#,
        r#"{"routers": [{}], "terminal_latency": 0, "links": []}"#,
        &format!(
            r#"{{"routers": [{}{{}}], "links": []}}"#,
            r#"{"ports": 65535},"#.repeat(100_000)
        ),
    ];
    for text in lists {
        let invalid = common::edge_list().build(Some(text)).unwrap_err();
        assert_eq!(invalid.place, "file", "{text}");
        assert!(invalid.message.starts_with("links.txt:"), "{invalid}");
    }
    let graphs = [
        "",
        "<graphml/>",
        "<graphml><graph/></graphml>",
        "<graphml><graph><node id='0'/>",
        "<graphml><graph><node/></graph></graphml>",
        "<graphml><graph><node id='0'/><node id='0'/></graph></graphml>",
        "<graphml><graph><node id='0'/><edge source='0' target='1'/></graph></graphml>",
        "<graphml><graph><node id='0'/><edge source='0' target='0'/></graph></graphml>",
        "<graphml><graph><node id='0'><data key='terminals'>4294967295</data></node></graph></graphml>",
        "<graphml><graph><node id='0'></edge></graph></graphml>",
    ];
    for text in graphs {
        let invalid = common::graphml().build(Some(text)).unwrap_err();
        assert_eq!(invalid.place, "file", "{text}");
        assert!(invalid.message.starts_with("net.graphml:"), "{invalid}");
    }
    assert_eq!(common::edge_list().build(None).unwrap_err().place, "file");
}

proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(text in "[ -~\n]{0,60}", words in vec(
        select(vec![
            "routers", "terminals", "terminals_per_router", "0", "1", "2", "#", "\n", "{", "}", "<node",
            "router", "node", "Switch 2 \"S\"\n", "Ca 1 \"H\"\n", "[1]", "\"S\"", "\"H\"", "[2]", "(", ")", "<edge", "id='0'", "/>", "<graph>", "</graph>", "<data key='latency'>", "</data>", "&amp;",
            "SwitchName=", "a", "Nodes=", "Nodes=n[0-2]", "Switches=", "a,b", "[", "\\\n", "\"", "\n SwitchName=b", "%", "'weight': 2", ",",
        ]),
        0..30,
    )) {
        for text in [text, words.join(" ")] {
            let _ = common::edge_list().build(Some(&text));
            let _ = common::graphml().build(Some(&text));
            let _ = common::anynet().build(Some(&text));
            let _ = common::infiniband().build(Some(&text));
            let _ = common::topology_conf().build(Some(&text));
        }
    }
}
