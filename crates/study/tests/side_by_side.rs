//! Links side by side: two switches with nine cables between them, tori and trees with several for each link.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use proptest::prelude::*;
use std::fmt::Write;
use std::sync::Arc;
use turnwise_network::topologies::{
    EdgeList, HyperX, Hypercube, KAryNTree, Megafly, Topology, Torus, Xgft,
};
use turnwise_network::{Network, RouterId};
use turnwise_routing::algorithms::{Dfsssp, MinHop, Nue, Sssp, Torus2Qos, Turnwise};
use turnwise_routing::{Algorithm, Context};
use turnwise_verify::{Analysis, analyse, lower_bound};

fn found(algorithm: &dyn Algorithm, network: &Arc<Network>) -> Analysis {
    let routing = algorithm.build(network, &Context::default()).unwrap();
    let found = analyse(network, &*routing, turnwise_network::FlowControl::Wormhole);
    assert!(found.verdict.is_deadlock_free());
    assert_eq!(found.quality.routable_pairs, found.quality.pairs);
    found
}

fn listed(text: &str) -> Arc<Network> {
    let listed = EdgeList {
        file: "links.txt".into(),
        terminals_per_router: 1,
        channel_latency: Default::default(),
    };
    Arc::new(listed.build(Some(text)).unwrap())
}

/// A network with so many links for each of its own, and as many times its terminals if `fuller`, of which only the wiring is known.
fn with_copies(network: &Network, copies: u32, fuller: bool) -> Arc<Network> {
    let mut text = format!("routers {}\n", network.router_count());
    for router in network.routers() {
        let terminals = network.terminals_of(router).count() as u32;
        let terminals = if fuller {
            terminals * copies
        } else {
            terminals
        };
        writeln!(text, "terminals {} {terminals}", router.0).unwrap();
        for next in network.neighbours(router) {
            if next.router > router {
                for _ in 0..copies {
                    writeln!(text, "{} {}", router.0, next.router.0).unwrap();
                }
            }
        }
    }
    listed(&text)
}

fn torus(sizes: &[u32], terminals_per_router: u32) -> Box<dyn Topology> {
    Box::new(Torus {
        sizes: sizes.to_vec(),
        terminals_per_router,
        ..Torus::default()
    })
}

fn structures() -> Vec<Box<dyn Topology>> {
    let hyperx = |sizes: &[u32], terminals_per_router| HyperX {
        sizes: sizes.to_vec(),
        terminals_per_router,
        channel_latency: Default::default(),
    };
    vec![
        torus(&[4, 4], 2),
        torus(&[4, 4, 4], 1),
        torus(&[6, 4], 2),
        Box::new(Hypercube {
            dimensions: 4,
            terminals_per_router: 2,
            ..Hypercube::default()
        }),
        Box::new(hyperx(&[2], 6)),
        Box::new(hyperx(&[4], 3)),
        Box::new(hyperx(&[4, 4], 2)),
        Box::new(KAryNTree {
            arity: 4,
            levels: 2,
            ..KAryNTree::default()
        }),
        Box::new(KAryNTree {
            arity: 3,
            levels: 3,
            ..KAryNTree::default()
        }),
        Box::new(Xgft {
            m: vec![6, 8],
            w: vec![1, 3],
            ..Xgft::default()
        }),
        Box::new(Megafly {
            half_radix: 2,
            groups: 5,
            ..Megafly::default()
        }),
    ]
}

/// Twice the links and the terminals are twice as much for each channel at most, and twice the links for the same terminals half as much.
#[test]
fn structures_carry_as_little_with_links_side_by_side() {
    for (number, topology) in structures().into_iter().enumerate() {
        let network = topology.build(None).unwrap();
        let single = found(&Turnwise::default(), &with_copies(&network, 1, false));
        let most = single.quality.edge_forwarding_index;
        for copies in [2, 3] {
            for fuller in [true, false] {
                let network = with_copies(&network, copies, fuller);
                let found = found(&Turnwise::default(), &network);
                let bound = lower_bound(&network).value();
                let first = network.terminals_of(RouterId(0)).count() as f64;
                // A cable takes all that one switch sends to a terminal, which is much of what there is if there are few.
                let most = match fuller {
                    true => (most * f64::from(copies)).max(1.05 * bound),
                    false => 1.5 * most / f64::from(copies) + first,
                };
                let index = found.quality.edge_forwarding_index;
                let name = format!("{number}: {copies} copies, {fuller}");
                assert!(index <= most, "{name}: {index}, {most}");
                assert!(found.quality.virtual_channels_used <= 8, "{name}");
            }
        }
    }
}

/// Where routes by destination choose among links, none is left out.
#[test]
fn two_switches_use_all_cables_between_them() {
    let mut text = "routers 2\nterminals_per_router 18\n".to_owned();
    text.push_str(&"0 1\n".repeat(9));
    let network = listed(&text);
    let nue = Nue::default();
    let all: [&dyn Algorithm; 5] = [
        &Turnwise::default(),
        &MinHop::default(),
        &Sssp::default(),
        &Dfsssp::default(),
        &nue,
    ];
    for algorithm in all {
        assert_eq!(
            found(algorithm, &network).quality.edge_forwarding_index,
            36.0
        );
    }
}

/// With a lane or two tori are cut into meshes, and `torus-2qos` knows one link in each direction.
#[test]
fn steps_of_tori_use_all_links() {
    let few = |lanes| Turnwise {
        virtual_lanes: Some(lanes),
        ..Turnwise::default()
    };
    let (one, two) = (few(1), few(2));
    let all: [&dyn Algorithm; 3] = [&one, &two, &Torus2Qos::default()];
    for (number, algorithm) in all.into_iter().enumerate() {
        let network = torus(&[5, 5], 4).build(None).unwrap();
        let [one, two] = [1, 2].map(|copies| {
            let found = found(algorithm, &with_copies(&network, copies, false));
            found.quality.edge_forwarding_index
        });
        assert!(two <= 0.6 * one, "{number}: {one}, {two}");
    }
}

proptest! {
    /// Trees whose leaves have more ports upwards than terminals, or fewer, and several cables to each spine.
    #[test]
    fn trees_of_two_levels_are_nearly_even(
        leaves in 2u32..9,
        terminals in 1u32..9,
        spines in 1u32..5,
        cables in 1u32..4,
    ) {
        let mut text = format!("routers {}\n", leaves + spines);
        for leaf in 0..leaves {
            writeln!(text, "terminals {leaf} {terminals}").unwrap();
            for spine in leaves..leaves + spines {
                text.push_str(&format!("{leaf} {spine}\n").repeat(cables as usize));
            }
        }
        for spine in leaves..leaves + spines {
            writeln!(text, "terminals {spine} 0").unwrap();
        }
        let network = listed(&text);
        let index = found(&Turnwise::default(), &network).quality.edge_forwarding_index;
        // Routes of all terminals of a leaf to one go together, and all that a spine sends to one.
        let routes = terminals * (leaves - 1);
        let least = match spines {
            1 => routes * terminals.div_ceil(cables),
            _ => {
                let down = spines * cables.min(terminals);
                let up = terminals * routes.div_ceil(spines * cables);
                up.max((routes * terminals).div_ceil(down))
            }
        };
        let most = f64::from(least + terminals).max(1.05 * f64::from(least));
        prop_assert!(index <= most, "{index}, {most}");
    }
}
