//! Journals: what every rank did when, and why then.
//!
//! A rank's journal is a row of *turns*. In a turn something has happened at the rank, which is the turn's [`Cause`], and the
//! [notes](Note) behind it are all that came of that. So whatever a rank does has one cause, and who asks for the cause of the last
//! turn, and for the cause of that, has the [critical path](critical_path): the chain of computing and messages that
//! a program's time is made of. The same notes give [time lines](Timeline) and a [log of all messages](messages).
//!
//! Journals are as long as programs, so they are kept piece by piece on a [`Shelf`], and read again a piece of each at a time.
//!
//! Source: Yang and Miller, "Critical path analysis for the execution of parallel and distributed programs", ICDCS 1988;
//! Schulz, "Extracting critical path graphs from MPI applications", Cluster 2005.

mod cursor;
mod keeping;
mod messages;
mod note;
mod path;
mod states;
mod stretches;
mod timeline;

pub use keeping::{Journals, Memory, Page, Shelf};
pub use messages::{Delivery, messages};
pub use note::{Cause, Doing, NOT_YET, Note, Part};
pub use path::{Kind, Step, critical_path};
pub use states::State;
pub use stretches::Stretch;
pub use timeline::{Line, Pair, Timeline, timeline};
