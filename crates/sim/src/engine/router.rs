//! One step of the routers: switch allocation, channel allocation, route computation, traversal.
//!
//! As in BookSim2, both allocators look at the state before the step; their effects, and
//! routes computed in it, count from the next step on. Hence the order in
//! [`Routers::step`]: the switch is matched first but its winners move last. With
//! look-ahead (`routing_delay = 0`) routes are computed before the allocators.

use super::Totals;
use super::matcher::{Matcher, Request, after};
use super::packets::{Flit, Packets};
use super::state::{
    Arrival, ChannelPointers, Credit, Lane, OutVc, PortState, SwitchPointers, View, Wake, Wants,
};
use super::wheel::Wheel;
use super::wiring::{Downstream, NOWHERE, RoomRule, RouterWiring, Upstream, Wiring};
use crate::measure::{Delivery, Recorder};
use crate::model::RouterModel;
use turnwise_network::random::{Purpose, Random, mix};
use turnwise_network::{FlowControl, Header, Hop, RouterId, Routing, TerminalId, VcSet};

/// Step `index` of `count` in this cycle, for speedups above one.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) index: u32,
    pub(super) count: u32,
}

/// What a step of any router may touch, borrowed once a cycle: slices in registers are
/// what makes the loop fast. `ONE_WORD` says that no router has more than 64 lanes.
pub(super) struct Routers<'s, 'a, const ONE_WORD: bool> {
    pub(super) now: u64,
    pub(super) step: Step,
    pub(super) vcs: u32,
    pub(super) depth: u32,
    pub(super) seed: u64,
    pub(super) check: bool,
    pub(super) rule: RoomRule,
    pub(super) model: &'s RouterModel,
    pub(super) routing: &'a dyn Routing,
    pub(super) minimal: Option<super::MinimalHops<'a>>,
    pub(super) wiring: &'s Wiring,
    pub(super) downstream: &'s [Downstream],
    pub(super) upstream: &'s [Upstream],
    pub(super) input_of: &'s [u16],
    pub(super) lanes: &'s mut [Lane],
    pub(super) held: &'s mut [bool],
    pub(super) flits: &'s [Flit],
    pub(super) outs: &'s mut [OutVc],
    pub(super) ports: &'s mut [PortState],
    pub(super) last_send: &'s mut [u64],
    pub(super) wants: &'s mut [Wants],
    pub(super) channel_flits: &'s mut [u32],
    pub(super) packets: &'s mut Packets,
    pub(super) arrivals: &'s mut Wheel<Arrival>,
    pub(super) credits: &'s mut Wheel<Credit>,
    pub(super) wakes: &'s mut Wheel<Wake>,
    pub(super) recorder: &'s mut Recorder,
    pub(super) totals: &'s mut Totals,
    pub(super) scratch: &'s mut Scratch,
}

/// Lists that a step with conflicts fills anew.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    requests: Vec<Request>,
    matches: Vec<u32>,
    matcher: Matcher,
}

impl Scratch {
    /// For routers of at most `most` lanes.
    pub(super) fn new(most: usize) -> Self {
        Self { matcher: Matcher::new(most), ..Self::default() }
    }
}

/// Runs a block for every one of a word, ascending, with its position.
macro_rules! for_bits {
    ($bit:ident in $word:expr, $block:block) => {
        let mut rest: u64 = $word;
        while rest != 0 {
            let $bit = rest.trailing_zeros();
            rest &= rest - 1;
            $block
        }
    };
}

/// A lane's bit in its mask word.
#[inline(always)]
fn bit(local: u32) -> u64 {
    1 << (local % 64)
}

/// Ports seen once, and ports seen again; ports 64 apart are taken for the same, which
/// only sends them to the matcher.
#[derive(Clone, Copy, Default)]
struct Ports {
    seen: u64,
    again: u64,
}

impl Ports {
    #[inline(always)]
    fn add(&mut self, port: u16) {
        let bit = 1 << (port % 64);
        self.again |= self.seen & bit;
        self.seen |= bit;
    }

    #[inline(always)]
    fn is_single(self, port: u16) -> bool {
        self.again >> (port % 64) & 1 == 0
    }
}

impl<const ONE_WORD: bool> Routers<'_, '_, ONE_WORD> {
    /// One allocation step of a router; `false` if its lanes want nothing any more.
    #[inline(always)]
    pub(super) fn step(&mut self, router: u32) -> bool {
        let at = self.wiring.routers[router as usize];
        let look_ahead = self.model.routing_delay == 0;
        if look_ahead {
            self.route_heads(router, at);
        }
        self.match_switch(at);
        self.allocate_channels(at);
        if !look_ahead {
            self.route_heads(router, at);
        }
        let mut busy = false;
        for word in 0..Self::words(at) {
            let index = at.word_at(word);
            let winners = std::mem::take(&mut self.wants[index].wins);
            for_bits!(bit in winners, {
                self.traverse(at, word * 64 + bit);
            });
            busy |= self.wants[index].any();
        }
        busy
    }

    #[inline(always)]
    fn words(at: RouterWiring) -> u32 {
        if ONE_WORD { 1 } else { at.word_count() }
    }

    /// Marks the lanes whose flit crosses the switch in this step.
    ///
    /// A lane that shares neither its input nor its output with another one wins at once;
    /// the matching falls apart into independent pieces, of which these are the smallest.
    #[inline(always)]
    fn match_switch(&mut self, at: RouterWiring) {
        let (mut inputs, mut outputs) = (Ports::default(), Ports::default());
        for word in 0..Self::words(at) {
            let ready = self.wants[at.word_at(word)].switch;
            if ONE_WORD && ready & ready.wrapping_sub(1) == 0 {
                if ready != 0 {
                    self.win_unopposed(at, ready.trailing_zeros());
                }
                return;
            }
            for_bits!(bit in ready, {
                let local = word * 64 + bit;
                inputs.add(self.input_of[local as usize]);
                outputs.add(self.lanes[(at.first_lane + local) as usize].port);
            });
        }
        if inputs.again | outputs.again != 0 {
            self.match_conflicting(at, inputs, outputs);
            return;
        }
        for word in 0..Self::words(at) {
            for_bits!(bit in self.wants[at.word_at(word)].switch, {
                self.win_unopposed(at, word * 64 + bit);
            });
        }
    }

    #[inline(always)]
    fn win_unopposed(&mut self, at: RouterWiring, local: u32) {
        let input = self.input_of[local as usize];
        let output = self.lanes[(at.first_lane + local) as usize].port;
        if self.has_output_space(at.first_port + u32::from(output)) {
            self.ports[(at.first_port + u32::from(output)) as usize].grant = after(input, at.port_count());
            self.ports[(at.first_port + u32::from(input)) as usize].accept = after(output, at.port_count());
            self.win(at, local, input);
        }
    }

    #[inline(always)]
    fn win(&mut self, at: RouterWiring, local: u32, input: u16) {
        let next = (local + 1 - u32::from(input) * self.vcs) as u16;
        let port = &mut self.ports[(at.first_port + u32::from(input)) as usize];
        port.choice = if u32::from(next) == self.vcs { 0 } else { next };
        self.wants[at.word(local)].wins |= bit(local);
    }

    #[inline(never)]
    fn match_conflicting(&mut self, at: RouterWiring, inputs: Ports, outputs: Ports) {
        self.scratch.requests.clear();
        let mut asked = u32::MAX;
        for word in 0..Self::words(at) {
            for_bits!(bit in self.wants[at.word_at(word)].switch, {
                let local = word * 64 + bit;
                let (input, output) = (self.input_of[local as usize], self.lanes[(at.first_lane + local) as usize].port);
                if inputs.is_single(input) && outputs.is_single(output) {
                    self.win_unopposed(at, local);
                } else if u32::from(input) != asked {
                    asked = u32::from(input);
                    self.request_switch(at, input);
                }
            });
        }
        let Scratch { requests, matches, matcher } = &mut *self.scratch;
        let (allocator, iterations) = (self.model.allocator, self.model.allocation_iterations);
        let mut pointers = SwitchPointers(&mut self.ports[at.ports()]);
        matcher.run(allocator, iterations, requests, &mut pointers, matches);
        for index in 0..self.scratch.matches.len() {
            let Request { input, lane, .. } = self.scratch.requests[self.scratch.matches[index] as usize];
            self.win(at, u32::from(lane), input);
        }
    }

    /// Adds the requests of one input port: among its lanes that want the same output, the
    /// first in round-robin order asks.
    #[inline]
    fn request_switch(&mut self, at: RouterWiring, input: u16) {
        let from = u32::from(input) * self.vcs;
        let words = at.words();
        let word = words.start + (from / 64) as usize;
        let low = self.wants[word].switch >> (from % 64);
        let high = match from % 64 {
            0 => 0,
            shift if word + 1 < words.end => self.wants[word + 1].switch << (64 - shift),
            _ => 0,
        };
        let ready = (low | high) & ((1u64 << self.vcs) - 1);
        let later = ready & (u64::MAX << self.ports[(at.first_port + u32::from(input)) as usize].choice);
        let begin = self.scratch.requests.len();
        for lanes in [later, ready & !later] {
            for_bits!(vc in lanes, {
                let lane = from + vc;
                let output = self.lanes[(at.first_lane + lane) as usize].port;
                let taken = self.scratch.requests[begin..].iter().any(|request| request.output == output);
                if !taken && self.has_output_space(at.first_port + u32::from(output)) {
                    self.scratch.requests.push(Request { input, output, lane: lane as u16 });
                }
            });
        }
    }

    #[inline(always)]
    fn has_output_space(&self, port: u32) -> bool {
        let Some(limit) = self.model.output_buffer_flits else { return true };
        self.last_send[port as usize].saturating_sub(self.now) < u64::from(limit)
    }

    /// Gives free output virtual channels to routed heads.
    ///
    /// A lane asks for channels of one output port only, so ports are matched
    /// independently, and a lane that is alone at its port simply takes its turn.
    #[inline(always)]
    fn allocate_channels(&mut self, at: RouterWiring) {
        let mut outputs = Ports::default();
        for word in 0..Self::words(at) {
            let heads = self.wants[at.word_at(word)].vc;
            if ONE_WORD && heads & heads.wrapping_sub(1) == 0 {
                if heads != 0 {
                    self.allocate_alone(at, heads.trailing_zeros());
                }
                return;
            }
            for_bits!(bit in heads, {
                let local = word * 64 + bit;
                if self.candidates(at, local) != 0 {
                    outputs.add(self.lanes[(at.first_lane + local) as usize].port);
                }
            });
        }
        if outputs.again != 0 {
            self.allocate_conflicting(at, outputs);
        } else if outputs.seen != 0 {
            for word in 0..Self::words(at) {
                for_bits!(bit in self.wants[at.word_at(word)].vc, {
                    self.allocate_alone(at, word * 64 + bit);
                });
            }
        }
    }

    /// The only lane at an output port takes the free virtual channel whose turn it is.
    #[inline(always)]
    fn allocate_alone(&mut self, at: RouterWiring, local: u32) {
        let candidates = self.candidates(at, local);
        if candidates == 0 {
            return;
        }
        let Lane { port, accept, .. } = self.lanes[(at.first_lane + local) as usize];
        let first = u32::from(port) * self.vcs;
        let turn = u32::from(accept).wrapping_sub(first);
        let later = if turn < self.vcs { candidates & (u32::MAX << turn) } else { 0 };
        let vc = if later != 0 { later } else { candidates }.trailing_zeros();
        self.grant_channel(at, local, port, vc);
        let out = first + vc;
        self.outs[(at.first_lane + out) as usize].grant = after(local as u16, at.lane_count());
        self.lanes[(at.first_lane + local) as usize].accept = after(out as u16, at.lane_count());
    }

    #[inline(never)]
    fn allocate_conflicting(&mut self, at: RouterWiring, outputs: Ports) {
        self.scratch.requests.clear();
        for word in 0..Self::words(at) {
            for_bits!(bit in self.wants[at.word_at(word)].vc, {
                let local = word * 64 + bit;
                let port = self.lanes[(at.first_lane + local) as usize].port;
                if outputs.is_single(port) {
                    self.allocate_alone(at, local);
                    continue;
                }
                let first = u32::from(port) * self.vcs;
                for_bits!(vc in u64::from(self.candidates(at, local)), {
                    let output = (first + vc) as u16;
                    self.scratch.requests.push(Request { input: local as u16, output, lane: 0 });
                });
            });
        }
        let Scratch { requests, matches, matcher } = &mut *self.scratch;
        let (allocator, iterations) = (self.model.allocator, self.model.allocation_iterations);
        let lanes = at.lanes();
        let mut pointers =
            ChannelPointers { outs: &mut self.outs[lanes.clone()], lanes: &mut self.lanes[lanes] };
        matcher.run(allocator, iterations, requests, &mut pointers, matches);
        for index in 0..self.scratch.matches.len() {
            let Request { input, output, .. } = self.scratch.requests[self.scratch.matches[index] as usize];
            let port = self.lanes[(at.first_lane + u32::from(input)) as usize].port;
            self.grant_channel(at, u32::from(input), port, u32::from(output) - u32::from(port) * self.vcs);
        }
    }

    /// The output virtual channels that a routed head may take now.
    #[inline(always)]
    fn candidates(&self, at: RouterWiring, local: u32) -> u32 {
        let lane = at.first_lane + local;
        let Lane { port, vcs, .. } = self.lanes[lane as usize];
        let port = at.first_port + u32::from(port);
        let candidates = self.ports[port as usize].free & vcs;
        if candidates == 0 || self.rule.flow_control == FlowControl::Wormhole {
            return candidates;
        }
        self.with_room(lane, port, candidates)
    }

    /// Of these virtual channels of an output port, those with room for the lane's packet.
    fn with_room(&self, lane: u32, port: u32, candidates: u32) -> u32 {
        let flits = self.packets.get(self.front(lane).slot()).flits;
        let first = port * self.vcs;
        VcSet(candidates).iter().map(u32::from).fold(0, |with_room, vc| {
            let needed = self.rule.needed(self.wiring, lane, first + vc, flits);
            with_room | u32::from(u32::from(self.outs[(first + vc) as usize].credits) >= needed) << vc
        })
    }

    #[inline(always)]
    fn grant_channel(&mut self, at: RouterWiring, local: u32, port: u16, vc: u32) {
        let lane = at.first_lane + local;
        let port = at.first_port + u32::from(port);
        let out = port * self.vcs + vc;
        self.ports[port as usize].free &= !(1 << vc);
        self.lanes[lane as usize].out = out;
        let granted = &mut self.outs[out as usize];
        granted.owner = lane;
        let ready = granted.credits > 0;
        let wants = &mut self.wants[at.word(local)];
        wants.vc &= !bit(local);
        let delay = self.model.vc_allocation_delay;
        if delay > 1 {
            self.hold(at, local, delay);
        } else if ready {
            wants.switch |= bit(local);
        }
    }

    /// Keeps a lane off the switch until a stage of several cycles is over.
    fn hold(&mut self, at: RouterWiring, local: u32, cycles: u32) {
        let lane = at.first_lane + local;
        self.held[lane as usize] = true;
        self.wants[at.word(local)].switch &= !bit(local);
        self.wakes.push(self.now + u64::from(cycles), Wake::Switch(lane));
    }

    /// Route computation for the heads that came to the front before this step.
    #[inline(always)]
    fn route_heads(&mut self, router: u32, at: RouterWiring) {
        for word in 0..Self::words(at) {
            let index = at.word_at(word);
            let heads = std::mem::take(&mut self.wants[index].route);
            for_bits!(bit in heads, {
                let lane = at.first_lane + word * 64 + bit;
                if !self.route(router, lane) {
                    return;
                }
                match self.model.routing_delay {
                    0 | 1 => self.wants[index].vc |= 1 << bit,
                    delay => self.wakes.push(self.now + u64::from(delay), Wake::Vc(lane)),
                }
            });
        }
    }

    /// Asks the algorithm where the packet at a lane's front goes; `false` if it is lost.
    #[inline(always)]
    fn route(&mut self, router: u32, lane: u32) -> bool {
        let packet = self.packets.get_mut(self.front(lane).slot());
        let view = View { wiring: self.wiring, outs: self.outs, depth: self.depth };
        let mut dice = Random::new(self.seed, Purpose::Routing, packet.source.0, packet.sequence)
            .at_block(u32::from(packet.routers) << 8);
        let header = packet.header;
        let Some(hop) = self.routing.choose(RouterId(router), header, &view, &mut dice) else {
            self.totals.lost = Some((packet.source, header.destination));
            return false;
        };
        packet.header = hop.header;
        packet.routers += 1;
        let lane = &mut self.lanes[lane as usize];
        lane.port = hop.port;
        lane.vcs = hop.vcs.0;
        if self.check {
            self.check_choice(router, header, hop);
        }
        true
    }

    /// Notes a violation if a choice is not among the options of the same state.
    #[cold]
    fn check_choice(&mut self, router: u32, header: Header, hop: Hop) {
        let mut options = Vec::new();
        self.routing.options(RouterId(router), header, &mut options);
        let offered = |option: &Hop| {
            option.port == hop.port && option.header == hop.header && hop.vcs.0 & !option.vcs.0 == 0
        };
        if hop.vcs.is_empty() || !options.iter().any(offered) {
            let what = format!("at router {router} with {header:?} the algorithm chose {hop:?}, which is no option of it");
            self.totals.violation = Some(what);
        }
    }

    #[inline(always)]
    fn front(&self, lane: u32) -> Flit {
        self.flits[(lane * self.depth + u32::from(self.lanes[lane as usize].first)) as usize]
    }

    /// Moves a lane's first flit through the switch onto its channel.
    #[inline(always)]
    fn traverse(&mut self, at: RouterWiring, local: u32) {
        let lane = at.first_lane + local;
        let here = &mut self.lanes[lane as usize];
        let flit = self.flits[(lane * self.depth + u32::from(here.first)) as usize];
        here.first = if u32::from(here.first) + 1 == self.depth { 0 } else { here.first + 1 };
        here.len -= 1;
        let (out, left) = (here.out, here.len);
        let port = at.first_port + u32::from(here.port);
        self.totals.flit_hops += 1;
        let input = u32::from(self.input_of[local as usize]);
        let upstream = self.upstream[(at.first_port + input) as usize];
        let credited = self.now + u64::from(upstream.credit_delay);
        let back = upstream.first_out + local - input * self.vcs;
        self.credits.push(credited, Credit::new(back, flit.is_tail()));
        let sent = self.send_time(port as usize);
        let downstream = self.downstream[port as usize];
        let arrives = sent + 1 + u64::from(downstream.latency);
        if downstream.first_lane == NOWHERE {
            // A terminal takes its flits up as they come and credits them at once.
            let back = arrives + 1 + u64::from(downstream.latency) + u64::from(self.model.credit_delay);
            self.credits.push(back, Credit::new(out, flit.is_tail()));
            self.eject(flit, arrives);
        } else {
            let target = downstream.first_lane + (out - port * self.vcs);
            self.arrivals.push(arrives, Arrival { lane: target, flit });
            self.channel_flits[downstream.channel as usize] += 1;
        }
        let out_vc = &mut self.outs[out as usize];
        out_vc.credits -= 1;
        let can_go_on = out_vc.credits > 0 && left > 0;
        if flit.is_tail() {
            self.release(at, local, port, left);
        } else if self.model.switch_allocation_delay > 1 {
            self.hold(at, local, self.model.switch_allocation_delay);
        } else if !can_go_on {
            self.wants[at.word(local)].switch &= !bit(local);
        }
    }

    /// The tail has left a lane: its output virtual channel is free, the next packet comes to the front.
    #[inline(always)]
    fn release(&mut self, at: RouterWiring, local: u32, port: u32, left: u16) {
        let here = &mut self.lanes[(at.first_lane + local) as usize];
        let out = std::mem::replace(&mut here.out, NOWHERE);
        here.vcs = 0;
        if self.model.wait_for_tail_credit {
            self.outs[out as usize].owner = OutVc::DRAINING;
        } else {
            self.outs[out as usize].owner = NOWHERE;
            self.ports[port as usize].free |= 1 << (out - port * self.vcs);
        }
        let wants = &mut self.wants[at.word(local)];
        wants.switch &= !bit(local);
        if left > 0 {
            wants.route |= bit(local);
        }
    }

    /// The cycle in which a flit that crosses the switch now leaves the router.
    #[inline(always)]
    fn send_time(&mut self, port: usize) -> u64 {
        let stages = u64::from(self.model.switch_allocation_delay - 1 + self.model.switch_traversal_delay);
        if self.model.speedup_permille == 1000 {
            return self.now + stages;
        }
        // An earlier step of the same cycle saves one cycle of traversal.
        let early = u64::from(self.step.index + 1 < self.step.count && self.model.switch_traversal_delay > 0);
        let last = &mut self.last_send[port];
        *last = (self.now + stages - early).max(*last + 1);
        *last
    }

    #[inline(always)]
    fn eject(&mut self, flit: Flit, arrived: u64) {
        self.recorder.flit_arrived(arrived);
        self.totals.flits_delivered += 1;
        self.totals.last_arrival = self.totals.last_arrival.max(arrived);
        if flit.is_tail() {
            self.deliver(flit, arrived);
        }
    }

    #[inline(never)]
    fn deliver(&mut self, tail: Flit, arrived: u64) {
        let packet = self.packets.remove(tail.slot());
        self.totals.packets_delivered += 1;
        let destination: TerminalId = packet.header.destination;
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
        self.totals.fingerprint = self.totals.fingerprint.wrapping_add(mix(mix(mix(who) ^ what) ^ when));
    }
}
