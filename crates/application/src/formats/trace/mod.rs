//! Turnwise's own traces: what every rank calls, or the tasks it has, a line each.
//!
//! ```text
//! turnwise-trace 1
//! ranks 2
//! time ns                        # what times count: ps, ns, us or s
//! content calls                  # or tasks
//! group 1 0 1                    # group 1 is ranks 0 and 1; group 0 is all ranks
//! rank 0
//! compute 1500
//! isend 0 1 4096 7               # request, to, bytes, tag; the group is 0 if it is not said
//! wait 0
//! all-reduce 8 1
//! rank 1
//! recv 0 4096 7
//! all-reduce 8 1
//! end
//! ```
//!
//! `docs/trace-format.md` says all of it. Calls stay text until they are made, so a trace takes as much memory as its text.

mod calls;
mod header;
mod tasks;
mod write;

pub use write::write;

use super::recorded::Recorded;
use super::words::Words;
use super::{Fault, Format, Read, Reading, first_word, no_companions, only};
use crate::calls::Calls;
use header::{Content, Header};
use std::sync::Arc;
use turnwise_config::{File, Flaw};

pub(super) const FORMAT: Format = Format {
    name: "trace",
    summary: "Turnwise's own traces: calls or tasks, a line each",
    extensions: &["trace"],
    recognises: |bytes| first_word(bytes) == Some(header::MAGIC.as_bytes()),
    companions: no_companions,
    read,
};

fn read(files: &Arc<[File]>, reading: &Reading) -> Read {
    let in_first = |flaw: Flaw| Fault { file: 0, flaw };
    let text = &only(files)?.bytes;
    let (header, sections) = header::read(text).map_err(in_first)?;
    if header.content == Content::Tasks {
        let graph = tasks::read(text, &header, &sections).map_err(in_first)?;
        return Ok(Box::new(graph));
    }
    let recorded = Recorded::new(files, calls::Language(Arc::new(header)), sections)?;
    Ok(Box::new(Calls::new(
        Box::new(recorded),
        reading.selection.clone(),
    )))
}

/// A time, in picoseconds.
fn time(words: &mut Words<'_>, header: &Header) -> Result<u64, Flaw> {
    let most = super::words::TIME / header.unit;
    Ok(words.number("a time", 0..most)? * header.unit)
}
