//! Topologies, one file each; a new one is one file plus one line in [`REGISTRY`].
//!
//! A topology is its parameters as written in a study (`[network]`), and a [`Topology::build`]
//! that wires them. Faults are applied afterwards and are no topology's business.

mod anynet;
mod check;
#[cfg(test)]
#[path = "../../tests/contributing/mod.rs"]
mod contributing;
mod dragonfly;
mod edge_list;
mod graphml;
mod group_links;
mod hypercube;
mod hyperx;
mod infiniband;
mod k_ary_n_fly;
mod k_ary_n_tree;
mod latency;
mod megafly;
mod random_irregular;
mod random_regular;
mod simple_graph;
mod slim_fly;
mod topology_conf;
mod torus;
mod xgft;

pub use anynet::AnyNet;
pub use dragonfly::Dragonfly;
pub use edge_list::EdgeList;
pub use graphml::GraphMl;
pub use hypercube::Hypercube;
pub use hyperx::{FullMesh, HyperX};
pub use infiniband::InfiniBand;
pub use k_ary_n_fly::KAryNFly;
pub use k_ary_n_tree::KAryNTree;
pub(crate) use latency::LONGEST_LATENCY;
pub use latency::{ChannelLatency, Latency, PerDistance};
pub use megafly::Megafly;
pub use random_irregular::RandomIrregular;
pub use random_regular::RandomRegular;
pub use slim_fly::SlimFly;
pub use topology_conf::TopologyConf;
pub use torus::{Lattice, Mesh, Torus};
pub use xgft::Xgft;

use crate::builder::Size;
use crate::network::Network;
use turnwise_config::diagnostic::Invalid;
use turnwise_config::registry::{Entry, Family};

/// The parameters of a network, ready to be wired.
pub trait Topology: Send + Sync {
    /// How large the network would be, without building it; saturating, never panicking.
    fn size(&self) -> Size;

    /// The file whose text `build` needs, if the network is read from one.
    fn file(&self) -> Option<&str> {
        None
    }

    /// Wires the network. `text` is the content of [`file`](Self::file).
    ///
    /// # Errors
    /// Parameters that make no sense together, named by field.
    fn build(&self, text: Option<&str>) -> Result<Network, Invalid>;
}

/// Every topology, in the order `turnwise list networks` prints them.
pub const REGISTRY: &[Entry<dyn Topology>] = &[
    torus::TORUS,
    torus::MESH,
    hypercube::HYPERCUBE,
    hyperx::FULL_MESH,
    hyperx::HYPERX,
    dragonfly::DRAGONFLY,
    megafly::MEGAFLY,
    k_ary_n_tree::K_ARY_N_TREE,
    xgft::XGFT,
    slim_fly::SLIM_FLY,
    k_ary_n_fly::K_ARY_N_FLY,
    random_regular::RANDOM_REGULAR,
    random_irregular::RANDOM_IRREGULAR,
    edge_list::EDGE_LIST,
    graphml::GRAPHML,
    anynet::ANYNET,
    infiniband::IBNETDISCOVER,
    infiniband::IBSIM,
    topology_conf::TOPOLOGY_CONF,
];

impl Family for dyn Topology {
    const SHARED: &'static [&'static str] = &["kind", "faults", "channel_interval"];
}
