//! A fabric: switches, adapters, and the cables between their ports.

use super::rate::interval;
use crate::formats::listing::{ListedLink, ListedRouter, Listing};
use crate::identities::{AdapterIdentity, Identities, SwitchIdentity};
use crate::ids::Port;
use crate::interval::LONGEST_INTERVAL;
use crate::network::ChannelClass;
use std::collections::{BTreeMap, BTreeSet};
use turnwise_config::Flaw;

/// A fabric as its tools list it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fabric {
    /// In the order of the file.
    pub nodes: Vec<Node>,
    /// Each once, in the order of the file.
    pub cables: Vec<Cable>,
}

/// A switch or an adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// What the file calls it, `S-5000000000000001`.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The node GUID, if the file has it.
    pub guid: Option<u64>,
    /// External ports, numbered from 1.
    pub ports: u8,
    /// What is known of its ports as ends of the subnet, by number: port 0 of a switch, all others of an adapter.
    pub addresses: BTreeMap<u8, Address>,
}

/// What a port is addressed by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// Its GUID, if the file has it.
    pub guid: Option<u64>,
    /// Its LID, if the file has it.
    pub lid: Option<u32>,
    /// It has two to the power of this many LIDs, from that on, if the file says so; one if not.
    pub lmc: Option<u8>,
}

/// What has ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// Forwards.
    Switch,
    /// Sends and receives: a channel adapter.
    Adapter,
    /// As an adapter, but on behalf of other subnets.
    Router,
}

/// A cable between two ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cable {
    /// Nodes, by their place among all, and ports.
    pub ends: [(usize, u8); 2],
    /// Megabits a second that it carries each way, if the file says so.
    pub rate: Option<u32>,
    /// Where in the text it is listed.
    pub offset: usize,
}

impl Node {
    /// Is it an adapter that somebody's programs send by? The units that add up what passes a switch (SHARP) are adapters, too, and told by
    /// what they are called alone.
    fn is_host(&self) -> bool {
        self.kind == NodeKind::Adapter && !self.name.contains("Aggregation Node")
    }
}

impl Fabric {
    /// The switches as routers, in the order of the file, and every adapter's port with a cable to one of them as a terminal.
    ///
    /// Ports of a router are its terminals' first, then all others, both in the order of the switch's own. So one without a
    /// cable leads nowhere. A flit occupies the fastest cables between switches
    /// and of hosts for a cycle, and slower ones for as many as they are slower; those whose speed is not told are as fast.
    ///
    /// # Errors
    /// A cable between two adapters.
    pub fn listing(&self) -> Result<Listing, Flaw> {
        let mut numbers = vec![None; self.nodes.len()];
        let is_switch = |node: &usize| self.nodes[*node].kind == NodeKind::Switch;
        let switches: Vec<usize> = (0..self.nodes.len()).filter(is_switch).collect();
        for (number, &node) in (0..).zip(&switches) {
            numbers[node] = Some(number);
        }
        let ports = self.ports()?;
        let routers = switches.iter().map(|&node| {
            let ports = &ports[node];
            let terminals = ports.values().filter(|port| port.is_terminal).count();
            ListedRouter {
                terminals: Some(terminals as u32),
                ports: Some(self.nodes[node].ports.into()),
                ..ListedRouter::default()
            }
        });
        // A plug for tests and the units that add up on the way are no measure for hosts.
        let is_measure = |cable: &&Cable| {
            let [(a, _), (b, _)] = cable.ends;
            let nodes = [a, b].map(|node| &self.nodes[node]);
            a != b
                && nodes
                    .iter()
                    .all(|node| node.kind == NodeKind::Switch || node.is_host())
        };
        let measures = self.cables.iter().filter(is_measure);
        let fastest = measures.filter_map(|cable| cable.rate).max();
        let slowed = |cable: &Cable| {
            let (fastest, rate) = (fastest?, cable.rate?);
            Some(interval(fastest, rate).min(LONGEST_INTERVAL)).filter(|&cycles| cycles > 1)
        };
        let mut links = Vec::new();
        // By switch and port, as terminals are counted.
        let mut terminals = BTreeMap::new();
        for cable in &self.cables {
            let [(a, from), (b, to)] = cable.ends;
            // Who is cabled to itself gains nothing by it.
            if a == b {
                continue;
            }
            for end @ (node, port) in cable.ends {
                if ports[node].get(&port).is_some_and(|port| port.is_terminal) {
                    terminals.insert(end, slowed(cable).unwrap_or(1));
                }
            }
            if let (Some(router), Some(other)) = (numbers[a], numbers[b]) {
                links.push(ListedLink {
                    ends: [router, other],
                    ports: Some([ports[a][&from].number, ports[b][&to].number]),
                    latency: None,
                    interval: slowed(cable),
                    class: ChannelClass::Local,
                    one_way: false,
                    offset: Some(cable.offset),
                });
            }
        }
        Ok(Listing {
            terminals_per_router: Some(0),
            routers: routers.collect(),
            terminal_intervals: Some(terminals.into_values().collect()),
            links,
            ..Listing::default()
        })
    }

    /// What the parts of the [listing's](Self::listing) network are called.
    ///
    /// GUIDs that the file does not have are those that `ibsim` makes up: those of ports by adding their number to that of the
    /// node. LIDs are made up where the file has none.
    ///
    /// # Errors
    /// A cable between two adapters.
    pub fn identities(&self) -> Result<Identities, Flaw> {
        let ports = self.ports()?;
        let mut behind = BTreeMap::new();
        for cable in &self.cables {
            let [a, b] = cable.ends;
            behind.extend([(a, b), (b, a)]);
        }
        let (mut switches, mut adapters, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        let mut lids = BTreeSet::new();
        let mut lid_of = |address: Address| {
            let lid = address.lid.filter(|&lid| lids.insert(lid));
            lid.unwrap_or(0)
        };
        let guids = self.guids();
        for (number, node) in self.nodes.iter().enumerate() {
            if node.kind != NodeKind::Switch {
                continue;
            }
            let address = node.addresses.get(&0).copied().unwrap_or_default();
            switches.push(SwitchIdentity {
                name: node.name.clone(),
                guid: guids[number],
                port_guid: address.guid.unwrap_or(guids[number]),
                lid: lid_of(address),
            });
            let mut in_order: Vec<(Port, u8, bool)> = ports[number]
                .iter()
                .map(|(&number, port)| (port.number, number, port.is_terminal))
                .collect();
            in_order.sort_unstable();
            for (_, port, is_terminal) in in_order {
                numbers.push(port);
                if let Some(&(node, port)) = behind.get(&(number, port)).filter(|_| is_terminal) {
                    let adapter = &self.nodes[node];
                    let node_guid = guids[node];
                    let address = adapter.addresses.get(&port).copied().unwrap_or_default();
                    let lid = lid_of(address);
                    // Whoever has no address has no more of them either.
                    let lmc = address.lmc.filter(|_| lid > 0).unwrap_or(0);
                    adapters.push(AdapterIdentity {
                        name: adapter.name.clone(),
                        node_guid,
                        guid: address.guid.unwrap_or(node_guid.wrapping_add(port.into())),
                        port,
                        lid,
                        lmc,
                        is_host: adapter.is_host(),
                    });
                }
            }
        }
        let mut identities = Identities {
            switches,
            adapters,
            ports: numbers,
            made_up_lids: BTreeSet::new(),
            shared_names: Default::default(),
        };
        identities.make_up_lids();
        Ok(identities)
    }

    /// By node: its GUID. Nodes of each kind without one count on from the one before, or from where `ibsim` starts; adapters have one for
    /// each port as well (`ibsim/sim_net.c`).
    fn guids(&self) -> Vec<u64> {
        let taken: BTreeSet<u64> = self.nodes.iter().filter_map(|node| node.guid).collect();
        let [mut switches, mut adapters, mut routers] = [0x20_0000, 0x10_0000, 0];
        let of_node = |node: &Node| {
            let (next, used) = match node.kind {
                NodeKind::Switch => (&mut switches, 1),
                NodeKind::Adapter => (&mut adapters, u64::from(node.ports) + 1),
                NodeKind::Router => (&mut routers, u64::from(node.ports) + 1),
            };
            let guid = node.guid.unwrap_or_else(|| {
                // There, `ibsim` would give up.
                while taken.contains(next) {
                    *next = next.wrapping_add(1);
                }
                *next
            });
            *next = guid.wrapping_add(used);
            guid
        };
        self.nodes.iter().map(of_node).collect()
    }

    /// By node and port of a switch: the port of the router.
    fn ports(&self) -> Result<Vec<BTreeMap<u8, RouterPort>>, Flaw> {
        let mut all: Vec<BTreeMap<u8, RouterPort>> = self
            .nodes
            .iter()
            .map(|node| (1..=node.ports).map(|port| (port, RouterPort::default())))
            .map(Iterator::collect)
            .collect();
        for cable in &self.cables {
            let are_switches = cable
                .ends
                .map(|(node, _)| self.nodes[node].kind == NodeKind::Switch);
            let switch = match are_switches {
                [true, false] => cable.ends[0],
                [false, true] => cable.ends[1],
                [true, true] => continue,
                [false, false] => {
                    let message = "this cable joins two adapters, without a switch";
                    return Err(Flaw::at(cable.offset, message));
                }
            };
            if let Some(port) = all[switch.0].get_mut(&switch.1) {
                port.is_terminal = true;
            }
        }
        for ports in &mut all {
            let mut next = 0;
            for terminals in [true, false] {
                for port in ports
                    .values_mut()
                    .filter(|port| port.is_terminal == terminals)
                {
                    port.number = next;
                    next += 1;
                }
            }
        }
        Ok(all)
    }
}

/// What a port of a switch is as a port of a router.
#[derive(Clone, Copy, Debug, Default)]
struct RouterPort {
    number: Port,
    is_terminal: bool,
}
