//! XGFT: extended generalised fat tree, of any height, full or slimmed.
//!
//! Numbering of levels, switches and ports: [`FatTree`]. Channels towards the roots are of
//! class `up`, those towards the terminals of class `down`.

use super::Topology;
use super::check;
use super::latency::ChannelLatency;
use crate::builder::{NetworkBuilder, Size};
use crate::ids::RouterId;
use crate::network::{ChannelClass, Network};
use crate::shape::{FatTree, Shape};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::Invalid;
use turnwise_config::registry::{Entry, parse_as, schema_of};

pub(super) const XGFT: Entry<dyn Topology> = Entry {
    name: "xgft",
    aliases: &["fat-tree"],
    summary: "Extended generalised fat tree, full or slimmed",
    source: "Öhring, Ibel, Das, Kumar, On generalized fat trees, IPPS 1995",
    example: "m = [16, 16]\nw = [1, 12]",
    schema: schema_of::<Xgft>,
    parse: |table, errors| Some(Box::new(parse_as::<Xgft, dyn Topology>(table, errors)?)),
};

/// Parameters of an extended generalised fat tree, XGFT(h; m; w).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Xgft {
    /// Children of a switch, by level from the leaves up; the first are a leaf's terminals.
    #[schemars(length(min = 1, max = check::MOST_DIMENSIONS), inner(range(min = 1)))]
    pub m: Vec<u32>,
    /// Parents of a node, by level from the terminals up; the first is 1.
    #[schemars(length(min = 1, max = check::MOST_DIMENSIONS), inner(range(min = 1)))]
    pub w: Vec<u32>,
    /// How long channels are.
    #[serde(default)]
    pub channel_latency: ChannelLatency,
}

impl Default for Xgft {
    /// A full tree of two levels, 16 terminals.
    fn default() -> Self {
        Self {
            m: vec![4, 4],
            w: vec![1, 4],
            channel_latency: ChannelLatency::default(),
        }
    }
}

impl Topology for Xgft {
    fn size(&self) -> Size {
        size(&self.m, &self.w)
    }

    fn build(&self, _: Option<&str>) -> Result<Network, Invalid> {
        self.check()?;
        let texts = |numbers: &[u32]| {
            let texts: Vec<String> = numbers.iter().map(u32::to_string).collect();
            texts.join(",")
        };
        let (m, w) = (texts(&self.m), texts(&self.w));
        let description = format!("XGFT({}; {m}; {w})", self.m.len());
        wire(
            FatTree::new(&self.m, &self.w),
            &self.channel_latency,
            description,
        )
    }
}

impl Xgft {
    fn check(&self) -> Result<(), Invalid> {
        let Self { m, w, .. } = self;
        if m.is_empty() || m.len() > check::MOST_DIMENSIONS {
            let most = check::MOST_DIMENSIONS;
            let message = format!("expected 1 to {most} levels of switches, found {}", m.len());
            return Err(Invalid::new("m", message));
        }
        if w.len() != m.len() {
            let message = format!("m has {} levels, w has {}", m.len(), w.len());
            return Err(Invalid::new("w", message).with_help("give both one number for each level"));
        }
        for (field, numbers) in [("m", m), ("w", w)] {
            if let Some(level) = numbers.iter().position(|&number| number == 0) {
                let relatives = if field == "m" { "child" } else { "parent" };
                let message = format!("a node has at least one {relatives}");
                return Err(Invalid::new(format!("{field}[{level}]"), message));
            }
        }
        if w[0] != 1 {
            let message = format!("a terminal is attached to one switch, not to {}", w[0]);
            return Err(Invalid::new("w[0]", message).with_help("write w = [1, ...]"));
        }
        for (level, &down) in m.iter().enumerate() {
            let up = w.get(level + 1).copied().unwrap_or(0);
            check::ports(u64::from(down) + u64::from(up), &format!("m[{level}]"))?;
        }
        self.size().check("m")?;
        Ok(())
    }
}

/// Saturating, and linear in the number of levels.
pub(super) fn size(m: &[u32], w: &[u32]) -> Size {
    let product = |numbers: &[u32]| {
        numbers.iter().fold(1u64, |product, &number| {
            product.saturating_mul(number.into())
        })
    };
    let mut size = Size {
        terminals: product(m),
        ..Size::default()
    };
    let mut above = vec![1u64; m.len() + 1];
    for level in (0..m.len()).rev() {
        above[level] = above[level + 1].saturating_mul(m[level].into());
    }
    let mut below = 1u64;
    for (level, &parents) in w.iter().enumerate().take(m.len()) {
        let children = above[level].saturating_mul(below);
        below = below.saturating_mul(parents.into());
        size.routers = size
            .routers
            .saturating_add(above[level + 1].saturating_mul(below));
        if level > 0 {
            let links = children.saturating_mul(parents.into());
            size.channels = size.channels.saturating_add(links.saturating_mul(2));
        }
    }
    size
}

/// Wires a tree whose numbers have been checked.
pub(super) fn wire(
    tree: FatTree,
    latency: &ChannelLatency,
    description: String,
) -> Result<Network, Invalid> {
    let mut builder = NetworkBuilder::new(description, Shape::FatTree(tree.clone()));
    for level in 1..=tree.height() {
        let (down, up) = (tree.down_ports(level), tree.up_ports(level));
        let terminals = if level == 1 { down } else { 0 };
        for _ in 0..tree.switches(level) {
            builder.router((down + up) as usize, terminals as usize);
        }
    }
    for level in 1..tree.height() {
        let (down, ups) = (tree.down_ports(level), tree.up_ports(level));
        for index in 0..tree.switches(level) as u32 {
            let label = tree.label(level, index);
            let child = RouterId(tree.router_at(level, index));
            let mut above = label.clone();
            for up in 0..ups {
                above[level] = up;
                let parent = RouterId(tree.router_at(level + 1, tree.index(level + 1, &above)));
                builder.link(
                    (child, (down + up) as usize),
                    (parent, label[level] as usize),
                    latency.of_local(1),
                    ChannelClass::Up,
                    ChannelClass::Down,
                );
            }
        }
    }
    builder.build(latency.of_terminal())
}
