//! Tables for a fabric of which something has failed, with as few new entries as can be: read from files, and [mended](super::mended).
//!
//! Whether the change can be made under load, whichever switch changes first, the verifier says ([`transition`](super::transition)).
//!
//! Source: none.
//!
//! Complexity: as reading the tables and mending them.

use super::forwarding::Forwarding;
use super::mending::{mended, mended_for};
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use crate::irregular::carries_both_ways;
use crate::irregular::lanes::budget_of_levels;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: "repair",
        aliases: &[],
        summary: "Any network: the tables a subnet has, with new entries only where something has failed",
        source: "Marchetti-Spaccamela, Nanni, Rohnert, Inf. Process. Lett. 59(1), 1996",
        example: "lft = \"old.lft\"",
        schema: schema_of::<Repair>,
        parse: |table, errors| Some(Box::new(parse_as::<Repair, dyn Algorithm>(table, errors)?)),
    },
    fits: carries_both_ways,
};

/// The tables that switches have.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repair {
    /// File of the forwarding tables that switches have.
    pub lft: String,
    /// File of the service levels; all are 0 without it.
    #[serde(default)]
    pub service_levels: Option<String>,
    /// Virtual lanes, each of a service level: by default all the router has, or else 8.
    #[serde(default)]
    pub virtual_lanes: Option<Vc>,
}

impl Repair {
    fn old(&self) -> Forwarding {
        Forwarding {
            lft: self.lft.clone(),
            service_levels: self.service_levels.clone(),
            sl2vl: None,
            virtual_lanes: self.virtual_lanes,
        }
    }
}

impl Algorithm for Repair {
    fn files(&self) -> Vec<(&'static str, &str)> {
        let levels = self.service_levels.as_deref();
        let levels = levels.map(|file| ("service_levels", file));
        std::iter::once(("lft", self.lft.as_str()))
            .chain(levels)
            .collect()
    }

    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::NewRules
    }

    fn table_bytes(&self, network: &Network, context: &Context<'_>) -> u64 {
        3 * self.old().table_bytes(network, context)
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let (old, heirs) = self.old().table_and_heirs(network, context)?;
        if old.lmc() > 0 {
            let message = "ports of adapters have several LIDs; tables are mended for one each";
            return Err(Invalid::new("lft", message));
        }
        let total = old.virtual_channels();
        let lanes = match self.virtual_lanes.or(context.router_virtual_channels) {
            Some(_) => budget_of_levels(self.virtual_lanes, network, context)?,
            None => total,
        };
        // Who has the address of another one may have a service level by a rule for all, or none that is safe.
        let kept = mended(network, old.clone(), lanes);
        Ok(Box::new(match kept {
            Err(_) if self.service_levels.is_some() && !heirs.is_empty() => {
                mended_for(network, old, heirs, lanes)?
            }
            kept => kept?,
        }))
    }
}
