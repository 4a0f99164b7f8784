//! Reading journals, turn by turn, forwards or backwards; a piece of each is in memory.

use super::keeping::Journals;
use super::note::{Cause, Note};
use std::io;

/// A place in a rank's journal, between two turns.
pub(super) struct Cursor {
    rank: u32,
    pieces: usize,
    /// The piece that is in memory, one more than its number; none is 0.
    piece: usize,
    bytes: Vec<u8>,
    /// Where the turns of the piece begin, and its end.
    starts: Vec<u32>,
    /// Turns of the piece that are before this place.
    before: usize,
}

/// A turn as it stands in a journal.
#[derive(Clone, Copy)]
pub(super) struct Turn<'a> {
    pub(super) time: u64,
    pub(super) cause: Cause,
    notes: &'a [u8],
}

impl Turn<'_> {
    /// What came of it.
    pub(super) fn notes(&self) -> impl Iterator<Item = Note> {
        let mut rest = self.notes;
        std::iter::from_fn(move || Note::read(&mut rest))
    }
}

impl Cursor {
    /// Before the first turn.
    pub(super) fn at_start(journals: &Journals, rank: u32) -> Self {
        Self {
            rank,
            pieces: journals.pieces(rank),
            piece: 0,
            bytes: Vec::new(),
            starts: vec![0],
            before: 0,
        }
    }

    /// Behind the last turn.
    pub(super) fn at_end(journals: &Journals, rank: u32) -> Self {
        let mut cursor = Self::at_start(journals, rank);
        cursor.piece = cursor.pieces + 1;
        cursor
    }

    /// The next turn, which is passed.
    pub(super) fn next(&mut self, journals: &Journals) -> io::Result<Option<Turn<'_>>> {
        while self.before + 1 >= self.starts.len() {
            if self.piece >= self.pieces {
                return Ok(None);
            }
            self.piece += 1;
            self.load(journals)?;
            self.before = 0;
        }
        self.before += 1;
        Ok(self.turn(self.before - 1))
    }

    /// The turn before, which is passed backwards.
    pub(super) fn back(&mut self, journals: &Journals) -> io::Result<Option<Turn<'_>>> {
        while self.before == 0 {
            if self.piece <= 1 {
                return Ok(None);
            }
            self.piece -= 1;
            self.load(journals)?;
            self.before = self.starts.len() - 1;
        }
        self.before -= 1;
        Ok(self.turn(self.before))
    }

    fn load(&mut self, journals: &Journals) -> io::Result<()> {
        journals.piece(self.rank, self.piece - 1, &mut self.bytes)?;
        self.starts.clear();
        let mut rest = &self.bytes[..];
        loop {
            let at = self.bytes.len() - rest.len();
            match Note::read(&mut rest) {
                Some(Note::Turn { .. }) => self.starts.push(at as u32),
                Some(_) => {}
                None => break,
            }
        }
        self.starts.push(self.bytes.len() as u32);
        Ok(())
    }

    fn turn(&self, number: usize) -> Option<Turn<'_>> {
        let (from, to) = (self.starts[number], self.starts[number + 1]);
        let mut notes = &self.bytes[from as usize..to as usize];
        match Note::read(&mut notes)? {
            Note::Turn { time, cause } => Some(Turn { time, cause, notes }),
            _ => None,
        }
    }
}
