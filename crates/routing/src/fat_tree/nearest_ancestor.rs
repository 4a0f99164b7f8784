//! Up to a nearest common ancestor in a fat tree, by one of several ports, and down.

use crate::algorithm::{Context, misfit};
use crate::common::draw;
use crate::common::endpoints;
use crate::common::survivors::Survivors;
use crate::common::vc_plan::VcPlan;
use crate::fat_tree::tree::Tree;
use std::ops::Range;
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, Invalid, Network, Port, RouterId, Routing, Shape, Start, TerminalId,
    Vc, VcSet,
};

/// How a packet chooses among the ports upwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Up {
    /// Any of them, with equal probability.
    Random,
    /// Of two such draws the one with less used credit; the first if equal.
    LessUsedOfTwo,
}

pub(crate) struct NearestAncestor {
    tree: Tree,
    plan: VcPlan,
    up: Up,
    survivors: Option<Survivors>,
}

impl NearestAncestor {
    /// # Errors
    /// Networks that are no fat trees, virtual channels that the router does not have.
    pub(crate) fn build(
        kind: &str,
        up: Up,
        virtual_channels: Option<Vc>,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let routing = Self::new(kind, up, virtual_channels, network, context)?;
        Ok(Box::new(routing))
    }

    /// # Errors
    /// As [`build`](Self::build).
    pub(crate) fn new(
        kind: &str,
        up: Up,
        virtual_channels: Option<Vc>,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Self, Invalid> {
        let Shape::FatTree(shape) = network.shape() else {
            return Err(misfit(kind, "fat trees", network));
        };
        let default = virtual_channels
            .or(context.router_virtual_channels)
            .unwrap_or(1);
        let plan = VcPlan::new(kind, virtual_channels, default, context)?;
        let tree = Tree::new(network, shape);
        let may = |at, destination, port: Port| {
            let Some(terminal) = network.terminals_of(destination).next().map(TerminalId) else {
                return false;
            };
            match tree.way_down(at, terminal) {
                Some((down, _)) => port == down,
                None => tree.up_ports(at).contains(&port),
            }
        };
        let survivors = (!tree.complete).then(|| Survivors::of_rule(network, may));
        Ok(Self {
            tree,
            plan,
            up,
            survivors,
        })
    }

    /// All ports upwards.
    pub(crate) fn up_ports(&self, at: RouterId) -> Range<Port> {
        self.tree.up_ports(at)
    }

    /// Of the ports upwards that lead there, the one that d-mod-k takes, or the next one after it that does.
    pub(crate) fn by_number(&self, at: RouterId, header: Header) -> Option<Port> {
        let ports = self.tree.up_ports(at);
        let count = usize::from(ports.end - ports.start);
        let digit = self.tree.digit(at, header.destination) % count.max(1) as u32;
        let first = ports.start + digit as Port;
        self.ups_from(at, header, first).next()
    }

    /// The way down, or out; `None` while there is a choice of ways up.
    #[inline]
    pub(crate) fn down(&self, at: RouterId, header: Header) -> Option<Hop> {
        let (port, level) = self.tree.way_down(at, header.destination)?;
        let vcs = match level {
            0 => self.plan.all(),
            _ => self.plan.every_class(),
        };
        Some(Hop { port, vcs, header })
    }

    pub(crate) fn hop(&self, port: Port, header: Header) -> Hop {
        Hop {
            port,
            vcs: self.plan.every_class(),
            header,
        }
    }

    /// The ports upwards behind which the destination can be reached.
    pub(crate) fn ups(&self, at: RouterId, header: Header) -> impl Iterator<Item = Port> + Clone {
        let network = &self.tree.network;
        let destination = network.router_of(header.destination);
        self.tree.up_ports(at).filter(move |&port| {
            self.survivors.as_ref().is_none_or(|survivors| {
                network
                    .next_router(at, port)
                    .is_some_and(|next| survivors.reaches(next, destination))
            })
        })
    }

    /// The same, from one of them on and round.
    pub(crate) fn ups_from(
        &self,
        at: RouterId,
        header: Header,
        first: Port,
    ) -> impl Iterator<Item = Port> {
        let later = self.ups(at, header).filter(move |&port| port >= first);
        let earlier = self.ups(at, header).filter(move |&port| port < first);
        later.chain(earlier)
    }

    /// One of these, each with the same probability.
    fn draw_up(&self, at: RouterId, header: Header, rng: &mut Random) -> Option<Port> {
        if self.survivors.is_some() {
            return draw::among(self.ups(at, header), rng);
        }
        let ups = self.tree.up_ports(at);
        let drawn = draw::below(u32::from(ups.end - ups.start), rng) as Port;
        (!ups.is_empty()).then_some(ups.start + drawn)
    }
}

impl Routing for NearestAncestor {
    fn virtual_channels(&self) -> Vc {
        self.plan.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let survivors = self.survivors.as_ref();
        let connected = |from, to| survivors.is_none_or(|survivors| survivors.reaches(from, to));
        endpoints::start(
            &self.tree.network,
            source,
            destination,
            self.plan.all(),
            connected,
        )
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        match self.down(at, header) {
            Some(hop) => options.push(hop),
            None => options.extend(self.ups(at, header).map(|port| self.hop(port, header))),
        }
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        if let Some(hop) = self.down(at, header) {
            return Some(hop);
        }
        let mut port = self.draw_up(at, header, rng)?;
        if self.up == Up::LessUsedOfTwo {
            let other = self.draw_up(at, header, rng)?;
            let used = |port| congestion.occupancy(port, VcSet::EVERY);
            if used(port) > used(other) {
                port = other;
            }
        }
        Some(self.hop(port, header))
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.down(at, header)
    }

    fn relation(&self) -> Option<String> {
        Some(format!("by any nearest ancestor, {:?}", self.plan))
    }
}
