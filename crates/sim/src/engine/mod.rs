//! The engine: what is simulated, and the loop over cycles in which anything happens.
//!
//! A cycle in order: credits and flits arrive, terminals send, routers with something to do
//! make their step(s). Routers influence each other only through events at least one cycle
//! away, so the order in which they are visited does not matter. When nothing is
//! active the clock jumps to the next event.

mod check;
mod deadlock;
mod itinerary;
mod matcher;
mod packets;
mod router;
mod source;
mod state;
mod unchecked;
mod wheel;
mod wiring;

use crate::measure::Recorder;
use crate::model::{Allocator, Phases, RouterModel};
use crate::outcome::{Ending, Outcome, Violation};
use router::{Routers, Scratch, Step};
use source::Source;
use state::State;
use turnwise_network::{FlowControl, Injector, Network, Routing, TerminalId, VcSet};
use unchecked::Arena;
use wheel::Wheel;
use wiring::{RoomRule, Wiring};

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
    wiring: Wiring,
    state: State,
    sources: Arena<Source>,
    /// Terminals with a flit to send, one bit each.
    active_sources: Arena<u64>,
    /// Terminals by the creation of their next packet.
    due_sources: Wheel<u32>,
    /// Terminals whose current packet was created before the window ends.
    early_sources: usize,
    longest_packet: u16,
    now: u64,
    window_end: u64,
    speedup_phase: u32,
    recorder: Recorder,
    totals: Totals,
    ending: Option<Ending>,
    /// Flits per channel when the measurement window opened and closed.
    before_window: Option<Vec<u32>>,
    at_window_end: Option<Vec<u32>>,
    scratch: Scratch,
}

/// What adds up over the whole run.
#[derive(Clone, Debug, Default)]
struct Totals {
    flit_hops: u64,
    /// Steps of single routers that were simulated: what idle routers do not cost.
    router_steps: u64,
    flits_injected: u64,
    flits_delivered: u64,
    packets_delivered: u64,
    fingerprint: u64,
    last_progress: u64,
    last_arrival: u64,
    /// A packet that found no way on: source and destination.
    lost: Option<(TerminalId, TerminalId)>,
    /// A choice that was no option.
    violation: Option<String>,
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
    Sizes {
        lane: size_of::<state::Lane>() as u64,
        flit: size_of::<u32>() as u64,
        out: size_of::<state::OutVc>() as u64,
        port: (size_of::<wiring::Downstream>()
            + size_of::<wiring::Upstream>()
            + size_of::<state::PortState>()
            // When it last sends, who waits for it, its share of its router's wants.
            + 3 * size_of::<u64>()) as u64,
        terminal: size_of::<Source>() as u64,
        packet: (size_of::<packets::Packet>() + size_of::<state::Arrival>()) as u64,
    }
}

/// Virtual channels of all ports and terminals together: a credit names one in 31 bits.
pub(crate) const MOST_CHANNELS: u64 = 1 << 31;
/// Cycles without progress after which the waiting channels are examined.
const PATIENCE: u64 = 1_000;
/// Cycles between examinations of a network that is busy somewhere.
const EXAMINATION: u64 = 16_384;
/// Cycles between calls of the caller's `go_on`.
const REPORT: u64 = 1_024;

/// One iteration of iSLIP.
fn is_simple(model: &RouterModel) -> bool {
    model.allocator == Allocator::Islip && model.allocation_iterations == 1
}

/// A router whose every stage takes one cycle and which does nothing out of the ordinary:
/// the engine is compiled once more for such.
fn is_plain(model: &RouterModel) -> bool {
    is_simple(model)
        && model.routing_delay == 1
        && model.vc_allocation_delay == 1
        && model.switch_allocation_delay == 1
        && model.speedup_permille == 1000
        && model.output_buffer_flits.is_none()
        && model.flow_control == FlowControl::Wormhole
        && !model.wait_for_tail_credit
}

impl<'a> Simulation<'a> {
    /// Sets everything up; memory is allocated here and, apart from queues that grow to
    /// their peak, not again.
    ///
    /// # Panics
    /// If the model has not passed [`RouterModel::check`], or if
    /// [`memory_bytes`](crate::memory_bytes) says that the network is too large.
    pub fn new(setup: Setup<'a>) -> Self {
        let Setup {
            network,
            routing,
            injector,
            model,
            phases,
            seed,
            minimal,
            check,
        } = setup;
        assert!(
            model.check().is_ok(),
            "the router model must have been checked"
        );
        assert!(
            crate::memory_bytes(network, model) < u64::MAX,
            "the network must not have more virtual channels than can be numbered"
        );
        let wiring = Wiring::new(network, model.virtual_channels, model.credit_delay);
        let state = State::new(&wiring, model, !check);
        let most_lanes = wiring.max_radix * wiring.stride as usize;
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
            sources: Arena::new(vec![Source::idle(); terminals]),
            active_sources: Arena::new(vec![0; terminals.div_ceil(64)]),
            due_sources: Wheel::new(1023),
            early_sources: 0,
            longest_packet: 1,
            now: 0,
            window_end: phases.warmup + phases.measure,
            speedup_phase: 0,
            recorder: Recorder::new(phases.warmup, phases.measure),
            totals: Totals::default(),
            ending: None,
            before_window: None,
            at_window_end: None,
            scratch: Scratch::new(most_lanes, wiring.words),
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
            if self.now >= self.phases.warmup && self.before_window.is_none() {
                self.before_window = Some(self.channel_flits());
            }
            if self.now >= self.window_end && self.at_window_end.is_none() {
                self.at_window_end = Some(self.channel_flits());
            }
            self.cycle();
            if self.now >= next_examination || self.now > self.totals.last_progress + PATIENCE {
                next_examination = self.now + EXAMINATION;
                self.examine();
            }
            if let Some((source, destination)) = self.totals.lost {
                self.ending = Some(Ending::Lost {
                    source,
                    destination,
                });
            }
            if self.check {
                self.check_cycle()?;
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
        if self.now >= self.window_end && (!self.phases.drain || self.is_drained()) {
            self.ending = Some(Ending::Completed);
        }
        if self.ending.is_none() && self.now >= self.phases.limit {
            self.ending = Some(Ending::LimitReached);
        }
        self.ending.is_some()
    }

    /// Has every packet created in the window arrived, or will it for certain?
    fn is_drained(&self) -> bool {
        self.early_sources == 0 && self.recorder.outstanding() == 0
    }

    fn cycle(&mut self) {
        let before = self.totals.flit_hops;
        match (self.wiring.words == 1, is_plain(&self.model)) {
            (true, true) => self.cycle_of::<true, true>(),
            (true, false) => self.cycle_of::<true, false>(),
            (false, _) => self.cycle_of::<false, false>(),
        }
        if self.totals.flit_hops != before {
            self.totals.last_progress = self.now;
        }
    }

    fn cycle_of<const ONE_WORD: bool, const PLAIN: bool>(&mut self) {
        let count = self.steps();
        self.routers::<ONE_WORD, PLAIN>(Step { index: 0, count })
            .receive();
        self.wake_sources();
        self.inject();
        for index in 0..count {
            self.routers::<ONE_WORD, PLAIN>(Step { index, count })
                .step_all();
        }
    }

    /// Allocation steps in this cycle; a fractional speedup takes one more now and then.
    fn steps(&mut self) -> u32 {
        let total = self.speedup_phase + self.model.speedup_permille;
        self.speedup_phase = total % 1000;
        total / 1000
    }

    fn routers<const ONE_WORD: bool, const PLAIN: bool>(
        &mut self,
        step: Step,
    ) -> Routers<'_, 'a, ONE_WORD, PLAIN> {
        Routers {
            now: self.now,
            step,
            shift: self.wiring.shift,
            seed: self.seed,
            check: self.check,
            rule: self.room_rule(),
            all_vcs: VcSet::all(self.model.virtual_channels).0,
            simple: is_simple(&self.model),
            model: &self.model,
            routing: self.routing,
            minimal: self.minimal,
            wiring: &self.wiring,
            state: &mut self.state,
            recorder: &mut self.recorder,
            totals: &mut self.totals,
            scratch: &mut self.scratch,
        }
    }

    /// To the next cycle in which anything can happen.
    fn advance(&mut self) {
        self.now += 1;
        let busy = |words: &[u64]| words.iter().any(|&word| word != 0);
        if busy(self.state.active.as_slice()) || busy(self.active_sources.as_slice()) {
            return;
        }
        if self.now >= self.window_end && self.is_drained() {
            return;
        }
        let next = [
            self.state.next_due(self.now),
            self.due_sources.next_due(self.now),
        ];
        let end = if self.now < self.window_end {
            self.window_end.min(self.phases.limit)
        } else {
            self.phases.limit
        };
        let mut target = next.into_iter().flatten().min().unwrap_or(end).min(end);
        if self.state.packets.len() != 0 {
            // Whoever waits for nothing that comes is to be found in time.
            target = target.min(self.totals.last_progress + PATIENCE + 1);
        }
        let target = target.max(self.now);
        let skipped = target - self.now;
        // Every skipped cycle would have added the fraction of a step.
        let fraction = u64::from(self.model.speedup_permille % 1000);
        self.speedup_phase =
            ((u64::from(self.speedup_phase) + skipped % 1000 * fraction) % 1000) as u32;
        self.now = target;
    }

    /// Looks for channels that can never move again.
    fn examine(&mut self) {
        if self.state.packets.len() == 0 {
            self.totals.last_progress = self.now;
            return;
        }
        let waiting = deadlock::find(self.network, &self.wiring, &self.state, self.room_rule());
        if !waiting.is_empty() {
            self.ending = Some(Ending::Deadlocked(waiting));
        }
        self.totals.last_progress = self.totals.last_progress.max(self.now);
    }

    fn channel_flits(&self) -> Vec<u32> {
        let channels = self.network.channel_count();
        self.state.channel_flits(&self.wiring, channels)
    }

    fn room_rule(&self) -> RoomRule {
        RoomRule {
            flow_control: self.model.flow_control,
            longest_packet: u32::from(self.longest_packet),
        }
    }

    fn finish(mut self) -> Outcome {
        self.account_for_backlogs();
        let cycles = self
            .now
            .max(self.totals.last_arrival.min(self.phases.limit));
        let living = self.wiring.alive.iter().filter(|&&alive| alive).count();
        let now = self.channel_flits();
        let after = self.at_window_end.as_ref().unwrap_or(&now);
        let before = self.before_window.as_ref().unwrap_or(&now);
        let in_window: Vec<u32> = after
            .iter()
            .zip(before)
            .map(|(after, before)| after.wrapping_sub(*before))
            .collect();
        let measurement =
            self.recorder
                .finish(self.now, living, self.minimal.is_some(), &in_window);
        Outcome {
            ending: self.ending.unwrap_or(Ending::Completed),
            measurement,
            cycles,
            flit_hops: self.totals.flit_hops,
            router_steps: self.totals.router_steps,
            packets: self.totals.packets_delivered,
            fingerprint: self.totals.fingerprint,
        }
    }
}
