//! Round robin: routers that have free terminals take turns.
//!
//! On a fat tree these are its leaf switches. Neighbouring ranks are apart, those a multiple of the number of routers
//! apart are together; a router's terminals are filled one after the other. Slurm calls it `--distribution=cyclic`, with blocks `plane`.
//!
//! Complexity: O(free terminals).

use crate::placement::{Placement, Seats, Site, in_turn};
use crate::workload::check_range;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::Invalid;

pub(super) const ENTRY: Entry<dyn Placement> = Entry {
    name: "round-robin",
    aliases: &["cyclic"],
    summary: "Routers, or leaf switches, take turns with one rank each",
    source: "SchedMD, Slurm, srun --distribution=cyclic and plane",
    example: "block = 2",
    schema: schema_of::<RoundRobin>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<RoundRobin, dyn Placement>(
            table, errors,
        )?))
    },
};

/// Parameters of placement round robin.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RoundRobin {
    /// So many successive ranks stay together, as far as there are free terminals.
    #[schemars(range(min = 1))]
    pub block: u32,
}

impl Default for RoundRobin {
    fn default() -> Self {
        Self { block: 1 }
    }
}

impl Placement for RoundRobin {
    fn check(&self) -> Result<(), Invalid> {
        check_range("block", self.block.into(), 1, u32::MAX.into())
    }

    fn place(&self, site: &Site<'_>, ranks: u32) -> Result<Seats, Invalid> {
        self.check()?;
        let network = site.network;
        // Terminals of a router follow each other.
        let routers = site
            .free
            .chunk_by(|&one, &next| network.router_of(one) == network.router_of(next));
        let mut order = in_turn(routers.map(<[_]>::to_vec).collect(), self.block as usize);
        order.truncate(ranks as usize);
        Ok(order.into())
    }
}
