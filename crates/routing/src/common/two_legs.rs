//! Routes by an intermediate router, a leg to it and a leg on.
//!
//! The source draws the intermediate router and writes it into the header (`Header::via`, its number
//! plus 1). The second leg has virtual channels of its own.

use crate::common::draw;
use crate::common::endpoints;
use crate::common::vc_plan::VcPlan;
use std::fmt::Debug;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, Network, RouterId, Routing, Start, TerminalId, TwoPhases, Vc,
};

/// The leg to the intermediate router.
pub(crate) const TO_IT: usize = 0;
/// The leg from there.
pub(crate) const ONWARD: usize = 1;

/// How packets get from router to router on each of two legs.
pub(crate) trait Legs: Send + Sync {
    fn network(&self) -> &Network;

    fn plan(&self) -> &VcPlan;

    /// What a packet on this leg may do next; nothing if it is at the leg's end, two things at a tie.
    fn hops(&self, leg: usize, at: RouterId, to: RouterId, header: Header) -> [Option<Hop>; 2];

    /// Can a packet on this leg still get from one router to another?
    fn reaches(&self, leg: usize, from: RouterId, to: RouterId) -> bool;

    /// Does every leg reach every router?
    fn is_complete(&self) -> bool;

    /// May a packet have two things to do?
    fn has_ties(&self) -> bool;

    /// Channels of a leg between two routers that it connects.
    fn distance(&self, from: RouterId, to: RouterId) -> u32;

    /// What sets these legs apart from others of the same network.
    fn words(&self) -> impl Debug;

    fn memory_bytes(&self) -> u64 {
        0
    }
}

/// Which routers a packet may go by, all with the same probability.
pub(crate) trait Intermediates<L>: Send + Sync {
    /// Which, in words.
    const WORDS: &'static str;

    /// Are they the same for every pair?
    const ARE_SAME: bool = false;

    /// How many ways to choose one there are.
    fn count(&self, legs: &L, from: RouterId, to: RouterId) -> u32;

    /// The intermediate router of one of these ways.
    fn nth(&self, legs: &L, from: RouterId, to: RouterId, n: u32) -> RouterId;
}

/// Any router of the network.
pub(crate) struct Anywhere;

impl<L: Legs> Intermediates<L> for Anywhere {
    const WORDS: &'static str = "any router";
    const ARE_SAME: bool = true;

    fn count(&self, legs: &L, _: RouterId, _: RouterId) -> u32 {
        legs.network().router_count() as u32
    }

    fn nth(&self, _: &L, _: RouterId, _: RouterId, n: u32) -> RouterId {
        RouterId(n)
    }
}

/// `Header::phase` at the source.
pub(crate) const SOURCE: u8 = 0;
/// On the way to the intermediate router.
const FIRST: u8 = 1;
/// On the way from there.
const SECOND: u8 = 2;

/// How often to draw blindly on a network with faults before looking at everything that survives.
const BLIND_DRAWS: u32 = 16;

pub(crate) struct TwoLegs<L, I> {
    pub(crate) legs: L,
    pub(crate) intermediates: I,
}

impl<L: Legs, I: Intermediates<L>> TwoLegs<L, I> {
    /// Those by which the destination can be reached.
    fn usable(&self, from: RouterId, to: RouterId) -> impl Iterator<Item = RouterId> + Clone {
        (0..self.intermediates.count(&self.legs, from, to))
            .map(move |n| self.intermediates.nth(&self.legs, from, to, n))
            .filter(move |&via| self.leads_on(from, via, to))
    }

    fn leads_on(&self, from: RouterId, via: RouterId, to: RouterId) -> bool {
        self.legs.reaches(TO_IT, from, via) && self.legs.reaches(ONWARD, via, to)
    }

    /// An intermediate router by which the destination can be reached.
    pub(crate) fn draw(&self, from: RouterId, to: RouterId, rng: &mut Random) -> Option<RouterId> {
        let count = self.intermediates.count(&self.legs, from, to);
        for _ in 0..BLIND_DRAWS {
            let n = draw::below(count, rng);
            let via = self.intermediates.nth(&self.legs, from, to, n);
            if self.leads_on(from, via, to) {
                return Some(via);
            }
        }
        draw::among(self.usable(from, to), rng)
    }

    /// What a packet at its source may do that goes by this router.
    pub(crate) fn by(&self, at: RouterId, header: Header, via: RouterId) -> [Option<Hop>; 2] {
        let header = TwoPhases::by(self, at, header, via);
        self.hops(at, header)
    }

    /// Where the packet goes in the end.
    #[inline]
    pub(crate) fn to(&self, header: Header) -> RouterId {
        self.legs.network().router_of(header.destination)
    }

    /// What a packet may do that knows its way: one thing, or two at a tie.
    #[inline]
    fn hops(&self, at: RouterId, header: Header) -> [Option<Hop>; 2] {
        let Some(via) = header.via.checked_sub(1).map(RouterId) else {
            return self.legs.hops(ONWARD, at, self.to(header), header);
        };
        // Whoever comes to its intermediate router need not remember it any longer.
        let arrive = |hop: Hop| match self.legs.network().next_router(at, hop.port) == Some(via) {
            true => Hop {
                header: Header {
                    phase: SECOND,
                    via: 0,
                    ..hop.header
                },
                ..hop
            },
            false => hop,
        };
        self.legs
            .hops(TO_IT, at, via, header)
            .map(|hop| hop.map(arrive))
    }

    /// Has the packet come to its end?
    fn is_over(&self, at: RouterId, header: Header) -> bool {
        header.via == 0 && at == self.to(header)
    }

    fn ejection(&self, header: Header) -> Hop {
        endpoints::ejection(self.legs.network(), header, self.legs.plan().all())
    }
}

impl<L: Legs, I: Intermediates<L>> TwoPhases for TwoLegs<L, I> {
    fn intermediates(&self) -> Vec<RouterId> {
        let any = RouterId(0);
        let all = 0..self.intermediates.count(&self.legs, any, any);
        all.map(|n| self.intermediates.nth(&self.legs, any, any, n))
            .collect()
    }

    #[inline]
    fn by(&self, at: RouterId, header: Header, intermediate: RouterId) -> Header {
        match intermediate == at {
            true => Header {
                phase: SECOND,
                ..header
            },
            false => Header {
                phase: FIRST,
                via: intermediate.0 + 1,
                ..header
            },
        }
    }
}

impl<L: Legs, I: Intermediates<L>> Routing for TwoLegs<L, I> {
    fn two_phases(&self) -> Option<&dyn TwoPhases> {
        (I::ARE_SAME && self.legs.is_complete()).then_some(self as &dyn TwoPhases)
    }

    fn virtual_channels(&self) -> Vc {
        self.legs.plan().total
    }

    fn memory_bytes(&self) -> u64 {
        self.legs.memory_bytes()
    }

    fn relation(&self) -> Option<String> {
        Some(format!("by {}, {:?}", I::WORDS, self.legs.words()))
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let connected = |from, to| {
            from == to || self.legs.is_complete() || self.usable(from, to).next().is_some()
        };
        let vcs = self.legs.plan().all();
        endpoints::start(self.legs.network(), source, destination, vcs, connected)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        if self.is_over(at, header) {
            return options.push(self.ejection(header));
        }
        if header.phase != SOURCE {
            return options.extend(self.hops(at, header).into_iter().flatten());
        }
        // Every intermediate router has the same weight, whether or not its first hop is a tie.
        let ties = self.legs.has_ties();
        for via in self.usable(at, self.to(header)) {
            draw::add_as_one(self.by(at, header, via), ties, options);
        }
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        if self.is_over(at, header) {
            return Some(self.ejection(header));
        }
        let hops = match header.phase {
            SOURCE => {
                let via = self.draw(at, self.to(header), rng)?;
                self.by(at, header, via)
            }
            _ => self.hops(at, header),
        };
        draw::one_of_two(hops, rng)
    }

    fn decides_at_source(&self) -> bool {
        true
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        if self.is_over(at, header) {
            return Some(self.ejection(header));
        }
        match header.phase {
            SOURCE => None,
            _ => draw::only_of_two(self.hops(at, header)),
        }
    }
}
