//! The ways of a megafly: minimally, or by another group.
//!
//! A packet decides at its source's leaf. That chooses the link between groups, and thereby the spine. If it is *progressive*, one that
//! goes minimally decides again at that spine, for the last time, between the spine's own links to the destination group and its own
//! links to third groups, whose queues are seen there.
//!
//! A detour is over any link to a third group. Where it goes on from there is drawn there ([`Turning::Arrival`]): from a random leaf over a
//! random link, or by a link that the spine it arrives at has to the destination group, if `gg_shortcut` allows it. Or the source
//! says by which leaf ([`Turning::Leaf`]) or link ([`Turning::Links`]).
//!
//! **Classes.** Minimal ways and detours up to the turning point have class 0, detours from there on class 1: see
//! `megafly_detours`. A second decision changes nothing in it, because neither way has gone down before it. Two virtual channels are free
//! of deadlock.
//!
//! **Faults.** Who finds only minimal ways, or only detours, takes them.

use super::ways::{Relation, Way, Ways};
use crate::algorithm::Context;
use crate::common::draw;
use crate::common::endpoints;
use crate::common::vc_plan::VcPlan;
use crate::grouped::draw_group::BLIND_DRAWS;
use crate::grouped::links::{GroupLink, GroupLinks, NO_LINK};
use crate::grouped::megafly_detours::MegaflyDetours;
use crate::grouped::megafly_draws::Turning;
use crate::grouped::megafly_legs::MegaflyLegs;
use crate::grouped::phases::{AGAIN, MINIMAL, SOURCE};
use crate::grouped::via::{DetourVia, MISSED_LEAF, wrong_shortcut, wrong_via};
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Megafly;
use turnwise_network::{
    Header, Hop, Invalid, Network, Port, RouterId, Start, TerminalId, Vc, VcSet,
};

/// The default threshold of a megafly's algorithms, in flits.
pub(crate) const THRESHOLD: i32 = 0;

/// Where packets of a megafly decide, and about what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deciding {
    pub(crate) turning: Turning,
    /// At the source's leaf? If not, they go minimally up, if they can.
    pub(crate) at_leaf: bool,
    /// Again at the spine above, if they go minimally?
    pub(crate) at_spine: bool,
}

pub(crate) struct MegaflyWays {
    detours: MegaflyDetours,
    plan: VcPlan,
    deciding: Deciding,
}

impl MegaflyWays {
    /// # Errors
    /// Virtual channels that the router does not have.
    pub(crate) fn new(
        name: &str,
        network: &Arc<Network>,
        shape: &Megafly,
        deciding: Deciding,
        virtual_channels: Option<Vc>,
        context: &Context<'_>,
    ) -> Result<Self, Invalid> {
        let plan = VcPlan::new(name, virtual_channels, 2, context)?;
        let detours = MegaflyDetours::new(network, shape, plan, deciding.turning);
        Ok(Self {
            detours,
            plan,
            deciding,
        })
    }

    pub(crate) fn links(&self) -> &GroupLinks {
        &self.legs().links
    }

    /// The virtual channels that minimal packets have between groups.
    pub(crate) fn minimal_vcs(&self) -> VcSet {
        self.plan.class(0, 2)
    }

    fn legs(&self) -> &MegaflyLegs {
        self.detours.legs()
    }

    /// The first hop of a minimal way by a link.
    #[inline]
    fn minimal(&self, at: RouterId, header: Header, (number, link): (u32, GroupLink)) -> Way {
        let hop = match self.legs().is_leaf(at) {
            true => {
                let phase = match self.deciding.at_spine {
                    true => AGAIN,
                    false => MINIMAL,
                };
                let header = Header {
                    phase,
                    via: number + 1,
                    ..header
                };
                self.detours.up(link.owner, 0, header)
            }
            false => self.detours.minimal(header, link),
        };
        Way { hop, link: number }
    }

    /// The first hop of a detour.
    #[inline]
    fn detour(&self, at: RouterId, header: Header, (number, step): (u32, u32)) -> Option<Way> {
        let hop = match self.legs().is_leaf(at) {
            true => self.detours.up_detour(header, (number, step))?,
            false => {
                let link = self.legs().links.get(number)?;
                self.detours.first(Header { step, ..header }, link)
            }
        };
        Some(Way { hop, link: number })
    }

    /// A random link of a spine to a third group, and the step of the header.
    fn draw_own(&self, at: RouterId, to: RouterId, rng: &mut Random) -> Option<(u32, u32)> {
        let (legs, draws) = (self.legs(), &self.detours.draws);
        for _ in 0..BLIND_DRAWS {
            let (number, link) = legs.links.draw_owned(at, rng)?;
            let (group, there) = (legs.group(link.peer), legs.group(to));
            if group != there
                && let Some(step) = draws.draw_step(group, there, rng)
                && draws.continues(link.peer, step, to)
            {
                return Some((number, step));
            }
        }
        draw::among(draws.all(at, to), rng)
    }

    /// Does it leave its source's group and has not done so yet?
    fn leaves(&self, at: RouterId, header: Header) -> bool {
        let inside = || self.legs().group(at) == self.legs().group(self.detours.router_of(header));
        matches!(header.phase, SOURCE | AGAIN) && !inside()
    }

    fn has_minimal(&self, at: RouterId, header: Header) -> bool {
        let to = self.detours.router_of(header);
        self.legs().complete || self.legs().usable_links(at, to).next().is_some()
    }
}

/// Where detours of a megafly go by these options.
///
/// # Errors
/// By a router, and a shortcut where a leaf is drawn.
pub(crate) fn turning(via: Option<DetourVia>, shortcut: bool) -> Result<Turning, Invalid> {
    match via {
        None | Some(DetourVia::Group) => Ok(Turning::Arrival { shortcut }),
        Some(DetourVia::Leaf) if shortcut => Err(wrong_shortcut(MISSED_LEAF)),
        Some(DetourVia::Leaf) => Ok(Turning::Leaf),
        Some(DetourVia::Router) => Err(wrong_via(
            "a megafly's routers are leaves and spines",
            "\"group\" and \"leaf\"",
        )),
    }
}

fn inside(hop: Hop) -> Way {
    Way { hop, link: NO_LINK }
}

impl Ways for MegaflyWays {
    type Way = Way;
    const GOES_UP: bool = true;

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

    fn each_minimal(&self, at: RouterId, header: Header, each: &mut dyn FnMut(Way)) {
        let to = self.detours.router_of(header);
        let mut minimal = |link| each(self.minimal(at, header, link));
        match header.phase {
            AGAIN => self.detours.draws.own_links(at, to).for_each(minimal),
            SOURCE if self.leaves(at, header) => {
                self.legs().usable_links(at, to).for_each(&mut minimal);
            }
            _ => self
                .detours
                .each_onward(at, header, |hop| each(inside(hop))),
        }
    }

    #[inline]
    fn draw_minimal(&self, at: RouterId, header: Header, rng: &mut Random) -> Option<Way> {
        let link = match header.phase {
            AGAIN => {
                let number = header.via.checked_sub(1)?;
                (number, self.legs().links.get(number)?)
            }
            SOURCE if self.leaves(at, header) => {
                let to = self.detours.router_of(header);
                self.legs().draw_link(at, to, rng)?
            }
            _ => return self.detours.draw_onward(at, header, rng).map(inside),
        };
        Some(self.minimal(at, header, link))
    }

    #[inline]
    fn draw_detour(&self, at: RouterId, header: Header, rng: &mut Random) -> Option<Way> {
        if !self.leaves(at, header) {
            return None;
        }
        let to = self.detours.router_of(header);
        let detour = match header.phase {
            AGAIN => self.draw_own(at, to, rng)?,
            _ => self.detours.draws.draw(at, to, rng)?,
        };
        self.detour(at, header, detour)
    }

    fn channels(&self, at: RouterId, way: Way) -> u32 {
        let (legs, to) = (self.legs(), self.detours.router_of(way.hop.header));
        let Some(first) = legs.links.get(way.link) else {
            return 2;
        };
        let up = u32::from(legs.is_leaf(at));
        if legs.group(first.peer) == legs.group(to) {
            return up + 2;
        }
        let straight = match self.onward(way).and_then(|number| legs.links.get(number)) {
            Some(second) => second.owner == first.peer,
            None => self
                .detours
                .draws
                .shortcuts(first.peer, to)
                .next()
                .is_some(),
        };
        up + if straight { 3 } else { 5 }
    }

    #[inline]
    fn onward(&self, way: Way) -> Option<u32> {
        let says = self.deciding.turning == Turning::Links && way.link != NO_LINK;
        let second = way.hop.header.step.checked_sub(1);
        second.filter(|_| says)
    }
}

impl Relation for MegaflyWays {
    fn virtual_channels(&self) -> Vc {
        self.plan.total
    }

    fn describe(&self) -> String {
        format!("{:?}, {:?}", self.deciding, self.plan)
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let legs = self.legs();
        if !endpoints::live(&legs.network, source, destination) {
            return None;
        }
        let (from, to) = (
            legs.network.router_of(source),
            legs.network.router_of(destination),
        );
        let header = Header {
            phase: SOURCE,
            ..Header::to(destination)
        };
        let mut detours = self.detours.draws.all(from, to);
        let routed = legs.connects(from, to)
            || legs.group(from) != legs.group(to) && detours.next().is_some();
        let vcs = self.plan.all();
        routed.then_some(Start { header, vcs })
    }

    #[inline(always)]
    fn only_hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.detours.only_hop(at, header)
    }

    #[inline]
    fn decides(&self, at: RouterId, header: Header) -> bool {
        match header.phase {
            AGAIN => true,
            SOURCE if self.deciding.at_leaf => true,
            SOURCE => self.leaves(at, header) && !self.has_minimal(at, header),
            _ => false,
        }
    }

    fn each_detour(&self, at: RouterId, header: Header, each: &mut dyn FnMut(Way)) {
        if self.leaves(at, header) {
            let all = self.detours.draws.all(at, self.detours.router_of(header));
            let ways = all.filter_map(|detour| self.detour(at, header, detour));
            ways.for_each(each);
        }
    }
}
