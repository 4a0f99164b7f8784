//! Up, global, down.

use crate::common::endpoints;
use crate::common::vc_plan::VcPlan;
use crate::grouped::megafly_legs::MegaflyLegs;
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Megafly;
use turnwise_network::{
    Congestion, Header, Hop, Network, RouterId, Routing, Start, TerminalId, Vc,
};

pub(super) struct MinimalMegafly {
    legs: MegaflyLegs,
    plan: VcPlan,
}

impl MinimalMegafly {
    pub(super) fn new(network: &Arc<Network>, shape: &Megafly, plan: VcPlan) -> Self {
        Self {
            legs: MegaflyLegs::new(network, shape),
            plan,
        }
    }

    /// The hop, where there is only one; `None` at a leaf that sends a packet up.
    fn only_hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let legs = &self.legs;
        let destination = legs.network.router_of(header.destination);
        if at == destination {
            return Some(endpoints::ejection(&legs.network, header, self.plan.all()));
        }
        if legs.is_leaf(at) {
            return None;
        }
        let vcs = self.plan.every_class();
        if legs.group(at) == legs.group(destination) {
            return Some(Hop {
                port: legs.down_port(destination),
                vcs,
                header,
            });
        }
        let link = legs.links.get(header.via.checked_sub(1)?)?;
        Some(Hop {
            port: link.port,
            vcs,
            header: Header { via: 0, ..header },
        })
    }

    fn up(&self, header: Header, spine: RouterId, via: u32) -> Hop {
        let header = Header { via, ..header };
        Hop {
            port: self.legs.up_port(spine),
            vcs: self.plan.every_class(),
            header,
        }
    }
}

impl Routing for MinimalMegafly {
    fn virtual_channels(&self) -> Vc {
        self.plan.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let connected = |from, to| self.legs.connects(from, to);
        let vcs = self.plan.all();
        endpoints::start(&self.legs.network, source, destination, vcs, connected)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        if let Some(hop) = self.only_hop(at, header) {
            return options.push(hop);
        }
        let (legs, to) = (&self.legs, self.legs.network.router_of(header.destination));
        if !legs.is_leaf(at) {
            return;
        }
        if legs.group(at) == legs.group(to) {
            options.extend(
                legs.usable_spines(at, to)
                    .map(|spine| self.up(header, spine, 0)),
            );
        } else {
            let links = legs.usable_links(at, to);
            options.extend(links.map(|(number, link)| self.up(header, link.owner, number + 1)));
        }
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.only_hop(at, header)
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        if let Some(hop) = self.only_hop(at, header) {
            return Some(hop);
        }
        let (legs, to) = (&self.legs, self.legs.network.router_of(header.destination));
        if !legs.is_leaf(at) {
            return None;
        }
        if legs.group(at) == legs.group(to) {
            return Some(self.up(header, legs.draw_spine(at, to, rng)?, 0));
        }
        let (number, link) = legs.draw_link(at, to, rng)?;
        Some(self.up(header, link.owner, number + 1))
    }
}
