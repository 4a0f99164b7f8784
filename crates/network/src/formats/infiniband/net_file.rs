//! What `ibnetdiscover` prints, and the net files of `ibsim`: the same language, of which `ibnetdiscover` says more.
//!
//! ```text
//! switchguid=0x500000000000000b(500000000000000b)
//! Switch  5 "S-500000000000000b"    # "sw2_2" base port 0 lid 13 lmc 0
//! [1]     "S-500000000000000f"[2]   # "sw3_2" lid 17 4xSDR
//! [5]     "H-10000000000000b0"[1](10000000000000b1)
//! ```
//!
//! A cable may be listed at one end or at both; without a port at the other end it leads to port 1. What an adapter's own lines do not say of
//! its ports is taken from what the switches say of them. Of widths and speeds, the slower of what both ends say holds. What is not told of ports,
//! GUIDs, LIDs, names and speeds here is passed over: vendors, devices, images, chassis.
//!
//! Source: infiniband-diags, ibnetdiscover(8), section "Topology file format"; ibsim, `net-examples`.

use super::ends::OtherEnd;
use super::fabric::{Address, Cable, Fabric, Node, NodeKind};
use super::line::{Line, guid_of};
use crate::identities::MOST_PORTS;
use std::collections::{BTreeMap, BTreeSet};
use turnwise_config::Flaw;
use turnwise_config::diagnostic::nearest;
use turnwise_config::visible::visible;

/// Reads a topology file.
///
/// # Errors
/// The first thing in the text that is not understood, or contradicts something before.
pub fn read(text: &str) -> Result<Fabric, Flaw> {
    let mut reading = Reading::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        reading.line(Line::new(line, start))?;
        start += line.len();
    }
    reading.finish()
}

#[derive(Default)]
struct Reading {
    nodes: Vec<Node>,
    /// By name in the file.
    numbers: BTreeMap<String, usize>,
    /// Of the node that is about to come, and of its port 0.
    guid: Option<u64>,
    port_guid: Option<u64>,
    /// Of nodes and of ports, and LIDs of ports.
    guids: BTreeSet<u64>,
    port_guids: BTreeSet<u64>,
    lids: BTreeSet<u32>,
    /// Node and port, what is listed there, and where.
    ports: BTreeMap<(usize, u8), Listed>,
    /// In the order of the file.
    order: Vec<(usize, u8)>,
}

/// An address or a GUID belongs to one.
fn claim<T: Copy + Ord>(
    claimed: &mut BTreeSet<T>,
    one: Option<T>,
    offset: usize,
    called: fn(T) -> String,
) -> Result<(), Flaw> {
    match one.filter(|&one| !claimed.insert(one)) {
        Some(one) => Err(Flaw::at(offset, format!("{} is listed twice", called(one)))),
        None => Ok(()),
    }
}

fn lid_name(lid: u32) -> String {
    format!("LID {lid}")
}

fn guid_name(guid: u64) -> String {
    format!("GUID {guid:#018x}")
}

fn port_guid_name(guid: u64) -> String {
    format!("port {}", guid_name(guid))
}

/// The other end of a cable, as it is written.
struct Listed {
    id: String,
    port: u8,
    offset: usize,
    other_end: OtherEnd,
    /// Megabits a second.
    rate: Option<u32>,
}

impl Reading {
    fn line(&mut self, mut line: Line<'_>) -> Result<(), Flaw> {
        let (word, offset) = line.word();
        let kind = match word {
            "" => return Ok(()),
            "Switch" => NodeKind::Switch,
            "Ca" | "Hca" => NodeKind::Adapter,
            "Rt" | "Router" => NodeKind::Router,
            "include" | "do" | "module" => {
                let message = format!("`{word}` is something for ibsim to do, and not read here");
                return Err(Flaw::at(offset, message));
            }
            "Chassis" | "Non-Chassis" => return Ok(()),
            // Behind it `ibnetdiscover -g` says in which case the next node is.
            _ if word.starts_with("Hostname:") => return Ok(()),
            _ if word.starts_with("@[") => {
                let message = "`@[port]` gives a port another name for ibsim, and is not read here";
                let help = "write \"node\"[port] wherever that name stands";
                return Err(Flaw::at(offset, message).with_help(help));
            }
            _ if word.starts_with('[') => return self.port(line, offset),
            _ => return self.assignment(word, offset),
        };
        self.node(kind, line)
    }

    /// `switchguid=0x..(..)`, and more that does not matter.
    fn assignment(&mut self, word: &str, offset: usize) -> Result<(), Flaw> {
        let Some((key, value)) = word.split_once('=') else {
            let message =
                format!("expected `Switch`, `Ca`, `[port]` or `key=value`, found `{word}`");
            return Err(Flaw::at(offset, message));
        };
        if matches!(key, "switchguid" | "caguid" | "rtguid") {
            let offset = offset + key.len() + 1;
            let (node, port) = match value.split_once('(') {
                Some((node, port)) => (node, Some(port)),
                None => (value, None),
            };
            self.guid = Some(guid_of(node, offset)?);
            self.port_guid = match port {
                Some(port) => {
                    let offset = offset + node.len() + 1;
                    Some(guid_of(port.trim_end_matches(')'), offset)?)
                }
                None => None,
            };
        }
        Ok(())
    }

    fn node(&mut self, kind: NodeKind, mut line: Line<'_>) -> Result<(), Flaw> {
        let (word, offset) = line.word();
        let ports = match word.parse() {
            Ok(ports) if ports <= MOST_PORTS => ports,
            _ => {
                let message =
                    format!("expected a number of ports up to {MOST_PORTS}, found `{word}`");
                return Err(Flaw::at(offset, message));
            }
        };
        let (id, offset) = line.quoted()?;
        let number = self.nodes.len();
        if self.numbers.insert(id.to_owned(), number).is_some() {
            return Err(Flaw::at(offset, format!("\"{id}\" is listed twice")));
        }
        let address = Address {
            guid: self.port_guid.take(),
            lid: line.behind_name().lid().map(|(lid, _)| lid),
            lmc: None,
        };
        let guid = self.guid.take();
        claim(&mut self.guids, guid, offset, guid_name)?;
        if kind == NodeKind::Switch {
            claim(&mut self.port_guids, address.guid, offset, port_guid_name)?;
            claim(&mut self.lids, address.lid, offset, lid_name)?;
        }
        let name = line.comment_name().or_else(|| line.bare_name());
        self.nodes.push(Node {
            kind,
            id: id.to_owned(),
            name: visible(name.unwrap_or(id), &[]).into_owned(),
            guid,
            ports,
            addresses: match kind {
                NodeKind::Switch => BTreeMap::from([(0, address)]),
                NodeKind::Adapter | NodeKind::Router => BTreeMap::new(),
            },
        });
        Ok(())
    }

    /// `[port](guid) "other"[port](guid)`, and more that does not matter.
    fn port(&mut self, mut line: Line<'_>, offset: usize) -> Result<(), Flaw> {
        let Some(number) = self.nodes.len().checked_sub(1) else {
            let message = "this port belongs to nothing: there is no switch or adapter above";
            return Err(Flaw::at(offset, message));
        };
        line.at(offset);
        let (port, at) = line.bracketed()?;
        let node = &self.nodes[number];
        if port > node.ports {
            let message = format!(
                "\"{}\" has {} ports, not one of number {port}",
                node.id, node.ports
            );
            return Err(Flaw::at(at, message));
        }
        let guid = line.parenthesised()?;
        line.skip_outside();
        let (id, offset) = line.quoted()?;
        let other = match line.rest().starts_with('[') {
            true => line.bracketed()?.0,
            false => 1,
        };
        let listed = Listed {
            id: id.to_owned(),
            port: other,
            offset,
            other_end: OtherEnd::of(&mut line)?,
            rate: line.behind_name().rate(),
        };
        let node = &mut self.nodes[number];
        if node.kind != NodeKind::Switch {
            let said = line.before_name();
            let lid = said.lid().map(|(lid, _)| lid);
            let lmc = said.lmc().map(|(lmc, _)| lmc);
            node.addresses.insert(port, Address { guid, lid, lmc });
            claim(&mut self.lids, lid, offset, lid_name)?;
            claim(&mut self.port_guids, guid, offset, port_guid_name)?;
        }
        self.order.push((number, port));
        match self.ports.insert((number, port), listed) {
            None => Ok(()),
            Some(_) => Err(Flaw::at(at, format!("port {port} is listed twice"))),
        }
    }

    /// Ports of adapters may have more LIDs than the first one, and these belong to nobody else either.
    fn claim_further_lids(&mut self) -> Result<(), Flaw> {
        for end @ &(number, port) in &self.order {
            let Some(address) = self.nodes[number].addresses.get(&port) else {
                continue;
            };
            let (Some(first), Some(lmc @ 1..)) = (address.lid, address.lmc) else {
                continue;
            };
            let offset = self.ports[end].offset;
            for lid in first + 1..first + (1 << lmc) {
                claim(&mut self.lids, Some(lid), offset, lid_name)?;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Fabric, Flaw> {
        let (mut cables, mut taken) = (Vec::new(), BTreeSet::new());
        for end in &self.order {
            let listed = &self.ports[end];
            let Some(&node) = self.numbers.get(&listed.id) else {
                let message = format!("there is no switch or adapter \"{}\"", listed.id);
                let flaw = Flaw::at(listed.offset, message);
                let names = self.numbers.keys().map(String::as_str);
                return Err(match nearest(&listed.id, names) {
                    Some(name) => flaw.with_help(format!("did you mean \"{name}\"?")),
                    None => flaw,
                });
            };
            let other = (node, listed.port);
            let ports = self.nodes[node].ports;
            if listed.port > ports {
                let message = format!(
                    "\"{}\" has {ports} ports, not one of number {}",
                    listed.id, listed.port
                );
                return Err(Flaw::at(listed.offset, message));
            }
            if self.nodes[node].kind != NodeKind::Switch {
                let address = self.nodes[node].addresses.entry(listed.port).or_default();
                let new = listed
                    .other_end
                    .complete(address, &listed.id, listed.port)?;
                claim(
                    &mut self.port_guids,
                    new.guid,
                    listed.offset,
                    port_guid_name,
                )?;
                claim(&mut self.lids, new.lid, listed.offset, lid_name)?;
            }
            let mut rate = listed.rate;
            match self.ports.get(&other) {
                Some(back) => {
                    rate = rate.into_iter().chain(back.rate).min();
                    let says = (self.numbers.get(&back.id).copied(), back.port);
                    if says != (Some(end.0), end.1) {
                        let message = format!(
                            "\"{}\"[{}] is said to lead to \"{}\"[{}]",
                            listed.id, listed.port, back.id, back.port
                        );
                        return Err(Flaw::at(listed.offset, message));
                    }
                    if back.offset < listed.offset {
                        continue;
                    }
                }
                None if !taken.insert(other) => {
                    let message = format!(
                        "another cable leads to \"{}\"[{}] already",
                        listed.id, listed.port
                    );
                    return Err(Flaw::at(listed.offset, message));
                }
                None => {}
            }
            cables.push(Cable {
                ends: [*end, other],
                rate,
                offset: listed.offset,
            });
        }
        self.claim_further_lids()?;
        Ok(Fabric {
            nodes: self.nodes,
            cables,
        })
    }
}
