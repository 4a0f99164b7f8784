//! InfiniBand subnets: how their switches are programmed.
//!
//! A switch knows a port for each address, and a virtual lane for each service level by the ports a packet comes and leaves by.
//! [`Programme`] is a routing in these terms, as the files that OpenSM and its checkers read; [`Forwarding`] is the way back: a
//! routing from the files of a subnet that runs, and [`Transition`] what it does while it changes from some files to others;
//! [`Answering`] what it does where answers take the level of what they answer;
//! [`Repair`] keeps to them where something has failed, as tables are [mended], [`failures`] says what that comes to for each link, and
//! [`Order`] in which order entries can change.

mod answering;
mod change;
mod columns;
mod dependencies;
pub mod failures;
pub(crate) mod forwarding;
mod ibdmchk;
mod lanes;
mod mending;
pub mod order;
mod programme;
pub(crate) mod repair;
mod route;
mod service_levels;
pub(crate) mod transition;

pub use answering::Answering;
pub use change::Change;
pub use forwarding::Forwarding;
pub use mending::{is_unknown, levels_beyond, mended};
pub use order::Order;
pub use programme::Programme;
pub use repair::Repair;
pub use transition::Transition;
