//! Detours by router as routes in two phases, for who proves these apart.

use crate::grouped::dragonfly_detours::DragonflyDetours;
use crate::grouped::phases::ARRIVED;
use turnwise_network::{Header, RouterId, TwoPhases};

/// What packets do whose phases can be told apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Apart {
    /// May they go minimally as well?
    pub(crate) goes_minimally: bool,
    /// May they go by routers of their destination's group?
    pub(crate) by_destinations: bool,
}

impl DragonflyDetours {
    /// Where something has failed, not every router can be gone by, and where several links join two groups, by some of them more often than
    /// by others: then phases are not told apart.
    pub(crate) fn two_phases(&self) -> Option<&dyn TwoPhases> {
        let is_whole = self.legs.complete && self.legs.links.are_one_each();
        let are_apart = self.apart.is_some() && !self.inside_groups && is_whole;
        are_apart.then_some(self as &dyn TwoPhases)
    }
}

impl TwoPhases for DragonflyDetours {
    fn intermediates(&self) -> Vec<RouterId> {
        self.legs.network.routers().collect()
    }

    fn by(&self, at: RouterId, header: Header, intermediate: RouterId) -> Header {
        let detour = Self::detour(header, Some(intermediate));
        match at == intermediate {
            true => Header {
                phase: ARRIVED,
                ..detour
            },
            false => detour,
        }
    }

    fn direct(&self, header: Header) -> Option<Header> {
        let may = self.apart.is_some_and(|apart| apart.goes_minimally);
        may.then(|| Self::minimal(header))
    }

    fn kind(&self, router: RouterId) -> u32 {
        self.legs.group(router)
    }

    fn excludes(&self) -> [bool; 2] {
        let may = self.apart.is_some_and(|apart| apart.by_destinations);
        [true, !may]
    }
}
