//! Next hops from a file: a table of anybody's making, taken as it is.
//!
//! The file is CSV with a row for each router. Its cells are the next routers towards each router, or, in rows of as many cells as
//! there are terminals, towards each terminal (of as many as there are of both, each router):
//!
//! ```csv
//! -1, 1, 1
//! 0, -1, 2
//! 1, 1, -1
//! ```
//!
//! `-1` is no next hop: at the destination, and for what is not routed; but nobody may be led to such an entry. At the destination
//! its own number may stand as well. Of several channels to a next router the one at the lowest port is taken. Empty lines and what comes after `#` do not count.
//!
//! Every route is followed when the table is read: loops, dead ends and entries without a living channel are refused, with the row
//! and column of the entry. Whether routes can deadlock is for the verifier to find out.
//!
//! **Classes.** With `classes = "none"`, the default, every hop takes all virtual channels. With `"by-hop"` they are dealt out to the
//! hops of the longest route, as in [`ShortestPath`](super::ShortestPath): free of deadlock, with as many as it has hops.
//!
//! Source: forwarding tables in general are in Dally and Towles, "Principles and Practices of Interconnection Networks", 2004,
//! section 11.1.2.
//!
//! Complexity: O(entries) to read; O(1) a hop; one or two bytes for each router and destination router, or two for each router and
//! terminal.

mod by_terminal;
mod read;
mod routes;

use super::PathClasses;
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use crate::common::only_way::OnlyWay;
use crate::common::vc_plan::VcPlan;
use by_terminal::ByTerminal;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::tables::{HopClasses, NextHopTable};
use turnwise_network::{Invalid, Network, Routing, Shape, Vc, VcSet};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Any network: the next router towards each router or terminal, from a file",
        source: "Dally and Towles, Principles and Practices of Interconnection Networks, section 11.1.2",
        example: "file = \"next-hops.csv\"\nclasses = \"by-hop\"",
        schema: schema_of::<NextHops>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<NextHops, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |_| true,
};

const NAME: &str = "next-hops";

/// Next hops read from a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NextHops {
    /// The CSV file, without a heading: a row for each router, a cell for each destination router or terminal, in it the number of the next
    /// router, or -1 for none. Routers that have names are numbered as in what `turnwise network --export network.json` writes.
    pub file: String,
    /// Which virtual channels a packet takes at its n-th hop.
    #[serde(default = "taken_as_they_are")]
    pub classes: PathClasses,
    /// Virtual channels to use: by default all the router has, or else 1, and with classes as many as the longest route has hops.
    pub virtual_channels: Option<Vc>,
}

fn taken_as_they_are() -> PathClasses {
    PathClasses::None
}

impl Algorithm for NextHops {
    fn files(&self) -> Vec<(&'static str, &str)> {
        vec![("file", &self.file)]
    }

    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::NewRules
    }

    fn is_free_of_deadlock(&self, _: &Shape) -> bool {
        self.classes != PathClasses::None
    }

    fn table_bytes(&self, network: &Network, _: &Context<'_>) -> u64 {
        let columns = network.terminal_count().max(network.router_count());
        // Four bytes while it is read, and two behind.
        6 * network.router_count() as u64 * columns as u64
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let text = context.files.first().map_or("", String::as_str);
        let read = read::read(text, network).and_then(|table| {
            let longest = routes::longest(&table, network, text)?;
            Ok((table, longest.max(1)))
        });
        let (table, longest) = read.map_err(|flaw| flaw.in_file(&self.file, text))?;
        let needed = match self.classes {
            PathClasses::ByHop => longest.min(VcSet::CAPACITY.into()) as Vc,
            PathClasses::None => 1,
        };
        let plan = VcPlan::new(NAME, self.virtual_channels, needed, context)?;
        if table.has_terminals {
            let classes = match self.classes {
                PathClasses::ByHop => longest as usize,
                PathClasses::None => 1,
            };
            return Ok(Box::new(OnlyWay(ByTerminal::new(
                network, &table, plan, classes,
            ))));
        }
        let routes = NextHopTable::new(network, |destination, ports| {
            ports.copy_from_slice(table.column(destination.index()));
            // At the destination nobody goes on.
            ports[destination.index()] = None;
        })?;
        let classes = match self.classes {
            PathClasses::ByHop => HopClasses::ByHop(plan.used),
            PathClasses::None => HopClasses::Single(plan.every_class()),
        };
        Ok(Box::new(routes.with_classes(classes, plan.total)?))
    }
}

#[cfg(test)]
mod tests;
