//! Topologies, one file each; a new one is one file plus one line in [`REGISTRY`].
//!
//! A topology is its parameters as written in a study (`[network]`), and a [`Topology::build`]
//! that wires them. Faults are applied afterwards and are no topology's business.

mod latency;
mod torus;

pub use latency::{ChannelLatency, Latency};
pub use torus::{Mesh, Torus};

use crate::builder::Size;
use crate::diagnostic::Invalid;
use crate::network::Network;
use crate::registry::{Entry, Family};

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
];

impl Family for dyn Topology {
    const SHARED: &'static [&'static str] = &["kind", "faults"];
}
