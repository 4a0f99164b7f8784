//! What happens then: a flit-level simulation engine, and one of lossless Ethernet that goes packet by packet.
//!
//! Virtual-channel routers with credit flow control, queues at the inputs or at both sides, simulated
//! cycle by cycle where something happens and not at all where nothing does. The engine knows neither
//! routing algorithms nor traffic patterns: it sees [`Routing`](turnwise_network::Routing)
//! and [`Injector`](turnwise_network::Injector) or [`Workload`](turnwise_network::Workload), and reads no clock, file or environment.
//!
//! * [`RouterModel`]: the microarchitecture as data; the default is BookSim2's input-queued router.
//! * [`Demand`]: what terminals send, whatever arrives or in answer to it.
//! * [`Schedule`], [`Phases`]: warm-up, measurement, drain, or everything to the end of all work.
//! * [`Processes`]: others that simulate parts of the same network.
//! * [`Simulation`]: one run; [`Ethernet`]: one with an [`EthernetModel`] in the place of routers; [`Outcome`] says how it ended and what was measured.

mod buffers;
mod channel_course;
mod classes;
mod engine;
mod ethernet;
mod frames;
mod herding;
mod histogram;
mod measure;
mod memory;
mod messages;
mod model;
mod outcome;
mod processes;
mod series;
mod statistics;

pub use buffers::Depth;
pub use channel_course::ChannelCourse;
pub use classes::ClassMeasurement;
pub use engine::{Demand, MinimalHops, Setup, Simulation};
pub use ethernet::{Ethernet, EthernetModel, NotificationModel, ReactionModel, ethernet_bytes};
pub use frames::EthernetMeasurement;
pub use histogram::Histogram;
pub use measure::{Measurement, TerminalFlits, Transactions};
pub use memory::{Channels, Crew, Dimensions, News, Traffic, memory_bytes};
pub use model::{Allocator, Phases, RouterKind, RouterModel, Schedule, Stages};
pub use outcome::{Ending, Outcome, Stalled, Violation, WaitingChannel};
pub use processes::{Machine, Pipes, Processes};
pub use series::{Interval, Series};
pub use statistics::{Estimate, Trend, batch_means, trend};
