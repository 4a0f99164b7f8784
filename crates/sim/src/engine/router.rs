//! One step of the routers: switch allocation, channel allocation, route computation, traversal.
//!
//! As in BookSim2, both allocators look at the state before the step; their effects, and
//! routes computed in it, count from the next step on. Hence the order in
//! [`Routers::step`]: the switch is matched first but its winners move last. With
//! look-ahead (`routing_delay = 0`) routes are computed before the allocators.

use super::Totals;
use super::matcher::{Matcher, Request, after, distance};
use super::packets::{Flit, Packets};
use super::state::{
    Arrival, ChannelPointers, Credit, Lane, OutVc, PortMasks, PortState, SwitchPointers, View,
    Wake, Wants,
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
    /// All virtual channels of a port, as bits.
    pub(super) all_vcs: u32,
    /// One iteration of iSLIP: outputs grant, inputs accept, done.
    pub(super) simple: bool,
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
    pub(super) masks: &'s mut [PortMasks],
    pub(super) channel_flits: &'s mut [u32],
    pub(super) packets: &'s mut Packets,
    pub(super) arrivals: &'s mut Wheel<Arrival>,
    pub(super) credits: &'s mut Wheel<Credit>,
    pub(super) wakes: &'s mut Wheel<Wake>,
    pub(super) recorder: &'s mut Recorder,
    pub(super) totals: &'s mut Totals,
    pub(super) scratch: &'s mut Scratch,
}

/// Lists that a step fills anew.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    grants: Vec<Grant>,
    kept: Vec<Grant>,
    requests: Vec<Request>,
    matches: Vec<u32>,
    matcher: Matcher,
}

impl Scratch {
    /// For routers of at most `most` lanes.
    pub(super) fn new(most: usize) -> Self {
        Self {
            matcher: Matcher::new(most),
            ..Self::default()
        }
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

/// A lane's or port's bit in its mask word.
#[inline(always)]
fn bit(local: u32) -> u64 {
    1 << (local % 64)
}

/// Of these virtual channels, the first from `turn` on, going round.
#[inline(always)]
fn first_from(set: u32, turn: u32) -> u32 {
    let later = if turn < 32 {
        set & (u32::MAX << turn)
    } else {
        0
    };
    if later != 0 { later } else { set }.trailing_zeros()
}

/// A flit that an output port grants, and in the end lets cross the switch.
#[derive(Clone, Copy, Debug)]
struct Grant {
    lane: u32,
    input: u16,
    output: u16,
}

impl<const ONE_WORD: bool> Routers<'_, '_, ONE_WORD> {
    /// One allocation step of a router; `false` if nothing is left to do there.
    #[inline(always)]
    pub(super) fn step(&mut self, router: u32) -> bool {
        let at = self.wiring.routers[router as usize];
        let look_ahead = self.model.routing_delay == 0;
        if look_ahead {
            self.route_heads(router, at);
        }
        self.match_switch(router, at);
        self.allocate_channels(router, at);
        if !look_ahead {
            self.route_heads(router, at);
        }
        for index in 0..self.scratch.grants.len() {
            self.traverse(router, at, self.scratch.grants[index]);
        }
        let first = (router * self.words()) as usize;
        (first..first + self.words() as usize).any(|word| self.wants[word].any())
    }

    #[inline(always)]
    fn words(&self) -> u32 {
        if ONE_WORD { 1 } else { self.wiring.words }
    }

    /// Fills `grants` with the flits that cross the switch in this step.
    ///
    /// Every output grants one lane; where no input got two grants, all of them stand.
    #[inline(always)]
    fn match_switch(&mut self, router: u32, at: RouterWiring) {
        self.scratch.grants.clear();
        let (mut granted, mut again) = (0u64, 0u64);
        for word in 0..self.words() {
            for_bits!(port in self.wants[(router * self.words() + word) as usize].switch_ports, {
                let output = word * 64 + port;
                if self.has_output_space(at.first_port + output) {
                    let grant = self.grant(at, output);
                    // Inputs 64 apart are taken for the same; the conflict then proves to be none.
                    let input = bit(u32::from(grant.input));
                    again |= granted & input;
                    granted |= input;
                    self.scratch.grants.push(grant);
                }
            });
        }
        if granted == 0 {
            return;
        }
        if again != 0 || !self.simple {
            self.resolve(at);
        }
        for index in 0..self.scratch.grants.len() {
            let Grant {
                lane,
                input,
                output,
            } = self.scratch.grants[index];
            if self.simple {
                self.ports[(at.first_port + u32::from(output)) as usize].grant =
                    after(input, at.ports);
            }
            let from = &mut self.ports[(at.first_port + u32::from(input)) as usize];
            if self.simple {
                from.accept = after(output, at.ports);
            }
            let next = lane + 1 - u32::from(input) * self.vcs;
            from.choice = if next == self.vcs { 0 } else { next as u16 };
        }
    }

    /// The lane an output grants: of the first input in round-robin order, the first lane
    /// in that input's own order.
    #[inline(always)]
    fn grant(&self, at: RouterWiring, output: u32) -> Grant {
        let port = at.first_port + output;
        let turn = u32::from(self.ports[port as usize].grant) * self.vcs;
        let first = self.first_ready(port, turn);
        let input = self.input_of[first as usize];
        let begin = u32::from(input) * self.vcs;
        let set = self.ready_of(port, begin);
        let vc = first_from(
            set,
            u32::from(self.ports[(at.first_port + u32::from(input)) as usize].choice),
        );
        Grant {
            lane: begin + vc,
            input,
            output: output as u16,
        }
    }

    /// The first lane from `turn` on, going round, that is ready for a port which some lane is ready for.
    #[inline(always)]
    fn first_ready(&self, port: u32, turn: u32) -> u32 {
        let first = (port * self.words()) as usize;
        if ONE_WORD {
            let ready = self.masks[first].ready;
            let later = ready & (u64::MAX << (turn % 64));
            return if later != 0 { later } else { ready }.trailing_zeros();
        }
        let words = self.words();
        let start = turn / 64;
        let later = self.masks[first + start as usize].ready & (u64::MAX << (turn % 64));
        if later != 0 {
            return start * 64 + later.trailing_zeros();
        }
        // The starting word comes last again, for the lanes before the turn.
        let order = (start + 1..words).chain(0..=start);
        let mut found = order.filter_map(|word| {
            let ready = self.masks[first + word as usize].ready;
            (ready != 0).then(|| word * 64 + ready.trailing_zeros())
        });
        found.next().unwrap_or(0)
    }

    /// The virtual channels of an input, whose lanes start at `begin`, that are ready for a port.
    #[inline(always)]
    fn ready_of(&self, port: u32, begin: u32) -> u32 {
        let first = (port * self.words() + begin / 64) as usize;
        let low = self.masks[first].ready >> (begin % 64);
        let straddles = !ONE_WORD && begin % 64 + self.vcs > 64;
        let high = if straddles {
            self.masks[first + 1].ready << (64 - begin % 64)
        } else {
            0
        };
        (low | high) as u32 & self.all_vcs
    }

    /// Keeps the grants that inputs accept, or matches in another way altogether.
    #[inline(never)]
    fn resolve(&mut self, at: RouterWiring) {
        if !self.simple {
            return self.match_requests(at);
        }
        let Scratch { grants, kept, .. } = &mut *self.scratch;
        kept.clear();
        for grant in grants.iter() {
            let accept = self.ports[(at.first_port + u32::from(grant.input)) as usize].accept;
            let behind = |other: &Grant| distance(other.output, accept, at.ports);
            let better =
                |other: &Grant| other.input == grant.input && behind(other) < behind(grant);
            if !grants.iter().any(better) {
                kept.push(*grant);
            }
        }
        std::mem::swap(grants, kept);
    }

    /// Several iterations, or another allocator: by the general matcher.
    fn match_requests(&mut self, at: RouterWiring) {
        self.scratch.requests.clear();
        for input in 0..at.ports {
            let choice = u32::from(self.ports[(at.first_port + input) as usize].choice);
            for output in 0..at.ports {
                let set = self.ready_of(at.first_port + output, input * self.vcs);
                if set != 0 && self.has_output_space(at.first_port + output) {
                    let lane = (input * self.vcs + first_from(set, choice)) as u16;
                    self.scratch.requests.push(Request {
                        input: input as u16,
                        output: output as u16,
                        lane,
                    });
                }
            }
        }
        let Scratch {
            requests,
            matches,
            matcher,
            grants,
            ..
        } = &mut *self.scratch;
        let mut pointers = SwitchPointers(&mut self.ports[at.port_range()]);
        matcher.run(
            self.model.allocator,
            self.model.allocation_iterations,
            requests,
            &mut pointers,
            matches,
        );
        grants.clear();
        grants.extend(matches.iter().map(|&index| {
            let Request {
                input,
                output,
                lane,
            } = requests[index as usize];
            Grant {
                lane: u32::from(lane),
                input,
                output,
            }
        }));
    }

    #[inline(always)]
    fn has_output_space(&self, port: u32) -> bool {
        let Some(limit) = self.model.output_buffer_flits else {
            return true;
        };
        self.last_send[port as usize].saturating_sub(self.now) < u64::from(limit)
    }

    /// Gives free output virtual channels to routed heads.
    ///
    /// A lane asks for channels of one output port only, so ports are matched independently.
    #[inline(always)]
    fn allocate_channels(&mut self, router: u32, at: RouterWiring) {
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

    #[inline(always)]
    fn mask_word(&self, port: u32, local: u32) -> usize {
        if ONE_WORD {
            port as usize
        } else {
            (port * self.wiring.words + local / 64) as usize
        }
    }

    /// Has any word of a port's masks a one?
    fn any(&self, port: u32, field: impl Fn(&PortMasks) -> u64) -> bool {
        let first = (port * self.words()) as usize;
        self.masks[first..first + self.words() as usize]
            .iter()
            .any(|masks| field(masks) != 0)
    }

    /// Keeps a lane off the switch until a stage of several cycles is over.
    fn hold(&mut self, lane: u32, cycles: u32) {
        self.held[lane as usize] = true;
        self.wakes
            .push(self.now + u64::from(cycles), Wake::Switch(lane));
    }

    /// Takes a lane's flit out of the competition for the switch.
    #[inline(always)]
    fn not_ready(&mut self, router: u32, local: u32, port: u32, local_port: u32) {
        let word = self.mask_word(port, local);
        let masks = &mut self.masks[word];
        masks.ready &= !bit(local);
        let none_left = if ONE_WORD {
            masks.ready == 0
        } else {
            !self.any(port, |masks| masks.ready)
        };
        if none_left {
            let word = router * self.words() + local_port / 64;
            self.wants[word as usize].switch_ports &= !bit(local_port);
        }
    }

    /// Route computation for the heads that came to the front before this step.
    #[inline(always)]
    fn route_heads(&mut self, router: u32, at: RouterWiring) {
        for word in 0..self.words() {
            let index = (router * self.words() + word) as usize;
            let heads = std::mem::take(&mut self.wants[index].route);
            for_bits!(bit in heads, {
                let local = word * 64 + bit;
                let lane = at.first_lane + local;
                let Some(port) = self.route(router, lane) else { return };
                if self.model.routing_delay > 1 {
                    self.wakes.push(self.now + u64::from(self.model.routing_delay), Wake::Vc(lane));
                } else {
                    let word = self.mask_word(at.first_port + port, local);
                    self.masks[word].heads |= 1 << bit;
                    self.wants[(router * self.words() + port / 64) as usize].vc_ports |= 1 << (port % 64);
                }
            });
        }
    }

    /// Asks the algorithm where the packet at a lane's front goes: the output port, `None` if it is lost.
    #[inline(always)]
    fn route(&mut self, router: u32, lane: u32) -> Option<u32> {
        let packet = self.packets.get_mut(self.front(lane).slot());
        let view = View {
            wiring: self.wiring,
            outs: self.outs,
            depth: self.depth,
        };
        let mut dice = Random::new(
            self.seed,
            Purpose::Routing,
            packet.source.0,
            packet.sequence,
        )
        .at_block(u32::from(packet.routers) << 8);
        let header = packet.header;
        let Some(hop) = self
            .routing
            .choose(RouterId(router), header, &view, &mut dice)
        else {
            self.totals.lost = Some((packet.source, header.destination));
            return None;
        };
        packet.header = hop.header;
        packet.routers += 1;
        let lane = &mut self.lanes[lane as usize];
        lane.port = hop.port;
        lane.vcs = hop.vcs.0;
        if self.check {
            self.check_choice(router, header, hop);
        }
        Some(u32::from(hop.port))
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
            let what = format!(
                "at router {router} with {header:?} the algorithm chose {hop:?}, which is no option of it"
            );
            self.totals.violation = Some(what);
        }
    }

    #[inline(always)]
    fn front(&self, lane: u32) -> Flit {
        self.flits[(lane * self.depth + u32::from(self.lanes[lane as usize].first)) as usize]
    }

    /// Moves a lane's first flit through the switch onto its channel.
    #[inline(always)]
    fn traverse(&mut self, router: u32, at: RouterWiring, grant: Grant) {
        let Grant {
            lane: local,
            input,
            output,
        } = grant;
        let (input, output) = (u32::from(input), u32::from(output));
        let lane = at.first_lane + local;
        let port = at.first_port + output;
        let here = &mut self.lanes[lane as usize];
        let flit = self.flits[(lane * self.depth + u32::from(here.first)) as usize];
        here.first = if u32::from(here.first) + 1 == self.depth {
            0
        } else {
            here.first + 1
        };
        here.len -= 1;
        let (out, left) = (here.out, here.len);
        self.totals.flit_hops += 1;
        let upstream = self.upstream[(at.first_port + input) as usize];
        let credited = self.now + u64::from(upstream.credit_delay);
        self.credits.push(
            credited,
            Credit::new(
                upstream.first_out + local - input * self.vcs,
                flit.is_tail(),
            ),
        );
        let sent = self.send_time(port as usize);
        let downstream = self.downstream[port as usize];
        let arrives = sent + 1 + u64::from(downstream.latency);
        if downstream.first_lane == NOWHERE {
            // A terminal takes its flits up as they come and credits them at once.
            let back =
                arrives + 1 + u64::from(downstream.latency) + u64::from(self.model.credit_delay);
            self.credits.push(back, Credit::new(out, flit.is_tail()));
            self.eject(flit, arrives);
        } else {
            let target = downstream.first_lane + (out - port * self.vcs);
            self.arrivals.push(arrives, Arrival { lane: target, flit });
            self.channel_flits[downstream.channel as usize] += 1;
        }
        let out_vc = &mut self.outs[out as usize];
        out_vc.credits -= 1;
        if flit.is_tail() {
            if self.model.wait_for_tail_credit {
                out_vc.owner = OutVc::DRAINING;
            } else {
                out_vc.owner = NOWHERE;
                self.ports[port as usize].free |= 1 << (out - port * self.vcs);
            }
            let here = &mut self.lanes[lane as usize];
            here.out = NOWHERE;
            here.vcs = 0;
            self.not_ready(router, local, port, output);
            if left > 0 {
                self.wants[(router * self.words() + local / 64) as usize].route |= bit(local);
            }
        } else if self.model.switch_allocation_delay > 1 {
            self.not_ready(router, local, port, output);
            self.hold(lane, self.model.switch_allocation_delay);
        } else if out_vc.credits == 0 || left == 0 {
            self.not_ready(router, local, port, output);
        }
    }

    /// The cycle in which a flit that crosses the switch now leaves the router.
    #[inline(always)]
    fn send_time(&mut self, port: usize) -> u64 {
        let stages =
            u64::from(self.model.switch_allocation_delay - 1 + self.model.switch_traversal_delay);
        if self.model.speedup_permille == 1000 {
            return self.now + stages;
        }
        // An earlier step of the same cycle saves one cycle of traversal.
        let early = u64::from(
            self.step.index + 1 < self.step.count && self.model.switch_traversal_delay > 0,
        );
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
        let what = u64::from(destination.0) << 32
            | u64::from(packet.routers) << 16
            | u64::from(packet.flits);
        let when = arrived.rotate_left(32) ^ packet.created;
        self.totals.fingerprint = self
            .totals
            .fingerprint
            .wrapping_add(mix(mix(mix(who) ^ what) ^ when));
    }
}
