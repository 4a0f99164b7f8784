//! Writes the routes that packets take through an idle network, hop by hop.

use std::io::{self, Write};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Congestion, Hop, Network, NoCongestion, RouterId, Routing, TerminalId};

/// Routes longer than this are taken for endless.
const LONGEST: usize = 10_000;

/// One hop of a route: the router it leaves, what is chosen there, and the next router.
pub type WalkedHop = (RouterId, Hop, RouterId);

/// The route of a pair; empty if both share a router or the pair has no route. What the
/// algorithm leaves to chance is drawn from a stream of the pair's own.
pub fn walk(
    network: &Network,
    routing: &dyn Routing,
    source: TerminalId,
    destination: TerminalId,
) -> Vec<WalkedHop> {
    walk_seeing(network, routing, (source, destination), |_| NoCongestion)
}

/// The same in a network of which a router sees this.
pub(crate) fn walk_seeing<C: Congestion>(
    network: &Network,
    routing: &dyn Routing,
    (source, destination): (TerminalId, TerminalId),
    sees: impl Fn(RouterId) -> C,
) -> Vec<WalkedHop> {
    let mut hops = Vec::new();
    let Some(start) = routing.start(source, destination) else {
        return hops;
    };
    let (mut at, mut header) = (network.router_of(source), start.header);
    let mut rng = Random::new(0, Purpose::Routing, source.0, destination.0);
    while hops.len() < LONGEST {
        let Some(hop) = routing.choose(at, header, &sees(at), &mut rng) else {
            break;
        };
        let Some(next) = network.next_router(at, hop.port) else {
            break;
        };
        hops.push((at, hop, next));
        (at, header) = (next, hop.header);
    }
    hops
}

/// One row per hop of every pair of different living terminals:
/// `source,destination,hop,router,port,next_router,vc`. Where several virtual channels
/// may be taken, the lowest is named.
///
/// # Errors
/// Whatever the writer says.
pub fn write_paths(
    network: &Network,
    routing: &dyn Routing,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "source,destination,hop,router,port,next_router,vc")?;
    for source in network.living_terminals() {
        for destination in network
            .living_terminals()
            .filter(|&terminal| terminal != source)
        {
            let hops = walk(network, routing, source, destination);
            for (number, (router, hop, next)) in hops.iter().enumerate() {
                let vc = hop.vcs.iter().next().unwrap_or(0);
                writeln!(
                    out,
                    "{source},{destination},{number},{router},{},{next},{vc}",
                    hop.port
                )?;
            }
        }
    }
    Ok(())
}
