//! Channel allocation: which routed heads get which output virtual channels in this step.
//!
//! iSLIP with one iteration on routers of up to 64 lanes works on masks; everything else
//! goes through the general matcher.

use super::super::matcher::{Request, after, distance};
use super::super::state::ChannelPointers;
use super::super::wiring::RouterWiring;
use super::{Routers, Scratch, bit, first_from};
use turnwise_network::{FlowControl, VcSet};

impl<const ONE_WORD: bool> Routers<'_, '_, ONE_WORD> {
    /// Gives free output virtual channels to routed heads.
    ///
    /// A lane asks for channels of one output port only, so ports are matched independently.
    #[inline(always)]
    pub(super) fn allocate_channels(&mut self, router: u32, at: RouterWiring) {
        for word in 0..self.words() {
            for_bits!(bit in self.wants[(router * self.words() + word) as usize].vc_ports, {
                let port = word * 64 + bit;
                if self.ports[(at.first_port + port) as usize].free != 0 {
                    let heads = self.masks[((at.first_port + port) * self.words()) as usize].heads;
                    if ONE_WORD && heads & (heads - 1) == 0 {
                        self.allocate_alone(router, at, heads.trailing_zeros(), port);
                    } else {
                        self.allocate_among(router, at, port);
                    }
                }
            });
        }
    }

    /// The only lane at an output port takes the free virtual channel whose turn it is.
    #[inline(always)]
    fn allocate_alone(&mut self, router: u32, at: RouterWiring, local: u32, port: u32) {
        let candidates = self.candidates(at, local, port);
        if candidates != 0 {
            let turn = u32::from(self.lanes[(at.first_lane + local) as usize].accept);
            let vc = first_from(candidates, turn.wrapping_sub(port * self.vcs));
            self.give_channel(router, at, local, port, vc, true);
        }
    }

    /// Several lanes at an output port.
    #[inline(never)]
    fn allocate_among(&mut self, router: u32, at: RouterWiring, port: u32) {
        if ONE_WORD && self.simple {
            self.allocate_by_masks(router, at, port);
        } else {
            self.allocate_by_requests(router, at, port);
        }
    }

    /// iSLIP on masks: every virtual channel grants a lane, every lane accepts one of its grants.
    fn allocate_by_masks(&mut self, router: u32, at: RouterWiring, port: u32) {
        let first_out = port * self.vcs;
        let mut wanted_by = [0u64; VcSet::CAPACITY as usize];
        let mut wanted = 0;
        for_bits!(local in self.masks[(at.first_port + port) as usize].heads, {
            let candidates = self.candidates(at, local, port);
            wanted |= candidates;
            for_bits!(vc in u64::from(candidates), {
                wanted_by[vc as usize % wanted_by.len()] |= bit(local);
            });
        });
        let mut granted = 0u64;
        let mut taken = [0u8; 64];
        for_bits!(vc in u64::from(wanted), {
            let lanes = wanted_by[vc as usize % wanted_by.len()];
            let turn = u32::from(self.outs[(at.first_lane + first_out + vc) as usize].grant);
            let later = lanes & (u64::MAX << (turn % 64));
            let local = if later != 0 { later } else { lanes }.trailing_zeros();
            let accept = self.lanes[(at.first_lane + local) as usize].accept;
            let behind = |vc: u32| distance((first_out + vc) as u16, accept, at.lanes);
            let held = &mut taken[local as usize % 64];
            if granted & bit(local) == 0 || behind(vc) < behind(u32::from(*held)) {
                *held = vc as u8;
            }
            granted |= bit(local);
        });
        for_bits!(local in granted, {
            let vc = u32::from(taken[local as usize % 64]);
            self.give_channel(router, at, local, port, vc, true);
        });
    }

    /// The same by the general matcher, for large routers and other allocators.
    fn allocate_by_requests(&mut self, router: u32, at: RouterWiring, port: u32) {
        self.scratch.requests.clear();
        let first = (at.first_port + port) * self.words();
        for word in 0..self.words() {
            for_bits!(bit in self.masks[(first + word) as usize].heads, {
                let local = word * 64 + bit;
                for_bits!(vc in u64::from(self.candidates(at, local, port)), {
                    let output = (port * self.vcs + vc) as u16;
                    self.scratch.requests.push(Request { input: local as u16, output, lane: 0 });
                });
            });
        }
        let Scratch {
            requests,
            matches,
            matcher,
            ..
        } = &mut *self.scratch;
        let lanes = at.lane_range();
        let mut pointers = ChannelPointers {
            outs: &mut self.outs[lanes.clone()],
            lanes: &mut self.lanes[lanes],
        };
        matcher.run(
            self.model.allocator,
            self.model.allocation_iterations,
            requests,
            &mut pointers,
            matches,
        );
        for index in 0..self.scratch.matches.len() {
            let Request { input, output, .. } =
                self.scratch.requests[self.scratch.matches[index] as usize];
            self.give_channel(
                router,
                at,
                u32::from(input),
                port,
                u32::from(output) - port * self.vcs,
                false,
            );
        }
    }

    /// The output virtual channels that a routed head may take now.
    #[inline(always)]
    fn candidates(&self, at: RouterWiring, local: u32, port: u32) -> u32 {
        let lane = at.first_lane + local;
        let port = at.first_port + port;
        let candidates = self.ports[port as usize].free & self.lanes[lane as usize].vcs;
        if candidates == 0 || self.rule.flow_control == FlowControl::Wormhole {
            return candidates;
        }
        self.with_room(lane, port, candidates)
    }

    /// Of these virtual channels of an output port, those with room for the lane's packet.
    fn with_room(&self, lane: u32, port: u32, candidates: u32) -> u32 {
        let flits = self.packets.get(self.front(lane).slot()).flits;
        let first = port * self.vcs;
        VcSet(candidates)
            .iter()
            .map(u32::from)
            .fold(0, |with_room, vc| {
                let needed = self.rule.needed(self.wiring, lane, first + vc, flits);
                with_room
                    | u32::from(u32::from(self.outs[(first + vc) as usize].credits) >= needed) << vc
            })
    }

    /// Hands an output virtual channel to a head; `advance` moves the round-robin pointers.
    #[inline(always)]
    fn give_channel(
        &mut self,
        router: u32,
        at: RouterWiring,
        local: u32,
        local_port: u32,
        vc: u32,
        advance: bool,
    ) {
        let port = at.first_port + local_port;
        let out = port * self.vcs + vc;
        let lane = at.first_lane + local;
        self.ports[port as usize].free &= !(1 << vc);
        let given = &mut self.outs[out as usize];
        let taker = &mut self.lanes[lane as usize];
        given.owner = lane;
        taker.out = out;
        if advance {
            given.grant = after(local as u16, at.lanes);
            taker.accept = after((out - at.first_lane) as u16, at.lanes);
        }
        let ready = given.credits > 0 && self.model.vc_allocation_delay == 1;
        let word = self.mask_word(port, local);
        let masks = &mut self.masks[word];
        masks.heads &= !bit(local);
        if ready {
            masks.ready |= bit(local);
        }
        let none_left = if ONE_WORD {
            masks.heads == 0
        } else {
            !self.any(port, |masks| masks.heads)
        };
        let wants = &mut self.wants
            [(router * if ONE_WORD { 1 } else { self.wiring.words } + local_port / 64) as usize];
        if none_left {
            wants.vc_ports &= !bit(local_port);
        }
        if ready {
            wants.switch_ports |= bit(local_port);
        }
        if self.model.vc_allocation_delay > 1 {
            self.hold(lane, self.model.vc_allocation_delay);
        }
    }
}
