//! Collective actions of a rank.

use super::reader::{Reader, TYPES};
use crate::calls::Call;
use crate::collectives::{Collective, Kind};
use crate::formats::lengths::{all_to_all, mean, of_root};
use crate::formats::words::{BYTES, Words};
use crate::group::Group;
use turnwise_config::Flaw;

impl Reader {
    /// A collective; false if there is none of that name.
    pub(super) fn collective(
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
        Ok(all_to_all(self.rank, sent, received))
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
        let kind = if gathers { Kind::Gather } else { Kind::Scatter };
        Ok(of_root(kind, self.rank, root, own, all))
    }

    fn all_bytes(&self, counts: &[u64], of: u64, place: usize) -> Result<Vec<u64>, Flaw> {
        let bytes = counts.iter().map(|&count| self.bytes(count, of, place));
        bytes.collect()
    }
}
