//! InfiniBand fabrics: what their tools list, the network that makes, and how its switches are programmed.

mod ends;
mod fabric;
pub mod levels;
pub mod lft;
mod lft_writer;
mod line;
mod net_file;
mod net_writer;
pub mod policy;
mod rate;
pub mod sl2vl;

pub use fabric::{Address, Cable, Fabric, Node, NodeKind};
pub use lft_writer::TableWriter;
pub use net_file::read;
pub use net_writer::{tells_speeds, write};
