//! The critical path: from the last thing that happened back to the first, by the cause of each.

use super::cursor::Cursor;
use super::keeping::Journals;
use super::note::{Cause, Doing, Note, Part};
use std::io;

/// What a part of the critical path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The program had not begun.
    Before,
    /// A rank computed.
    Compute,
    /// A processor was busy with a message.
    Overhead,
    /// A message left its sender, which its interface, the network or the message's length take time for.
    Send,
    /// A message that had left, or of which it is not known when it did, was on its way.
    Network,
    /// A message was announced, or asked for.
    Handshake,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Before,
        Self::Compute,
        Self::Overhead,
        Self::Send,
        Self::Network,
        Self::Handshake,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::Compute => "compute",
            Self::Overhead => "overhead",
            Self::Send => "send",
            Self::Network => "network",
            Self::Handshake => "handshake",
        }
    }
}

/// A part of the critical path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// When it begins.
    pub from: u64,
    /// When it ends, and what comes behind it begins.
    pub to: u64,
    /// What it is.
    pub kind: Kind,
    /// The rank that it begins at.
    pub rank: u32,
    /// The other rank, if it is about a message.
    pub peer: Option<u32>,
    /// The message's length.
    pub bytes: u64,
}

/// Tells the critical path, the last step first; how long it is, which is when the last thing happened.
///
/// Steps that take no time are left out unless they lead to another rank. All follow on each other without gaps, so that their times
/// add up to the whole.
///
/// Complexity: O(turns) at most; a piece of the journal of each rank that is on it.
///
/// # Errors
/// Journals that cannot be read.
pub fn critical_path(journals: &Journals, tell: &mut dyn FnMut(Step)) -> io::Result<u64> {
    let Some((mut at, end)) = last(journals)? else {
        return Ok(0);
    };
    let mut walk = Walk {
        journals,
        cursors: (0..journals.written()).map(|_| None).collect(),
        tell,
    };
    let Some(mut here) = walk.before(at)? else {
        return Ok(0);
    };
    while let Some((next, found)) = walk.step(at, here)? {
        (at, here) = (next, found);
    }
    Ok(end)
}

/// The rank at which something happened last, and when.
fn last(journals: &Journals) -> io::Result<Option<(u32, u64)>> {
    let mut latest: Option<(u32, u64)> = None;
    for rank in 0..journals.written() {
        let mut cursor = Cursor::at_end(journals, rank);
        if let Some(turn) = cursor.back(journals)?
            && latest.is_none_or(|(_, time)| turn.time > time)
        {
            latest = Some((rank, turn.time));
        }
    }
    Ok(latest)
}

struct Walk<'a> {
    journals: &'a Journals,
    /// By rank, where the path has come to in its journal.
    cursors: Vec<Option<Cursor>>,
    tell: &'a mut dyn FnMut(Step),
}

/// A turn on the path.
#[derive(Clone, Copy)]
struct Here {
    time: u64,
    cause: Cause,
}

/// What is looked for in a journal.
#[derive(Clone, Copy)]
enum Wanted {
    Busy(u16),
    /// Any message leaves.
    Leaving,
    Leaves(u32, u64, Part),
}

/// A turn in which something began.
struct Found {
    here: Here,
    note: Note,
    /// When the message had left that leaves there.
    left: Option<u64>,
}

impl Walk<'_> {
    fn cursor(&mut self, rank: u32) -> &mut Cursor {
        let journals = self.journals;
        self.cursors[rank as usize].get_or_insert_with(|| Cursor::at_end(journals, rank))
    }

    /// The turn before the place that the path has come to in a journal.
    fn before(&mut self, rank: u32) -> io::Result<Option<Here>> {
        let journals = self.journals;
        let turn = self.cursor(rank).back(journals)?;
        Ok(turn.map(|turn| Here {
            time: turn.time,
            cause: turn.cause,
        }))
    }

    /// The cause of a turn: the rank and the turn in which it began; none at the beginning.
    fn step(&mut self, rank: u32, here: Here) -> io::Result<Option<(u32, Here)>> {
        match here.cause {
            Cause::Start => {
                self.put(0, here.time, Kind::Before, rank, None, 0);
                Ok(None)
            }
            Cause::Since(back) => {
                let found = self.turns_ago(rank, back, here.time)?;
                Ok(found.map(|(found, kind)| {
                    self.put(found.time, here.time, kind, rank, None, 0);
                    (rank, found)
                }))
            }
            Cause::Free(unit) => {
                let found = self.find(rank, Wanted::Busy(unit), here.time)?;
                Ok(found.map(|found| {
                    let kind = match found.note {
                        Note::Busy { doing, .. } => of_doing(doing),
                        _ => Kind::Overhead,
                    };
                    self.put(found.here.time, here.time, kind, rank, None, 0);
                    (rank, found.here)
                }))
            }
            Cause::Left => {
                let found = self.find(rank, Wanted::Leaving, here.time)?;
                Ok(found.map(|found| {
                    let (peer, bytes) = self.message(rank, found.note);
                    self.put(found.here.time, here.time, Kind::Send, rank, peer, bytes);
                    (rank, found.here)
                }))
            }
            Cause::Came { from, number, part } => {
                let first = self.journals.first(rank);
                let (sender, me) = (first + from, rank - first);
                let found = self.find(sender, Wanted::Leaves(me, number, part), here.time)?;
                Ok(found.map(|found| {
                    self.put_message(sender, here.time, part, &found);
                    (sender, found.here)
                }))
            }
        }
    }

    fn put_message(&mut self, sender: u32, arrived: u64, part: Part, found: &Found) {
        let (peer, bytes) = self.message(sender, found.note);
        let before = found.here.time;
        let after = match found.note {
            Note::Leaves { after, .. } => after,
            _ => 0,
        };
        let began = before.saturating_add(after).min(arrived);
        if part == Part::Data {
            let left = found.left.unwrap_or(began).clamp(began, arrived);
            self.put(left, arrived, Kind::Network, sender, peer, bytes);
            self.put(began, left, Kind::Send, sender, peer, bytes);
        } else {
            self.put(began, arrived, Kind::Handshake, sender, peer, bytes);
        }
        self.put(before, began, Kind::Overhead, sender, None, 0);
    }

    /// The turn so many turns before the one that was passed last, and what it began that took until a time.
    fn turns_ago(&mut self, rank: u32, back: u64, until: u64) -> io::Result<Option<(Here, Kind)>> {
        let journals = self.journals;
        let cursor = self.cursor(rank);
        for _ in 1..back {
            cursor.back(journals)?;
        }
        let turn = cursor.back(journals)?;
        Ok(turn.map(|turn| {
            let ends = |note: &Note| match note {
                Note::Busy { doing, time, .. } if turn.time.saturating_add(*time) == until => {
                    Some(*doing)
                }
                _ => None,
            };
            let doing = turn.notes().find_map(|note| ends(&note));
            let here = Here {
                time: turn.time,
                cause: turn.cause,
            };
            (here, doing.map_or(Kind::Overhead, of_doing))
        }))
    }

    /// The other rank and the length of a message that leaves.
    fn message(&self, rank: u32, note: Note) -> (Option<u32>, u64) {
        match note {
            Note::Leaves { to, bytes, .. } => (Some(self.journals.first(rank) + to), bytes),
            _ => (None, 0),
        }
    }

    fn put(&mut self, from: u64, to: u64, kind: Kind, rank: u32, peer: Option<u32>, bytes: u64) {
        if from < to || matches!(kind, Kind::Network | Kind::Handshake) {
            (self.tell)(Step {
                from,
                to,
                kind,
                rank,
                peer,
                bytes,
            });
        }
    }

    /// The last turn, not later than a time and before what has been passed, in which something began.
    fn find(&mut self, rank: u32, wanted: Wanted, latest: u64) -> io::Result<Option<Found>> {
        let journals = self.journals;
        let cursor = self.cursor(rank);
        let mut left = None;
        while let Some(turn) = cursor.back(journals)? {
            if turn.time > latest {
                continue;
            }
            for note in turn.notes() {
                let is_wanted = match (wanted, note) {
                    (Wanted::Busy(unit), Note::Busy { unit: other, .. }) => unit == other,
                    (Wanted::Leaving, Note::Leaves { part, .. }) => part == Part::Data,
                    (Wanted::Leaves(to, number, part), Note::Leaves { .. }) => matches!(
                        note,
                        Note::Leaves { to: t, number: n, part: p, .. } if (t, n, p) == (to, number, part)
                    ),
                    (
                        Wanted::Leaves(to, number, _),
                        Note::Left {
                            to: t, number: n, ..
                        },
                    ) => {
                        // What is let go when it has come was under way, not leaving.
                        if (t, n) == (to, number) && turn.time < latest {
                            left = Some(turn.time);
                        }
                        false
                    }
                    _ => false,
                };
                if is_wanted {
                    let here = Here {
                        time: turn.time,
                        cause: turn.cause,
                    };
                    return Ok(Some(Found { here, note, left }));
                }
            }
        }
        Ok(None)
    }
}

fn of_doing(doing: Doing) -> Kind {
    match doing {
        Doing::Compute => Kind::Compute,
        Doing::Overhead => Kind::Overhead,
        Doing::Send => Kind::Send,
        Doing::Receive => Kind::Network,
    }
}
