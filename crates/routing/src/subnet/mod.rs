//! InfiniBand subnets: how their switches are programmed.
//!
//! A switch knows a port for each address, and a virtual lane for each service level by the ports a packet comes and leaves by.
//! [`Programme`] is a routing in these terms, as the files that OpenSM and its checkers read; [`Forwarding`] is the way back: a
//! routing from the files of a subnet that runs.

pub(crate) mod forwarding;
mod ibdmchk;
mod programme;
mod route;
mod service_levels;

pub use forwarding::Forwarding;
pub use programme::Programme;
