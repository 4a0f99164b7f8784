//! What journals say: turns and notes, and how these are bytes.
//!
//! A note is a byte that says what it is, and then numbers of seven bits a byte (LEB128).

/// What has happened at a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The program has begun.
    Start,
    /// The unit is done with what it was last [busy](Note::Busy) with.
    Free(u16),
    /// What began so many turns ago has ended, or it was at this very time.
    Since(u64),
    /// The message that left last has [left](Note::Left) whole.
    Left,
    /// A part of a message has come.
    Came {
        /// The rank that it is from.
        from: u32,
        /// Its number.
        number: u64,
        /// What came.
        part: Part,
    },
}

/// Of a message that has [left](Note::Left) as far as its sender goes, and waits until its receiver wants it: another note says when
/// that is.
pub const NOT_YET: u64 = u64::MAX;

/// What a rank notes in a turn.
///
/// Messages have numbers: no two that are under way from a rank to another at once have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// Begins a turn.
    Turn {
        /// When it is.
        time: u64,
        /// What has happened.
        cause: Cause,
    },
    /// A processor or an interface is busy from now on.
    Busy {
        /// Which.
        unit: u16,
        /// With what.
        doing: Doing,
        /// For how long.
        time: u64,
    },
    /// A message was sent by the program.
    Posted {
        /// Its receiver.
        to: u32,
        /// Its number.
        number: u64,
        /// Its tag.
        tag: u32,
        /// Its context.
        context: u32,
        /// Its length.
        bytes: u64,
        /// How long ago its send began.
        ago: u64,
    },
    /// A part of a message begins to leave.
    Leaves {
        /// The rank that it goes to.
        to: u32,
        /// The message's number.
        number: u64,
        /// What leaves.
        part: Part,
        /// The message's length.
        bytes: u64,
        /// How much later it does, for its processor is busy with it.
        after: u64,
    },
    /// A message has left whole.
    Left {
        /// Its receiver.
        to: u32,
        /// Its number.
        number: u64,
        /// How much later it has, or [`NOT_YET`].
        after: u64,
    },
    /// The first of a message has come.
    Begins {
        /// Its sender.
        from: u32,
        /// Its number.
        number: u64,
    },
    /// All of a message has come.
    Whole {
        /// Its sender.
        from: u32,
        /// Its number.
        number: u64,
    },
    /// A receive is done.
    Received {
        /// Its message's sender.
        from: u32,
        /// Its message's number.
        number: u64,
        /// How long ago it was posted.
        ago: u64,
        /// How much later it is done.
        after: u64,
    },
}

/// What a unit of a rank is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// A processor computes.
    Compute,
    /// A processor sends or receives.
    Overhead,
    /// An interface sends.
    Send,
    /// An interface receives.
    Receive,
}

/// What goes from rank to rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The message itself.
    Data,
    /// What announces it.
    Announcement,
    /// That an announced message may come, or has been taken; goes from the message's receiver to its sender.
    Grant,
}

const DOINGS: [Doing; 4] = [Doing::Compute, Doing::Overhead, Doing::Send, Doing::Receive];
const PARTS: [Part; 3] = [Part::Data, Part::Announcement, Part::Grant];

impl Note {
    /// Writes it into a journal.
    pub fn write(&self, journal: &mut Vec<u8>) {
        let mut put = |kind: u8, numbers: &[u64]| {
            journal.push(kind);
            numbers.iter().for_each(|&number| write(journal, number));
        };
        match *self {
            Self::Turn { time, cause } => match cause {
                Cause::Start => put(0, &[time]),
                Cause::Free(unit) => put(1, &[time, unit.into()]),
                Cause::Since(back) => put(2, &[time, back]),
                Cause::Left => put(3, &[time]),
                Cause::Came { from, number, part } => {
                    put(4 + part as u8, &[time, from.into(), number]);
                }
            },
            Self::Busy { unit, doing, time } => put(7 + doing as u8, &[unit.into(), time]),
            Self::Posted {
                to,
                number,
                tag,
                context,
                bytes,
                ago,
            } => put(
                11,
                &[to.into(), number, tag.into(), context.into(), bytes, ago],
            ),
            Self::Leaves {
                to,
                number,
                part,
                bytes,
                after,
            } => put(12 + part as u8, &[to.into(), number, bytes, after]),
            Self::Left { to, number, after } => put(15, &[to.into(), number, after]),
            Self::Begins { from, number } => put(16, &[from.into(), number]),
            Self::Whole { from, number } => put(17, &[from.into(), number]),
            Self::Received {
                from,
                number,
                ago,
                after,
            } => put(18, &[from.into(), number, ago, after]),
        }
    }

    /// The first note of these bytes, which are cut off; `None` if there is none.
    pub(super) fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (&kind, rest) = bytes.split_first()?;
        *bytes = rest;
        let mut next = || read(bytes);
        Some(match kind {
            0..=6 => {
                let time = next()?;
                let cause = match kind {
                    0 => Cause::Start,
                    1 => Cause::Free(next()? as u16),
                    2 => Cause::Since(next()?),
                    3 => Cause::Left,
                    _ => Cause::Came {
                        from: next()? as u32,
                        number: next()?,
                        part: PARTS[usize::from(kind - 4)],
                    },
                };
                Self::Turn { time, cause }
            }
            7..=10 => Self::Busy {
                unit: next()? as u16,
                doing: DOINGS[usize::from(kind - 7)],
                time: next()?,
            },
            11 => Self::Posted {
                to: next()? as u32,
                number: next()?,
                tag: next()? as u32,
                context: next()? as u32,
                bytes: next()?,
                ago: next()?,
            },
            12..=14 => Self::Leaves {
                to: next()? as u32,
                number: next()?,
                part: PARTS[usize::from(kind - 12)],
                bytes: next()?,
                after: next()?,
            },
            15 => Self::Left {
                to: next()? as u32,
                number: next()?,
                after: next()?,
            },
            16 => Self::Begins {
                from: next()? as u32,
                number: next()?,
            },
            17 => Self::Whole {
                from: next()? as u32,
                number: next()?,
            },
            18 => Self::Received {
                from: next()? as u32,
                number: next()?,
                ago: next()?,
                after: next()?,
            },
            _ => return None,
        })
    }
}

fn write(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn read(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_come_back() {
        let (from, to, number, bytes) = (u32::MAX, 7, 1 << 40, u64::MAX);
        let mut notes = Vec::new();
        let came = PARTS.map(|part| Cause::Came { from, number, part });
        let plain = [Cause::Start, Cause::Free(255), Cause::Since(3), Cause::Left];
        for cause in plain.into_iter().chain(came) {
            notes.push(Note::Turn { time: bytes, cause });
        }
        let busy = |doing| Note::Busy {
            unit: 200,
            doing,
            time: 0,
        };
        notes.extend(DOINGS.map(busy));
        let leaves = |part| Note::Leaves {
            to,
            number,
            part,
            bytes,
            after: 77,
        };
        notes.extend(PARTS.map(leaves));
        notes.push(Note::Posted {
            to,
            number,
            tag: u32::MAX,
            context: 1 << 31,
            bytes,
            ago: 127,
        });
        let (ago, after) = (128, 1 << 20);
        notes.push(Note::Left { to, number, after });
        notes.push(Note::Begins { from, number });
        notes.push(Note::Whole { from, number });
        notes.push(Note::Received {
            from,
            number,
            ago,
            after,
        });
        let mut journal = Vec::new();
        notes.iter().for_each(|note| note.write(&mut journal));
        let mut rest = &journal[..];
        let read: Vec<Note> = std::iter::from_fn(|| Note::read(&mut rest)).collect();
        assert_eq!(read, notes);
        assert!(rest.is_empty());
    }
}
