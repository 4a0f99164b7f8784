//! Networks of links between any two routers, with as many terminals at every router.

use super::latency::ChannelLatency;
use crate::builder::NetworkBuilder;
use crate::ids::RouterId;
use crate::network::{ChannelClass, Network};
use crate::shape::Shape;
use turnwise_config::diagnostic::Invalid;

/// Ports are the terminals, then the neighbours in the order of the links.
pub(super) fn wire(
    description: String,
    (routers, terminals): (u32, u32),
    links: &[(u32, u32)],
    latency: &ChannelLatency,
) -> Result<Network, Invalid> {
    let terminals = terminals as usize;
    let mut ports = vec![terminals; routers as usize];
    for &(one, other) in links {
        ports[one as usize] += 1;
        ports[other as usize] += 1;
    }
    let mut builder = NetworkBuilder::new(description, Shape::Graph);
    for ports in ports {
        builder.router(ports, terminals);
    }
    let mut next_port = vec![terminals; routers as usize];
    let mut port = |router: u32| {
        let next = &mut next_port[router as usize];
        *next += 1;
        (RouterId(router), *next - 1)
    };
    for &(one, other) in links {
        builder.link(
            port(one),
            port(other),
            latency.of_local(1),
            ChannelClass::Local,
            ChannelClass::Local,
        );
    }
    builder.build(latency.of_terminal())
}
