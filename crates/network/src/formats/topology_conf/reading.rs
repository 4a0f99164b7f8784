//! `topology.conf` of Slurm's plugin `topology/tree` as a network: switches, the switches below them, and nodes.
//!
//! ```text
//! SwitchName=s0 Nodes=tux[0-3]          # a leaf
//! SwitchName=top Switches=s[0-1] LinkSpeed=100
//! ```
//!
//! Keys may be written in any case, values may be in quotes, and a line that ends with a backslash goes on in the next one. Between two switches
//! there is one link, whatever there is in reality, since the file tells no more; speeds are passed over, as by Slurm.
//!
//! Source: Slurm, topology.conf(5).

use super::super::listing::{ListedLink, ListedRouter, Listing};
use crate::network::ChannelClass;
use line::{Line, Value};
use std::collections::BTreeMap;
use turnwise_config::Flaw;
use turnwise_config::diagnostic::nearest;
use turnwise_config::hostlist::{self, Host};

mod line;

const KEYS: [&str; 4] = ["SwitchName", "Nodes", "Switches", "LinkSpeed"];

/// Switches as routers in the order of the file, nodes as terminals, and what both are called.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchTree {
    /// The network.
    pub listing: Listing,
    /// By router.
    pub switches: Vec<String>,
    /// By terminal.
    pub nodes: Vec<String>,
}

/// Reads a file of `topology/tree`.
///
/// # Errors
/// The first thing in the text that is not understood, or that makes no tree of switches.
pub fn read(text: &str) -> Result<SwitchTree, Flaw> {
    let mut reading = Reading::default();
    for line in line::lines(text) {
        reading.line(&line)?;
    }
    reading.finish()
}

/// A name in a list, and where the list has it.
type Named = (String, usize);

struct Switch {
    name: String,
    offset: usize,
    nodes: Vec<Named>,
    below: Vec<Named>,
}

#[derive(Default)]
struct Reading {
    switches: Vec<Switch>,
    numbers: BTreeMap<String, usize>,
    /// By node: its switch.
    leaves: BTreeMap<String, usize>,
}

impl Reading {
    fn line(&mut self, line: &Line) -> Result<(), Flaw> {
        let mut said: [Option<Value>; 4] = Default::default();
        let assignments = line.assignments()?;
        let Some((_, start, _)) = assignments.first() else {
            return Ok(());
        };
        let start = *start;
        for (key, offset, value) in assignments {
            let known = KEYS
                .iter()
                .position(|known| known.eq_ignore_ascii_case(&key));
            let Some(at) = known else {
                return Err(unknown(&key, offset));
            };
            if said[at].replace(value).is_some() {
                return Err(Flaw::at(offset, format!("`{}` is given twice", KEYS[at])));
            }
        }
        let [name, nodes, below, _] = said;
        let Some(name) = name else {
            let message = "this line is about no switch";
            return Err(Flaw::at(start, message).with_help("begin it with SwitchName=NAME"));
        };
        let offset = name.offset;
        let number = self.switches.len();
        if self.numbers.insert(name.text.clone(), number).is_some() {
            let message = format!("switch {} is listed twice", name.text);
            return Err(Flaw::at(offset, message));
        }
        let [nodes, below] = match (nodes, below) {
            (Some(nodes), None) => [listed(&nodes, line)?, Vec::new()],
            (None, Some(below)) => [Vec::new(), listed(&below, line)?],
            (None, None) => {
                let message = format!("switch {} has neither Nodes nor Switches", name.text);
                return Err(Flaw::at(offset, message));
            }
            (Some(_), Some(below)) => {
                let message = format!("switch {} has both Nodes and Switches", name.text);
                let help = "nodes are at switches that have none below them";
                return Err(Flaw::at(below.offset, message).with_help(help));
            }
        };
        for (node, offset) in &nodes {
            if let Some(other) = self.leaves.insert(node.clone(), number) {
                let message = match &self.switches.get(other) {
                    Some(other) => format!("node {node} is at switch {} already", other.name),
                    None => format!("node {node} is listed twice"),
                };
                return Err(Flaw::at(*offset, message));
            }
        }
        self.switches.push(Switch {
            name: name.text,
            offset,
            nodes,
            below,
        });
        Ok(())
    }

    fn finish(self) -> Result<SwitchTree, Flaw> {
        if self.leaves.is_empty() {
            let flaw = Flaw::at(0, "there are no nodes in this file");
            return Err(flaw.with_help("leaves are written like SwitchName=s0 Nodes=tux[0-3]"));
        }
        let mut above: Vec<Option<usize>> = vec![None; self.switches.len()];
        let mut links = Vec::new();
        for (number, switch) in self.switches.iter().enumerate() {
            for (name, offset) in &switch.below {
                let Some(&below) = self.numbers.get(name) else {
                    let flaw = Flaw::at(*offset, format!("there is no switch {name}"));
                    let names = self.numbers.keys().map(String::as_str);
                    return Err(match nearest(name, names) {
                        Some(name) => flaw.with_help(format!("did you mean {name}?")),
                        None => flaw,
                    });
                };
                if let Some(other) = above[below].replace(number) {
                    let other = &self.switches[other].name;
                    let message = format!("switch {name} is below {other} already");
                    let help = "the switches of topology/tree make a tree";
                    return Err(Flaw::at(*offset, message).with_help(help));
                }
                links.push(ListedLink {
                    ends: [below as u32, number as u32],
                    ports: None,
                    latency: None,
                    interval: None,
                    class: ChannelClass::Local,
                    one_way: false,
                    offset: Some(*offset),
                });
            }
        }
        self.refuse_circles(&above)?;
        let routers = self.switches.iter().map(|switch| ListedRouter {
            terminals: Some(switch.nodes.len() as u32),
            offset: Some(switch.offset),
            ..ListedRouter::default()
        });
        let listing = Listing {
            terminals_per_router: Some(0),
            routers: routers.collect(),
            links,
            ..Listing::default()
        };
        let names = |all: &[Named]| all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let nodes = self.switches.iter().flat_map(|switch| names(&switch.nodes));
        Ok(SwitchTree {
            listing,
            nodes: nodes.collect(),
            switches: self
                .switches
                .into_iter()
                .map(|switch| switch.name)
                .collect(),
        })
    }

    /// Each switch is below one at most, so that a circle is what one comes back to on the way up.
    fn refuse_circles(&self, above: &[Option<usize>]) -> Result<(), Flaw> {
        let mut seen_from = vec![usize::MAX; above.len()];
        for start in 0..above.len() {
            let mut at = Some(start);
            while let Some(switch) = at.filter(|&at| seen_from[at] == usize::MAX) {
                seen_from[switch] = start;
                at = above[switch];
            }
            if let Some(again) = at.filter(|&at| seen_from[at] == start) {
                let switch = &self.switches[again];
                let message = format!("switch {} is below itself", switch.name);
                return Err(Flaw::at(switch.offset, message));
            }
        }
        Ok(())
    }
}

/// The names of a list.
fn listed(value: &Value, line: &Line) -> Result<Vec<Named>, Flaw> {
    if value.text.eq_ignore_ascii_case("all") {
        let message = "which nodes ALL are is not in this file";
        return Err(Flaw::at(value.offset, message).with_help("list them"));
    }
    let place = |at: usize| line.offset(value.at + at);
    let hosts = hostlist::expand(&value.text).map_err(|wrong| {
        let flaw = Flaw::at(place(wrong.place.start), wrong.message);
        match wrong.help {
            Some(help) => flaw.with_help(help),
            None => flaw,
        }
    })?;
    if hosts.is_empty() {
        return Err(Flaw::at(value.offset, "this list is empty"));
    }
    let named = |host: Host| (host.name, place(host.at.start));
    Ok(hosts.into_iter().map(named).collect())
}

fn unknown(key: &str, offset: usize) -> Flaw {
    if key.to_ascii_lowercase().starts_with("block") {
        let message = format!("`{key}` is of topology/block, which tells no switches");
        return Flaw::at(offset, message).with_help("the file must be one of topology/tree");
    }
    let flaw = Flaw::at(offset, format!("unknown key `{key}`"));
    match nearest(key, KEYS) {
        Some(known) => flaw.with_help(format!("did you mean `{known}`?")),
        None => flaw,
    }
}
