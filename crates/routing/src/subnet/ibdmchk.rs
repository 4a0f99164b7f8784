//! The files of `ibdmchk`, a checker of ibutils that looks for credit loops of its own.
//!
//! It always ends with a segmentation fault, behind its verdict: only what it prints counts. It tells sources by the GUIDs of their nodes, so
//! that all ports of an adapter must have the same service levels.
//!
//! Source: ibutils, ibdmchk(1), and its parsers in `ibdm/ibdm/Fabric.cpp`.

use super::programme::Programme;
use std::collections::BTreeMap;
use std::fmt::Write;
use turnwise_network::identities::Device;
use turnwise_network::{ChannelId, End, Invalid, RouterId, TerminalId};

// Writing into a string cannot fail.

impl Programme<'_> {
    /// `subnet.lst`: every link, in both directions.
    pub fn links(&self) -> String {
        let mut text = String::new();
        let network = self.network;
        let mut counts: BTreeMap<u64, u8> = BTreeMap::new();
        for adapter in &self.known.adapters {
            let count = counts.entry(adapter.node_guid).or_default();
            *count = adapter.port.max(*count);
        }
        for id in (0..network.total_channel_count()).map(ChannelId::from) {
            let channel = network.channel(id);
            let ends = [channel.source, channel.target];
            let lives = |end| match end {
                End::Terminal(terminal) => network.is_terminal_alive(terminal),
                End::Router(router, _) => network.is_alive(router),
            };
            if ends.into_iter().all(lives) {
                let [from, to] = ends.map(|end| self.end(end, &counts));
                let _ = writeln!(text, "{from} {to} PHY=4x LOG=ACT SPD=2.5");
            }
        }
        text
    }

    fn end(&self, end: End, counts: &BTreeMap<u64, u8>) -> String {
        let (kind, ports, node, guid, device, name, lid, port) = match end {
            End::Terminal(terminal) => {
                let own = &self.known.adapters[terminal.index()];
                let (node, guid) = (own.node_guid, own.guid);
                let count = counts.get(&node).copied().unwrap_or(own.port);
                (
                    "CA", count, node, guid, "5A44", &own.name, own.lid, own.port,
                )
            }
            End::Router(router, port) => {
                let own = &self.known.switches[router.index()];
                let radix = self.network.radix(router) as u8;
                let port = self.known.port(self.network, router, port);
                (
                    "SW",
                    radix,
                    own.guid,
                    own.port_guid,
                    "BD36",
                    &own.name,
                    own.lid,
                    port,
                )
            }
        };
        format!(
            "{{ {kind} Ports:{ports:02X} SystemGUID:{node:016x} NodeGUID:{node:016x} PortGUID:{guid:016x} \
             VenID:0002C9 DevID:{device} Rev:000000A1 {{{name}}} LID:{lid:04X} PN:{port:02X} }}"
        )
    }

    /// The forwarding table of a switch.
    pub fn forwarding_database(&self, at: RouterId) -> String {
        let switch = &self.known.switches[at.index()];
        let mut text = format!("dump_ucast_routes: Switch {:#018x}\n", switch.guid);
        text.push_str("LID    : Port : Hops : Optimal\n");
        let mut entries: Vec<(u32, u8)> = self
            .known
            .devices()
            .filter_map(|device| Some((device.lid(&self.known), self.port(at, device)?)))
            .collect();
        entries.sort_unstable();
        for (lid, port) in entries {
            let _ = writeln!(text, "0x{lid:04X} : {port:03}  : 00   : yes");
        }
        text
    }

    /// Refuses adapters whose ports have different service levels to somebody.
    ///
    /// # Errors
    /// The first such adapter, and to whom.
    pub fn check_nodes(&self) -> Result<(), Invalid> {
        let network = self.network;
        let own = |port: TerminalId| &self.known.adapters[port.index()];
        let mut nodes: BTreeMap<u64, Vec<TerminalId>> = BTreeMap::new();
        for port in network.living_terminals() {
            nodes.entry(own(port).node_guid).or_default().push(port);
        }
        for ports in nodes.values().filter(|ports| ports.len() > 1) {
            for to in network.living_terminals() {
                let mut others = ports.iter().copied().filter(|&port| port != to);
                let Some(first) = others.next() else { continue };
                let level = self.level(first, to);
                let Some(other) = others.find(|&other| self.level(other, to) != level) else {
                    continue;
                };
                let message = format!(
                    "packets to {} have service level {level} from port {} of {} ({:#018x}) and {} from its port {}; ibdmchk knows one for \
                     each adapter",
                    network.terminal_label(to),
                    own(first).port,
                    own(first).name,
                    own(first).node_guid,
                    self.level(other, to),
                    own(other).port
                );
                let help = "leave --ibdmchk out: `turnwise verify` takes the policy of --service-levels, which is by port";
                return Err(Invalid::new("", message).with_help(help));
            }
        }
        Ok(())
    }

    /// The service levels of packets from a terminal: `GUID of its node, LID, level`.
    pub fn path_levels(&self, source: TerminalId) -> String {
        let own = &self.known.adapters[source.index()];
        let ports = self.known.adapters.iter();
        let is_alone = ports.filter(|port| port.node_guid == own.node_guid).count() == 1;
        let mut text = String::new();
        for device in self.known.devices() {
            let level = match device {
                // What other ports of the node send there has a level.
                Device::Adapter(terminal) if terminal == source && !is_alone => continue,
                Device::Adapter(terminal) => self.level(source, terminal),
                Device::Switch(_) => 0,
            };
            let lid = device.lid(&self.known);
            let _ = writeln!(text, "{:#018x} {lid} {level}", own.node_guid);
        }
        text
    }

    /// The lanes of a switch.
    pub fn packed_lane_rows(&self, at: RouterId) -> String {
        let switch = &self.known.switches[at.index()];
        let ports = self.network.radix(at) as u8;
        let mut text = String::new();
        for to in 1..=ports {
            for from in 0..=ports {
                let lanes = self
                    .packed_lanes(at, from, to)
                    .map(|both| format!("{both:#04x}"));
                let _ = writeln!(
                    text,
                    "{:#018x} {from} {to} {}",
                    switch.guid,
                    lanes.join(" ")
                );
            }
        }
        text
    }
}
