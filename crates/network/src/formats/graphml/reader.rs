//! Reads GraphML as other programs write it, too.
//!
//! Of the keys only their names count (`terminals`, `label`, `dead`, `dead_terminals`; `latency`,
//! `interval`, `class`; of the graph `terminal_latency`, `terminal_interval`, `terminal_intervals`), whatever their ids, and the default of a key holds wherever
//! there is no data of it. Nodes without a label are called by their ids. Two directed edges between the same nodes in opposite directions are one
//! link; a directed edge alone is a one-way channel.

use super::super::links::{class_named, opposite};
use super::super::listing::{
    ListedCycles, ListedLink, ListedRouter, Listing, read_interval, read_latency,
};
use crate::network::ChannelClass;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use rustc_hash::FxHashMap;
use turnwise_config::Flaw;

/// Reads a GraphML file; nodes are numbered in the order of the file.
///
/// # Errors
/// The first thing that is no XML, an edge to a node that does not exist, a node of the
/// same id as another, data that is not of the expected type.
pub fn read(text: &str) -> Result<Listing, Flaw> {
    let mut reader = quick_xml::Reader::from_str(text);
    let mut reading = Reading::default();
    loop {
        let offset = reader.buffer_position() as usize;
        let event = reader.read_event();
        match event
            .map_err(|error| Flaw::at(reader.error_position() as usize, error.to_string()))?
        {
            Event::Start(element) => reading.open(&element, offset)?,
            Event::Empty(element) => {
                reading.open(&element, offset)?;
                reading.close(element.local_name().as_ref())?;
            }
            Event::Text(content) => reading.text.push_str(&content.xml10_content()),
            Event::CData(content) => reading.text.push_str(&content.xml10_content()),
            Event::End(element) => reading.close(element.local_name().as_ref())?,
            Event::Eof if !reading.open.is_empty() => {
                let message = format!("the file ends inside <{}>", reading.open.join("><"));
                return Err(Flaw::at(text.len(), message));
            }
            Event::Eof => return reading.finish(),
            _ => {}
        }
    }
}

/// What the data of a key is used for.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    Terminals,
    Label,
    Dead,
    DeadTerminals,
    Latency,
    Interval,
    Class,
    TerminalLatency,
    TerminalInterval,
    TerminalIntervals,
    Other,
}

/// Values of keys for nodes and edges without data of them.
#[derive(Default)]
struct Defaults {
    dead: bool,
    latency: Option<u32>,
    interval: Option<u32>,
    class: Option<ChannelClass>,
}

#[derive(Default)]
struct Reading {
    listing: Listing,
    /// By node: is it said to have failed?
    dead: Vec<Option<bool>>,
    /// By edge: its class, if it is said.
    classes: Vec<Option<ChannelClass>>,
    /// What holds for nodes and edges that say nothing themselves.
    default: Defaults,
    seen_graph: bool,
    directed: bool,
    /// Elements that are open, the innermost last.
    open: Vec<String>,
    /// Character data since the last tag.
    text: String,
    keys: FxHashMap<String, Use>,
    nodes: FxHashMap<String, u32>,
    /// The node ids at both ends of the links.
    ends: Vec<[String; 2]>,
    /// The key whose definition or data is being read, and where.
    current: (Option<String>, usize),
}

impl Reading {
    fn open(&mut self, element: &BytesStart, offset: usize) -> Result<(), Flaw> {
        let name = element.local_name();
        let attribute = |wanted: &str| -> Result<Option<String>, Flaw> {
            let flaw = |message: String| Flaw::at(offset, message);
            let found = element
                .try_get_attribute(wanted)
                .map_err(|error| flaw(error.to_string()))?;
            let value = found.map(|attribute| {
                attribute
                    .normalized_value(XmlVersion::Implicit1_0)
                    .map(String::from)
            });
            value.transpose().map_err(|error| flaw(error.to_string()))
        };
        let required = |wanted: &str| {
            let missing = || Flaw::at(offset, format!("<{}> has no `{wanted}`", name.as_ref()));
            attribute(wanted)?.ok_or_else(missing)
        };
        match name.as_ref() {
            "key" => {
                let id = required("id")?;
                let known = attribute("attr.name")?;
                self.keys
                    .insert(id.clone(), purpose(known.as_deref().unwrap_or(&id)));
                self.current = (Some(id), offset);
            }
            "data" => self.current = (Some(required("key")?), offset),
            "graph" if self.open.iter().any(|element| element == "node") => {
                let message = "a graph inside of a node is not understood: is the node a router, or what is in it?";
                let help = "ungroup the nodes, as yEd does with Grouping > Ungroup, and save the file again";
                return Err(Flaw::at(offset, message).with_help(help));
            }
            "graph" => {
                self.seen_graph = true;
                self.directed = attribute("edgedefault")?.as_deref() == Some("directed");
            }
            "node" => {
                let id = required("id")?;
                let number = self.listing.routers.len() as u32;
                if self.nodes.insert(id.clone(), number).is_some() {
                    return Err(Flaw::at(offset, format!("there are two nodes `{id}`")));
                }
                self.listing.names.push(id);
                self.dead.push(None);
                self.listing.routers.push(ListedRouter {
                    offset: Some(offset),
                    ..ListedRouter::default()
                });
            }
            "edge" => {
                self.ends.push([required("source")?, required("target")?]);
                self.classes.push(None);
                let directed = attribute("directed")?;
                let directed = directed.map_or(Ok(self.directed), |value| truth(&value, offset))?;
                self.listing.links.push(ListedLink {
                    ends: [0, 0],
                    ports: None,
                    latency: None,
                    interval: None,
                    class: ChannelClass::Local,
                    one_way: directed,
                    offset: Some(offset),
                });
            }
            "hyperedge" => {
                return Err(Flaw::at(
                    offset,
                    "a link joins two routers; hyperedges are not understood",
                ));
            }
            _ => {}
        }
        self.text.clear();
        self.open.push(name.as_ref().to_owned());
        Ok(())
    }

    fn close(&mut self, name: &str) -> Result<(), Flaw> {
        self.open.pop();
        let text = std::mem::take(&mut self.text);
        match (name, self.open.last().map(String::as_str)) {
            ("data", Some("node" | "edge")) => self.data(text.trim())?,
            ("data", Some("graph")) => self.data_of_graph(text.trim())?,
            ("default", Some("key")) => self.key_default(text.trim())?,
            _ => {}
        }
        Ok(())
    }

    fn data(&mut self, text: &str) -> Result<(), Flaw> {
        let (Some(key), offset) = (self.current.0.take(), self.current.1) else {
            return Ok(());
        };
        let on_edge = self.open.last().is_some_and(|element| element == "edge");
        let purpose = self.keys.get(&key).copied().unwrap_or(purpose(&key));
        match (
            purpose,
            self.listing.routers.last_mut(),
            self.listing.links.last_mut(),
        ) {
            (Use::Terminals, Some(router), _) if !on_edge => {
                router.terminals = count(text, offset)?;
            }
            (Use::Label, ..) if !on_edge && !text.is_empty() => {
                if let Some(name) = self.listing.names.last_mut() {
                    text.clone_into(name);
                }
            }
            (Use::Dead, ..) if !on_edge => {
                if let Some(dead) = self.dead.last_mut() {
                    *dead = Some(truth(text, offset)?);
                }
            }
            (Use::DeadTerminals, ..) if !on_edge => {
                for word in text.split_whitespace() {
                    let terminal = number(word, "the number of a terminal", offset)?;
                    self.listing.dead_terminals.push(terminal);
                    self.listing.dead_terminals_at.push(offset);
                }
            }
            (Use::Latency, _, Some(link)) if on_edge => {
                link.latency = Some(read_latency(text, offset)?);
            }
            (Use::Interval, _, Some(link)) if on_edge => {
                link.interval = Some(read_interval(text, offset)?);
            }
            (Use::Class, ..) if on_edge => {
                if let Some(class) = self.classes.last_mut() {
                    *class = Some(class_of(text));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The value of nodes or edges without data of the key being defined.
    fn key_default(&mut self, text: &str) -> Result<(), Flaw> {
        let (Some(key), offset) = (&self.current.0, self.current.1) else {
            return Ok(());
        };
        match self.keys.get(key) {
            Some(Use::Terminals) => {
                self.listing.terminals_per_router = count(text, offset)?;
            }
            Some(Use::Dead) => self.default.dead = truth(text, offset)?,
            Some(Use::Latency) => self.default.latency = Some(read_latency(text, offset)?),
            Some(Use::Interval) => self.default.interval = Some(read_interval(text, offset)?),
            Some(Use::Class) => self.default.class = Some(class_of(text)),
            _ => {}
        }
        Ok(())
    }

    /// What holds for all terminals.
    fn data_of_graph(&mut self, text: &str) -> Result<(), Flaw> {
        let (Some(key), offset) = (self.current.0.take(), self.current.1) else {
            return Ok(());
        };
        let listed = |cycles| ListedCycles {
            cycles,
            offset: Some(offset),
        };
        match self.keys.get(&key).copied().unwrap_or(purpose(&key)) {
            Use::TerminalLatency => {
                self.listing.terminal_latency = Some(listed(read_latency(text, offset)?));
            }
            Use::TerminalInterval => {
                self.listing.terminal_interval = Some(listed(read_interval(text, offset)?));
            }
            Use::TerminalIntervals => {
                let words = text.split_whitespace();
                let intervals = words.map(|word| read_interval(word, offset));
                self.listing.terminal_intervals = Some(intervals.collect::<Result<_, Flaw>>()?);
                self.listing.terminal_intervals_at = Some(offset);
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Listing, Flaw> {
        if !self.seen_graph {
            return Err(Flaw::at(0, "there is no <graph> in this file"));
        }
        let mut waiting: FxHashMap<[u32; 2], Vec<usize>> = FxHashMap::default();
        let mut links: Vec<ListedLink> = Vec::with_capacity(self.ends.len());
        for (router, dead) in self.listing.routers.iter_mut().zip(&self.dead) {
            router.dead = dead.unwrap_or(self.default.dead);
        }
        let of_edges = self.ends.iter().zip(&self.classes);
        for (mut link, (ends, class)) in std::mem::take(&mut self.listing.links)
            .into_iter()
            .zip(of_edges)
        {
            link.latency = link.latency.or(self.default.latency);
            link.interval = link.interval.or(self.default.interval);
            link.class = class.or(self.default.class).unwrap_or(link.class);
            for (number, id) in link.ends.iter_mut().zip(ends) {
                let missing =
                    || Flaw::at(link.offset.unwrap_or(0), format!("there is no node `{id}`"));
                *number = *self.nodes.get(id).ok_or_else(missing)?;
            }
            let [a, b] = link.ends;
            let alike = |&index: &usize| {
                let other: &ListedLink = &links[index];
                let pace = |link: &ListedLink| (link.latency, link.interval);
                pace(other) == pace(&link) && other.class == opposite(link.class)
            };
            let candidates = waiting.entry([b, a]).or_default();
            match candidates.iter().position(alike) {
                Some(at) if link.one_way => links[candidates.remove(at)].one_way = false,
                _ => {
                    if link.one_way {
                        waiting.entry([a, b]).or_default().push(links.len());
                    }
                    links.push(link);
                }
            }
        }
        self.listing.links = links;
        Ok(self.listing)
    }
}

/// Other programs' classes mean something else; a link is local if in doubt.
fn class_of(text: &str) -> ChannelClass {
    class_named(text).unwrap_or(ChannelClass::Local)
}

/// A truth value, as XML writes it, Python, or a program that knows real numbers alone.
fn truth(text: &str, offset: usize) -> Result<bool, Flaw> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "1.0" => Ok(true),
        "false" | "0" | "0.0" | "nan" | "" => Ok(false),
        _ => {
            let message = format!("expected true or false, found `{text}`");
            Err(Flaw::at(offset, message))
        }
    }
}

fn number(text: &str, what: &str, offset: usize) -> Result<u32, Flaw> {
    let message = || format!("expected {what}, found `{text}`");
    text.parse().map_err(|_| Flaw::at(offset, message()))
}

/// A number of terminals, also as programs write it that know real numbers alone: `2.0`, and `NaN` where there is none.
fn count(text: &str, offset: usize) -> Result<Option<u32>, Flaw> {
    if text.eq_ignore_ascii_case("nan") {
        return Ok(None);
    }
    let whole = text.split_once('.').map_or(text, |(whole, zeros)| {
        match !zeros.is_empty() && zeros.bytes().all(|digit| digit == b'0') {
            true => whole,
            false => text,
        }
    });
    let found = |_| {
        Flaw::at(
            offset,
            format!("expected a number of terminals, found `{text}`"),
        )
    };
    whole.parse().map(Some).map_err(found)
}

fn purpose(name: &str) -> Use {
    match name {
        "terminals" => Use::Terminals,
        "label" => Use::Label,
        "dead" => Use::Dead,
        "dead_terminals" => Use::DeadTerminals,
        "latency" => Use::Latency,
        "interval" => Use::Interval,
        "class" => Use::Class,
        "terminal_latency" => Use::TerminalLatency,
        "terminal_interval" => Use::TerminalInterval,
        "terminal_intervals" => Use::TerminalIntervals,
        _ => Use::Other,
    }
}
