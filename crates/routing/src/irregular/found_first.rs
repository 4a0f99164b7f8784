//! Shortest routes as BookSim2's `anynet` finds them: each router searches from itself, and keeps what it finds first.
//!
//! Routers are taken up in the order of their distances, and of their numbers where these are equal; another one is reached over that
//! neighbour which was taken up first. Every router only uses the first hop of its own search.
//!
//! Source: BookSim2, `AnyNet::route` in `src/networks/anynet.cpp`.
//!
//! Complexity: O(routers x channels x log routers), two bytes for each pair of routers.

use super::search::FAR;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use turnwise_network::{Network, Port, RouterId};

/// No route.
const NONE: Port = Port::MAX;

/// The first hop from every router to every other one.
pub(crate) struct FoundFirst {
    /// By router, then by destination router; the highest number means no route.
    ports: Vec<Port>,
    routers: usize,
}

impl FoundFirst {
    /// The quickest routes.
    pub(crate) fn new(network: &Network) -> Self {
        let routers = network.router_count();
        let mut ports = vec![NONE; routers * routers];
        let mut distance = vec![FAR; routers];
        for (source, ports) in network
            .routers()
            .zip(ports.chunks_exact_mut(routers.max(1)))
        {
            distance.fill(FAR);
            distance[source.index()] = 0;
            let mut near = BinaryHeap::from([Reverse((0, source))]);
            while let Some(Reverse((far, router))) = near.pop() {
                if far > distance[router.index()] {
                    continue;
                }
                for next in network.neighbours(router) {
                    let further = far + u64::from(network.channel(next.channel).latency);
                    if further < distance[next.router.index()] {
                        distance[next.router.index()] = further;
                        near.push(Reverse((further, next.router)));
                        ports[next.router.index()] = match router == source {
                            true => next.port,
                            false => ports[router.index()],
                        };
                    }
                }
            }
        }
        Self { ports, routers }
    }

    /// Writes the port of every router to a destination.
    pub(crate) fn routes(&self, destination: RouterId, ports: &mut [Option<Port>]) {
        for (router, port) in ports.iter_mut().enumerate() {
            let found = self.ports[router * self.routers + destination.index()];
            *port = (found != NONE).then_some(found);
        }
    }
}
