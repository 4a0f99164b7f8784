//! The ways of a dragonfly: minimally, or by another group.
//!
//! A packet decides at its source's router. If that is *progressive*, one that goes minimally and whose global channel another
//! router owns decides again there, for the last time; it sees that channel's own queue then.
//!
//! A detour is by a random router of a random group that is neither the source's nor the destination's, or (by group) by
//! whichever router of that group its first global channel leads to.
//!
//! **Classes.** Each decision that a route may come after, and each router it is sent by, costs a class, because as many local
//! channels may follow one another. Local and global channels are different channels, so that they share numbers.
//!
//! | channel | by router | by group | progressive by router | progressive by group |
//! |---|---|---|---|---|
//! | local from the source's router | 0, minimally 2 | 0, minimally 1 | 0 | 0 |
//! | local after a second decision, first global of a detour | 0 | 0 | 1 | 1 |
//! | local to the intermediate router | 1 | | 2 | |
//! | local from there on, last global | 2 | 1 | 3 | 2 |
//! | local in the destination group | 3 | 2 | 4 | 3 |
//! | local, inside a group | 0 | 0 | 0 | 0 |
//!
//! Classes never fall along a route, and none is taken twice on channels of one kind, so four, three, five and four virtual
//! channels are free of deadlock. They are the fewest: a route crosses as many local channels one after the other. What a router has beyond
//! a multiple of them goes to the minimal way's classes first, because detours take these as well.
//!
//! **Faults.** Who finds only minimal ways, or only detours, takes them. Where a channel inside a group is dead, packets
//! [go round](crate::grouped::rounds) by other routers of the group, in the same class: no virtual channel more. Who goes
//! round to where it decides again decides there and not before. Only a group that has fallen apart loses pairs: inside a group nobody makes a
//! detour by another one.
//!
//! Source of the progressive classes: SuperSim, dragonfly routing, `{S1, S2, G, I1, I2, G, D}` =
//! `{0, 1, 1, 2, 3, 3, 4}`.

use super::judge::Judge;
use super::known::KnownWays;
use super::ways::{Relation, Way, Ways};
use crate::algorithm::Context;
use crate::common::endpoints;
use crate::common::vc_plan::VcPlan;
use crate::grouped::dragonfly_detours::{DetourClasses, DragonflyDetours};
use crate::grouped::dragonfly_draws::Detour;
use crate::grouped::dragonfly_legs::DragonflyLegs;
use crate::grouped::dragonfly_phases::Apart;
use crate::grouped::links::GroupLink;
use crate::grouped::phases::{AGAIN, ARRIVED, DIVERTED, FIRST, SECOND, SOURCE};
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Dragonfly;
use turnwise_network::{
    Congestion, Header, Hop, Invalid, Network, Port, RouterId, Start, TerminalId, TwoPhases, Vc,
    VcSet,
};

pub(crate) struct DragonflyWays {
    pub(super) detours: DragonflyDetours,
    plan: VcPlan,
    pub(super) detouring: Detouring,
    /// Of local channels up to the second decision, and of local and global ones after it.
    pub(super) source: [VcSet; 2],
}

/// Which ways there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detouring {
    pub(crate) by_router: bool,
    pub(crate) progressive: bool,
}

impl Detouring {
    /// The class of the minimal way's global channel, and how many classes there are.
    pub(crate) fn minimal_class(self) -> (usize, usize) {
        let destination = 2 + usize::from(self.by_router) + usize::from(self.progressive);
        (destination - 1, destination + 1)
    }
}

impl DragonflyWays {
    /// # Errors
    /// Virtual channels that the router does not have.
    pub(crate) fn new(
        name: &str,
        network: &Arc<Network>,
        shape: &Dragonfly,
        detouring: Detouring,
        virtual_channels: Option<Vc>,
        context: &Context<'_>,
    ) -> Result<Self, Invalid> {
        let (onward, classes) = detouring.minimal_class();
        let plan = VcPlan::new(name, virtual_channels, classes as Vc, context)?;
        let class = |class| plan.class_from(onward, class, classes);
        let diverted = usize::from(detouring.progressive);
        let intermediate = diverted + usize::from(detouring.by_router);
        let source = [class(0), class(diverted)];
        let rising = [
            source[0],
            class(intermediate),
            class(onward),
            class(onward + 1),
        ];
        let mut vcs = DetourClasses::rising(rising, plan.all());
        vcs.leaving[usize::from(FIRST)] = source;
        Ok(Self {
            detours: DragonflyDetours {
                legs: DragonflyLegs::going_round(network, shape),
                classes: vcs,
                inside_groups: false,
                apart: (detouring.by_router && !detouring.progressive).then_some(Apart {
                    goes_minimally: true,
                    by_destinations: false,
                }),
            },
            plan,
            detouring,
            source,
        })
    }

    /// The virtual channels that minimal packets have between groups.
    pub(crate) fn minimal_vcs(&self) -> VcSet {
        let (onward, classes) = self.detouring.minimal_class();
        self.plan.class_from(onward, onward, classes)
    }

    pub(crate) fn legs(&self) -> &DragonflyLegs {
        &self.detours.legs
    }

    fn router_of(&self, header: Header) -> RouterId {
        self.legs().target(header.destination).router
    }

    /// The first hop of a minimal way by a link.
    #[inline]
    fn minimal(&self, at: RouterId, header: Header, (number, link): (u32, GroupLink)) -> Way {
        let hop = if self.detouring.progressive && header.phase == SOURCE && at != link.owner {
            Hop {
                port: self.legs().port(at, link.owner),
                vcs: self.source[0],
                header: Header {
                    phase: AGAIN,
                    via: number + 1,
                    ..header
                },
            }
        } else {
            let header = DragonflyDetours::minimal(header);
            self.detours.depart(at, header, (number, link))
        };
        Way { hop, link: number }
    }

    /// The first hop of a detour.
    #[inline]
    fn detour(&self, at: RouterId, header: Header, ((number, link), router): Detour) -> Way {
        let again = header.phase == AGAIN;
        let header = DragonflyDetours::detour(header, self.detouring.by_router.then_some(router));
        let hop = match again {
            false => self.detours.depart(at, header, (number, link)),
            true => self.divert(at, header, (number, link)),
        };
        Way { hop, link: number }
    }

    /// The same after a second decision.
    fn divert(&self, at: RouterId, header: Header, (number, link): (u32, GroupLink)) -> Hop {
        let vcs = self.source[1];
        if at != link.owner {
            return Hop {
                port: self.legs().port(at, link.owner),
                vcs,
                header: Header {
                    phase: DIVERTED,
                    via: number + 1,
                    ..header
                },
            };
        }
        let phase = match self.detouring.by_router {
            true => ARRIVED,
            false => SECOND,
        };
        Hop {
            port: link.port,
            vcs,
            header: Header {
                phase,
                via: 0,
                ..header
            },
        }
    }

    /// Channels between routers of the way over a link, by a router whose number plus 1 is `step` or, if that is 0, by where the link
    /// ends. Called with its parts, so that nobody keeps a way in memory for it.
    #[inline(never)]
    pub(super) fn channels_over(
        &self,
        at: RouterId,
        link: u32,
        destination: TerminalId,
        step: u32,
    ) -> u32 {
        let (legs, to) = (self.legs(), self.legs().target(destination).router);
        let Some(first) = legs.links.get(link) else {
            return 0;
        };
        let by = match step.checked_sub(1) {
            _ if legs.group(first.peer) == legs.group(to) => to,
            Some(router) => RouterId(router),
            None => first.peer,
        };
        legs.channels(at, first, by, to)
    }

    /// Does anything lead from one living terminal to another? Asked only where something has failed.
    #[inline(never)]
    fn is_routed(&self, source: TerminalId, destination: TerminalId) -> bool {
        let (legs, by_router) = (self.legs(), self.detouring.by_router);
        let (from, to) = (legs.target(source), legs.target(destination));
        let mut detours = self.detours.all(from.router, to.router, by_router);
        let connected = legs.connects(from.router, to.router);
        connected || from.group != to.group && detours.next().is_some()
    }

    /// What a judge decides who has looked in vain for what is seen at once. Apart, so that those who see it keep nothing in place
    /// for this.
    #[inline(never)]
    fn judged_after_looking<J: Judge>(
        &self,
        judge: &J,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let known = KnownWays::of(self, at, header)?;
        let way = judge.choose(&known, at, header, sees, rng)?;
        Some(known.hop(header, way))
    }

    /// The hop to the owner of the link that it has decided for there.
    #[inline(never)]
    fn diverted(&self, at: RouterId, header: Header) -> Option<Hop> {
        Some(self.divert(at, header, self.link_again(header)?))
    }

    /// The only link of a packet that decides again.
    fn link_again(&self, header: Header) -> Option<(u32, GroupLink)> {
        let number = header.via.checked_sub(1)?;
        Some((number, self.legs().links.get(number)?))
    }

    /// The hop of a packet that goes round to where it decides again.
    #[inline]
    fn round(&self, at: RouterId, header: Header) -> Option<Hop> {
        if !self.legs().have_rounds() {
            return None;
        }
        let (_, link) = self.link_again(header)?;
        (at != link.owner).then(|| Hop {
            port: self.legs().port(at, link.owner),
            vcs: self.source[0],
            header,
        })
    }
}

impl Ways for DragonflyWays {
    type Way = Way;

    #[inline(always)]
    fn port(&self, way: Way) -> Port {
        way.hop.port
    }

    #[inline(always)]
    fn link(&self, way: Way) -> u32 {
        way.link
    }

    #[inline(always)]
    fn hop(&self, _: Header, way: Way) -> Hop {
        way.hop
    }

    #[inline]
    fn only_minimal(&self, at: RouterId, header: Header) -> Option<Way> {
        match header.phase {
            AGAIN => Some(self.minimal(at, header, self.link_again(header)?)),
            _ => None,
        }
    }

    fn each_minimal(&self, at: RouterId, header: Header, each: &mut dyn FnMut(Way)) {
        match header.phase {
            AGAIN => {
                let link = self.link_again(header);
                link.into_iter()
                    .for_each(|link| each(self.minimal(at, header, link)));
            }
            _ => {
                let links = self.legs().usable_links(at, self.router_of(header));
                links.for_each(|link| each(self.minimal(at, header, link)));
            }
        }
    }

    #[inline]
    fn draw_minimal(&self, at: RouterId, header: Header, rng: &mut Random) -> Option<Way> {
        if header.phase == AGAIN {
            return self.only_minimal(at, header);
        }
        let link = self.legs().draw_link(at, self.router_of(header), rng)?;
        Some(self.minimal(at, header, link))
    }

    #[inline]
    fn draw_detour(&self, at: RouterId, header: Header, rng: &mut Random) -> Option<Way> {
        let to = self.router_of(header);
        let detour = self.detours.draw(at, to, self.detouring.by_router, rng)?;
        Some(self.detour(at, header, detour))
    }

    fn channels(&self, at: RouterId, way: Way) -> u32 {
        self.channels_over(
            at,
            way.link,
            way.hop.header.destination,
            way.hop.header.step,
        )
    }
}

impl Relation for DragonflyWays {
    fn two_phases(&self) -> Option<&dyn TwoPhases> {
        self.detours.two_phases()
    }

    fn virtual_channels(&self) -> Vc {
        self.plan.total
    }

    fn describe(&self) -> String {
        format!("{:?}, {:?}", self.detouring, self.plan)
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let legs = self.legs();
        if !endpoints::live(&legs.network, source, destination) {
            return None;
        }
        let routed = legs.complete || self.is_routed(source, destination);
        let header = Header {
            phase: SOURCE,
            ..Header::to(destination)
        };
        let vcs = self.plan.all();
        routed.then_some(Start { header, vcs })
    }

    #[inline(always)]
    fn only_hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        match header.phase {
            ..AGAIN => self.detours.only_hop(at, header),
            AGAIN => self.round(at, header),
            _ => self.diverted(at, header),
        }
    }

    #[inline]
    fn decides(&self, _: RouterId, header: Header) -> bool {
        header.phase == SOURCE || header.phase == AGAIN
    }

    #[inline(always)]
    fn judged<J: Judge>(
        &self,
        judge: &J,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let Some(known) = KnownWays::of(self, at, header) else {
            return self.judged_of_all(judge, at, header, sees, rng);
        };
        if !J::LOOKS_FIRST {
            let way = judge.choose(&known, at, header, sees, rng)?;
            return Some(known.hop(header, way));
        }
        let minimal = known.minimal();
        if judge.surely_minimal(&known, at, minimal, sees) {
            return Some(known.minimal_hop(header, minimal));
        }
        self.judged_after_looking(judge, at, header, sees, rng)
    }

    fn each_detour(&self, at: RouterId, header: Header, each: &mut dyn FnMut(Way)) {
        let all = self
            .detours
            .all(at, self.router_of(header), self.detouring.by_router);
        all.for_each(|detour| each(self.detour(at, header, detour)));
    }
}
