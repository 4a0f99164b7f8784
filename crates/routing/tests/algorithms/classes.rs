//! Classes of virtual channels keep their promise, and are as few as possible.
//!
//! A small independent check; the verifier's proofs are tested above this floor.

use crate::cases::{self, Case};
use crate::explore::can_deadlock;
use std::sync::Arc;
use turnwise_network::Network;
use turnwise_network::topologies::{Dragonfly, Megafly, Topology, Torus};
use turnwise_routing::algorithms::*;
use turnwise_routing::{Algorithm, Context};

#[test]
fn defaults_are_free_of_deadlock() {
    let safe = |case: &Case| {
        !case.name.starts_with("dimension-order bubble") && !case.name.contains("Booksim")
    };
    for case in cases::all().into_iter().filter(safe) {
        assert!(
            !can_deadlock(&*case.build(), &case.network),
            "{}",
            case.name
        );
    }
}

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

#[test]
fn one_class_less_can_deadlock() {
    let min = |count| {
        cyclic(
            Minimal {
                virtual_channels: Some(count),
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
    assert!(paths(1) && !paths(4));
}
