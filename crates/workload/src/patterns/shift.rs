//! Shift: every terminal sends to the one a fixed number further on, around the end.
//!
//! By terminals (`offset`), or on a network with groups by groups and routers (`group_offset`,
//! `router_offset`): from group G and router R to G + group offset and R + router offset, at the same port.
//!
//! Source: Zahavi, "Fat-tree routing and node ordering providing contention free traffic for MPI
//! global collectives", JPDC 72(11), 2012.
//!
//! Complexity: O(1) a packet, memory O(terminals).
//!
//! ```
//! use turnwise_network::TerminalId;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{Torus, Topology};
//! use turnwise_workload::patterns::Shift;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let torus = Torus::default().build(None)?;
//! let pattern = Shift { offset: Some(3), ..Shift::default() }.build(&torus, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! assert_eq!(pattern.destination(TerminalId(14), &mut rng), Some(TerminalId(1)));
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::blocks::Blocks;
use crate::fixed::Fixed;
use crate::pattern::{Context, Pattern, PatternParameters};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, TerminalId};

pub(super) const ENTRY: Entry<dyn PatternParameters> = Entry {
    name: NAME,
    aliases: &[],
    summary: "Every terminal sends to the one a fixed number further on",
    source: "Zahavi, Fat-tree routing and node ordering, JPDC 72(11), 2012",
    example: "offset = 5",
    schema: schema_of::<Shift>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<Shift, dyn PatternParameters>(
            table, errors,
        )?))
    },
};

const NAME: &str = "shift";

/// Parameters of shift traffic.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Shift {
    /// How many terminals further on (may be negative); 1 unless groups or routers are shifted.
    pub offset: Option<i64>,
    /// How many groups further on, on a network with groups.
    pub group_offset: Option<i64>,
    /// How many routers further on inside the group.
    pub router_offset: Option<i64>,
}

impl PatternParameters for Shift {
    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        let grouped = self.group_offset.is_some() || self.router_offset.is_some();
        if grouped && self.offset.is_some() {
            let message = "terminals are shifted either by number or by group and router";
            return Err(Invalid::new("offset", message).with_help("leave one of them out"));
        }
        let (group, router) = (
            self.group_offset.unwrap_or(0),
            self.router_offset.unwrap_or(0),
        );
        if grouped {
            return by_group(network, context, group, router);
        }
        let (offset, terminals) = (self.offset.unwrap_or(1), network.terminal_count() as i64);
        if let Some(offset) = self.offset
            && terminals > 1
            && offset.rem_euclid(terminals) == 0
        {
            let message = format!(
                "an offset of {offset} among {terminals} terminals leaves packets where they are"
            );
            return Err(Invalid::new("offset", message));
        }
        Ok(Box::new(Fixed::new(network, context, |source| {
            let shifted = (i64::from(source.0) + offset.rem_euclid(terminals)) % terminals;
            Some(TerminalId(shifted as u32))
        })))
    }
}

/// Groups have equally many terminals, and so have the routers that have any.
fn by_group(
    network: &Network,
    context: &Context,
    group: i64,
    router: i64,
) -> Result<Box<dyn Pattern>, Invalid> {
    let groups = i64::from(Blocks::groups(NAME, network)?.count());
    let terminals = network.terminal_count() as i64;
    let first = network.router_of(TerminalId(0));
    let per_router = network.terminals_of(first).len() as i64;
    let routers = terminals / groups / per_router;
    let is_nowhere = group.rem_euclid(groups) == 0 && router.rem_euclid(routers) == 0;
    if is_nowhere && groups * routers > 1 {
        let message = format!(
            "offsets of {group} among {groups} groups and {router} among {routers} routers of a group leave packets where they are"
        );
        let place = match (group, router) {
            (0, router) if router != 0 => "router_offset",
            _ => "group_offset",
        };
        return Err(Invalid::new(place, message));
    }
    Ok(Box::new(Fixed::new(network, context, |source| {
        let (at, port) = (
            i64::from(source.0) / per_router,
            i64::from(source.0) % per_router,
        );
        let there = (at / routers + group.rem_euclid(groups)) % groups;
        let index = (at % routers + router.rem_euclid(routers)) % routers;
        Some(TerminalId(
            ((there * routers + index) * per_router + port) as u32,
        ))
    })))
}
