//! Up, global, down.

use crate::group_links::{GroupLink, GroupLinks};
use crate::lanes::Lanes;
use std::ops::Range;
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Megafly;
use turnwise_network::{
    Congestion, Header, Hop, Network, Port, RouterId, Routing, Start, TerminalId, Vc,
};

/// What minimal and Valiant's routing of a megafly need to know: the links between groups,
/// and which minimal routes survive.
pub(in crate::algorithms) struct MegaflyLegs {
    pub(in crate::algorithms) network: Arc<Network>,
    pub(in crate::algorithms) links: GroupLinks,
    half_radix: u32,
    groups: Vec<u32>,
    /// Do all channels inside groups live, and a link between each pair of groups?
    pub(in crate::algorithms) complete: bool,
}

impl MegaflyLegs {
    pub(in crate::algorithms) fn new(network: &Arc<Network>, shape: &Megafly) -> Self {
        let group_of = |router: RouterId| shape.group_and_index(router.0).0;
        let links = GroupLinks::new(network, shape.groups, group_of);
        let groups: Vec<u32> = network.routers().map(group_of).collect();
        let inside = |router: RouterId| {
            let group = groups[router.index()];
            let locals = network.neighbours(router).filter(|n| groups[n.router.index()] == group);
            network.is_alive(router) && locals.count() as u32 == shape.half_radix
        };
        Self {
            network: network.clone(),
            complete: links.connect_all() && network.routers().all(inside),
            links,
            half_radix: shape.half_radix,
            groups,
        }
    }

    #[inline]
    pub(in crate::algorithms) fn group(&self, router: RouterId) -> u32 {
        self.groups[router.index()]
    }

    #[inline]
    pub(in crate::algorithms) fn is_leaf(&self, router: RouterId) -> bool {
        router.0 < self.half_radix * self.links.groups()
    }

    /// The port of a leaf that leads up to a spine of its group.
    #[inline]
    pub(in crate::algorithms) fn up_port(&self, spine: RouterId) -> Port {
        (self.half_radix + spine.0 % self.half_radix) as Port
    }

    /// The port of a spine that leads down to a leaf of its group.
    #[inline]
    pub(in crate::algorithms) fn down_port(&self, leaf: RouterId) -> Port {
        (leaf.0 % self.half_radix) as Port
    }

    #[inline]
    pub(in crate::algorithms) fn goes_up(&self, leaf: RouterId, spine: RouterId) -> bool {
        self.complete || self.network.next_router(leaf, self.up_port(spine)) == Some(spine)
    }

    #[inline]
    pub(in crate::algorithms) fn goes_down(&self, spine: RouterId, leaf: RouterId) -> bool {
        self.complete || self.network.next_router(spine, self.down_port(leaf)) == Some(leaf)
    }

    /// The leaves of a group.
    #[inline]
    pub(in crate::algorithms) fn leaves(&self, group: u32) -> Range<u32> {
        group * self.half_radix..(group + 1) * self.half_radix
    }

    /// The links by which a packet may go from a leaf to a leaf of a different group.
    pub(in crate::algorithms) fn usable_links(
        &self,
        at: RouterId,
        to: RouterId,
    ) -> impl Iterator<Item = (u32, GroupLink)> {
        self.links
            .between(self.group(at), self.group(to))
            .filter_map(|number| Some((number, self.links.get(number)?)))
            .filter(move |&(_, link)| self.goes_up(at, link.owner) && self.goes_down(link.peer, to))
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
            let range = self.links.between(self.group(at), self.group(to));
            let number = range.start + dice.below(range.end - range.start);
            return Some((number, self.links.get(number)?));
        }
        let count = self.usable_links(at, to).count() as u32;
        self.usable_links(at, to).nth(dice.below(count) as usize)
    }

    /// The spines over which a packet may go between two leaves of a group.
    pub(in crate::algorithms) fn usable_spines(
        &self,
        at: RouterId,
        to: RouterId,
    ) -> impl Iterator<Item = RouterId> {
        self.leaves(self.links.groups() + self.group(at))
            .map(RouterId)
            .filter(move |&spine| self.goes_up(at, spine) && self.goes_down(spine, to))
    }

    /// One of these spines, each with the same probability.
    #[inline]
    pub(in crate::algorithms) fn draw_spine(
        &self,
        at: RouterId,
        to: RouterId,
        dice: &mut Random,
    ) -> Option<RouterId> {
        if self.complete {
            let first = self.leaves(self.links.groups() + self.group(at)).start;
            return Some(RouterId(first + dice.below(self.half_radix)));
        }
        let count = self.usable_spines(at, to).count() as u32;
        self.usable_spines(at, to).nth(dice.below(count) as usize)
    }

    /// Is there a minimal route between living leaves?
    pub(in crate::algorithms) fn connects(&self, from: RouterId, to: RouterId) -> bool {
        self.complete
            || from == to
            || match self.group(from) == self.group(to) {
                true => self.usable_spines(from, to).next().is_some(),
                false => self.usable_links(from, to).next().is_some(),
            }
    }
}

pub(super) struct MinimalMegafly {
    legs: MegaflyLegs,
    lanes: Lanes,
}

impl MinimalMegafly {
    pub(super) fn new(network: &Arc<Network>, shape: &Megafly, lanes: Lanes) -> Self {
        Self { legs: MegaflyLegs::new(network, shape), lanes }
    }

    /// The only thing to do, if it is; `None` at a leaf that sends a packet up.
    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        let legs = &self.legs;
        let destination = legs.network.router_of(header.destination);
        if at == destination {
            let port = legs.network.terminal_port(header.destination);
            return Some(Hop { port, vcs: self.lanes.all(), header });
        }
        if legs.is_leaf(at) {
            return None;
        }
        let vcs = self.lanes.every_class();
        if legs.group(at) == legs.group(destination) {
            return Some(Hop { port: legs.down_port(destination), vcs, header });
        }
        let link = legs.links.get(header.via.checked_sub(1)?)?;
        Some(Hop { port: link.port, vcs, header: Header { via: 0, ..header } })
    }

    fn up(&self, header: Header, spine: RouterId, via: u32) -> Hop {
        let header = Header { via, ..header };
        Hop { port: self.legs.up_port(spine), vcs: self.lanes.every_class(), header }
    }
}

impl Routing for MinimalMegafly {
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
        let (legs, to) = (&self.legs, self.legs.network.router_of(header.destination));
        if !legs.is_leaf(at) {
            return;
        }
        if legs.group(at) == legs.group(to) {
            options.extend(legs.usable_spines(at, to).map(|spine| self.up(header, spine, 0)));
        } else {
            let links = legs.usable_links(at, to);
            options.extend(links.map(|(number, link)| self.up(header, link.owner, number + 1)));
        }
    }

    fn choose(&self, at: RouterId, header: Header, _: &dyn Congestion, dice: &mut Random) -> Option<Hop> {
        if let Some(hop) = self.settled(at, header) {
            return Some(hop);
        }
        let (legs, to) = (&self.legs, self.legs.network.router_of(header.destination));
        if !legs.is_leaf(at) {
            return None;
        }
        if legs.group(at) == legs.group(to) {
            return Some(self.up(header, legs.draw_spine(at, to, dice)?, 0));
        }
        let (number, link) = legs.draw_link(at, to, dice)?;
        Some(self.up(header, link.owner, number + 1))
    }
}
