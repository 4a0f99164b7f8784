//! Adversarial inside groups: every packet goes to the router `offset` further on in its group.
//!
//! Minimal routing sends all of it over one local channel a router.
//!
//! Source: García et al., "On-the-fly adaptive routing in high-radix hierarchical networks", ICPP 2012.
//!
//! Complexity: O(1) a packet, memory O(terminals).
//!
//! ```
//! use turnwise_network::TerminalId;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{Dragonfly, Topology};
//! use turnwise_workload::patterns::AdversarialLocal;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let network = Dragonfly::default().build(None)?;
//! let pattern = AdversarialLocal::default().build(&network, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! // 2 terminals at each router: from router 0 to router 1 of the same group.
//! let destination = pattern.destination(TerminalId(1), &mut rng).expect("everybody sends");
//! assert!((2..4).contains(&destination.0));
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::blocks::{Attack, Blocks, DestinationMode};
use crate::pattern::{Context, Pattern, PatternParameters};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, RouterId};

pub(super) const ENTRY: Entry<dyn PatternParameters> = Entry {
    name: NAME,
    aliases: &["adv-local"],
    summary: "Every packet goes to a router a fixed number further on in its group",
    source: "García et al., On-the-fly adaptive routing in high-radix hierarchical networks, ICPP 2012",
    example: "offset = 1",
    schema: schema_of::<AdversarialLocal>,
    parse: |table, errors| {
        Some(Box::new(
            parse_as::<AdversarialLocal, dyn PatternParameters>(table, errors)?,
        ))
    },
};

const NAME: &str = "adversarial-local";

/// Parameters of adversarial traffic inside groups.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AdversarialLocal {
    /// How many routers further on inside the group (may be negative).
    pub offset: i64,
    /// Which terminal of that router receives.
    pub destination_mode: DestinationMode,
}

impl Default for AdversarialLocal {
    fn default() -> Self {
        Self {
            offset: 1,
            destination_mode: DestinationMode::Random,
        }
    }
}

impl PatternParameters for AdversarialLocal {
    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        let groups = Blocks::any_groups(NAME, network)?.count();
        let has_terminals = |router: &RouterId| !network.terminals_of(*router).is_empty();
        let routers = (network.routers().filter(has_terminals).count() as u32 / groups).max(1);
        if routers == 1 {
            let message = format!(
                "`{NAME}` is for groups of several routers with terminals; these have one each"
            );
            return Err(Invalid::new("pattern", message));
        }
        let shift = self.offset.rem_euclid(i64::from(routers)) as u32;
        if shift == 0 {
            let message = format!(
                "an offset of {} among {routers} routers leaves packets where they are",
                self.offset
            );
            return Err(Invalid::new("offset", message));
        }
        // Routers with terminals are numbered group by group, and before those without.
        let target = |router: u32| match router < groups * routers {
            true => router / routers * routers + (router % routers + shift) % routers,
            false => router,
        };
        Ok(Box::new(Attack::new(
            Blocks::routers(network),
            target,
            self.destination_mode,
            context,
        )))
    }
}
