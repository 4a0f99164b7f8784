//! Routing tables: fixed routes in flat arrays.
//!
//! * [`NextHopTable`]: a port for each (router, destination router), as in forwarding tables of
//!   switches. One or two bytes an entry, so routers times destination routers bytes.
//! * [`PathTable`]: a whole route with its virtual channels for each (source router,
//!   destination router). Three bytes a hop in one arena, and four bytes a pair.
//!
//! * [`ForwardingTable`]: a port for each (router, address of a terminal), with service levels and virtual
//!   lanes, as in the switches of an InfiniBand subnet, right or wrong.
//!
//! In the first two only routers with living terminals are destinations (and sources of routes); others cost nothing.
//! Both check their routes when they are built: every hop is a living channel, every route ends
//! where it should.

mod forwarding;
mod next_hop;
mod path;

pub use forwarding::{ForwardingTable, SERVICE_LEVELS};
pub use next_hop::{HopClasses, NextHopTable};
pub use path::{PathTable, next_of};

use crate::contract::{Header, Hop};
use crate::ids::{Port, RouterId, TerminalId, Vc, VcSet};
use crate::network::Network;
use turnwise_config::diagnostic::Invalid;

/// From where to where a route leads, for what is wrong with it.
#[derive(Clone, Copy)]
struct Ends {
    from: RouterId,
    to: RouterId,
}

impl Ends {
    fn wrong(self, what: impl std::fmt::Display) -> Invalid {
        let Self { from, to } = self;
        let message = format!("the route from router {from} to router {to} {what}");
        Invalid::new("", message)
    }

    /// The router behind a hop of the route.
    fn follow(self, network: &Network, at: RouterId, port: Port) -> Result<RouterId, Invalid> {
        let nowhere = || format!("leaves router {at} by port {port}, which leads nowhere");
        let next = network.next_router(at, port);
        next.ok_or_else(|| self.wrong(nowhere()))
    }
}

/// Do both terminals live?
fn both_live(network: &Network, source: TerminalId, destination: TerminalId) -> bool {
    network.is_terminal_alive(source) && network.is_terminal_alive(destination)
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
