//! The decision at the source where detours go by any router; all else is Valiant's routing.
//!
//! A minimal packet is one whose intermediate router is its source or its destination, so that one of its legs is empty. It takes the leg
//! whose virtual channels there are emptier, and so it does of two ways around a ring that are equally long.

use crate::common::draw;
use crate::common::two_legs::{Intermediates, Legs, SOURCE, TwoLegs};
use crate::common::visible::Thresholds;
use crate::grouped::adaptive::rule::HopModel;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, RouterId, Routing, Start, TerminalId, TwoPhases, Vc, VcSet,
};

pub(super) struct UgalAtSource<L, I> {
    pub(super) legs: TwoLegs<L, I>,
    pub(super) hops: HopModel,
    pub(super) thresholds: Thresholds,
}

impl<L: Legs, I: Intermediates<L>> UgalAtSource<L, I> {
    /// The emptiest minimal way, if any survives.
    fn minimal(
        &self,
        (at, to): (RouterId, RouterId),
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let ways = [at, to].map(|via| self.legs.by(at, header, via));
        let ways = ways.into_iter().flatten().flatten();
        draw::least(ways, |hop| sees.occupancy(hop.port, hop.vcs), rng)
    }
}

impl<L: Legs, I: Intermediates<L>> Routing for UgalAtSource<L, I> {
    fn choose(
        &self,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let to = self.legs.to(header);
        if header.phase != SOURCE || at == to {
            return self.legs.choose(at, header, sees, rng);
        }
        let legs = &self.legs.legs;
        let queue = |hop: &Hop| i64::from(sees.occupancy(hop.port, VcSet::EVERY));
        let minimal = self.minimal((at, to), header, sees, rng);
        // What it has beyond what it may have for nothing.
        let its = minimal.map(|hop| queue(&hop) - self.thresholds.of(at, hop.port));
        if its.is_some_and(|its| its <= 0) {
            // No detour's queue is shorter than none.
            return minimal;
        }
        let via = self.legs.draw(at, to, rng)?;
        let Some(its) = its else {
            return draw::one_of_two(self.legs.by(at, header, via), rng);
        };
        if via == at || via == to {
            return minimal;
        }
        let detour = draw::one_of_two(self.legs.by(at, header, via), rng)?;
        let its = its * self.hops.count(1, || legs.distance(at, to));
        let channels = || legs.distance(at, via) + legs.distance(via, to);
        let that = queue(&detour) * self.hops.count(2, channels);
        match its > that {
            true => Some(detour),
            false => minimal,
        }
    }

    fn virtual_channels(&self) -> Vc {
        self.legs.virtual_channels()
    }

    fn two_phases(&self) -> Option<&dyn TwoPhases> {
        self.legs.two_phases()
    }

    fn memory_bytes(&self) -> u64 {
        self.legs.memory_bytes()
    }

    fn relation(&self) -> Option<String> {
        self.legs.relation()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.legs.start(source, destination)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.legs.options(at, header, options);
    }

    fn decides_at_source(&self) -> bool {
        true
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.legs.settled(at, header)
    }
}
