//! Slurm's `topology.conf`: which nodes hang on which switches, and how these hang together, so that jobs are placed near.
//!
//! Slurm's plugin `topology/tree` knows trees only. A fat tree is written as one whose switches of a level and below the same
//! switches are one, since a job does not mind by which of them its packets climb; of any other network the switches with nodes
//! hang on one that stands for all links.
//!
//! Source: Slurm, topology.conf(5).

use crate::ids::RouterId;
use crate::network::Network;
use crate::shape::Shape;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use turnwise_config::diagnostic::Invalid;

/// Writes the switches and nodes that live. O(routers + terminals).
///
/// # Errors
/// A network that no fabric can be, see [`Network::identities_or_made_up`].
pub(super) fn write(network: &Network) -> Result<String, Invalid> {
    let known = network.identities_or_made_up()?;
    let switches = names(
        known
            .switches
            .iter()
            .map(|switch| (word(&switch.name), switch.guid)),
    );
    let nodes = known.adapters.iter();
    let nodes = names(nodes.map(|adapter| (node_name(&adapter.name), adapter.node_guid)));
    let mut text = format!("# Written by Turnwise: {}\n", network.description());
    let mut leaves = Vec::new();
    for router in network.routers() {
        let living = network.living_terminals_of(router);
        let mut nodes: Vec<&str> = living
            .map(|terminal| nodes[terminal.index()].as_str())
            .collect();
        // A node with several ports is one.
        nodes.dedup();
        if nodes.is_empty() {
            continue;
        }
        let name = switches[router.index()].clone();
        // Writing into a string cannot fail.
        let _ = writeln!(text, "SwitchName={name} Nodes={}", nodes.join(","));
        leaves.push((router, name));
    }
    if leaves.len() < 2 {
        return Ok(text);
    }
    let mut children: Vec<(RouterId, String)> = leaves;
    if let Shape::FatTree(tree) = network.shape() {
        for level in 2..=tree.height() {
            let mut parents: BTreeMap<Vec<u32>, (RouterId, Vec<String>)> = BTreeMap::new();
            for (router, name) in &children {
                let mut above: Vec<u32> = network
                    .neighbours(*router)
                    .map(|next| next.router)
                    .filter(|&next| tree.level_and_index(next.0).0 == level)
                    .map(|next| next.0)
                    .collect();
                above.sort_unstable();
                let first = above.first().map_or(*router, |&first| RouterId(first));
                let group = parents.entry(above).or_insert((first, Vec::new()));
                group.1.push(name.clone());
            }
            children = parents
                .into_values()
                .enumerate()
                .map(|(number, (router, below))| {
                    let name = format!("level{level}-{number}");
                    let _ = writeln!(text, "SwitchName={name} Switches={}", below.join(","));
                    (router, name)
                })
                .collect();
        }
    }
    if children.len() > 1 {
        let names: Vec<String> = children.into_iter().map(|(_, name)| name).collect();
        let _ = writeln!(text, "SwitchName=fabric Switches={}", names.join(","));
    }
    Ok(text)
}

/// Names of switches or nodes; those that several of different GUIDs have get these behind them.
fn names(named: impl Iterator<Item = (String, u64)>) -> Vec<String> {
    let named: Vec<(String, u64)> = named.collect();
    let mut owners: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for (name, guid) in &named {
        owners.entry(name).or_default().insert(*guid);
    }
    let is_shared = |name: &str| owners.get(name).is_some_and(|guids| guids.len() > 1);
    let named = named.iter().map(|(name, guid)| match is_shared(name) {
        true => format!("{name}-{guid:016x}"),
        false => name.clone(),
    });
    named.collect()
}

/// A node is called as its adapter is, up to the first space: `node07 HCA-1`.
fn node_name(name: &str) -> String {
    word(name.split_whitespace().next().unwrap_or(name))
}

/// Without what has a meaning in Slurm's configuration.
fn word(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    name.chars()
        .map(|c| if allowed(c) { c } else { '_' })
        .collect()
}
