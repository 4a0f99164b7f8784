//! Adversarial to consecutive groups, ADVc: every packet goes to a random one of the next groups.
//!
//! On a palmtree dragonfly the links to the next h groups all belong to one router, which becomes the
//! bottleneck of minimal routing.
//!
//! Source: Fuentes et al., "Throughput unfairness in dragonfly networks under realistic traffic patterns",
//! CLUSTER 2015.
//!
//! Groups of which nobody lives are left out. Complexity: O(1) a packet, O(groups) where the group drawn is dead; memory O(terminals).
//!
//! ```
//! use turnwise_network::TerminalId;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{Dragonfly, Topology};
//! use turnwise_workload::patterns::AdversarialConsecutive;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let network = Dragonfly::default().build(None)?;
//! let pattern = AdversarialConsecutive { groups: Some(2) }.build(&network, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! let destination = pattern.destination(TerminalId(3), &mut rng).expect("everybody sends");
//! assert!((8..24).contains(&destination.0));
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::blocks::Blocks;
use crate::pattern::{Context, Pattern, PatternParameters};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::random::Random;
use turnwise_network::{Invalid, Network, Shape, TerminalId};

pub(super) const ENTRY: Entry<dyn PatternParameters> = Entry {
    name: NAME,
    aliases: &["advc"],
    summary: "Every packet goes to a random one of the next groups",
    source: "Fuentes et al., Throughput unfairness in dragonfly networks under realistic traffic patterns, CLUSTER 2015",
    example: "groups = 4",
    schema: schema_of::<AdversarialConsecutive>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<
            AdversarialConsecutive,
            dyn PatternParameters,
        >(table, errors)?))
    },
};

const NAME: &str = "adversarial-consecutive";

/// Parameters of adversarial traffic to consecutive groups.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AdversarialConsecutive {
    /// To how many of the next groups; by default as many as a router has global ports.
    pub groups: Option<u32>,
}

impl PatternParameters for AdversarialConsecutive {
    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        let blocks = Blocks::groups(NAME, network)?;
        let others = blocks.count() - 1;
        let global_ports = match network.shape() {
            Shape::Dragonfly(shape) => shape.global_ports_per_router,
            Shape::Megafly(shape) => shape.half_radix,
            _ => 1,
        };
        let groups = self.groups.unwrap_or(global_ports.clamp(1, others));
        if groups == 0 || groups > others {
            let message = format!("expected 1 to {others} groups, found {groups}");
            return Err(Invalid::new("groups", message));
        }
        Ok(Box::new(Consecutive {
            blocks,
            groups,
            send_to_self: context.send_to_self,
        }))
    }
}

struct Consecutive {
    blocks: Blocks,
    groups: u32,
    send_to_self: bool,
}

impl Pattern for Consecutive {
    fn destination(&self, source: TerminalId, rng: &mut Random) -> Option<TerminalId> {
        let home = self.blocks.block(source);
        let group = |step: u32| (home + 1 + step) % self.blocks.count();
        let lives = |step: &u32| !self.blocks.living(group(*step)).is_empty();
        let mut step = rng.below(self.groups);
        if !lives(&step) {
            // Each of the others has the same share of what a dead group does not get.
            let mut others = (0..self.groups).filter(lives);
            let count = others.clone().count() as u32;
            step = others.nth(rng.below(count.max(1)) as usize)?;
        }
        self.blocks
            .draw(group(step), source, self.send_to_self, rng)
    }
}
