//! Small networks, and the algorithms that route them.

use std::sync::Arc;
use turnwise_network::shape::{Arrangement, Wiring};
use turnwise_network::topologies::{
    Dragonfly, FullMesh, HyperX, Hypercube, KAryNFly, Megafly, Mesh, SlimFly, Topology, Torus, Xgft,
};
use turnwise_network::{FlowControl, Network, Routing, Shape};
use turnwise_routing::algorithms::*;
use turnwise_routing::{Algorithm, Context};

pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) network: Arc<Network>,
    pub(crate) algorithm: Box<dyn Algorithm>,
    pub(crate) context: Context<'static>,
    /// Are its routes as short as the network allows?
    pub(crate) minimal: bool,
    /// Router-to-router channels of the longest route it should take on a healthy network.
    pub(crate) longest: u32,
}

impl Case {
    pub(crate) fn build(&self) -> Box<dyn Routing> {
        self.algorithm
            .build(&self.network, &self.context)
            .unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

pub(crate) fn grids() -> Vec<Arc<Network>> {
    let torus = |sizes: &[u32], terminals_per_router| {
        Torus {
            sizes: sizes.to_vec(),
            terminals_per_router,
            ..Torus::default()
        }
        .build(None)
    };
    let mesh = Mesh {
        sizes: vec![3, 4],
        terminals_per_router: 2,
        channel_latency: Default::default(),
    };
    let hyperx = HyperX {
        sizes: vec![3, 4],
        terminals_per_router: 2,
        ..HyperX::default()
    };
    let networks = [
        torus(&[4, 4], 2),
        torus(&[5, 3], 1),
        torus(&[4, 2, 2, 2], 1),
        torus(&[6], 1),
        torus(&[1, 3], 1),
        mesh.build(None),
        Hypercube {
            dimensions: 3,
            ..Hypercube::default()
        }
        .build(None),
        hyperx.build(None),
        FullMesh {
            routers: 5,
            ..FullMesh::default()
        }
        .build(None),
    ];
    networks
        .into_iter()
        .map(|network| Arc::new(network.unwrap()))
        .collect()
}

/// A search that ends soon: what it finds is legal, if not good.
fn quick_genetic() -> AngaraGenetic {
    AngaraGenetic {
        population: 4,
        generations: 3,
        ..AngaraGenetic::default()
    }
}

/// One terminal a router.
pub(crate) fn angara_systems() -> Vec<Arc<Network>> {
    let one = |network: &Arc<Network>| network.terminal_count() == network.router_count();
    let grid = |network: &Arc<Network>| matches!(network.shape(), Shape::Grid(_));
    let grids = grids().into_iter();
    grids
        .filter(|network| one(network) && grid(network))
        .collect()
}

pub(crate) fn dragonflies() -> Vec<Arc<Network>> {
    let build = |groups, routers_per_group, terminals_per_router, ports, arrangement| {
        let dragonfly = Dragonfly {
            groups,
            routers_per_group,
            terminals_per_router,
            global_ports_per_router: Some(ports),
            arrangement,
            ..Dragonfly::default()
        };
        Arc::new(dragonfly.build(None).unwrap())
    };
    vec![
        build(5, 4, 1, 1, Arrangement::Absolute),
        build(5, 2, 2, 2, Arrangement::Palmtree),
        build(4, 3, 1, 2, Arrangement::Relative),
        build(3, 4, 1, 1, Arrangement::Relative),
        build(2, 2, 1, 1, Arrangement::Absolute),
        build(1, 3, 1, 1, Arrangement::Absolute),
    ]
}

pub(crate) fn megaflies() -> Vec<Arc<Network>> {
    let build = |half_radix, groups, wiring| {
        Arc::new(
            Megafly {
                half_radix,
                groups,
                wiring,
                ..Megafly::default()
            }
            .build(None)
            .unwrap(),
        )
    };
    vec![
        build(2, 5, Wiring::Absolute),
        build(2, 3, Wiring::Relative),
        build(3, 4, Wiring::Random),
        build(2, 2, Wiring::Absolute),
        build(2, 1, Wiring::Absolute),
    ]
}

pub(crate) fn trees() -> Vec<Arc<Network>> {
    let build = |m: &[u32], w: &[u32]| {
        Arc::new(
            Xgft {
                m: m.to_vec(),
                w: w.to_vec(),
                ..Xgft::default()
            }
            .build(None)
            .unwrap(),
        )
    };
    vec![
        build(&[2, 3, 2], &[1, 2, 3]),
        build(&[4, 4], &[1, 4]),
        build(&[2, 2, 2], &[1, 2, 2]),
        build(&[3], &[1]),
    ]
}

pub(crate) fn slim_flies() -> Vec<Arc<Network>> {
    let build = |q| {
        let terminals_per_router = Some(1);
        let slim_fly = SlimFly {
            q,
            terminals_per_router,
            ..SlimFly::default()
        };
        Arc::new(slim_fly.build(None).unwrap())
    };
    vec![build(3), build(4)]
}

pub(crate) fn butterflies() -> Vec<Arc<Network>> {
    let build = |arity, stages| {
        let fly = KAryNFly {
            arity,
            stages,
            ..KAryNFly::default()
        };
        Arc::new(fly.build(None).unwrap())
    };
    vec![build(2, 3), build(3, 3), build(2, 4)]
}

/// Every algorithm in its interesting variants on every network it routes.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |network: &Arc<Network>,
                   variant: String,
                   algorithm: Box<dyn Algorithm>,
                   longest,
                   minimal,
                   context| {
        let name = format!("{variant} on {}", network.description());
        cases.push(Case {
            name,
            network: network.clone(),
            algorithm,
            context,
            minimal,
            longest,
        });
    };
    let plain = Context::default();
    for network in grids() {
        for ties in [Ties::Random, Ties::Parity, Ties::Positive] {
            let algorithm = DimensionOrder {
                ties,
                ..DimensionOrder::default()
            };
            add(
                &network,
                format!("dimension-order {ties:?}"),
                Box::new(algorithm),
                6,
                true,
                plain,
            );
        }
        let turn_models: [(&str, Box<dyn Algorithm>); 3] = [
            ("west-first", Box::new(WestFirst::default())),
            ("negative-first", Box::new(NegativeFirst::default())),
            ("odd-even", Box::new(OddEven::default())),
        ];
        for (name, model) in turn_models {
            let mut fitting = turnwise_routing::fitting(network.shape());
            if fitting.any(|fits| fits.entry.name == name) {
                add(&network, name.into(), model, 6, true, plain);
            }
        }
        for escape in [Escape::DimensionOrder, Escape::None] {
            let algorithm = MinimalAdaptive {
                escape,
                virtual_channels: Some(4),
            };
            add(
                &network,
                format!("minimal-adaptive {escape:?}"),
                Box::new(algorithm),
                6,
                true,
                plain,
            );
        }
        let bubble = Context {
            flow_control: FlowControl::Bubble,
            router_virtual_channels: Some(3),
            ..plain
        };
        add(
            &network,
            "dimension-order bubble".into(),
            Box::new(DimensionOrder::default()),
            6,
            true,
            bubble,
        );
        let oblivious: [(&str, Box<dyn Algorithm>, _, _); 3] = [
            ("valiant", Box::new(Valiant::default()), 12, false),
            ("romm", Box::new(Romm::default()), 6, true),
            (
                "minimal-oblivious",
                Box::new(MinimalOblivious::default()),
                6,
                true,
            ),
        ];
        for (name, algorithm, longest, minimal) in oblivious {
            add(&network, name.into(), algorithm, longest, minimal, plain);
        }
    }
    for network in angara_systems() {
        let algorithms: [(&str, Box<dyn Algorithm>); 5] = [
            ("angara-dor", Box::new(SourceRouted(AngaraDor::default()))),
            ("angara-bfs", Box::new(SourceRouted(AngaraBfs::default()))),
            ("angara-genetic", Box::new(SourceRouted(quick_genetic()))),
            ("angara-sssp", Box::new(SourceRouted(AngaraSssp::default()))),
            (
                "angara-balanced",
                Box::new(SourceRouted(AngaraBalanced::default())),
            ),
        ];
        for (name, algorithm) in algorithms {
            add(&network, name.into(), algorithm, 6, true, plain);
        }
    }
    for network in grids()
        .iter()
        .chain(&dragonflies())
        .chain(&megaflies())
        .chain(&trees())
        .chain(&slim_flies())
        .chain(&butterflies())
    {
        for ties in [PathTies::Balanced, PathTies::First, PathTies::Random] {
            let algorithm = ShortestPath {
                ties: Some(ties),
                ..ShortestPath::default()
            };
            add(
                network,
                format!("shortest-path {ties:?}"),
                Box::new(algorithm),
                6,
                true,
                plain,
            );
        }
    }
    for network in grids().iter().chain(&dragonflies()) {
        let algorithm = ShortestPath {
            metric: Metric::Latency,
            ..ShortestPath::default()
        };
        let name = "shortest-path latency".into();
        add(network, name, Box::new(algorithm), 6, true, plain);
    }
    for network in butterflies() {
        let name = "destination-tag".into();
        add(
            &network,
            name,
            Box::new(DestinationTag::default()),
            3,
            false,
            plain,
        );
    }
    for network in dragonflies() {
        add(
            &network,
            "minimal".into(),
            Box::new(Minimal::default()),
            3,
            false,
            plain,
        );
        for (via, longest) in [(Via::Router, 6), (Via::Group, 5)] {
            for intra_group in [IntraGroup::Minimal, IntraGroup::Valiant] {
                let algorithm = Valiant {
                    via: Some(via),
                    intra_group,
                    ..Valiant::default()
                };
                add(
                    &network,
                    format!("valiant {via:?} {intra_group:?}"),
                    Box::new(algorithm),
                    longest,
                    false,
                    plain,
                );
            }
        }
        for (classes, threshold_flits) in [
            (UgalClasses::Distance, 30),
            (UgalClasses::Distance, -40),
            (UgalClasses::Booksim, 0),
        ] {
            let algorithm = Ugal {
                classes,
                threshold_flits: Some(threshold_flits),
                ..Ugal::default()
            };
            let name = format!("ugal {classes:?} {threshold_flits}");
            add(&network, name, Box::new(algorithm), 6, false, plain);
        }
    }
    for network in megaflies() {
        add(
            &network,
            "minimal".into(),
            Box::new(Minimal::default()),
            3,
            true,
            plain,
        );
        for (via, gg_shortcut) in [(Via::Group, false), (Via::Group, true), (Via::Leaf, false)] {
            for intra_group in [IntraGroup::Minimal, IntraGroup::Valiant] {
                let algorithm = Valiant {
                    via: Some(via),
                    intra_group,
                    gg_shortcut,
                    ..Valiant::default()
                };
                let name = format!("valiant {via:?} {intra_group:?} {gg_shortcut}");
                add(&network, name, Box::new(algorithm), 6, false, plain);
            }
        }
    }
    for network in trees() {
        for variant in [Variant::M, Variant::W] {
            let algorithm = DModK {
                variant,
                ..DModK::default()
            };
            add(
                &network,
                format!("d-mod-k {variant:?}"),
                Box::new(algorithm),
                4,
                true,
                plain,
            );
            let algorithm = SModK {
                variant,
                ..SModK::default()
            };
            add(
                &network,
                format!("s-mod-k {variant:?}"),
                Box::new(algorithm),
                4,
                true,
                plain,
            );
        }
        for (name, algorithm) in [
            ("nca", Box::new(Nca::default()) as Box<dyn Algorithm>),
            ("anca", Box::new(Anca::default())),
        ] {
            add(&network, name.into(), algorithm, 4, true, plain);
        }
    }
    cases
}
