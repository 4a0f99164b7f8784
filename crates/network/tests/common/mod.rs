//! One or more small networks of every topology.

use turnwise_network::Network;
use turnwise_network::shape::{Arrangement, Wiring};
use turnwise_network::topologies::{
    Dragonfly, EdgeList, FullMesh, GraphMl, HyperX, Hypercube, KAryNTree, Megafly, Mesh,
    RandomRegular, SlimFly, Topology, Torus, Xgft,
};

const LINKS: &str = "routers 6\nterminals 2 3\nterminals 5 0\n0 1\n1 2 7\n0 2\n2 3\n2 3\n3 4";

const GRAPHML: &str = r#"<graphml><graph edgedefault="undirected">
    <node id="a"/><node id="b"/><node id="c"/><node id="d"/>
    <edge source="a" target="b"/><edge source="b" target="c"/><edge source="c" target="d"/>
    <edge source="a" target="d"/></graph></graphml>"#;

pub(crate) fn zoo() -> Vec<Network> {
    let mut topologies: Vec<(Box<dyn Topology>, Option<&str>)> = vec![
        (
            Box::new(Torus {
                sizes: vec![4, 3, 2],
                ..Torus::default()
            }),
            None,
        ),
        (
            Box::new(Mesh {
                sizes: vec![4, 3],
                terminals_per_router: 2,
                channel_latency: Default::default(),
            }),
            None,
        ),
        (
            Box::new(Hypercube {
                dimensions: 4,
                ..Hypercube::default()
            }),
            None,
        ),
        (Box::new(FullMesh::default()), None),
        (
            Box::new(HyperX {
                sizes: vec![3, 4],
                terminals_per_router: 2,
                ..HyperX::default()
            }),
            None,
        ),
        (
            Box::new(Xgft {
                m: vec![3, 2, 4],
                w: vec![1, 2, 2],
                ..Xgft::default()
            }),
            None,
        ),
        (
            Box::new(KAryNTree {
                arity: 2,
                levels: 3,
                ..KAryNTree::default()
            }),
            None,
        ),
        (Box::new(RandomRegular::default()), None),
        (Box::new(SlimFly::default()), None),
        (Box::new(edge_list()), Some(LINKS)),
        (Box::new(graphml()), Some(GRAPHML)),
    ];
    for arrangement in [
        Arrangement::Absolute,
        Arrangement::Relative,
        Arrangement::Palmtree,
    ] {
        let global_ports_per_router = Some(3);
        let dragonfly = Dragonfly {
            groups: 5,
            arrangement,
            global_ports_per_router,
            ..Dragonfly::default()
        };
        topologies.push((Box::new(dragonfly), None));
    }
    for wiring in [
        Wiring::Absolute,
        Wiring::Relative,
        Wiring::Circulant,
        Wiring::Random,
    ] {
        topologies.push((
            Box::new(Megafly {
                wiring,
                ..Megafly::default()
            }),
            None,
        ));
    }
    let alltoall = Megafly {
        wiring: Wiring::Alltoall,
        groups: 3,
        ..Megafly::default()
    };
    topologies.push((Box::new(alltoall), None));
    topologies
        .iter()
        .map(|(topology, text)| topology.build(*text).unwrap())
        .collect()
}

pub(crate) fn edge_list() -> EdgeList {
    EdgeList {
        file: "links.txt".into(),
        terminals_per_router: 1,
        channel_latency: Default::default(),
    }
}

pub(crate) fn graphml() -> GraphMl {
    GraphMl {
        file: "net.graphml".into(),
        terminals_per_router: 1,
        channel_latency: Default::default(),
    }
}
