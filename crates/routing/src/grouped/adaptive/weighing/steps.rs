//! What a packet may do at each router on its way: SuperSim's routing classes as a machine of states.
//!
//! A packet remembers how far it is and nothing else. Every router chooses anew among all that leads on.

use crate::common::endpoints;
use crate::common::vc_plan::VcPlan;
use crate::grouped::dragonfly_legs::DragonflyLegs;
use crate::grouped::links::GroupLink;
use std::ops::Range;
use std::sync::Arc;
use turnwise_network::shape::Dragonfly;
use turnwise_network::{Header, Hop, Network, RouterId, Start, TerminalId, Vc, VcSet};

/// How far a packet is: what `Header::phase` says.
/// At its source's router.
const SOURCE: u8 = 0;
/// At the second router of the source's group, where a progressive packet looks at all global channels again.
const SECOND: u8 = 1;
/// At a router of the source's group that has to send it on by a global channel of its own.
const LEAVING: u8 = 2;
/// At the first router of an intermediate group.
const ARRIVED: u8 = 3;
/// There, at a router from which it goes minimally.
const ONWARD: u8 = 4;
/// There, at the owner of a global channel to the destination's group.
const OWNER: u8 = 5;
/// In the destination's group, or on the direct channel to its router.
const LAST: u8 = 6;

/// Virtual channels by SuperSim's routing classes.
#[derive(Clone, Copy, Debug)]
struct Classes {
    /// S1 and S2: the first and second local channel of the source's group.
    source: [VcSet; 2],
    /// The global channel of a detour, and the one to the destination's group.
    global: [VcSet; 2],
    /// I1 and I2: the first and second local channel of an intermediate group.
    intermediate: [VcSet; 2],
    /// D1: the local channel of the destination's group.
    destination: VcSet,
    ejection: VcSet,
}

/// SuperSim's numbers of the classes, and how many there are. A class has the virtual channels whose numbers leave its
/// own by that many, so the first classes get what is left over.
pub(crate) fn class_numbers(progressive: bool, valiant_node: bool) -> ([Vc; 7], Vc) {
    match (progressive, valiant_node) {
        (true, true) => ([0, 1, 1, 2, 3, 3, 4], 5),
        (true, false) => ([0, 1, 1, 2, 2, 2, 3], 4),
        (false, true) => ([0, 0, 0, 1, 2, 2, 3], 4),
        (false, false) => ([0, 0, 0, 1, 1, 1, 2], 3),
    }
}

/// One of the things that a packet may do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The hop, on all virtual channels of its class.
    pub(crate) hop: Hop,
    /// Is it on a minimal way?
    pub(crate) is_minimal: bool,
    pub(crate) leads: Leads,
}

/// Where a step leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leads {
    /// Over a global channel.
    Over(GroupLink),
    /// To a router of the source's group, which sends the packet on by a global channel of its own.
    ToOwner(RouterId),
    /// To a router of the same group, and minimally on from there.
    To(RouterId),
    /// Out.
    Out,
}

/// All steps on a network.
pub(crate) struct Steps {
    pub(crate) legs: DragonflyLegs,
    pub(crate) plan: VcPlan,
    classes: Classes,
    progressive: bool,
    valiant_node: bool,
    /// Numbers of links, router by router of their owners, and where each router's begin.
    owned: Vec<u32>,
    first_owned: Vec<u32>,
}

impl Steps {
    pub(crate) fn new(
        network: &Arc<Network>,
        shape: &Dragonfly,
        plan: VcPlan,
        (progressive, valiant_node): (bool, bool),
    ) -> Self {
        let legs = DragonflyLegs::new(network, shape);
        let (numbers, count) = class_numbers(progressive, valiant_node);
        let [s1, s2, detour, i1, i2, minimal, d1] =
            numbers.map(|number| plan.class_in_turn(number, count));
        let classes = Classes {
            source: [s1, s2],
            global: [detour, minimal],
            intermediate: [i1, i2],
            destination: d1,
            ejection: plan.all(),
        };
        let mut by_owner: Vec<(RouterId, u32)> = (0..)
            .map_while(|number| Some((legs.links.get(number)?.owner, number)))
            .collect();
        by_owner.sort_unstable();
        let mut first_owned = vec![0; network.router_count() + 1];
        by_owner
            .iter()
            .for_each(|(owner, _)| first_owned[owner.index() + 1] += 1);
        for router in 1..first_owned.len() {
            first_owned[router] += first_owned[router - 1];
        }
        Self {
            legs,
            plan,
            classes,
            progressive,
            valiant_node,
            owned: by_owner.into_iter().map(|(_, number)| number).collect(),
            first_owned,
        }
    }

    /// The links of a router.
    pub(crate) fn owned(&self, router: RouterId) -> impl Iterator<Item = GroupLink> + Clone + '_ {
        self.numbered(router).map(|(_, link)| link)
    }

    /// The same with their numbers.
    pub(crate) fn numbered(
        &self,
        router: RouterId,
    ) -> impl Iterator<Item = (u32, GroupLink)> + Clone + '_ {
        let first = &self.first_owned[router.index()..];
        let own = first[0] as usize..first[1] as usize;
        let numbers = self.owned[own].iter();
        numbers.filter_map(|&number| Some((number, self.legs.links.get(number)?)))
    }

    /// How a packet sets out; `None` if nothing leads to its destination.
    pub(crate) fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        if !endpoints::live(&self.legs.network, source, destination) {
            return None;
        }
        let header = Header::to(destination);
        let mut routed = false;
        let at = self.legs.target(source).router;
        self.each(at, header, &mut |_| {
            routed = true;
            false
        });
        let vcs = self.plan.all();
        routed.then_some(Start { header, vcs })
    }

    /// Every step, until `each` says `false`.
    #[inline]
    pub(crate) fn each(&self, at: RouterId, header: Header, each: &mut impl FnMut(Step) -> bool) {
        let to = self.legs.target(header.destination);
        if at == to.router {
            let hop = Hop {
                port: to.port,
                vcs: self.classes.ejection,
                header,
            };
            let (is_minimal, leads) = (true, Leads::Out);
            each(Step {
                hop,
                is_minimal,
                leads,
            });
        } else if self.legs.group(at) == to.group {
            self.each_inside(at, to.router, header, each);
        } else {
            match header.phase {
                SOURCE | SECOND | LEAVING => self.each_leaving(at, to.router, header, each),
                ARRIVED if self.valiant_node => self.each_arrived(at, to.router, header, each),
                _ => {
                    let step = |step| each(step);
                    self.each_onward(at, to.router, header, step);
                }
            }
        }
    }

    /// In the destination's group: directly or, from the source, by any other router.
    fn each_inside(
        &self,
        at: RouterId,
        to: RouterId,
        header: Header,
        each: &mut impl FnMut(Step) -> bool,
    ) {
        if self.legs.adjacent(at, to) {
            let step = self.local(at, to, self.classes.destination, LAST, header);
            if !each(Step {
                is_minimal: true,
                ..step
            }) {
                return;
            }
        }
        if header.phase != SOURCE {
            return;
        }
        for peer in self
            .peers(at)
            .filter(|&peer| peer != to && self.legs.adjacent(peer, to))
        {
            if !each(self.local(at, peer, self.classes.source[1], LAST, header)) {
                return;
            }
        }
    }

    /// Out of the source's group: by its own global channels or, unless this is its last router there, by a peer's.
    fn each_leaving(
        &self,
        at: RouterId,
        to: RouterId,
        header: Header,
        each: &mut impl FnMut(Step) -> bool,
    ) {
        let alone = header.phase == LEAVING;
        // Who has no minimal channel of his own does not know better than to call all alike.
        let alike = alone && !self.owns_minimal(at, to);
        for link in self.owned(at).filter(|&link| self.leads_on(link, to)) {
            let is_minimal = self.legs.group(link.peer) == self.legs.group(to);
            let step = self.global(link, is_minimal, header);
            if !each(Step {
                is_minimal: is_minimal || alike,
                ..step
            }) {
                return;
            }
        }
        if alone {
            return;
        }
        let (class, phase) = match header.phase == SOURCE && self.progressive {
            true => (self.classes.source[0], SECOND),
            false => (self.classes.source[1], LEAVING),
        };
        for peer in self.peers(at).filter(|&peer| self.leaves(peer, phase, to)) {
            let step = self.local(at, peer, class, phase, header);
            let step = Step {
                is_minimal: self.owns_minimal(peer, to),
                leads: Leads::ToOwner(peer),
                ..step
            };
            if !each(step) {
                return;
            }
        }
    }

    /// At the first router of an intermediate group: minimally on, or by any other router of the group.
    fn each_arrived(
        &self,
        at: RouterId,
        to: RouterId,
        header: Header,
        each: &mut impl FnMut(Step) -> bool,
    ) {
        for link in self.owned(at).filter(|&link| self.is_last_link(link, to)) {
            if !each(self.global(link, true, header)) {
                return;
            }
        }
        let owns = self.owns_minimal(at, to);
        for peer in self.peers(at).filter(|&peer| self.legs.connects(peer, to)) {
            let step = self.local(at, peer, self.classes.intermediate[0], ONWARD, header);
            let is_minimal = !owns && self.owns_minimal(peer, to);
            if !each(Step { is_minimal, ..step }) {
                return;
            }
        }
    }

    /// Minimally out of an intermediate group.
    fn each_onward(
        &self,
        at: RouterId,
        to: RouterId,
        header: Header,
        mut each: impl FnMut(Step) -> bool,
    ) {
        for (_, link) in self.legs.usable_links(at, to) {
            let step = match link.owner == at {
                true => self.global(link, true, header),
                false if header.phase == OWNER => continue,
                false => {
                    let class = self.classes.intermediate[1];
                    let step = self.local(at, link.owner, class, OWNER, header);
                    Step {
                        is_minimal: true,
                        ..step
                    }
                }
            };
            if !each(step) {
                return;
            }
        }
    }

    fn global(&self, link: GroupLink, is_minimal: bool, header: Header) -> Step {
        let phase = if is_minimal { LAST } else { ARRIVED };
        Step {
            hop: Hop {
                port: link.port,
                vcs: self.classes.global[usize::from(is_minimal)],
                header: Header { phase, ..header },
            },
            is_minimal,
            leads: Leads::Over(link),
        }
    }

    fn local(&self, at: RouterId, to: RouterId, vcs: VcSet, phase: u8, header: Header) -> Step {
        Step {
            hop: Hop {
                port: self.legs.place(at).port_to(at, to),
                vcs,
                header: Header { phase, ..header },
            },
            is_minimal: false,
            leads: Leads::To(to),
        }
    }

    /// The other routers of a group that a packet can reach.
    fn peers(&self, at: RouterId) -> impl Iterator<Item = RouterId> + '_ {
        let group: Range<u32> = self.legs.routers_of(self.legs.group(at));
        let others = group.map(RouterId).filter(move |&peer| peer != at);
        others.filter(move |&peer| self.legs.adjacent(at, peer))
    }

    /// Is this a link to the destination's group from whose end the destination can be reached?
    fn is_last_link(&self, link: GroupLink, to: RouterId) -> bool {
        self.legs.group(link.peer) == self.legs.group(to) && self.legs.adjacent(link.peer, to)
    }

    fn owns_minimal(&self, router: RouterId, to: RouterId) -> bool {
        let (from, there) = (self.legs.group(router), self.legs.group(to));
        let links = self.legs.links.between(from, there);
        let mut links = links.filter_map(|number| self.legs.links.get(number));
        links.any(|link| link.owner == router && self.is_last_link(link, to))
    }

    /// Does a packet get to its destination over a link of the source's group?
    fn leads_on(&self, link: GroupLink, to: RouterId) -> bool {
        if self.legs.complete {
            return true;
        }
        if self.legs.group(link.peer) == self.legs.group(to) {
            return self.legs.adjacent(link.peer, to);
        }
        match self.valiant_node {
            false => self.legs.connects(link.peer, to),
            true => {
                self.owns_minimal(link.peer, to)
                    || self
                        .peers(link.peer)
                        .any(|peer| self.legs.connects(peer, to))
            }
        }
    }

    /// Does a packet get out of the source's group from a router where it is in this phase?
    fn leaves(&self, at: RouterId, phase: u8, to: RouterId) -> bool {
        self.owned(at).any(|link| self.leads_on(link, to))
            || phase == SECOND && self.peers(at).any(|peer| self.leaves(peer, LEAVING, to))
    }
}
