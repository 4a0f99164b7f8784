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
//! some header lines. The other dump of OpenSM, `opensm.fdbs`, knows no GUIDs but those of switches:
//!
//! ```text
//! dump_ucast_routes: Switch 0x5000000000000001
//! LID    : Port : Hops : Optimal
//! 0x0001 : 005  : 01   : yes
//! ```
//!
//! Source: OpenSM 3.3.23, `osm_ucast_file.c` and `osm_dump.c`; infiniband-diags 44, ibroute(8).

use super::line::guid_of;
use crate::formats::words::{Word, Words, lines};
use crate::identities::{Device, Identities, LAST_LID};
use crate::ids::RouterId;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
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
    let mut dump = ForwardingDump::default();
    let mut switches = BTreeSet::new();
    // By LID: the port it has in the present table.
    let mut known = vec![None; LAST_LID as usize + 1];
    // What these lines say of destinations stands behind a comment sign.
    for (mut words, line) in lines(text).zip(text.split_inclusive('\n')) {
        let start = words.end - line.split('#').next().unwrap_or(line).trim_end().len();
        let Some(first) = words.next() else { continue };
        match first.text {
            "Unicast" | "dump_ucast_routes:" => {
                let table = header(line, start)?;
                if !switches.insert(table.guid) {
                    let message = format!(
                        "there is another table of switch {:#018x} above",
                        table.guid
                    );
                    return Err(Flaw::at(start, message));
                }
                known.fill(None);
                dump.switches.push(table);
            }
            word if word.starts_with("0x") => {
                let Some(table) = dump.switches.last_mut() else {
                    let message = "this entry belongs to no switch: there is no `Unicast lids ... of switch` above it";
                    return Err(Flaw::at(first.offset, message));
                };
                let entry = entry(first, &mut words)?;
                let before = known[entry.lid as usize].replace(entry.port);
                if let Some(port) = before.filter(|&port| port != entry.port) {
                    let message = format!("LID {0} ({0:#06x}) had port {port} above", entry.lid);
                    return Err(Flaw::at(entry.offset, message));
                }
                table.entries.push(entry);
                if let Some((_, behind)) = line.split_once("portguid ") {
                    let place = start + (line.len() - behind.len());
                    let digits = behind.split(':').next().unwrap_or(behind).trim();
                    let guid = guid_of(digits, place)?;
                    let other = *dump.guids.entry(entry.lid).or_insert(guid);
                    if other != guid {
                        let message = format!(
                            "LID {0} ({0:#06x}) was that of {other:#018x} before",
                            entry.lid
                        );
                        return Err(Flaw::at(place, message));
                    }
                }
            }
            "LID" | "Lid" | "Port" | "Multicast" | "***" => {}
            _ if line.contains("lids dumped") => {}
            word => {
                let message =
                    format!("expected `Unicast lids ... of switch` or an entry, found `{word}`");
                return Err(Flaw::at(first.offset, message));
            }
        }
    }
    match dump.switches.is_empty() {
        true => Err(Flaw::at(0, "there are no forwarding tables in this file")),
        false => Ok(dump),
    }
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

/// The table of one switch as the routing engine `file` of OpenSM loads it: `port` is asked for every device in turn.
///
/// OpenSM takes the GUIDs for the truth and not the LIDs, so these need not be those of the fabric. What has no port has no path.
pub fn write_switch(
    known: &Identities,
    router: RouterId,
    mut port: impl FnMut(Device) -> Option<u8>,
) -> String {
    let mut entries = Vec::new();
    for device in known.devices() {
        if let Some(port) = port(device) {
            entries.push((device.lid(known), port, device));
        }
    }
    entries.sort_unstable_by_key(|&(lid, ..)| lid);
    let own = &known.switches[router.index()];
    let last = entries.last().map_or(0, |&(lid, ..)| lid);
    // Writing into a string cannot fail.
    let mut text = String::new();
    let _ = writeln!(
        text,
        "Unicast lids [0x0-{last:#x}] of switch Lid {} guid {:#018x} ({}):",
        own.lid, own.guid, own.name
    );
    for (lid, port, device) in &entries {
        let (kind, guid, name) = match *device {
            Device::Switch(router) => {
                let switch = &known.switches[router.index()];
                ("Switch", switch.guid, &switch.name)
            }
            Device::Adapter(terminal) => {
                let adapter = &known.adapters[terminal.index()];
                ("Channel Adapter", adapter.guid, &adapter.name)
            }
        };
        let _ = writeln!(
            text,
            "{lid:#06x} {port:03} : ({kind} portguid {guid:#018x}: '{name}')"
        );
    }
    let _ = writeln!(text, "{} lids dumped", entries.len());
    text
}
