//! Linear: rank 0 at the first free terminal, rank 1 at the next, and so on.
//!
//! A terminal that several ranks may share is filled before the next. Terminals are numbered router by router, so neighbouring ranks share routers, leaf switches and groups. Slurm calls it
//! `--distribution=block`, MPI launchers *by slot*.
//!
//! Complexity: O(ranks).

use crate::placement::{Placement, Seats, Site};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, TerminalId};

pub(super) const ENTRY: Entry<dyn Placement> = Entry {
    name: "linear",
    aliases: &[],
    summary: "Rank 0 at the first terminal, rank 1 at the next, and so on",
    source: "SchedMD, Slurm, srun --distribution=block",
    example: "first = 8",
    schema: schema_of::<Linear>,
    parse: |table, errors| Some(Box::new(parse_as::<Linear, dyn Placement>(table, errors)?)),
};

/// Parameters of linear placement.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Linear {
    /// So many free terminals are left out before rank 0.
    pub first: u32,
}

impl Linear {
    /// The seats from the first one on.
    fn rest<'a>(&self, site: &Site<'a>) -> &'a [TerminalId] {
        let first = u64::from(self.first) * u64::from(site.ranks_per_terminal);
        site.free.get(first as usize..).unwrap_or_default()
    }
}

impl Placement for Linear {
    fn room(&self, site: &Site<'_>, ranks: u32) -> Result<u32, Invalid> {
        Ok(ranks.min(self.rest(site).len() as u32))
    }

    fn place(&self, site: &Site<'_>, ranks: u32) -> Result<Seats, Invalid> {
        let rest = self.rest(site);
        match rest.get(..ranks as usize) {
            Some(terminals) => Ok(terminals.to_vec().into()),
            None => {
                let message = format!(
                    "{ranks} ranks do not fit on the {} terminals that are left",
                    rest.len() as u64 / u64::from(site.ranks_per_terminal)
                );
                Err(Invalid::new("first", message))
            }
        }
    }
}
