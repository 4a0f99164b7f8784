//! Which terminals to explore, and how many pairs each exploration stands for.
//!
//! Most algorithms route all terminals of a router alike
//! ([`Routing::distinguishes_terminals`] is `false`), so one terminal a router is explored
//! with the number of terminal pairs it represents as its weight.

use turnwise_network::{Network, RouterId, Routing, TerminalId};

/// A destination terminal to explore, standing for some terminals of its router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The terminal that is explored.
    pub terminal: TerminalId,
    /// How many terminals it stands for, itself included.
    pub terminals: u64,
}

/// A source terminal towards one destination, standing for some terminal pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The terminal that is explored.
    pub terminal: TerminalId,
    /// How many (source, destination) pairs it stands for.
    pub pairs: u64,
}

/// The destinations that together stand for every living terminal, in ascending order.
///
/// They are independent of each other: explore them in one go or share them out among
/// several [`Survey`](crate::Survey)s and merge these. O(routers + terminals).
pub fn destinations(network: &Network, routing: &dyn Routing) -> Vec<Destination> {
    if routing.distinguishes_terminals() {
        let living = network.living_terminals();
        return living
            .map(|terminal| Destination {
                terminal,
                terminals: 1,
            })
            .collect();
    }
    let with_terminals = populated_routers(network);
    with_terminals
        .map(|populated| Destination {
            terminal: populated.first,
            terminals: populated.terminals,
        })
        .collect()
}

/// Refills `sources` with those that together stand for every pair with this destination.
///
/// A terminal does not send to itself, but different terminals of one router do send to
/// each other, over no network channel at all.
pub(crate) fn sources_towards(
    destination: Destination,
    network: &Network,
    routing: &dyn Routing,
    sources: &mut Vec<Source>,
) {
    sources.clear();
    if routing.distinguishes_terminals() {
        let others = network
            .living_terminals()
            .filter(|&terminal| terminal != destination.terminal);
        sources.extend(others.map(|terminal| Source { terminal, pairs: 1 }));
        return;
    }
    let home = network.router_of(destination.terminal);
    for Populated {
        router,
        first,
        terminals,
    } in populated_routers(network)
    {
        let (sender, senders) = match router == home {
            true => (other_terminal_of(network, destination), terminals - 1),
            false => (Some(first), terminals),
        };
        sources.extend(sender.map(|terminal| Source {
            terminal,
            pairs: senders * destination.terminals,
        }));
    }
}

/// Another living terminal of the destination's own router.
fn other_terminal_of(network: &Network, destination: Destination) -> Option<TerminalId> {
    let home = network.router_of(destination.terminal);
    network
        .living_terminals_of(home)
        .find(|&terminal| terminal != destination.terminal)
}

/// A router with living terminals.
struct Populated {
    router: RouterId,
    first: TerminalId,
    terminals: u64,
}

fn populated_routers(network: &Network) -> impl Iterator<Item = Populated> + '_ {
    network.routers().filter_map(|router| {
        let mut living = network.living_terminals_of(router);
        Some(Populated {
            router,
            first: living.next()?,
            terminals: 1 + living.count() as u64,
        })
    })
}
