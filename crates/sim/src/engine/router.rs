//! One step of the routers: switch allocation, channel allocation, route computation, traversal.
//!
//! As in BookSim2, both allocators look at the state before the step; their effects, and
//! routes computed in it, count from the next step on. Hence the order in
//! [`Routers::step`]: the switch is matched first but its winners move last. With
//! look-ahead (`routing_delay = 0`) routes are computed before the allocators.

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

mod channels;
mod switch;

use super::Totals;
use super::matcher::{Matcher, Request};
use super::packets::{Flit, Packets};
use super::state::{Arrival, Credit, Lane, OutVc, PortMasks, PortState, View, Wake, Wants};
use super::wheel::Wheel;
use super::wiring::{Downstream, NOWHERE, RoomRule, RouterWiring, Upstream, Wiring};
use crate::measure::{Delivery, Recorder};
use crate::model::RouterModel;
use turnwise_network::random::{Purpose, Random, mix};
use turnwise_network::{Header, Hop, RouterId, Routing, TerminalId};

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
