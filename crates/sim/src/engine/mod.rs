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
use crate::model::{Allocator, Phases, RouterModel};
use crate::outcome::{Ending, Outcome, Violation};
use router::{Routers, Scratch, Step};
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
    speedup_phase: u32,
    recorder: Recorder,
    totals: Totals,
    ending: Option<Ending>,
    /// Flits per channel when the measurement window opened and closed.
    before_window: Option<Vec<u32>>,
    at_window_end: Option<Vec<u32>>,
    /// Input port of a lane, by its index inside the router.
    input_of: Vec<u16>,
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
        lane: (size_of::<state::Lane>() + size_of::<wiring::Home>() + size_of::<bool>()) as u64,
        flit: size_of::<packets::Flit>() as u64,
        out: size_of::<state::OutVc>() as u64,
        port: (size_of::<wiring::Downstream>()
            + size_of::<wiring::Upstream>()
            + size_of::<state::PortState>()
            + size_of::<u64>()) as u64,
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
            sources: vec![Source::IDLE; terminals],
            active_sources: vec![0; terminals.div_ceil(64)],
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
            input_of: (0..most_lanes)
                .map(|lane| (lane / vcs as usize) as u16)
                .collect(),
            scratch: Scratch::new(most_lanes),
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
                self.before_window = Some(self.state.channel_flits.clone());
            }
            if self.now >= self.window_end && self.at_window_end.is_none() {
                self.at_window_end = Some(self.state.channel_flits.clone());
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
            self.step_routers(Step {
                index,
                count: steps,
            });
        }
    }

    /// Allocation steps in this cycle; a fractional speedup takes one more now and then.
    fn steps(&mut self) -> u32 {
        let total = self.speedup_phase + self.model.speedup_permille;
        self.speedup_phase = total % 1000;
        total / 1000
    }

    fn step_routers(&mut self, step: Step) {
        let before = self.totals.flit_hops;
        if self.wiring.words == 1 {
            self.step_routers_of::<true>(step);
        } else {
            self.step_routers_of::<false>(step);
        }
        if self.totals.flit_hops != before {
            self.totals.last_progress = self.now;
        }
    }

    fn step_routers_of<const ONE_WORD: bool>(&mut self, step: Step) {
        let rule = self.room_rule();
        let State {
            lanes,
            held,
            flits,
            depth,
            outs,
            ports,
            last_send,
            wants,
            masks,
            active,
            packets,
            arrivals,
            credits,
            wakes,
            channel_flits,
        } = &mut self.state;
        let mut routers = Routers::<ONE_WORD> {
            now: self.now,
            step,
            vcs: self.wiring.vcs,
            depth: *depth,
            seed: self.seed,
            check: self.check,
            rule,
            all_vcs: ((1u64 << self.wiring.vcs) - 1) as u32,
            simple: self.model.allocator == Allocator::Islip
                && self.model.allocation_iterations == 1,
            model: &self.model,
            routing: self.routing,
            minimal: self.minimal,
            wiring: &self.wiring,
            downstream: &self.wiring.downstream,
            upstream: &self.wiring.upstream,
            input_of: &self.input_of,
            lanes,
            held,
            flits,
            outs,
            ports,
            last_send,
            wants,
            masks,
            channel_flits,
            packets,
            arrivals,
            credits,
            wakes,
            recorder: &mut self.recorder,
            totals: &mut self.totals,
            scratch: &mut self.scratch,
        };
        for (word, active) in active.iter_mut().enumerate() {
            let mut bits = *active;
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                routers.totals.router_steps += 1;
                if !routers.step(word as u32 * 64 + bit) {
                    *active &= !(1 << bit);
                }
            }
        }
    }

    fn receive_credits(&mut self) {
        let Some(due) = self.state.credits.take(self.now) else {
            return;
        };
        for &credit in &due {
            let index = credit.out() as usize;
            let out = &mut self.state.outs[index];
            out.credits += 1;
            let owner = out.owner;
            if owner == NOWHERE {
                continue;
            }
            if owner == state::OutVc::DRAINING {
                if credit.is_tail() {
                    out.owner = NOWHERE;
                    let vcs = self.wiring.vcs as usize;
                    self.state.ports[index / vcs].free |= 1 << (index % vcs);
                }
            } else if out.credits == 1 && index < self.wiring.lanes() {
                self.state.want_switch(&self.wiring, owner);
            }
        }
        self.state.credits.recycle(self.now, due);
    }

    fn receive_flits(&mut self) {
        let Some(due) = self.state.arrivals.take(self.now) else {
            return;
        };
        let depth = self.state.depth;
        for arrival in &due {
            let lane = &mut self.state.lanes[arrival.lane as usize];
            let behind = u32::from(lane.first) + u32::from(lane.len);
            let slot = if behind >= depth {
                behind - depth
            } else {
                behind
            };
            self.state.flits[(arrival.lane * depth + slot) as usize] = arrival.flit;
            lane.len += 1;
            if lane.len > 1 {
                continue;
            }
            if lane.out == NOWHERE {
                self.state.want_route(&self.wiring, arrival.lane);
            } else {
                self.state.want_switch(&self.wiring, arrival.lane);
            }
        }
        self.state.arrivals.recycle(self.now, due);
    }

    fn receive_wakes(&mut self) {
        let Some(due) = self.state.wakes.take(self.now) else {
            return;
        };
        for &wake in &due {
            match wake {
                Wake::Vc(lane) => self.state.want_channel(&self.wiring, lane),
                Wake::Switch(lane) => {
                    self.state.held[lane as usize] = false;
                    self.state.want_switch(&self.wiring, lane);
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
        let next = [
            self.state.next_due(self.now),
            self.due_sources.next_due(self.now),
        ];
        let end = if self.now < self.window_end {
            self.window_end
        } else {
            self.phases.limit
        };
        let target = next
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(end)
            .clamp(self.now, end.max(self.now));
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

    fn room_rule(&self) -> RoomRule {
        RoomRule {
            flow_control: self.model.flow_control,
            longest_packet: u32::from(self.longest_packet),
        }
    }

    fn finish(self) -> Outcome {
        let cycles = self
            .now
            .max(self.totals.last_arrival.min(self.phases.limit));
        let living = self.wiring.alive.iter().filter(|&&alive| alive).count();
        let after = self
            .at_window_end
            .as_ref()
            .unwrap_or(&self.state.channel_flits);
        let before = self
            .before_window
            .as_ref()
            .unwrap_or(&self.state.channel_flits);
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
