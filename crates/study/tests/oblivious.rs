//! Oblivious routings of grids against what theory says of their loads and of their throughput.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack;

use std::sync::Arc;
use turnwise_network::topologies::{HyperX, Hypercube, Mesh, Topology, Torus};
use turnwise_network::{FlowControl, Network};
use turnwise_routing::algorithms::{DimensionOrder, MinimalOblivious, Romm, Valiant};
use turnwise_routing::{Algorithm, Context};
use turnwise_verify::{Quality, Verdict, analyse};

fn networks() -> Vec<Arc<Network>> {
    let torus = |sizes: &[u32]| {
        let sizes = sizes.to_vec();
        let torus = Torus {
            sizes,
            ..Torus::default()
        };
        torus.build(None)
    };
    let mesh = Mesh {
        sizes: vec![4, 3],
        terminals_per_router: 1,
        channel_latency: Default::default(),
    };
    let hypercube = Hypercube {
        dimensions: 4,
        ..Hypercube::default()
    };
    let hyperx = HyperX {
        sizes: vec![4, 3],
        ..HyperX::default()
    };
    let networks = [
        torus(&[5, 5]),
        torus(&[4, 4]),
        torus(&[6, 3]),
        torus(&[5, 2, 3]),
        mesh.build(None),
        hypercube.build(None),
        hyperx.build(None),
    ];
    networks.map(|network| Arc::new(network.unwrap())).into()
}

/// The quality of a routing that is proved free of deadlock and loses nobody.
fn quality(algorithm: &dyn Algorithm, network: &Arc<Network>) -> Quality {
    let routing = algorithm.build(network, &Context::default()).unwrap();
    let analysis = analyse(network, &*routing, FlowControl::Wormhole);
    assert!(analysis.is_sound(), "{}", network.description());
    analysis.quality
}

/// From each source every router is intermediate equally often, and from there every destination comes
/// equally often: of N terminals that send to N - 1 others, both phases make uniform traffic of (N - 1) / N
/// packets for each pair, so every channel carries 2 (N - 1) / N times what it carries under dimension order.
#[test]
fn valiant_loads_channels_as_uniform_traffic_twice() {
    for network in networks() {
        let uniform = quality(&DimensionOrder::default(), &network);
        let valiant = quality(&Valiant::default(), &network);
        let n = network.terminal_count() as f64;
        for (twice, once) in valiant.loads.iter().zip(&uniform.loads) {
            let expected = once * 2.0 * (n - 1.0) / n;
            assert!(
                (twice - expected).abs() < 1e-9 * n,
                "{twice} instead of {expected} on {}",
                network.description()
            );
        }
    }
}

#[test]
fn minimal_ones_take_shortest_routes() {
    for network in networks() {
        let shortest = quality(&DimensionOrder::default(), &network);
        for algorithm in [
            &Romm::default() as &dyn Algorithm,
            &MinimalOblivious::default(),
        ] {
            let found = quality(algorithm, &network);
            assert!((found.mean_hops - shortest.mean_hops).abs() < 1e-9);
            assert_eq!(found.diameter, shortest.diameter);
            let total = |quality: &Quality| quality.loads.iter().sum::<f64>();
            assert!((total(&found) - total(&shortest)).abs() < 1e-6);
        }
    }
}

/// With one virtual channel less than two phases of datelines need, there is a cycle.
#[test]
fn three_virtual_channels_are_too_few_on_rings() {
    let torus = Torus {
        sizes: vec![5, 5],
        ..Torus::default()
    };
    let network = Arc::new(torus.build(None).unwrap());
    let virtual_channels = Some(3);
    for algorithm in [
        &Romm { virtual_channels } as &dyn Algorithm,
        &MinimalOblivious { virtual_channels },
        &Valiant {
            virtual_channels,
            ..Valiant::default()
        },
    ] {
        let routing = algorithm.build(&network, &Context::default()).unwrap();
        let verdict = analyse(&network, &*routing, FlowControl::Wormhole).verdict;
        assert!(matches!(verdict, Verdict::Cyclic(_)));
    }
}

/// Tornado on an 8x8 torus: all packets go three hops the same way round, so dimension order stops at
/// 1/3. Valiant's detours use both ways, and bring it up to 1/2 at most (twice the uniform load of 1): 0.44
/// is carried whole.
#[test]
fn valiant_carries_more_of_a_tornado_than_any_minimal_routing() {
    let accepted = |routing: &str| {
        let rows = stack::rows(&format!(
            "[network]\nkind = 'torus'\nsizes = [8, 8]\n[routing]\nkind = '{routing}'\n\
             [router]\nvirtual_channels = 8\nrouting_delay = 0\ninternal_speedup = 2.0\n\
             [traffic]\npattern = 'tornado'\nload = 0.44\n\
             [simulation]\nwarmup_cycles = 1000\nmeasure_cycles = 2000\ndrain = false"
        ));
        stack::figure(&rows[0], "accepted_load")
    };
    for routing in ["dimension-order", "romm", "minimal-oblivious"] {
        let load = accepted(routing);
        assert!(load < 1.0 / 3.0 + 0.005, "{routing}: {load}");
    }
    let load = accepted("valiant");
    assert!((load - 0.44).abs() < 0.01, "valiant: {load}");
}
