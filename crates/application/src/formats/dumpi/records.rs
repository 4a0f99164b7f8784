//! The file of a rank: big-endian, and its index at its end.
//!
//! ```text
//! "\xff\xaa\xdd" "DUMPI"; calls; header; footer; ...; index
//! calls:  i32 second of the process's clock, i32 of the wall clock; calls; u16 293
//! call:   u16 number; u8 what is recorded (3: statuses, 4: process's time, 8: wall time, 64: thread, 128: counters);
//!         [u16 thread]; [u16 s, u32 ns, u16 s, u32 ns: begin, end by the process's clock]; [the same by the wall clock];
//!         [u8 counters; so many i64, i64]; arguments
//! index:  magic; u64 lengths of types, names, counters, header, calls, footer, keys and values
//! ```

use super::functions::{END, ENTER_AND_EXIT, FUNCTION, FUNCTIONS, Function};
use crate::formats::bytes::Bytes;
use turnwise_config::Flaw;

pub(super) const MAGIC: &[u8; 8] = b"\xff\xaa\xddDUMPI";
/// The magic and seven places.
const INDEX: usize = 8 * 8;
/// The first version all of whose records are as they should be.
const VERSION: [u8; 3] = [0, 6, 9];
/// Bytes of a status.
const STATUS: usize = 14;

/// What the index and the header of a file say.
#[derive(Debug)]
pub(super) struct Layout {
    /// Where the first call is.
    pub(super) calls: usize,
    /// Bytes of an element of each type, by the number of the type.
    pub(super) types: Vec<u64>,
}

impl Layout {
    pub(super) fn of(file: &[u8]) -> Result<Self, Flaw> {
        if !file.starts_with(MAGIC) {
            return Err(Flaw::at(0, "this is no trace of DUMPI"));
        }
        let place = file.len().saturating_sub(INDEX);
        let mut index = Bytes { file, at: place };
        if index.take(MAGIC.len())? != MAGIC {
            let message =
                "there is no index at the end: the file is cut, or older than DUMPI 0.6.9";
            return Err(Flaw::at(place, message));
        }
        let mut next = || Ok::<_, Flaw>(usize::try_from(index.u64_be()?).unwrap_or(usize::MAX));
        let (types, _, _, header, calls) = (next()?, next()?, next()?, next()?, next()?);
        let mut header = Bytes { file, at: header };
        let version = header.array::<3>()?;
        if version < VERSION {
            let [major, minor, patch] = version;
            let message = format!(
                "this is of DUMPI {major}.{minor}.{patch}; from 0.6.9 on all records are as they should be"
            );
            return Err(Flaw::at(header.at - 3, message));
        }
        let mut types = Bytes { file, at: types };
        let types = list(&mut types, 4)?;
        let mut first = Bytes { file, at: calls };
        first.take(8)?;
        Ok(Self {
            calls: first.at,
            types: types.into_iter().map(|bytes| bytes.max(0) as u64).collect(),
        })
    }
}

/// A call, as it was recorded.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) name: &'static str,
    /// Where it stands.
    pub(super) place: usize,
    /// Picoseconds by the wall clock, if they are recorded.
    pub(super) time: Option<(u64, u64)>,
    /// Single values.
    pub(super) values: Vec<i32>,
    pub(super) lists: Vec<Vec<i32>>,
    /// The sender of the first status, and its bytes.
    pub(super) status: Option<(i32, i32)>,
}

impl Record {
    /// Reads the record at a place, and says where the next one is; `None` at the end.
    pub(super) fn read(file: &[u8], at: usize) -> Result<Option<(Self, usize)>, Flaw> {
        let mut bytes = Bytes { file, at };
        let number = bytes.u16_be()?;
        if number == END {
            return Ok(None);
        }
        let function = match ENTER_AND_EXIT.contains(&number) {
            true => Some(&FUNCTION),
            false => FUNCTIONS.get(usize::from(number)),
        };
        let Some((name, arguments)) = function.and_then(readable) else {
            let name = function.map_or("of a file", |function| function.name);
            let message = format!("call {number} (MPI_{name}) is not read");
            let help = "calls of one-sided communication, dynamic processes and files are not";
            return Err(Flaw::at(at, message).with_help(help));
        };
        let mut record = Self {
            name,
            place: at,
            ..Self::default()
        };
        let recorded = bytes.u8()?;
        if recorded & 64 != 0 {
            bytes.u16_be()?;
        }
        if recorded & 4 != 0 {
            times(&mut bytes)?;
        }
        if recorded & 8 != 0 {
            record.time = Some(times(&mut bytes)?);
        }
        if recorded & 128 != 0 {
            let counters = usize::from(bytes.u8()?);
            bytes.take(counters * 16)?;
        }
        record.arguments(arguments, recorded & 3 != 0, &mut bytes)?;
        Ok(Some((record, bytes.at)))
    }

    fn arguments(
        &mut self,
        arguments: &str,
        has_statuses: bool,
        bytes: &mut Bytes<'_>,
    ) -> Result<(), Flaw> {
        let mut letters = arguments.bytes();
        while let Some(letter) = letters.next() {
            match letter {
                b'w' => self.values.push(bytes.u32_be()? as i32),
                b'h' => self.values.push((bytes.u16_be()? as i16).into()),
                b'b' => self.values.push((bytes.u8()? as i8).into()),
                b'W' => self.lists.push(list(bytes, 4)?),
                b'H' => self.lists.push(list(bytes, 2)?),
                b'B' | b'C' => self.lists.push(list(bytes, 1)?),
                b'M' => {
                    let mut all = Vec::new();
                    for _ in 0..bytes.u32_be()? {
                        all.extend(list(bytes, 4)?);
                    }
                    self.lists.push(all);
                }
                b'V' => {
                    for _ in 0..bytes.u32_be()? {
                        list(bytes, 1)?;
                    }
                }
                b'S' if has_statuses => {
                    let count = bytes.u32_be()?;
                    let place = bytes.at;
                    bytes.take((count as usize).saturating_mul(STATUS))?;
                    if count > 0 {
                        bytes.at = place;
                        let (length, sender) = (bytes.u32_be()? as i32, bytes.u32_be()? as i32);
                        self.status = Some((sender, length));
                        bytes.at = place + count as usize * STATUS;
                    }
                }
                b'[' => {
                    let value = letters.next().map_or(0, |digit| usize::from(digit - b'0'));
                    if self.values[0] != self.values[value] {
                        letters.find(|&letter| letter == b']');
                    }
                }
                // Statuses that are not recorded, and the end of what only some have.
                _ => {}
            }
        }
        Ok(())
    }
}

fn readable(function: &Function) -> Option<(&'static str, &'static str)> {
    Some((function.name, function.arguments?))
}

/// When a call began and ended, in picoseconds.
fn times(bytes: &mut Bytes<'_>) -> Result<(u64, u64), Flaw> {
    let mut time = || {
        let (seconds, nanoseconds) = (bytes.u16_be()?, bytes.u32_be()?);
        Ok::<_, Flaw>((u64::from(seconds) * 1_000_000_000 + u64::from(nanoseconds)) * 1000)
    };
    Ok((time()?, time()?))
}

/// A number of values, and that many of so many bytes each.
fn list(bytes: &mut Bytes<'_>, width: usize) -> Result<Vec<i32>, Flaw> {
    let count = bytes.u32_be()? as usize;
    let values = bytes.take(count.saturating_mul(width))?;
    let value = |bytes: &[u8]| match *bytes {
        [a, b, c, d] => i32::from_be_bytes([a, b, c, d]),
        [a, b] => i16::from_be_bytes([a, b]).into(),
        _ => bytes.iter().fold(0, |_, &byte| (byte as i8).into()),
    };
    Ok(values.chunks_exact(width).map(value).collect())
}
