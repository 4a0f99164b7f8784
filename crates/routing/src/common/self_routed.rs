//! Deterministic routes in fat trees, where source or destination decide on the way up.

use crate::algorithm::{Context, misfit};
use crate::common::endpoints;
use crate::common::vc_plan::VcPlan;
use crate::fat_tree::tree::Tree;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::FatTree;
use turnwise_network::{
    Congestion, Header, Hop, Invalid, Network, Port, RouterId, Routing, Shape, Start, TerminalId,
    Vc,
};

/// What a terminal's number is divided by at level `l`, before the remainder by the number of parents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// The product of the children `m_1 .. m_(l-1)`: the terminal's digit.
    #[default]
    M,
    /// The product of the parents `w_1 .. w_l` (Zahavi): the same in a full tree, better spread in a slimmed one.
    W,
}

/// Whose number decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// The destination's.
    Destination,
    /// The source's, which travels along in `Header::via` up to the turning point, plus 1.
    Source,
}

/// What tells d-mod-k and s-mod-k apart.
pub(crate) struct Rule {
    /// The algorithm's name.
    pub(crate) name: &'static str,
    pub(crate) key: Key,
    pub(crate) variant: Variant,
}

impl Rule {
    pub(crate) fn fits(shape: &Shape) -> bool {
        matches!(shape, Shape::FatTree(_))
    }

    pub(crate) fn build(
        self,
        network: &Arc<Network>,
        virtual_channels: Option<Vc>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let Shape::FatTree(shape) = network.shape() else {
            return Err(misfit(self.name, "fat trees", network));
        };
        let default = virtual_channels
            .or(context.router_virtual_channels)
            .unwrap_or(1);
        let plan = VcPlan::new(self.name, virtual_channels, default, context)?;
        let tree = Tree::new(network, shape);
        Ok(Box::new(SelfRouted {
            tree,
            key: self.key,
            plan,
            up: up_ports(network, shape, self.variant),
        }))
    }
}

/// By level and terminal, the port on the way up that the terminal's number decides for.
fn up_ports(network: &Network, shape: &FatTree, variant: Variant) -> Vec<Port> {
    let mut up = Vec::new();
    let (mut children, mut parents) = (1u64, 1u64);
    for level in 1..=shape.height() {
        parents *= u64::from(shape.w[level - 1]);
        let divisor = if variant == Variant::M {
            children
        } else {
            parents
        };
        children *= u64::from(shape.m[level - 1]);
        let (first, count) = (
            shape.down_ports(level),
            u64::from(shape.up_ports(level).max(1)),
        );
        let ports = network
            .terminals()
            .map(|terminal| u64::from(terminal.0) / divisor % count);
        up.extend(ports.map(|port| first as Port + port as Port));
    }
    up
}

struct SelfRouted {
    tree: Tree,
    key: Key,
    plan: VcPlan,
    /// By level and terminal.
    up: Vec<Port>,
}

impl SelfRouted {
    #[inline]
    fn hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let tree = &self.tree;
        let destination = header.destination;
        let way_down = tree.way_down(at, destination);
        let (port, header) = if let Some((port, level)) = way_down {
            let header = Header::to(destination);
            if level == 0 {
                let vcs = self.plan.all();
                return Some(Hop { port, vcs, header });
            }
            (port, header)
        } else {
            let decider = match self.key {
                Key::Destination => destination,
                Key::Source => TerminalId(header.via.checked_sub(1)?),
            };
            (self.up[tree.entry(tree.level(at), decider)], header)
        };
        let alive = tree.complete || tree.network.out_channel(at, port).is_some();
        alive.then(|| Hop {
            port,
            vcs: self.plan.every_class(),
            header,
        })
    }

    /// Does the only route arrive? At most two hops a level.
    fn arrives(&self, source: TerminalId, mut header: Header) -> bool {
        let network = &self.tree.network;
        let mut at = network.router_of(source);
        for _ in 0..2 * self.tree.height() {
            if at == network.router_of(header.destination) {
                return true;
            }
            let Some(hop) = self.hop(at, header) else {
                return false;
            };
            let Some(next) = network.next_router(at, hop.port) else {
                return false;
            };
            (at, header) = (next, hop.header);
        }
        false
    }
}

impl Routing for SelfRouted {
    fn virtual_channels(&self) -> Vc {
        self.plan.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let network = &self.tree.network;
        let above = self.tree.is_above(network.router_of(source), destination);
        let via = if self.key == Key::Source && !above {
            source.0 + 1
        } else {
            0
        };
        let header = Header {
            via,
            ..Header::to(destination)
        };
        let alive = endpoints::live(network, source, destination);
        let arrives = alive && (self.tree.complete || self.arrives(source, header));
        arrives.then(|| Start {
            header,
            vcs: self.plan.all(),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        options.extend(self.hop(at, header));
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        _: &mut Random,
    ) -> Option<Hop> {
        self.hop(at, header)
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.hop(at, header)
    }

    fn distinguishes_terminals(&self) -> bool {
        true
    }

    fn keeps_order(&self) -> bool {
        self.plan.total == 1
    }
}
