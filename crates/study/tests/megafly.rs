//! Adaptive routing of megaflies: proofs with two virtual channels, cycles with one, and where it saturates.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

mod stack;

use std::sync::Arc;
use turnwise_network::shape::Wiring;
use turnwise_network::topologies::{Megafly, Topology};
use turnwise_network::{Faults, FlowControl, Network};
use turnwise_routing::algorithms::{Fpar, Kapr, KuGcn, Par, ParSst, Piggyback, Ugal, UgalG};
use turnwise_routing::{Algorithm, Context};
use turnwise_verify::{Verdict, analyse};

/// Every adaptive algorithm with its virtual channels, with and without shortcuts.
fn algorithms(virtual_channels: Option<u8>) -> Vec<Box<dyn Algorithm>> {
    let mut all: Vec<Box<dyn Algorithm>> = vec![
        Box::new(ParSst {
            virtual_channels,
            ..ParSst::default()
        }),
        Box::new(Fpar {
            virtual_channels,
            ..Fpar::default()
        }),
        Box::new(KuGcn {
            virtual_channels,
            ..KuGcn::default()
        }),
    ];
    for gg_shortcut in [false, true] {
        all.push(Box::new(Ugal {
            gg_shortcut,
            virtual_channels,
            ..Ugal::default()
        }));
        all.push(Box::new(UgalG {
            gg_shortcut,
            virtual_channels,
            ..UgalG::default()
        }));
        all.push(Box::new(Par {
            gg_shortcut,
            virtual_channels,
            ..Par::default()
        }));
        all.push(Box::new(Piggyback {
            gg_shortcut,
            virtual_channels,
            ..Piggyback::default()
        }));
        for progressive in [false, true] {
            all.push(Box::new(Kapr {
                progressive,
                gg_shortcut,
                virtual_channels,
                ..Kapr::default()
            }));
        }
    }
    all
}

fn verdict(algorithm: &dyn Algorithm, network: &Arc<Network>) -> (Verdict, bool) {
    let routing = algorithm.build(network, &Context::default()).unwrap();
    let analysis = analyse(network, &*routing, FlowControl::Wormhole);
    let sound = analysis.is_sound();
    (analysis.verdict, sound)
}

fn megafly(half_radix: u32, groups: u32, wiring: Wiring) -> Megafly {
    Megafly {
        half_radix,
        groups,
        wiring,
        ..Megafly::default()
    }
}

#[test]
fn two_virtual_channels_suffice_on_every_wiring() {
    use Wiring::{Absolute, Alltoall, Circulant, Random, Relative};
    for (half_radix, groups, wiring) in [
        (2, 5, Absolute),
        (2, 5, Relative),
        (2, 5, Circulant),
        (2, 3, Alltoall),
        (2, 5, Random),
        (3, 4, Absolute),
    ] {
        let network = megafly(half_radix, groups, wiring).build(None).unwrap();
        let network = Arc::new(network);
        let damaged = Arc::new(
            network
                .without(&dead_links_and_a_dead_spine(&network))
                .unwrap(),
        );
        for algorithm in algorithms(Some(2)) {
            assert!(verdict(&*algorithm, &network).1, "{wiring:?}");
            let (verdict, _) = verdict(&*algorithm, &damaged);
            assert!(verdict.is_deadlock_free(), "{wiring:?}");
        }
    }
}

/// A twentieth of the links between groups, at least one, and the last spine.
fn dead_links_and_a_dead_spine(network: &Network) -> Faults {
    let group = |router| network.shape().group(router);
    let links: Vec<[u32; 2]> = network
        .routers()
        .flat_map(|from| network.neighbours(from).map(move |to| (from, to.router)))
        .filter(|&(from, to)| from < to && group(from) != group(to))
        .map(|(from, to)| [from.0, to.0])
        .collect();
    let mut dead: Vec<_> = links.iter().copied().step_by(20).collect();
    dead.dedup();
    let last = network.router_count() as u32 - 1;
    dead.retain(|link| !link.contains(&last));
    Faults {
        links: dead,
        routers: vec![last],
        ..Faults::default()
    }
}

#[test]
fn one_virtual_channel_is_too_few() {
    let network = Arc::new(megafly(2, 5, Wiring::Absolute).build(None).unwrap());
    for algorithm in algorithms(Some(1)) {
        let (verdict, _) = verdict(&*algorithm, &network);
        assert!(matches!(verdict, Verdict::Cyclic(_)));
    }
}
