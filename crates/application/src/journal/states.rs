//! What a rank does at any time, read from its journal.

use super::cursor::{Cursor, Turn};
use super::keeping::Journals;
use super::note::{Cause, Doing, Note, Part};
use std::io;

/// What a rank does. Where several are true it is the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A processor computes.
    Compute,
    /// A processor is busy with a message.
    Overhead,
    /// A message leaves.
    Send,
    /// A message comes.
    Receive,
    /// The rank waits.
    Wait,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Compute,
        Self::Overhead,
        Self::Send,
        Self::Receive,
        Self::Wait,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Overhead => "overhead",
            Self::Send => "send",
            Self::Receive => "receive",
            Self::Wait => "wait",
        }
    }
}

/// Someone who is told what a rank does.
pub(super) trait Tell {
    /// It does something from a time to another.
    fn does(&mut self, state: State, from: u64, to: u64);

    /// It has waited for so long until something came from a rank of its program.
    fn awaited(&mut self, from: u32, time: u64);
}

/// Tells what a rank does from its first turn to its last, in the order of time.
///
/// Complexity: O(turns).
pub(super) fn states(journals: &Journals, rank: u32, tell: &mut dyn Tell) -> io::Result<()> {
    let mut cursor = Cursor::at_start(journals, rank);
    let mut doing = Activity::default();
    while let Some(turn) = cursor.next(journals)? {
        doing.turn(&turn, tell);
    }
    Ok(())
}

/// What is under way at a rank.
#[derive(Default)]
struct Activity {
    now: Option<u64>,
    /// Units that are busy, with what, and until when.
    busy: Vec<(u16, Doing, u64)>,
    /// Messages that leave: their receivers and numbers. One that never enters a network does not.
    leaving: Vec<(u32, u64)>,
    coming: u32,
    /// How long it has waited.
    waited: u64,
}

impl Activity {
    fn turn(&mut self, turn: &Turn<'_>, tell: &mut dyn Tell) {
        if let Some(now) = self.now {
            self.pass(now, turn.time, tell);
        }
        self.now = Some(turn.time);
        let mut goes_on = false;
        for note in turn.notes() {
            goes_on |= self.note(note, turn.time);
        }
        if goes_on {
            let waited = std::mem::take(&mut self.waited);
            if let (Cause::Came { from, .. }, true) = (turn.cause, waited > 0) {
                tell.awaited(from, waited);
            }
        }
    }

    /// Takes notice of a note; does the rank go on with that?
    fn note(&mut self, note: Note, now: u64) -> bool {
        match note {
            Note::Busy { unit, doing, time } => {
                self.busy.retain(|(other, ..)| *other != unit);
                self.busy.push((unit, doing, now.saturating_add(time)));
                !matches!(doing, Doing::Receive)
            }
            Note::Leaves {
                to, number, part, ..
            } => {
                self.leaving
                    .extend((part == Part::Data).then_some((to, number)));
                true
            }
            Note::Left { to, number, .. } => {
                self.leaving.retain(|&other| other != (to, number));
                false
            }
            Note::Begins { .. } => {
                self.coming += 1;
                false
            }
            Note::Whole { .. } => {
                self.coming = self.coming.saturating_sub(1);
                false
            }
            Note::Posted { .. } | Note::Received { .. } => true,
            Note::Turn { .. } => false,
        }
    }

    /// Nothing new happens from a time to another.
    fn pass(&mut self, mut now: u64, until: u64, tell: &mut dyn Tell) {
        while now < until {
            self.busy.retain(|(.., end)| *end > now);
            let ends = self.busy.iter().map(|(.., end)| *end);
            let next = ends.min().map_or(until, |end| end.min(until));
            let state = self.state();
            match state {
                State::Wait | State::Receive => self.waited += next - now,
                _ => self.waited = 0,
            }
            tell.does(state, now, next);
            now = next;
        }
    }

    fn state(&self) -> State {
        let is = |what| self.busy.iter().any(|(_, doing, _)| *doing == what);
        match (is(Doing::Compute), is(Doing::Overhead)) {
            (true, _) => State::Compute,
            (false, true) => State::Overhead,
            _ if !self.leaving.is_empty() || is(Doing::Send) => State::Send,
            _ if self.coming > 0 || is(Doing::Receive) => State::Receive,
            _ => State::Wait,
        }
    }
}
