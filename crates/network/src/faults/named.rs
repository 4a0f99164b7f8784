//! Faults as people write them: parts by their numbers, or by what they are called.

use super::Faults;
use crate::network::Network;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use std::collections::BTreeSet;
use std::fmt;
use turnwise_config::diagnostic::{Invalid, nearest};

/// The same with parts by number or name, as studies list them.
pub type NamedFaults = Faults<Part>;

/// A router or a terminal, by its number or by what reports and files call it: `7`, `"leaf-3"`, `"(0,1)"`; a switch or an adapter's port also by its
/// GUID, `"0x0002c90300a1b2c3"`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Part {
    /// Its number.
    Number(u32),
    /// What it is called.
    Name(String),
}

impl NamedFaults {
    /// The same by numbers. O(routers + terminals) if there are names.
    ///
    /// # Errors
    /// A name that nothing has, or more than one.
    pub fn of(&self, network: &Network) -> Result<Faults, Invalid> {
        let routers = Names::new("router", self.names_routers(), || of_routers(network));
        let is_named = self.terminals.iter().any(Part::is_name);
        let terminals = Names::new("terminal", is_named, || of_terminals(network));
        let links = self.links.iter().enumerate().map(|(index, [a, b])| {
            let end = |part, end| routers.number(part, || format!("links[{index}][{end}]"));
            Ok([end(a, 0)?, end(b, 1)?])
        });
        Ok(Faults {
            links: links.collect::<Result<_, Invalid>>()?,
            routers: routers.numbers(&self.routers, "routers")?,
            terminals: terminals.numbers(&self.terminals, "terminals")?,
            random_links: self.random_links,
            random_routers: self.random_routers,
            seed: self.seed,
        })
    }

    fn names_routers(&self) -> bool {
        let mut parts = self.links.iter().flatten().chain(&self.routers);
        parts.any(Part::is_name)
    }
}

fn of_routers(network: &Network) -> Vec<(String, u32)> {
    let labels = network.routers().map(|id| (network.router_label(id), id.0));
    let known = network.identities();
    let switches = known.into_iter().flat_map(|known| &known.switches);
    let more = (0..).zip(switches).flat_map(|(id, switch)| {
        let guids = [switch.guid, switch.port_guid].map(hex);
        guids
            .into_iter()
            .chain([switch.name.clone()])
            .map(move |name| (name, id))
    });
    labels.chain(more).collect()
}

fn of_terminals(network: &Network) -> Vec<(String, u32)> {
    let labels = network
        .terminals()
        .map(|id| (network.terminal_label(id), id.0));
    let known = network.identities();
    let adapters = known.into_iter().flat_map(|known| &known.adapters);
    let more = (0..).zip(adapters).flat_map(|(id, port)| {
        let names = [hex(port.guid), port.label()];
        names.map(|name| (name, id))
    });
    labels.chain(more).collect()
}

fn hex(guid: u64) -> String {
    format!("{guid:#018x}")
}

/// What routers or terminals are called, if anyone calls them by name.
struct Names {
    /// `router` or `terminal`.
    kind: &'static str,
    /// Who has a name.
    known: FxHashMap<String, BTreeSet<u32>>,
    in_order: Vec<String>,
}

impl Names {
    fn new(kind: &'static str, is_asked: bool, all: impl Fn() -> Vec<(String, u32)>) -> Self {
        let mut known: FxHashMap<String, BTreeSet<u32>> = FxHashMap::default();
        let mut in_order = Vec::new();
        let all = if is_asked { all() } else { Vec::new() };
        for (name, id) in all {
            // Some are called by their GUID, and most as they are labelled.
            known.entry(name.clone()).or_default().insert(id);
            in_order.push(name);
        }
        Self {
            kind,
            known,
            in_order,
        }
    }

    fn number(&self, part: &Part, place: impl Fn() -> String) -> Result<u32, Invalid> {
        let (name, kind) = match part {
            Part::Number(number) => return Ok(*number),
            Part::Name(name) => (name, self.kind),
        };
        let is_guid = name.starts_with("0x") || name.starts_with("0X");
        let digits = is_guid.then(|| u64::from_str_radix(&name[2..], 16).ok());
        let guid = digits.flatten().map(hex);
        let found = guid.and_then(|guid| self.known.get(&guid));
        let found = found.or_else(|| self.known.get(name));
        match found.map(|ids| (ids.len(), ids.first())) {
            Some((1, Some(&id))) => Ok(id),
            Some((count, _)) => {
                let message = format!("{count} {kind}s are called `{name}`");
                Err(Invalid::new(place(), message).with_help("write its number or its GUID"))
            }
            None => {
                let invalid = Invalid::new(place(), format!("there is no {kind} `{name}`"));
                let near = nearest(name, self.in_order.iter().map(String::as_str));
                let first = self.in_order.first();
                Err(match (near, first) {
                    (Some(near), _) => invalid.with_help(format!("did you mean `{near}`?")),
                    (None, Some(first)) => {
                        invalid.with_help(format!("{kind} 0 is called `{first}`"))
                    }
                    (None, None) => invalid,
                })
            }
        }
    }

    fn numbers(&self, parts: &[Part], field: &str) -> Result<Vec<u32>, Invalid> {
        let numbered = parts.iter().enumerate();
        numbered
            .map(|(index, part)| self.number(part, || format!("{field}[{index}]")))
            .collect()
    }
}

impl Part {
    fn is_name(&self) -> bool {
        matches!(self, Self::Name(_))
    }
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartVisitor)
    }
}

struct PartVisitor;

impl Visitor<'_> for PartVisitor {
    type Value = Part;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number such as 5, or a name in quotes")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Part, E> {
        let number = u32::try_from(value).map(Part::Number);
        number.map_err(|_| E::invalid_value(de::Unexpected::Signed(value), &self))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Part, E> {
        let number = u32::try_from(value).map(Part::Number);
        number.map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Part, E> {
        Ok(Part::Name(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(network: &Network, text: &str) -> Result<Faults, String> {
        let faults: NamedFaults = toml::from_str(text).unwrap();
        let told = |invalid: Invalid| {
            format!("{invalid}; {}", invalid.help.as_deref().unwrap_or_default())
        };
        faults.of(network).map_err(told)
    }

    #[test]
    fn parts_are_found_by_name() {
        let network = crate::formats::read_edge_list("root leaf-1\nroot leaf-2\nleaf-1 leaf-2");
        let latency = crate::topologies::ChannelLatency::default();
        let network = network.unwrap().build(String::new(), 1, &latency).unwrap();
        let found = of(
            &network,
            "links = [['root', 'leaf-2'], [1, 'leaf-2']]\nrouters = ['leaf-1', 0]\nterminals = ['terminal 2', 1]",
        );
        let found = found.unwrap();
        assert_eq!(found.links, [[0, 2], [1, 2]]);
        assert_eq!((found.routers, found.terminals), (vec![1, 0], vec![2, 1]));
        assert_eq!(
            of(&network, "links = [['root', 'leaf1']]").unwrap_err(),
            "links[0][1]: there is no router `leaf1`; did you mean `leaf-1`?"
        );
        assert_eq!(
            of(&network, "terminals = ['x']").unwrap_err(),
            "terminals[0]: there is no terminal `x`; terminal 0 is called `terminal 0`"
        );
    }
}
