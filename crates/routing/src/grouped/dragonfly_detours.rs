//! Routes of a dragonfly that may make a detour: what Valiant's and adaptive routing share.
//!
//! Whatever is drawn or decided is drawn or decided at the source and written into the header.
//! From there on there is but one thing to do at every router, which depends on the phase
//! (`Header::phase`), the drawn link (`via`) and the intermediate router (`step`).

use crate::grouped::dragonfly_legs::{DragonflyLegs, Way};
use crate::grouped::dragonfly_phases::Apart;
use crate::grouped::links::GroupLink;
use crate::grouped::phases::{ARRIVED, COUNT, FIRST, LAST, SECOND, SOURCE};
use turnwise_network::random::Random;
use turnwise_network::{Header, Hop, RouterId, VcSet};

/// Virtual channels by the phase of the packet that takes them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DetourClasses {
    /// Of local channels to the owner of a global link, and of that link.
    pub(crate) leaving: [[VcSet; 2]; COUNT],
    /// Of local channels to the intermediate router or, in other phases than that, to the destination.
    pub(crate) arriving: [VcSet; COUNT],
    pub(crate) ejection: [VcSet; COUNT],
}

impl DetourClasses {
    /// Six local and global channels one after the other, and classes that only ever rise: of the
    /// source group and the first link, of the way to the intermediate router, of the way to the
    /// second link and that link, and of the destination group. Ejection channels take `all`.
    pub(crate) fn rising(classes: [VcSet; 4], all: VcSet) -> Self {
        let [source, intermediate, onward, destination] = classes;
        Self {
            leaving: [source, source, onward, onward, onward].map(|vcs| [vcs; 2]),
            arriving: [source, source, intermediate, destination, destination],
            ejection: [all; COUNT],
        }
    }
}

/// The bookkeeping of detours.
pub(crate) struct DragonflyDetours {
    pub(crate) legs: DragonflyLegs,
    pub(crate) classes: DetourClasses,
    /// May a packet make a detour to a router of its own group?
    pub(crate) inside_groups: bool,
    /// Of detours by router that are decided for at the source, once.
    pub(crate) apart: Option<Apart>,
}

impl DragonflyDetours {
    /// The hop, where there is only one; `None` where one is drawn at random or chosen by congestion.
    #[inline(always)]
    pub(crate) fn only_hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        match header.phase {
            ARRIVED => self.hop_near_intermediate(at, header),
            // Nothing is drawn for it yet.
            SOURCE if self.legs.target(header.destination).group != self.legs.group(at) => None,
            _ => self.hop_elsewhere(at, header),
        }
    }

    /// To the intermediate router, or from there on.
    #[inline(never)]
    fn hop_near_intermediate(&self, at: RouterId, header: Header) -> Option<Hop> {
        let router = RouterId(header.step.checked_sub(1)?);
        if router == at {
            return self.hop_elsewhere(at, Self::minimal(header));
        }
        Some(Hop {
            port: self.legs.port(at, router),
            vcs: self.classes.arriving[usize::from(ARRIVED)],
            header,
        })
    }

    /// Out of a group by the only link, or to the destination inside its group.
    #[inline(always)]
    fn hop_elsewhere(&self, at: RouterId, header: Header) -> Option<Hop> {
        let to = self.legs.target(header.destination);
        let phase = usize::from(header.phase.min(LAST));
        if header.phase == FIRST || header.phase == SECOND {
            let group = match header.phase == SECOND {
                true => to.group,
                false if header.step == 0 => return self.drawn_hop(at, header),
                false => self.legs.group(RouterId(header.step - 1)),
            };
            if let Some(way) = self.legs.way(at, group) {
                return Some(self.leave(way, header));
            }
            // A packet that goes by another group to its own does not stop where it comes by.
            if header.phase == FIRST {
                return self.drawn_hop(at, header);
            }
        }
        let here = self.legs.place(at);
        if here.group != to.group {
            return self.drawn_hop(at, header);
        }
        let (port, vcs) = if at == to.router {
            (to.port, &self.classes.ejection)
        } else if header.phase >= SECOND || header.phase == SOURCE && !self.inside_groups {
            (
                self.legs.port_from(here, at, to.router),
                &self.classes.arriving,
            )
        } else {
            return self.drawn_hop(at, header);
        };
        let vcs = vcs[phase];
        Some(Hop { port, vcs, header })
    }

    /// Out of the group by the only link, of a packet on its way to its first or second one.
    #[inline(always)]
    pub(crate) fn leave(&self, way: Way, header: Header) -> Hop {
        let (phase, global) = (usize::from(header.phase.min(LAST)), way.global());
        Hop {
            port: way.port(),
            vcs: self.classes.leaving[phase][usize::from(global)],
            header: Header {
                phase: header.phase + global,
                via: 0,
                ..header
            },
        }
    }

    /// The hop over the link that the header remembers, if it does.
    #[inline(never)]
    fn drawn_hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let here = self.legs.group(at);
        let group = match header.phase {
            // A packet to wherever the link ends does not even know the group.
            FIRST if header.step == 0 && header.via == 0 => return None,
            FIRST if header.step != 0 => self.legs.group(RouterId(header.step - 1)),
            _ => self.legs.target(header.destination).group,
        };
        let link = self.legs.known_link(header.via, here, group)?;
        Some(self.towards(at, header, link))
    }

    /// The next hop on the way over the first or second link.
    fn towards(&self, at: RouterId, header: Header, link: GroupLink) -> Hop {
        let leaving = self.classes.leaving[usize::from(header.phase.min(LAST))];
        if at != link.owner {
            return Hop {
                port: self.legs.port(at, link.owner),
                vcs: leaving[0],
                header,
            };
        }
        let phase = match header.phase {
            FIRST if header.step == 0 => SECOND,
            phase => phase + 1,
        };
        Hop {
            port: link.port,
            vcs: leaving[1],
            header: Header {
                phase,
                via: 0,
                ..header
            },
        }
    }

    /// What the header says on a detour, to a certain router or (`None`) to wherever the link ends.
    #[inline]
    pub(crate) fn detour(header: Header, router: Option<RouterId>) -> Header {
        Header {
            phase: FIRST,
            step: router.map_or(0, |router| router.0 + 1),
            ..header
        }
    }

    /// What the header says of a packet that goes minimally from here.
    #[inline]
    pub(crate) fn minimal(header: Header) -> Header {
        Header {
            phase: SECOND,
            step: 0,
            ..header
        }
    }

    /// The first hop over a link, whose number the header remembers unless there is no other.
    #[inline]
    pub(crate) fn depart(
        &self,
        at: RouterId,
        header: Header,
        (number, link): (u32, GroupLink),
    ) -> Hop {
        let via = number + 1;
        let drawn = || self.towards(at, Header { via, ..header }, link);
        self.only_hop(at, header).unwrap_or_else(drawn)
    }

    /// The links to other groups whose owners a packet can reach, with their numbers.
    pub(crate) fn first_links(
        &self,
        at: RouterId,
    ) -> impl Iterator<Item = (u32, GroupLink)> + Clone {
        let legs = &self.legs;
        let links = legs.links.leaving(legs.group(at));
        let links = links.filter_map(|number| Some((number, legs.links.get(number)?)));
        links.filter(move |&(_, link)| legs.reaches(at, link.owner))
    }

    /// Does a packet that arrives at `peer` come to an intermediate router, and minimally on from there?
    pub(crate) fn leads_on(&self, peer: RouterId, router: RouterId, to: RouterId) -> bool {
        self.legs.reaches(peer, router) && self.legs.connects(router, to)
    }

    /// The first hops of all ways that go minimally from here to another group.
    pub(crate) fn minimal_hops(
        &self,
        at: RouterId,
        header: Header,
    ) -> impl Iterator<Item = Hop> + Clone {
        let (to, header) = (self.legs.target(header.destination), Self::minimal(header));
        let links = self.legs.usable_links(at, to.router);
        links.map(move |link| self.depart(at, header, link))
    }

    /// One of these, each with the same probability.
    #[inline(always)]
    pub(crate) fn draw_minimal_hop(
        &self,
        at: RouterId,
        header: Header,
        rng: &mut Random,
    ) -> Option<Hop> {
        let only = self.only_hop(at, Self::minimal(header));
        only.or_else(|| self.draw_one_of_several(at, header, rng))
    }

    #[inline(never)]
    fn draw_one_of_several(&self, at: RouterId, header: Header, rng: &mut Random) -> Option<Hop> {
        let (to, header) = (self.legs.target(header.destination), Self::minimal(header));
        let link = self.legs.draw_link(at, to.router, rng)?;
        Some(self.depart(at, header, link))
    }
}
