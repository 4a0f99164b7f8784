//! BookSim2's `anynet` files: what each router and node is connected to.
//!
//! ```text
//! router 0 router 1 15 router 2     # a channel to router 1 of 15 cycles, one to router 2 of 1 cycle
//! router 0 node 0 node 1
//! ```
//!
//! A latency holds for the direction it is written in, and for both of a node; the other direction between routers takes 1 cycle if
//! nothing is said of it, which is how BookSim2 reads it (`src/networks/anynet.cpp`); on a line that begins with a node, though, BookSim2
//! gives the latency to another one. Routers and nodes are numbered from 0 without gaps.
//! Ports are in BookSim2's order: a router's nodes, then the other routers in ascending order. Terminals are numbered router by router, as
//! everywhere here: where nodes are not, a node's number is that of another terminal, as [`Listing::renumbered`] tells.

use super::listing::{ListedCycles, ListedLink, ListedRouter, Listing, read_latency};
use super::words::{Word, Words, lines, number};
use crate::ids::Port;
use crate::network::ChannelClass;
use std::collections::BTreeMap;
use turnwise_config::Flaw;

/// Reads an `anynet` file.
///
/// # Errors
/// The first thing in the text that is not understood, or contradicts something before; numbers that are left out.
pub fn read(text: &str) -> Result<Listing, Flaw> {
    let mut reading = Reading::default();
    for mut words in lines(text) {
        reading.line(&mut words)?;
    }
    reading.finish()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Router,
    Node,
}

/// A latency, and where it or what it belongs to stands.
#[derive(Clone, Copy)]
struct Latency {
    cycles: u32,
    offset: usize,
}

#[derive(Default)]
struct Reading {
    /// Every router that is named, and where.
    routers: BTreeMap<u32, usize>,
    /// By node: its router, and the latency to it.
    nodes: BTreeMap<u32, (u32, Latency)>,
    /// By the routers a channel leads from and to.
    channels: BTreeMap<(u32, u32), Latency>,
}

impl Reading {
    fn line(&mut self, words: &mut Words<'_>) -> Result<(), Flaw> {
        let Some(first) = words.next() else {
            return Ok(());
        };
        let start = first.offset;
        let head = self.end(first, words)?;
        let mut next = words.next();
        while let Some(word) = next {
            let offset = word.offset;
            let body = self.end(word, words)?;
            next = words.next();
            let mut latency = Latency { cycles: 1, offset };
            if let Some(word) = next.take_if(|word| kind(word).is_none()) {
                latency.cycles = read_latency(word.text, word.offset)?;
                next = words.next();
            }
            if head.0 == Kind::Node {
                latency.offset = start;
            }
            self.join(head, body, latency)?;
        }
        Ok(())
    }

    /// A router or a node.
    fn end(&mut self, word: Word<'_>, words: &mut Words<'_>) -> Result<(Kind, u32), Flaw> {
        let offset = word.offset;
        let Some(kind) = kind(&word) else {
            let message = format!("expected `router` or `node`, found `{}`", word.text);
            return Err(Flaw::at(offset, message));
        };
        let what = match kind {
            Kind::Router => "the number of a router",
            Kind::Node => "the number of a node",
        };
        let end = words.end;
        let id = number(words.next(), end, what)?;
        if kind == Kind::Router {
            self.routers.entry(id).or_insert(offset);
        }
        Ok((kind, id))
    }

    fn join(&mut self, head: (Kind, u32), body: (Kind, u32), latency: Latency) -> Result<(), Flaw> {
        match (head, body) {
            ((Kind::Node, _), (Kind::Node, _)) => {
                let message = "a node is connected to a router, not to a node";
                Err(Flaw::at(latency.offset, message))
            }
            ((Kind::Node, node), (Kind::Router, router))
            | ((Kind::Router, router), (Kind::Node, node)) => {
                match self.nodes.insert(node, (router, latency)) {
                    Some((other, _)) if other != router => {
                        let message = format!(
                            "node {node} is connected to router {other} already, and here to router {router}"
                        );
                        Err(Flaw::at(latency.offset, message))
                    }
                    _ => Ok(()),
                }
            }
            ((Kind::Router, from), (Kind::Router, to)) => {
                self.channels.insert((from, to), latency);
                let back = Latency {
                    cycles: 1,
                    ..latency
                };
                self.channels.entry((to, from)).or_insert(back);
                Ok(())
            }
        }
    }

    fn finish(self) -> Result<Listing, Flaw> {
        without_gaps("router", self.routers.iter().map(|(&id, &at)| (id, at)))?;
        let nodes = self.nodes.iter().map(|(&id, (_, at))| (id, at.offset));
        without_gaps("node", nodes)?;
        let mut routers = vec![ListedRouter::default(); self.routers.len()];
        let mut latency: Option<Latency> = None;
        for &(router, of_node) in self.nodes.values() {
            let terminals = &mut routers[router as usize].terminals;
            *terminals = Some(terminals.unwrap_or(0) + 1);
            let first = *latency.get_or_insert(of_node);
            if first.cycles != of_node.cycles {
                let message = format!(
                    "the channels of this node take {} cycles, those of another {}",
                    of_node.cycles, first.cycles
                );
                let help = "all nodes must have the same latency";
                return Err(Flaw::at(of_node.offset, message).with_help(help));
            }
        }
        let links = links(&self.channels, &routers)?;
        let nodes = self.nodes.iter();
        let mut nodes: Vec<(u32, u32)> =
            nodes.map(|(&node, &(router, _))| (router, node)).collect();
        nodes.sort_unstable();
        let numbered = (0..).zip(nodes);
        let moved = numbered.filter(|&(terminal, (_, node))| node != terminal);
        Ok(Listing {
            renumbered: moved
                .map(|(terminal, (_, node))| [terminal, node])
                .min_by_key(|moved| moved[1]),
            terminal_latency: latency.map(|latency| ListedCycles {
                cycles: latency.cycles,
                offset: Some(latency.offset),
            }),
            terminals_per_router: Some(0),
            routers,
            links,
            ..Listing::default()
        })
    }
}

fn kind(word: &Word<'_>) -> Option<Kind> {
    match word.text {
        "router" => Some(Kind::Router),
        "node" => Some(Kind::Node),
        _ => None,
    }
}

/// Refuses numbers after one that is left out.
fn without_gaps(what: &str, ids: impl Iterator<Item = (u32, usize)>) -> Result<(), Flaw> {
    for (expected, (id, offset)) in (0..).zip(ids) {
        if id != expected {
            let message = format!("there is no {what} {expected}, and here is {what} {id}");
            let help = format!("{what}s are numbered from 0, without gaps");
            return Err(Flaw::at(offset, message).with_help(help));
        }
    }
    Ok(())
}

/// Both directions between two routers: a link, or two channels by the same ports if they differ in latency.
fn links(
    channels: &BTreeMap<(u32, u32), Latency>,
    routers: &[ListedRouter],
) -> Result<Vec<ListedLink>, Flaw> {
    let first = |router: &ListedRouter| router.terminals.unwrap_or(0);
    let mut next: Vec<u32> = routers.iter().map(first).collect();
    let mut links = Vec::new();
    for (&(a, b), &there) in channels.iter().filter(|((a, b), _)| a <= b) {
        let mut port = |router: u32| {
            let port = next[router as usize];
            next[router as usize] += 1;
            Port::try_from(port).map_err(|_| {
                let message = format!("router {router} has more than {} ports", Port::MAX);
                Flaw::at(there.offset, message)
            })
        };
        let ports = [port(a)?, port(b)?];
        let back = channels.get(&(b, a)).copied().unwrap_or(there);
        let link = |ends, ports, latency: Latency, one_way| ListedLink {
            ends,
            ports: Some(ports),
            latency: Some(latency.cycles),
            interval: None,
            class: ChannelClass::Local,
            one_way,
            offset: Some(latency.offset),
        };
        if there.cycles == back.cycles {
            links.push(link([a, b], ports, there, false));
        } else {
            links.push(link([a, b], ports, there, true));
            links.push(link([b, a], [ports[1], ports[0]], back, true));
        }
    }
    Ok(links)
}
