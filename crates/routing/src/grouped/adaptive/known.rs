//! The ways of a packet that decides on a dragonfly where everything lives and one link joins each pair of groups.
//!
//! Then the table of ways says how the packet leaves for whatever group: nothing is looked for. Most decisions are of this kind, and
//! most of what they cost would be to look whether they are. So this is found out once for each.

use super::dragonfly::DragonflyWays;
use super::ways::Ways;
use crate::common::draw;
use crate::grouped::dragonfly_detours::DragonflyDetours;
use crate::grouped::dragonfly_legs::Way as Out;
use crate::grouped::draw_group::draw_group;
use crate::grouped::phases::{AGAIN, ARRIVED, DIVERTED, FIRST, SECOND, SOURCE};
use turnwise_network::random::Random;
use turnwise_network::{Header, Hop, Port, RouterId, TerminalId};

pub(super) struct KnownWays<'a> {
    ways: &'a DragonflyWays,
    /// How packets leave the router for the destination's group.
    out: Out,
    /// The packet's group, and that of its destination.
    here: u32,
    there: u32,
    destination: TerminalId,
}

/// A way by what tells it from the others.
#[derive(Clone, Copy)]
pub(super) struct KnownWay {
    out: Out,
    is_minimal: bool,
    /// The group that its first global channel leads to.
    group: u32,
    /// The intermediate router's number plus 1, if it goes by one.
    step: u32,
}

impl<'a> KnownWays<'a> {
    /// Of a packet that decides here and has more than one way; `None` where they are not all in the table.
    #[inline(always)]
    pub(super) fn of(ways: &'a DragonflyWays, at: RouterId, header: Header) -> Option<Self> {
        if header.phase != SOURCE && header.phase != AGAIN {
            return None;
        }
        let (legs, destination) = (ways.legs(), header.destination);
        let (here, there) = (legs.group(at), legs.target(destination).group);
        // There is no way out to its own group.
        let out = legs.way(at, there)?;
        Some(Self {
            ways,
            out,
            here,
            there,
            destination,
        })
    }

    #[inline(always)]
    pub(super) fn minimal(&self) -> KnownWay {
        KnownWay {
            out: self.out,
            is_minimal: true,
            group: self.there,
            step: 0,
        }
    }

    #[inline(always)]
    pub(super) fn minimal_hop(&self, header: Header, way: KnownWay) -> Hop {
        let decides_again = self.ways.detouring.progressive && header.phase == SOURCE;
        match decides_again && way.out.global() == 0 {
            true => Hop {
                port: way.out.port(),
                vcs: self.ways.source[0],
                header: Header {
                    phase: AGAIN,
                    via: self.link(way) + 1,
                    ..header
                },
            },
            false => (self.ways.detours).leave(way.out, DragonflyDetours::minimal(header)),
        }
    }

    #[inline(always)]
    fn detour_hop(&self, header: Header, way: KnownWay) -> Hop {
        let (again, leaves) = (header.phase == AGAIN, way.out.global() == 1);
        let by_router = self.ways.detouring.by_router;
        let (phase, remembers_link) = match (leaves, again) {
            (true, _) if by_router => (ARRIVED, false),
            (true, _) => (SECOND, false),
            (false, true) => (DIVERTED, true),
            (false, false) => (FIRST, !by_router),
        };
        Hop {
            port: way.out.port(),
            vcs: self.ways.source[usize::from(again || leaves)],
            header: Header {
                phase,
                via: match remembers_link {
                    true => self.link(way) + 1,
                    false => 0,
                },
                step: way.step,
                ..header
            },
        }
    }
}

impl Ways for KnownWays<'_> {
    type Way = KnownWay;

    #[inline(always)]
    fn port(&self, way: KnownWay) -> Port {
        way.out.port()
    }

    #[inline(always)]
    fn link(&self, way: KnownWay) -> u32 {
        self.ways.legs().links.first_between(self.here, way.group)
    }

    #[inline(always)]
    fn hop(&self, header: Header, way: KnownWay) -> Hop {
        match way.is_minimal {
            true => self.minimal_hop(header, way),
            false => self.detour_hop(header, way),
        }
    }

    #[inline(always)]
    fn only_minimal(&self, _: RouterId, _: Header) -> Option<KnownWay> {
        Some(self.minimal())
    }

    fn each_minimal(&self, _: RouterId, _: Header, each: &mut dyn FnMut(KnownWay)) {
        each(self.minimal());
    }

    #[inline(always)]
    fn draw_minimal(&self, _: RouterId, _: Header, _: &mut Random) -> Option<KnownWay> {
        Some(self.minimal())
    }

    /// Whichever group is drawn, there is a way to it.
    #[inline(always)]
    fn draw_detour(&self, at: RouterId, _: Header, rng: &mut Random) -> Option<KnownWay> {
        let legs = self.ways.legs();
        let group = draw_group(legs.links.groups(), self.here, self.there, rng)?;
        let step = match self.ways.detouring.by_router {
            true => {
                let routers = legs.routers_of(group);
                routers.start + draw::below(routers.end - routers.start, rng) + 1
            }
            false => 0,
        };
        Some(KnownWay {
            out: legs.way(at, group)?,
            is_minimal: false,
            group,
            step,
        })
    }

    #[inline(always)]
    fn channels(&self, at: RouterId, way: KnownWay) -> u32 {
        (self.ways).channels_over(at, self.link(way), self.destination, way.step)
    }
}
