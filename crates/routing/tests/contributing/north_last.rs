//! North last: adaptive minimal routing of two-dimensional meshes, all steps north after any other.
//!
//! A packet that has to go north (up the second dimension) does so last, on one way; any other takes all
//! its shortest ways, the least congested first. No packet turns from north, which breaks both
//! abstract cycles of turns: free of deadlock with one virtual channel.
//!
//! **Faults.** A packet only takes ports behind which a way that keeps to the rule survives; a pair without
//! any is not routed.
//!
//! Source: Glass and Ni, "The turn model for adaptive routing", ISCA 1992.
//!
//! Complexity: O(1) a hop; with faults routers squared bits.

use crate::algorithm::{Algorithm, AlgorithmEntry, Context};
use crate::grid::adaptive::{self, TurnModel};
use crate::grid::ports::{Way, is_mesh};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, Routing, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Meshes of two dimensions: any shortest way, but all steps north last",
        source: "Glass and Ni, The turn model for adaptive routing, ISCA 1992",
        example: "virtual_channels = 2",
        schema: schema_of::<NorthLast>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<NorthLast, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |shape| is_mesh(shape, Some(2)),
};

const NAME: &str = "north-last";

/// Parameters of north-last routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NorthLast {
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for NorthLast {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let on = (network, context);
        adaptive::of_turns(NAME, Rule, Some(2), self.virtual_channels, on)
    }
}

struct Rule;

impl TurnModel for Rule {
    fn may(&self, _: &[u32], _: &[u32], way: &Way<'_>, _: u8) -> bool {
        let north = way.dimension.index == 1 && way.positive;
        !north || way.is_first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::topologies::{Mesh, Topology};
    use turnwise_network::{Header, Hop, RouterId, TerminalId};

    fn routes(network: &Network, routing: &dyn Routing, at: RouterId, header: Header) -> u32 {
        let mut options = Vec::new();
        routing.options(at, header, &mut options);
        let count = |hop: Hop| match network.next_router(at, hop.port) {
            Some(next) => routes(network, routing, next, hop.header),
            None => 1,
        };
        options.into_iter().map(count).sum()
    }

    /// Glass and Ni, section 4: one if the packet has to go north, or else all the shortest ones there are.
    #[test]
    fn there_are_as_many_routes_as_the_paper_says() {
        let mesh = Mesh {
            sizes: vec![4, 5],
            ..Mesh::default()
        };
        let mesh = Arc::new(mesh.build(None).unwrap());
        let routing = NorthLast::default().build(&mesh, &Context::default());
        let routing = routing.unwrap();
        let factorial = |n: u32| (1..=n).product::<u32>();
        for (from, to) in (0..20).flat_map(|from| (0..20).map(move |to| (from, to))) {
            let east = (from / 5_u32).abs_diff(to / 5);
            let (south, north) = ((from % 5).saturating_sub(to % 5), to % 5 > from % 5);
            let all = factorial(east + south) / factorial(east) / factorial(south);
            let expected = if north { 1 } else { all };
            let header = Header::to(TerminalId(to));
            let found = routes(&mesh, &*routing, RouterId(from), header);
            assert_eq!(found, expected, "{from} to {to}");
        }
    }
}
