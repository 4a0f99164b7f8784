//! Programs without a network: every message takes its latency and its gap, and none meets another on the way.
//!
//! That is the LogGOPS model: a processor is busy for an overhead `o` at each end of a message and for `O` a byte, an
//! interface for a gap `g` and for `G` a byte, and a message takes a latency `L` between them; messages above `S` bytes wait for their
//! receiver. What comes out is how long a program would take on a network in which nothing is ever in the way:
//! what a simulation with routers is to be compared with.
//!
//! Source: Hoefler, Schneider and Lumsdaine, "LogGOPSim: simulating large-scale applications in the LogGOPS model",
//! HPDC 2010.

mod events;
mod loggops;
mod outcome;
mod parameters;
mod queues;
mod scribe;
mod unreceived;

pub use loggops::{replay, replay_kept};
pub use outcome::{Remarkable, Replay};
pub use parameters::LogGops;
pub use unreceived::unreceived;
