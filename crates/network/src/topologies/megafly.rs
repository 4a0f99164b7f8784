//! Megafly (dragonfly+): groups of leaves and spines, spines joined by global links.
//!
//! Numbering of routers and ports, and how the wirings join global ports:
//! [`shape::Megafly`](crate::shape::Megafly). With `m = r^2 / (g - 1)` rounded down there are
//! exactly `m` parallel links between each pair of groups; global ports left over stay
//! unconnected.

use super::Topology;
use super::check;
use super::group_links::{self, GroupLink};
use super::latency::ChannelLatency;
use crate::builder::{NetworkBuilder, Size};
use crate::ids::RouterId;
use crate::network::{ChannelClass, Network};
use crate::shape::{self, Shape, Wiring};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::Invalid;
use turnwise_config::registry::{Entry, parse_as, schema_of};

pub(super) const MEGAFLY: Entry<dyn Topology> = Entry {
    name: "megafly",
    aliases: &["dragonfly-plus"],
    summary: "Groups of leaves and spines, wired completely inside and by the spines' global links outside",
    source: "Flajslik, Borch, Parker, Megafly: a topology for exascale systems, ISC 2018; \
             Shpiner et al., Dragonfly+: low cost topology for scaling datacenters, HiPINEB 2017",
    example: "half_radix = 8\ngroups = 17\nwiring = \"absolute\"",
    schema: schema_of::<Megafly>,
    parse: |table, errors| Some(Box::new(parse_as::<Megafly, dyn Topology>(table, errors)?)),
};

/// Parameters of a megafly, mfly(r, g) in the literature.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Megafly {
    /// Half the ports of a router, r: also leaves and spines in a group, terminals at a leaf,
    /// global ports of a spine.
    #[schemars(range(min = 1))]
    pub half_radix: u32,
    /// Number of groups, g; a single group has no global links.
    #[schemars(range(min = 1))]
    pub groups: u32,
    /// How the groups are wired to each other.
    #[serde(default)]
    pub wiring: Wiring,
    /// Seed of the random wiring.
    #[serde(default)]
    pub seed: u64,
    /// How long channels are; global ones may grow with the distance of two groups' numbers.
    #[serde(default)]
    pub channel_latency: ChannelLatency,
}

impl Default for Megafly {
    /// mfly(2, 5), 20 terminals.
    fn default() -> Self {
        Self {
            half_radix: 2,
            groups: 5,
            wiring: Wiring::Absolute,
            seed: 0,
            channel_latency: ChannelLatency::default(),
        }
    }
}

impl Megafly {
    fn check(&self) -> Result<(), Invalid> {
        let (r, g) = (u64::from(self.half_radix), u64::from(self.groups));
        check::some(
            self.half_radix,
            "half_radix",
            "a leaf has at least one terminal and one spine",
        )?;
        check::some(self.groups, "groups", "a megafly has at least one group")?;
        check::ports(2 * r, "half_radix")?;
        self.size().check("groups")?;
        if r * r < g - 1 {
            let message = format!(
                "a group has half_radix^2 = {} global ports, but needs at least groups - 1 = {} to \
                 reach every other group",
                r * r,
                g - 1
            );
            let help = format!(
                "take groups = {} or fewer, or half_radix = {} or more",
                r * r + 1,
                (g - 1).isqrt() + u64::from(!is_square(g - 1))
            );
            return Err(Invalid::new("groups", message).with_help(help));
        }
        if g > 1 {
            self.check_wiring()?;
        }
        self.channel_latency.check_distances(1, self.groups - 1)
    }

    fn check_wiring(&self) -> Result<(), Invalid> {
        let (r, g) = (self.half_radix, self.groups);
        let (message, help) = match self.wiring {
            Wiring::Circulant if r % 2 == 1 => (
                format!(
                    "circulant wiring takes a spine's global ports in pairs, so half_radix must be even, not {r}"
                ),
                "take an even half_radix or another wiring",
            ),
            Wiring::Circulant if g % 2 == 0 => (
                format!(
                    "circulant wiring joins a group to those as far ahead as behind, so groups must be odd, not {g}"
                ),
                "take an odd number of groups or another wiring",
            ),
            Wiring::Alltoall if r % (g - 1) != 0 => (
                format!(
                    "alltoall wiring gives every spine equally many links to each other group, so \
                     groups - 1 = {} must divide half_radix = {r}",
                    g - 1
                ),
                "take another wiring, or groups one more than a divisor of half_radix",
            ),
            _ => return Ok(()),
        };
        Err(Invalid::new("wiring", message).with_help(help))
    }

    fn shape(&self) -> shape::Megafly {
        let Self {
            half_radix,
            groups,
            wiring,
            ..
        } = *self;
        shape::Megafly {
            half_radix,
            groups,
            wiring,
        }
    }
}

fn is_square(number: u64) -> bool {
    number.isqrt() * number.isqrt() == number
}

impl Topology for Megafly {
    /// Left-over global ports count as channels: they cost memory, too.
    fn size(&self) -> Size {
        let (r, g) = (u64::from(self.half_radix), u64::from(self.groups));
        let half = r.saturating_mul(r).saturating_mul(g);
        Size {
            routers: (2 * r).saturating_mul(g),
            terminals: half,
            channels: half.saturating_mul(3),
        }
    }

    fn build(&self, _: Option<&str>) -> Result<Network, Invalid> {
        self.check()?;
        let shape = self.shape();
        let (r, g) = (self.half_radix, self.groups);
        let wiring = format!("{:?}", self.wiring).to_lowercase();
        let description = format!("megafly r={r} g={g} ({wiring})");
        let mut builder = NetworkBuilder::new(description, Shape::Megafly(shape.clone()));
        for terminals in [r, 0] {
            for _ in 0..r * g {
                builder.router(2 * r as usize, terminals as usize);
            }
        }
        for group in 0..g {
            for (leaf, spine) in (0..r).flat_map(|leaf| (0..r).map(move |spine| (leaf, spine))) {
                let low = (
                    RouterId(shape.leaf(group, leaf)),
                    shape.up_port(spine).into(),
                );
                let high = (
                    RouterId(shape.spine(group, spine)),
                    shape.down_port(leaf).into(),
                );
                let local = ChannelClass::Local;
                builder.link(low, high, self.channel_latency.of_local(1), local, local);
            }
        }
        for [(group, q), (other, back)] in self.global_links(&shape) {
            let end = |group, q| {
                let (index, port) = shape.global_port(q);
                (RouterId(shape.spine(group, index)), port.into())
            };
            let latency = self.channel_latency.of_global(other.abs_diff(group));
            let global = ChannelClass::Global;
            builder.link(end(group, q), end(other, back), latency, global, global);
        }
        builder.build(self.channel_latency.of_terminal())
    }
}

impl Megafly {
    /// Every global link.
    fn global_links(&self, shape: &shape::Megafly) -> Vec<GroupLink> {
        let (groups, ports) = (self.groups, self.half_radix * self.half_radix);
        match self.wiring {
            Wiring::Random => group_links::random(groups, ports, shape.links_per_pair(), self.seed),
            _ => group_links::by_rule(groups, ports, |group, q| shape.global_peer(group, q)),
        }
    }
}
