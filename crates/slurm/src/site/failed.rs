//! `[failed]`: nodes and links that are out of order.

use super::hosts::{Hosts, expand_at, within};
use std::ops::Range;
use turnwise_config::diagnostic::{Diagnostic, suggestion};
use turnwise_config::document::Value;
use turnwise_network::{Network, RouterId};

/// What has failed, by position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Failed {
    pub(super) nodes: Vec<u32>,
    pub(super) links: Vec<[u32; 2]>,
}

pub(super) fn read(
    table: &Value,
    hosts: &Hosts,
    torus: &Network,
    errors: &mut Vec<Diagnostic>,
) -> Failed {
    const FIELDS: [&str; 2] = ["nodes", "links"];
    let mut failed = Failed::default();
    let Some(fields) = table.table() else {
        let message = format!("expected a table, found {}", table.describe());
        errors.push(Diagnostic::at(table.span, message));
        return failed;
    };
    for (key, value) in fields.iter() {
        match key.name.as_str() {
            "nodes" => failed.nodes = nodes(value, hosts, errors),
            "links" => failed.links = links(value, hosts, torus, errors),
            other => {
                let message = format!("unknown key `{other}`");
                let help = suggestion(other, "the keys here are", FIELDS, FIELDS);
                errors.push(Diagnostic::at(key.span, message).with_help(help));
            }
        }
    }
    failed
}

/// A hostlist, or an array of names.
fn nodes(value: &Value, hosts: &Hosts, errors: &mut Vec<Diagnostic>) -> Vec<u32> {
    let lists: &[Value] = match value.array() {
        Some(values) => values,
        None => std::slice::from_ref(value),
    };
    let mut found = Vec::new();
    for value in lists {
        let Some(text) = value.as_str() else {
            let message = format!("expected a hostlist, found {}", value.describe());
            let help = "for example nodes = \"n[3-4,7]\"";
            errors.push(Diagnostic::at(value.span, message).with_help(help));
            continue;
        };
        let Some(list) = expand_at(value, text, errors) else {
            continue;
        };
        match hosts.find(&list, |at: &Range<usize>| within(value, text, at)) {
            Ok(positions) => found.extend(positions),
            Err(wrong) => errors.extend(wrong),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// An array of pairs of neighbours.
fn links(
    value: &Value,
    hosts: &Hosts,
    torus: &Network,
    errors: &mut Vec<Diagnostic>,
) -> Vec<[u32; 2]> {
    let mut found: Vec<[u32; 2]> = Vec::new();
    let Some(pairs) = value.array() else {
        errors.push(not_a_pair(value));
        return found;
    };
    for pair in pairs {
        let Some(ends) = ends(pair, hosts, errors) else {
            continue;
        };
        let [a, b] = ends;
        let neighbours = || torus.neighbours(RouterId(a)).map(|next| next.router.0);
        if !neighbours().any(|next| next == b) {
            let names: Vec<&str> = neighbours().map(|next| hosts.label(next)).collect();
            let (from, to) = (hosts.label(a), hosts.label(b));
            let message = format!("no link joins `{from}` and `{to}`");
            let help = format!("`{from}` is linked to {}", names.join(", "));
            errors.push(Diagnostic::at(pair.span, message).with_help(help));
        } else if found.contains(&[a, b]) || found.contains(&[b, a]) {
            errors.push(Diagnostic::at(pair.span, "this link is listed twice"));
        } else {
            found.push([a, b]);
        }
    }
    found
}

fn ends(pair: &Value, hosts: &Hosts, errors: &mut Vec<Diagnostic>) -> Option<[u32; 2]> {
    let [a, b] = pair.array().unwrap_or_default() else {
        errors.push(not_a_pair(pair));
        return None;
    };
    let mut end = |value: &Value| {
        let Some(name) = value.as_str() else {
            errors.push(not_a_pair(value));
            return None;
        };
        let position = hosts.position(name);
        if position.is_none() {
            errors.push(hosts.unknown(name, value.span));
        }
        position
    };
    let (a, b) = (end(a), end(b));
    Some([a?, b?])
}

fn not_a_pair(value: &Value) -> Diagnostic {
    let message = format!("expected pairs of hosts, found {}", value.describe());
    Diagnostic::at(value.span, message).with_help("for example links = [[\"n1\", \"n2\"]]")
}
