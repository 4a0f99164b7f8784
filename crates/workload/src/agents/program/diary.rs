//! What a host writes into the journal of its rank, if anybody keeps one.
//!
//! Turns that nothing comes of are not written, but those that end something: most packets of a long message change nothing.

use super::incoming::Came;
use turnwise_application::journal::{Cause, Note};
use turnwise_network::Outbox;

/// The turn that is under way.
#[derive(Default)]
pub(super) struct Diary {
    /// Its beginning, if that has not been written.
    unwritten: Option<(u64, Cause)>,
}

impl Diary {
    /// A turn begins.
    pub(super) fn begin(&mut self, time: u64, cause: Cause, out: &mut Outbox) {
        self.unwritten = None;
        if let Some(journal) = out.journal() {
            Note::Turn { time, cause }.write(journal);
        }
    }

    /// A turn begins if anything comes of what has happened.
    pub(super) fn may_begin(&mut self, time: u64, cause: Cause) {
        self.unwritten = Some((time, cause));
    }

    /// Something comes of it.
    pub(super) fn note(&mut self, note: Note, out: &mut Outbox) {
        let Some(journal) = out.journal() else {
            return;
        };
        if let Some((time, cause)) = self.unwritten.take() {
            Note::Turn { time, cause }.write(journal);
        }
        note.write(journal);
    }

    /// A packet of a message has come.
    pub(super) fn came(&mut self, from: u32, number: u64, came: Came, out: &mut Outbox) {
        if came.first {
            self.note(Note::Begins { from, number }, out);
        }
        if came.last {
            self.note(Note::Whole { from, number }, out);
        }
    }
}
