//! InfiniBand fabrics: what their tools list, and the network that makes.

mod fabric;
mod net_file;

pub use fabric::{Cable, Fabric, Node, NodeKind};
pub use net_file::read;
