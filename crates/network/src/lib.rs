//! Ground floor of Turnwise: what is wired to what, and the words everyone else speaks.
//!
//! * [`Network`]: routers, terminals and directed channels in flat arrays, built once
//!   by [`NetworkBuilder`] and never changed; [`Shape`] is what a topology remembers of itself.
//! * [`topologies`]: one file per topology, all listed in [`topologies::REGISTRY`].
//! * [`Identities`]: names, GUIDs and LIDs of a real fabric's parts.
//! * [`Faults`]: dead links and routers, applied before anything else is built.
//! * [`contract`]: what the floor above has agreed on. [`Routing`], [`Header`], [`Congestion`]: how any routing algorithm looks to the
//!   verifier and to the simulator; [`Sensing`]: what routers tell each other of congestion;
//!   [`Injector`], [`Workload`]: what terminals send.
//! * [`formats`]: readers and writers of network files, text in, values out.
//! * [`random`]: counter-based random streams, so that results never depend on threads.
//!
//! Nothing here knows about time, algorithms or files.

pub mod builder;
pub mod contract;
pub mod faults;
pub mod formats;
pub mod identities;
pub mod ids;
pub mod interval;
pub mod metrics;
pub mod network;
mod partition;
pub mod per_class;
pub mod populated;
pub mod random;
pub mod recognition;
pub mod shape;
pub mod tables;
pub mod topologies;

pub use turnwise_config::{Diagnostic, Invalid, Span};

pub use builder::{NetworkBuilder, Size};
pub use contract::{
    Agent, Congestion, Cutting, Event, FlowControl, Foreseen, Forwards, Header, Heard, Hop,
    Injector, Mark, Message, NoCongestion, Notice, Notification, Outbox, PacketRequest, Passing,
    QueueLine, Receiver, Routing, Sender, Sensing, Snooping, Start, TwoPhases, Workload,
    one_by_one,
};
pub use faults::{Amount, Faults, NamedFaults, Part};
pub use identities::{AdapterIdentity, Identities, SwitchIdentity};
pub use ids::{ChannelId, Port, RouterId, TerminalId, Vc, VcSet};
pub use interval::{ChannelInterval, LONGEST_INTERVAL};
pub use network::{Channel, ChannelClass, End, Neighbour, Network};
pub use per_class::PerClass;
pub use populated::PopulatedRouters;
pub use shape::Shape;

// The tests of the worked example name the crate as its users do.
#[cfg(test)]
extern crate self as turnwise_network;
