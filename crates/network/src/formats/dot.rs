//! Graphviz: a picture of routers and links, groups as clusters, levels of a fat tree as ranks.

use super::links::{Link, links};
use crate::ids::{RouterId, TerminalId};
use crate::network::{ChannelClass, Network};
use crate::shape::Shape;
use std::fmt::Write;
use turnwise_config::visible::visible;

/// Writes a network for `dot`, or `neato` if it has neither groups nor levels.
///
/// Terminals are a number in their router's label, with how many of them are dead; dead routers are dashed. Class and
/// latency of a link are attributes that graphviz passes on or ignores.
pub fn write(network: &Network) -> String {
    let mut text = String::new();
    // Writing into a string cannot fail.
    let _ = writeln!(text, "graph {} {{", quoted(network.description()));
    text.push_str("  node [shape=box];\n");
    match network.shape() {
        Shape::FatTree(tree) => {
            text.push_str("  rankdir=BT;\n");
            for level in 1..=tree.height() {
                text.push_str("  {\n    rank=same;\n");
                let first = tree.router_at(level, 0);
                let routers = first..first + tree.switches(level) as u32;
                routers.for_each(|router| node(network, RouterId(router), "    ", &mut text));
                text.push_str("  }\n");
            }
        }
        shape if shape.group(RouterId(0)).is_some() => clusters(network, &mut text),
        _ => network
            .routers()
            .for_each(|router| node(network, router, "  ", &mut text)),
    }
    links(network).for_each(|link| edge(link, &mut text));
    text.push_str("}\n");
    text
}

fn clusters(network: &Network, text: &mut String) {
    let mut routers: Vec<(Option<u32>, RouterId)> = network
        .routers()
        .map(|router| (network.shape().group(router), router))
        .collect();
    routers.sort_unstable();
    for group in routers.chunk_by(|a, b| a.0 == b.0) {
        let number = group[0].0.unwrap_or(0);
        let _ = writeln!(
            text,
            "  subgraph cluster_{number} {{\n    label=\"group {number}\";"
        );
        group
            .iter()
            .for_each(|&(_, router)| node(network, router, "    ", text));
        text.push_str("  }\n");
    }
}

fn node(network: &Network, router: RouterId, indent: &str, text: &mut String) {
    let label = network.router_label(router);
    let label = match network.terminals_of(router).len() {
        0 => label,
        1 => format!("{label}\n1 terminal"),
        many => format!("{label}\n{many} terminals"),
    };
    let terminals = network.terminals_of(router).map(TerminalId);
    let label = match terminals.filter(|&t| network.has_died_alone(t)).count() {
        0 => quoted(&label),
        dead => quoted(&format!("{label}, {dead} dead")),
    };
    let style = if network.is_alive(router) {
        ""
    } else {
        ", style=dashed"
    };
    let _ = writeln!(text, "{indent}r{router} [label={label}{style}];");
}

fn edge(link: Link, text: &mut String) {
    let (class, latency) = (link.class.name(), link.latency);
    let colour = if link.class == ChannelClass::Global {
        ", color=\"#c0392b\""
    } else {
        ""
    };
    let interval = match link.interval {
        1 => String::new(),
        cycles => format!(", interval={cycles}"),
    };
    let direction = if link.one_way { ", dir=forward" } else { "" };
    let (a, b) = (link.a.0, link.b.0);
    let _ = writeln!(
        text,
        "  r{a} -- r{b} [class=\"{class}\", latency={latency}{interval}{colour}{direction}];"
    );
}

/// A quoted string of the DOT language; `\n` in it is a line break.
fn quoted(text: &str) -> String {
    let escaped = visible(text, &['\n'])
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_quoted() {
        assert_eq!(quoted("a \"b\"\n\\"), "\"a \\\"b\\\"\\n\\\\\"");
    }
}
