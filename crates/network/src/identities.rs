//! What the parts of a real fabric are called where they stand: names, GUIDs, LIDs and the numbers on the ports.
//!
//! The words are those of the InfiniBand Architecture Specification, volume 1, chapters 4 and 14: a GUID is burnt into a device, a
//! LID is its address in the subnet, and ports of a switch are numbered from 1; its port 0 is the switch itself.

use crate::ids::{Port, RouterId, TerminalId};
use crate::network::Network;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use turnwise_config::diagnostic::Invalid;

/// The last LID of a single device; those above are for multicast.
pub const LAST_LID: u32 = 0xbfff;

/// The most ports a switch can have: their numbers are bytes, and 255 means none.
pub const MOST_PORTS: u8 = 254;

/// The identities of all parts of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identities {
    /// By router.
    pub switches: Vec<SwitchIdentity>,
    /// By terminal.
    pub adapters: Vec<AdapterIdentity>,
    /// The switch's own number of every port of every router, at its place in
    /// [an array of all ports](Network::port_range).
    pub ports: Vec<u8>,
    /// LIDs that are made up, since the fabric's file has none for who has them here.
    pub made_up_lids: BTreeSet<u32>,
    /// What several switches are called, and what several ports of adapters.
    pub(crate) shared_names: [BTreeSet<String>; 2],
}

/// What a router is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchIdentity {
    /// What people call it.
    pub name: String,
    /// Of the node, by which tables and programs call the switch.
    pub guid: u64,
    /// Of its port 0, by which tables call it as a destination; mostly the same.
    pub port_guid: u64,
    /// Its address.
    pub lid: u32,
}

/// What a terminal is: one port of a channel adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterIdentity {
    /// What people call the adapter.
    pub name: String,
    /// Of the node.
    pub node_guid: u64,
    /// Of the port.
    pub guid: u64,
    /// Which port of the adapter.
    pub port: u8,
    /// The port's address, or the first one of several.
    pub lid: u32,
    /// It has two to the power of this many.
    pub lmc: u8,
    /// Is it a host's? Routers to other subnets and what switches aggregate with have adapters, too.
    pub is_host: bool,
}

/// Whatever has an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Device {
    /// A switch.
    Switch(RouterId),
    /// A port of an adapter.
    Adapter(TerminalId),
}

impl Device {
    /// Its address.
    pub fn lid(self, known: &Identities) -> u32 {
        match self {
            Self::Switch(router) => known.switches[router.index()].lid,
            Self::Adapter(terminal) => known.adapters[terminal.index()].lid,
        }
    }

    /// All its addresses.
    pub fn lids(self, known: &Identities) -> Range<u32> {
        let first = self.lid(known);
        let lmc = match self {
            Self::Switch(_) => 0,
            Self::Adapter(terminal) => known.adapters[terminal.index()].lmc,
        };
        first..first + (1 << lmc)
    }

    /// The GUID of its port.
    pub fn guid(self, known: &Identities) -> u64 {
        match self {
            Self::Switch(router) => known.switches[router.index()].port_guid,
            Self::Adapter(terminal) => known.adapters[terminal.index()].guid,
        }
    }
}

impl AdapterIdentity {
    /// What a port is called: as its adapter is, if it is the first. Others may be called the same.
    pub fn label(&self) -> String {
        match self.port {
            1 => self.name.clone(),
            port => format!("{}[{port}]", self.name),
        }
    }
}

/// Names that occur more than once.
fn shared(names: impl Iterator<Item = String>) -> BTreeSet<String> {
    let (mut once, mut more) = (BTreeSet::new(), BTreeSet::new());
    for name in names {
        if !once.insert(name.clone()) {
            more.insert(name);
        }
    }
    more
}

impl Identities {
    /// What a switch is called, with its LID or GUID if others are called the same.
    pub(crate) fn switch_label(&self, router: RouterId) -> String {
        let switch = &self.switches[router.index()];
        self.told_apart(0, switch.name.clone(), (switch.lid, switch.guid))
    }

    /// A name of one of two kinds, with what tells apart those that share it.
    fn told_apart(&self, kind: usize, name: String, (lid, guid): (u32, u64)) -> String {
        match self.shared_names[kind].contains(&name) {
            false => name,
            true if self.made_up_lids.contains(&lid) => format!("{name} ({guid:#018x})"),
            true => format!("{name} (lid {lid})"),
        }
    }

    /// Identities for a network that has none: routers are `router-5`, terminals `terminal-17`, ports are numbered from 1, and
    /// switches have the first LIDs.
    ///
    /// # Errors
    /// A router with more ports than a switch can have.
    pub fn made_up(network: &Network) -> Result<Self, Invalid> {
        let switches = network.routers().map(|router| {
            let guid = 0x5000_0000_0000_0001 + u64::from(router.0);
            SwitchIdentity {
                name: format!("router-{router}"),
                guid,
                port_guid: guid,
                lid: 1 + router.0,
            }
        });
        let routers = network.router_count() as u32;
        let adapters = network.terminals().map(|terminal| {
            let node_guid = 0x1000_0000_0000_0010 + 0x10 * u64::from(terminal.0);
            AdapterIdentity {
                name: format!("terminal-{terminal}"),
                node_guid,
                guid: node_guid + 1,
                port: 1,
                lid: 1 + routers + terminal.0,
                lmc: 0,
                is_host: true,
            }
        });
        let mut ports = Vec::with_capacity(network.port_count());
        for router in network.routers() {
            let radix = network.radix(router);
            if radix > usize::from(MOST_PORTS) {
                let message = format!(
                    "{} has {radix} ports; a switch can have {MOST_PORTS}",
                    network.router_label(router)
                );
                return Err(Invalid::new("", message));
            }
            ports.extend(1..=radix as u8);
        }
        Ok(Self {
            switches: switches.collect(),
            adapters: adapters.collect(),
            ports,
            made_up_lids: (1..=routers + network.terminal_count() as u32).collect(),
            shared_names: [BTreeSet::new(), BTreeSet::new()],
        })
    }

    /// The switch's own number of a router's port.
    pub fn port(&self, network: &Network, router: RouterId, port: Port) -> u8 {
        self.ports[network.port_range(router).start + usize::from(port)]
    }

    /// The router's port that the switch gives this number.
    pub fn port_numbered(&self, network: &Network, router: RouterId, number: u8) -> Option<Port> {
        let ports = &self.ports[network.port_range(router)];
        let at = ports.iter().position(|&port| port == number);
        at.map(|port| port as Port)
    }

    /// Every device, switches first.
    pub fn devices(&self) -> impl Iterator<Item = Device> + use<> {
        let switches = (0..self.switches.len()).map(|at| Device::Switch(RouterId::from(at)));
        let adapters = (0..self.adapters.len()).map(|at| Device::Adapter(TerminalId::from(at)));
        switches.chain(adapters)
    }

    /// Two to the power of this many LIDs has the port of an adapter that has most of them.
    pub fn lmc(&self) -> u8 {
        let all = self.adapters.iter().map(|adapter| adapter.lmc);
        all.max().unwrap_or(0)
    }

    /// The devices by the LIDs that they have in the fabric; of several LIDs of a port, by the first.
    pub fn by_lid(&self) -> BTreeMap<u32, Device> {
        let devices = self.devices().map(|device| (device.lid(self), device));
        devices
            .filter(|(lid, _)| !self.made_up_lids.contains(lid))
            .collect()
    }

    /// Gives every device whose LID is 0 the first one that is nobody's, switches first.
    pub fn make_up_lids(&mut self) {
        let taken: BTreeSet<u32> = self
            .devices()
            .flat_map(|device| device.lids(self))
            .collect();
        let mut free = (1..).filter(|lid| !taken.contains(lid));
        let switches = self.switches.iter_mut().map(|switch| &mut switch.lid);
        let adapters = self.adapters.iter_mut().map(|adapter| &mut adapter.lid);
        let without = switches.chain(adapters).filter(|lid| **lid == 0);
        for (lid, number) in without.zip(&mut free) {
            *lid = number;
            self.made_up_lids.insert(number);
        }
    }
}

impl Network {
    /// What its parts are called, if it was read from a real fabric.
    pub fn identities(&self) -> Option<&Identities> {
        self.identities.as_deref()
    }

    /// What its parts are called, made up if it is nowhere but in a study.
    ///
    /// # Errors
    /// A router with more ports than a switch can have, more parts than there are LIDs.
    pub fn identities_or_made_up(&self) -> Result<Arc<Identities>, Invalid> {
        let identities = match &self.identities {
            Some(identities) => identities.clone(),
            None => Arc::new(Identities::made_up(self)?),
        };
        let count = self.router_count() + self.terminal_count();
        if count > LAST_LID as usize {
            let message = format!(
                "there are {LAST_LID} LIDs in a subnet; {} needs {count}",
                self.description()
            );
            return Err(Invalid::new("", message));
        }
        Ok(identities)
    }

    /// The same network with names for its parts.
    #[must_use]
    pub fn with_identities(self, mut identities: Identities) -> Self {
        let switches = identities.switches.iter().map(|switch| switch.name.clone());
        let adapters = identities.adapters.iter().map(AdapterIdentity::label);
        identities.shared_names = [shared(switches), shared(adapters)];
        debug_assert_eq!(identities.switches.len(), self.router_count());
        debug_assert_eq!(identities.adapters.len(), self.terminal_count());
        debug_assert_eq!(identities.ports.len(), self.port_count());
        Self {
            identities: Some(Arc::new(identities)),
            ..self
        }
    }

    /// A terminal's name: `terminal 5`, or what its adapter is called, with its LID or GUID if others are called the same.
    pub fn terminal_label(&self, terminal: TerminalId) -> String {
        match self.identities() {
            Some(known) => {
                let adapter = &known.adapters[terminal.index()];
                known.told_apart(1, adapter.label(), (adapter.lid, adapter.guid))
            }
            None => format!("terminal {terminal}"),
        }
    }
}
