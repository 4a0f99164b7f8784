//! The two ends of a route: whether both are there, how a packet sets out, and the hop to the terminal at the last router.

use turnwise_network::{Header, Hop, Network, RouterId, Start, TerminalId, VcSet};

/// How a packet sets out that knows only where it goes, if both terminals live and `connected` says so of
/// their routers.
pub(crate) fn start(
    network: &Network,
    source: TerminalId,
    destination: TerminalId,
    vcs: VcSet,
    connected: impl FnOnce(RouterId, RouterId) -> bool,
) -> Option<Start> {
    let live = live(network, source, destination);
    let (from, to) = (network.router_of(source), network.router_of(destination));
    (live && connected(from, to)).then(|| Start {
        header: Header::to(destination),
        vcs,
    })
}

/// Do both terminals live?
pub(crate) fn live(network: &Network, source: TerminalId, destination: TerminalId) -> bool {
    network.is_terminal_alive(source) && network.is_terminal_alive(destination)
}

/// The hop to the packet's destination, at the destination's router.
#[inline]
pub(crate) fn ejection(network: &Network, header: Header, vcs: VcSet) -> Hop {
    Hop {
        port: network.terminal_port(header.destination),
        vcs,
        header,
    }
}
