//! Random: ranks at terminals drawn at random, as on a machine that has been in use for a while.
//!
//! All ways to place them are equally likely; where several share a terminal, it is terminals that are drawn, and each is filled before
//! the next. With the study's own seed every repetition of a point is placed anew;
//! `seed` keeps the places, or sweeps them. Nothing else is drawn from the same stream.
//!
//! Source: Fisher and Yates, Statistical tables, 1938.
//!
//! Complexity: O(free terminals).

use crate::placement::{Placement, Seats, Site};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::Invalid;
use turnwise_network::random::{Purpose, Random as Stream};

pub(super) const ENTRY: Entry<dyn Placement> = Entry {
    name: "random",
    aliases: &[],
    summary: "Ranks at terminals drawn at random",
    source: "Fisher and Yates, Statistical tables for biological, agricultural and medical research, 1938",
    example: "seed = 7",
    schema: schema_of::<Random>,
    parse: |table, errors| Some(Box::new(parse_as::<Random, dyn Placement>(table, errors)?)),
};

/// Parameters of random placement.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Random {
    /// Seed of the places; that of the study, another one in every repetition, if not given.
    pub seed: Option<u64>,
}

impl Placement for Random {
    fn place(&self, site: &Site<'_>, ranks: u32) -> Result<Seats, Invalid> {
        let mut terminals = site.free.to_vec();
        terminals.dedup();
        let seed = self.seed.unwrap_or(site.seed);
        Stream::new(seed, Purpose::Placement, 0, 0).shuffle(&mut terminals);
        let seats = |terminal| std::iter::repeat_n(terminal, site.ranks_per_terminal as usize);
        let seats = terminals.into_iter().flat_map(seats);
        Ok(seats.take(ranks as usize).collect::<Vec<_>>().into())
    }
}
