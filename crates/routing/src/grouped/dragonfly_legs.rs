//! The legs of a dragonfly's routes: links between groups, ports inside them, what survives.
//!
//! The simulator asks for a hop at every router, so what a hop depends on is looked up: where
//! routers and terminals are, and by which port a router's packets leave for a group if there is but
//! one link to it. 12 bytes a terminal, 8 a router, 2 a router and group.
//!
//! Where channels inside groups are dead, legs may go round them ([`Rounds`]), or be lost.

use crate::common::draw;
use crate::grouped::links::{GroupLink, GroupLinks};
use crate::grouped::rounds::Rounds;
use std::ops::Range;
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Dragonfly;
use turnwise_network::{Network, Port, RouterId, TerminalId};

/// What minimal, Valiant's and adaptive routing of a dragonfly need to know: the links between
/// groups, and which minimal routes survive.
pub(crate) struct DragonflyLegs {
    pub(crate) network: Arc<Network>,
    pub(crate) links: GroupLinks,
    routers_per_group: u32,
    /// Do all local channels live, and a link between each pair of groups?
    pub(crate) complete: bool,
    /// How packets go round dead channels inside groups, if they do and if there are any.
    rounds: Option<Rounds>,
    places: Vec<Place>,
    targets: Vec<Target>,
    /// By router and group; empty if any link has to be drawn, or if there are very many.
    ways: Vec<Way>,
    groups: usize,
}

/// Beyond so many routers times groups (64 MiB), ways are worked out hop by hop.
const MOST_WAYS: usize = 1 << 25;

/// The port by which a router's packets leave for another group, and whether it is the global link's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way(u16);

impl Way {
    const GLOBAL: u16 = 0x8000;
    /// To its own group there is no way out.
    const NONE: Self = Self(Self::GLOBAL - 1);

    fn new(port: Port, global: bool) -> Self {
        Self(port | if global { Self::GLOBAL } else { 0 })
    }

    #[inline]
    pub(crate) fn port(self) -> Port {
        self.0 & !Self::GLOBAL
    }

    /// 1 if this is the global link, 0 on the way to it.
    #[inline]
    pub(crate) fn global(self) -> u8 {
        (self.0 >> 15) as u8
    }
}

/// Where a router is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) group: u32,
    /// What to add to the number of a lower router of the group to get the port that leads there.
    base: u32,
}

impl Place {
    /// The port from the router `at` this place to another of its group.
    #[inline]
    fn port_to(self, at: RouterId, to: RouterId) -> Port {
        let port = self.base.wrapping_add(to.0);
        port.wrapping_sub(u32::from(to > at)) as Port
    }
}

/// Where a terminal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) router: RouterId,
    pub(crate) group: u32,
    /// The router's port that leads to the terminal.
    pub(crate) port: Port,
}

impl DragonflyLegs {
    /// Legs that go round dead channels inside groups.
    ///
    /// Who takes them must say at every router of the group where in it a packet is going.
    pub(crate) fn going_round(network: &Arc<Network>, shape: &Dragonfly) -> Self {
        let legs = Self::new(network, shape);
        let joined = |from, to| legs.adjacent(from, to);
        let rounds = match legs.complete {
            true => None,
            false => Rounds::new(network, shape.routers_per_group, joined),
        };
        Self { rounds, ..legs }
    }

    /// Legs of one channel inside each group: what does not survive is lost.
    pub(crate) fn new(network: &Arc<Network>, shape: &Dragonfly) -> Self {
        let group_of = |router: RouterId| shape.group_and_index(router.0).0;
        let links = GroupLinks::new(network, shape.groups, group_of);
        let place = |router: RouterId| {
            let group = group_of(router);
            let first = group * shape.routers_per_group;
            let base = shape.terminals_per_router.wrapping_sub(first);
            Place { group, base }
        };
        let target = |terminal| {
            let router = network.router_of(terminal);
            let (group, port) = (group_of(router), network.terminal_port(terminal));
            Target {
                router,
                group,
                port,
            }
        };
        let complete = links.are_complete(network, shape.routers_per_group - 1);
        let mut legs = Self {
            network: network.clone(),
            places: network.routers().map(place).collect(),
            targets: network.terminals().map(target).collect(),
            ways: Vec::new(),
            groups: shape.groups as usize,
            complete,
            rounds: None,
            links,
            routers_per_group: shape.routers_per_group,
        };
        legs.ways = legs.all_ways().unwrap_or_default();
        legs
    }

    /// `None` if a link is to be drawn or may be out of reach, or if the table would be too large.
    fn all_ways(&self) -> Option<Vec<Way>> {
        let routers = self.places.len();
        if !self.complete || routers.saturating_mul(self.groups) > MOST_WAYS {
            return None;
        }
        let pairs = self
            .network
            .routers()
            .flat_map(|at| (0..self.links.groups()).map(move |group| (at, group)));
        let way = |(at, group): (RouterId, u32)| {
            let place = self.place(at);
            if place.group == group {
                return Some(Way::NONE);
            }
            let link = self.known_link(0, place.group, group)?;
            let (port, global) = match at == link.owner {
                true => (link.port, true),
                false => (place.port_to(at, link.owner), false),
            };
            (port < Way::NONE.0).then_some(Way::new(port, global))
        };
        pairs.map(way).collect()
    }

    #[inline]
    pub(crate) fn place(&self, router: RouterId) -> Place {
        self.places[router.index()]
    }

    #[inline]
    pub(crate) fn target(&self, terminal: TerminalId) -> Target {
        self.targets[terminal.index()]
    }

    #[inline]
    pub(crate) fn group(&self, router: RouterId) -> u32 {
        self.place(router).group
    }

    /// The port by which a packet at this router and place goes to another of its group.
    #[inline(always)]
    pub(crate) fn port_from(&self, place: Place, at: RouterId, to: RouterId) -> Port {
        match &self.rounds {
            None => place.port_to(at, to),
            Some(rounds) => place.port_to(at, rounds.next(at, to).unwrap_or(to)),
        }
    }

    /// The same of a router.
    #[inline(always)]
    pub(crate) fn port(&self, at: RouterId, to: RouterId) -> Port {
        self.port_from(self.place(at), at, to)
    }

    /// May legs go round?
    #[inline]
    pub(crate) fn have_rounds(&self) -> bool {
        self.rounds.is_some()
    }

    /// Does a packet go round on its way from one router of a group to another?
    #[inline]
    pub(crate) fn goes_round(&self, at: RouterId, to: RouterId) -> bool {
        let next = |rounds: &Rounds| rounds.next(at, to);
        self.rounds
            .as_ref()
            .is_some_and(|rounds| next(rounds) != Some(to))
    }

    /// Channels between two routers of a group, the one of which a packet at the other can reach.
    pub(crate) fn steps(&self, from: RouterId, to: RouterId) -> u32 {
        let Some(rounds) = &self.rounds else {
            return u32::from(from != to);
        };
        let onward = |&at: &RouterId| (at != to).then(|| rounds.next(at, to)).flatten();
        std::iter::successors(Some(from), onward).skip(1).count() as u32
    }

    /// Channels between routers of a route over a link, by a router of the group that it leads to, and minimally on from there.
    pub(crate) fn channels(
        &self,
        at: RouterId,
        first: GroupLink,
        by: RouterId,
        to: RouterId,
    ) -> u32 {
        let over = |from: RouterId, link: GroupLink, to: RouterId| {
            self.steps(from, link.owner) + 1 + self.steps(link.peer, to)
        };
        let onward = match self.group(by) == self.group(to) {
            true => Some(self.steps(by, to)),
            false => {
                let links = self.usable_links(by, to);
                links.map(|(_, link)| over(by, link, to)).min()
            }
        };
        over(at, first, by) + onward.unwrap_or(0)
    }

    /// The routers of a group.
    #[inline]
    pub(crate) fn routers_of(&self, group: u32) -> Range<u32> {
        group * self.routers_per_group..(group + 1) * self.routers_per_group
    }

    /// How a packet leaves for another group, if that is settled and in the table.
    #[inline]
    pub(crate) fn way(&self, at: RouterId, group: u32) -> Option<Way> {
        let way = *self.ways.get(at.index() * self.groups + group as usize)?;
        (way != Way::NONE).then_some(way)
    }

    /// The link a packet takes from one group to another: the one it has drawn (its number plus 1),
    /// or else the only one; `None` if it is still to be drawn.
    pub(crate) fn known_link(&self, via: u32, from: u32, to: u32) -> Option<GroupLink> {
        if let Some(number) = via.checked_sub(1) {
            return self.links.get(number);
        }
        let between = self.links.between(from, to);
        let only = self.complete && between.len() == 1;
        only.then(|| self.links.get(between.start)).flatten()
    }

    /// Are these routers of one group the same, or joined by a living channel?
    #[inline(always)]
    pub(crate) fn adjacent(&self, from: RouterId, to: RouterId) -> bool {
        self.complete || self.are_joined(from, to)
    }

    /// The same where something has failed. Apart and called cold, so that nobody else sets anything aside for it.
    #[cold]
    #[inline(never)]
    fn are_joined(&self, from: RouterId, to: RouterId) -> bool {
        let port = || self.place(from).port_to(from, to);
        from == to && self.network.is_alive(from)
            || from != to && self.network.next_router(from, port()) == Some(to)
    }

    /// Does a leg lead from one of these routers of a group to the other?
    #[inline]
    pub(crate) fn reaches(&self, from: RouterId, to: RouterId) -> bool {
        match &self.rounds {
            Some(rounds) if from != to => rounds.next(from, to).is_some(),
            _ => self.adjacent(from, to),
        }
    }

    /// Does the minimal route over this link survive?
    #[inline]
    fn usable(&self, at: RouterId, link: GroupLink, to: RouterId) -> bool {
        self.complete || self.reaches(at, link.owner) && self.reaches(link.peer, to)
    }

    /// Does it, and go round nowhere?
    fn is_straight(&self, at: RouterId, link: GroupLink, to: RouterId) -> bool {
        self.adjacent(at, link.owner) && self.adjacent(link.peer, to)
    }

    /// Does any link to its group lead straight from one router to another?
    fn has_straight(&self, at: RouterId, to: RouterId) -> bool {
        let straight = |link| self.is_straight(at, link, to);
        let mut links = self.links.usable(self.group(at), self.group(to), straight);
        links.next().is_some()
    }

    /// The links by which a packet may go from one router to another of a different group: round only if it must.
    pub(crate) fn usable_links(
        &self,
        at: RouterId,
        to: RouterId,
    ) -> impl Iterator<Item = (u32, GroupLink)> + Clone {
        let (here, there) = (self.group(at), self.group(to));
        let any_straight = self.have_rounds() && self.has_straight(at, to);
        let usable = move |link| match any_straight {
            true => self.is_straight(at, link, to),
            false => self.usable(at, link, to),
        };
        self.links.usable(here, there, usable)
    }

    /// Is a link over which one router is reached from another one of these? Not if it leads round, and another one straight.
    pub(crate) fn takes(&self, at: RouterId, link: GroupLink, to: RouterId) -> bool {
        !self.have_rounds() || self.is_straight(at, link, to) || !self.has_straight(at, to)
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

    /// The other routers of a group to which a channel leads.
    pub(crate) fn peers(&self, at: RouterId) -> impl Iterator<Item = RouterId> + Clone + '_ {
        let group = self.routers_of(self.group(at)).map(RouterId);
        group.filter(move |&peer| peer != at && self.adjacent(at, peer))
    }

    /// Those to which a leg leads, round if need be.
    pub(crate) fn reached(&self, at: RouterId) -> impl Iterator<Item = RouterId> + Clone + '_ {
        let group = self.routers_of(self.group(at)).map(RouterId);
        group.filter(move |&peer| peer != at && self.reaches(at, peer))
    }

    /// A router's links to the destination's group from whose ends the destination can be reached.
    pub(crate) fn own_links(
        &self,
        router: RouterId,
        to: RouterId,
    ) -> impl Iterator<Item = (u32, GroupLink)> + Clone + '_ {
        let own = self.links.owned_to(router, self.group(to));
        own.filter(move |&(_, link)| self.reaches(link.peer, to))
    }

    /// Does it have any?
    #[inline]
    pub(crate) fn owns_minimal(&self, router: RouterId, to: RouterId) -> bool {
        match self.way(router, self.group(to)) {
            Some(way) => way.global() == 1,
            None => self.owns_any(router, to),
        }
    }

    /// The same where it is not in the table.
    #[inline(never)]
    fn owns_any(&self, router: RouterId, to: RouterId) -> bool {
        self.own_links(router, to).next().is_some()
    }

    /// Is there a minimal route between living routers?
    #[inline]
    pub(crate) fn connects(&self, from: RouterId, to: RouterId) -> bool {
        self.complete || self.is_connected(from, to)
    }

    /// The same where something has failed.
    #[inline(never)]
    fn is_connected(&self, from: RouterId, to: RouterId) -> bool {
        match self.group(from) == self.group(to) {
            true => self.reaches(from, to),
            false => self.usable_links(from, to).next().is_some(),
        }
    }
}
