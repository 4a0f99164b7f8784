//! The actions of a rank.

use crate::calls::Call;
use crate::formats::words::{BYTES, TIME, Words, shown};
use crate::formats::{Reading, recorded};
use crate::task::{ANY, Message};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use turnwise_config::Flaw;
use turnwise_config::diagnostic::suggestion;

const ACTIONS: [&str; 28] = [
    "init",
    "finalize",
    "compute",
    "sleep",
    "location",
    "comm_size",
    "comm_split",
    "comm_dup",
    "send",
    "isend",
    "recv",
    "irecv",
    "wait",
    "waitall",
    "test",
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "alltoall",
    "alltoallv",
    "allgather",
    "allgatherv",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "reducescatter",
];

/// Bytes of the types by their numbers in SimGrid 3.32, from double, int and char on; 0 for those that hold nothing.
pub(super) const TYPES: [u64; 60] = [
    8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8, 8, 16, 4, 1, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16, 32, 8, 8, 8,
    16, 16, 8, 8, 8, 16, 16, 4, 4, 8, 16, 8, 16, 16, 4, 2, 4, 8, 16, 32, 1, 8, 16, 32, 0, 0, 1, 8,
    8,
];

pub(super) fn is_action(word: &[u8]) -> bool {
    ACTIONS.iter().any(|action| action.as_bytes() == word)
}

/// What lines mean.
pub(super) struct Language {
    pub(super) ranks: u32,
    pub(super) reading: Reading,
}

impl recorded::Language for Language {
    type Reader = Reader;

    fn reader(&self, rank: u32) -> Reader {
        Reader {
            ranks: self.ranks,
            rank,
            reading: self.reading.clone(),
            usual: 1,
            stage: Stage::Before,
            open: FxHashMap::default(),
            tested: FxHashSet::default(),
            free: Vec::new(),
            used: 0,
        }
    }
}

/// How far a rank has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Before,
    Begun,
    Over,
}

/// Sender, receiver and tag of a request.
type Key = (u32, u32, u32);

/// Reads the actions of a rank.
pub(super) struct Reader {
    pub(super) ranks: u32,
    pub(super) rank: u32,
    reading: Reading,
    /// Bytes of the type that is meant where none is said.
    pub(super) usual: u64,
    stage: Stage,
    /// Requests that are open, by sender, receiver and tag.
    open: FxHashMap<Key, VecDeque<u32>>,
    /// Those that have been tested: waiting for them once more is nothing, as the test may have found them done.
    tested: FxHashSet<Key>,
    free: Vec<u32>,
    used: u32,
}

impl recorded::Reader for Reader {
    fn line(&mut self, words: &mut Words<'_>, calls: &mut Vec<Call>) -> Result<(), Flaw> {
        // The rank, which everybody knows by now.
        words.word();
        let place = words.place();
        if self.stage == Stage::Over {
            let message = format!(
                "rank {} has done `finalize`, and nothing follows",
                self.rank
            );
            return Err(Flaw::at(place, message));
        }
        match words.word().unwrap_or_default() {
            b"init" => {
                if self.stage == Stage::Begun {
                    let message = format!("rank {} has done `init` already", self.rank);
                    return Err(Flaw::at(place, message));
                }
                self.stage = Stage::Begun;
                self.usual = if words.word().is_some() { TYPES[0] } else { 1 };
            }
            b"finalize" => self.stage = Stage::Over,
            b"test" => self.test(words)?,
            b"comm_size" | b"comm_split" | b"comm_dup" | b"location" => {
                while words.word().is_some() {}
            }
            b"compute" => calls.push(self.compute(words)?),
            b"sleep" => calls.push(Call::Compute(seconds(words)?)),
            b"send" => calls.push(Call::Send(self.message(words, false)?)),
            b"recv" => calls.push(Call::Recv(self.message(words, true)?)),
            b"isend" => {
                let message = self.message(words, false)?;
                let slot = self.request((self.rank, message.peer, message.tag));
                calls.push(Call::Isend(message, slot));
            }
            b"irecv" => {
                let message = self.message(words, true)?;
                let slot = self.request((message.peer, self.rank, message.tag));
                calls.push(Call::Irecv(message, slot));
            }
            b"wait" => calls.extend(self.wait(words)?.map(Call::Wait)),
            b"waitall" => {
                // A recorder says how many requests it was called with; all that are open are waited for.
                if words.has_more() {
                    words.amount("a number of requests", 0..u64::from(u32::MAX))?;
                }
                (self.open, self.free, self.used) = Default::default();
                calls.push(Call::Waitall(u32::MAX));
            }
            word => match self.collective(word, words, calls)? {
                true => {}
                false => {
                    let names = || ACTIONS.into_iter();
                    let help = suggestion(&shown(word), "the actions are", names(), names());
                    let message = format!("there is no action `{}`", shown(word));
                    return Err(Flaw::at(place, message).with_help(help));
                }
            },
        }
        Ok(())
    }
}

fn seconds(words: &mut Words<'_>) -> Result<u64, Flaw> {
    // An amount would be cut to whole seconds.
    let word = words.peek().and_then(|word| std::str::from_utf8(word).ok());
    let number = word.and_then(|word| word.parse::<f64>().ok());
    let number = number.filter(|number| (0.0..=8_640_000.0).contains(number));
    let Some(number) = number else {
        return Err(words.expected("seconds, at most a hundred days"));
    };
    words.word();
    Ok((number * 1e12).round() as u64)
}

impl Reader {
    pub(super) fn compute(&self, words: &mut Words<'_>) -> Result<Call, Flaw> {
        let operations = words.amount("operations", 0..TIME)?;
        Ok(Call::Compute(self.reading.time(operations as f64)))
    }

    /// `PEER TAG COUNT [TYPE]`
    fn message(&self, words: &mut Words<'_>, receives: bool) -> Result<Message, Flaw> {
        let peer = self.or_any(words, "a rank", self.ranks.into(), receives)?;
        let tag = self.or_any(words, "a tag", ANY.into(), receives)?;
        // Receives of an unknown length say -1.
        let count = match receives && (words.takes("-1") || words.takes("-1.000000")) {
            true => 0,
            false => words.amount("a number of elements", 0..BYTES)?,
        };
        let place = words.place();
        let bytes = self.bytes(count, self.optional_type(words)?, place)?;
        Ok(Message::new(peer, bytes, tag))
    }

    fn or_any(
        &self,
        words: &mut Words<'_>,
        what: &str,
        end: u64,
        receives: bool,
    ) -> Result<u32, Flaw> {
        match receives && words.takes("-1") {
            true => Ok(ANY),
            false => Ok(words.number(what, 0..end)? as u32),
        }
    }

    fn request(&mut self, key: Key) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        });
        self.open.entry(key).or_default().push_back(slot);
        slot
    }

    /// `SENDER RECEIVER TAG`: those that a request of these may have, exactly these first.
    fn keys(&self, words: &mut Words<'_>) -> Result<[Key; 4], Flaw> {
        let from = self.or_any(words, "the rank of the sender", self.ranks.into(), true)?;
        let to = words.number("the rank of the receiver", 0..self.ranks.into())? as u32;
        let tag = self.or_any(words, "a tag", ANY.into(), true)?;
        Ok([
            (from, to, tag),
            (ANY, to, tag),
            (from, to, ANY),
            (ANY, to, ANY),
        ])
    }

    /// Notes which request was tested, where that is said.
    fn test(&mut self, words: &mut Words<'_>) -> Result<(), Flaw> {
        if words.has_more() {
            let keys = self.keys(words)?;
            let open = keys.iter().find(|key| self.open.contains_key(key));
            self.tested.extend(open);
        }
        while words.word().is_some() {}
        Ok(())
    }

    /// The oldest request of a sender, a receiver and a tag, or of any sender or tag; none if a test may have found it done.
    fn wait(&mut self, words: &mut Words<'_>) -> Result<Option<u32>, Flaw> {
        let place = words.place();
        let keys = self.keys(words)?;
        for key in keys {
            if let Some(slots) = self.open.get_mut(&key)
                && let Some(slot) = slots.pop_front()
            {
                if slots.is_empty() {
                    self.open.remove(&key);
                }
                self.free.push(slot);
                return Ok(Some(slot));
            }
        }
        if keys.iter().any(|key| self.tested.contains(key)) {
            return Ok(None);
        }
        let [(from, to, tag), ..] = keys;
        let message = format!(
            "rank {} has no open request from {from} to {to} with tag {tag}",
            self.rank
        );
        Err(Flaw::at(place, message))
    }

    /// Bytes of the type that may be said here.
    pub(super) fn optional_type(&self, words: &mut Words<'_>) -> Result<u64, Flaw> {
        if !words.has_more() {
            return Ok(self.usual);
        }
        let number = words.number("the number of a type", 0..TYPES.len() as u64)?;
        Ok(TYPES[number as usize])
    }

    pub(super) fn bytes(&self, count: u64, of: u64, place: usize) -> Result<u64, Flaw> {
        let bytes = count.saturating_mul(of);
        match bytes < BYTES {
            true => Ok(bytes),
            false => Err(Flaw::at(
                place,
                format!("{count} elements are more than a pebibyte"),
            )),
        }
    }
}
