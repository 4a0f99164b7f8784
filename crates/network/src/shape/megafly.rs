//! Megafly (dragonfly+): groups of leaves and spines, completely bipartite inside.

use super::dragonfly::{absolute_peer, circulant_peer, relative_peer};
use crate::ids::Port;
use schemars::JsonSchema;
use serde::Deserialize;

/// How the global ports of the groups are wired to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Wiring {
    /// The `q`-th global port leads to the `q`-th other group in numeric order.
    #[default]
    Absolute,
    /// The `q`-th global port leads `q + 1` groups further on.
    Relative,
    /// Ports in pairs, one leading `d` groups on, the other `d` groups back; needs an even half radix and an odd number of groups.
    Circulant,
    /// Every spine has links to every group; needs `groups - 1` to divide the half radix.
    Alltoall,
    /// As many random links between each pair of groups as fit, from the network's seed.
    Random,
}

/// mfly(r, g). All leaves are numbered first, group by group, then all spines, group by group.
/// Ports of a leaf: r terminals, then r spines. Ports of a spine: r leaves, then r global ports.
///
/// Sources: Flajslik, Borch, Parker, "Megafly: a topology for exascale systems", ISC 2018;
/// Shpiner et al., "Dragonfly+: low cost topology for scaling datacenters", HiPINEB 2017.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Megafly {
    /// r: leaves, spines, terminals a leaf and global ports a spine.
    pub half_radix: u32,
    /// g: number of groups.
    pub groups: u32,
    /// How the groups are wired.
    pub wiring: Wiring,
}

impl Megafly {
    /// A router's group and its index among the leaves or the spines of that group.
    pub fn group_and_index(&self, router: u32) -> (u32, u32) {
        let among = router % (self.half_radix * self.groups);
        (among / self.half_radix, among % self.half_radix)
    }

    /// Is this router a leaf (and not a spine)?
    pub fn is_leaf(&self, router: u32) -> bool {
        router < self.half_radix * self.groups
    }

    /// A leaf by group and index.
    pub fn leaf(&self, group: u32, index: u32) -> u32 {
        group * self.half_radix + index
    }

    /// A spine by group and index.
    pub fn spine(&self, group: u32, index: u32) -> u32 {
        (self.groups + group) * self.half_radix + index
    }

    /// The port of a leaf that leads up to a spine.
    pub fn up_port(&self, spine_index: u32) -> Port {
        (self.half_radix + spine_index) as Port
    }

    /// The port of a spine that leads down to a leaf.
    pub fn down_port(&self, leaf_index: u32) -> Port {
        leaf_index as Port
    }

    /// The spine index and the port of the group's `q`-th global port.
    pub fn global_port(&self, q: u32) -> (u32, Port) {
        (
            q / self.half_radix,
            (self.half_radix + q % self.half_radix) as Port,
        )
    }

    /// Parallel links between each pair of groups, m.
    pub fn links_per_pair(&self) -> u32 {
        match self.groups {
            0 | 1 => 0,
            groups => self.half_radix * self.half_radix / (groups - 1),
        }
    }

    /// Where global port `q` of `group` leads; `None` for a left-over port, and always for random wiring.
    pub fn global_peer(&self, group: u32, q: u32) -> Option<(u32, u32)> {
        let (r, g, m) = (self.half_radix, self.groups, self.links_per_pair());
        if m == 0 {
            return None;
        }
        match self.wiring {
            Wiring::Absolute => absolute_peer(g, m, group, q),
            Wiring::Relative => relative_peer(g, m, group, q),
            Wiring::Circulant => circulant_peer(g, r * r, group, q),
            Wiring::Alltoall => {
                // Each spine meets its own index in every other group, r / (g-1) times.
                let (spine, port) = (q / r, q % r);
                let (round, offset) = (port / (g - 1), port % (g - 1));
                let target = (group + offset + 1) % g;
                Some((target, spine * r + round * (g - 1) + (g - 2 - offset)))
            }
            Wiring::Random => None,
        }
    }
}
