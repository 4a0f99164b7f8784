//! Networks the tests run on.

use turnwise_network::random::{Purpose, Random};
use turnwise_network::topologies::{self, ChannelLatency, Topology};
use turnwise_network::{ChannelClass, Network, NetworkBuilder, RouterId, Shape};

pub(crate) fn torus(sizes: &[u32], terminals_per_router: u32) -> Network {
    let channel_latency = ChannelLatency::default();
    topologies::Torus {
        sizes: sizes.to_vec(),
        terminals_per_router,
        channel_latency,
    }
    .build(None)
    .unwrap()
}

pub(crate) fn mesh(sizes: &[u32]) -> Network {
    let channel_latency = ChannelLatency::default();
    topologies::Mesh {
        sizes: sizes.to_vec(),
        terminals_per_router: 1,
        channel_latency,
    }
    .build(None)
    .unwrap()
}

/// Routers joined by links in both directions, with some terminals each.
pub(crate) fn graph(terminals: &[usize], links: &[(u32, u32)]) -> Network {
    graph_of_speeds(terminals, links, &[1])
}

/// The same, whose links are occupied by a flit for so many cycles, by turns.
pub(crate) fn graph_of_speeds(
    terminals: &[usize],
    links: &[(u32, u32)],
    intervals: &[u32],
) -> Network {
    let mut builder = NetworkBuilder::new("graph", Shape::Graph);
    let mut ports = terminals.to_vec();
    for &(a, b) in links {
        ports[a as usize] += 1;
        ports[b as usize] += 1;
    }
    for (&ports, &terminals) in ports.iter().zip(terminals) {
        builder.router(ports, terminals);
    }
    let mut next = terminals.to_vec();
    let mut port = |router: u32| {
        next[router as usize] += 1;
        (RouterId(router), next[router as usize] - 1)
    };
    for (&(a, b), &interval) in links.iter().zip(intervals.iter().cycle()) {
        builder.interval(interval);
        builder.link(
            port(a),
            port(b),
            1,
            ChannelClass::Local,
            ChannelClass::Local,
        );
    }
    builder.build(1).unwrap()
}

/// A connected graph of 3 to 9 routers with 0 to 2 terminals each, grown from a tree or a
/// ring; parallel links included. Of some not all links are as fast.
pub(crate) fn random_graph(rng: &mut Random) -> Network {
    let routers = 3 + rng.below(7);
    let mut terminals: Vec<usize> = (0..routers).map(|_| rng.below(4).min(2) as usize).collect();
    terminals[0] = 1;
    terminals[1] = 2;
    let ring = rng.below(2) == 0;
    let before = |router, rng: &mut Random| if ring { router - 1 } else { rng.below(router) };
    let mut links: Vec<(u32, u32)> = (1..routers)
        .map(|router| (before(router, rng), router))
        .collect();
    if ring {
        links.push((routers - 1, 0));
    }
    for _ in 0..rng.below(2 * routers) {
        let (a, b) = (rng.below(routers), rng.below(routers));
        if a != b {
            links.push((a, b));
        }
    }
    let speeds: &[&[u32]] = &[&[1], &[1], &[3], &[1, 2, 5], &[2, 2, 3], &[4, 6, 6, 7, 9]];
    let intervals = speeds[rng.below(speeds.len() as u32) as usize];
    graph_of_speeds(&terminals, &links, intervals)
}

pub(crate) fn rng(seed: u64) -> Random {
    Random::new(seed, Purpose::Other, 0, 0)
}
