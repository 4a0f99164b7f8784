//! Fabrics as their tools list them.

use turnwise_network::Network;
use turnwise_network::topologies::{InfiniBand, Topology};

/// Of a topology file's text.
pub(crate) fn fabric(text: &str) -> Network {
    let topology = InfiniBand {
        file: "fabric.net".into(),
        channel_latency: Default::default(),
    };
    topology.build(Some(text)).unwrap()
}
