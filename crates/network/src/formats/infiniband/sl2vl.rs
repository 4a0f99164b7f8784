//! Which virtual lane packets of a service level take, by switch and ports, as OpenSM dumps it.
//!
//! ```text
//! Switch 0x5000000000000001, base LID 2, "sw0_0"
//! #in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
//! #--------------------------------------------------------
//! 0   1   : 0  1  0  1  0  1  0  1  0  1  0  1  0  1  0  1
//! ```
//!
//! So `opensm-sl2vl.dump`. `ibdmchk` reads the same as `0x5000000000000001 0 1 0x01 0x01 ...`: the lanes of two service levels a byte,
//! that of the lower one first. Both are read.
//!
//! Source: OpenSM 3.3.23, `osm_qos.c`; ibutils, ibdmchk(1).

use super::line::guid_of;
use crate::formats::words::lines;
use crate::identities::SwitchIdentity;
use std::collections::BTreeMap;
use std::fmt::Write;
use turnwise_config::Flaw;

/// The lanes of all service levels from one port of a switch to another one.
pub type LevelLanes = [u8; 16];

/// The lanes between two ports of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneRow {
    /// The switch's GUID.
    pub switch: u64,
    /// The port packets come by; 0 is the switch itself.
    pub from: u8,
    /// The port they leave by.
    pub to: u8,
    /// By service level.
    pub lanes: LevelLanes,
    /// Where in the text it is.
    pub offset: usize,
}

/// Reads a table in either form. Rows of adapters are passed over: packets leave them as they please.
///
/// # Errors
/// The first line that is not understood, or says of two ports what another one contradicts.
pub fn read(text: &str) -> Result<Vec<LaneRow>, Flaw> {
    let (mut rows, mut switch) = (Vec::new(), None);
    let mut known = BTreeMap::new();
    for mut words in lines(text) {
        let end = words.end;
        let Some(first) = words.next() else { continue };
        let offset = first.offset;
        let port = |word: &str, offset: usize| {
            word.parse::<u8>().map_err(|_| {
                let message = format!("expected a port, 0 to 254, found `{word}`");
                Flaw::at(offset, message)
            })
        };
        match first.text {
            "Switch" | "Channel" | "Router" => {
                let guid = words.find(|word| word.text.starts_with("0x"));
                let guid = guid.ok_or_else(|| Flaw::at(end, "expected a GUID in this line"))?;
                let digits = guid.text.trim_end_matches(',');
                switch = Some((first.text == "Switch", guid_of(digits, guid.offset)?));
            }
            word => {
                let (guid, is_switch, from) = match word.strip_prefix("0x") {
                    Some(digits) => {
                        let from = words.next();
                        let from = from.ok_or_else(|| Flaw::at(end, "expected a port"))?;
                        (
                            guid_of(digits, offset)?,
                            true,
                            port(from.text, from.offset)?,
                        )
                    }
                    None => match switch {
                        Some((is_switch, guid)) => (guid, is_switch, port(word, offset)?),
                        None => {
                            let message = format!("expected `Switch 0x...`, found `{word}`");
                            return Err(Flaw::at(offset, message));
                        }
                    },
                };
                let to = words.next();
                let to = to.ok_or_else(|| Flaw::at(end, "expected a port"))?;
                let to = port(to.text, to.offset)?;
                let mut lanes = Vec::new();
                for word in words.filter(|word| word.text != ":") {
                    let message = || format!("expected a virtual lane, found `{}`", word.text);
                    let flaw = |_| Flaw::at(word.offset, message());
                    match word.text.strip_prefix("0x") {
                        Some(digits) => {
                            let both = u8::from_str_radix(digits, 16).map_err(flaw)?;
                            lanes.extend([both >> 4, both & 15]);
                        }
                        None => lanes.push(word.text.parse().map_err(flaw)?),
                    }
                }
                let found = lanes.len();
                let lanes = <LevelLanes>::try_from(lanes).map_err(|_| {
                    let message = format!("expected lanes of 16 service levels, found {found}");
                    Flaw::at(offset, message)
                })?;
                if let Some(lane) = lanes.iter().find(|&&lane| lane > 15) {
                    let message =
                        format!("there are virtual lanes 0 to 15, not one of number {lane}");
                    return Err(Flaw::at(offset, message));
                }
                if is_switch {
                    let before = *known.entry((guid, from, to)).or_insert(lanes);
                    if before != lanes {
                        let message = format!(
                            "switch {guid:#018x} had other lanes from port {from} to port {to} above"
                        );
                        return Err(Flaw::at(offset, message));
                    }
                    rows.push(LaneRow {
                        switch: guid,
                        from,
                        to,
                        lanes,
                        offset,
                    });
                }
            }
        }
    }
    match rows.is_empty() {
        true => Err(Flaw::at(0, "there are no lanes of switches in this file")),
        false => Ok(rows),
    }
}

/// Writes the lanes of a switch with so many ports, as OpenSM dumps them.
pub fn write_switch(
    switch: &SwitchIdentity,
    ports: u8,
    mut lane: impl FnMut(u8, u8, u8) -> u8,
) -> String {
    // Writing into a string cannot fail.
    let mut text = String::new();
    let (guid, lid, name) = (switch.guid, switch.lid, &switch.name);
    let _ = writeln!(text, "Switch {guid:#018x}, base LID {lid}, \"{name}\"");
    text.push_str("#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n");
    text.push_str("#--------------------------------------------------------\n");
    for to in 1..=ports {
        for from in 0..=ports {
            let lanes: Vec<String> = (0..16)
                .map(|level| lane(from, to, level).to_string())
                .collect();
            let lanes: Vec<String> = lanes.iter().map(|lane| format!("{lane:<2}")).collect();
            let _ = writeln!(text, "{from:<3} {to:<3} : {}", lanes.join(" "));
        }
    }
    text
}
