//! Where the state of routers lies in memory.
//!
//! A router with up to 64 lanes is one [`Block`]: all that a step touches lies at fixed
//! distances from one address. Larger routers lie in arrays one behind the other.

use super::block::{Block, Lane, Masks, OutVc, PortState, WORD};
use super::extent::Extent;
use super::timeline::Timeline;
use super::unchecked::{Arena, Part};
use super::wiring::{NOWHERE, RouterWiring, Wiring};
use crate::model::RouterModel;

/// The state of all routers of a domain. `ONE_WORD`: none of them has more than 64 lanes.
#[derive(Clone, Debug)]
pub(super) struct Storage<const ONE_WORD: bool> {
    blocks: Part<Block>,
    /// The same for larger routers, as in [`Block`]; masks and parked heads `words` each.
    routers: Arena<RouterWiring>,
    words: u32,
    masks: Part<Masks>,
    outs: Part<OutVc>,
    lanes: Part<Lane>,
    parked: Part<u64>,
    ports: Part<PortState>,
}

/// Accessors of one kind of state: in a router's block, or in the array of all routers.
macro_rules! access {
    ($($(#[$doc:meta])* $get:ident, $get_mut:ident: $array:ident[$first:ident] -> $kind:ty;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub(super) fn $get(&self, router: u32, local: u32) -> &$kind {
            if ONE_WORD {
                return &self.blocks[router].$array[local as usize % WORD];
            }
            &self.$array[self.routers[router].$first + local]
        }

        #[inline(always)]
        pub(super) fn $get_mut(&mut self, router: u32, local: u32) -> &mut $kind {
            if ONE_WORD {
                return &mut self.blocks[router].$array[local as usize % WORD];
            }
            &mut self.$array[self.routers[router].$first + local]
        }
    )*};
}

impl<const ONE_WORD: bool> Storage<ONE_WORD> {
    pub(super) fn new(
        wiring: &Wiring,
        model: &RouterModel,
        timeline: &Timeline<ONE_WORD>,
        extent: &Extent,
        mine: &dyn Fn(u32) -> bool,
    ) -> Self {
        let plan = Plan {
            wiring,
            model,
            timeline,
            mine,
        };
        let mut storage = Self {
            blocks: Part::default(),
            routers: wiring.routers.clone(),
            words: wiring.words,
            masks: Part::default(),
            outs: Part::default(),
            lanes: Part::default(),
            parked: Part::default(),
            ports: Part::default(),
        };
        let routers = extent.routers.clone().map(|router| &wiring.routers[router]);
        if ONE_WORD {
            let blocks = routers.map(|at| plan.block(at));
            storage.blocks = Part::new(extent.routers.start, blocks.collect());
            return storage;
        }
        // Arrays that grow would leave pieces behind that are as large together.
        let (mut outs, mut lanes) = (
            Vec::with_capacity(extent.lanes.len()),
            Vec::with_capacity(extent.lanes.len()),
        );
        let mut ports = Vec::with_capacity(extent.ports.len());
        for at in routers {
            let new = ports.len();
            ports.extend((0..at.ports).map(|port| plan.port(at, port)));
            for (port, state) in ports[new..].iter().enumerate() {
                for vc in 0..wiring.stride {
                    outs.push(plan.out(at, port as u32, state, vc));
                    lanes.push(plan.lane(at, port, state, vc));
                }
            }
        }
        storage.masks = Part::filled(Extent::words(&extent.routers, wiring), Masks::NOTHING);
        storage.parked = Part::filled(Extent::words(&extent.ports, wiring), 0);
        storage.outs = Part::new(extent.lanes.start, outs);
        storage.lanes = Part::new(extent.lanes.start, lanes);
        storage.ports = Part::new(extent.ports.start, ports);
        storage
    }

    access! {
        /// A lane of a router.
        lane, lane_mut: lanes[first_lane] -> Lane;
        /// An output virtual channel of a router.
        out, out_mut: outs[first_lane] -> OutVc;
        /// A port of a router.
        port, port_mut: ports[first_port] -> PortState;
    }

    /// All output virtual channels of a router; behind them may be some that hold nothing.
    #[inline(always)]
    pub(super) fn outs(&self, router: u32) -> &[OutVc] {
        if ONE_WORD {
            return &self.blocks[router].outs;
        }
        let at = self.routers[router];
        let lanes = at.first_lane..at.first_lane + at.lanes;
        self.outs.get_range(lanes).unwrap_or_default()
    }

    /// A router with up to 64 lanes, as there are if `ONE_WORD`.
    #[inline(always)]
    pub(super) fn block(&mut self, router: u32) -> &mut Block {
        debug_assert!(ONE_WORD);
        &mut self.blocks[router]
    }

    /// A mask word of a router.
    #[inline(always)]
    pub(super) fn masks(&self, router: u32, word: u32) -> &Masks {
        if ONE_WORD {
            return &self.blocks[router].masks;
        }
        &self.masks[router * self.words + word]
    }

    #[inline(always)]
    pub(super) fn masks_mut(&mut self, router: u32, word: u32) -> &mut Masks {
        if ONE_WORD {
            return &mut self.blocks[router].masks;
        }
        &mut self.masks[router * self.words + word]
    }

    /// The parked heads of a port, in one of the router's mask words.
    #[inline(always)]
    fn parked_mut(&mut self, router: u32, port: u32, word: u32) -> &mut u64 {
        if ONE_WORD {
            return &mut self.blocks[router].parked[port as usize % WORD];
        }
        &mut self.parked[(self.routers[router].first_port + port) * self.words + word]
    }

    /// Parks a head until one of its port's virtual channels is released.
    #[inline(never)]
    pub(super) fn park(&mut self, router: u32, local: u32) {
        let port = self.lane(router, local).port;
        *self.parked_mut(router, port.into(), local / 64) |= 1 << (local % 64);
    }

    /// Lets the parked heads of a port compete again.
    #[inline(always)]
    pub(super) fn unpark(&mut self, router: u32, port: u32) {
        for word in 0..if ONE_WORD { 1 } else { self.words } {
            let parked = self.parked_mut(router, port, word);
            if *parked != 0 {
                let heads = std::mem::take(parked);
                self.masks_mut(router, word).heads |= heads;
            }
        }
    }
}

/// What the initial state is computed from.
struct Plan<'a, const ONE_WORD: bool> {
    wiring: &'a Wiring,
    model: &'a RouterModel,
    timeline: &'a Timeline<ONE_WORD>,
    /// Is a router simulated by this domain?
    mine: &'a dyn Fn(u32) -> bool,
}

impl<const ONE_WORD: bool> Plan<'_, ONE_WORD> {
    fn block(&self, at: &RouterWiring) -> Block {
        let ports: [PortState; WORD] = std::array::from_fn(|port| match (port as u32) < at.ports {
            true => self.port(at, port as u32),
            false => PortState::ABSENT,
        });
        let of = |local: usize| {
            let port = local >> self.wiring.shift;
            (port, &ports[port], local as u32 % self.wiring.stride)
        };
        Block {
            masks: Masks::NOTHING,
            lanes: std::array::from_fn(|local| {
                let (port, state, vc) = of(local);
                self.lane(at, port, state, vc)
            }),
            outs: std::array::from_fn(|local| {
                let (port, state, vc) = of(local);
                self.out(at, port as u32, state, vc)
            }),
            parked: [0; WORD],
            ports,
        }
    }

    fn lane(&self, at: &RouterWiring, input: usize, port: &PortState, vc: u32) -> Lane {
        let out = port.sender_out + vc;
        let (credit_offset, credit_bit) = match port.sender {
            NOWHERE => (
                NOWHERE,
                u64::from((port.sender_out << self.wiring.shift) + vc),
            ),
            sender if (self.mine)(sender) => {
                let offset = self.timeline.offset(port.credit_delay, sender);
                (offset, 1 << (out % 64))
            }
            _ => (NOWHERE, 0),
        };
        Lane {
            want: 0,
            claim: 0,
            stored: 0,
            left: 0,
            port: 0,
            input: input as u16,
            slot: NOWHERE,
            out: NOWHERE,
            accept: at.lanes.wrapping_sub(1),
            credit_offset,
            credit_bit,
            asked: Lane::WAITS,
        }
    }

    fn out(&self, at: &RouterWiring, output: u32, port: &PortState, vc: u32) -> OutVc {
        // A block has places for more ports than its router.
        let depth = match output < at.ports {
            true => self.wiring.downstream[(at.first_port + output) as usize].depth as u16,
            false => 0,
        };
        let lane = port.next_lane.wrapping_add(vc);
        let (flit_offset, target) = match port.next_router {
            NOWHERE => (NOWHERE, NOWHERE),
            next => {
                let offset = match (self.mine)(next) {
                    true => self.timeline.offset(port.delay, next),
                    false => NOWHERE,
                };
                (offset, self.wiring.queue::<ONE_WORD>(next, lane))
            }
        };
        OutVc {
            flit_bit: 1 << (lane % 64),
            flit_offset,
            target,
            credits: depth,
            depth,
            grant: at.lanes.wrapping_sub(1),
            owner: NOWHERE,
        }
    }

    fn port(&self, at: &RouterWiring, port: u32) -> PortState {
        let (wiring, model) = (self.wiring, self.model);
        let index = (at.first_port + port) as usize;
        let (downstream, upstream) = (wiring.downstream[index], wiring.upstream[index]);
        let (next_router, first_lane) = wiring.place(downstream.first_lane);
        let terminal = wiring.sending_terminal(upstream.first_out);
        let next_lane = match next_router {
            NOWHERE => terminal.map_or(NOWHERE, |terminal| terminal << wiring.shift),
            _ => first_lane,
        };
        let (sender, sender_out) = match terminal {
            Some(terminal) => (NOWHERE, terminal),
            None => wiring.place(upstream.first_out),
        };
        let stages = model.switch_allocation_delay - 1 + model.switch_traversal_delay;
        PortState {
            grant: at.ports.wrapping_sub(1) as u16,
            accept: at.ports.wrapping_sub(1) as u16,
            choice: (wiring.stride - 1) as u16,
            interval: downstream.interval as u16,
            sent: 0,
            delay: stages + 1 + downstream.latency,
            credit_delay: upstream.credit_delay,
            next_router,
            next_lane,
            sender,
            sender_out,
            echo: 1 + downstream.latency + model.credit_delay,
            awaiting: 0,
        }
    }
}
