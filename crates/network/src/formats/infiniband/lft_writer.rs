//! Writes forwarding tables as the routing engine `file` of OpenSM loads them.
//!
//! The lines of all tables differ in their ports alone, so they are made once.

use crate::identities::{Device, Identities};
use crate::ids::RouterId;
use std::fmt::Write;
use std::sync::Arc;

/// Tables of the switches of a fabric; [`read`](super::lft::read) gives them back.
///
/// OpenSM takes the GUIDs for the truth and not the LIDs, so these need not be those of the fabric.
pub struct TableWriter {
    known: Arc<Identities>,
    /// By LID: who it is of, and what stands before the port and behind it.
    lines: Vec<(Device, String, String)>,
}

impl TableWriter {
    /// For all switches of a fabric. O(devices log devices).
    pub fn new(known: &Arc<Identities>) -> Self {
        let mut devices: Vec<Device> = known.devices().collect();
        devices.sort_by_key(|device| device.lid(known));
        let lines = devices.into_iter().map(|device| {
            let (kind, name) = match device {
                Device::Switch(router) => ("Switch", &known.switches[router.index()].name),
                Device::Adapter(terminal) => {
                    ("Channel Adapter", &known.adapters[terminal.index()].name)
                }
            };
            let guid = device.guid(known);
            let begin = format!("{:#06x} ", device.lid(known));
            (
                device,
                begin,
                format!(" : ({kind} portguid {guid:#018x}: '{name}')\n"),
            )
        });
        Self {
            lines: lines.collect(),
            known: known.clone(),
        }
    }

    /// The table of one switch: `port` is asked for every device in turn. What has no port has no path.
    pub fn switch(&self, router: RouterId, mut port: impl FnMut(Device) -> Option<u8>) -> String {
        let (mut entries, mut count, mut last) = (String::new(), 0, 0);
        for (device, begin, end) in &self.lines {
            let Some(port) = port(*device) else { continue };
            let digits = [port / 100, port / 10 % 10, port % 10];
            entries.push_str(begin);
            entries.extend(digits.map(|digit| char::from(b'0' + digit)));
            entries.push_str(end);
            (count, last) = (count + 1, device.lid(&self.known));
        }
        let own = &self.known.switches[router.index()];
        let mut text = String::with_capacity(entries.len() + 200);
        // Writing into a string cannot fail.
        let _ = writeln!(
            text,
            "Unicast lids [0x0-{last:#x}] of switch Lid {} guid {:#018x} ({}):",
            own.lid, own.guid, own.name
        );
        text.push_str(&entries);
        let _ = writeln!(text, "{count} lids dumped");
        text
    }
}
