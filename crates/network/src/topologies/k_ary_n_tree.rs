//! k-ary n-tree: the full fat tree of n levels of equal switches, k ports down and k up.
//!
//! It is XGFT(n; k, .. k; 1, k, .. k); numbering of levels, switches and ports: [`FatTree`].

use super::Topology;
use super::check;
use super::latency::ChannelLatency;
use super::xgft;
use crate::builder::Size;
use crate::network::Network;
use crate::shape::FatTree;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::Invalid;
use turnwise_config::registry::{Entry, parse_as, schema_of};

pub(super) const K_ARY_N_TREE: Entry<dyn Topology> = Entry {
    name: "k-ary-n-tree",
    aliases: &[],
    summary: "Full fat tree of n levels of switches with k ports down and k up",
    source: "Petrini and Vanneschi, k-ary n-trees: high performance networks for massively parallel \
             architectures, IPPS 1997",
    example: "arity = 4\nlevels = 3",
    schema: schema_of::<KAryNTree>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<KAryNTree, dyn Topology>(
            table, errors,
        )?))
    },
};

/// Parameters of a k-ary n-tree.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KAryNTree {
    /// Children and parents of a switch, k; also terminals at a leaf.
    #[schemars(range(min = 1))]
    pub arity: u32,
    /// Levels of switches, n.
    #[schemars(range(min = 1, max = check::MOST_DIMENSIONS))]
    pub levels: u32,
    /// How long channels are.
    #[serde(default)]
    pub channel_latency: ChannelLatency,
}

impl Default for KAryNTree {
    /// The 4-ary 2-tree, 16 terminals.
    fn default() -> Self {
        Self {
            arity: 4,
            levels: 2,
            channel_latency: ChannelLatency::default(),
        }
    }
}

impl Topology for KAryNTree {
    fn size(&self) -> Size {
        let (k, n) = (u64::from(self.arity), u64::from(self.levels));
        let width = k.saturating_pow(self.levels.saturating_sub(1));
        let terminals = width.saturating_mul(k);
        Size {
            routers: n.saturating_mul(width),
            terminals,
            channels: n
                .saturating_sub(1)
                .saturating_mul(2)
                .saturating_mul(terminals),
        }
    }

    fn build(&self, _: Option<&str>) -> Result<Network, Invalid> {
        let Self { arity, levels, .. } = *self;
        check::some(arity, "arity", "a switch has at least one child")?;
        if levels == 0 || levels as usize > check::MOST_DIMENSIONS {
            let most = check::MOST_DIMENSIONS;
            let message = format!("expected 1 to {most} levels of switches, found {levels}");
            return Err(Invalid::new("levels", message));
        }
        check::ports(2 * u64::from(arity), "arity")?;
        self.size().check("levels")?;
        let m = vec![arity; levels as usize];
        let mut w = m.clone();
        w[0] = 1;
        let description = format!("{arity}-ary {levels}-tree");
        xgft::wire(FatTree::new(&m, &w), &self.channel_latency, description)
    }
}
