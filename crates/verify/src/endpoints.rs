//! Which terminals to explore, and how many pairs each exploration stands for.
//!
//! Most algorithms route all terminals of a router alike
//! ([`Routing::distinguishes_terminals`] is `false`), so one terminal a router is explored
//! with the number of terminal pairs it represents as its weight. Where terminals
//! [answer](crate::Protocol), each is explored all the same.

use crate::system::System;
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
    /// How many (source, destination) pairs it stands for; none if it is the destination itself.
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

/// The destinations to explore for one of [`destinations`]: itself, or every living terminal of its router.
pub(crate) fn told_apart(
    destination: Destination,
    system: System<'_>,
) -> impl Iterator<Item = Destination> + '_ {
    let apart = system.tells_terminals_apart() && !system.routing.distinguishes_terminals();
    let home = system.network.router_of(destination.terminal);
    let living = system.network.living_terminals_of(home);
    let each = living.filter(move |_| apart).map(|terminal| Destination {
        terminal,
        terminals: 1,
    });
    each.chain((!apart).then_some(destination))
}

/// Refills `sources` with those that together stand for every pair with this destination.
///
/// A terminal does not send to itself, but different terminals of one router do send to
/// each other, over no network channel at all. Where terminals answer, one that sends to itself stands for no pair,
/// but what it sends is in the way of others.
pub(crate) fn sources_towards(
    destination: Destination,
    system: System<'_>,
    sources: &mut Vec<Source>,
) {
    let network = system.network;
    sources.clear();
    if system.tells_senders_apart() {
        let all = network.living_terminals().map(|terminal| Source {
            terminal,
            pairs: u64::from(terminal != destination.terminal),
        });
        let to_itself = system.protocol.has_answers();
        sources.extend(all.filter(|source| to_itself || source.pairs > 0));
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
