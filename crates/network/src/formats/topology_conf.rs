//! Slurm's `topology.conf`: which nodes hang on which switches, and how these hang together, so that jobs are placed near.
//!
//! Slurm's plugin `topology/tree` knows trees only. A fat tree is written as one whose switches of a level and below the same
//! switches are one, since a job does not mind by which of them its packets climb; of any other network the switches with nodes
//! hang on one that stands for all links.
//!
//! A node is called as its adapters are, up to the first space: `node07 HCA-1` and `node07 HCA-2` are both of `node07`, which is listed
//! at the switch of the first of them. Adapters whose descriptions are the same to the last letter are of different nodes, and so are those
//! whose words differ only in what Slurm cannot have in a name: these get a GUID behind it.
//!
//! A fabric that has fallen apart is a tree for each part, so that Slurm gives no job nodes that cannot reach each other.
//!
//! Source: Slurm, topology.conf(5).

mod reading;

pub use reading::{SwitchTree, read};

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
    let of_switches = known.switches.iter().map(|switch| Owner {
        called: &switch.name,
        word: word(&switch.name),
        description: &switch.name,
        guid: switch.guid,
    });
    let switches = names(of_switches.collect(), "switch");
    let of_nodes = known.adapters.iter().map(|adapter| {
        let called = adapter.name.split_whitespace().next().unwrap_or_default();
        Owner {
            called,
            word: word(called),
            description: &adapter.name,
            guid: adapter.node_guid,
        }
    });
    let nodes = names(of_nodes.collect(), "node");
    let mut taken: BTreeSet<String> = switches.iter().cloned().collect();
    let mut listed = BTreeSet::new();
    let mut text = format!("# Written by Turnwise: {}\n", network.description());
    let mut leaves = Vec::new();
    for router in network.routers() {
        let living = network.living_terminals_of(router);
        let hosts = living.filter(|terminal| known.adapters[terminal.index()].is_host);
        // A node with several ports or adapters is one.
        let nodes: Vec<&str> = hosts
            .map(|terminal| nodes[terminal.index()].as_str())
            .filter(|&node| listed.insert(node))
            .collect();
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
    let parts = parts(network);
    let mut children: Vec<(RouterId, String)> = leaves;
    if let Shape::FatTree(tree) = network.shape() {
        for level in 2..=tree.height() {
            let mut parents: BTreeMap<(Vec<u32>, u32), (RouterId, Vec<String>)> = BTreeMap::new();
            for (router, name) in &children {
                let mut above: Vec<u32> = network
                    .neighbours(*router)
                    .map(|next| next.router)
                    .filter(|&next| tree.level_and_index(next.0).0 == level)
                    .map(|next| next.0)
                    .collect();
                above.sort_unstable();
                let first = above.first().map_or(*router, |&first| RouterId(first));
                // Switches that nothing is left above of are not together for that.
                let part = parts[router.index()];
                let group = parents.entry((above, part)).or_insert((first, Vec::new()));
                group.1.push(name.clone());
            }
            children = parents
                .into_values()
                .enumerate()
                .map(|(number, (router, below))| {
                    let name = unlike(&mut taken, format!("level{level}-{number}"));
                    let _ = writeln!(text, "SwitchName={name} Switches={}", below.join(","));
                    (router, name)
                })
                .collect();
        }
    }
    let mut of_parts: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for (router, name) in children {
        let of_part = of_parts.entry(parts[router.index()]).or_default();
        of_part.push(name);
    }
    for names in of_parts.into_values().filter(|names| names.len() > 1) {
        let top = unlike(&mut taken, "fabric".into());
        let _ = writeln!(text, "SwitchName={top} Switches={}", names.join(","));
    }
    Ok(text)
}

/// Is a switch that all others hang on less than what is known of who is near whom? Not of fat trees, which are written as they are,
/// nor where every switch with nodes is linked to all others of these, or all are to the same switches.
pub(super) fn flattens(network: &Network) -> bool {
    if matches!(network.shape(), Shape::FatTree(_)) {
        return false;
    }
    let parts = parts(network);
    // By part: the neighbours of each switch with nodes, and the same with itself.
    let mut near: BTreeMap<u32, [BTreeSet<BTreeSet<RouterId>>; 2]> = BTreeMap::new();
    for router in network.routers() {
        if network.living_terminals_of(router).next().is_none() {
            continue;
        }
        let others: BTreeSet<RouterId> =
            network.neighbours(router).map(|next| next.router).collect();
        let mut all = others.clone();
        all.insert(router);
        let [of_others, of_all] = near.entry(parts[router.index()]).or_default();
        of_others.insert(others);
        of_all.insert(all);
    }
    near.values()
        .any(|ways| ways.iter().all(|different| different.len() > 1))
}

/// By router: the first router of the part of the network that it is in.
fn parts(network: &Network) -> Vec<u32> {
    let mut parts = vec![None; network.router_count()];
    for first in network.routers() {
        let mut next = vec![first];
        while let Some(router) = next.pop() {
            let part = &mut parts[router.index()];
            if part.is_none() {
                *part = Some(first.0);
                next.extend(network.neighbours(router).map(|next| next.router));
            }
        }
    }
    parts.into_iter().flatten().collect()
}

/// Who is to be named.
struct Owner<'a> {
    /// What it is called.
    called: &'a str,
    /// What it may be called.
    word: String,
    /// By what it is told from others who are called the same.
    description: &'a str,
    guid: u64,
}

/// Names of switches or nodes. Those that are described as somebody of another GUID get their own behind them, those that are called
/// otherwise but may not be get that of the first of their name, and those that are not described at all are called by it alone.
fn names(owners: Vec<Owner<'_>>, what: &str) -> Vec<String> {
    let mut guids: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    let mut called: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    for owner in &owners {
        let of_description = guids.entry(owner.description).or_default();
        of_description.insert(owner.guid);
        let of_word = called.entry(&owner.word).or_default();
        of_word.entry(owner.called).or_insert(owner.guid);
    }
    let are_several = owners
        .iter()
        .filter(|owner| guids[owner.description].len() > 1);
    let shared: BTreeSet<&str> = are_several.map(|owner| owner.word.as_str()).collect();
    let named = owners.iter().map(|owner| match owner.word.as_str() {
        "" => format!("{what}-{:016x}", owner.guid),
        word if shared.contains(word) => format!("{word}-{:016x}", owner.guid),
        word => match &called[word] {
            one if one.len() == 1 => word.to_owned(),
            several => format!("{word}-{:016x}", several[owner.called]),
        },
    });
    named.collect()
}

/// The name, or one like it that is not taken; it is from now on.
fn unlike(taken: &mut BTreeSet<String>, name: String) -> String {
    let others = (2..).map(|number| format!("{name}-{number}"));
    let free = std::iter::once(name.clone()).chain(others);
    let free = free
        .filter(|name| !taken.contains(name))
        .take(1)
        .collect::<String>();
    taken.insert(free.clone());
    free
}

/// Without what has a meaning in Slurm's configuration.
fn word(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    name.chars()
        .map(|c| if allowed(c) { c } else { '_' })
        .collect()
}
