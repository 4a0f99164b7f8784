//! Dragonfly: groups of fully connected routers, groups joined by global links.

use crate::ids::Port;
use schemars::JsonSchema;
use serde::Deserialize;

/// How the global ports of the groups are wired to each other.
///
/// With `q = router * global_ports + port` the global port's index in its group and
/// `m` parallel links between each pair of groups:
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arrangement {
    /// Consecutive: the `q`-th port leads to the `q`-th other group in numeric order (BookSim's `dragonflynew`).
    #[default]
    Absolute,
    /// The `q`-th port leads `q + 1` groups further on (SuperSim).
    Relative,
    /// As relative, but groups are counted downwards, the one before first (Camarero et al., TACO 2014); several links to one group are neighbours.
    Palmtree,
    /// Ports in pairs, one leading `d` groups on, the other `d` groups back; needs even global ports and odd groups (Hastings et al., CLUSTER 2015).
    Circulant,
    /// As many random links between each pair of groups as fit, from the network's seed.
    Random,
}

/// Routers are numbered group by group. Ports: terminals, then the other routers of the
/// group in ascending order, then global ports.
///
/// Source: Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly
/// topology", ISCA 2008.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dragonfly {
    /// Number of groups, g.
    pub groups: u32,
    /// Routers in each group, a.
    pub routers_per_group: u32,
    /// Terminals at each router, p.
    pub terminals_per_router: u32,
    /// Global ports of each router, h.
    pub global_ports_per_router: u32,
    /// How the groups are wired.
    pub arrangement: Arrangement,
}

impl Dragonfly {
    /// A router's group and its index in the group.
    pub fn group_and_index(&self, router: u32) -> (u32, u32) {
        (
            router / self.routers_per_group,
            router % self.routers_per_group,
        )
    }

    /// The router with this index in this group.
    pub fn router_at(&self, group: u32, index: u32) -> u32 {
        group * self.routers_per_group + index
    }

    /// The port that leads from one router of a group to another.
    pub fn local_port(&self, from: u32, to: u32) -> Port {
        (self.terminals_per_router + if to < from { to } else { to - 1 }) as Port
    }

    /// The router's index and port of the group's `q`-th global port.
    pub fn global_port(&self, q: u32) -> (u32, Port) {
        let (index, port) = (
            q / self.global_ports_per_router,
            q % self.global_ports_per_router,
        );
        (
            index,
            (self.terminals_per_router + self.routers_per_group - 1 + port) as Port,
        )
    }

    /// Parallel links between each pair of groups, m.
    pub fn links_per_pair(&self) -> u32 {
        match self.groups {
            0 | 1 => 0,
            groups => self.routers_per_group * self.global_ports_per_router / (groups - 1),
        }
    }

    /// Where global port `q` of `group` leads: the other group and its port there; `None` for a left-over port, and always for the
    /// random arrangement.
    pub fn global_peer(&self, group: u32, q: u32) -> Option<(u32, u32)> {
        let (g, m) = (self.groups, self.links_per_pair());
        if m == 0 {
            return None;
        }
        let ports = self.routers_per_group * self.global_ports_per_router;
        match self.arrangement {
            Arrangement::Absolute => absolute_peer(g, m, group, q),
            Arrangement::Relative => relative_peer(g, m, group, q),
            Arrangement::Palmtree => {
                let counted = ports - 1 - q;
                let used = m * (g - 1);
                // Left-over ports are the first of the group here, because counting starts at the last.
                (counted < used).then(|| {
                    let target = (group + 1 + counted / m) % g;
                    (target, ports - 1 - (used - 1 - counted))
                })
            }
            Arrangement::Circulant => circulant_peer(g, ports, group, q),
            Arrangement::Random => None,
        }
    }
}

/// `(target group, target port)` of the absolute (consecutive) arrangement with `m` links a pair.
pub(super) fn absolute_peer(g: u32, m: u32, group: u32, q: u32) -> Option<(u32, u32)> {
    let (round, other) = (q / (g - 1), q % (g - 1));
    (round < m).then(|| {
        let target = if other < group { other } else { other + 1 };
        let back = if group < target { group } else { group - 1 };
        (target, round * (g - 1) + back)
    })
}

/// `(target group, target port)` of the relative arrangement with `m` links a pair.
pub(super) fn relative_peer(g: u32, m: u32, group: u32, q: u32) -> Option<(u32, u32)> {
    let (round, offset) = (q / (g - 1), q % (g - 1));
    (round < m).then(|| ((group + offset + 1) % g, round * (g - 1) + (g - 2 - offset)))
}

/// `(target group, target port)` of the circulant arrangement of so many ports of each group; there is an odd number of groups.
pub(super) fn circulant_peer(g: u32, ports: u32, group: u32, q: u32) -> Option<(u32, u32)> {
    // An offset d and its mirror -d share a pair of ports, so that the peer of a port is always the other one of the same pair.
    let (pair, backward) = (q / 2, q % 2 == 1);
    let half = (g - 1) / 2;
    let complete = ports / 2 / half * half;
    let offset = 1 + pair % half;
    let ahead = if backward { g - offset } else { offset };
    (pair < complete).then_some(((group + ahead) % g, q ^ 1))
}
