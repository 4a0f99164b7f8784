//! A subnet while its switches get new tables, one after the other or all at once.
//!
//! Everything that either table does counts as an option ([`Change`]), and what the verifier proves of that holds for every order of
//! updates: all packets arrive, none goes in circles for ever, and no circle of waiting packets can close. If it finds otherwise, some
//! [`order`](super::order) may still do.
//!
//! A simulation shows less than that. At each switch a packet meets one of the two entries at random, and of an entry that leads nowhere the
//! other one, if that does not: no packet is lost as long as there is a way on, so that pairs may arrive here that the verifier
//! lists as lost.
//!
//! Both are files of the same kind as for `forwarding`. Lanes by ports change with the entries of their switch; who comes by where only a
//! mixture does takes those that the files say, and is lost where these are 15. Entries that lead to a link which has failed lead nowhere: pairs that had lost their
//! route before count as not routed.
//!
//! Source: Duato, Lysne, Pang, Pinkston, "Part I: a theory for deadlock-free dynamic network reconfiguration", IEEE TPDS 16(5), 2005, whose
//! condition for both routings at once is checked here as it stands.
//!
//! Complexity: as two of `forwarding`.

use super::change::Change;
use super::forwarding::Forwarding;
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::tables::{ForwardingTable, SERVICE_LEVELS};
use turnwise_network::{Forwards, Invalid, Network, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: "transition",
        aliases: &[],
        summary: "Any network: an InfiniBand subnet while its switches change from some tables to others",
        source: "Duato, Lysne, Pang, Pinkston, IEEE TPDS 16(5), 2005",
        example: "before = { lft = \"old.lft\" }\nafter = { lft = \"new.lft\" }",
        schema: schema_of::<Transition>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Transition, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |_| true,
};

/// The tables that switches have, and those they get. Simulated packets meet either entry at random, but none that leads nowhere if the
/// other one does not; only the verifier tells all that can be lost.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transition {
    /// The tables that switches have.
    pub before: Forwarding,
    /// The tables they get.
    pub after: Forwarding,
}

impl Algorithm for Transition {
    fn files(&self) -> Vec<(&'static str, &str)> {
        let tables = [
            (
                &self.before,
                ["before.lft", "before.service_levels", "before.sl2vl"],
            ),
            (
                &self.after,
                ["after.lft", "after.service_levels", "after.sl2vl"],
            ),
        ];
        let mut all = Vec::new();
        for (tables, fields) in tables {
            for (field, file) in tables.files() {
                let within = fields.into_iter().find(|within| within.ends_with(field));
                all.push((within.unwrap_or(field), file));
            }
        }
        all
    }

    fn under_faults(&self, shape: &Shape) -> UnderFaults {
        self.after.under_faults(shape)
    }

    fn is_free_of_deadlock(&self, _: &Shape) -> bool {
        false
    }

    fn table_bytes(&self, network: &Network, context: &Context<'_>) -> u64 {
        self.before.table_bytes(network, context) + self.after.table_bytes(network, context)
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let (of_before, of_after) = context.files.split_at(self.before.files().len());
        let with = |files| Context { files, ..*context };
        let before = self.before.table(network, &with(of_before));
        let before = before.map_err(|invalid| invalid.under("before"))?;
        let after = self.after.table(network, &with(of_after));
        let after = after.map_err(|invalid| invalid.under("after"))?;
        let are_by_ports = [&before, &after].map(ForwardingTable::has_lanes_by_ports);
        let are_told = self.before.sl2vl.is_some() && self.after.sl2vl.is_some();
        if are_by_ports[0] != are_by_ports[1] && !are_told {
            let message = "one of the two has lanes by ports, and the other one not";
            let help = "give the lanes of both, as `turnwise route --sl2vl` or OpenSM writes them";
            return Err(Invalid::new("", message).with_help(help));
        }
        let [before, after] = match are_by_ports {
            [true, false] => [before, by_ports(after)?],
            [false, true] => [by_ports(before)?, after],
            _ => [before, after],
        };
        if before.lmc() != after.lmc() {
            let message = format!(
                "ports have up to {} LIDs before and {} after",
                1 << before.lmc(),
                1 << after.lmc()
            );
            return Err(Invalid::new("", message));
        }
        let change = Change::between(network, before, after);
        match (context.router_virtual_channels, change.virtual_channels()) {
            (Some(there_are), met) if met > there_are => {
                let message = format!(
                    "there are {there_are} virtual channels, not one of number {}, which packets take that meet entries of both tables",
                    met - 1
                );
                Err(Invalid::new("", message))
            }
            _ => Ok(Box::new(change)),
        }
    }
}

/// The same lanes, told for all ports.
fn by_ports(table: ForwardingTable) -> Result<ForwardingTable, Invalid> {
    let lanes: Vec<Vc> = (0..SERVICE_LEVELS).map(|level| table.lane(level)).collect();
    let total = table.virtual_channels();
    table.with_lanes_by_ports(total, |_, _, _, level| lanes[usize::from(level)])
}
