//! The log of all messages, put together of what their senders and their receivers noted.

use super::cursor::Cursor;
use super::keeping::Journals;
use super::note::{NOT_YET, Note};
use crate::calls::OF_COLLECTIVE;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

/// A message from its sender to its receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// The program that it belongs to.
    pub program: u32,
    /// Its sender, among the ranks of the program.
    pub source: u32,
    /// Its receiver.
    pub destination: u32,
    /// Its tag; those of collectives count collectives and rounds.
    pub tag: u32,
    /// Its communicator.
    pub communicator: u32,
    /// Is it part of a collective?
    pub is_collective: bool,
    /// Its length in bytes.
    pub bytes: u64,
    /// When its send began.
    pub posted: u64,
    /// When it had left its sender.
    pub left: Option<u64>,
    /// When all of it had come.
    pub arrived: Option<u64>,
    /// When the receive was posted that took it.
    pub receive_posted: Option<u64>,
    /// When that receive was done.
    pub received: Option<u64>,
}

/// Tells all messages, in the order in which they were received; and then those that were not, by program, sender and receiver.
///
/// Complexity: O(turns x log ranks); memory for a piece of each journal, and for the messages under way.
///
/// # Errors
/// Journals that cannot be read, and what `tell` says.
pub fn messages(
    journals: &Journals,
    tell: &mut dyn FnMut(&Delivery) -> io::Result<()>,
) -> io::Result<()> {
    let start = |rank| Cursor::at_start(journals, rank);
    let mut cursors: Vec<Cursor> = (0..journals.written()).map(start).collect();
    let mut next = BinaryHeap::new();
    let mut under_way = UnderWay {
        journals,
        messages: FxHashMap::default(),
    };
    // Of each rank a turn that has been read and not been told of.
    let mut turns: Vec<Vec<Note>> = vec![Vec::new(); cursors.len()];
    for rank in 0..journals.written() {
        let (cursor, notes) = (&mut cursors[rank as usize], &mut turns[rank as usize]);
        next.extend(read(cursor, journals, notes)?.map(|time| Reverse((time, rank))));
    }
    while let Some(Reverse((time, rank))) = next.pop() {
        let (cursor, notes) = (&mut cursors[rank as usize], &mut turns[rank as usize]);
        for &note in notes.iter() {
            under_way.note(rank, time, note, tell)?;
        }
        next.extend(read(cursor, journals, notes)?.map(|time| Reverse((time, rank))));
    }
    under_way.finish(tell)
}

/// The next turn of a rank: its notes, and when it is.
fn read(
    cursor: &mut Cursor,
    journals: &Journals,
    notes: &mut Vec<Note>,
) -> io::Result<Option<u64>> {
    notes.clear();
    Ok(cursor.next(journals)?.map(|turn| {
        notes.extend(turn.notes());
        turn.time
    }))
}

/// Messages of which not all has been told.
struct UnderWay<'a> {
    journals: &'a Journals,
    /// By sender, receiver and number.
    messages: FxHashMap<(u32, u32, u64), Delivery>,
}

impl UnderWay<'_> {
    fn note(
        &mut self,
        rank: u32,
        time: u64,
        note: Note,
        tell: &mut dyn FnMut(&Delivery) -> io::Result<()>,
    ) -> io::Result<()> {
        let first = self.journals.first(rank);
        let sent = |to: u32, number| (rank, first + to, number);
        let came = |from: u32, number| (first + from, rank, number);
        let key = match note {
            Note::Posted { to, number, .. } | Note::Left { to, number, .. } => sent(to, number),
            Note::Whole { from, number } | Note::Received { from, number, .. } => {
                came(from, number)
            }
            _ => return Ok(()),
        };
        let message = self.messages.entry(key).or_default();
        match note {
            Note::Posted {
                to,
                tag,
                context,
                bytes,
                ago,
                ..
            } => {
                let program = self.journals.programs();
                *message = Delivery {
                    program: program.partition_point(|&first| first <= rank) as u32 - 1,
                    source: rank - first,
                    destination: to,
                    tag,
                    communicator: context & !OF_COLLECTIVE,
                    is_collective: context & OF_COLLECTIVE != 0,
                    bytes,
                    posted: time.saturating_sub(ago),
                    // What takes no time may have come to a rank that is asked before its sender.
                    ..*message
                };
            }
            Note::Left { after: NOT_YET, .. } => {}
            Note::Left { after, .. } => message.left = Some(time.saturating_add(after)),
            Note::Whole { .. } => message.arrived = Some(time),
            Note::Received { ago, after, .. } => {
                message.receive_posted = Some(time.saturating_sub(ago));
                message.received = Some(time.saturating_add(after));
            }
            _ => {}
        }
        if message.left.is_some() && message.received.is_some() {
            tell(message)?;
            self.messages.remove(&key);
        }
        Ok(())
    }

    fn finish(self, tell: &mut dyn FnMut(&Delivery) -> io::Result<()>) -> io::Result<()> {
        let mut rest: Vec<_> = self.messages.into_iter().collect();
        rest.sort_unstable_by_key(|(key, message)| (*key, message.posted));
        rest.iter().try_for_each(|(_, message)| tell(message))
    }
}
