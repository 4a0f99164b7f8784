//! Networks to try things on.

use std::collections::BTreeSet;
use turnwise_config::units::Cycles;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::topologies::{ChannelLatency, Latency, Mesh, Topology, Torus};
use turnwise_network::{
    ChannelClass, ChannelInterval, Network, NetworkBuilder, PerClass, RouterId, Shape,
};

/// Of channels between routers (three times as long between groups) and to terminals.
pub(crate) fn latencies(channels: u32, terminals: u32) -> ChannelLatency {
    let fixed = |cycles: u32| Latency::Fixed(Cycles(cycles));
    ChannelLatency {
        terminal: fixed(terminals),
        local: fixed(channels),
        global: fixed(3 * channels),
        ..ChannelLatency::default()
    }
}

/// The same network with channels that a flit occupies for so many cycles.
pub(crate) fn slowed(network: Network, intervals: PerClass<u32>) -> Network {
    let intervals = ChannelInterval(intervals.map(|cycles| Some(Cycles(cycles))));
    network.with_intervals(&intervals).unwrap()
}

/// A torus with one terminal a router and the given latency of its router-to-router channels.
pub(crate) fn torus(sizes: &[u32], latency: u32) -> Network {
    torus_with(sizes, 1, latency, 1)
}

/// A torus with some terminals a router and the latencies of channels between routers and to terminals.
pub(crate) fn torus_with(
    sizes: &[u32],
    terminals: u32,
    latency: u32,
    terminal_latency: u32,
) -> Network {
    let channel_latency = latencies(latency, terminal_latency);
    let torus = Torus {
        sizes: sizes.to_vec(),
        terminals_per_router: terminals,
        channel_latency,
    };
    torus.build(None).unwrap()
}

/// The same as a mesh.
pub(crate) fn mesh(sizes: &[u32], terminals: u32, latency: u32, terminal_latency: u32) -> Network {
    let channel_latency = latencies(latency, terminal_latency);
    let mesh = Mesh {
        sizes: sizes.to_vec(),
        terminals_per_router: terminals,
        channel_latency,
    };
    mesh.build(None).unwrap()
}

/// One router and its terminals.
pub(crate) fn single_router(terminals: usize, terminal_latency: u32) -> Network {
    let mut builder = NetworkBuilder::new("a router", Shape::Graph);
    builder.router(terminals, terminals);
    builder.build(terminal_latency).unwrap()
}

/// A random connected graph: a random tree and `chords` more links at most, which are called global, with latencies of 1 to `longest`.
pub(crate) fn graph(
    routers: u32,
    chords: u32,
    terminals: u32,
    longest: u32,
    terminal_latency: u32,
    seed: u64,
) -> Network {
    let mut rng = Random::new(seed, Purpose::Topology, 0, 0);
    let mut links: BTreeSet<(u32, u32)> = (1..routers)
        .map(|router| (rng.below(router), router))
        .collect();
    let tree = links.clone();
    for _ in 0..chords {
        let (a, b) = (rng.below(routers), rng.below(routers));
        if a != b {
            links.insert((a.min(b), a.max(b)));
        }
    }
    let mut degree = vec![0; routers as usize];
    for &(a, b) in &links {
        degree[a as usize] += 1;
        degree[b as usize] += 1;
    }
    let mut builder = NetworkBuilder::new("a graph", Shape::Graph);
    for degree in &degree {
        builder.router(terminals as usize + degree, terminals as usize);
    }
    let mut next = vec![terminals as usize; routers as usize];
    let mut port = |router: u32| {
        next[router as usize] += 1;
        (RouterId(router), next[router as usize] - 1)
    };
    for &(a, b) in &links {
        let latency = 1 + rng.below(longest);
        let class = match tree.contains(&(a, b)) {
            true => ChannelClass::Local,
            false => ChannelClass::Global,
        };
        builder.link(port(a), port(b), latency, class, class);
    }
    builder.build(terminal_latency).unwrap()
}
