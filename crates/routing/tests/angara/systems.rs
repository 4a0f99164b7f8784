//! Systems to try things on.

use std::sync::Arc;
use turnwise_network::topologies::{Topology, Torus};
use turnwise_network::{Faults, Network, Shape};
use turnwise_routing::angara::{Directions, Rules, System, TurnRule, Turns};

pub(crate) fn torus(sizes: &[u32]) -> Arc<Network> {
    let torus = Torus {
        sizes: sizes.to_vec(),
        ..Torus::default()
    };
    Arc::new(torus.build(None).unwrap())
}

/// A torus with dead links between routers and dead routers.
pub(crate) fn broken(sizes: &[u32], links: &[(u32, u32)], routers: &[u32]) -> Arc<Network> {
    let faults = Faults {
        links: links.iter().map(|&(a, b)| [a, b]).collect(),
        routers: routers.to_vec(),
        ..Faults::default()
    };
    Arc::new(torus(sizes).without(&faults).unwrap())
}

pub(crate) fn system(network: &Network) -> System {
    let Shape::Grid(grid) = network.shape() else {
        panic!("a torus is a grid");
    };
    System::new(network, grid, Directions::positive_first(grid.sizes.len()))
}

pub(crate) fn rules(network: &Network, rule: TurnRule) -> Rules {
    let system = system(network);
    let turns = Turns::new(&system, rule);
    Rules::new(system, turns, true, true)
}

/// All ordered tuples over 2..8 with at most 447 nodes: the systems of the paper's Figure 5.
pub(crate) fn published_set(dimensions: u32) -> Vec<Vec<u32>> {
    let all = 0..7u32.pow(dimensions);
    let sizes = all.map(|index| {
        (0..dimensions)
            .rev()
            .map(|d| 2 + index / 7u32.pow(d) % 7)
            .collect()
    });
    sizes
        .filter(|sizes: &Vec<u32>| sizes.iter().product::<u32>() <= 447)
        .collect()
}
