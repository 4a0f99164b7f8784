//! The legs of a dragonfly's routes: links between groups, ports inside them, what survives.

use crate::draw;
use crate::group_links::{GroupLink, GroupLinks};
use std::ops::Range;
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Dragonfly;
use turnwise_network::{Network, Port, RouterId};

/// What minimal and Valiant's routing of a dragonfly need to know: the links between groups,
/// and which minimal routes survive.
pub(crate) struct DragonflyLegs {
    pub(crate) network: Arc<Network>,
    pub(crate) links: GroupLinks,
    routers_per_group: u32,
    terminals_per_router: u32,
    /// Do all local channels live, and a link between each pair of groups?
    pub(crate) complete: bool,
}

impl DragonflyLegs {
    pub(crate) fn new(network: &Arc<Network>, shape: &Dragonfly) -> Self {
        let group_of = |router: RouterId| shape.group_and_index(router.0).0;
        let links = GroupLinks::new(network, shape.groups, group_of);
        Self {
            network: network.clone(),
            complete: links.are_complete(network, shape.routers_per_group - 1),
            links,
            routers_per_group: shape.routers_per_group,
            terminals_per_router: shape.terminals_per_router,
        }
    }

    #[inline]
    pub(crate) fn group(&self, router: RouterId) -> u32 {
        self.links.group(router)
    }

    /// The routers of a group.
    #[inline]
    pub(crate) fn routers_of(&self, group: u32) -> Range<u32> {
        group * self.routers_per_group..(group + 1) * self.routers_per_group
    }

    /// The port from a router to another of its group.
    #[inline]
    pub(crate) fn local_port(&self, from: RouterId, to: RouterId) -> Port {
        let first = self.group(from) * self.routers_per_group;
        let index = to.0.wrapping_sub(first).wrapping_sub(u32::from(to > from));
        (self.terminals_per_router.wrapping_add(index)) as Port
    }

    /// Are these routers of one group the same, or joined by a living channel?
    #[inline]
    pub(crate) fn adjacent(&self, from: RouterId, to: RouterId) -> bool {
        self.complete
            || from == to && self.network.is_alive(from)
            || from != to && self.network.next_router(from, self.local_port(from, to)) == Some(to)
    }

    /// Does the minimal route over this link survive?
    #[inline]
    pub(crate) fn usable(&self, at: RouterId, link: GroupLink, to: RouterId) -> bool {
        self.complete || self.adjacent(at, link.owner) && self.adjacent(link.peer, to)
    }

    /// The links by which a packet may go from one router to another of a different group.
    pub(crate) fn usable_links(
        &self,
        at: RouterId,
        to: RouterId,
    ) -> impl Iterator<Item = (u32, GroupLink)> + Clone {
        let usable = move |link| self.usable(at, link, to);
        self.links.usable(self.group(at), self.group(to), usable)
    }

    /// One of these links, each with the same probability.
    #[inline]
    pub(crate) fn draw_link(
        &self,
        at: RouterId,
        to: RouterId,
        dice: &mut Random,
    ) -> Option<(u32, GroupLink)> {
        match self.complete {
            true => self
                .links
                .draw_between(self.group(at), self.group(to), dice),
            false => draw::among(self.usable_links(at, to), dice),
        }
    }

    /// The link between the groups of two routers, if all links live and it is the only one.
    #[inline]
    pub(crate) fn only_link(&self, at: RouterId, to: RouterId) -> Option<u32> {
        let between = self.links.between(self.group(at), self.group(to));
        (self.complete && between.len() == 1).then_some(between.start)
    }

    /// Is there a minimal route between living routers?
    pub(crate) fn connects(&self, from: RouterId, to: RouterId) -> bool {
        self.complete
            || match self.group(from) == self.group(to) {
                true => self.adjacent(from, to),
                false => self.usable_links(from, to).next().is_some(),
            }
    }
}
