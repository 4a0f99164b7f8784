//! Routers and terminals that are simulated together, cycle by cycle.
//!
//! A cycle in order: notices are received, credits reach terminals, terminals send, routers with something to do
//! are [visited](super::router). Everything acts on everything else only through events at
//! least one cycle away, so the order of visits does not matter. When nothing is
//! active the clock jumps to the next event.

use super::Setup;
use super::crossbar::Crossbar;
use super::extent::Extent;
use super::may_take::MayTake;
use super::outbox::Outbox;
use super::partition::Partition;
use super::scratch::Scratch;
use super::signals::{Lines, Signals};
use super::state::State;
use super::tells;
use super::terminal::{Agents, Calendar, Demand, Reception, Source, VcQueues};
use super::unchecked::{Arena, Part};
use super::wiring::{RoomRule, Wiring};
use crate::classes::ClassRecorder;
use crate::measure::Recorder;
use crate::messages::Messages;
use crate::model::{Allocator, Phases, RouterKind, RouterModel};
use crate::outcome::Violation;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use turnwise_network::{FlowControl, TerminalId, VcSet};

/// Part of a network, or all of it.
///
/// `ONE_WORD` says that no router has more than 64 lanes, `PLAIN` that the model
/// [is plain](is_plain): one source, compiled for the common case and for everything else.
pub(super) struct Domain<'a, const ONE_WORD: bool, const PLAIN: bool> {
    pub(super) setup: Setup<'a>,
    pub(super) model: RouterModel,
    pub(super) wiring: &'a Wiring,
    pub(super) partition: &'a Partition,
    /// Its number in the partition, and what it has arrays for.
    pub(super) number: u16,
    pub(super) extent: Extent,
    /// By receiving domain: what is sent there.
    pub(super) outboxes: Vec<Outbox>,
    pub(super) state: State<ONE_WORD>,
    pub(super) sources: Part<Source>,
    /// Their queues, if they have one for each virtual channel. Never if `PLAIN`.
    pub(super) vc_queues: Option<Box<VcQueues>>,
    /// The terminals' agents, if what they send depends on what arrives; then there are no sources.
    pub(super) agents: Option<Box<Agents>>,
    /// Terminals with a flit to send, one bit each.
    pub(super) active_sources: Arena<u64>,
    /// Terminals by the creation of their next packet.
    pub(super) due_sources: Calendar<u32>,
    /// Terminals whose current packet was created before the window ends.
    pub(super) early_sources: usize,
    /// The longest packet that is sent, in flits, as declared.
    pub(super) longest_packet: u16,
    /// Are packets told apart by their messages or classes when they are delivered?
    pub(super) tells_apart: bool,
    /// How messages are cut into packets, if there are any, and those of which some have arrived.
    pub(super) messages: Messages,
    pub(super) now: u64,
    pub(super) phases: Phases,
    pub(super) window_end: u64,
    /// Allocation steps of this cycle, and which of them is made.
    pub(super) steps: u32,
    pub(super) step_index: u32,
    speedup_phase: u32,
    /// All virtual channels of a port, as bits.
    pub(super) all_vcs: u32,
    /// May heads that have found no virtual channel choose another route?
    pub(super) asks_again: bool,
    /// Does a packet mostly decide at its source's router, and wait for what it has decided?
    pub(super) decides_at_source: bool,
    /// By lane, if heads may choose again: what one may take. None of larger routers.
    pub(super) may_take: Part<MayTake>,
    /// Is it not enough for a head that a virtual channel is free?
    pub(super) needs_room: bool,
    /// Has a packet several ways to set out?
    pub(super) chooses_start: bool,
    /// Do packets carry words, and do routers write on them? The latter never if `PLAIN`.
    pub(super) carries: bool,
    pub(super) marks: bool,
    /// Do routers note when flits leave? And for how many cycles do they withhold credits, at most: not at all if `PLAIN`.
    pub(super) times: bool,
    pub(super) most_withheld: u64,
    /// Do routers count what waits at inputs for each output?
    pub(super) awaits: bool,
    /// What routers [tell](tells) each other.
    tells: u8,
    /// Is virtual-channel allocation one iteration of iSLIP: outputs grant, inputs accept, done?
    pub(super) simple_vcs: bool,
    /// Is switch allocation?
    pub(super) simple_switch: bool,
    pub(super) recorder: Recorder,
    pub(super) classes: ClassRecorder,
    pub(super) totals: Totals,
    pub(super) scratch: Scratch,
    /// What routers tell each other; `None` if nothing.
    pub(super) signals: Option<Box<Signals<'a>>>,
    /// By router, if they tell anything: the output virtual channels of ports that it watches or times, as bits; and those
    /// of them whose flits are counted all together.
    pub(super) watched: Arena<u64>,
    pub(super) stepped: Arena<u64>,
}

/// Sums over the whole run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Totals {
    pub(super) flit_hops: u64,
    /// Steps simulated, one for each router and step; idle routers add nothing.
    pub(super) router_steps: u64,
    pub(super) flits_injected: u64,
    pub(super) flits_delivered: u64,
    pub(super) packets_delivered: u64,
    pub(super) fingerprint: u64,
    pub(super) last_progress: u64,
    pub(super) last_arrival: u64,
    /// The first packet for which the routing algorithm found no route.
    pub(super) lost: Option<Lost>,
    /// A choice that was no option, a packet that overtook another where order is promised, or one
    /// that is longer than declared.
    #[serde(skip)]
    pub(super) violation: Option<String>,
    /// By source, destination and message class, the number of the packet that arrived last; filled only if
    /// order is checked.
    #[serde(skip)]
    pub(super) arrived: BTreeMap<(TerminalId, TerminalId, u8), u32>,
}

impl Totals {
    /// Adds those of another domain.
    pub(super) fn add(&mut self, other: &Self) {
        self.flit_hops += other.flit_hops;
        self.router_steps += other.router_steps;
        self.packets_delivered += other.packets_delivered;
        self.fingerprint = self.fingerprint.wrapping_add(other.fingerprint);
        self.last_arrival = self.last_arrival.max(other.last_arrival);
    }
}

/// A packet for which the routing algorithm found no route: cycle, source, destination.
pub(super) type Lost = (u64, TerminalId, TerminalId);

/// What a domain stops for before the end of a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// Nothing.
    Cycle,
    /// All recorded packets have arrived.
    Drained,
    /// There is nothing left to do.
    Settled,
}

/// Is this one iteration of iSLIP? The output-first separable allocator is the same.
fn is_simple(allocator: Allocator, iterations: u32) -> bool {
    match allocator {
        Allocator::Islip => iterations == 1,
        Allocator::SeparableInputFirst => false,
        Allocator::SeparableOutputFirst => true,
    }
}

/// An input-queued router with stages of one cycle, one iteration of iSLIP and no options but flow control. The
/// engine is compiled once more for such routers.
pub(super) fn is_plain(model: &RouterModel) -> bool {
    // All fields are named here, so that nobody forgets a new one.
    let &RouterModel {
        kind,
        // Any number and depth will do.
        virtual_channels: _,
        buffers: _,
        // Heads are picky where it asks for room.
        flow_control: _,
        injection_delay,
        routing_delay,
        vc_allocation_delay,
        switch_allocation_delay,
        // They only add to the delays of channels and credits, unless flits cross in batches.
        switch_traversal_delay: _,
        credit_delay: _,
        // Batches mean nothing to stages of one cycle; crossing in batches, and registers, are asked for below.
        stages: _,
        vc_allocator,
        switch_allocator,
        allocation_iterations,
        speedup_permille,
        // Crossbars of more ports, and kept connections.
        input_speedup: _,
        output_speedup: _,
        hold_switch: _,
        lock_outputs: _,
        vc_crossbar_outputs: _,
        whole_packets,
        output_buffer_flits,
        wait_for_tail_credit,
        busy_when_full,
        vc_source_queues,
    } = model;
    kind == RouterKind::InputQueued
        && injection_delay == 0
        && (routing_delay, vc_allocation_delay, switch_allocation_delay) == (1, 1, 1)
        && !model.crosses_in_batches()
        && !model.has_registers()
        && !whole_packets
        && is_simple(vc_allocator, allocation_iterations)
        && is_simple(switch_allocator, allocation_iterations)
        && speedup_permille == 1000
        && !Crossbar::is_needed(model)
        && output_buffer_flits.is_none()
        && !wait_for_tail_credit
        && !busy_when_full
        && !vc_source_queues
}

impl<'a, const ONE_WORD: bool, const PLAIN: bool> Domain<'a, ONE_WORD, PLAIN> {
    pub(super) fn new(
        setup: Setup<'a>,
        wiring: &'a Wiring,
        partition: &'a Partition,
        lines: Option<&'a Lines<'a>>,
        number: u16,
    ) -> Self {
        let (model, phases) = (setup.model, setup.schedule.phases());
        let workload = setup.demand.workload();
        let sensing = setup.routing.sensing();
        let marks = sensing.is_some_and(|sensing| sensing.marks());
        let withheld = sensing.map_or(0, |sensing| sensing.most_withheld().into());
        let extent = Extent::of_domain(wiring, partition, number);
        let is_mine = |router: u32| partition.owner[router as usize] == number;
        let state = State::new(wiring, model, withheld, !setup.check, &extent, &is_mine);
        let most_lanes = wiring.max_radix * wiring.stride as usize;
        let terminals = wiring.alive.len();
        let senders = match setup.demand {
            Demand::Open(_) => extent.terminals.clone(),
            Demand::Closed(_) => 0..0,
        };
        let agents = workload.map(|workload| {
            let reach = state.longest_way;
            let classes = workload.classes().max(1).into();
            let reception = setup.demand.may_refuse().then(|| {
                Reception::new(
                    setup.network,
                    wiring,
                    &extent,
                    &state.storage,
                    workload,
                    reach,
                )
            });
            Box::new(Agents::new(wiring, &extent, classes, reach, reception))
        });
        let signals = lines.map(|lines| Box::new(Signals::new(lines, wiring, PLAIN)));
        let stepped = (signals.as_ref()).map_or_else(Vec::new, |signals| signals.stepped_outs());
        let watched = lines.map_or_else(Vec::new, Lines::watched_outs);
        let awaits = sensing.is_some_and(|sensing| sensing.counts_awaiting());
        Self {
            setup,
            model: model.clone(),
            vc_queues: (model.vc_source_queues && !senders.is_empty())
                .then(|| Box::new(VcQueues::new(&extent, model.virtual_channels))),
            sources: Part::new(
                senders.start,
                senders
                    .map(|terminal| Source::idle(wiring, terminal))
                    .collect(),
            ),
            agents,
            active_sources: Arena::new(vec![0; terminals.div_ceil(64)]),
            due_sources: Calendar::new(),
            early_sources: 0,
            longest_packet: setup.demand.longest_packet(),
            tells_apart: setup.demand.cutting().is_some() || setup.demand.classes() > 1,
            messages: Messages::new(setup.demand.cutting()),
            now: 0,
            phases,
            window_end: phases.warmup + phases.measure,
            steps: 1,
            step_index: 0,
            speedup_phase: 0,
            all_vcs: VcSet::all(model.virtual_channels).0,
            asks_again: setup.routing.asks_again(),
            decides_at_source: setup.routing.decides_at_source() && !setup.routing.asks_again(),
            may_take: match setup.routing.asks_again() && ONE_WORD {
                true => Part::filled(extent.lanes.clone(), MayTake::default()),
                false => Part::default(),
            },
            needs_room: model.flow_control != FlowControl::Wormhole || model.busy_when_full,
            chooses_start: setup.routing.chooses_start(),
            carries: marks || workload.is_some(),
            marks,
            times: sensing.is_some_and(|sensing| sensing.times()),
            most_withheld: withheld,
            awaits,
            tells: match signals.is_some() {
                false => tells::NOTHING,
                true if PLAIN && ONE_WORD && !awaits && watched == stepped => tells::FLITS,
                true => tells::ANYTHING,
            },
            simple_vcs: is_simple(model.vc_allocator, model.allocation_iterations),
            simple_switch: is_simple(model.switch_allocator, model.allocation_iterations),
            recorder: match setup.schedule.to_completion() && workload.is_some() {
                true => Recorder::to_completion(phases.limit, terminals, setup.interval),
                false => Recorder::new(phases.warmup, phases.measure, terminals, setup.interval),
            },
            classes: ClassRecorder::new(setup.demand.classes()),
            totals: Totals::default(),
            scratch: Scratch::new(most_lanes, wiring.words),
            watched: Arena::new(watched),
            stepped: Arena::new(stepped),
            signals,
            wiring,
            partition,
            number,
            extent,
            outboxes: std::iter::repeat_with(Outbox::default)
                .take(partition.domains)
                .collect(),
            state,
        }
    }

    /// One cycle of everything.
    #[inline(never)]
    pub(super) fn cycle(&mut self) {
        let before = self.totals.flit_hops;
        if self
            .signals
            .as_ref()
            .is_some_and(|signals| signals.any_notices())
        {
            self.receive_notices();
        }
        if !PLAIN {
            self.count_steps();
            self.receive_others();
        }
        self.receive_wakes();
        self.receive_terminal_credits();
        self.run_terminals();
        let is_picky = PLAIN && (self.asks_again || self.needs_room);
        match (self.tells, is_picky) {
            (tells::NOTHING, true) => self.visit_all::<{ tells::NOTHING }, true>(),
            (tells::NOTHING, false) => self.visit_all::<{ tells::NOTHING }, false>(),
            (tells::FLITS, true) if PLAIN && ONE_WORD => self.visit_all::<{ tells::FLITS }, true>(),
            (tells::FLITS, false) if PLAIN && ONE_WORD => {
                self.visit_all::<{ tells::FLITS }, false>()
            }
            (_, true) => self.visit_all::<{ tells::ANYTHING }, true>(),
            (_, false) => self.visit_all::<{ tells::ANYTHING }, false>(),
        }
        if self.totals.flit_hops != before {
            self.totals.last_progress = self.now;
        }
    }

    /// Allocation steps in this cycle; a fractional speedup takes one more now and then.
    fn count_steps(&mut self) {
        let total = self.speedup_phase + self.model.speedup_permille;
        self.speedup_phase = total % 1000;
        self.steps = total / 1000;
    }

    /// Simulates to cycle `end`.
    pub(super) fn run_until(&mut self, end: u64) {
        while self.now < end {
            self.cycle();
            self.advance(end);
        }
    }

    /// Simulates to cycle `end`, or until all recorded packets have arrived.
    pub(super) fn drain_until(&mut self, end: u64) {
        while self.now < end && self.outstanding() != 0 {
            self.cycle();
            self.advance_until(end, Until::Drained);
        }
    }

    /// The same for any of these ends, with all invariants checked.
    pub(super) fn check_until(&mut self, end: u64, until: Until) -> Result<(), Violation> {
        while self.now < end && !self.is_over(until) {
            self.cycle();
            self.check_cycle()?;
            self.advance_until(end, until);
        }
        Ok(())
    }

    /// What all domains together must have none of to stop early.
    pub(super) fn left_over(&self, until: Until) -> i64 {
        match until {
            Until::Cycle => 1,
            Until::Drained => self.outstanding(),
            Until::Settled => self.unsettled(),
        }
    }

    fn is_over(&self, until: Until) -> bool {
        self.left_over(until) == 0
    }

    /// Is nothing under way, and nothing going to happen by itself?
    pub(super) fn is_at_rest(&self) -> bool {
        let idle = self.active_sources.iter().all(|&word| word == 0);
        let due = [
            self.state.next_due(self.now),
            self.due_sources.next_due(self.now),
            self.agents
                .as_ref()
                .and_then(|agents| agents.next_due(self.now)),
        ];
        idle && self.state.packets.len() == 0 && due.iter().all(Option::is_none)
    }

    /// Simulates to cycle `end`, or until nothing is left to do.
    pub(super) fn settle_until(&mut self, end: u64) {
        while self.now < end && self.unsettled() != 0 {
            self.cycle();
            self.advance_until(end, Until::Settled);
        }
    }

    /// What is left to do, as far as this domain knows: agents that are not done, messages sent here less those that
    /// have arrived here; in open loop the same as [`outstanding`](Self::outstanding).
    pub(super) fn unsettled(&self) -> i64 {
        match &self.agents {
            Some(agents) => agents.unsettled(),
            None => self.outstanding(),
        }
    }

    /// Recorded packets created or scheduled here, less those that have arrived here.
    pub(super) fn outstanding(&self) -> i64 {
        self.early_sources as i64 + self.recorder.outstanding()
    }

    /// The routing algorithm found no route for a packet.
    pub(super) fn lose(&mut self, source: TerminalId, destination: TerminalId) {
        self.totals
            .lost
            .get_or_insert((self.now, source, destination));
    }

    /// To the next cycle in which anything can happen, `end` at most.
    #[inline(always)]
    fn advance(&mut self, end: u64) {
        self.now += 1;
        if self.active_sources.iter().all(|&word| word == 0) {
            self.skip(end);
        }
    }

    /// The same, but to the very next one if the run is over: several domains would not go further either.
    fn advance_until(&mut self, end: u64, until: Until) {
        let end = match self.is_over(until) {
            true => self.now + 1,
            false => end,
        };
        self.advance(end);
    }

    /// The first cycle from now on in which anything can happen; `None` if nothing will by itself.
    pub(super) fn next_due(&self) -> Option<u64> {
        match self.active_sources.iter().all(|&word| word == 0) {
            true => self.next_event(),
            false => Some(self.now),
        }
    }

    /// The same, if no terminal has a flit to send.
    fn next_event(&self) -> Option<u64> {
        let next = [
            self.state.next_due(self.now),
            self.due_sources.next_due(self.now),
            self.next_notice(),
            self.agents
                .as_ref()
                .and_then(|agents| agents.next_due(self.now)),
        ];
        next.into_iter().flatten().min()
    }

    /// To the cycle in which something is due, `end` at most; until then no terminal has a flit to send.
    pub(super) fn skip(&mut self, end: u64) {
        let target = self.next_event().unwrap_or(end).min(end).max(self.now);
        let skipped = target - self.now;
        // Every skipped cycle would have added the fraction of a step.
        let fraction = u64::from(self.model.speedup_permille % 1000);
        self.speedup_phase =
            ((u64::from(self.speedup_phase) + skipped % 1000 * fraction) % 1000) as u32;
        self.now = target;
    }

    /// When the next notice arrives.
    fn next_notice(&self) -> Option<u64> {
        let signals = self.signals.as_ref()?;
        signals.next_due(self.now)
    }

    pub(super) fn room_rule(&self) -> RoomRule {
        RoomRule {
            flow_control: self.model.flow_control,
            longest_packet: u32::from(self.longest_packet),
        }
    }
}
