//! GraphML: routers as nodes, links as edges, for NetworkX, Gephi and yEd.
//!
//! Nodes have `terminals` and `label`, edges `latency`, `class` and, if a flit occupies them for several cycles, `interval`; what has failed is `dead`
//! or among the `dead_terminals` of its node. The graph has `terminal_latency` and `terminal_interval`, if these are not 1, or where they differ `terminal_intervals`, one for each. Ports are not kept, they are numbered in the
//! order of the edges when the file is read again. Two opposite one-way channels between the same
//! routers become the two directions of a link.
//!
//! Source: Brandes et al., "GraphML progress report", Graph Drawing 2001.

mod reader;

pub use reader::read;

use super::links::{Link, links};
use crate::ids::{RouterId, TerminalId};
use crate::network::Network;
use quick_xml::escape::escape;
use std::fmt::Write;
use turnwise_config::visible::visible;

const HEADER: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="terminals" for="node" attr.name="terminals" attr.type="int"/>
  <key id="label" for="node" attr.name="label" attr.type="string"/>
  <key id="dead" for="node" attr.name="dead" attr.type="boolean"/>
  <key id="latency" for="edge" attr.name="latency" attr.type="int"/>
  <key id="class" for="edge" attr.name="class" attr.type="string"/>
"#;

const DEAD_TERMINALS_KEY: &str = r#"  <key id="dead_terminals" for="node" attr.name="dead_terminals" attr.type="string"/>
"#;

const INTERVAL_KEY: &str = r#"  <key id="interval" for="edge" attr.name="interval" attr.type="int"/>
"#;

/// Writes a network.
pub fn write(network: &Network) -> String {
    let mut text = String::from(HEADER);
    if network
        .terminals()
        .any(|terminal| network.has_died_alone(terminal))
    {
        text.push_str(DEAD_TERMINALS_KEY);
    }
    if links(network).any(|link| link.interval != 1) {
        text.push_str(INTERVAL_KEY);
    }
    let first = network.terminals().next();
    let first = first.map(|terminal| network.channel(network.injection_channel(terminal)));
    let latency = first.map_or(1, |channel| channel.latency);
    let interval = first.map_or(1, |channel| channel.interval);
    let unlike = network.unlike_terminals().map(|intervals| {
        let words: Vec<String> = intervals.iter().map(u32::to_string).collect();
        words.join(" ")
    });
    let one = |cycles: u32| (cycles != 1).then(|| cycles.to_string());
    let of_terminals = [
        ("terminal_latency", "int", one(latency)),
        (
            "terminal_interval",
            "int",
            one(interval).filter(|_| unlike.is_none()),
        ),
        ("terminal_intervals", "string", unlike),
    ];
    let of_terminals = of_terminals
        .into_iter()
        .filter_map(|(name, kind, cycles)| Some((name, kind, cycles?)));
    let of_terminals: Vec<(&str, &str, String)> = of_terminals.collect();
    // Writing into a string cannot fail.
    for (name, kind, _) in &of_terminals {
        let _ = writeln!(
            text,
            "  <key id=\"{name}\" for=\"graph\" attr.name=\"{name}\" attr.type=\"{kind}\"/>"
        );
    }
    let _ = writeln!(
        text,
        "  <graph id=\"{}\" edgedefault=\"undirected\">",
        escape(visible(network.description(), &[]))
    );
    for (name, _, cycles) in of_terminals {
        let _ = writeln!(text, "    <data key=\"{name}\">{cycles}</data>");
    }
    network
        .routers()
        .for_each(|router| node(network, router, &mut text));
    links(network).for_each(|link| edge(link, &mut text));
    text.push_str("  </graph>\n</graphml>\n");
    text
}

fn node(network: &Network, router: RouterId, text: &mut String) {
    let terminals = network.terminals_of(router).len();
    let label = network.router_label(router);
    let dead = match network.is_alive(router) {
        true => "",
        false => "<data key=\"dead\">true</data>",
    };
    let dead_terminals = match dead_terminals(network, router) {
        list if list.is_empty() => list,
        list => format!("<data key=\"dead_terminals\">{list}</data>"),
    };
    let _ = writeln!(
        text,
        "    <node id=\"n{router}\"><data key=\"terminals\">{terminals}</data>\
         <data key=\"label\">{}</data>{dead}{dead_terminals}</node>",
        escape(visible(&label, &['\n']))
    );
}

/// The terminals that have failed although their router lives.
fn dead_terminals(network: &Network, router: RouterId) -> String {
    let terminals = network.terminals_of(router).map(TerminalId);
    let dead = terminals.filter(|&terminal| network.has_died_alone(terminal));
    let numbers: Vec<String> = dead.map(|terminal| terminal.to_string()).collect();
    numbers.join(" ")
}

fn edge(link: Link, text: &mut String) {
    let (a, b) = (link.a.0, link.b.0);
    let directed = if link.one_way {
        " directed=\"true\""
    } else {
        ""
    };
    let interval = match link.interval {
        1 => String::new(),
        cycles => format!("<data key=\"interval\">{cycles}</data>"),
    };
    let _ = writeln!(
        text,
        "    <edge source=\"n{a}\" target=\"n{b}\"{directed}><data key=\"latency\">{}</data>\
         <data key=\"class\">{}</data>{interval}</edge>",
        link.latency,
        link.class.name()
    );
}
