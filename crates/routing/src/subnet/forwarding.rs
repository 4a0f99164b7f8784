//! The tables of a subnet that runs: what its switches have been programmed with, by whomever.
//!
//! `lft` is a dump of forwarding tables: OpenSM's own `opensm-lfts.dump` or `opensm.fdbs`, what `dump_lfts` or `ibroute` print, or
//! what `turnwise route --lft` writes. `service_levels` says the level of each pair: the policy OpenSM answers by, a list as
//! `ibdmchk` reads it, or path records as `saquery` prints them; without it all have level 0. `sl2vl` is OpenSM's dump of lanes; without it
//! a level has the lane of the same number, modulo `virtual_lanes`.
//!
//! Routes are taken as they are: whether they arrive, and whether they can deadlock, is for the verifier to find out. Devices are told by their
//! GUIDs, and where a dump knows none of a LID by the LIDs of the network's file, unless the two contradict each other. A LID of who has gone is that of who has it now. An adapter's port with several LIDs (LMC) has a route for each, and
//! each its own level, and packets may take any LID that the dump lists anywhere: who is named by a GUID is meant with all LIDs, who is named by a LID with that one.
//!
//! Source: InfiniBand Architecture Specification, volume 1, chapters 7 and 14; OpenSM 3.3.23.
//!
//! Complexity: O(entries) to read; two bytes for each router and LID of a terminal, one for each source and LID of a destination.

use super::lanes::SwitchLanes;
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use crate::irregular::lanes::budget;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use turnwise_config::Flaw;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::formats::infiniband::levels::{self, LevelRule, Party};
use turnwise_network::formats::infiniband::lft::{self, ForwardingDump, NO_PATH};
use turnwise_network::formats::infiniband::sl2vl;
use turnwise_network::identities::{Device, LAST_LID};
use turnwise_network::tables::ForwardingTable;
use turnwise_network::{
    Identities, Invalid, Network, Port, RouterId, Routing, Shape, TerminalId, Vc,
};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: "forwarding",
        aliases: &[],
        summary: "Any network: forwarding tables and service levels of an InfiniBand subnet, from files",
        source: "InfiniBand Architecture Specification, volume 1, chapters 7 and 14",
        example: "lft = \"opensm-lfts.dump\"",
        schema: schema_of::<Forwarding>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Forwarding, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |_| true,
};

/// Lanes that a switch uses if nobody says: most have as many.
const USUAL_LANES: Vc = 8;

/// Files of a subnet.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Forwarding {
    /// File of the forwarding tables.
    pub lft: String,
    /// File of the service levels; all are 0 without it.
    #[serde(default)]
    pub service_levels: Option<String>,
    /// File of the lanes of each service level; of the same number without it.
    #[serde(default)]
    pub sl2vl: Option<String>,
    /// Virtual lanes that service levels are dealt out to where `sl2vl` does not say: by default all the router has, or else 8.
    #[serde(default)]
    pub virtual_lanes: Option<Vc>,
}

impl Algorithm for Forwarding {
    fn files(&self) -> Vec<(&'static str, &str)> {
        let levels = self.service_levels.as_deref();
        let lanes = self.sl2vl.as_deref();
        std::iter::once(("lft", self.lft.as_str()))
            .chain(levels.map(|file| ("service_levels", file)))
            .chain(lanes.map(|file| ("sl2vl", file)))
            .collect()
    }

    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::NewRules
    }

    fn is_free_of_deadlock(&self, _: &Shape) -> bool {
        false
    }

    fn table_bytes(&self, network: &Network, _: &Context<'_>) -> u64 {
        let (routers, terminals) = (
            network.router_count() as u64,
            network.terminal_count() as u64,
        );
        let lids = terminals << network.identities().map_or(0, Identities::lmc);
        let lanes = self.sl2vl.as_ref();
        let of_lanes = lanes.map_or(0, |_| ForwardingTable::bytes_of_lanes(network));
        2 * routers * lids + terminals * lids + of_lanes
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        Ok(Box::new(self.table(network, context)?))
    }
}

impl Forwarding {
    /// The routes of these files.
    pub(super) fn table(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<ForwardingTable, Invalid> {
        Ok(self.table_and_heirs(network, context)?.0)
    }

    /// The same, and in ascending order terminals whose entries are those of who has gone, where lanes follow from levels.
    pub(super) fn table_and_heirs(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<(ForwardingTable, Vec<TerminalId>), Invalid> {
        let known = network.identities_or_made_up()?;
        let texts: Vec<_> = self.files().into_iter().zip(context.files).collect();
        let text = |field: &str| {
            let mut texts = texts.iter();
            texts.find(|((name, _), _)| *name == field).copied()
        };
        let Some(((_, file), lft)) = text("lft") else {
            return Err(Invalid::new(
                "lft",
                format!("{} has not been read", self.lft),
            ));
        };
        let subnet =
            Subnet::new(network, &known, lft).map_err(|flaw| flaw.in_file_of("lft", file, lft))?;
        let table = subnet.table();
        let mut table = table.map_err(|flaw| flaw.in_file_of("lft", file, lft))?;
        if let Some(((field, file), text)) = text("service_levels") {
            let levels = levels::read(text).and_then(|rules| subnet.levels(&rules));
            let levels = levels.map_err(|flaw| flaw.in_file_of(field, file, text))?;
            table = table.with_all_levels(levels)?;
        }
        if let Some(((field, file), text)) = text("sl2vl") {
            let lanes = subnet.lanes(text);
            let lanes = lanes.map_err(|flaw| flaw.in_file_of(field, file, text))?;
            let table = lanes.over(table, (network, &known), context)?;
            return Ok((table, Vec::new()));
        }
        let lanes = match (self.virtual_lanes, context.router_virtual_channels) {
            (None, None) => USUAL_LANES,
            _ => budget(self.virtual_lanes, network, context)?,
        };
        let total = context.router_virtual_channels.unwrap_or(lanes);
        let table = table.with_lanes(total, |level| level % lanes)?;
        let mut heirs = subnet.heirs;
        heirs.sort_unstable();
        heirs.dedup();
        Ok((table, heirs))
    }
}

/// A port has two to the power of its LMC, which is at most 7.
const MOST_LIDS: usize = 128;

/// In the place of a service level that no rule has told yet.
const UNTOLD: u8 = u8::MAX;

/// A dump and the network it is of. Switches and adapters of a dump that the network does not have are passed over: they may have failed
/// since.
struct Subnet<'a> {
    network: &'a Arc<Network>,
    known: &'a Identities,
    dump: ForwardingDump,
    /// By LID, for LIDs that are somebody's.
    devices: BTreeMap<u32, Device>,
    /// Terminals that have LIDs of who has gone.
    heirs: Vec<TerminalId>,
    /// By terminal: its LIDs in ascending order.
    lids: Vec<Vec<u32>>,
    /// A terminal has two to the power of this many LIDs, at most.
    lmc: u8,
    /// By GUID of a node, by GUID of a port: terminals.
    of_nodes: BTreeMap<u64, Vec<TerminalId>>,
    of_ports: BTreeMap<u64, TerminalId>,
    /// By GUID of a switch, or of its port 0 where no other switch has that.
    routers: BTreeMap<u64, RouterId>,
}

/// Whose a LID is in the fabric.
fn owner(known: &Identities, own: &BTreeMap<u32, Device>, lid: u32) -> Option<Device> {
    let (_, &device) = own.range(..=lid).next_back()?;
    device.lids(known).contains(&lid).then_some(device)
}

impl<'a> Subnet<'a> {
    fn new(network: &'a Arc<Network>, known: &'a Identities, text: &str) -> Result<Self, Flaw> {
        let dump = lft::read(text)?;
        let mut subnet = Self {
            network,
            known,
            devices: BTreeMap::new(),
            heirs: Vec::new(),
            lids: vec![Vec::new(); known.adapters.len()],
            lmc: 0,
            of_nodes: BTreeMap::new(),
            of_ports: BTreeMap::new(),
            routers: BTreeMap::new(),
            dump,
        };
        for (at, switch) in known.switches.iter().enumerate() {
            subnet.routers.insert(switch.guid, RouterId::from(at));
        }
        for (guid, at) in ports_of_switches(known) {
            subnet.routers.entry(guid).or_insert(at);
        }
        for (at, adapter) in known.adapters.iter().enumerate() {
            let of_node = subnet.of_nodes.entry(adapter.node_guid).or_default();
            of_node.push(TerminalId::from(at));
            subnet.of_ports.insert(adapter.guid, TerminalId::from(at));
        }
        subnet.address()?;
        Ok(subnet)
    }

    /// Finds out whose the LIDs are.
    fn address(&mut self) -> Result<(), Flaw> {
        let by_port: BTreeMap<u64, Device> = self
            .known
            .devices()
            .map(|device| (device.guid(self.known), device))
            .collect();
        for (&lid, guid) in &self.dump.guids {
            if let Some(&device) = by_port.get(guid) {
                self.devices.insert(lid, device);
            }
        }
        let own = self.known.by_lid();
        if self.dump.guids.is_empty() && own.is_empty() {
            let message = "this dump tells destinations by LIDs alone, and the network's file does not know any";
            let help =
                "take opensm-lfts.dump or the output of dump_lfts, or a network from ibnetdiscover";
            return Err(Flaw::general(message).with_help(help));
        }
        self.devices.extend(self.unnamed(&own));
        self.succeed(&own);
        for (&lid, &device) in &self.devices {
            if let Device::Adapter(terminal) = device {
                self.lids[terminal.index()].push(lid);
            }
        }
        if let Some(at) = self.lids.iter().position(|lids| lids.len() > MOST_LIDS) {
            let message = format!(
                "{} has {} LIDs in this dump; a port can have {MOST_LIDS}",
                self.network.terminal_label(TerminalId::from(at)),
                self.lids[at].len()
            );
            return Err(Flaw::general(message));
        }
        if self.lids.iter().all(Vec::is_empty) && !self.lids.is_empty() {
            let message = "no destination of this dump is an adapter of the network";
            let help = "where all adapters have been exchanged, make new tables for all pairs";
            return Err(Flaw::general(message).with_help(help));
        }
        let most = self.lids.iter().map(Vec::len).max().unwrap_or(1).max(1);
        self.lmc = most.next_power_of_two().trailing_zeros() as u8;
        Ok(())
    }

    /// Gives the LIDs of who has gone to who has them now: switches know LIDs, and who loads a file takes the LID of a GUID that is nobody's as it is.
    fn succeed(&mut self, own: &BTreeMap<u32, Device>) {
        let mut listed: BTreeMap<Device, Vec<u32>> = BTreeMap::new();
        let mut moved = BTreeSet::new();
        for (&lid, &device) in &self.devices {
            listed.entry(device).or_default().push(lid);
            if !self.agrees(own, lid, device) {
                moved.insert(device);
            }
        }
        let is_gone = |lid: &u32| !self.devices.contains_key(lid);
        let gone: Vec<u32> = self.dump.guids.keys().copied().filter(is_gone).collect();
        for lid in gone {
            let Some(heir) = owner(self.known, own, lid) else {
                continue;
            };
            // Where others have other LIDs than in the dump, LIDs of the fabric say nothing of it.
            if moved.iter().any(|&device| device != heir) {
                continue;
            }
            // Entries of another LID that it had are moved to this one, and of two the later counts.
            let lids = heir.lids(self.known);
            let own = listed.entry(heir).or_default();
            let (kept, earlier): (Vec<u32>, Vec<u32>) =
                own.iter().copied().partition(|other| lids.contains(other));
            if earlier.iter().all(|&other| other < lid) {
                if !earlier.is_empty() {
                    self.devices.retain(|other, _| !earlier.contains(other));
                }
                self.devices.insert(lid, heir);
                *own = [kept, vec![lid]].concat();
                if let Device::Adapter(terminal) = heir {
                    self.heirs.push(terminal);
                }
            }
        }
    }

    /// Has a device the LID in the fabric that the dump gives it? LIDs that are made up say nothing.
    fn agrees(&self, own: &BTreeMap<u32, Device>, lid: u32, device: Device) -> bool {
        match owner(self.known, own, lid) {
            Some(other) => other == device,
            None => self.known.made_up_lids.contains(&device.lid(self.known)),
        }
    }

    /// Whose those LIDs are whose GUIDs the dump does not know, by what LIDs devices have in the fabric.
    fn unnamed(&self, own: &BTreeMap<u32, Device>) -> BTreeMap<u32, Device> {
        // LIDs that have changed since say nothing of others.
        let mut devices = self.devices.iter();
        if !devices.all(|(&lid, &device)| self.agrees(own, lid, device)) {
            return BTreeMap::new();
        }
        let mut is_listed = vec![false; LAST_LID as usize + 1];
        for entry in self.dump.switches.iter().flat_map(|table| &table.entries) {
            is_listed[entry.lid as usize] = true;
        }
        let lids = (0..=LAST_LID).filter(|&lid| is_listed[lid as usize]);
        let unnamed = lids.filter(|lid| !self.dump.guids.contains_key(lid));
        let owned = unnamed.filter_map(|lid| Some((lid, owner(self.known, own, lid)?)));
        owned.collect()
    }

    /// The routes.
    fn table(&self) -> Result<ForwardingTable, Flaw> {
        let lmc = self.lmc;
        let width = self.lids.len() << lmc;
        let mut columns = vec![None; LAST_LID as usize + 1];
        for (terminal, lids) in self.lids.iter().enumerate() {
            for (address, &lid) in lids.iter().enumerate() {
                // A fabric may claim LIDs that no dump can have.
                if let Some(column) = columns.get_mut(lid as usize) {
                    *column = Some((terminal << lmc) + address);
                }
            }
        }
        let mut ports: Vec<Option<Port>> = vec![None; self.network.router_count() * width];
        let mut switches = self.dump.switches.iter();
        if !switches.any(|switch| self.routers.contains_key(&switch.guid)) {
            let message = "no switch of this dump is in the network";
            return Err(Flaw::general(message));
        }
        let mut has_table = vec![false; self.network.router_count()];
        for switch in &self.dump.switches {
            let Some(&router) = self.routers.get(&switch.guid) else {
                continue;
            };
            if std::mem::replace(&mut has_table[router.index()], true) {
                let label = self.network.router_label(router);
                let message = format!("there is another table of {label} above");
                return Err(Flaw::at(switch.offset, message));
            }
            let numbered = |number| self.known.port_numbered(self.network, router, number);
            let of_number: Vec<Option<Port>> = (0..NO_PATH).map(numbered).collect();
            for entry in &switch.entries {
                let Some(column) = columns[entry.lid as usize] else {
                    continue;
                };
                let port = match entry.port {
                    0 | NO_PATH => continue,
                    number => of_number[usize::from(number)],
                };
                let Some(port) = port else {
                    let message = format!(
                        "{} has {} ports, not one of number {}",
                        self.network.router_label(router),
                        self.network.radix(router),
                        entry.port
                    );
                    return Err(Flaw::at(entry.offset, message));
                };
                ports[router.index() * width + column] = Some(port);
            }
        }
        let port = |router: RouterId, terminal: TerminalId, address| {
            let column = (terminal.index() << lmc) + address as usize;
            ports[router.index() * width + column]
        };
        let table = ForwardingTable::new(self.network, lmc, port)?;
        // What a dump lists of a port is one of its LIDs, at whichever switch, and wherever the others send it.
        Ok(match lmc {
            0 => table,
            _ => table.with_addresses(|terminal| self.lids[terminal.index()].len() as u32),
        })
    }

    /// The service levels, row by source, column by LID of a destination.
    fn levels(&self, rules: &[LevelRule]) -> Result<Vec<u8>, Flaw> {
        let width = self.lids.len() << self.lmc;
        let mut levels = vec![UNTOLD; self.lids.len() * width];
        let were_there: BTreeSet<u64> = self.dump.guids.values().copied().collect();
        let mut met = rules.is_empty();
        for rule in rules {
            let sources = self.parties(&rule.sources);
            let destinations = self.parties(&rule.destinations);
            met = met || self.is_of_this_fabric(rule, &were_there);
            for (source, _) in &sources {
                let row = &mut levels[source.index() * width..][..width];
                for (destination, addresses) in &destinations {
                    let own = &mut row[destination.index() << self.lmc..][addresses.clone()];
                    for level in own.iter_mut().filter(|level| **level == UNTOLD) {
                        *level = rule.level;
                    }
                }
            }
        }
        if let (false, Some(rule)) = (met, rules.first()) {
            let message = "nobody who is named from here on is an adapter of the network";
            return Err(Flaw::at(rule.offset, message));
        }
        for level in levels.iter_mut().filter(|level| **level == UNTOLD) {
            *level = 0;
        }
        Ok(levels)
    }

    /// Does a rule name anybody who is there, or was when the tables were made? Who has failed since has no packets, and a rule about nobody
    /// else says nothing. That there is a LID of the same number somewhere alone makes no destination known.
    fn is_of_this_fabric(&self, rule: &LevelRule, were_there: &BTreeSet<u64>) -> bool {
        let is_known = |party: &Party| match party {
            Party::Node(guid) => self.of_nodes.contains_key(guid),
            Party::Port(guid) => self.of_ports.contains_key(guid) || were_there.contains(guid),
            Party::Ports(first, last) => {
                let range = *first..=*last;
                self.of_ports.range(range.clone()).next().is_some()
                    || were_there.range(range).next().is_some()
            }
            Party::Lid(lid) => self.devices.contains_key(lid) || self.dump.guids.contains_key(lid),
            Party::All => true,
        };
        let mut named = rule.destinations.iter();
        rule.sources.iter().any(is_known)
            || named.any(|party| !matches!(party, Party::Lid(_)) && is_known(party))
    }

    /// The terminals among these, each with those of its LIDs that are meant; switches send and receive nothing that counts here.
    fn parties(&self, parties: &[Party]) -> Vec<(TerminalId, Range<usize>)> {
        let whole = |terminal: TerminalId| (terminal, 0..1 << self.lmc);
        let mut found = Vec::new();
        for party in parties {
            match *party {
                Party::Node(guid) => {
                    let ports = self.of_nodes.get(&guid).into_iter().flatten();
                    found.extend(ports.copied().map(whole));
                }
                Party::Port(guid) => found.extend(self.of_ports.get(&guid).copied().map(whole)),
                Party::Ports(first, last) => {
                    let ports = self.of_ports.range(first..=last);
                    found.extend(ports.map(|(_, &terminal)| whole(terminal)));
                }
                Party::All => found.extend(self.network.terminals().map(whole)),
                Party::Lid(lid) => {
                    if let Some(&Device::Adapter(terminal)) = self.devices.get(&lid) {
                        let lids = &self.lids[terminal.index()];
                        let address = lids.partition_point(|&other| other < lid);
                        found.push((terminal, address..address + 1));
                    }
                }
            }
        }
        found
    }

    /// The lanes, by router, ports and service level.
    fn lanes(&self, text: &str) -> Result<SwitchLanes, Flaw> {
        let mut lanes = SwitchLanes::default();
        for row in sl2vl::read(text)? {
            let Some(&router) = self.routers.get(&row.switch) else {
                continue;
            };
            let port = |number: u8| match self.known.port_numbered(self.network, router, number) {
                None if number > 0 => {
                    let label = self.network.router_label(router);
                    let message = format!("{label} has no port of number {number}");
                    Err(Flaw::at(row.offset, message))
                }
                port => Ok(port),
            };
            // A switch's own port 0 is nobody's whom packets come from here.
            if let (Some(from), Some(to)) = (port(row.from)?, port(row.to)?) {
                lanes.tell((router, from, to), row.lanes);
            }
        }
        self.check_lanes(&lanes)?;
        Ok(lanes)
    }

    /// Refuses lanes that leave open what packets take from one cabled port to another one.
    fn check_lanes(&self, lanes: &SwitchLanes) -> Result<(), Flaw> {
        let network = self.network;
        for router in network.routers().filter(|&router| network.is_alive(router)) {
            for to in network.neighbours(router).map(|next| next.port) {
                for from in 0..network.radix(router) as Port {
                    let is_cabled = network.in_channel(router, from).is_some();
                    if is_cabled && from != to && !lanes.are_told((router, from, to)) {
                        let [from, to] =
                            [from, to].map(|port| self.known.port(network, router, port));
                        let label = network.router_label(router);
                        let message =
                            format!("there are no lanes of {label} from port {from} to port {to}");
                        return Err(Flaw::general(message));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Switches by the GUIDs of their ports 0, which no two of them share.
fn ports_of_switches(known: &Identities) -> BTreeMap<u64, RouterId> {
    let (mut found, mut shared) = (BTreeMap::new(), BTreeSet::new());
    for (at, switch) in known.switches.iter().enumerate() {
        if found.insert(switch.port_guid, RouterId::from(at)).is_some() {
            shared.insert(switch.port_guid);
        }
    }
    found.retain(|guid, _| !shared.contains(guid));
    found
}
