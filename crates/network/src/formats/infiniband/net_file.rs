//! What `ibnetdiscover` prints, and the net files of `ibsim`: the same language, of which `ibnetdiscover` says more.
//!
//! ```text
//! switchguid=0x500000000000000b(500000000000000b)
//! Switch  5 "S-500000000000000b"    # "sw2_2" base port 0 lid 13 lmc 0
//! [1]     "S-500000000000000f"[2]   # "sw3_2" lid 17 4xSDR
//! [5]     "H-10000000000000b0"[1](10000000000000b1)
//! ```
//!
//! A cable may be listed at one end or at both; without a port at the other end it leads to port 1. What is not told of ports, GUIDs and names here is passed over: vendors, devices, images,
//! chassis, widths and speeds.
//!
//! Source: infiniband-diags, ibnetdiscover(8), section "Topology file format"; ibsim, `net-examples`.

use super::fabric::{Cable, Fabric, Node, NodeKind};
use std::collections::{BTreeMap, BTreeSet};
use turnwise_config::Flaw;
use turnwise_config::diagnostic::nearest;

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

/// The most ports a switch can have: their numbers are bytes, and 255 means none.
const MOST_PORTS: u8 = 254;

#[derive(Default)]
struct Reading {
    nodes: Vec<Node>,
    /// By name in the file.
    numbers: BTreeMap<String, usize>,
    /// Of the node that is about to come.
    guid: Option<u64>,
    /// Node and port, what is listed there, and where.
    ports: BTreeMap<(usize, u8), Listed>,
    /// In the order of the file.
    order: Vec<(usize, u8)>,
}

/// The other end of a cable, as it is written.
struct Listed {
    id: String,
    port: u8,
    offset: usize,
}

impl Reading {
    fn line(&mut self, mut line: Line<'_>) -> Result<(), Flaw> {
        let (word, offset) = line.word();
        let kind = match word {
            "" => return Ok(()),
            "Switch" => NodeKind::Switch,
            "Ca" | "Hca" | "Rt" | "Router" => NodeKind::Adapter,
            "include" | "do" | "module" => {
                let message = format!("`{word}` is something for ibsim to do, and not read here");
                return Err(Flaw::at(offset, message));
            }
            "Chassis" => return Ok(()),
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
            let digits = value.split('(').next().unwrap_or(value);
            let guid = digits.strip_prefix("0x").unwrap_or(digits);
            let guid = u64::from_str_radix(guid, 16).map_err(|_| {
                let message = format!("expected a GUID in hexadecimal digits, found `{digits}`");
                Flaw::at(offset + key.len() + 1, message)
            })?;
            self.guid = Some(guid);
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
        self.nodes.push(Node {
            kind,
            id: id.to_owned(),
            name: line.comment_name().unwrap_or(id).to_owned(),
            guid: self.guid.take(),
            ports,
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
        line.parenthesised();
        if line.rest().starts_with("[ext") {
            let _ = line.between('[', ']');
        }
        let (id, offset) = line.quoted()?;
        let other = match line.rest().starts_with('[') {
            true => line.bracketed()?.0,
            false => 1,
        };
        let listed = Listed {
            id: id.to_owned(),
            port: other,
            offset,
        };
        self.order.push((number, port));
        match self.ports.insert((number, port), listed) {
            None => Ok(()),
            Some(_) => Err(Flaw::at(at, format!("port {port} is listed twice"))),
        }
    }

    fn finish(self) -> Result<Fabric, Flaw> {
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
            match self.ports.get(&other) {
                Some(back) => {
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
                offset: listed.offset,
            });
        }
        Ok(Fabric {
            nodes: self.nodes,
            cables,
        })
    }
}

/// A line, read from left to right.
struct Line<'a> {
    /// Without the comment.
    text: &'a str,
    comment: &'a str,
    /// Offset of the line's begin.
    start: usize,
    /// How much of it has been read.
    read: usize,
}

impl<'a> Line<'a> {
    fn new(line: &'a str, start: usize) -> Self {
        let line = line.trim_end();
        let mut quoted = false;
        let comment = line.find(|letter| {
            quoted ^= letter == '"';
            letter == '#' && !quoted
        });
        let (text, comment) = line.split_at(comment.unwrap_or(line.len()));
        Self {
            text: text.trim_end(),
            comment,
            start,
            read: 0,
        }
    }

    /// Goes on from here.
    fn at(&mut self, offset: usize) {
        self.read = offset - self.start;
    }

    fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.read..];
        let trimmed = rest.trim_start();
        self.read += rest.len() - trimmed.len();
        trimmed
    }

    /// The next word, perhaps an empty one, and where it stands.
    fn word(&mut self) -> (&'a str, usize) {
        let rest = self.rest();
        let offset = self.start + self.read;
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        self.read += length;
        (&rest[..length], offset)
    }

    /// What stands between two signs.
    fn between(&mut self, open: char, close: char) -> Option<(&'a str, usize)> {
        let rest = self.rest();
        let inside = rest.strip_prefix(open)?;
        let length = inside.find(close)?;
        let offset = self.start + self.read + 1;
        self.read += length + 2;
        Some((&inside[..length], offset))
    }

    fn expected(&mut self, what: &str) -> Flaw {
        let (found, offset) = self.word();
        let message = match found {
            "" => format!("expected {what}, found the end of the line"),
            found => format!("expected {what}, found `{found}`"),
        };
        Flaw::at(offset, message)
    }

    fn quoted(&mut self) -> Result<(&'a str, usize), Flaw> {
        let quoted = self.between('"', '"');
        quoted.ok_or_else(|| self.expected("the name of a switch or adapter in quotes"))
    }

    /// A port's number, from 1 on.
    fn bracketed(&mut self) -> Result<(u8, usize), Flaw> {
        let Some((inside, offset)) = self.between('[', ']') else {
            return Err(self.expected("a port in brackets"));
        };
        match inside.trim().parse() {
            Ok(port @ 1..=MOST_PORTS) => Ok((port, offset)),
            _ => {
                let message =
                    format!("expected the number of a port, 1 to {MOST_PORTS}, found `{inside}`");
                Err(Flaw::at(offset, message))
            }
        }
    }

    /// Passes over a GUID.
    fn parenthesised(&mut self) {
        let _ = self.between('(', ')');
    }

    /// The first thing in quotes in the comment.
    fn comment_name(&self) -> Option<&'a str> {
        let (_, rest) = self.comment.split_once('"')?;
        let (name, _) = rest.split_once('"')?;
        Some(name)
    }
}
