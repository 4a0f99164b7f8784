//! Local random, remote attack: some packets stay in their group, all others attack one other group.
//!
//! A packet goes to a random terminal of its own group with the probability `local_fraction`, otherwise to a
//! random terminal of the group `offset` further on. Where one of these groups has nobody to receive it, it goes
//! to the other.
//!
//! Source: SuperSim, Hewlett Packard Labs, `local_random_remote_attack`.
//!
//! Complexity: O(1) a packet, memory O(terminals).
//!
//! ```
//! use turnwise_network::TerminalId;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{Dragonfly, Topology};
//! use turnwise_workload::patterns::LocalRandomRemoteAttack;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let network = Dragonfly::default().build(None)?;
//! let pattern = LocalRandomRemoteAttack { local_fraction: 0.0, offset: 1 }.build(&network, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! let destination = pattern.destination(TerminalId(3), &mut rng).expect("everybody sends");
//! assert!((8..16).contains(&destination.0));
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::blocks::{Blocks, shifted};
use crate::chance::Chance;
use crate::pattern::{Context, Pattern, PatternParameters};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::random::Random;
use turnwise_network::{Invalid, Network, TerminalId};

pub(super) const ENTRY: Entry<dyn PatternParameters> = Entry {
    name: NAME,
    aliases: &[],
    summary: "Some packets stay in their group, the others attack one other group",
    source: "SuperSim, local_random_remote_attack",
    example: "local_fraction = 0.25\noffset = 3",
    schema: schema_of::<LocalRandomRemoteAttack>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<
            LocalRandomRemoteAttack,
            dyn PatternParameters,
        >(table, errors)?))
    },
};

const NAME: &str = "local-random-remote-attack";

/// Parameters of local and attacking traffic.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LocalRandomRemoteAttack {
    /// Share of packets that stay in their group, 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub local_fraction: f64,
    /// How many groups further on the others go (may be negative).
    pub offset: i64,
}

impl Default for LocalRandomRemoteAttack {
    fn default() -> Self {
        Self {
            local_fraction: 0.5,
            offset: 1,
        }
    }
}

impl PatternParameters for LocalRandomRemoteAttack {
    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        let local = Chance::new(self.local_fraction, "local_fraction")?;
        let blocks = Blocks::groups(NAME, network)?;
        let target = shifted(self.offset, blocks.count())?;
        let targets = (0..blocks.count()).map(target).collect();
        Ok(Box::new(LocalAndRemote {
            blocks,
            targets,
            local,
            send_to_self: context.send_to_self,
        }))
    }
}

struct LocalAndRemote {
    blocks: Blocks,
    targets: Vec<u32>,
    local: Chance,
    send_to_self: bool,
}

impl Pattern for LocalAndRemote {
    fn destination(&self, source: TerminalId, rng: &mut Random) -> Option<TerminalId> {
        let home = self.blocks.block(source);
        let remote = self.targets[home as usize];
        let (first, second) = if self.local.occurs(rng) {
            (home, remote)
        } else {
            (remote, home)
        };
        let mut draw = |block| self.blocks.draw(block, source, self.send_to_self, rng);
        draw(first).or_else(|| draw(second))
    }
}
