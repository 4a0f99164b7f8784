//! The hinge of the house: what routing, workloads, verification and simulation have agreed on.
//!
//! * [`routing`]: how any algorithm looks to the verifier and to the simulator.
//! * [`congestion`], [`sensing`]: what an adaptive algorithm sees at its router, and what others tell it.
//! * [`notification`]: what switches of Ethernet make of congestion notifications.
//! * [`phases`]: routes by an intermediate router, for who proves them.
//! * [`forwards`]: tables by destination, for who programs switches with them.
//! * [`flow_control`]: when packets may move on.
//! * [`traffic`]: how packets come into being. [`workload`]: how terminals answer what arrives.

pub mod congestion;
pub mod flow_control;
pub mod forwards;
pub mod notification;
pub mod phases;
pub mod routing;
pub mod sensing;
pub mod traffic;
pub mod workload;

pub use congestion::{Congestion, NoCongestion};
pub use flow_control::FlowControl;
pub use forwards::Forwards;
pub use notification::{Heard, Notification, Passing, Snooping};
pub use phases::TwoPhases;
pub use routing::{Header, Hop, Routing, Start};
pub use sensing::{Mark, Notice, QueueLine, Receiver, Sender, Sensing};
pub use traffic::{Cutting, Injector, PacketRequest, one_by_one};
pub use workload::{Agent, Event, Foreseen, Message, Outbox, Workload};
