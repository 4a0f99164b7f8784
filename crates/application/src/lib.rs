//! What parallel programs do, rank by rank, and how long that takes where no network is in the way.
//!
//! * [`Task`]: the smallest thing that a rank does: it sends, receives or computes.
//! * [`Program`]: what all ranks do, each told by a [`Script`], a few tasks at a time; [`Graph`] is one told whole.
//! * [`Calling`]: a program as MPI has it, whose ranks make [`Call`]s, with [`collectives`] among them.
//! * [`skeletons`]: the NAS parallel benchmarks.
//! * [`Repeated`]: a collective again and again.
//! * [`training`]: training of a large language model.
//! * [`Rank`]: one rank at work: what may start, once others have started or are done.
//! * [`Waiting`]: which receive takes which message.
//! * [`mod@replay`]: a program without a network, by the LogGOPS model.
//! * [`journal`]: what ranks did when, and why then: time lines, critical paths, logs of messages.
//! * [`Stall`]: why a program that came to a halt did so.
//! * [`formats`]: files that programs are read from and written to.
//!
//! Nothing here knows networks, routers or cycles; ranks are numbers, and time is in picoseconds.
//!
//! ```
//! use turnwise_application::formats::goal;
//! use turnwise_application::replay::{LogGops, replay};
//!
//! let schedule = b"num_ranks 2
//! rank 0 {
//! send 8b to 1
//! }
//! rank 1 {
//! recv 8b from 0
//! }";
//! let program = goal::read(schedule).unwrap();
//! let played = replay(&program, &LogGops::default());
//! // o + L + o + 7 G
//! assert_eq!(played.makespan(), 1_500_000 + 2_500_000 + 1_500_000 + 7 * 6_000);
//! ```

mod alone;
mod calls;
pub mod collectives;
pub mod formats;
mod graph;
mod group;
pub mod journal;
mod lowering;
mod matching;
pub mod phases;
mod rank;
mod repeated;
pub mod replay;
mod schedule;
mod script;
pub mod skeletons;
mod stall;
mod task;
pub mod training;
mod untold;
mod window;

pub use alone::{Alone, visit};
pub use calls::{Call, Caller, Calling, Calls};
pub use graph::{Condition, Graph, Numbered, RankGraph};
pub use group::Group;
pub use matching::Waiting;
pub use rank::Rank;
pub use repeated::{Members, Repeated};
pub use schedule::RankSchedule;
pub use script::{Program, Resources, Script};
pub use stall::{Blocked, Stall, Wait, label};
pub use task::{ANY, Message, Task, Work};
pub use window::{Moment, State, TaskId, Window};
