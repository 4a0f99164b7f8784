//! Ground floor of Turnwise: what is wired to what, and the words everyone else speaks.
//!
//! * [`Network`]: routers, terminals and directed channels in flat arrays, built once
//!   by [`NetworkBuilder`] and never changed; [`Shape`] is what a topology remembers of itself.
//! * [`topologies`]: one file per topology, all listed in [`topologies::REGISTRY`].
//! * [`Faults`]: dead links and routers, applied before anything else is built.
//! * [`Routing`], [`Header`], [`Congestion`]: how any routing algorithm looks to the
//!   verifier and to the simulator; [`Sensing`]: what routers tell each other of congestion.
//! * [`formats`]: readers and writers of network files, text in, values out.
//! * [`random`]: counter-based random streams, so that results never depend on threads.
//!
//! Nothing here knows about time, algorithms or files.

pub mod builder;
pub mod faults;
pub mod formats;
pub mod ids;
pub mod metrics;
pub mod network;
pub mod random;
pub mod routing;
pub mod sensing;
pub mod shape;
pub mod tables;
pub mod topologies;
pub mod traffic;

pub use turnwise_config::{Diagnostic, Invalid, Span};

pub use builder::{NetworkBuilder, Size};
pub use faults::{Amount, Faults};
pub use ids::{ChannelId, Port, RouterId, TerminalId, Vc, VcSet};
pub use network::{Channel, ChannelClass, End, Neighbour, Network};
pub use routing::{Congestion, FlowControl, Header, Hop, NoCongestion, Routing, Start};
pub use sensing::{Notice, Receiver, Sender, Sensing};
pub use shape::Shape;
pub use traffic::{Injector, PacketRequest, one_by_one};
