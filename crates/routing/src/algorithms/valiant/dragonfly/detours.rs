//! Which intermediate routers a packet may go to, and over which first link.

use crate::algorithms::valiant::{BLIND_DRAWS, draw_group};
use crate::dragonfly_legs::DragonflyLegs;
use crate::draw;
use turnwise_network::RouterId;
use turnwise_network::random::Random;

pub(super) struct Detours {
    pub(super) legs: DragonflyLegs,
    /// Does a packet go to a certain router, or only to a certain group?
    pub(super) by_router: bool,
}

impl Detours {
    pub(super) fn new(legs: DragonflyLegs, by_router: bool) -> Self {
        Self { legs, by_router }
    }

    /// The first link and the intermediate router (where the link ends, unless by router) of
    /// every way that survives.
    pub(super) fn all(
        &self,
        at: RouterId,
        to: RouterId,
    ) -> impl Iterator<Item = (u32, RouterId)> + Clone {
        let legs = &self.legs;
        let there = legs.group(to);
        let links = legs.links.leaving(legs.group(at));
        let links = links.filter_map(|number| Some((number, legs.links.get(number)?)));
        let links = links.filter(move |&(_, link)| {
            legs.group(link.peer) != there && legs.adjacent(at, link.owner)
        });
        links.flat_map(move |(number, link)| {
            let routers = match self.by_router {
                true => legs.routers_of(legs.group(link.peer)),
                false => link.peer.0..link.peer.0 + 1,
            };
            let usable = move |&router: &RouterId| {
                legs.adjacent(link.peer, router) && legs.connects(router, to)
            };
            routers
                .map(RouterId)
                .filter(usable)
                .map(move |router| (number, router))
        })
    }

    /// A random group, a random router in it, a random link to it.
    pub(super) fn draw(
        &self,
        at: RouterId,
        to: RouterId,
        dice: &mut Random,
    ) -> Option<(u32, RouterId)> {
        let legs = &self.legs;
        let (here, there) = (legs.group(at), legs.group(to));
        for _ in 0..BLIND_DRAWS {
            let group = draw_group(legs.links.groups(), here, there, dice)?;
            let drawn = if self.by_router {
                let routers = legs.routers_of(group);
                let index = draw::below(routers.end - routers.start, dice);
                let router = RouterId(routers.start + index);
                let link = legs.draw_link(at, router, dice);
                link.map(|(number, _)| (number, router))
            } else {
                let link = legs.links.draw_between(here, group, dice);
                let link = link.filter(|(_, link)| legs.adjacent(at, link.owner));
                link.map(|(number, link)| (number, link.peer))
            };
            if let Some((number, router)) = drawn
                && legs.connects(router, to)
            {
                return Some((number, router));
            }
        }
        draw::among(self.all(at, to), dice)
    }
}
