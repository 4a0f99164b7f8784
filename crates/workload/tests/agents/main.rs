//! What every workload promises, held to it on a network where nothing but the workload can go wrong.

#![allow(clippy::unwrap_used)]

mod barriers;
mod collectives;
mod exchanges;
mod journals;
mod mock;
#[path = "../../../application/tests/common/paths.rs"]
mod paths;
mod placements;
mod programs;
mod registered;
mod requests;
mod sharing;
#[path = "../../../network/tests/common/written.rs"]
mod written;

use mock::{Outcome, run};
use turnwise_config::registry::parse;
use turnwise_network::topologies::{Dragonfly, FullMesh, Topology, Torus};
use turnwise_network::{Faults, Network};
use turnwise_workload::{WORKLOADS, WorkloadParameters};
use written::read;

/// Longer than any of these runs takes.
const LIMIT: u64 = 1_000_000;

fn torus(sizes: &[u32]) -> Network {
    let sizes = sizes.to_vec();
    let torus = Torus {
        sizes,
        ..Torus::default()
    };
    torus.build(None).unwrap()
}

/// So many terminals, at a router each.
fn line_up(terminals: u32) -> Network {
    torus(&[terminals])
}

fn damaged() -> Network {
    let faults = Faults {
        routers: vec![0, 5, 17],
        terminals: vec![40, 41, 43],
        ..Faults::default()
    };
    let dragonfly = Dragonfly::default().build(None).unwrap();
    dragonfly.without(&faults).unwrap()
}

/// Healthy, damaged, and as small as can be.
fn networks() -> Vec<Network> {
    let full = FullMesh::default().build(None).unwrap();
    vec![
        torus(&[4, 4]),
        full,
        damaged(),
        line_up(3),
        line_up(2),
        line_up(1),
    ]
}

fn parameters(written: &str) -> Box<dyn WorkloadParameters> {
    let mut errors = Vec::new();
    let parameters = parse(WORKLOADS, &read(written), "kind", &mut errors);
    parameters.unwrap_or_else(|| panic!("{written}: {errors:?}"))
}

fn simulate(network: &Network, written: &str) -> Outcome {
    let workload = parameters(written).build(network, 3, &[]).unwrap();
    run(network, &*workload, LIMIT, 0)
}
