//! GOAL, the schedules of LogGOPSim, Schedgen and ATLAHS: each rank's tasks and what they wait for.
//!
//! ```text
//! num_ranks 2
//!
//! rank 0 {
//! l1: calc 1000                  // nanoseconds
//! l2: send 4096b to 1 tag 7
//! l2 requires l1                 // may start when l1 is done
//! }
//!
//! rank 1 {
//! l1: recv 4096b from 0 tag 7
//! }
//! ```
//!
//! `irequires` waits for a start only. Options of a task, in this order: `tag`, `cpu`, `nic`. `recv` may be from `-1`, and
//! have tag `-1`: any. Comments are `// ...` and `/* ... */`.
//!
//! Source: Hoefler, Siebert and Lumsdaine, "Group operation assembly language", ICPP 2009; the binary form is
//! what LogGOPSim's converter writes.

mod binary;
mod scanner;
mod tags;
mod text;
mod write;

pub use write::{write_binary, write_text};

use super::{Fault, Format, first_word, no_companions, only};
use crate::graph::Graph;
use turnwise_config::Flaw;

pub(super) const FORMAT: Format = Format {
    name: "goal",
    summary: "GOAL schedules, text or binary: LogGOPSim, Schedgen, ATLAHS",
    extensions: &["goal", "bin"],
    recognises: |bytes| {
        let is_text = first_word(bytes) == Some(b"num_ranks");
        is_text || bytes.starts_with(b"/*") || bytes.starts_with(b"//") || binary::is_binary(bytes)
    },
    companions: no_companions,
    read: |files, _| match read(&only(files)?.bytes) {
        Ok(graph) => Ok(Box::new(graph)),
        Err(flaw) => Err(Fault { file: 0, flaw }),
    },
};

/// Reads a schedule, whether it is text or binary.
///
/// # Errors
/// The first thing that is not understood, or that no rank could do: a peer that does not exist, a label that
/// is not defined.
pub fn read(bytes: &[u8]) -> Result<Graph, Flaw> {
    match binary::is_binary(bytes) {
        true => binary::read(bytes),
        false => text::read(bytes),
    }
}
