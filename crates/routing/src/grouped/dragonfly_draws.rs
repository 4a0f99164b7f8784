//! Which intermediate routers a packet may go to, and over which first link.

use crate::common::draw;
use crate::grouped::dragonfly_detours::DragonflyDetours;
use crate::grouped::draw_group::{BLIND_DRAWS, draw_group};
use crate::grouped::links::GroupLink;
use turnwise_network::RouterId;
use turnwise_network::random::Random;

/// A first link with its number, and the intermediate router (where the link ends, unless by router).
pub(crate) type Detour = ((u32, GroupLink), RouterId);

impl DragonflyDetours {
    /// Every detour that survives, except by the destination's group: to all routers of other groups, or only to
    /// those at which first links end.
    pub(crate) fn all(
        &self,
        at: RouterId,
        to: RouterId,
        by_router: bool,
    ) -> impl Iterator<Item = Detour> + Clone {
        let legs = &self.legs;
        let there = legs.group(to);
        let links = self.first_links(at);
        let elsewhere = links.filter(move |(_, link)| legs.group(link.peer) != there);
        elsewhere.flat_map(move |link| {
            let peer = link.1.peer;
            let routers = match by_router {
                true => legs.routers_of(legs.group(peer)),
                false => peer.0..peer.0 + 1,
            };
            let usable = move |router: &RouterId| {
                self.leads_on(peer, *router, to) && (!by_router || legs.takes(at, link.1, *router))
            };
            let routers = routers.map(RouterId).filter(usable);
            routers.map(move |router| (link, router))
        })
    }

    /// A random group, a random router in it, a random link to it.
    pub(crate) fn draw(
        &self,
        at: RouterId,
        to: RouterId,
        by_router: bool,
        rng: &mut Random,
    ) -> Option<Detour> {
        let legs = &self.legs;
        let (here, there) = (legs.group(at), legs.group(to));
        for _ in 0..BLIND_DRAWS {
            let group = draw_group(legs.links.groups(), here, there, rng)?;
            let drawn = if by_router {
                let routers = legs.routers_of(group);
                let index = draw::below(routers.end - routers.start, rng);
                let router = RouterId(routers.start + index);
                legs.draw_link(at, router, rng).map(|link| (link, router))
            } else {
                let link = legs.links.draw_between(here, group, rng);
                let link = link.filter(|(_, link)| legs.reaches(at, link.owner));
                link.map(|link| (link, link.1.peer))
            };
            if let Some((link, router)) = drawn
                && legs.connects(router, to)
            {
                return Some((link, router));
            }
        }
        draw::among(self.all(at, to, by_router), rng)
    }
}
