//! Deterministic routes in fat trees: something decides at each level on the way up, and the way down is unique.

use crate::algorithm::{Context, misfit};
use crate::common::endpoints;
use crate::common::only_way::{self, OnlyWay};
use crate::common::vc_plan::VcPlan;
use crate::fat_tree::tree::Tree;
use std::sync::Arc;
use turnwise_network::shape::FatTree;
use turnwise_network::{
    Header, Hop, Invalid, Network, Port, RouterId, Routing, Shape, Start, TerminalId, Vc,
};

/// What decides on the way up.
pub(crate) trait Ascent: Send + Sync {
    /// What a packet has to know on the way up, beside its destination, in `Header::via`.
    fn via(&self, source: TerminalId, destination: TerminalId) -> u32;

    /// Does it make a difference at which terminal of a switch a packet sets out?
    fn minds_source(&self) -> bool {
        true
    }

    /// The port upwards at a switch; `None` for a header that no packet has.
    fn up(&self, tree: &Tree, at: RouterId, header: Header) -> Option<Port>;

    /// As [`Routing::memory_bytes`].
    fn memory_bytes(&self) -> u64 {
        0
    }
}

/// Does a network have the shape for it?
pub(crate) fn fits(shape: &Shape) -> bool {
    matches!(shape, Shape::FatTree(_))
}

/// The routing in which `ascent`, made for the tree, decides on the way up.
///
/// # Errors
/// Networks that are no fat trees, virtual channels that the router does not have, and whatever `ascent` says.
pub(crate) fn build<A: Ascent + 'static>(
    name: &'static str,
    ascent: impl FnOnce(&Network, &FatTree) -> Result<A, Invalid>,
    virtual_channels: Option<Vc>,
    network: &Arc<Network>,
    context: &Context<'_>,
) -> Result<Box<dyn Routing>, Invalid> {
    let Shape::FatTree(shape) = network.shape() else {
        return Err(misfit(name, "fat trees", network));
    };
    let default = virtual_channels
        .or(context.router_virtual_channels)
        .unwrap_or(1);
    let plan = VcPlan::new(name, virtual_channels, default, context)?;
    let tree = Tree::new(network, shape);
    let ascent = ascent(network, shape)?;
    Ok(Box::new(OnlyWay(SelfRouted { tree, plan, ascent })))
}

struct SelfRouted<A> {
    tree: Tree,
    plan: VcPlan,
    ascent: A,
}

impl<A: Ascent> only_way::Rule for SelfRouted<A> {
    fn plan(&self) -> &VcPlan {
        &self.plan
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let network = &self.tree.network;
        let above = self.tree.is_above(network.router_of(source), destination);
        let via = if above {
            0
        } else {
            self.ascent.via(source, destination)
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
        let (port, header) = match tree.way_down(at, destination) {
            Some((port, level)) => {
                let header = Header::to(destination);
                if level == 0 {
                    let vcs = self.plan.all();
                    return Some(Hop { port, vcs, header });
                }
                (port, header)
            }
            None => (self.ascent.up(tree, at, header)?, header),
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

    fn tells_senders_apart(&self) -> bool {
        self.ascent.minds_source()
    }

    fn memory_bytes(&self) -> u64 {
        self.ascent.memory_bytes()
    }
}
