//! The engine: what is simulated, and the loop over cycles in which anything happens.
//!
//! A cycle in order: credits and flits arrive, terminals send, routers with something to do
//! make their step(s). Routers influence each other only through events at least one cycle
//! away, so the order in which they are visited does not matter. When nothing is
//! active the clock jumps to the next event.

mod check;
mod deadlock;
mod matcher;
mod packets;
mod router;
mod source;
mod state;
mod wheel;
mod wiring;

use crate::measure::Recorder;
use crate::model::{Phases, RouterModel};
use crate::outcome::{Ending, Outcome, Violation};
use matcher::{Matcher, Request};
use router::Step;
use source::Source;
use state::{State, Wake};
use turnwise_network::{Injector, Network, Routing, TerminalId};
use wheel::Wheel;
use wiring::{NOWHERE, RoomRule, Wiring};

/// Channels a packet needs at least, router to router, by source and destination.
pub type MinimalHops<'a> = &'a (dyn Fn(TerminalId, TerminalId) -> u32 + Sync);

/// Everything a simulation is made of.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// The network.
    pub network: &'a Network,
    /// How packets go.
    pub routing: &'a dyn Routing,
    /// What terminals send.
    pub injector: &'a dyn Injector,
    /// The routers.
    pub model: &'a RouterModel,
    /// When to measure.
    pub phases: &'a Phases,
    /// Seed of routing choices.
    pub seed: u64,
    /// What "non-minimal" means; `None` leaves that share unmeasured.
    pub minimal: Option<MinimalHops<'a>>,
    /// Verify every choice of the routing algorithm, and all invariants every thousand cycles.
    pub check: bool,
}

/// One simulation.
///
/// The same setup gives the same outcome, bit for bit, on every machine.
pub struct Simulation<'a> {
    network: &'a Network,
    routing: &'a dyn Routing,
    injector: &'a dyn Injector,
    model: RouterModel,
    phases: Phases,
    seed: u64,
    minimal: Option<MinimalHops<'a>>,
    check: bool,
    violation: Option<Violation>,
    wiring: Wiring,
    state: State,
    sources: Vec<Source>,
    /// Terminals with a flit to send, one bit each.
    active_sources: Vec<u64>,
    /// Terminals by the creation of their next packet.
    due_sources: Wheel<u32>,
    /// Terminals whose current packet was created before the window ends.
    early_sources: usize,
    longest_packet: u16,
    now: u64,
    window_end: u64,
    last_progress: u64,
    last_arrival: u64,
    speedup_phase: u32,
    recorder: Recorder,
    flit_hops: u64,
    flits_injected: u64,
    flits_delivered: u64,
    packets_delivered: u64,
    fingerprint: u64,
    ending: Option<Ending>,
    /// Input port of a lane, by its index inside the router.
    input_of: Vec<u16>,
    matcher: Matcher,
    requests: Vec<Request>,
    matches: Vec<u32>,
    winners: Vec<u32>,
}

/// Sizes of what the engine keeps, in bytes each.
pub(crate) struct Sizes {
    pub(crate) lane: u64,
    pub(crate) flit: u64,
    pub(crate) out: u64,
    pub(crate) port: u64,
    pub(crate) terminal: u64,
    pub(crate) packet: u64,
}

/// What memory estimates are made of: the sizes of the arrays' elements.
pub(crate) fn bytes_per() -> Sizes {
    use std::mem::size_of;
    let pointers = 2 * size_of::<u16>();
    Sizes {
        lane: (size_of::<state::Lane>() + size_of::<wiring::Home>() + pointers) as u64,
        flit: size_of::<packets::Flit>() as u64,
        out: size_of::<state::OutVc>() as u64,
        port: (size_of::<wiring::Downstream>() + size_of::<wiring::Upstream>() + 4 * size_of::<u32>()) as u64,
        terminal: size_of::<Source>() as u64,
        packet: (size_of::<packets::Packet>() + size_of::<state::Arrival>()) as u64,
    }
}

/// Cycles without progress after which the waiting channels are examined.
const PATIENCE: u64 = 1_000;
/// Cycles between examinations of a network that is busy somewhere.
const EXAMINATION: u64 = 16_384;
/// Cycles between calls of the caller's `go_on`.
const REPORT: u64 = 1_024;

impl<'a> Simulation<'a> {
    /// Sets everything up; memory is allocated here and, apart from queues that grow to
    /// their peak, not again.
    ///
    /// # Panics
    /// If the model has not passed [`RouterModel::check`].
    pub fn new(setup: Setup<'a>) -> Self {
        let Setup { network, routing, injector, model, phases, seed, minimal, check } = setup;
        assert!(model.check().is_ok(), "the router model must have been checked");
        let vcs = u32::from(model.virtual_channels);
        let wiring = Wiring::new(network, vcs, model.credit_delay);
        let state = State::new(&wiring, model, network.channel_count());
        let most_lanes = wiring.max_radix * vcs as usize;
        let terminals = network.terminal_count();
        Self {
            network,
            routing,
            injector,
            model: model.clone(),
            phases: phases.clone(),
            seed,
            minimal,
            check,
            violation: None,
            sources: vec![Source::IDLE; terminals],
            active_sources: vec![0; terminals.div_ceil(64)],
            due_sources: Wheel::new(1023),
            early_sources: 0,
            longest_packet: 1,
            now: 0,
            window_end: phases.warmup + phases.measure,
            last_progress: 0,
            last_arrival: 0,
            speedup_phase: 0,
            recorder: Recorder::new(phases.warmup, phases.measure),
            flit_hops: 0,
            flits_injected: 0,
            flits_delivered: 0,
            packets_delivered: 0,
            fingerprint: 0,
            ending: None,
            input_of: (0..most_lanes).map(|lane| (lane / vcs as usize) as u16).collect(),
            matcher: Matcher::new(most_lanes),
            requests: Vec::new(),
            matches: Vec::new(),
            winners: Vec::new(),
            wiring,
            state,
        }
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// Under `check`, the first invariant that does not hold.
    pub fn run(self) -> Result<Outcome, Violation> {
        self.run_while(|_| true)
    }

    /// Runs to the end, or until `go_on`, called now and then with the current cycle, says no.
    ///
    /// # Errors
    /// Under `check`, the first invariant that does not hold.
    pub fn run_while(mut self, mut go_on: impl FnMut(u64) -> bool) -> Result<Outcome, Violation> {
        self.start_sources();
        let mut next_report = 0;
        let mut next_examination = EXAMINATION;
        while self.ending.is_none() {
            if self.now >= next_report {
                next_report = self.now + REPORT;
                if !go_on(self.now) {
                    self.ending = Some(Ending::Interrupted);
                    break;
                }
            }
            if self.is_over() {
                break;
            }
            self.cycle();
            if self.now >= next_examination || self.now > self.last_progress + PATIENCE {
                next_examination = self.now + EXAMINATION;
                self.examine();
            }
            if let Some(violation) = self.violation.take() {
                return Err(violation);
            }
            self.advance();
        }
        if self.check {
            self.audit()?;
        }
        Ok(self.finish())
    }

    /// Is there nothing left to wait for? Sets the ending if so.
    fn is_over(&mut self) -> bool {
        if self.now >= self.window_end {
            let drained = self.early_sources == 0 && self.recorder.outstanding() == 0;
            if !self.phases.drain || drained {
                self.ending = Some(Ending::Completed);
            }
        }
        if self.ending.is_none() && self.now >= self.phases.limit {
            self.ending = Some(Ending::LimitReached);
        }
        self.ending.is_some()
    }

    fn cycle(&mut self) {
        self.receive_credits();
        self.receive_flits();
        self.receive_wakes();
        self.wake_sources();
        self.inject();
        let steps = self.steps();
        for index in 0..steps {
            self.step_routers(Step { index, count: steps });
        }
        if self.check && self.now.is_multiple_of(1000) {
            self.violation = self.audit().err();
        }
    }

    /// Allocation steps in this cycle; a fractional speedup takes one more now and then.
    fn steps(&mut self) -> u32 {
        let total = self.speedup_phase + self.model.speedup_permille;
        self.speedup_phase = total % 1000;
        total / 1000
    }

    fn step_routers(&mut self, step: Step) {
        for word in 0..self.state.active.len() {
            let mut bits = self.state.active[word];
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                if !self.step_router(word as u32 * 64 + bit, step) {
                    self.state.active[word] &= !(1 << bit);
                }
            }
        }
    }

    fn receive_credits(&mut self) {
        let Some(due) = self.state.credits.take(self.now) else { return };
        for &credit in &due {
            let index = credit.out() as usize;
            let out = &mut self.state.outs[index];
            out.credits += 1;
            let owner = out.owner;
            if owner == state::OutVc::DRAINING {
                if credit.is_tail() {
                    out.owner = NOWHERE;
                    self.state.free[index / self.wiring.vcs as usize] |= 1 << (index % self.wiring.vcs as usize);
                }
            } else if owner != NOWHERE && index < self.wiring.lanes() {
                self.ready_for_switch(owner);
            }
        }
        self.state.credits.recycle(self.now, due);
    }

    /// Lets a lane that holds an output virtual channel ask for the switch, if it can use it.
    #[inline]
    fn ready_for_switch(&mut self, lane: u32) {
        let at = self.state.lanes[lane as usize];
        if at.out != NOWHERE && at.len > 0 && !at.held && self.state.outs[at.out as usize].credits > 0 {
            self.state.want(&self.wiring, lane, |wants, bit| wants.switch |= bit);
        }
    }

    fn receive_flits(&mut self) {
        let Some(due) = self.state.arrivals.take(self.now) else { return };
        let depth = self.state.depth;
        for arrival in &due {
            let lane = &mut self.state.lanes[arrival.lane as usize];
            let behind = u32::from(lane.first) + u32::from(lane.len);
            let slot = if behind >= depth { behind - depth } else { behind };
            self.state.flits[(arrival.lane * depth + slot) as usize] = arrival.flit;
            lane.len += 1;
            if lane.len > 1 {
                continue;
            }
            if lane.out == NOWHERE {
                self.head_arrived(arrival.lane);
            } else {
                self.ready_for_switch(arrival.lane);
            }
        }
        self.state.arrivals.recycle(self.now, due);
    }

    fn receive_wakes(&mut self) {
        let Some(due) = self.state.wakes.take(self.now) else { return };
        for &wake in &due {
            match wake {
                Wake::Vc(lane) => self.state.want(&self.wiring, lane, |wants, bit| wants.vc |= bit),
                Wake::Switch(lane) => {
                    self.state.lanes[lane as usize].held = false;
                    self.ready_for_switch(lane);
                }
            }
        }
        self.state.wakes.recycle(self.now, due);
    }

    /// To the next cycle in which anything can happen.
    fn advance(&mut self) {
        self.now += 1;
        let busy = |words: &[u64]| words.iter().any(|&word| word != 0);
        if busy(&self.state.active) || busy(&self.active_sources) {
            return;
        }
        let next = [self.state.next_due(self.now), self.due_sources.next_due(self.now)];
        let end = if self.now < self.window_end { self.window_end } else { self.phases.limit };
        let target = next.into_iter().flatten().min().unwrap_or(end).clamp(self.now, end.max(self.now));
        let skipped = target - self.now;
        // Every skipped cycle would have added the fraction of a step.
        let fraction = u64::from(self.model.speedup_permille % 1000);
        self.speedup_phase = ((u64::from(self.speedup_phase) + skipped % 1000 * fraction) % 1000) as u32;
        self.now = target;
    }

    /// Looks for channels that can never move again.
    fn examine(&mut self) {
        if self.state.packets.len() == 0 {
            self.last_progress = self.now;
            return;
        }
        let waiting = deadlock::find(self.network, &self.wiring, &self.state, self.room_rule());
        if !waiting.is_empty() {
            self.ending = Some(Ending::Deadlocked(waiting));
        }
        self.last_progress = self.last_progress.max(self.now - self.now.min(PATIENCE));
    }

    fn room_rule(&self) -> RoomRule {
        RoomRule { flow_control: self.model.flow_control, longest_packet: u32::from(self.longest_packet) }
    }

    fn lose(&mut self, terminal: u32, destination: TerminalId) {
        self.ending = Some(Ending::Lost { source: TerminalId(terminal), destination });
    }

    fn finish(self) -> Outcome {
        let cycles = self.now.max(self.last_arrival.min(self.phases.limit));
        let living = self.wiring.alive.iter().filter(|&&alive| alive).count();
        let measurement =
            self.recorder.finish(self.now, living, self.minimal.is_some(), &self.state.channel_flits);
        Outcome {
            ending: self.ending.unwrap_or(Ending::Completed),
            measurement,
            cycles,
            flit_hops: self.flit_hops,
            packets: self.packets_delivered,
            fingerprint: self.fingerprint,
        }
    }
}
