//! Local, global, local.

use crate::group_links::{GroupLink, GroupLinks};
use crate::lanes::Lanes;
use std::ops::Range;
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Dragonfly;
use turnwise_network::{
    Congestion, Header, Hop, Network, Port, RouterId, Routing, Start, TerminalId, Vc, VcSet,
};

/// What minimal and Valiant's routing of a dragonfly need to know: the links between groups,
/// and which minimal routes survive.
pub(in crate::algorithms) struct DragonflyLegs {
    pub(in crate::algorithms) network: Arc<Network>,
    pub(in crate::algorithms) links: GroupLinks,
    routers_per_group: u32,
    terminals_per_router: u32,
    groups: Vec<u32>,
    /// Do all local channels live, and a link between each pair of groups?
    pub(in crate::algorithms) complete: bool,
}

impl DragonflyLegs {
    pub(in crate::algorithms) fn new(network: &Arc<Network>, shape: &Dragonfly) -> Self {
        let group_of = |router: RouterId| shape.group_and_index(router.0).0;
        let links = GroupLinks::new(network, shape.groups, group_of);
        let groups: Vec<u32> = network.routers().map(group_of).collect();
        let local = |router: RouterId| {
            let group = groups[router.index()];
            let locals = network.neighbours(router).filter(|n| groups[n.router.index()] == group);
            network.is_alive(router) && locals.count() as u32 == shape.routers_per_group - 1
        };
        Self {
            network: network.clone(),
            complete: links.connect_all() && network.routers().all(local),
            links,
            routers_per_group: shape.routers_per_group,
            terminals_per_router: shape.terminals_per_router,
            groups,
        }
    }

    #[inline]
    pub(in crate::algorithms) fn group(&self, router: RouterId) -> u32 {
        self.groups[router.index()]
    }

    /// The port from a router to another of its group.
    #[inline]
    pub(in crate::algorithms) fn local_port(&self, from: RouterId, to: RouterId) -> Port {
        let first = self.groups[from.index()] * self.routers_per_group;
        let index = to.0.wrapping_sub(first).wrapping_sub(u32::from(to > from));
        (self.terminals_per_router.wrapping_add(index)) as Port
    }

    /// Are these routers of one group the same, or joined by a living channel?
    #[inline]
    pub(in crate::algorithms) fn adjacent(&self, from: RouterId, to: RouterId) -> bool {
        self.complete
            || from == to && self.network.is_alive(from)
            || from != to && self.network.next_router(from, self.local_port(from, to)) == Some(to)
    }

    /// Does the minimal route over this link survive?
    #[inline]
    pub(in crate::algorithms) fn usable(&self, at: RouterId, link: GroupLink, to: RouterId) -> bool {
        self.complete || self.adjacent(at, link.owner) && self.adjacent(link.peer, to)
    }

    /// The numbers of the links between two routers' groups.
    #[inline]
    pub(in crate::algorithms) fn between(&self, from: RouterId, to: RouterId) -> Range<u32> {
        self.links.between(self.group(from), self.group(to))
    }

    /// The links by which a packet may go from one router to another of a different group.
    pub(in crate::algorithms) fn usable_links(
        &self,
        at: RouterId,
        to: RouterId,
    ) -> impl Iterator<Item = (u32, GroupLink)> {
        self.between(at, to)
            .filter_map(|number| Some((number, self.links.get(number)?)))
            .filter(move |&(_, link)| self.usable(at, link, to))
    }

    /// One of these links, each with the same probability.
    #[inline]
    pub(in crate::algorithms) fn draw_link(
        &self,
        at: RouterId,
        to: RouterId,
        dice: &mut Random,
    ) -> Option<(u32, GroupLink)> {
        if self.complete {
            let range = self.between(at, to);
            let number = range.start + dice.below(range.end - range.start);
            return Some((number, self.links.get(number)?));
        }
        let count = self.usable_links(at, to).count() as u32;
        self.usable_links(at, to).nth(dice.below(count) as usize)
    }

    /// Is there a minimal route between living routers?
    pub(in crate::algorithms) fn connects(&self, from: RouterId, to: RouterId) -> bool {
        self.complete
            || match self.group(from) == self.group(to) {
                true => self.adjacent(from, to),
                false => self.usable_links(from, to).next().is_some(),
            }
    }
}

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
        Self { legs: DragonflyLegs::new(network, shape), lanes, classes }
    }

    /// The only thing to do, if it is; `None` where a link is to be drawn.
    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        let legs = &self.legs;
        let destination = legs.network.router_of(header.destination);
        let vcs = self.classes[usize::from(header.class.min(AFTER))];
        if at == destination {
            let port = legs.network.terminal_port(header.destination);
            return Some(Hop { port, vcs, header });
        }
        if legs.group(at) == legs.group(destination) {
            return Some(Hop { port: legs.local_port(at, destination), vcs, header });
        }
        let number = header.via.checked_sub(1)?;
        Some(self.towards(at, header, number, legs.links.get(number)?))
    }

    /// The next hop on the way over a link.
    fn towards(&self, at: RouterId, header: Header, number: u32, link: GroupLink) -> Hop {
        if at == link.owner {
            let header = Header { via: 0, class: AFTER, ..header };
            return Hop { port: link.port, vcs: self.classes[usize::from(AFTER)], header };
        }
        let header = Header { via: number + 1, class: BEFORE, ..header };
        let port = self.legs.local_port(at, link.owner);
        Hop { port, vcs: self.classes[usize::from(BEFORE)], header }
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
        (alive && self.legs.connects(from, to))
            .then(|| Start { header: Header::to(destination), vcs: self.lanes.all() })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        if let Some(hop) = self.settled(at, header) {
            return options.push(hop);
        }
        let destination = self.legs.network.router_of(header.destination);
        let links = self.legs.usable_links(at, destination);
        options.extend(links.map(|(number, link)| self.towards(at, header, number, link)));
    }

    fn choose(&self, at: RouterId, header: Header, _: &dyn Congestion, dice: &mut Random) -> Option<Hop> {
        if let Some(hop) = self.settled(at, header) {
            return Some(hop);
        }
        let destination = self.legs.network.router_of(header.destination);
        let (number, link) = self.legs.draw_link(at, destination, dice)?;
        Some(self.towards(at, header, number, link))
    }
}
