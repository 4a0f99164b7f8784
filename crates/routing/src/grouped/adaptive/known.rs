//! The ways of a packet that decides on a dragonfly where everything lives and one link joins each pair of groups.
//!
//! Then the table of ways says how the packet leaves for whatever group: nothing is looked for. Most decisions are of this kind, and
//! most of what they cost would be to look whether they are. So this is found out once for each.

use super::dragonfly::DragonflyWays;
use super::ways::{Way, Ways};
use crate::common::draw;
use crate::grouped::dragonfly_detours::DragonflyDetours;
use crate::grouped::dragonfly_legs::Way as Out;
use crate::grouped::draw_group::draw_group;
use crate::grouped::phases::{AGAIN, ARRIVED, DIVERTED, FIRST, SECOND, SOURCE};
use turnwise_network::random::Random;
use turnwise_network::{Header, Hop, RouterId, Start, TerminalId, Vc};

pub(super) struct KnownWays<'a> {
    ways: &'a DragonflyWays,
    /// How packets leave the router for each group.
    out: &'a [Out],
    /// The packet's group, and that of its destination.
    here: u32,
    there: u32,
}

impl<'a> KnownWays<'a> {
    /// Of a packet that decides here and has more than one way; `None` where they are not all in the table.
    #[inline(always)]
    pub(super) fn of(ways: &'a DragonflyWays, at: RouterId, header: Header) -> Option<Self> {
        let legs = ways.legs();
        let out = legs.ways_from(at)?;
        let (here, there) = (legs.group(at), legs.target(header.destination).group);
        let decides = match header.phase {
            SOURCE => here != there,
            phase => phase == AGAIN,
        };
        decides.then_some(Self {
            ways,
            out,
            here,
            there,
        })
    }

    /// How it leaves for another group, and the link's number.
    #[inline(always)]
    fn out(&self, group: u32) -> (Out, u32) {
        let links = &self.ways.legs().links;
        (
            self.out[group as usize],
            links.first_between(self.here, group),
        )
    }
}

impl Ways for KnownWays<'_> {
    fn virtual_channels(&self) -> Vc {
        self.ways.virtual_channels()
    }

    fn relation(&self) -> String {
        self.ways.relation()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.ways.start(source, destination)
    }

    fn only_hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.ways.only_hop(at, header)
    }

    fn decides(&self, at: RouterId, header: Header) -> bool {
        self.ways.decides(at, header)
    }

    #[inline(always)]
    fn only_minimal(&self, _: RouterId, header: Header) -> Option<Way> {
        let (out, link) = self.out(self.there);
        let decides_again = self.ways.detouring.progressive && header.phase == SOURCE;
        let hop = match decides_again && out.global() == 0 {
            true => Hop {
                port: out.port(),
                vcs: self.ways.source[0],
                header: Header {
                    phase: AGAIN,
                    via: link + 1,
                    ..header
                },
            },
            false => (self.ways.detours).leave(out, DragonflyDetours::minimal(header)),
        };
        Some(Way { hop, link })
    }

    fn each_minimal(&self, at: RouterId, header: Header, each: &mut dyn FnMut(Way)) {
        self.ways.each_minimal(at, header, each);
    }

    fn each_detour(&self, at: RouterId, header: Header, each: &mut dyn FnMut(Way)) {
        self.ways.each_detour(at, header, each);
    }

    #[inline(always)]
    fn draw_minimal(&self, at: RouterId, header: Header, _: &mut Random) -> Option<Way> {
        self.only_minimal(at, header)
    }

    /// Whichever group is drawn, there is a way to it.
    #[inline(always)]
    fn draw_detour(&self, _: RouterId, header: Header, rng: &mut Random) -> Option<Way> {
        let legs = self.ways.legs();
        let group = draw_group(self.out.len() as u32, self.here, self.there, rng)?;
        let by_router = self.ways.detouring.by_router;
        let step = match by_router {
            true => {
                let routers = legs.routers_of(group);
                routers.start + draw::below(routers.end - routers.start, rng) + 1
            }
            false => 0,
        };
        let (out, link) = self.out(group);
        let (again, leaves) = (header.phase == AGAIN, out.global() == 1);
        let (phase, via) = match (leaves, again) {
            (true, _) if by_router => (ARRIVED, 0),
            (true, _) => (SECOND, 0),
            (false, true) => (DIVERTED, link + 1),
            (false, false) if by_router => (FIRST, 0),
            (false, false) => (FIRST, link + 1),
        };
        let hop = Hop {
            port: out.port(),
            vcs: self.ways.source[usize::from(again || leaves)],
            header: Header {
                phase,
                via,
                step,
                ..header
            },
        };
        Some(Way { hop, link })
    }

    fn channels(&self, at: RouterId, way: Way) -> u32 {
        let Header {
            destination, step, ..
        } = way.hop.header;
        self.ways.channels_over(at, way.link, destination, step)
    }
}
