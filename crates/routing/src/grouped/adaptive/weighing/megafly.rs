//! What a packet may do at each router of a megafly: choose anew wherever there is a choice.
//!
//! A leaf sends a packet up to any spine of its group; that spine, by any of its global channels; the spine at which it
//! arrives, by a global channel of its own to the destination's group, or down to any leaf to turn there; and that leaf, up
//! to any spine with such a channel.
//!
//! **Classes.** 0 up to the turning point and 1 from there on, as for all detours of a megafly (`megafly_detours`): who chooses, and
//! how often, changes nothing in the order up, global, down. Two virtual channels are free of deadlock.
//!
//! **Faults.** A step is one only if something leads on from its end.

use super::moves::{Leads, Moves, Step};
use crate::common::endpoints;
use crate::common::vc_plan::VcPlan;
use crate::grouped::links::{GroupLink, GroupLinks};
use crate::grouped::megafly_draws::{MegaflyDraws, Turning};
use crate::grouped::megafly_legs::MegaflyLegs;
use crate::grouped::owners::Owners;
use std::sync::Arc;
use turnwise_network::shape::Megafly;
use turnwise_network::{Header, Hop, Network, Port, RouterId, VcSet};

/// How far a packet is: what `Header::phase` says; 0 at its source's leaf.
/// At a spine of the source's group.
const LEAVING: u8 = 1;
/// At the spine of an intermediate group where it has arrived.
const ARRIVED: u8 = 2;
/// At a leaf there.
const TURNED: u8 = 3;
/// At a spine there, with a global channel to the destination's group.
const ONWARD: u8 = 4;
/// On the way down, having made no detour.
const STRAIGHT: u8 = 5;
/// On the way down behind a detour.
const LAST: u8 = 6;

/// All steps on a megafly.
pub(crate) struct MegaflyMoves {
    draws: MegaflyDraws,
    owners: Owners,
    plan: VcPlan,
    /// Before and after the turning point.
    vcs: [VcSet; 2],
}

impl MegaflyMoves {
    /// The virtual channels that suffice.
    pub(crate) const CLASSES: usize = 2;

    pub(crate) fn new(network: &Arc<Network>, shape: &Megafly, plan: VcPlan) -> Self {
        let legs = MegaflyLegs::new(network, shape);
        let owners = Owners::new(&legs.links, network.router_count());
        let turning = Turning::Arrival { shortcut: true };
        Self {
            draws: MegaflyDraws::new(legs, shape, turning, true),
            owners,
            plan,
            vcs: [0, 1].map(|class| plan.class(class, Self::CLASSES)),
        }
    }

    fn legs(&self) -> &MegaflyLegs {
        &self.draws.legs
    }

    /// From a leaf: straight up in its own group, or to a spine that leads out of it.
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
            spines.all(|spine| each(self.up(spine, 0, STRAIGHT, header)));
            return;
        }
        let has_turned = header.phase == TURNED;
        let (class, phase) = if has_turned {
            (1, ONWARD)
        } else {
            (0, LEAVING)
        };
        let mut spines = legs
            .spines(legs.group(at))
            .filter(|&spine| legs.goes_up(at, spine));
        spines.all(|spine| {
            let step = Step {
                leads: Leads::ToOwner(spine),
                ..self.up(spine, class, phase, header)
            };
            let detour = Step {
                is_minimal: false,
                ..step
            };
            (!self.owns_minimal(spine, to) || each(step))
                && (has_turned || !self.owns_detour(spine, to) || each(detour))
        });
    }

    /// From a spine of the source's group, by its own global channels.
    fn each_leaving(
        &self,
        at: RouterId,
        to: RouterId,
        header: Header,
        each: &mut impl FnMut(Step) -> bool,
    ) {
        let minimal = |(_, link)| self.across(link, 0, STRAIGHT, header);
        // Who has no minimal channel of his own does not know better than to call all alike.
        let alike = !self.owns_minimal(at, to);
        let detour = |link| Step {
            is_minimal: alike,
            ..self.across(link, 0, ARRIVED, header)
        };
        let _ = self.draws.own_links(at, to).map(minimal).all(&mut *each)
            && self.detours(at, to).map(detour).all(each);
    }

    /// From a spine of an intermediate group: straight on, or down to turn.
    fn each_arrived(
        &self,
        at: RouterId,
        to: RouterId,
        header: Header,
        each: &mut impl FnMut(Step) -> bool,
    ) {
        let alike = !self.owns_minimal(at, to);
        let turn = |leaf| Step {
            is_minimal: alike,
            leads: Leads::ToAny(leaf),
            ..self.down(leaf, 0, TURNED, header)
        };
        if self.each_onward(at, to, header, each) {
            self.draws.turns(at, 0, to).map(turn).all(each);
        }
    }

    /// By a spine's own global channels to the destination's group. Did `each` want them all?
    fn each_onward(
        &self,
        at: RouterId,
        to: RouterId,
        header: Header,
        each: &mut impl FnMut(Step) -> bool,
    ) -> bool {
        let across = |(_, link)| self.across(link, 1, LAST, header);
        self.draws.own_links(at, to).map(across).all(each)
    }

    /// A spine's own links to third groups.
    fn detours(&self, spine: RouterId, to: RouterId) -> impl Iterator<Item = GroupLink> + '_ {
        let there = self.legs().group(to);
        let links = self.owners.numbered(self.links(), spine);
        let links = links.map(|(_, link)| link);
        links.filter(move |link| {
            self.legs().group(link.peer) != there && self.draws.continues(link.peer, 0, to)
        })
    }

    fn owns_minimal(&self, spine: RouterId, to: RouterId) -> bool {
        self.draws.own_links(spine, to).next().is_some()
    }

    fn owns_detour(&self, spine: RouterId, to: RouterId) -> bool {
        self.detours(spine, to).next().is_some()
    }

    fn up(&self, spine: RouterId, class: usize, phase: u8, header: Header) -> Step {
        self.inside(spine, self.legs().up_port(spine), class, phase, header)
    }

    fn down(&self, leaf: RouterId, class: usize, phase: u8, header: Header) -> Step {
        self.inside(leaf, self.legs().down_port(leaf), class, phase, header)
    }

    fn inside(&self, peer: RouterId, port: Port, class: usize, phase: u8, header: Header) -> Step {
        Step {
            hop: self.hop(port, class, phase, header),
            is_minimal: true,
            leads: Leads::To(peer),
        }
    }

    fn across(&self, link: GroupLink, class: usize, phase: u8, header: Header) -> Step {
        Step {
            hop: self.hop(link.port, class, phase, header),
            is_minimal: true,
            leads: Leads::Over(link),
        }
    }

    fn hop(&self, port: Port, class: usize, phase: u8, header: Header) -> Hop {
        Hop {
            port,
            vcs: self.vcs[class],
            header: Header { phase, ..header },
        }
    }
}

impl Moves for MegaflyMoves {
    fn links(&self) -> &GroupLinks {
        &self.legs().links
    }

    fn owners(&self) -> &Owners {
        &self.owners
    }

    fn network(&self) -> &Network {
        &self.legs().network
    }

    fn plan(&self) -> VcPlan {
        self.plan
    }

    #[inline]
    fn each(&self, at: RouterId, header: Header, each: &mut impl FnMut(Step) -> bool) {
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
            let class = usize::from(header.phase == LAST);
            each(self.down(to, class, header.phase, header));
        } else {
            match header.phase {
                LEAVING => self.each_leaving(at, to, header, each),
                ARRIVED => self.each_arrived(at, to, header, each),
                _ => {
                    self.each_onward(at, to, header, each);
                }
            }
        }
    }
}
