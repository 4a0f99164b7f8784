//! A fabric: switches, adapters, and the cables between their ports.

use crate::formats::listing::{ListedLink, ListedRouter, Listing};
use crate::ids::Port;
use crate::network::ChannelClass;
use std::collections::BTreeMap;
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
}

/// What has ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// Forwards.
    Switch,
    /// Sends and receives: a channel adapter, or a router to other subnets.
    Adapter,
}

/// A cable between two ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cable {
    /// Nodes, by their place among all, and ports.
    pub ends: [(usize, u8); 2],
    /// Where in the text it is listed.
    pub offset: usize,
}

impl Fabric {
    /// The switches as routers, in the order of the file, and every adapter's port with a cable to one of them as a terminal.
    ///
    /// Ports of a router are its terminals' first, then all others, both in the order of the switch's own. So one without a
    /// cable leads nowhere.
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
                dead: false,
            }
        });
        let mut links = Vec::new();
        for cable in &self.cables {
            let [(a, from), (b, to)] = cable.ends;
            if let (Some(router), Some(other)) = (numbers[a], numbers[b]) {
                links.push(ListedLink {
                    ends: [router, other],
                    ports: Some([ports[a][&from].number, ports[b][&to].number]),
                    latency: None,
                    interval: None,
                    class: ChannelClass::Local,
                    one_way: false,
                    offset: Some(cable.offset),
                });
            }
        }
        Ok(Listing {
            terminals_per_router: Some(0),
            routers: routers.collect(),
            links,
            ..Listing::default()
        })
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
            let kinds = cable.ends.map(|(node, _)| self.nodes[node].kind);
            let switch = match kinds {
                [NodeKind::Switch, NodeKind::Adapter] => cable.ends[0],
                [NodeKind::Adapter, NodeKind::Switch] => cable.ends[1],
                [NodeKind::Switch, NodeKind::Switch] => continue,
                [NodeKind::Adapter, NodeKind::Adapter] => {
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
