//! Ways up that are drawn at random once for each pair of terminals, so that its packets keep their order.

use crate::fat_tree::self_routed::Ascent;
use crate::fat_tree::tree::Tree;
use turnwise_network::random::{mix, scaled};
use turnwise_network::{Header, Port, RouterId, TerminalId};

/// Draws are worked out anew at each hop, from a seed and the pair; the source travels along in `Header::via`, plus 1.
pub(crate) struct ByPair {
    pub(crate) seed: u64,
}

impl Ascent for ByPair {
    fn via(&self, source: TerminalId, _: TerminalId) -> u32 {
        source.0 + 1
    }

    fn up(&self, tree: &Tree, at: RouterId, header: Header) -> Option<Port> {
        let source = u64::from(header.via.checked_sub(1)?);
        let pair = source << 32 | u64::from(header.destination.0);
        let level = tree.level(at) as u64 + 1;
        let ports = tree.up_ports(at);
        let draw = mix(mix(self.seed ^ level << 48) ^ pair);
        Some(ports.start + scaled(draw, u32::from(ports.end - ports.start)) as Port)
    }
}
