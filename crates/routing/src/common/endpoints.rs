//! The two ends of a route: whether both are there, and the hop to the terminal at the last router.

use turnwise_network::{Header, Hop, Network, TerminalId, VcSet};

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
