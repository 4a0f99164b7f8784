//! Service levels of pairs: the policy with which OpenSM answers, lists for `ibdmchk`, and dumps of path records.
//!
//! The policy is described [where it is read](super::policy).
//!
//! `ibdmchk` reads a line a pair, `0x1000000000000010 29 2`: node GUID of the source, LID of the destination, service level. Path
//! records are what `saquery` prints of them: `dlid`, `slid` and `sl`, a line each.
//!
//! Source: OpenSM 3.3.23, `doc/QoS_management_in_OpenSM.txt`; ibutils, ibdmchk(1); infiniband-diags, saquery(8).

use super::line::guid_of;
use super::policy;
use turnwise_config::Flaw;

/// One who sends or receives, as a file names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Party {
    /// All ports of a node, by its GUID.
    Node(u64),
    /// A port, by its GUID.
    Port(u64),
    /// All ports with GUIDs from the first to the last of these.
    Ports(u64, u64),
    /// By its address.
    Lid(u32),
    /// Everybody.
    All,
}

/// Packets from any of these sources to any of these destinations take this service level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelRule {
    /// The sources.
    pub sources: Vec<Party>,
    /// The destinations.
    pub destinations: Vec<Party>,
    /// The service level.
    pub level: u8,
    /// Where in the text it is.
    pub offset: usize,
}

/// Reads service levels in any of these forms. Of several rules for a pair the first counts; a pair without one has level 0.
///
/// # Errors
/// The first line that is not understood, names that are not defined.
pub fn read(text: &str) -> Result<Vec<LevelRule>, Flaw> {
    let rules = match lines(text).next() {
        Some((first, _)) if policy::begins_with(first) => return policy::read(text),
        Some((first, _)) if first.starts_with("0x") => read_lines(text)?,
        _ => read_records(text)?,
    };
    match rules.is_empty() {
        true => Err(Flaw::at(0, "there are no service levels in this file")),
        false => Ok(rules),
    }
}

pub(super) fn level_of(word: &str, offset: usize) -> Result<u8, Flaw> {
    let number = match word.strip_prefix("0x") {
        Some(digits) => u8::from_str_radix(digits, 16),
        None => word.parse(),
    };
    let level = number.ok().filter(|&level| level < 16);
    level.ok_or_else(|| {
        let message = format!("expected a service level, 0 to 15, found `{word}`");
        Flaw::at(offset, message)
    })
}

fn lid_of(word: &str, offset: usize) -> Result<u32, Flaw> {
    let number = match word.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => word.parse(),
    };
    number.map_err(|_| Flaw::at(offset, format!("expected a LID, found `{word}`")))
}

/// The lines that say something, with their places and without comments.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut start = 0;
    let all = text.split_inclusive('\n').map(move |line| {
        let bare = line.split('#').next().unwrap_or(line);
        // Windows programs put a byte order mark in front of their text files.
        let behind =
            bare.trim_start_matches(|sign: char| sign.is_whitespace() || sign == '\u{feff}');
        let place = start + (bare.len() - behind.len());
        let trimmed = behind.trim_end();
        start += line.len();
        (trimmed, place)
    });
    all.filter(|(line, _)| !line.is_empty())
}

/// `0x1000000000000010 29 2`
fn read_lines(text: &str) -> Result<Vec<LevelRule>, Flaw> {
    let mut found = Vec::new();
    for (line, offset) in lines(text) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[source, destination, level] = words.as_slice() else {
            let message = format!(
                "expected a node GUID, a LID and a service level, found {} words",
                words.len()
            );
            return Err(Flaw::at(offset, message));
        };
        let place = |word: &str| offset + (word.as_ptr() as usize - line.as_ptr() as usize);
        found.push(LevelRule {
            sources: vec![Party::Node(guid_of(source, offset)?)],
            destinations: vec![Party::Lid(lid_of(destination, place(destination))?)],
            level: level_of(level, place(level))?,
            offset,
        });
    }
    Ok(found)
}

/// `dlid....................0x1B`
fn read_records(text: &str) -> Result<Vec<LevelRule>, Flaw> {
    let (mut found, mut record) = (Vec::new(), Record::default());
    for (line, offset) in lines(text) {
        let (key, value) = match line.split_once("..") {
            Some((key, value)) => (key, value.trim_start_matches('.')),
            None if line.ends_with(':') => {
                record.end()?;
                record = Record::at(offset);
                continue;
            }
            None => {
                let message = format!(
                    "expected a QoS policy, lines of `GUID LID level` or path records, found `{line}`"
                );
                return Err(Flaw::at(offset, message));
            }
        };
        let place = offset + (line.len() - value.len());
        let word = value.split_whitespace().next().unwrap_or_default();
        if record.has(key) {
            record.end()?;
            record = Record::at(offset);
        }
        record.is_empty = false;
        match key {
            "dlid" => record.destination = Some(lid_of(word, place)?),
            "slid" => record.source = Some(lid_of(word, place)?),
            "sl" => record.level = Some(level_of(word, place)?),
            _ => continue,
        }
        record.start.get_or_insert(offset);
        if let Record {
            source: Some(source),
            destination: Some(destination),
            level: Some(level),
            ..
        } = record
        {
            found.push(LevelRule {
                sources: vec![Party::Lid(source)],
                destinations: vec![Party::Lid(destination)],
                level,
                offset,
            });
            record = Record::default();
        }
    }
    record.is_empty = false;
    record.end()?;
    Ok(found)
}

/// A path record, as far as it has been read.
#[derive(Default)]
struct Record {
    source: Option<u32>,
    destination: Option<u32>,
    level: Option<u8>,
    /// Where it begins, once it does.
    start: Option<usize>,
    /// Has it nothing but a title?
    is_empty: bool,
}

impl Record {
    /// One with a title.
    fn at(start: usize) -> Self {
        Self {
            start: Some(start),
            is_empty: true,
            ..Self::default()
        }
    }

    /// Does it say this already?
    fn has(&self, key: &str) -> bool {
        match key {
            "dlid" => self.destination.is_some(),
            "slid" => self.source.is_some(),
            "sl" => self.level.is_some(),
            _ => false,
        }
    }

    /// Refuses to forget what it says of a pair.
    fn end(&self) -> Result<(), Flaw> {
        let keys = ["dlid", "slid", "sl"];
        let missing = keys.into_iter().find(|key| !self.has(key));
        let begun = self.start.filter(|_| !self.is_empty);
        match begun.zip(missing) {
            Some((start, key)) => {
                let message = format!("this path record has no `{key}`: is the file cut off?");
                Err(Flaw::at(start, message))
            }
            None => Ok(()),
        }
    }
}
