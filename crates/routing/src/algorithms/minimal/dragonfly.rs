//! Local, global, local.

use crate::dragonfly_legs::DragonflyLegs;
use crate::group_links::GroupLink;
use crate::lanes::Lanes;
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Dragonfly;
use turnwise_network::{
    Congestion, Header, Hop, Network, RouterId, Routing, Start, TerminalId, Vc, VcSet,
};

pub(super) struct MinimalDragonfly {
    legs: DragonflyLegs,
    lanes: Lanes,
    classes: [VcSet; 2],
}

/// `Header::class` up to the global channel.
const BEFORE: u16 = 0;
/// `Header::class` from the global channel on.
const AFTER: u16 = 1;

impl MinimalDragonfly {
    pub(super) fn new(network: &Arc<Network>, shape: &Dragonfly, lanes: Lanes) -> Self {
        let classes = [lanes.class(0, 2), lanes.class(1, 2)];
        Self {
            legs: DragonflyLegs::new(network, shape),
            lanes,
            classes,
        }
    }

    /// The only thing to do, if it is; `None` where a link is to be drawn.
    #[inline]
    fn only_hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let legs = &self.legs;
        let destination = legs.network.router_of(header.destination);
        let vcs = self.classes[usize::from(header.class.min(AFTER))];
        if at == destination {
            let port = legs.network.terminal_port(header.destination);
            return Some(Hop { port, vcs, header });
        }
        if legs.group(at) == legs.group(destination) {
            return Some(Hop {
                port: legs.local_port(at, destination),
                vcs,
                header,
            });
        }
        let number = match header.via.checked_sub(1) {
            Some(number) => number,
            None => legs.only_link(at, destination)?,
        };
        Some(self.towards(at, header, number, legs.links.get(number)?))
    }

    /// The next hop on the way over a link.
    fn towards(&self, at: RouterId, header: Header, number: u32, link: GroupLink) -> Hop {
        if at == link.owner {
            let header = Header {
                via: 0,
                class: AFTER,
                ..header
            };
            return Hop {
                port: link.port,
                vcs: self.classes[usize::from(AFTER)],
                header,
            };
        }
        let header = Header {
            via: number + 1,
            class: BEFORE,
            ..header
        };
        let port = self.legs.local_port(at, link.owner);
        Hop {
            port,
            vcs: self.classes[usize::from(BEFORE)],
            header,
        }
    }
}

impl Routing for MinimalDragonfly {
    fn virtual_channels(&self) -> Vc {
        self.lanes.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let network = &self.legs.network;
        let alive = network.is_terminal_alive(source) && network.is_terminal_alive(destination);
        let (from, to) = (network.router_of(source), network.router_of(destination));
        (alive && self.legs.connects(from, to)).then(|| Start {
            header: Header::to(destination),
            vcs: self.lanes.all(),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        if let Some(hop) = self.only_hop(at, header) {
            return options.push(hop);
        }
        let destination = self.legs.network.router_of(header.destination);
        let links = self.legs.usable_links(at, destination);
        options.extend(links.map(|(number, link)| self.towards(at, header, number, link)));
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.only_hop(at, header)
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        dice: &mut Random,
    ) -> Option<Hop> {
        if let Some(hop) = self.only_hop(at, header) {
            return Some(hop);
        }
        let destination = self.legs.network.router_of(header.destination);
        let (number, link) = self.legs.draw_link(at, destination, dice)?;
        Some(self.towards(at, header, number, link))
    }
}
