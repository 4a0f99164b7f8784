//! What a packet may do at each router of a megafly: choose anew wherever there is a choice.
//!
//! A leaf sends a packet up to any spine of its group; that spine, by any of its global channels; the spine at which it
//! arrives, by a global channel of its own to the destination's group, or down to any leaf to turn there; and that leaf, up
//! to any spine with such a channel.
//!
//! **Classes.** 0 up to the turning point and 1 from there on, as for all detours of a megafly (`megafly_detours`): who chooses, and
//! how often, changes nothing in the order up, global, down. What leaves its group minimally turns nowhere: it takes either class over the
//! global channel and 1 behind it, as inside its group, so that it waits for no class while the other is idle. Two virtual
//! channels are free of deadlock.
//!
//! **Faults.** A step is one only if something leads on from its end.

use super::moves::{Leads, Moves, Step};
use crate::common::endpoints;
use crate::common::vc_plan::VcPlan;
use crate::grouped::links::{GroupLink, GroupLinks};
use crate::grouped::megafly_draws::{MegaflyDraws, Turning};
use crate::grouped::megafly_legs::MegaflyLegs;
use std::sync::Arc;
use turnwise_network::shape::Megafly;
use turnwise_network::{Congestion, Header, Hop, Network, Port, RouterId, Vc, VcSet};

/// How far a packet is: what `Header::phase` says.
/// At its source's leaf.
const SOURCE: u8 = 0;
/// At a spine of the source's group.
const LEAVING: u8 = 1;
/// At the spine of an intermediate group where it has arrived.
const ARRIVED: u8 = 2;
/// At a leaf there.
const TURNED: u8 = 3;
/// At a spine there, with a global channel to the destination's group.
const ONWARD: u8 = 4;
/// On the way to its destination's leaf, with nothing left to choose.
const LAST: u8 = 5;

/// All steps on a megafly.
pub(crate) struct MegaflyMoves {
    draws: MegaflyDraws,
    plan: VcPlan,
    /// Before and after the turning point.
    vcs: [VcSet; 2],
    /// Of packets that turn nowhere, before the way down.
    straight: VcSet,
}

impl MegaflyMoves {
    /// The virtual channels that suffice.
    pub(crate) const CLASSES: Vc = 2;

    pub(crate) fn new(network: &Arc<Network>, shape: &Megafly, plan: VcPlan) -> Self {
        let legs = MegaflyLegs::new(network, shape);
        let turning = Turning::Arrival { shortcut: true };
        Self {
            draws: MegaflyDraws::new(legs, turning),
            plan,
            vcs: [0, 1].map(|class| plan.class(class, Self::CLASSES.into())),
            straight: plan.every_class(),
        }
    }

    fn legs(&self) -> &MegaflyLegs {
        &self.draws.legs
    }

    /// From a leaf: straight up in its own group, or to a spine with a channel to the destination's group, as often as it has one.
    fn each_up(
        &self,
        at: RouterId,
        to: RouterId,
        header: Header,
        each: &mut impl FnMut(Step) -> bool,
    ) {
        let legs = self.legs();
        if legs.group(at) == legs.group(to) {
            let mut spines = legs.usable_spines(at, to);
            spines.all(|spine| each(self.up(spine, self.straight, LAST, header)));
            return;
        }
        let mut links = legs.usable_links(at, to);
        links.all(|(_, link)| each(self.to_owner(link.owner, header)));
    }

    /// From a leaf of the source's group: to a spine with a channel to a third group.
    fn each_up_astray(
        &self,
        at: RouterId,
        to: RouterId,
        header: Header,
        each: &mut impl FnMut(Step) -> bool,
    ) {
        let legs = self.legs();
        let leaves =
            |spine| legs.goes_up(at, spine) && self.detour_links(spine, to).next().is_some();
        let mut spines = legs.spines(legs.group(at)).filter(|&spine| leaves(spine));
        spines.all(|spine| each(self.to_owner(spine, header).otherwise()));
    }

    fn to_owner(&self, spine: RouterId, header: Header) -> Step {
        let (vcs, phase) = match header.phase {
            TURNED => (self.vcs[1], ONWARD),
            _ => (self.vcs[0], LEAVING),
        };
        Step {
            leads: Leads::ToOwner(spine),
            ..self.up(spine, vcs, phase, header)
        }
    }

    /// By a spine's own links to the destination's group.
    fn straight(
        &self,
        spine: RouterId,
        to: RouterId,
        header: Header,
    ) -> impl Iterator<Item = Step> + '_ {
        let vcs = match header.phase {
            LEAVING => self.straight,
            _ => self.vcs[1],
        };
        let links = self.draws.own_links(spine, to);
        links.map(move |(_, link)| self.across(link, vcs, LAST, header))
    }

    /// By a spine's own links to third groups.
    fn detours(
        &self,
        spine: RouterId,
        to: RouterId,
        header: Header,
    ) -> impl Iterator<Item = Step> + '_ {
        let links = self.detour_links(spine, to);
        links.map(move |link| self.across(link, self.vcs[0], ARRIVED, header))
    }

    fn detour_links(&self, spine: RouterId, to: RouterId) -> impl Iterator<Item = GroupLink> + '_ {
        let there = self.legs().group(to);
        let links = self.links().owned(spine).map(|(_, link)| link);
        links.filter(move |link| {
            self.legs().group(link.peer) != there && self.draws.continues(link.peer, 0, to)
        })
    }

    /// Down from a spine of an intermediate group to any leaf, to turn there.
    fn turns(&self, at: RouterId, to: RouterId, header: Header) -> impl Iterator<Item = Step> + '_ {
        let turns = self.draws.turns(at, 0, to);
        turns.map(move |leaf| Step {
            leads: Leads::ToAny(leaf),
            ..self.down(leaf, self.vcs[0], TURNED, header)
        })
    }

    /// Every detour, from a spine of the source's group.
    fn each_detour(
        &self,
        at: RouterId,
        to: RouterId,
        header: Header,
        each: &mut impl FnMut(Step) -> bool,
    ) {
        if header.phase == LEAVING {
            self.detours(at, to, header).all(each);
        }
    }

    /// Every turn, from the spine of an intermediate group where the packet has arrived.
    fn each_turn(
        &self,
        at: RouterId,
        to: RouterId,
        header: Header,
        each: &mut impl FnMut(Step) -> bool,
    ) {
        if header.phase == ARRIVED {
            self.turns(at, to, header).all(each);
        }
    }

    /// Is this a spine that has a choice between its own links to the destination's group and other steps?
    fn may_leave(&self, at: RouterId, to: RouterId) -> bool {
        let legs = self.legs();
        !legs.is_leaf(at) && legs.group(at) != legs.group(to) && self.owns_minimal(at, to)
    }

    fn owns_minimal(&self, spine: RouterId, to: RouterId) -> bool {
        self.draws.own_links(spine, to).next().is_some()
    }

    fn up(&self, spine: RouterId, vcs: VcSet, phase: u8, header: Header) -> Step {
        self.inside(spine, self.legs().up_port(spine), vcs, phase, header)
    }

    fn down(&self, leaf: RouterId, vcs: VcSet, phase: u8, header: Header) -> Step {
        self.inside(leaf, self.legs().down_port(leaf), vcs, phase, header)
    }

    fn inside(&self, peer: RouterId, port: Port, vcs: VcSet, phase: u8, header: Header) -> Step {
        Step {
            hop: self.hop(port, vcs, phase, header),
            is_minimal: true,
            leads: Leads::To(peer),
        }
    }

    fn across(&self, link: GroupLink, vcs: VcSet, phase: u8, header: Header) -> Step {
        Step {
            hop: self.hop(link.port, vcs, phase, header),
            is_minimal: true,
            leads: Leads::Over(link),
        }
    }

    fn hop(&self, port: Port, vcs: VcSet, phase: u8, header: Header) -> Hop {
        Hop {
            port,
            vcs,
            header: Header { phase, ..header },
        }
    }
}

impl Moves for MegaflyMoves {
    fn links(&self) -> &GroupLinks {
        &self.legs().links
    }

    fn network(&self) -> &Network {
        &self.legs().network
    }

    fn plan(&self) -> VcPlan {
        self.plan
    }

    fn relation(&self) -> String {
        format!("steps of a megafly, {:?}", self.plan)
    }

    fn each_minimal(&self, at: RouterId, header: Header, each: &mut impl FnMut(Step) -> bool) {
        let (legs, to) = (self.legs(), self.router_of(header));
        if at == to {
            each(Step {
                hop: endpoints::ejection(&legs.network, header, self.plan.all()),
                is_minimal: true,
                leads: Leads::Out,
            });
        } else if legs.is_leaf(at) {
            self.each_up(at, to, header, each);
        } else if legs.group(at) == legs.group(to) {
            each(self.down(to, self.vcs[1], LAST, header));
        } else if self.owns_minimal(at, to) {
            self.straight(at, to, header).all(each);
        } else {
            // Who has no minimal channel of his own does not know better than to call all alike.
            self.each_detour(at, to, header, each);
            self.each_turn(at, to, header, each);
        }
    }

    fn each_other(&self, at: RouterId, header: Header, each: &mut impl FnMut(Step) -> bool) {
        let to = self.router_of(header);
        if self.may_leave(at, to) {
            self.each_detour(at, to, header, &mut |step| each(step.otherwise()));
        }
    }

    fn each_by_peers(&self, at: RouterId, header: Header, each: &mut impl FnMut(Step) -> bool) {
        let (legs, to) = (self.legs(), self.router_of(header));
        if header.phase == SOURCE && legs.group(at) != legs.group(to) {
            self.each_up_astray(at, to, header, each);
        } else if self.may_leave(at, to) {
            self.each_turn(at, to, header, &mut |step| each(step.otherwise()));
        }
    }

    #[inline]
    fn only_hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let (legs, to) = (self.legs(), self.router_of(header));
        if at == to {
            return Some(endpoints::ejection(&legs.network, header, self.plan.all()));
        }
        if legs.is_leaf(at) {
            return None;
        }
        if legs.group(at) == legs.group(to) {
            return Some(self.down(to, self.vcs[1], LAST, header).hop);
        }
        let mut straight = match header.phase {
            ONWARD => self.straight(at, to, header),
            _ => return None,
        };
        let only = straight.next()?;
        straight.next().is_none().then_some(only.hop)
    }

    #[inline]
    fn backlog(&self, step: &Step, sees: &dyn Congestion) -> u32 {
        let Hop { port, vcs, .. } = step.hop;
        match step.leads {
            Leads::Over(_) => {
                let flits = sees.occupancy(port, vcs) * u32::from(self.plan.used);
                flits / vcs.0.count_ones() + sees.awaiting(port)
            }
            _ => sees.backlog(port, vcs),
        }
    }

    fn is_complete(&self) -> bool {
        self.legs().complete
    }
}
