//! JSON: everything a network knows but its shape, one router or link a line.
//!
//! ```json
//! {
//!   "description": "2 mesh",
//!   "terminal_latency": 1,
//!   "routers": [
//!     {"label": "(0)", "terminals": 1, "ports": 3},
//!     {"label": "(1)", "terminals": 1, "ports": 3}
//!   ],
//!   "links": [
//!     {"a": {"router": 0, "port": 1}, "b": {"router": 1, "port": 2}, "latency": 1, "class": "+x"}
//!   ]
//! }
//! ```
//!
//! The class is that from `a` to `b`. A failed router has `"dead": true`, a channel without
//! an equal in the opposite direction `"one_way": true`; channels that a flit occupies for several cycles have
//! an `"interval"` (those of terminals the network's `"terminal_interval"`, or, where they differ, `"terminal_intervals"` of one for each); terminals that have failed without
//! their router are listed as `"dead_terminals"` of the network.

use super::links::{Link, class_named, links};
use super::listing::{ListedCycles, ListedLink, ListedRouter, Listing};
use crate::ids::{Port, RouterId, TerminalId};
use crate::network::Network;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::fmt::Write;
use turnwise_config::Flaw;

/// Writes a network.
pub fn write(network: &Network) -> String {
    let description = Value::from(network.description());
    let injection =
        (network.terminal_count() > 0).then(|| network.injection_channel(TerminalId(0)));
    let (latency, interval) = injection.map_or((1, 1), |id| {
        let channel = network.channel(id);
        (channel.latency, channel.interval)
    });
    let mut text = String::from("{\n");
    // Writing into a string cannot fail.
    let _ = writeln!(
        text,
        "  \"description\": {description},\n  \"terminal_latency\": {latency},"
    );
    match network.unlike_terminals() {
        Some(intervals) => {
            let intervals = Value::from(intervals);
            let _ = writeln!(text, "  \"terminal_intervals\": {intervals},");
        }
        None if interval != 1 => {
            let _ = writeln!(text, "  \"terminal_interval\": {interval},");
        }
        None => {}
    }
    list(
        &mut text,
        "routers",
        network
            .routers()
            .map(|router| describe_router(network, router)),
    );
    text.push_str(",\n");
    list(&mut text, "links", links(network).map(describe_link));
    let dead: Vec<u32> = dead_terminals(network).map(|terminal| terminal.0).collect();
    if !dead.is_empty() {
        let _ = write!(text, ",\n  \"dead_terminals\": {}", Value::from(dead));
    }
    text.push_str("\n}\n");
    text
}

/// Those that a reader would not take for dead because of their router.
fn dead_terminals(network: &Network) -> impl Iterator<Item = TerminalId> {
    network
        .terminals()
        .filter(|&terminal| network.has_died_alone(terminal))
}

fn list(text: &mut String, name: &str, values: impl Iterator<Item = Value>) {
    let _ = write!(text, "  \"{name}\": [");
    for (index, value) in values.enumerate() {
        let separator = if index == 0 { "" } else { "," };
        let _ = write!(text, "{separator}\n    {value}");
    }
    text.push_str("\n  ]");
}

fn describe_router(network: &Network, router: RouterId) -> Value {
    let mut value = json!({
        "label": network.router_label(router),
        "terminals": network.terminals_of(router).len(),
        "ports": network.radix(router),
    });
    if !network.is_alive(router) {
        value["dead"] = Value::from(true);
    }
    value
}

fn describe_link(link: Link) -> Value {
    let end = |(router, port): (RouterId, Port)| json!({ "router": router.0, "port": port });
    let mut value = json!({
        "a": end(link.a),
        "b": end(link.b),
        "latency": link.latency,
        "class": link.class.name(),
    });
    if link.interval != 1 {
        value["interval"] = Value::from(link.interval);
    }
    if link.one_way {
        value["one_way"] = Value::from(true);
    }
    value
}

/// The file, whose parts are read one by one, so that each has a place.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File<'a> {
    description: Option<String>,
    #[serde(borrow)]
    terminal_latency: Option<&'a RawValue>,
    #[serde(borrow)]
    terminal_interval: Option<&'a RawValue>,
    #[serde(borrow)]
    terminal_intervals: Option<&'a RawValue>,
    #[serde(borrow)]
    routers: Vec<&'a RawValue>,
    #[serde(borrow)]
    links: Vec<&'a RawValue>,
    #[serde(borrow)]
    dead_terminals: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Router {
    label: Option<String>,
    terminals: Option<u32>,
    ports: Option<u16>,
    #[serde(default)]
    dead: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileLink {
    a: End,
    b: End,
    latency: Option<u32>,
    interval: Option<u32>,
    class: Option<String>,
    #[serde(default)]
    one_way: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    router: u32,
    port: Port,
}

/// Labels as names, if there are any; who has none is called by its number.
fn names(labels: Vec<Option<String>>) -> Vec<String> {
    if labels.iter().all(Option::is_none) {
        return Vec::new();
    }
    let numbered = labels.into_iter().enumerate();
    numbered
        .map(|(number, label)| label.unwrap_or_else(|| number.to_string()))
        .collect()
}

/// Reads what [`write()`] writes; labels, latencies, intervals and classes may be missing.
///
/// # Errors
/// Text that is no JSON or has other fields; unknown classes. All have their place.
pub fn read(text: &str) -> Result<Listing, Flaw> {
    let file: File = parse(text, 0)?;
    let place = |raw: &RawValue| raw.get().as_ptr() as usize - text.as_ptr() as usize;
    let cycles = |raw: &RawValue| {
        let offset = place(raw);
        let cycles = parse(raw.get(), offset)?;
        Ok::<_, Flaw>(ListedCycles {
            cycles,
            offset: Some(offset),
        })
    };
    let mut labels = Vec::new();
    let routers = file.routers.iter().map(|raw| {
        let offset = place(raw);
        let router: Router = parse(raw.get(), offset)?;
        labels.push(router.label);
        Ok(ListedRouter {
            terminals: router.terminals,
            ports: router.ports,
            dead: router.dead,
            offset: Some(offset),
        })
    });
    let links = file.links.iter().map(|raw| {
        let offset = place(raw);
        listed(parse(raw.get(), offset)?, offset)
    });
    let routers = routers.collect::<Result<_, Flaw>>()?;
    let intervals = file.terminal_intervals;
    let intervals_at = intervals.map(place);
    let intervals = intervals.map(|raw| parse(raw.get(), place(raw)));
    let dead = file.dead_terminals;
    let dead_terminals = dead.map(|raw| parse(raw.get(), place(raw))).transpose()?;
    Ok(Listing {
        renumbered: None,
        description: file.description,
        terminal_latency: file.terminal_latency.map(cycles).transpose()?,
        terminal_interval: file.terminal_interval.map(cycles).transpose()?,
        terminal_intervals: intervals.transpose()?,
        terminal_intervals_at: intervals_at,
        terminals_per_router: None,
        routers,
        names: names(labels),
        links: links.collect::<Result<_, Flaw>>()?,
        dead_terminals: dead_terminals.unwrap_or_default(),
        dead_terminals_at: dead.map(place).into_iter().collect(),
    })
}

/// Reads a piece of the text that begins at an offset.
fn parse<'a, T: Deserialize<'a>>(piece: &'a str, offset: usize) -> Result<T, Flaw> {
    serde_json::from_str(piece).map_err(|error| {
        let lines = piece.split_inclusive('\n');
        let before = lines.take(error.line().saturating_sub(1)).map(str::len);
        let within = before.sum::<usize>() + error.column().saturating_sub(1);
        let message = error.to_string();
        let message = message
            .rsplit_once(" at line ")
            .map_or(message.as_str(), |(what, _)| what);
        Flaw::at(offset + within, message)
    })
}

fn listed(link: FileLink, offset: usize) -> Result<ListedLink, Flaw> {
    let name = link.class.as_deref().unwrap_or("local");
    let class = class_named(name).ok_or_else(|| {
        Flaw::at(offset, format!("there is no class `{name}`"))
            .with_help("classes are `local`, `global`, `up`, `down`, `+x`, `-x`, ...")
    })?;
    Ok(ListedLink {
        ends: [link.a.router, link.b.router],
        ports: Some([link.a.port, link.b.port]),
        latency: link.latency,
        interval: link.interval,
        class,
        one_way: link.one_way,
        offset: Some(offset),
    })
}
