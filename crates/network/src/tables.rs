//! Routing tables: fixed routes in flat arrays.
//!
//! * [`NextHopTable`]: a port for each (router, destination router), as in forwarding tables of
//!   switches. One or two bytes an entry, so routers times destination routers bytes.
//! * [`PathTable`]: a whole route with its virtual channels for each (source router,
//!   destination router). Three bytes a hop in one arena, and four bytes a pair.
//!
//! Only routers with terminals are destinations (and sources of routes); others cost nothing.
//! Both check their routes when they are built: every hop is a living channel, every route ends
//! where it should.

mod next_hop;
mod path;

pub use next_hop::{HopClasses, NextHopTable};
pub use path::PathTable;

use crate::ids::{RouterId, Vc, VcSet};
use crate::network::Network;
use crate::routing::{Header, Hop};

const NONE: u32 = u32::MAX;

/// The routers with terminals, numbered without gaps.
#[derive(Clone, Debug)]
struct Destinations {
    columns: Vec<u32>,
    routers: Vec<RouterId>,
}

impl Destinations {
    fn new(network: &Network) -> Self {
        let has_terminals = |router: &RouterId| !network.terminals_of(*router).is_empty();
        let living = |router: &RouterId| network.is_alive(*router) && has_terminals(router);
        let routers: Vec<RouterId> = network.routers().filter(living).collect();
        let mut columns = vec![NONE; network.router_count()];
        for (column, router) in (0..).zip(&routers) {
            columns[router.index()] = column;
        }
        Self { columns, routers }
    }

    fn column(&self, router: RouterId) -> Option<usize> {
        let column = self.columns[router.index()];
        (column != NONE).then_some(column as usize)
    }
}

fn ejection(network: &Network, header: Header, total: Vc) -> Hop {
    Hop {
        port: network.terminal_port(header.destination),
        vcs: VcSet::all(total),
        header,
    }
}

#[cfg(test)]
mod tests;
