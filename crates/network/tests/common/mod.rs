//! Networks for many tests.

pub(crate) mod examples;
pub(crate) mod fabric;
pub(crate) mod parameters;
pub(crate) mod promises;
pub(crate) mod written;

use std::sync::Arc;
use turnwise_network::Network;
use turnwise_network::topologies::{AnyNet, EdgeList, GraphMl, InfiniBand, TopologyConf};

/// The examples of every topology that have something to lose, and whose links go both ways.
pub(crate) fn zoo() -> Vec<Arc<Network>> {
    let networks = examples::examples()
        .into_iter()
        .map(|example| example.network);
    networks
        .filter(|network| {
            let large = network.router_count() >= 6 && network.terminal_count() >= 4;
            large
                && network
                    .channels()
                    .all(|(id, _)| network.reverse(id).is_some())
        })
        .collect()
}

pub(crate) fn edge_list() -> EdgeList {
    EdgeList {
        file: "links.txt".into(),
        terminals_per_router: 1,
        channel_latency: Default::default(),
    }
}

pub(crate) fn graphml() -> GraphMl {
    GraphMl {
        file: "net.graphml".into(),
        terminals_per_router: 1,
        channel_latency: Default::default(),
    }
}

pub(crate) fn anynet() -> AnyNet {
    AnyNet {
        file: "net.anynet".into(),
    }
}

pub(crate) fn topology_conf() -> TopologyConf {
    TopologyConf {
        file: "topology.conf".into(),
        channel_latency: Default::default(),
    }
}

pub(crate) fn infiniband() -> InfiniBand {
    InfiniBand {
        file: "fabric.net".into(),
        channel_latency: Default::default(),
    }
}
