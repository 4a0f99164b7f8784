//! Registers behind the stages of an input: for each virtual channel one flit in route computation, one in
//! virtual-channel allocation and one in switch allocation.
//!
//! A flit enters the first register when that is free, at the end of a cycle, and its slot of the buffer is credited
//! then. So while a packet crosses the switch the next head is routed, and buffers do not hold what is inside the stages. So in
//! SuperSim (McDonald et al., ISPASS 2018). Routers without registers allocate nothing here.

use super::block::{Lane, WORD};
use super::extent::Extent;
use super::unchecked::Part;
use super::wiring::{NOWHERE, Wiring};
use crate::model::RouterModel;
use turnwise_network::Header;

/// What one of the first two registers holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    Nothing,
    /// A flit that follows its head.
    Body,
    /// A head without a route, of the packet that entered last.
    Head,
    /// A head that is routed.
    Routed,
}

/// What a head is told by route computation, until its lane is free for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Route {
    want: u64,
    claim: u64,
    slot: u32,
    left: u16,
    port: u16,
    asked: Header,
}

impl Route {
    const NONE: Self = Self {
        want: 0,
        claim: 0,
        slot: NOWHERE,
        left: 0,
        port: 0,
        asked: Lane::WAITS,
    };

    /// The route that has been written to a lane.
    pub(super) fn of(lane: &Lane) -> Self {
        Self {
            want: lane.want,
            claim: lane.claim,
            slot: lane.slot,
            left: lane.left,
            port: lane.port,
            asked: lane.asked,
        }
    }

    /// Writes it to the lane.
    pub(super) fn apply(self, lane: &mut Lane) {
        (lane.want, lane.claim) = (self.want, self.claim);
        (lane.slot, lane.left, lane.port) = (self.slot, self.left, self.port);
        lane.asked = self.asked;
    }
}

/// The registers of one virtual channel of an input: what is looked at in every cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stages {
    /// Flits in the buffer, which have entered no register.
    pub(super) buffered: u16,
    /// Flits of the packet whose head entered last that are still to enter.
    pub(super) coming: u16,
    /// That packet; [`NOWHERE`] if it has left.
    pub(super) entered: u32,
    /// In route computation.
    pub(super) routing: Held,
    /// In virtual-channel allocation.
    pub(super) allocation: Held,
    /// Does the head in there compete? Not while a flit waits for the switch before it.
    pub(super) competes: bool,
    /// Is there a flit in switch allocation?
    pub(super) switch: bool,
}

impl Stages {
    const EMPTY: Self = Self {
        buffered: 0,
        coming: 0,
        entered: NOWHERE,
        routing: Held::Nothing,
        allocation: Held::Nothing,
        competes: false,
        switch: false,
    };
}

/// The registers of a domain's routers.
#[derive(Clone, Debug)]
pub(super) struct Registers {
    /// By the numbers of lanes among all.
    lanes: Part<Stages>,
    /// The routes of the heads in the first two registers.
    routes: Part<[Route; 2]>,
    /// By router and mask word: lanes in whose registers something may move in this cycle.
    moving: Part<u64>,
    words: u32,
}

impl Registers {
    /// Empty registers, if the model has any.
    pub(super) fn new(wiring: &Wiring, model: &RouterModel, extent: &Extent) -> Self {
        let (lanes, words) = match model.has_registers() {
            true => (extent.lanes.clone(), Extent::words(&extent.routers, wiring)),
            false => (0..0, 0..0),
        };
        Self {
            lanes: Part::filled(lanes.clone(), Stages::EMPTY),
            routes: Part::filled(lanes, [Route::NONE; 2]),
            moving: Part::filled(words, 0),
            words: wiring.words,
        }
    }

    #[inline]
    pub(super) fn of(&mut self, lane: u32) -> &mut Stages {
        &mut self.lanes[lane]
    }

    /// Where the routes of the heads in a lane's first two registers are.
    #[inline]
    pub(super) fn routes(&mut self, lane: u32) -> &mut [Route; 2] {
        &mut self.routes[lane]
    }

    /// Flits of a lane that hold a slot of its buffer; `None` in routers without registers.
    pub(super) fn buffered(&self, lane: u32) -> Option<u16> {
        Some(self.lanes.get(lane)?.buffered)
    }

    /// Lanes of a mask word in whose registers something may move.
    pub(super) fn moving(&mut self, router: u32, word: u32) -> &mut u64 {
        &mut self.moving[router * self.words + word]
    }

    /// May anything move in a router's registers?
    pub(super) fn any_moves(&self, router: u32) -> bool {
        let words = router * self.words..(router + 1) * self.words;
        self.moving
            .get_range(words)
            .is_some_and(|words| words.iter().any(|&word| word != 0))
    }
}

/// Bytes of registers for each lane of a router that has them.
pub(super) const BYTES: u64 = (size_of::<Stages>() + size_of::<[Route; 2]>() + WORD / 8) as u64;
