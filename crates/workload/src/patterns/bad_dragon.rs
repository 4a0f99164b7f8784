//! Bad dragon: every packet goes to a random terminal of the next group.
//!
//! The worst case of minimal routing on a dragonfly, where all traffic of a group meets on the
//! links to one other group. The same as `adversarial` with an offset of 1; this is the name it has
//! in BookSim.
//!
//! Source: BookSim 2, `traffic.cpp`; Kim, Dally, Scott, Abts, ISCA 2008.
//!
//! Complexity: O(1) a packet, memory O(terminals).
//!
//! ```
//! use turnwise_network::TerminalId;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{Dragonfly, Topology};
//! use turnwise_workload::patterns::BadDragon;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let network = Dragonfly::default().build(None)?;
//! let pattern = BadDragon::default().build(&network, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! // Groups of 8 terminals: the next one of the first is 8 to 15.
//! let destination = pattern.destination(TerminalId(3), &mut rng).expect("everybody sends");
//! assert!((8..16).contains(&destination.0));
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
    aliases: &[],
    summary: "Every packet goes to a random terminal of the next group",
    source: "BookSim 2, traffic.cpp",
    example: "load = 0.1",
    schema: schema_of::<BadDragon>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<BadDragon, dyn PatternParameters>(
            table, errors,
        )?))
    },
};

const NAME: &str = "bad-dragon";

/// Parameters of bad-dragon traffic: none of its own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BadDragon {}

impl PatternParameters for BadDragon {
    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        let blocks = Blocks::groups(NAME, network)?;
        let target = shifted(1, blocks.count())?;
        Ok(Box::new(Attack::new(
            blocks,
            target,
            DestinationMode::Random,
            context,
        )))
    }
}
