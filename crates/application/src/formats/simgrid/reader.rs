//! The actions of a rank.

use crate::calls::Call;
use crate::collectives::{Collective, Kind, Lengths};
use crate::formats::words::{BYTES, TIME, Words, shown};
use crate::formats::{Reading, recorded};
use crate::group::Group;
use crate::task::{ANY, Message};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;
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
const TYPES: [u64; 60] = [
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
            open: FxHashMap::default(),
            free: Vec::new(),
            used: 0,
        }
    }
}

/// Reads the actions of a rank.
pub(super) struct Reader {
    ranks: u32,
    rank: u32,
    reading: Reading,
    /// Bytes of the type that is meant where none is said.
    usual: u64,
    /// Requests that are open, by sender, receiver and tag.
    open: FxHashMap<(u32, u32, u32), VecDeque<u32>>,
    free: Vec<u32>,
    used: u32,
}

impl recorded::Reader for Reader {
    fn line(&mut self, words: &mut Words<'_>, calls: &mut Vec<Call>) -> Result<(), Flaw> {
        // The rank, which everybody knows by now.
        words.word();
        let place = words.place();
        match words.word().unwrap_or_default() {
            b"init" => {
                self.usual = if words.word().is_some() { TYPES[0] } else { 1 };
            }
            b"finalize" => {}
            b"comm_size" | b"comm_split" | b"comm_dup" | b"location" | b"test" => {
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
            b"wait" => calls.push(Call::Wait(self.wait(words)?)),
            b"waitall" => {
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
    Ok((number * 1e12) as u64)
}

impl Reader {
    fn compute(&self, words: &mut Words<'_>) -> Result<Call, Flaw> {
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

    fn request(&mut self, key: (u32, u32, u32)) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        });
        self.open.entry(key).or_default().push_back(slot);
        slot
    }

    /// `SENDER RECEIVER TAG`: the oldest request of these, or of any sender or tag.
    fn wait(&mut self, words: &mut Words<'_>) -> Result<u32, Flaw> {
        let place = words.place();
        let from = self.or_any(words, "the rank of the sender", self.ranks.into(), true)?;
        let to = words.number("the rank of the receiver", 0..self.ranks.into())? as u32;
        let tag = self.or_any(words, "a tag", ANY.into(), true)?;
        let keys = [
            (from, to, tag),
            (ANY, to, tag),
            (from, to, ANY),
            (ANY, to, ANY),
        ];
        for key in keys {
            if let Some(slots) = self.open.get_mut(&key)
                && let Some(slot) = slots.pop_front()
            {
                if slots.is_empty() {
                    self.open.remove(&key);
                }
                self.free.push(slot);
                return Ok(slot);
            }
        }
        let message = format!(
            "rank {} has no open request from {from} to {to} with tag {tag}",
            self.rank
        );
        Err(Flaw::at(place, message))
    }

    /// A collective; false if there is none of that name.
    fn collective(
        &mut self,
        name: &[u8],
        words: &mut Words<'_>,
        calls: &mut Vec<Call>,
    ) -> Result<bool, Flaw> {
        let count = |words: &mut Words<'_>| words.amount("a number of elements", 0..BYTES);
        let place = words.place();
        let mut after = None;
        let collective = match name {
            b"barrier" => Collective::new(Kind::Barrier, 0),
            b"bcast" => {
                let count = count(words)?;
                let root = self.root(words)?;
                self.simple(Kind::Broadcast, count, root, words, place)?
            }
            b"reduce" => {
                let count = count(words)?;
                after = Some(self.compute(words)?);
                let root = self.root(words)?;
                self.simple(Kind::Reduce, count, root, words, place)?
            }
            b"allreduce" => {
                let count = count(words)?;
                after = Some(self.compute(words)?);
                self.simple(Kind::AllReduce, count, 0, words, place)?
            }
            b"alltoall" | b"allgather" => {
                let kind = if name == b"alltoall" {
                    Kind::AllToAll
                } else {
                    Kind::AllGather
                };
                let sent = count(words)?;
                count(words)?;
                let collective = self.simple(kind, sent, 0, words, place)?;
                self.optional_type(words)?;
                collective
            }
            b"gather" | b"scatter" => {
                let (sent, received) = (count(words)?, count(words)?);
                let root = self.root(words)?;
                let sent_type = self.optional_type(words)?;
                let received_type = self.optional_type(words)?;
                let (kind, count, of) = match name {
                    b"gather" => (Kind::Gather, sent, sent_type),
                    _ => (Kind::Scatter, received, received_type),
                };
                self.of(kind, root, self.bytes(count, of, place)?)
            }
            b"alltoallv" => self.all_to_all_v(words, place)?,
            b"allgatherv" => self.all_gather_v(words, place)?,
            b"gatherv" | b"scatterv" => self.of_one(name == b"gatherv", words, place)?,
            b"reducescatter" => {
                let counts = self.counts(words)?;
                after = Some(self.compute(words)?);
                let sum = counts
                    .iter()
                    .fold(0, |sum: u64, &count| sum.saturating_add(count));
                self.simple(Kind::ReduceScatter, sum, 0, words, place)?
            }
            _ => return Ok(false),
        };
        calls.push(Call::Collective(collective, Group::world(self.ranks)));
        calls.extend(after);
        Ok(true)
    }

    fn of(&self, kind: Kind, root: u32, bytes: u64) -> Collective {
        Collective {
            root,
            ..Collective::new(kind, bytes)
        }
    }

    fn simple(
        &self,
        kind: Kind,
        count: u64,
        root: u32,
        words: &mut Words<'_>,
        place: usize,
    ) -> Result<Collective, Flaw> {
        let bytes = self.bytes(count, self.optional_type(words)?, place)?;
        Ok(self.of(kind, root, bytes))
    }

    fn root(&self, words: &mut Words<'_>) -> Result<u32, Flaw> {
        match words.has_more() {
            true => Ok(words.number("the rank of the root", 0..self.ranks.into())? as u32),
            false => Ok(0),
        }
    }

    /// A number of elements for each rank.
    fn counts(&self, words: &mut Words<'_>) -> Result<Vec<u64>, Flaw> {
        let count = |_| words.amount("a number of elements for each rank", 0..BYTES);
        (0..self.ranks).map(count).collect()
    }

    /// Bytes of the type that may be said here.
    fn optional_type(&self, words: &mut Words<'_>) -> Result<u64, Flaw> {
        if !words.has_more() {
            return Ok(self.usual);
        }
        let number = words.number("the number of a type", 0..TYPES.len() as u64)?;
        Ok(TYPES[number as usize])
    }

    fn bytes(&self, count: u64, of: u64, place: usize) -> Result<u64, Flaw> {
        let bytes = count.saturating_mul(of);
        match bytes < BYTES {
            true => Ok(bytes),
            false => Err(Flaw::at(
                place,
                format!("{count} elements are more than a pebibyte"),
            )),
        }
    }

    /// `TOTAL COUNT.. TOTAL COUNT.. [TYPE [TYPE]]`: to each, from each.
    fn all_to_all_v(&self, words: &mut Words<'_>, place: usize) -> Result<Collective, Flaw> {
        let total = "the length of a buffer";
        words.amount(total, 0..BYTES)?;
        let sent = self.counts(words)?;
        words.amount(total, 0..BYTES)?;
        let received = self.counts(words)?;
        let of_sent = self.optional_type(words)?;
        let of_received = self.optional_type(words)?;
        let sent = self.all_bytes(&sent, of_sent, place)?;
        let received = self.all_bytes(&received, of_received, place)?;
        let me = self.rank;
        let bytes = mean(&sent);
        let lengths = move |from: u32, to: u32| match from == me {
            true => sent[to as usize],
            false => received[from as usize],
        };
        Ok(Collective {
            lengths: Some(Lengths(Arc::new(lengths))),
            ..Collective::new(Kind::AllToAll, bytes)
        })
    }

    /// `COUNT COUNT.. [TYPE] [OFFSET..]`: its own, and everybody's, of which the mean counts.
    fn all_gather_v(&self, words: &mut Words<'_>, place: usize) -> Result<Collective, Flaw> {
        words.amount("a number of elements", 0..BYTES)?;
        let counts = self.counts(words)?;
        let mut rest = Vec::new();
        while words.has_more() {
            rest.push(words.number("the number of a type, or an offset", 0..u64::MAX)?);
        }
        // Offsets alone are as many as there are ranks; a type and another may stand without them.
        let has_type = match rest.len() {
            0 => false,
            1 | 2 => true,
            several => several > self.ranks as usize,
        };
        let of = match has_type.then(|| rest[0]) {
            None => self.usual,
            Some(number) => {
                let known = TYPES.get(number as usize).copied();
                known.ok_or_else(|| Flaw::at(place, format!("there is no type {number}")))?
            }
        };
        let bytes = mean(&self.all_bytes(&counts, of, place)?);
        Ok(Collective::new(Kind::AllGather, bytes))
    }

    /// Gather: `COUNT COUNT.. [ROOT [TYPE [TYPE]]]`, scatter: `COUNT.. COUNT [ROOT [TYPE [TYPE]]]`.
    fn of_one(
        &self,
        gathers: bool,
        words: &mut Words<'_>,
        place: usize,
    ) -> Result<Collective, Flaw> {
        let one = |words: &mut Words<'_>| words.amount("a number of elements", 0..BYTES);
        let (own, all) = match gathers {
            true => (one(words)?, self.counts(words)?),
            false => {
                let all = self.counts(words)?;
                (one(words)?, all)
            }
        };
        let root = self.root(words)?;
        let (first, second) = (self.optional_type(words)?, self.optional_type(words)?);
        let (of_own, of_all) = if gathers {
            (first, second)
        } else {
            (second, first)
        };
        let own = self.bytes(own, of_own, place)?;
        let all = self.all_bytes(&all, of_all, place)?;
        let (me, kind) = (
            self.rank,
            if gathers { Kind::Gather } else { Kind::Scatter },
        );
        let bytes = if me == root { mean(&all) } else { own };
        let lengths = move |from: u32, to: u32| match (me == root, gathers) {
            (false, _) => own,
            (true, true) => all[from as usize],
            (true, false) => all[to as usize],
        };
        Ok(Collective {
            root,
            lengths: Some(Lengths(Arc::new(lengths))),
            ..Collective::new(kind, bytes)
        })
    }

    fn all_bytes(&self, counts: &[u64], of: u64, place: usize) -> Result<Vec<u64>, Flaw> {
        let bytes = counts.iter().map(|&count| self.bytes(count, of, place));
        bytes.collect()
    }
}

fn mean(bytes: &[u64]) -> u64 {
    let sum: u128 = bytes.iter().map(|&bytes| u128::from(bytes)).sum();
    (sum / bytes.len().max(1) as u128) as u64
}
