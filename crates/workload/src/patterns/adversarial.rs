//! Adversarial, ADV+i: every packet goes to the group `offset` further on.
//!
//! Minimal routing sends all of it over the links between two groups. On a palmtree dragonfly an offset of
//! h makes Valiant's routing meet on local channels as well.
//!
//! Source: García et al., "On-the-fly adaptive routing in high-radix hierarchical networks", ICPP 2012;
//! Kim, Dally, Scott, Abts, ISCA 2008.
//!
//! Complexity: O(1) a packet, memory O(terminals).
//!
//! ```
//! use turnwise_network::TerminalId;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{Dragonfly, Topology};
//! use turnwise_workload::patterns::Adversarial;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let network = Dragonfly::default().build(None)?;
//! let pattern = Adversarial { offset: 2, ..Adversarial::default() }.build(&network, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! // Groups of 8 terminals: from the first to the third.
//! let destination = pattern.destination(TerminalId(3), &mut rng).expect("everybody sends");
//! assert!((16..24).contains(&destination.0));
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::blocks::{Attack, Blocks, DestinationMode, shifted};
use crate::pattern::{Context, Pattern, PatternParameters};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network};

pub(super) const ENTRY: Entry<dyn PatternParameters> = Entry {
    name: NAME,
    aliases: &["adv"],
    summary: "Every packet goes to a group a fixed number further on",
    source: "García et al., On-the-fly adaptive routing in high-radix hierarchical networks, ICPP 2012",
    example: "offset = 2\ndestination_mode = \"peer\"",
    schema: schema_of::<Adversarial>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<Adversarial, dyn PatternParameters>(
            table, errors,
        )?))
    },
};

const NAME: &str = "adversarial";

/// Parameters of adversarial traffic.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Adversarial {
    /// How many groups further on (may be negative).
    pub offset: i64,
    /// Which terminal of that group receives.
    pub destination_mode: DestinationMode,
}

impl Default for Adversarial {
    fn default() -> Self {
        Self {
            offset: 1,
            destination_mode: DestinationMode::Random,
        }
    }
}

impl PatternParameters for Adversarial {
    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        let blocks = Blocks::groups(NAME, network)?;
        let target = shifted(self.offset, blocks.count())?;
        Ok(Box::new(Attack::new(
            blocks,
            target,
            self.destination_mode,
            context,
        )))
    }
}
