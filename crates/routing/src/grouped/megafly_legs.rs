//! The legs of a megafly's routes: links between groups, ports inside them, what survives.

use crate::common::draw;
use crate::grouped::links::{GroupLink, GroupLinks};
use std::ops::Range;
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Megafly;
use turnwise_network::{Network, Port, RouterId};

/// What minimal and Valiant's routing of a megafly need to know: the links between groups,
/// and which minimal routes survive.
pub(crate) struct MegaflyLegs {
    pub(crate) network: Arc<Network>,
    pub(crate) links: GroupLinks,
    half_radix: u32,
    /// Do all channels inside groups live, and a link between each pair of groups?
    pub(crate) complete: bool,
}

impl MegaflyLegs {
    pub(crate) fn new(network: &Arc<Network>, shape: &Megafly) -> Self {
        let group_of = |router: RouterId| shape.group_and_index(router.0).0;
        let links = GroupLinks::new(network, shape.groups, group_of);
        Self {
            network: network.clone(),
            complete: links.are_complete(network, shape.half_radix),
            links,
            half_radix: shape.half_radix,
        }
    }

    #[inline]
    pub(crate) fn group(&self, router: RouterId) -> u32 {
        self.links.group(router)
    }

    #[inline]
    pub(crate) fn is_leaf(&self, router: RouterId) -> bool {
        router.0 < self.half_radix * self.links.groups()
    }

    /// The port of a leaf that leads up to a spine of its group.
    #[inline]
    pub(crate) fn up_port(&self, spine: RouterId) -> Port {
        (self.half_radix + spine.0 % self.half_radix) as Port
    }

    /// The port of a spine that leads down to a leaf of its group.
    #[inline]
    pub(crate) fn down_port(&self, leaf: RouterId) -> Port {
        (leaf.0 % self.half_radix) as Port
    }

    #[inline]
    pub(crate) fn goes_up(&self, leaf: RouterId, spine: RouterId) -> bool {
        self.complete || self.network.next_router(leaf, self.up_port(spine)) == Some(spine)
    }

    #[inline]
    pub(crate) fn goes_down(&self, spine: RouterId, leaf: RouterId) -> bool {
        self.complete || self.network.next_router(spine, self.down_port(leaf)) == Some(leaf)
    }

    /// The leaves of a group.
    #[inline]
    pub(crate) fn leaves(&self, group: u32) -> Range<u32> {
        group * self.half_radix..(group + 1) * self.half_radix
    }

    /// The spines of a group.
    #[inline]
    pub(crate) fn spines(&self, group: u32) -> impl Iterator<Item = RouterId> + Clone + use<> {
        self.leaves(self.links.groups() + group).map(RouterId)
    }

    /// The links by which a packet may go from a leaf to a leaf of a different group.
    pub(crate) fn usable_links(
        &self,
        at: RouterId,
        to: RouterId,
    ) -> impl Iterator<Item = (u32, GroupLink)> + Clone {
        let usable =
            move |link: GroupLink| self.goes_up(at, link.owner) && self.goes_down(link.peer, to);
        self.links.usable(self.group(at), self.group(to), usable)
    }

    /// One of these links, each with the same probability.
    #[inline]
    pub(crate) fn draw_link(
        &self,
        at: RouterId,
        to: RouterId,
        rng: &mut Random,
    ) -> Option<(u32, GroupLink)> {
        match self.complete {
            true => self.links.draw_between(self.group(at), self.group(to), rng),
            false => draw::among(self.usable_links(at, to), rng),
        }
    }

    /// The spines over which a packet may go between two leaves of a group.
    pub(crate) fn usable_spines(
        &self,
        at: RouterId,
        to: RouterId,
    ) -> impl Iterator<Item = RouterId> + Clone {
        self.spines(self.group(at))
            .filter(move |&spine| self.goes_up(at, spine) && self.goes_down(spine, to))
    }

    /// One of these spines, each with the same probability.
    #[inline]
    pub(crate) fn draw_spine(
        &self,
        at: RouterId,
        to: RouterId,
        rng: &mut Random,
    ) -> Option<RouterId> {
        if self.complete {
            let first = self.leaves(self.links.groups() + self.group(at)).start;
            return Some(RouterId(first + draw::below(self.half_radix, rng)));
        }
        draw::among(self.usable_spines(at, to), rng)
    }

    /// Is there a minimal route between living leaves?
    pub(crate) fn connects(&self, from: RouterId, to: RouterId) -> bool {
        self.complete
            || from == to
            || match self.group(from) == self.group(to) {
                true => self.usable_spines(from, to).next().is_some(),
                false => self.usable_links(from, to).next().is_some(),
            }
    }
}
