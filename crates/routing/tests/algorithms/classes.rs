//! Classes of virtual channels are as few as possible; that they are enough is promised in `promises`.
//!
//! A small independent check; the verifier's proofs are tested above this floor.

use crate::cases;
use crate::explore::can_deadlock;
use std::sync::Arc;
use turnwise_network::Network;
use turnwise_network::topologies::{Dragonfly, HyperX, Megafly, Mesh, Topology, Torus};
use turnwise_routing::algorithms::*;
use turnwise_routing::{Algorithm, Context};

fn cyclic(algorithm: impl Algorithm, network: Network) -> bool {
    let network = Arc::new(network);
    can_deadlock(
        &*algorithm.build(&network, &Context::default()).unwrap(),
        &network,
    )
}

fn dragonfly() -> Network {
    Dragonfly {
        groups: 5,
        terminals_per_router: 1,
        ..Dragonfly::default()
    }
    .build(None)
    .unwrap()
}

/// Rings need two dateline classes in each leg, all else needs one.
#[test]
fn legs_in_grids_need_all_their_classes() {
    let legs = |name: &str, virtual_channels| -> Box<dyn Algorithm> {
        match name {
            "valiant" => Box::new(Valiant {
                virtual_channels,
                ..Valiant::default()
            }),
            "romm" => Box::new(Romm { virtual_channels }),
            _ => Box::new(MinimalOblivious { virtual_channels }),
        }
    };
    let cyclic = |network: &Arc<Network>, name, count| {
        let routing = legs(name, Some(count)).build(network, &Context::default());
        can_deadlock(&*routing.unwrap(), network)
    };
    let torus = |sizes: &[u32]| {
        let sizes = sizes.to_vec();
        let torus = Torus {
            sizes,
            ..Torus::default()
        };
        Arc::new(torus.build(None).unwrap())
    };
    let mesh = |sizes: &[u32]| {
        let mesh = Mesh {
            sizes: sizes.to_vec(),
            terminals_per_router: 1,
            channel_latency: Default::default(),
        };
        Arc::new(mesh.build(None).unwrap())
    };
    let hyperx = HyperX {
        sizes: vec![3, 3],
        ..HyperX::default()
    };
    let hyperx = Arc::new(hyperx.build(None).unwrap());
    let names = ["valiant", "romm", "minimal-oblivious"];
    for name in names {
        for sizes in [[4, 4], [5, 3], [5, 2], [6, 3]] {
            let torus = torus(&sizes);
            assert!(
                !cyclic(&torus, name, 4) && !cyclic(&torus, name, 9),
                "{name} on {sizes:?}"
            );
        }
        assert!(cyclic(&torus(&[5, 5]), name, 3), "{name}");
        for network in [mesh(&[3, 3]), torus(&[2, 2, 2]), hyperx.clone()] {
            assert!(
                !cyclic(&network, name, 2) && !cyclic(&network, name, 5),
                "{name}"
            );
        }
        assert!(cyclic(&mesh(&[3, 3]), name, 1), "{name}");
    }
    // Two hops, two virtual channels.
    let slim_fly = &cases::slim_flies()[0];
    let paths = |count| {
        let algorithm = ShortestPath {
            virtual_channels: Some(count),
            ..ShortestPath::default()
        };
        can_deadlock(
            &*algorithm.build(slim_fly, &Context::default()).unwrap(),
            slim_fly,
        )
    };
    assert!(paths(1) && !paths(2) && !paths(5));
    // One dimension has one order.
    assert!(!cyclic(&torus(&[5]), "minimal-oblivious", 2));
    assert!(cyclic(&torus(&[5]), "valiant", 3) && !cyclic(&torus(&[5]), "valiant", 4));
}

#[test]
fn one_class_less_can_deadlock() {
    let min = |count| {
        cyclic(
            Minimal {
                virtual_channels: Some(count),
                ..Minimal::default()
            },
            dragonfly(),
        )
    };
    assert!(min(1) && !min(2) && !min(3));
    let val = |via, count| {
        cyclic(
            Valiant {
                via: Some(via),
                virtual_channels: Some(count),
                ..Valiant::default()
            },
            dragonfly(),
        )
    };
    assert!(val(Via::Router, 3) && !val(Via::Router, 4) && !val(Via::Router, 7));
    assert!(val(Via::Group, 2) && !val(Via::Group, 3));
    let ugal = |classes, count| {
        cyclic(
            Ugal {
                classes,
                virtual_channels: Some(count),
                ..Ugal::default()
            },
            dragonfly(),
        )
    };
    let distance = |count| ugal(UgalClasses::Distance, count);
    assert!(distance(3) && !distance(4) && !distance(7));
    // BookSim's classes are not enough, however many virtual channels each of them gets.
    assert!(ugal(UgalClasses::Booksim, 3) && ugal(UgalClasses::Booksim, 6));
    let megafly = |count| {
        let valiant = Valiant {
            virtual_channels: Some(count),
            ..Valiant::default()
        };
        cyclic(valiant, Megafly::default().build(None).unwrap())
    };
    assert!(megafly(1) && !megafly(2));
    let torus = || {
        Torus {
            sizes: vec![5, 5],
            ..Torus::default()
        }
        .build(None)
        .unwrap()
    };
    let ring = |classes, count| {
        let algorithm = DimensionOrder {
            classes: Some(classes),
            virtual_channels: Some(count),
            ..DimensionOrder::default()
        };
        cyclic(algorithm, torus())
    };
    assert!(ring(Classes::None, 2) && !ring(Classes::Dateline, 2) && !ring(Classes::Dateline, 5));
    let paths = |count| {
        cyclic(
            ShortestPath {
                virtual_channels: Some(count),
                ..ShortestPath::default()
            },
            torus(),
        )
    };
    assert!(paths(1) && !paths(4) && !paths(11));
    let without = |virtual_channels| {
        let classes = PathClasses::None;
        cyclic(
            ShortestPath {
                classes,
                virtual_channels,
                ..ShortestPath::default()
            },
            torus(),
        )
    };
    assert!(without(None) && without(Some(4)));
}
