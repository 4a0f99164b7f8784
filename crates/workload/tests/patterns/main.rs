//! What every traffic pattern promises, held to it on small networks.

#![allow(clippy::unwrap_used, clippy::box_default)]

mod fixed;
mod groups;
mod parameters;
mod random;
mod together;
#[path = "../../../network/tests/common/written.rs"]
mod written;

use turnwise_network::random::{Purpose, Random};
use turnwise_network::topologies::{Dragonfly, Hypercube, Megafly, Topology, Torus};
use turnwise_network::{Faults, Network, TerminalId};
use turnwise_workload::{Context, Pattern, PatternParameters};

fn build(parameters: impl PatternParameters, network: &Network) -> Box<dyn Pattern> {
    parameters.build(network, &Context::default()).unwrap()
}

fn with_self(parameters: impl PatternParameters, network: &Network) -> Box<dyn Pattern> {
    parameters
        .build(
            network,
            &Context {
                send_to_self: true,
                seed: 0,
            },
        )
        .unwrap()
}

/// Where one packet of a terminal goes.
fn send(pattern: &dyn Pattern, source: u32) -> Option<u32> {
    let mut dice = Random::new(1, Purpose::Destination, source, 0);
    pattern
        .destination(TerminalId(source), &mut dice)
        .map(|destination| destination.0)
}

/// How often each terminal receives one of so many packets of a terminal.
fn counts(pattern: &dyn Pattern, network: &Network, source: u32, packets: u32) -> Vec<u32> {
    let mut counts = vec![0; network.terminal_count()];
    for packet in 0..packets {
        let mut dice = Random::new(1, Purpose::Destination, source, packet);
        if let Some(destination) = pattern.destination(TerminalId(source), &mut dice) {
            counts[destination.index()] += 1;
        }
    }
    counts
}

fn torus(sizes: &[u32]) -> Network {
    Torus {
        sizes: sizes.to_vec(),
        ..Torus::default()
    }
    .build(None)
    .unwrap()
}

fn hypercube(dimensions: u32) -> Network {
    Hypercube {
        dimensions,
        ..Hypercube::default()
    }
    .build(None)
    .unwrap()
}

/// 9 groups of 4 routers with 2 terminals each.
fn dragonfly() -> Network {
    Dragonfly::default().build(None).unwrap()
}

/// 5 groups of 2 leaves with 2 terminals each.
fn megafly() -> Network {
    Megafly::default().build(None).unwrap()
}

fn without_routers(network: &Network, routers: &[u32]) -> Network {
    network
        .without(&Faults {
            routers: routers.to_vec(),
            ..Faults::default()
        })
        .unwrap()
}

fn without_terminals(network: &Network, terminals: &[u32]) -> Network {
    network
        .without(&Faults {
            terminals: terminals.to_vec(),
            ..Faults::default()
        })
        .unwrap()
}
