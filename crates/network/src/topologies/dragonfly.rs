//! Dragonfly: groups of fully connected routers, every pair of groups joined by global links.
//!
//! Numbering of routers and ports, and how the arrangements wire global ports:
//! [`shape::Dragonfly`](crate::shape::Dragonfly). With `m = a h / (g - 1)` rounded down there
//! are exactly `m` parallel links between each pair of groups; global ports left over
//! stay unconnected.

use super::Topology;
use super::check;
use super::group_links;
use super::latency::ChannelLatency;
use crate::builder::{NetworkBuilder, Size};
use crate::ids::RouterId;
use crate::network::{ChannelClass, Network};
use crate::shape::{self, Arrangement, Shape};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::Invalid;
use turnwise_config::registry::{Entry, parse_as, schema_of};

pub(super) const DRAGONFLY: Entry<dyn Topology> = Entry {
    name: "dragonfly",
    aliases: &[],
    summary: "Groups of fully connected routers, fully connected by global links",
    source: "Kim, Dally, Scott, Abts, Technology-driven, highly-scalable dragonfly topology, ISCA 2008",
    example: "groups = 33\nrouters_per_group = 8\nterminals_per_router = 4\nglobal_ports_per_router = 4\n\
              arrangement = \"absolute\"\n\
              channel_latency = { local = \"1 cycle\", global = { per_group = \"10 cycles\" } }",
    schema: schema_of::<Dragonfly>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<Dragonfly, dyn Topology>(
            table, errors,
        )?))
    },
};

/// Parameters of a dragonfly.
///
/// ```
/// use turnwise_network::topologies::{Dragonfly, Topology};
///
/// let dragonfly = Dragonfly { groups: 9, routers_per_group: 4, ..Dragonfly::default() };
/// let network = dragonfly.build(None)?;
/// assert_eq!(network.router_count(), 36);
/// // 3 neighbours in the group and 2 global ports at each router.
/// assert_eq!(network.channel_count(), 36 * (3 + 2));
/// # Ok::<(), turnwise_network::Invalid>(())
/// ```
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dragonfly {
    /// Number of groups, g; a single group has no global links.
    #[schemars(range(min = 1))]
    pub groups: u32,
    /// Routers in each group, a.
    #[schemars(range(min = 1))]
    pub routers_per_group: u32,
    /// Terminals at each router, p.
    #[serde(default = "check::one")]
    #[schemars(range(min = 1))]
    pub terminals_per_router: u32,
    /// Global ports of each router, h; by default as few as join each pair of groups once.
    #[serde(default)]
    pub global_ports_per_router: Option<u32>,
    /// How the groups are wired to each other.
    #[serde(default)]
    pub arrangement: Arrangement,
    /// Seed of the random arrangement.
    #[serde(default)]
    pub seed: u64,
    /// How long channels are: local ones may grow with the distance of two routers' positions
    /// in their group, global ones with the distance of two groups' numbers.
    #[serde(default)]
    pub channel_latency: ChannelLatency,
}

impl Default for Dragonfly {
    /// The balanced dragonfly with 9 groups of 4 routers, 72 terminals.
    fn default() -> Self {
        Self {
            groups: 9,
            routers_per_group: 4,
            terminals_per_router: 2,
            global_ports_per_router: None,
            arrangement: Arrangement::Absolute,
            seed: 0,
            channel_latency: ChannelLatency::default(),
        }
    }
}

impl Dragonfly {
    fn global_ports(&self) -> u32 {
        let fewest = self
            .groups
            .saturating_sub(1)
            .div_ceil(self.routers_per_group.max(1));
        self.global_ports_per_router.unwrap_or(fewest)
    }

    fn check(&self) -> Result<(), Invalid> {
        check::some(self.groups, "groups", "a dragonfly has at least one group")?;
        check::some(
            self.routers_per_group,
            "routers_per_group",
            "a group has at least one router",
        )?;
        check::terminals(self.terminals_per_router)?;
        let [g, a, p, h] = [
            self.groups,
            self.routers_per_group,
            self.terminals_per_router,
            self.global_ports(),
        ]
        .map(u64::from);
        check::ports(p, "terminals_per_router")?;
        check::ports(p + h, "global_ports_per_router")?;
        check::ports(p + h + a - 1, "routers_per_group")?;
        if a * h < g - 1 {
            let message = format!(
                "a group has routers_per_group * global_ports_per_router = {a} * {h} = {} global \
                 ports, but needs at least groups - 1 = {} to reach every other group",
                a * h,
                g - 1
            );
            let enough = (g - 1).div_ceil(a);
            let help = format!(
                "take global_ports_per_router = {enough} or more, or groups = {} or fewer",
                a * h + 1
            );
            return Err(Invalid::new("global_ports_per_router", message).with_help(help));
        }
        self.size().check("groups")?;
        if g > 1 && self.arrangement == Arrangement::Circulant {
            self.check_circulant()?;
        }
        self.channel_latency
            .check_distances(self.routers_per_group - 1, self.groups - 1)
    }

    fn check_circulant(&self) -> Result<(), Invalid> {
        let (h, g) = (self.global_ports(), self.groups);
        let (message, help) = match (h % 2, g % 2) {
            (1, _) => (
                format!(
                    "the circulant arrangement takes a router's global ports in pairs, so global_ports_per_router must be even, not {h}"
                ),
                "write an even global_ports_per_router, or take another arrangement",
            ),
            (_, 0) => (
                format!(
                    "the circulant arrangement joins a group to those as far ahead as behind, so groups must be odd, not {g}"
                ),
                "take an odd number of groups or another arrangement",
            ),
            _ => return Ok(()),
        };
        Err(Invalid::new("arrangement", message).with_help(help))
    }

    fn shape(&self) -> shape::Dragonfly {
        shape::Dragonfly {
            groups: self.groups,
            routers_per_group: self.routers_per_group,
            terminals_per_router: self.terminals_per_router,
            global_ports_per_router: self.global_ports(),
            arrangement: self.arrangement,
        }
    }
}

impl Topology for Dragonfly {
    /// Left-over global ports count as channels: they cost memory, too.
    fn size(&self) -> Size {
        let [g, a, p, h] = [
            self.groups,
            self.routers_per_group,
            self.terminals_per_router,
            self.global_ports(),
        ]
        .map(u64::from);
        let routers = g.saturating_mul(a);
        Size {
            routers,
            terminals: routers.saturating_mul(p),
            channels: routers.saturating_mul(a.saturating_sub(1) + h),
        }
    }

    fn build(&self, _: Option<&str>) -> Result<Network, Invalid> {
        self.check()?;
        let shape = self.shape();
        let (g, a) = (shape.groups, shape.routers_per_group);
        let (p, h) = (shape.terminals_per_router, shape.global_ports_per_router);
        let arrangement = format!("{:?}", shape.arrangement).to_lowercase();
        let description = format!("dragonfly a={a} p={p} h={h} g={g} ({arrangement})");
        let mut builder = NetworkBuilder::new(description, Shape::Dragonfly(shape.clone()));
        for _ in 0..g * a {
            builder.router((p + a - 1 + h) as usize, p as usize);
        }
        for group in 0..g {
            self.wire_group(&shape, group, &mut builder);
        }
        self.wire_global(&shape, &mut builder);
        builder.build(self.channel_latency.of_terminal())
    }
}

impl Dragonfly {
    fn wire_group(&self, shape: &shape::Dragonfly, group: u32, builder: &mut NetworkBuilder) {
        for from in 0..shape.routers_per_group {
            for to in from + 1..shape.routers_per_group {
                let end = |here, there| {
                    (
                        RouterId(shape.router_at(group, here)),
                        shape.local_port(here, there).into(),
                    )
                };
                let latency = self.channel_latency.of_local(to - from);
                let local = ChannelClass::Local;
                builder.link(end(from, to), end(to, from), latency, local, local);
            }
        }
    }

    fn wire_global(&self, shape: &shape::Dragonfly, builder: &mut NetworkBuilder) {
        let (groups, ports) = (
            shape.groups,
            shape.routers_per_group * shape.global_ports_per_router,
        );
        let links = match shape.arrangement {
            Arrangement::Random => {
                group_links::random(groups, ports, shape.links_per_pair(), self.seed)
            }
            _ => group_links::by_rule(groups, ports, |group, q| shape.global_peer(group, q)),
        };
        let end = |(group, q)| {
            let (index, port) = shape.global_port(q);
            (RouterId(shape.router_at(group, index)), port.into())
        };
        for [near, far] in links {
            let latency = self.channel_latency.of_global(far.0 - near.0);
            let global = ChannelClass::Global;
            builder.link(end(near), end(far), latency, global, global);
        }
    }
}
