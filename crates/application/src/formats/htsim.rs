//! Connection matrices of htsim: flows, each from a moment on, or when others are done.
//!
//! ```text
//! Nodes 4
//! Connections 2
//! Triggers 1
//! 0->1 id 1 start 0 size 2000000 send_done_trigger 1
//! 0->2 id 2 trigger 1 size 2000000
//! trigger id 1 oneshot
//! ```
//!
//! A flow is a message that its receiver waits for from the beginning, and answers, without bytes, where the flow fires a
//! trigger when it has been sent: to htsim that is when all is acknowledged. Starts are in picoseconds; a clock beside the source's
//! processor counts them. Priorities are left away. Triggers work where the flows that fire them end where the flows start that
//! they start: a rank knows only of its own. What tasks cannot say is refused.
//!
//! Source: `connection_matrix.cpp` and `trigger.h` of csg-htsim.

mod graph;
mod lines;

use super::{Fault, Format, first_word, no_companions, only};

pub(super) const FORMAT: Format = Format {
    name: "htsim",
    summary: "Connection matrices of htsim: flows and triggers",
    extensions: &["cm"],
    recognises: |bytes| first_word(bytes) == Some(b"Nodes"),
    companions: no_companions,
    read: |files, _| {
        let matrix = lines::read(&only(files)?.bytes);
        match matrix.and_then(|matrix| graph::of(&matrix)) {
            Ok(graph) => Ok(Box::new(graph)),
            Err(flaw) => Err(Fault { file: 0, flaw }),
        }
    },
};
