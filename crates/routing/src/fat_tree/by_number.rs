//! Ways up that a terminal's number decides: the destination's or the source's.

use crate::fat_tree::self_routed::Ascent;
use crate::fat_tree::tree::Tree;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_network::shape::FatTree;
use turnwise_network::{Header, Network, Port, RouterId, TerminalId};

/// What a terminal's number is divided by at level `l`, before the remainder by the number of parents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// The product of the children `m_1 .. m_(l-1)`.
    #[default]
    M,
    /// The same, and what is left of it by `m_l`: the terminal's digit, which differs from the former where the number of
    /// parents is no divisor of that of the children.
    Digit,
    /// The product of the parents `w_1 .. w_l` (Zahavi): the same in a full tree, better spread in a slimmed one.
    W,
}

/// Whose number decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Key {
    /// The destination's.
    #[default]
    Destination,
    /// The source's, which travels along in `Header::via` up to the turning point, plus 1.
    Source,
}

/// The number of one of a packet's ends decides.
pub(crate) struct ByNumber {
    key: Key,
    /// By level and terminal.
    up: Vec<Port>,
}

impl ByNumber {
    /// Terminals have these numbers: all of those of a subtree next to each other.
    pub(crate) fn new(shape: &FatTree, key: Key, variant: Variant, numbers: &[u32]) -> Self {
        let mut up = Vec::new();
        let (mut children, mut parents) = (1u64, 1u64);
        for level in 1..=shape.height() {
            parents *= u64::from(shape.w[level - 1]);
            let divisor = match variant {
                Variant::M | Variant::Digit => children,
                Variant::W => parents,
            };
            let digits = match variant {
                Variant::Digit => u64::from(shape.m[level - 1]),
                Variant::M | Variant::W => u64::MAX,
            };
            children *= u64::from(shape.m[level - 1]);
            let (first, count) = (
                shape.down_ports(level),
                u64::from(shape.up_ports(level).max(1)),
            );
            let ports = numbers
                .iter()
                .map(|&number| u64::from(number) / divisor % digits % count);
            up.extend(ports.map(|port| first as Port + port as Port));
        }
        Self { key, up }
    }

    /// Terminals have the numbers that they have anyway.
    pub(crate) fn plain(network: &Network, shape: &FatTree, key: Key, variant: Variant) -> Self {
        let numbers: Vec<u32> = network.terminals().map(|terminal| terminal.0).collect();
        Self::new(shape, key, variant, &numbers)
    }

    /// The port upwards that a terminal's number decides for.
    pub(crate) fn port(&self, tree: &Tree, at: RouterId, decider: TerminalId) -> Port {
        self.up[tree.entry(tree.level(at), decider)]
    }
}

impl Ascent for ByNumber {
    fn via(&self, source: TerminalId, _: TerminalId) -> u32 {
        match self.key {
            Key::Destination => 0,
            Key::Source => source.0 + 1,
        }
    }

    fn minds_source(&self) -> bool {
        self.key == Key::Source
    }

    #[inline]
    fn up(&self, tree: &Tree, at: RouterId, header: Header) -> Option<Port> {
        let decider = match self.key {
            Key::Destination => header.destination,
            Key::Source => TerminalId(header.via.checked_sub(1)?),
        };
        Some(self.port(tree, at, decider))
    }
}
