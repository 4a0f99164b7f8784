//! One step of one router: switch allocation, channel allocation, route computation, traversal.
//!
//! As in BookSim2, both allocators look at the state before the step; their effects, and
//! routes computed in it, count from the next step on. Hence the order below: the switch
//! is matched first but its winners move last.

use super::Simulation;
use super::matcher::{Pointers, Request};
use super::packets::Flit;
use super::state::{Arrival, Credit, OutVc, View, Wake};
use super::wiring::NOWHERE;
use crate::measure::Delivery;
use crate::outcome::Ending;
use turnwise_network::random::{Purpose, Random, mix};
use turnwise_network::{FlowControl, RouterId, VcSet};

/// Step `index` of `count` in this cycle, for speedups above one.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) index: u32,
    pub(super) count: u32,
}

impl Simulation<'_> {
    /// One allocation step of a router; `false` if its lanes want nothing any more.
    pub(super) fn step_router(&mut self, router: u32, step: Step) -> bool {
        let words = self.words(router);
        let (mut route, mut vc, mut switch) = (0, 0, 0);
        for wants in &self.state.wants[words.clone()] {
            route |= wants.route;
            vc |= wants.vc;
            switch |= wants.switch;
        }
        self.winners.clear();
        if switch != 0 {
            self.match_switch(router);
        }
        if vc != 0 {
            self.allocate_channels(router);
        }
        if route != 0 {
            self.route_heads(router);
        }
        let winners = std::mem::take(&mut self.winners);
        for &lane in &winners {
            self.traverse(router, lane, step);
        }
        self.winners = winners;
        self.state.wants[words].iter().any(|wants| wants.any())
    }

    #[inline]
    fn words(&self, router: u32) -> std::ops::Range<usize> {
        let begin = &self.wiring.mask_begin[router as usize..];
        begin[0] as usize..begin[1] as usize
    }

    #[inline]
    fn ports(&self, router: u32) -> std::ops::Range<usize> {
        let begin = &self.wiring.port_begin[router as usize..];
        begin[0] as usize..begin[1] as usize
    }

    /// Fills `winners` with the lanes whose flit crosses the switch in this step.
    fn match_switch(&mut self, router: u32) {
        let vcs = self.wiring.vcs;
        let ports = self.ports(router);
        let first_lane = ports.start as u32 * vcs;
        self.requests.clear();
        let words = self.words(router);
        let mut next_input = 0;
        for (word, wants) in words.clone().enumerate() {
            let mut bits = self.state.wants[wants].switch;
            while bits != 0 {
                let local = word as u32 * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                let input = self.input_of[local as usize];
                if u32::from(input) < next_input {
                    continue;
                }
                next_input = u32::from(input) + 1;
                self.request_switch(first_lane, ports.start, input, words.clone());
            }
        }
        let mut pointers = Pointers {
            grant: &mut self.state.switch_grant[ports.clone()],
            accept: &mut self.state.switch_accept[ports.clone()],
        };
        self.matches.clear();
        self.matcher.run(
            self.model.allocator,
            self.model.allocation_iterations,
            &self.requests,
            &mut pointers,
            &mut self.matches,
        );
        for &index in &self.matches {
            let Request { input, lane, .. } = self.requests[index as usize];
            let vc = u32::from(lane) - u32::from(input) * vcs + 1;
            self.state.lane_choice[ports.start + input as usize] = if vc == vcs { 0 } else { vc as u8 };
            self.winners.push(first_lane + u32::from(lane));
        }
    }

    /// Adds the requests of one input port: among its lanes that want the same output, the
    /// first in round-robin order asks.
    #[inline]
    fn request_switch(&mut self, first_lane: u32, first_port: usize, input: u16, words: std::ops::Range<usize>) {
        let vcs = self.wiring.vcs;
        let from = u32::from(input) * vcs;
        let ready = {
            let word = words.start + (from / 64) as usize;
            let low = self.state.wants[word].switch >> (from % 64);
            let high = match from % 64 {
                0 => 0,
                shift if word + 1 < words.end => self.state.wants[word + 1].switch << (64 - shift),
                _ => 0,
            };
            (low | high) & ((1u64 << vcs) - 1)
        };
        let choice = self.state.lane_choice[first_port + input as usize];
        let later = ready & (u64::MAX << choice);
        let begin = self.requests.len();
        for mut bits in [later, ready & !later] {
            while bits != 0 {
                let lane = from + bits.trailing_zeros();
                bits &= bits - 1;
                let output = self.state.lanes[(first_lane + lane) as usize].port;
                let taken = self.requests[begin..].iter().any(|request| request.output == output);
                if !taken && self.has_output_space(first_port + output as usize) {
                    self.requests.push(Request { input, output, lane: lane as u16 });
                }
            }
        }
    }

    #[inline]
    fn has_output_space(&self, port: usize) -> bool {
        let Some(limit) = self.model.output_buffer_flits else { return true };
        self.state.last_send[port].saturating_sub(self.now) < u64::from(limit)
    }

    /// Gives free output virtual channels to routed heads.
    fn allocate_channels(&mut self, router: u32) {
        let vcs = self.wiring.vcs;
        let ports = self.ports(router);
        let first_lane = ports.start as u32 * vcs;
        self.requests.clear();
        for (word, wants) in self.words(router).enumerate() {
            let mut bits = self.state.wants[wants].vc;
            while bits != 0 {
                let local = word as u32 * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                self.request_channels(ports.start, first_lane, local);
            }
        }
        let lanes = first_lane as usize..ports.end * vcs as usize;
        let mut pointers = Pointers {
            grant: &mut self.state.vc_grant[lanes.clone()],
            accept: &mut self.state.vc_accept[lanes],
        };
        self.matches.clear();
        self.matcher.run(
            self.model.allocator,
            self.model.allocation_iterations,
            &self.requests,
            &mut pointers,
            &mut self.matches,
        );
        let matches = std::mem::take(&mut self.matches);
        for &index in &matches {
            let Request { input, output, .. } = self.requests[index as usize];
            self.grant_channel(first_lane + u32::from(input), first_lane + u32::from(output));
        }
        self.matches = matches;
    }

    #[inline]
    fn request_channels(&mut self, first_port: usize, first_lane: u32, local: u32) {
        let lane = self.state.lanes[(first_lane + local) as usize];
        let port = first_port + lane.port as usize;
        let mut candidates = self.state.free[port] & lane.vcs;
        if candidates != 0 && self.model.flow_control != FlowControl::Wormhole {
            candidates = self.with_room(first_lane + local, port, candidates);
        }
        while candidates != 0 {
            let vc = candidates.trailing_zeros();
            candidates &= candidates - 1;
            let output = u32::from(lane.port) * self.wiring.vcs + vc;
            self.requests.push(Request { input: local as u16, output: output as u16, lane: 0 });
        }
    }

    /// Of these virtual channels of an output port, those with room for the lane's packet.
    fn with_room(&self, lane: u32, port: usize, candidates: u32) -> u32 {
        let flits = self.state.packets.get(self.state.front(lane).slot()).flits;
        let rule = self.room_rule();
        let first = port as u32 * self.wiring.vcs;
        VcSet(candidates).iter().map(u32::from).fold(0, |with_room, vc| {
            let needed = rule.needed(&self.wiring, lane, first + vc, flits);
            with_room | u32::from(self.state.outs[(first + vc) as usize].credits >= needed) << vc
        })
    }

    #[inline]
    fn grant_channel(&mut self, lane: u32, out: u32) {
        let vcs = self.wiring.vcs;
        self.state.outs[out as usize].owner = lane;
        self.state.free[(out / vcs) as usize] &= !(1 << (out % vcs));
        self.state.lanes[lane as usize].out = out;
        let ready = self.state.outs[out as usize].credits > 0;
        let delay = self.model.vc_allocation_delay;
        self.state.want(&self.wiring, lane, |wants, bit| {
            wants.vc &= !bit;
            if ready && delay == 1 {
                wants.switch |= bit;
            }
        });
        if delay > 1 {
            self.hold(lane, delay);
        }
    }

    /// Keeps a lane off the switch until a stage of several cycles is over.
    fn hold(&mut self, lane: u32, cycles: u32) {
        self.state.lanes[lane as usize].held = true;
        self.state.want(&self.wiring, lane, |wants, bit| wants.switch &= !bit);
        self.state.wakes.push(self.now + u64::from(cycles), Wake::Switch(lane));
    }

    /// Route computation for the heads that came to the front before this step.
    fn route_heads(&mut self, router: u32) {
        let first_lane = self.ports(router).start as u32 * self.wiring.vcs;
        for (word, wants) in self.words(router).enumerate() {
            let mut bits = std::mem::take(&mut self.state.wants[wants].route);
            while bits != 0 {
                let local = word as u32 * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                let lane = first_lane + local;
                if !self.route(router, lane) {
                    return;
                }
                match self.model.routing_delay {
                    0 | 1 => self.state.want(&self.wiring, lane, |wants, bit| wants.vc |= bit),
                    delay => self.state.wakes.push(self.now + u64::from(delay), Wake::Vc(lane)),
                }
            }
        }
    }

    /// Asks the algorithm where the packet at a lane's front goes; `false` if it is lost.
    #[inline]
    pub(super) fn route(&mut self, router: u32, lane: u32) -> bool {
        let slot = self.state.front(lane).slot();
        let packet = self.state.packets.get_mut(slot);
        let view = View { wiring: &self.wiring, outs: &self.state.outs, depth: self.state.depth };
        let mut dice = Random::new(self.seed, Purpose::Routing, packet.source.0, packet.sequence)
            .at_block(u32::from(packet.routers) << 8);
        let hop = self.routing.choose(RouterId(router), packet.header, &view, &mut dice);
        let Some(hop) = hop else {
            let (source, destination) = (packet.source, packet.header.destination);
            self.ending = Some(Ending::Lost { source, destination });
            return false;
        };
        if self.check {
            self.check_choice(router, slot, hop);
        }
        let packet = self.state.packets.get_mut(slot);
        packet.header = hop.header;
        packet.routers += 1;
        let lane = &mut self.state.lanes[lane as usize];
        lane.port = hop.port;
        lane.vcs = hop.vcs.0;
        true
    }

    /// Moves a lane's first flit through the switch onto its channel.
    #[inline]
    fn traverse(&mut self, router: u32, lane: u32, step: Step) {
        let vcs = self.wiring.vcs;
        let (first_port, last_port) = (self.wiring.port_begin[router as usize], self.wiring.port_begin[router as usize + 1]);
        debug_assert!((first_port * vcs..last_port * vcs).contains(&lane));
        let flit = self.state.front(lane);
        let at = &mut self.state.lanes[lane as usize];
        at.first = if u32::from(at.first) + 1 == self.state.depth { 0 } else { at.first + 1 };
        at.len -= 1;
        let (out, left) = (at.out, at.len);
        let port = (first_port + u32::from(at.port)) as usize;
        self.flit_hops += 1;
        self.last_progress = self.now;
        self.return_credit(lane / vcs, lane % vcs, flit.is_tail());
        let sent = self.send_time(port, step);
        let downstream = self.wiring.downstream[port];
        let arrives = sent + 1 + u64::from(downstream.latency);
        if downstream.first_lane == NOWHERE {
            // A terminal takes its flits up as they come and credits them at once.
            let back = arrives + 1 + u64::from(downstream.latency) + u64::from(self.model.credit_delay);
            self.state.credits.push(back, Credit::new(out, flit.is_tail()));
            self.eject(flit, arrives);
        } else {
            let target = downstream.first_lane + (out - port as u32 * vcs);
            self.state.arrivals.push(arrives, Arrival { lane: target, flit });
            if downstream.channel != NOWHERE && self.recorder.in_window(self.now) {
                self.state.channel_flits[downstream.channel as usize] += 1;
            }
        }
        let out_vc = &mut self.state.outs[out as usize];
        out_vc.credits -= 1;
        let can_go_on = out_vc.credits > 0 && left > 0;
        if flit.is_tail() {
            self.release(lane, port, out, left);
        } else if self.model.switch_allocation_delay > 1 {
            self.hold(lane, self.model.switch_allocation_delay);
        } else if !can_go_on {
            self.state.want(&self.wiring, lane, |wants, bit| wants.switch &= !bit);
        }
    }

    /// The tail has left a lane: its output virtual channel is free, the next packet comes to the front.
    #[inline]
    fn release(&mut self, lane: u32, port: usize, out: u32, left: u16) {
        let vcs = self.wiring.vcs;
        if self.model.wait_for_tail_credit {
            self.state.outs[out as usize].owner = OutVc::DRAINING;
        } else {
            self.state.outs[out as usize].owner = NOWHERE;
            self.state.free[port] |= 1 << (out % vcs);
        }
        let at = &mut self.state.lanes[lane as usize];
        at.out = NOWHERE;
        at.vcs = 0;
        self.state.want(&self.wiring, lane, |wants, bit| wants.switch &= !bit);
        if left > 0 {
            self.head_arrived(lane);
        }
    }

    /// A head flit has come to the front of a lane: it wants a route, or with look-ahead has one at once.
    #[inline]
    pub(super) fn head_arrived(&mut self, lane: u32) {
        if self.model.routing_delay > 0 {
            self.state.want(&self.wiring, lane, |wants, bit| wants.route |= bit);
        } else if self.route(self.wiring.home[lane as usize].router, lane) {
            self.state.want(&self.wiring, lane, |wants, bit| wants.vc |= bit);
        }
    }

    #[inline]
    fn return_credit(&mut self, port: u32, vc: u32, tail: bool) {
        let upstream = self.wiring.upstream[port as usize];
        let at = self.now + u64::from(upstream.credit_delay);
        self.state.credits.push(at, Credit::new(upstream.first_out + vc, tail));
    }

    /// The cycle in which a flit that crosses the switch now leaves the router.
    #[inline]
    fn send_time(&mut self, port: usize, step: Step) -> u64 {
        let stages = u64::from(self.model.switch_allocation_delay - 1 + self.model.switch_traversal_delay);
        // An earlier step of the same cycle saves one cycle of traversal.
        let early = u64::from(step.index + 1 < step.count && self.model.switch_traversal_delay > 0);
        let ready = self.now + stages - early;
        if self.model.speedup_permille == 1000 {
            return ready;
        }
        let last = &mut self.state.last_send[port];
        *last = ready.max(*last + 1);
        *last
    }

    #[inline]
    fn eject(&mut self, flit: Flit, arrived: u64) {
        self.recorder.flit_arrived(arrived);
        self.flits_delivered += 1;
        self.last_arrival = self.last_arrival.max(arrived);
        if !flit.is_tail() {
            return;
        }
        let packet = self.state.packets.remove(flit.slot());
        self.packets_delivered += 1;
        let destination = packet.header.destination;
        let minimal = self.minimal.map(|hops| hops(packet.source, destination));
        let delivery = Delivery {
            created: packet.created,
            injected: packet.injected,
            arrived,
            routers: packet.routers,
            nonminimal: minimal.is_some_and(|minimal| u32::from(packet.routers - 1) > minimal),
        };
        self.recorder.packet_delivered(&delivery);
        // A sum, so that the order of deliveries within a cycle does not matter.
        let who = u64::from(packet.source.0) << 32 | u64::from(packet.sequence);
        let what = u64::from(destination.0) << 32 | u64::from(packet.routers) << 16 | u64::from(packet.flits);
        let when = arrived.rotate_left(32) ^ packet.created;
        self.fingerprint = self.fingerprint.wrapping_add(mix(mix(mix(who) ^ what) ^ when));
    }
}
