//! Linear forwarding tables as OpenSM's tools dump them, and as its routing engine `file` reads them.
//!
//! ```text
//! Unicast lids [0-50] of switch Lid 2 guid 0x5000000000000001 ('sw0_0'):
//! 0x0001 005 # Channel Adapter portguid 0x1000000000000011: 'host0 HCA-1'
//! 0x0002 000 # Switch portguid 0x5000000000000001: 'sw0_0'
//! 50 lids dumped
//! ```
//!
//! So OpenSM's own `opensm-lfts.dump`; `ibroute`, `dump_lfts` and `dump_fts` write the destination in parentheses behind a colon, and
//! some header lines, and of a port with several LIDs `(path #2 out of 2: portguid 0x1000000000000011)`. The other dump of OpenSM, `opensm.fdbs`, knows no GUIDs but those of switches:
//!
//! ```text
//! dump_ucast_routes: Switch 0x5000000000000001
//! LID    : Port : Hops : Optimal
//! 0x0001 : 005  : 01   : yes
//! ```
//!
//! Older ones of it, as `ibdiagnet` writes too, begin with `osm_ucast_mgr_dump_ucast_routes`.
//!
//! Where tables end with a line of their own, all do, and one that does not is cut off. What that line counts are entries where they are
//! called valid; OpenSM has its highest LID there.
//!
//! Source: OpenSM 3.3.23, `osm_ucast_file.c` and `osm_dump.c`; infiniband-diags 44, ibroute(8).

use super::line::guid_of;
use crate::formats::words::{Word, Words};
use crate::identities::LAST_LID;
use std::collections::{BTreeMap, BTreeSet};
use turnwise_config::Flaw;

/// A port that means "no path".
pub const NO_PATH: u8 = 255;

/// The forwarding tables of a subnet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForwardingDump {
    /// In the order of the text.
    pub switches: Vec<SwitchTable>,
    /// By LID: the GUID of the port that has it, where the text says so.
    pub guids: BTreeMap<u32, u64>,
}

/// The forwarding table of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchTable {
    /// The switch's GUID.
    pub guid: u64,
    /// In the order of the text.
    pub entries: Vec<Entry>,
    /// Where in the text it begins.
    pub offset: usize,
}

/// An entry of a forwarding table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The destination's address.
    pub lid: u32,
    /// The port that leads there; 0 is the switch itself, 255 nowhere.
    pub port: u8,
    /// Where in the text it is.
    pub offset: usize,
}

/// Reads a dump.
///
/// # Errors
/// The first line that is not understood, or says of a LID what another one contradicts.
pub fn read(text: &str) -> Result<ForwardingDump, Flaw> {
    let mut reading = Reading {
        switches: BTreeSet::new(),
        tables: Vec::new(),
        ports: vec![None; LAST_LID as usize + 1],
        guids: vec![None; LAST_LID as usize + 1],
        rows: Rows::default(),
        ends: Vec::new(),
        nobodys: 0,
        in_multicast: false,
    };
    // Windows programs put a byte order mark in front of their text files.
    let mut start = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    while start < text.len() {
        if let Some((Row { lid, length, .. }, port)) = reading.rows.like_before(text, start) {
            let offset = start;
            reading.enter(Entry { lid, port, offset })?;
            start += length;
            continue;
        }
        let rest = &text[start..];
        let line = rest.split_inclusive('\n').next().unwrap_or(rest);
        match usual(line.as_bytes()) {
            Some((lid, port, guid, place)) if !reading.tables.is_empty() => {
                let offset = start;
                reading.enter(Entry { lid, port, offset })?;
                reading.name(lid, guid, start + place)?;
                let length = line.len();
                reading.rows.add(Row { lid, start, length });
            }
            _ => reading.line(line, start)?,
        }
        start += line.len();
    }
    reading.check_ends()?;
    let lids = (0..).zip(&reading.guids);
    let guids = lids.filter_map(|(lid, guid)| Some((lid, (*guid)?)));
    match reading.tables.is_empty() {
        true => Err(Flaw::at(0, "there are no forwarding tables in this file")),
        false => Ok(ForwardingDump {
            guids: guids.collect(),
            switches: reading.tables,
        }),
    }
}

/// LID, port, GUID and where that stands, of a line that is written as OpenSM and its tools do, so that nobody has to look for its words: large
/// fabrics have millions. What looks otherwise is read otherwise.
fn usual(line: &[u8]) -> Option<(u32, u8, u64, usize)> {
    let (entry, rest) = line.split_at_checked("0x0001 005 ".len())?;
    if !entry.starts_with(b"0x") || entry[6] != b' ' || entry[10] != b' ' {
        return None;
    }
    let rest = rest.strip_prefix(b": (").or(rest.strip_prefix(b"# "))?;
    let kinds: [&[u8]; 2] = [b"Channel Adapter portguid ", b"Switch portguid "];
    let rest = kinds.into_iter().find_map(|kind| rest.strip_prefix(kind))?;
    let (guid, end) = rest.split_at_checked("0x1000000000000011".len())?;
    let lid = u32::try_from(hexadecimal(&entry[2..6])?).ok()?;
    let port = decimal(&entry[PORT]);
    let guid_of = hexadecimal(guid.strip_prefix(b"0x")?)?;
    let is_usual = end.starts_with(b":") && (1..=LAST_LID).contains(&lid);
    let place = line.len() - rest.len();
    is_usual.then_some((lid, port?, guid_of, place))
}

/// Where a port stands in such a line.
const PORT: std::ops::Range<usize> = 7..10;

fn decimal(digits: &[u8]) -> Option<u8> {
    let number = digits.iter().try_fold(0, |number, &digit| {
        Some(10 * number + char::from(digit).to_digit(10)?)
    });
    u8::try_from(number?).ok()
}

fn hexadecimal(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0, |number, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        Some(number << 4 | u64::from(digit))
    })
}

/// A line with an entry, written as usual.
#[derive(Clone, Copy)]
struct Row {
    lid: u32,
    start: usize,
    length: usize,
}

/// The lines of the table before, and those of this one: most are as there, but for their ports.
#[derive(Default)]
struct Rows {
    before: Vec<Row>,
    now: Vec<Row>,
}

impl Rows {
    /// Another table begins.
    fn begin(&mut self) {
        if !self.now.is_empty() {
            self.before = std::mem::take(&mut self.now);
        }
    }

    fn add(&mut self, row: Row) {
        self.now.push(row);
    }

    /// The next row of the table before, if it stands here too, and its port here.
    fn like_before(&mut self, text: &str, start: usize) -> Option<(Row, u8)> {
        let row = *self.before.get(self.now.len())?;
        let line = |start: usize| text.as_bytes().get(start..start + row.length);
        let (line, before) = (line(start)?, line(row.start)?);
        let is_same = |part: fn(&[u8]) -> &[u8]| part(line) == part(before);
        if !is_same(|line| &line[..PORT.start]) || !is_same(|line| &line[PORT.end..]) {
            return None;
        }
        let port = decimal(&line[PORT])?;
        let row = Row { start, ..row };
        self.add(row);
        Some((row, port))
    }
}

/// What has been read so far.
struct Reading {
    switches: BTreeSet<u64>,
    tables: Vec<SwitchTable>,
    /// By LID: the last table that has a port for it, and the port.
    ports: Vec<Option<(usize, u8)>>,
    guids: Vec<Option<u64>>,
    rows: Rows,
    /// The numbers of tables that have an end, from 1, in ascending order.
    ends: Vec<usize>,
    /// Lines of the last table about nobody's address.
    nobodys: usize,
    /// Are the lines about groups of receivers, up to the next table?
    in_multicast: bool,
}

impl Reading {
    /// Any line.
    fn line(&mut self, line: &str, start: usize) -> Result<(), Flaw> {
        let mut words = Words::new(line, start);
        let Some(first) = words.next() else {
            return Ok(());
        };
        match first.text {
            word if word == "Unicast" || word.ends_with("dump_ucast_routes:") => {
                let table = header(line, start)?;
                if !self.switches.insert(table.guid) {
                    let message = format!(
                        "there is another table of switch {:#018x} above",
                        table.guid
                    );
                    return Err(Flaw::at(start, message));
                }
                self.tables.push(table);
                self.nobodys = 0;
                self.rows.begin();
                self.in_multicast = false;
            }
            _ if self.in_multicast => {}
            // Nobody's address, which some tools dump, too.
            word if is_zero(word) => self.nobodys += 1,
            word if word.starts_with("0x") => {
                if self.tables.is_empty() {
                    let message = "this entry belongs to no switch: there is no `Unicast lids ... of switch` above it";
                    return Err(Flaw::at(first.offset, message));
                }
                let entry = entry(first, &mut words)?;
                self.enter(entry)?;
                // What these lines say of destinations may stand behind a comment sign.
                if let Some((_, behind)) = line.split_once("portguid ") {
                    let place = start + (line.len() - behind.len());
                    let digits = behind.split([':', ')']).next().unwrap_or(behind).trim();
                    self.name(entry.lid, guid_of(digits, place)?, place)?;
                }
            }
            "LID" | "Lid" | "Port" | "***" | "PLFT_NUM:" => {}
            "Multicast" => self.in_multicast = true,
            word if line.contains("lids dumped") => {
                self.ends.push(self.tables.len());
                let counted = match words.next() {
                    Some(Word { text: "valid", .. }) => word.parse().unwrap_or(0),
                    _ => 0,
                };
                let entries = self.tables.last().map_or(0, |table| table.entries.len());
                let found = entries + self.nobodys;
                if found < counted {
                    let message = format!(
                        "this table has {counted} entries, and {found} of them are here: has somebody cut lines out?"
                    );
                    return Err(Flaw::at(start, message));
                }
            }
            word => {
                let message =
                    format!("expected `Unicast lids ... of switch` or an entry, found `{word}`");
                return Err(Flaw::at(first.offset, message));
            }
        }
        Ok(())
    }

    /// Refuses a table that does not end, where others do.
    fn check_ends(&self) -> Result<(), Flaw> {
        let mut numbered = self.tables.iter().zip(1..);
        let cut = numbered.find(|(_, number)| self.ends.binary_search(number).is_err());
        match cut {
            Some((table, _)) if !self.ends.is_empty() => {
                let message = "this table has no `.. lids dumped` at its end, as others have: is the file cut off?";
                Err(Flaw::at(table.offset, message))
            }
            _ => Ok(()),
        }
    }

    /// An entry of the last table.
    fn enter(&mut self, entry: Entry) -> Result<(), Flaw> {
        let number = self.tables.len();
        let before = self.ports[entry.lid as usize].replace((number, entry.port));
        let before = before.filter(|&(table, port)| table == number && port != entry.port);
        if let Some((_, port)) = before {
            let message = format!("LID {0} ({0:#06x}) had port {port} above", entry.lid);
            return Err(Flaw::at(entry.offset, message));
        }
        if let Some(table) = self.tables.last_mut() {
            table.entries.push(entry);
        }
        Ok(())
    }

    /// Whose a LID is.
    fn name(&mut self, lid: u32, guid: u64, place: usize) -> Result<(), Flaw> {
        let other = *self.guids[lid as usize].get_or_insert(guid);
        match other == guid {
            true => Ok(()),
            false => {
                let message = format!("LID {lid} ({lid:#06x}) was that of {other:#018x} before");
                Err(Flaw::at(place, message))
            }
        }
    }
}

fn is_zero(lid: &str) -> bool {
    let digits = lid.strip_prefix("0x").unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|digit| digit == b'0')
}

/// `Unicast lids [0-50] of switch Lid 2 guid 0x5000000000000001 ('sw0_0'):`
fn header(line: &str, start: usize) -> Result<SwitchTable, Flaw> {
    let behind = |word: &str| Some(line.find(word)? + word.len());
    let Some(at) = behind(" guid ").or_else(|| behind("routes: Switch ")) else {
        let message = "expected the GUID of a switch in this line";
        return Err(Flaw::at(start, message));
    };
    let digits = line[at..].split([' ', ':', '\t', '\r', '\n']).next();
    Ok(SwitchTable {
        guid: guid_of(digits.unwrap_or_default(), start + at)?,
        entries: Vec::new(),
        offset: start,
    })
}

/// `0x0001 005` or `0x0001 : 005`, and more that does not matter.
fn entry(first: Word<'_>, words: &mut Words<'_>) -> Result<Entry, Flaw> {
    let Word { text, offset } = first;
    let lid = u32::from_str_radix(text.trim_start_matches("0x"), 16).ok();
    let Some(lid) = lid.filter(|lid| (1..=LAST_LID).contains(lid)) else {
        let message = format!("expected a LID, 0x0001 to {LAST_LID:#06x}, found `{text}`");
        return Err(Flaw::at(offset, message));
    };
    let end = words.end;
    let Some(port) = words.find(|word| word.text != ":") else {
        return Err(Flaw::at(end, "expected a port, found the end of the line"));
    };
    let port = match port.text {
        "UNREACHABLE" => NO_PATH,
        text => text.parse().map_err(|_| {
            let message = format!("expected a port, 0 to 255, found `{text}`");
            Flaw::at(port.offset, message)
        })?,
    };
    Ok(Entry { lid, port, offset })
}
