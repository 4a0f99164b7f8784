//! Who sends what to whom, and when: traffic patterns and injection.
//!
//! * [`patterns`]: one file per pattern, all listed in [`REGISTRY`]; a [`PatternParameters`] is
//!   a pattern as written in a study (`[traffic]`), and becomes a [`Pattern`] for one network.
//! * [`InterArrival`]: Bernoulli arrivals, exact, without floating point. [`Injection`]: other
//!   processes, as written in a study.
//! * [`PacketFlits`]: how long packets are.
//! * [`open_loop`]: all together, the source of packets that a simulator asks; [`OpenLoop`] is the
//!   usual one, and [`switching`] goes from one pattern or load to another.
//! * [`agents`]: workloads that answer what arrives, one file each, all listed in [`WORKLOADS`]; a
//!   [`WorkloadParameters`] is one as written in a study (`[workload]`).
//! * [`placements`]: where their ranks are, one file each, all listed in [`PLACEMENTS`]; a [`Placement`] is one as written
//!   in a study (`[placement]`), and [`placed`] puts ranks there, or those of several
//!   programs ([`tenants`]); [`journalled`] keeps journals of what they do.
//!
//! Everything is drawn from counter-based streams named by terminal and packet, so that
//! nobody's packets depend on the order in which they are asked for.
//!
//! Nothing here knows about queues or routers' state.

pub mod agents;
mod blocks;
mod chance;
mod choice;
mod classes;
mod fixed;
mod host;
mod injection;
mod journalled;
mod mapping;
mod messages;
mod open_loop;
mod pattern;
pub mod patterns;
mod placed;
mod placement;
pub mod placements;
mod process;
mod residents;
mod seating;
mod sizes;
mod switching;
pub mod tenants;
mod wait;
mod workload;

pub use agents::REGISTRY as WORKLOADS;
pub use choice::{Choice, Lot};
pub use classes::{TrafficClass, open_loop};
pub use injection::InterArrival;
pub use journalled::{Kept, journalled};
pub use mapping::{Together, largest_load};
pub use messages::in_packets;
pub use open_loop::OpenLoop;
pub use pattern::{Context, Pattern, PatternParameters};
pub use patterns::REGISTRY;
pub use placed::{Part, placed};
pub use placement::{Gain, Placement, RANKS_PER_TERMINAL, Seats, Site};
pub use placements::REGISTRY as PLACEMENTS;
pub use process::Injection;
pub use seating::{Seating, SeatingFields};
pub use sizes::{Length, PacketFlits};
pub use switching::{TrafficPhase, switching};
pub use turnwise_application::Program;
pub use workload::{
    CYCLE_NS, FLIT_BYTES, Job, Partners, ProgramParameters, WorkloadEntry, WorkloadParameters,
    read_with_pattern,
};
