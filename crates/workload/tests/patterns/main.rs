//! What every traffic pattern promises, held to it on small networks.

#![allow(clippy::unwrap_used, clippy::box_default)]

mod fixed;
mod groups;
mod parameters;
mod random;
mod switching;
mod together;
#[path = "../../../network/tests/common/written.rs"]
mod written;

use turnwise_config::registry::{Entry, parse};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::topologies::{Dragonfly, Hypercube, Megafly, Topology, Torus};
use turnwise_network::{Faults, Network, TerminalId};
use turnwise_workload::{Context, Pattern, PatternParameters, REGISTRY};
use written::read;

/// For the patterns that are read from a file.
const MATRIX: &str = "source,destination,weight\n0,3,1\n0,7,2\n3,0,1\n5,1,1\n6,2,4\n7,5,2\n";

/// What an entry makes of an example; `None` if that is empty and something has to be said.
fn parameters(
    entry: &Entry<dyn PatternParameters>,
    example: &str,
) -> Option<Box<dyn PatternParameters>> {
    let written = format!("pattern = \"{}\"\n{example}", entry.name);
    let parameters = parse(REGISTRY, &read(&written), "pattern", &mut Vec::new());
    assert!(
        parameters.is_some() || example.is_empty() && !entry.example.is_empty(),
        "the example of an entry is not read: {written}"
    );
    parameters
}

fn build(parameters: impl PatternParameters, network: &Network) -> Box<dyn Pattern> {
    parameters.build(network, &Context::default()).unwrap()
}

fn with_self(parameters: impl PatternParameters, network: &Network) -> Box<dyn Pattern> {
    parameters
        .build(
            network,
            &Context {
                send_to_self: true,
                ..Context::default()
            },
        )
        .unwrap()
}

/// Where one packet of a terminal goes.
fn send(pattern: &dyn Pattern, source: u32) -> Option<u32> {
    let mut rng = Random::new(1, Purpose::Injection, source, 0);
    pattern
        .destination(TerminalId(source), &mut rng)
        .map(|destination| destination.0)
}

/// How often each terminal receives one of so many packets of a terminal.
fn counts(pattern: &dyn Pattern, network: &Network, source: u32, packets: u32) -> Vec<u32> {
    let mut counts = vec![0; network.terminal_count()];
    for packet in 0..packets {
        let mut rng = Random::new(1, Purpose::Injection, source, packet);
        if let Some(destination) = pattern.destination(TerminalId(source), &mut rng) {
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
