//! Who sends what to whom, and when: traffic patterns and injection.
//!
//! * [`patterns`]: one file per pattern, all listed in [`REGISTRY`]; a [`PatternParameters`] is
//!   a pattern as written in a study (`[traffic]`), and becomes a [`Pattern`] for one network.
//! * [`InterArrival`]: Bernoulli arrivals, exact, without floating point.
//! * [`OpenLoop`]: both together, the source of packets that a simulator asks.
//!
//! Everything is drawn from counter-based streams named by terminal and packet, so that
//! nobody's packets depend on the order in which they are asked for.
//!
//! Nothing here knows about queues or routers' state.

mod blocks;
mod chance;
mod choice;
mod fixed;
mod injection;
mod open_loop;
mod pattern;
pub mod patterns;

pub use choice::{Choice, Lot};
pub use injection::InterArrival;
pub use open_loop::OpenLoop;
pub use pattern::{Context, Pattern, PatternParameters};
pub use patterns::REGISTRY;
