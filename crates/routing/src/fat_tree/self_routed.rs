//! Deterministic routes in fat trees, where source or destination decide on the way up.

use crate::algorithm::{Context, misfit};
use crate::common::endpoints;
use crate::common::only_way::{self, OnlyWay};
use crate::common::vc_plan::VcPlan;
use crate::fat_tree::tree::Tree;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_network::shape::FatTree;
use turnwise_network::{
    Header, Hop, Invalid, Network, Port, RouterId, Routing, Shape, Start, TerminalId, Vc,
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
        Ok(Box::new(OnlyWay(SelfRouted {
            tree,
            key: self.key,
            plan,
            up: up_ports(network, shape, self.variant),
        })))
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

impl only_way::Rule for SelfRouted {
    fn plan(&self) -> &VcPlan {
        &self.plan
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
        let arrives = alive
            && (self.tree.complete
                || self.arrives(network, source, header, 2 * self.tree.height()));
        arrives.then(|| Start {
            header,
            vcs: self.plan.all(),
        })
    }

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

    fn distinguishes_terminals(&self) -> bool {
        true
    }
}
