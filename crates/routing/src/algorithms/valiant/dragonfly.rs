//! Local, global, local to the intermediate router; from there local, global, local.

use super::{BLIND_DRAWS, draw_among, draw_group};
use crate::algorithms::minimal::DragonflyLegs;
use crate::group_links::GroupLink;
use crate::lanes::Lanes;
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Dragonfly;
use turnwise_network::{
    Congestion, Header, Hop, Network, RouterId, Routing, Start, TerminalId, Vc, VcSet,
};

/// `Header::phase` of a packet at its source, before anything is drawn.
const SOURCE: u16 = 0;
/// On the way to the first global channel, number `via - 1`; then to router `step - 1`, if any.
const FIRST: u16 = 1;
/// In the intermediate group, on the way to router `step - 1`.
const ARRIVED: u16 = 2;
/// On the way to the second global channel, number `via - 1`, or about to draw it.
const SECOND: u16 = 3;
/// In the destination group.
const LAST: u16 = 4;

pub(super) struct ValiantDragonfly {
    legs: DragonflyLegs,
    lanes: Lanes,
    vcs: Classes,
    routers_per_group: u32,
    by_router: bool,
    everywhere: bool,
}

/// Virtual channels by kind of channel, in the order a route meets them.
struct Classes {
    source: VcSet,
    arriving: VcSet,
    leaving: VcSet,
    destination: VcSet,
}

impl ValiantDragonfly {
    pub(super) fn new(
        network: &Arc<Network>,
        shape: &Dragonfly,
        lanes: Lanes,
        by_router: bool,
        everywhere: bool,
    ) -> Self {
        let classes = if by_router { [0, 1, 2, 3] } else { [0, 0, 1, 2] };
        let [source, arriving, leaving, destination] =
            classes.map(|class| lanes.class(class, classes[3] + 1));
        Self {
            legs: DragonflyLegs::new(network, shape),
            lanes,
            vcs: Classes { source, arriving, leaving, destination },
            routers_per_group: shape.routers_per_group,
            by_router,
            everywhere,
        }
    }

    /// The first link and the intermediate router (where the link ends, unless by router) of
    /// every way that survives.
    fn detours(&self, at: RouterId, to: RouterId) -> impl Iterator<Item = (u32, RouterId)> + Clone {
        let legs = &self.legs;
        let (here, there) = (legs.group(at), legs.group(to));
        legs.links.leaving(here).filter_map(|number| Some((number, legs.links.get(number)?))).flat_map(
            move |(number, link)| {
                let group = legs.group(link.peer);
                let routers = match self.by_router {
                    true => group * self.routers_per_group..(group + 1) * self.routers_per_group,
                    false => link.peer.0..link.peer.0 + 1,
                };
                let usable = group != there && legs.adjacent(at, link.owner);
                let routers = routers.map(RouterId).filter(move |_| usable);
                routers
                    .filter(move |&router| legs.adjacent(link.peer, router) && legs.connects(router, to))
                    .map(move |router| (number, router))
            },
        )
    }

    /// A random group, a random router in it, a random link to it.
    fn draw_detour(&self, at: RouterId, to: RouterId, dice: &mut Random) -> Option<(u32, RouterId)> {
        let legs = &self.legs;
        for _ in 0..BLIND_DRAWS {
            let group = draw_group(legs.links.groups(), legs.group(at), legs.group(to), dice)?;
            let drawn = if self.by_router {
                let index = dice.below(self.routers_per_group);
                let router = RouterId(group * self.routers_per_group + index);
                legs.draw_link(at, router, dice).map(|(number, _)| (number, router))
            } else {
                let links = legs.links.between(legs.group(at), group);
                let number = links.start + dice.below(links.end - links.start);
                let link = legs.links.get(number).filter(|_| !links.is_empty());
                let link = link.filter(|link| legs.adjacent(at, link.owner));
                link.map(|link| (number, link.peer))
            };
            if let Some((number, router)) = drawn
                && legs.connects(router, to)
            {
                return Some((number, router));
            }
        }
        draw_among(self.detours(at, to), dice)
    }

    /// The only thing to do, if it is; `None` where something is to be drawn.
    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        let legs = &self.legs;
        let to = legs.network.router_of(header.destination);
        if at == to {
            let port = legs.network.terminal_port(header.destination);
            return Some(Hop { port, vcs: self.lanes.all(), header });
        }
        let same_group = legs.group(at) == legs.group(to);
        match header.phase {
            SOURCE if same_group && !self.everywhere => {
                Some(Hop { port: legs.local_port(at, to), vcs: self.vcs.source, header })
            }
            SOURCE => None,
            ARRIVED => {
                let router = RouterId(header.step.checked_sub(1)?);
                let header = Header { phase: SECOND, step: 0, ..header };
                Some(Hop { port: legs.local_port(at, router), vcs: self.vcs.arriving, header })
            }
            SECOND | LAST if same_group => {
                Some(Hop { port: legs.local_port(at, to), vcs: self.vcs.destination, header })
            }
            _ => {
                let number = header.via.checked_sub(1)?;
                Some(self.towards(at, header, number, legs.links.get(number)?))
            }
        }
    }

    /// The first hop of a detour.
    fn depart(&self, at: RouterId, header: Header, number: u32, router: RouterId) -> Option<Hop> {
        let step = if self.by_router { router.0 + 1 } else { 0 };
        let link = self.legs.links.get(number)?;
        Some(self.towards(at, Header { phase: FIRST, step, ..header }, number, link))
    }

    /// The next hop on the way over the first or second link.
    fn towards(&self, at: RouterId, header: Header, number: u32, link: GroupLink) -> Hop {
        let vcs = if header.phase == FIRST { self.vcs.source } else { self.vcs.leaving };
        if at != link.owner {
            let header = Header { via: number + 1, ..header };
            return Hop { port: self.legs.local_port(at, link.owner), vcs, header };
        }
        let onward = |phase, step| Header { phase, step, via: 0, ..header };
        let next = match header.phase {
            FIRST if header.step != 0 && header.step != link.peer.0 + 1 => onward(ARRIVED, header.step),
            FIRST => onward(SECOND, 0),
            _ => onward(LAST, 0),
        };
        Hop { port: link.port, vcs, header: next }
    }
}

impl Routing for ValiantDragonfly {
    fn virtual_channels(&self) -> Vc {
        self.lanes.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let legs = &self.legs;
        if !legs.network.is_terminal_alive(source) || !legs.network.is_terminal_alive(destination) {
            return None;
        }
        let (at, to) = (legs.network.router_of(source), legs.network.router_of(destination));
        let minimal = at == to || !self.everywhere && legs.group(at) == legs.group(to);
        let phase = match minimal {
            true => legs.connects(at, to).then_some(SOURCE),
            false if self.detours(at, to).next().is_some() => Some(SOURCE),
            false => legs.connects(at, to).then_some(SECOND),
        }?;
        let header = Header { phase, ..Header::to(destination) };
        Some(Start { header, vcs: self.lanes.all() })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        if let Some(hop) = self.settled(at, header) {
            return options.push(hop);
        }
        let to = self.legs.network.router_of(header.destination);
        if header.phase == SOURCE {
            let detours = self.detours(at, to);
            options.extend(detours.filter_map(|(number, router)| self.depart(at, header, number, router)));
        } else {
            let links = self.legs.usable_links(at, to);
            options.extend(links.map(|(number, link)| self.towards(at, header, number, link)));
        }
    }

    fn choose(&self, at: RouterId, header: Header, _: &dyn Congestion, dice: &mut Random) -> Option<Hop> {
        if let Some(hop) = self.settled(at, header) {
            return Some(hop);
        }
        let to = self.legs.network.router_of(header.destination);
        if header.phase == SOURCE {
            let (number, router) = self.draw_detour(at, to, dice)?;
            self.depart(at, header, number, router)
        } else {
            let (number, link) = self.legs.draw_link(at, to, dice)?;
            Some(self.towards(at, header, number, link))
        }
    }
}
