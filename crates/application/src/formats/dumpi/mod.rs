//! Traces of DUMPI, the recorder of SST: what every rank called, and when, in a file for each rank and one about them all.
//!
//! Pauses between calls are computing, by the wall clock; how long a call took is what a replay finds out. Lengths of types,
//! also of a program's own, are in the files. Communicators are found by playing all calls that make them.
//! Making a communicator costs nothing; prefix sums (`MPI_Scan`) are sums; a test that finds nothing does nothing.
//!
//! Complexity: O(calls), three times; memory for the files.
//! Source: `docs/traceformat.dox` of sst-dumpi, <https://github.com/sstsimulator/sst-dumpi>.

mod collectives;
mod communicators;
mod functions;
mod groups;
mod player;
mod records;

use super::agreement::Agreement;
use super::{Fault, Format, Read, Reading};
use crate::calls::{Call, Caller, Calling, Calls};
use communicators::Event;
use player::{Known, Player};
use records::{Layout, Record};
use std::sync::Arc;
use turnwise_config::{File, Flaw};

pub(super) const FORMAT: Format = Format {
    name: "dumpi",
    summary: "Traces of DUMPI: the .meta file, beside which those of the ranks are",
    extensions: &["meta"],
    recognises: |bytes| {
        bytes.starts_with(b"hostname=") && About::of(bytes).is_ok_and(|about| about.ranks > 0)
    },
    companions: |bytes| About::of(bytes).map_or(Vec::new(), |about| about.files().collect()),
    read,
};

/// So many calls are made at once.
const AT_ONCE: usize = 32;
/// More ranks than anybody has traced.
const MOST_RANKS: u32 = 1 << 22;

/// What the file says that is about all ranks.
struct About {
    ranks: u32,
    prefix: String,
}

impl About {
    fn of(bytes: &[u8]) -> Result<Self, Flaw> {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let value = |key: &str| {
            let mut lines = text.lines().filter_map(|line| line.split_once('='));
            lines.find_map(|(name, value)| (name == key).then(|| value.trim()))
        };
        let missing = |what: &str| Flaw::general(format!("there is no line `{what}`"));
        let ranks = value("numprocs").and_then(|ranks| ranks.parse().ok());
        let ranks = ranks.filter(|ranks| (1..=MOST_RANKS).contains(ranks));
        let prefix = value("fileprefix").ok_or_else(|| missing("fileprefix=NAME"))?;
        // Where it was recorded is another place than where it is now.
        let prefix = prefix.rsplit('/').next().unwrap_or(prefix).to_owned();
        Ok(Self {
            ranks: ranks.ok_or_else(|| missing("numprocs=RANKS"))?,
            prefix,
        })
    }

    fn files(&self) -> impl Iterator<Item = String> {
        (0..self.ranks).map(|rank| format!("{}-{rank:04}.bin", self.prefix))
    }
}

/// A program of files; the first is about them all.
struct Recorded {
    files: Arc<[File]>,
    /// By rank.
    known: Vec<Arc<Known>>,
}

fn read(files: &Arc<[File]>, reading: &Reading) -> Read {
    let about = About::of(&files[0].bytes).map_err(|flaw| Fault { file: 0, flaw })?;
    if files.len() - 1 != about.ranks as usize {
        let message = format!(
            "expected files of {} ranks, found {}",
            about.ranks,
            files.len() - 1
        );
        let flaw = Flaw::general(message);
        return Err(Fault { file: 0, flaw });
    }
    let in_file = |rank: usize| {
        move |flaw| Fault {
            file: rank + 1,
            flaw,
        }
    };
    let mut layouts = Vec::new();
    let mut events = Vec::new();
    for (rank, file) in files[1..].iter().enumerate() {
        let layout = Layout::of(&file.bytes).map_err(in_file(rank))?;
        let mut own = Vec::new();
        let mut at = layout.calls;
        while let Some((record, next)) = Record::read(&file.bytes, at).map_err(in_file(rank))? {
            own.extend(Event::of(&record));
            at = next;
        }
        layouts.push(layout);
        events.push(own);
    }
    let made = communicators::made(events).map_err(|(rank, flaw)| in_file(rank)(flaw))?;
    let known = layouts.into_iter().zip(made).map(|(layout, made)| {
        let (start, types) = (layout.calls, layout.types);
        Arc::new(Known { start, types, made })
    });
    let recorded = Recorded {
        known: known.collect(),
        files: Arc::clone(files),
    };
    recorded.check()?;
    Ok(Box::new(Calls::new(
        Box::new(recorded),
        reading.selection.clone(),
    )))
}

impl Recorded {
    /// Plays all ranks' records once, to see whether they make sense.
    fn check(&self) -> Result<(), Fault> {
        let mut agreement = Agreement::default();
        let mut calls = Vec::new();
        for rank in 0..self.ranks() {
            let in_file = |flaw| Fault {
                file: rank as usize + 1,
                flaw,
            };
            let mut records = self.records_of(rank);
            while let Some(place) = records.next(&mut calls).map_err(in_file)? {
                for call in calls.drain(..) {
                    agreement.note(rank, &call, place).map_err(in_file)?;
                }
            }
        }
        agreement.end().map_err(|flaw| Fault { file: 0, flaw })
    }

    fn records_of(&self, rank: u32) -> Records {
        let known = &self.known[rank as usize];
        Records {
            files: Arc::clone(&self.files),
            at: known.start,
            player: Player::new(rank, self.ranks(), Arc::clone(known)),
        }
    }
}

impl Calling for Recorded {
    fn ranks(&self) -> u32 {
        self.known.len() as u32
    }

    fn parts(&self) -> u32 {
        1
    }

    fn caller(&self, rank: u32) -> Box<dyn Caller> {
        Box::new(self.records_of(rank))
    }

    fn place(&self, rank: u32, call: u64) -> Option<String> {
        let mut records = self.records_of(rank);
        let mut calls = Vec::new();
        let mut count = 0;
        while let Some(place) = records.next(&mut calls).ok()? {
            count += calls.drain(..).count() as u64;
            if count > call {
                let file = &self.files[rank as usize + 1];
                let record = Record::read(&file.bytes, place).ok()??.0;
                return Some(format!("{} byte {place}, MPI_{}", file.name, record.name));
            }
        }
        None
    }

    fn memory_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes.len() as u64).sum()
    }
}

/// A rank's records, from the next one on.
struct Records {
    files: Arc<[File]>,
    at: usize,
    player: Player,
}

impl Records {
    /// Adds the calls of the next record, and says where it is; `None` at the end.
    fn next(&mut self, calls: &mut Vec<Call>) -> Result<Option<usize>, Flaw> {
        let file = &self.files[self.player.me as usize + 1].bytes;
        let Some((record, next)) = Record::read(file, self.at)? else {
            return Ok(None);
        };
        self.at = next;
        self.player.play(&record, calls)?;
        Ok(Some(record.place))
    }
}

impl Caller for Records {
    fn calls(&mut self, _: u32, calls: &mut Vec<Call>) -> bool {
        // All have been read before, so none is wrong.
        (0..AT_ONCE).any(|_| !matches!(self.next(calls), Ok(Some(_))))
    }
}
