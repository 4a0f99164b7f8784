//! What a packet may do at each router on its way: SuperSim's routing classes as a machine of states.
//!
//! A packet remembers how far it is and nothing else. Every router chooses anew among all that leads on.

use super::moves::{End, Leads, Moves, Seen, Step};
use crate::common::vc_plan::VcPlan;
use crate::grouped::dragonfly_legs::{DragonflyLegs, Target};
use crate::grouped::links::{GroupLink, GroupLinks};
use std::sync::Arc;
use turnwise_network::shape::Dragonfly;
use turnwise_network::{Header, Hop, Network, RouterId, Vc, VcSet};

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
    /// The global channel of a detour, and the one to the destination's group behind it.
    global: [VcSet; 2],
    /// The only global channel of a minimal way.
    straight: VcSet,
    /// I1 and I2: the first and second local channel of an intermediate group.
    intermediate: [VcSet; 2],
    /// D1: the local channel of the destination's group.
    destination: VcSet,
    /// The only channel of a packet that stays in its group.
    inside: VcSet,
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

/// Which virtual channels a class has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shares {
    /// Those of its number, on local and global channels alike, as in SuperSim.
    Numbered,
    /// Those of its number on local channels. Global channels carry no more than two classes, by whether it is a route's first or second
    /// one, so that each has half of them; and who stays inside a group takes any.
    Spread,
}

/// All steps on a network.
pub(crate) struct Steps {
    pub(crate) legs: DragonflyLegs,
    plan: VcPlan,
    classes: Classes,
    progressive: bool,
    valiant_node: bool,
}

impl Steps {
    pub(crate) fn new(
        network: &Arc<Network>,
        shape: &Dragonfly,
        plan: VcPlan,
        (progressive, valiant_node): (bool, bool),
        shares: Shares,
    ) -> Self {
        let legs = DragonflyLegs::new(network, shape);
        let (numbers, count) = class_numbers(progressive, valiant_node);
        let [s1, s2, detour, i1, i2, minimal, d1] =
            numbers.map(|number| plan.class_in_turn(number, count));
        let numbered = Classes {
            source: [s1, s2],
            global: [detour, minimal],
            straight: minimal,
            intermediate: [i1, i2],
            destination: d1,
            inside: d1,
            ejection: plan.all(),
        };
        let classes = match shares {
            Shares::Numbered => numbered,
            Shares::Spread => {
                let [first, second] = [0, 1].map(|class| plan.class(class, 2));
                Classes {
                    global: [first, second],
                    straight: first,
                    inside: plan.every_class(),
                    ..numbered
                }
            }
        };
        Self {
            legs,
            plan,
            classes,
            progressive,
            valiant_node,
        }
    }

    /// The links of a router.
    pub(crate) fn owned(&self, router: RouterId) -> impl Iterator<Item = GroupLink> + Clone + '_ {
        self.legs.links.owned(router).map(|(_, link)| link)
    }

    /// In the destination's group: out, or to its router, if that can be reached.
    #[inline(always)]
    fn direct(&self, at: RouterId, to: Target, header: Header) -> Option<Step> {
        if at == to.router {
            return Some(Step {
                hop: Hop {
                    port: to.port,
                    vcs: self.classes.ejection,
                    header,
                },
                is_minimal: true,
                leads: Leads::Out,
            });
        }
        let vcs = self.last_vcs(header);
        let direct = || self.local(at, to.router, vcs, LAST, header).minimally();
        self.legs.adjacent(at, to.router).then(direct)
    }

    /// The class of the channel to the destination's router.
    #[inline(always)]
    fn last_vcs(&self, header: Header) -> VcSet {
        match header.phase {
            SOURCE => self.classes.inside,
            _ => self.classes.destination,
        }
    }

    /// In the destination's group, from the source: by any other router.
    fn each_around(
        &self,
        at: RouterId,
        to: RouterId,
        header: Header,
        each: &mut impl FnMut(Step) -> bool,
    ) {
        let peers = self.legs.peers(at);
        let mut peers = peers.filter(|&peer| peer != to && self.legs.adjacent(peer, to));
        peers.all(|peer| each(self.local(at, peer, self.classes.source[1], LAST, header)));
    }

    /// Out of the source's group minimally: by its own global channel or, unless this is its last router there, by a peer's.
    fn each_leaving(
        &self,
        at: RouterId,
        to: RouterId,
        header: Header,
        each: &mut impl FnMut(Step) -> bool,
    ) {
        let (here, there) = (self.legs.group(at), self.legs.group(to));
        if let Some(only) = self.legs.known_link(0, here, there)
            && (header.phase != LEAVING || only.owner == at)
        {
            each(match only.owner == at {
                true => self.global(only, true, header),
                false => self.to_owner(at, only.owner, header).minimally(),
            });
            return;
        }
        if !self.minimal(at, to, header).all(&mut *each) {
            return;
        }
        if header.phase == LEAVING {
            // Who has no minimal channel of his own does not know better than to call all alike.
            if !self.legs.owns_minimal(at, to) {
                let mut alike = self.detours(at, to, header);
                alike.all(|step| each(step.minimally()));
            }
            return;
        }
        let mut last = at;
        for (_, link) in self.legs.usable_links(at, to) {
            let is_new = link.owner != last && link.owner != at;
            last = link.owner;
            if is_new && !each(self.to_owner(at, last, header).minimally()) {
                return;
            }
        }
    }

    /// Out of the source's group otherwise, by a peer's global channel.
    fn each_detour_by_peers(
        &self,
        at: RouterId,
        to: RouterId,
        header: Header,
        each: &mut impl FnMut(Step) -> bool,
    ) {
        let (_, phase) = self.class_and_phase_behind(header);
        let leaves = |peer| !self.legs.owns_minimal(peer, to) && self.leaves(peer, phase, to);
        let mut peers = self.legs.peers(at).filter(|&peer| leaves(peer));
        peers.all(|peer| each(self.to_owner(at, peer, header)));
    }

    /// By its own global channels to the destination's group.
    fn minimal(
        &self,
        at: RouterId,
        to: RouterId,
        header: Header,
    ) -> impl Iterator<Item = Step> + '_ {
        let own = self.legs.own_links(at, to);
        own.map(move |(_, link)| self.global(link, true, header))
    }

    /// By its own global channels to third groups.
    fn detours(
        &self,
        at: RouterId,
        to: RouterId,
        header: Header,
    ) -> impl Iterator<Item = Step> + '_ {
        let there = self.legs.group(to);
        let is_detour =
            move |link: GroupLink| self.legs.group(link.peer) != there && self.leads_on(link, to);
        let own = self
            .legs
            .links
            .owned(at)
            .filter(move |&(_, link)| is_detour(link));
        own.map(move |(_, link)| self.global(link, false, header))
    }

    /// The class on the way to the second or third router of the source's group, and the phase there.
    #[inline(always)]
    fn class_and_phase_behind(&self, header: Header) -> (VcSet, u8) {
        match header.phase == SOURCE && self.progressive {
            true => (self.classes.source[0], SECOND),
            false => (self.classes.source[1], LEAVING),
        }
    }

    /// To a router of the source's group, and out of it from there.
    fn to_owner(&self, at: RouterId, peer: RouterId, header: Header) -> Step {
        let (class, phase) = self.class_and_phase_behind(header);
        Step {
            leads: Leads::ToOwner(peer),
            ..self.local(at, peer, class, phase, header)
        }
    }

    /// At the first router of an intermediate group: minimally on.
    fn each_arrived(
        &self,
        at: RouterId,
        to: RouterId,
        header: Header,
        each: &mut impl FnMut(Step) -> bool,
    ) {
        if self.legs.owns_minimal(at, to) {
            self.minimal(at, to, header).all(each);
            return;
        }
        let mut owners = self
            .legs
            .peers(at)
            .filter(|&peer| self.legs.owns_minimal(peer, to));
        owners.all(|peer| each(self.onward(at, peer, header).minimally()));
    }

    /// There, by any other router of the group.
    fn each_astray(
        &self,
        at: RouterId,
        to: RouterId,
        header: Header,
        each: &mut impl FnMut(Step) -> bool,
    ) {
        let owns = self.legs.owns_minimal(at, to);
        let is_other =
            |peer| self.legs.connects(peer, to) && (owns || !self.legs.owns_minimal(peer, to));
        let mut peers = self.legs.peers(at).filter(|&peer| is_other(peer));
        peers.all(|peer| each(self.onward(at, peer, header)));
    }

    fn onward(&self, at: RouterId, peer: RouterId, header: Header) -> Step {
        self.local(at, peer, self.classes.intermediate[0], ONWARD, header)
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
                    step.minimally()
                }
            };
            if !each(step) {
                return;
            }
        }
    }

    fn global(&self, link: GroupLink, is_minimal: bool, header: Header) -> Step {
        let phase = if is_minimal { LAST } else { ARRIVED };
        let vcs = match (is_minimal, header.phase) {
            (false, _) => self.classes.global[0],
            (true, SOURCE | SECOND | LEAVING) => self.classes.straight,
            (true, _) => self.classes.global[1],
        };
        Step {
            hop: Hop {
                port: link.port,
                vcs,
                header: Header { phase, ..header },
            },
            is_minimal,
            leads: Leads::Over(link),
        }
    }

    fn local(&self, at: RouterId, to: RouterId, vcs: VcSet, phase: u8, header: Header) -> Step {
        Step {
            hop: Hop {
                port: self.legs.port(at, to),
                vcs,
                header: Header { phase, ..header },
            },
            is_minimal: false,
            leads: Leads::To(to),
        }
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
                self.legs.owns_minimal(link.peer, to)
                    || self
                        .legs
                        .peers(link.peer)
                        .any(|peer| self.legs.connects(peer, to))
            }
        }
    }

    /// Does a packet get out of the source's group from a router where it is in this phase?
    fn leaves(&self, at: RouterId, phase: u8, to: RouterId) -> bool {
        self.owned(at).any(|link| self.leads_on(link, to))
            || phase == SECOND
                && self
                    .legs
                    .peers(at)
                    .any(|peer| self.leaves(peer, LEAVING, to))
    }
}

impl Moves for Steps {
    fn network(&self) -> &Network {
        &self.legs.network
    }

    fn plan(&self) -> VcPlan {
        self.plan
    }

    fn relation(&self) -> String {
        let Self {
            plan,
            classes,
            progressive,
            valiant_node,
            ..
        } = self;
        format!("{plan:?}, {classes:?}, progressive {progressive}, by routers {valiant_node}")
    }

    fn links(&self) -> &GroupLinks {
        &self.legs.links
    }

    fn each_minimal(&self, at: RouterId, header: Header, each: &mut impl FnMut(Step) -> bool) {
        let to = self.legs.target(header.destination);
        if self.legs.group(at) == to.group {
            if let Some(step) = self.direct(at, to, header) {
                each(step);
            }
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

    fn each_other(&self, at: RouterId, header: Header, each: &mut impl FnMut(Step) -> bool) {
        let to = self.legs.target(header.destination);
        if self.legs.group(at) == to.group {
            if at != to.router && header.phase == SOURCE {
                self.each_around(at, to.router, header, each);
            }
            return;
        }
        match header.phase {
            LEAVING if !self.legs.owns_minimal(at, to.router) => {}
            SOURCE | SECOND | LEAVING => {
                self.detours(at, to.router, header).all(each);
            }
            ARRIVED if self.valiant_node => self.each_astray(at, to.router, header, each),
            _ => {}
        }
    }

    fn each_by_peers(&self, at: RouterId, header: Header, each: &mut impl FnMut(Step) -> bool) {
        let to = self.legs.target(header.destination);
        let peers_know = matches!(header.phase, SOURCE | SECOND);
        if peers_know && self.legs.group(at) != to.group {
            self.each_detour_by_peers(at, to.router, header, each);
        }
    }

    #[inline(always)]
    fn only_minimal(&self, at: RouterId, header: Header) -> Option<Seen> {
        let to = self.legs.target(header.destination);
        let here = self.legs.place(at);
        let (port, vcs, phase, end) = if here.group != to.group {
            let way = self.legs.way(at, to.group)?;
            let (vcs, phase, end) = match (way.global(), header.phase) {
                (1, SOURCE | SECOND | LEAVING) => (self.classes.straight, LAST, End::Elsewhere),
                (1, _) => (self.classes.global[1], LAST, End::Elsewhere),
                (_, SOURCE | SECOND) => {
                    let (vcs, phase) = self.class_and_phase_behind(header);
                    (vcs, phase, End::Owner)
                }
                (_, ARRIVED) if self.valiant_node => {
                    (self.classes.intermediate[0], ONWARD, End::Elsewhere)
                }
                _ => return None,
            };
            (way.port(), vcs, phase, end)
        } else if at == to.router {
            (to.port, self.classes.ejection, header.phase, End::Out)
        } else if self.legs.adjacent(at, to.router) {
            let port = self.legs.port_from(here, at, to.router);
            (port, self.last_vcs(header), LAST, End::Elsewhere)
        } else {
            return None;
        };
        Some(Seen {
            port,
            vcs,
            phase: phase.into(),
            end,
        })
    }

    #[inline(always)]
    fn only_hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let to = self.legs.target(header.destination);
        let (port, vcs, phase) = match header.phase {
            _ if at == to.router => (to.port, self.classes.ejection, header.phase),
            LAST if self.legs.adjacent(at, to.router) => {
                let port = self.legs.port(at, to.router);
                (port, self.classes.destination, LAST)
            }
            ONWARD | OWNER => {
                let way = self.legs.way(at, to.group)?;
                match way.global() {
                    1 => (way.port(), self.classes.global[1], LAST),
                    _ if header.phase == OWNER => return None,
                    _ => (way.port(), self.classes.intermediate[1], OWNER),
                }
            }
            _ => return None,
        };
        let header = Header { phase, ..header };
        Some(Hop { port, vcs, header })
    }

    #[inline(always)]
    fn router_of(&self, header: Header) -> RouterId {
        self.legs.target(header.destination).router
    }

    fn is_complete(&self) -> bool {
        self.legs.complete
    }
}
