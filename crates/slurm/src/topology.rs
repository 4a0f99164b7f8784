//! The torus as a tree of switches, for Slurm's `topology/tree`.
//!
//! Stock Slurm knows trees but no tori of more than its compiled-in dimensions. Rings of the
//! first dimension become leaf switches, planes the switches above them, and so on: nodes
//! that share a low switch are close. What the tree does not say is how planes are linked;
//! that is what [`select`](super::select) is for.

use super::manifest::coordinates;
use super::site::Site;
use std::collections::BTreeMap;
use turnwise_config::hostlist::compress;
use turnwise_network::shape::dimension_name;

/// A `topology.conf`. Failed nodes are in it too: Slurm drains them by other means.
pub fn tree(site: &Site) -> String {
    let dimensions: Vec<usize> = (0..site.sizes.len())
        .filter(|&dimension| site.sizes[dimension] > 1)
        .collect();
    let sizes: Vec<String> = site.sizes.iter().map(u32::to_string).collect();
    let mut text = format!(
        "# {} torus as a tree: made by `turnwise slurm export-topology`.\n",
        sizes.join("x")
    );
    // What a level's switches have in common: the coordinates of the dimensions above it.
    let mut leaves: BTreeMap<Vec<u32>, Vec<&str>> = BTreeMap::new();
    for node in site.hosts.occupied() {
        let rest = beyond(&coordinates(site, node), &dimensions, 1);
        leaves
            .entry(rest)
            .or_default()
            .extend(site.hosts.name(node));
    }
    let mut below: BTreeMap<Vec<u32>, String> = BTreeMap::new();
    for (rest, hosts) in leaves {
        let name = switch(&dimensions, 1, &rest);
        text.push_str(&format!("SwitchName={name} Nodes={}\n", compress(hosts)));
        below.insert(rest, name);
    }
    for level in 2..=dimensions.len() {
        let mut groups: BTreeMap<Vec<u32>, Vec<String>> = BTreeMap::new();
        for (rest, name) in below {
            groups.entry(rest[1..].to_vec()).or_default().push(name);
        }
        below = BTreeMap::new();
        for (rest, names) in groups {
            let name = switch(&dimensions, level, &rest);
            text.push_str(&format!("SwitchName={name} Switches={}\n", names.join(",")));
            below.insert(rest, name);
        }
    }
    text
}

/// Coordinates along the dimensions from number `level` on.
fn beyond(coordinates: &[u32], dimensions: &[usize], level: usize) -> Vec<u32> {
    let rest = dimensions.iter().skip(level);
    rest.map(|&dimension| coordinates[dimension]).collect()
}

/// `xy-z1-w0`: everything along X and Y at these other coordinates.
fn switch(dimensions: &[usize], level: usize, rest: &[u32]) -> String {
    let (inside, outside) = dimensions.split_at(level.min(dimensions.len()));
    let mut name: String = inside.iter().map(|&d| dimension_name(d)).collect();
    if name.is_empty() {
        name.push_str("node");
    }
    for (&dimension, coordinate) in outside.iter().zip(rest) {
        name.push_str(&format!("-{}{coordinate}", dimension_name(dimension)));
    }
    name
}
