//! The router microarchitecture and the phases of a run, as data.

use crate::buffers::Depth;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_network::{FlowControl, PerClass, Vc, VcSet};

/// How virtual channels and the crossbar are allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Allocator {
    /// iSLIP (McKeown 1999): every output grants, every input accepts, round robin both
    /// times; pointers move only when a grant of the first iteration is accepted.
    #[default]
    Islip,
    /// Every input picks one output, then every output one input; round robin both times,
    /// pointers move only on success.
    SeparableInputFirst,
    /// Every output picks one input, then every input one of the outputs that chose it; round
    /// robin both times, pointers move only on success. That is one iteration of iSLIP.
    SeparableOutputFirst,
}

/// Where flits wait in a router.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RouterKind {
    /// At the inputs; and behind a crossbar that is faster than the channels, in a queue for each
    /// output that sends in the order of arrival. A flit needs a credit to cross.
    #[default]
    InputQueued,
    /// At the inputs, and at each output in a queue for each virtual channel. A flit needs room
    /// in its queue to cross, and a credit to leave it.
    InputOutputQueued,
}

/// How route computation and crossbar traversal work when they take several cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stages {
    /// A stage takes something up in every cycle.
    #[default]
    Pipelined,
    /// A stage of a router takes up everything that waits for it, and nothing else until that is done.
    /// BookSim2 does so (`docs/simulator.md`).
    Batched,
    /// Every stage of an input has a register for one flit of each virtual channel, which is entered in the cycle
    /// after a flit has come; its slot of the buffer is credited then. So while a packet crosses, the next head is
    /// routed. It takes a cycle more than the delays say, and these are one each. SuperSim does so.
    Registers,
}

/// A virtual-channel router: stages, buffers, flow control.
///
/// Stage delays are in cycles. A head flit received in cycle `T` leaves the router in
/// `T + D - 1` if nothing is in its way, where `D` is [`pipeline`](Self::pipeline), and
/// reaches the next one `latency + 1` cycles later. The default is the router of
/// BookSim2's examples with unit delays (see `docs/simulator.md`).
#[derive(Clone, Debug, PartialEq)]
pub struct RouterModel {
    /// Where flits wait.
    pub kind: RouterKind,
    /// Virtual channels of every channel.
    pub virtual_channels: Vc,
    /// Buffer depth of every virtual channel, by the class of the channel that fills it. Terminals have
    /// such buffers as well, behind their ejection channels.
    pub buffers: PerClass<Depth>,
    /// What a head must find downstream before it may advance.
    pub flow_control: FlowControl,
    /// Cycles from a packet's creation to the first in which it may leave its terminal.
    pub injection_delay: u32,
    /// Route computation; 0 means look-ahead (the route is known on arrival).
    pub routing_delay: u32,
    /// Virtual-channel allocation, at least 1.
    pub vc_allocation_delay: u32,
    /// Switch allocation, at least 1.
    pub switch_allocation_delay: u32,
    /// Crossbar traversal.
    pub switch_traversal_delay: u32,
    /// What the first and the last of these do with several cycles.
    pub stages: Stages,
    /// Processing of an arriving credit.
    pub credit_delay: u32,
    /// Which heads get which output virtual channels.
    pub vc_allocator: Allocator,
    /// Which flits cross the switch.
    pub switch_allocator: Allocator,
    /// Rounds of iSLIP in one step.
    pub allocation_iterations: u32,
    /// Allocation steps per cycle, in thousandths: 1000 is one step, 2000 two.
    pub speedup_permille: u32,
    /// Crossbar inputs of every input port; its virtual channels use them in turn.
    pub input_speedup: u32,
    /// Crossbar outputs of every output port; the input ports use them in turn.
    pub output_speedup: u32,
    /// Flits an output queue may hold. Input-queued: of a port, when a speedup exceeds one; `None` is
    /// unlimited. Input/output-queued: of a virtual channel; `None` is
    /// [`OUTPUT_QUEUE_FLITS`](Self::OUTPUT_QUEUE_FLITS).
    pub output_buffer_flits: Option<u32>,
    /// May an output virtual channel be given away only after the tail's credit has come back?
    pub wait_for_tail_credit: bool,
    /// Is an output virtual channel that could not take a flit now kept from every head?
    pub busy_when_full: bool,
    /// Does a packet keep its way through the crossbar as long as its flits follow each other?
    pub hold_switch: bool,
    /// Does an output that has begun a packet serve no other one in a cycle in which it could go on? The outputs of
    /// the crossbar, and those of the output queues if there are any.
    pub lock_outputs: bool,
    /// Has every output virtual channel a crossbar output of its own, whatever `output_speedup` says?
    pub vc_crossbar_outputs: bool,
    /// Does a head cross the switch, and leave an output queue, only when there is room behind for its whole packet?
    pub whole_packets: bool,
    /// Does a source of open-loop traffic give packets their virtual channel when it creates them, and keep a queue for
    /// each? Otherwise all wait in one.
    pub vc_source_queues: bool,
}

impl Default for RouterModel {
    fn default() -> Self {
        Self {
            kind: RouterKind::InputQueued,
            virtual_channels: 1,
            buffers: Depth::everywhere(16),
            flow_control: FlowControl::Wormhole,
            injection_delay: 0,
            routing_delay: 1,
            vc_allocation_delay: 1,
            switch_allocation_delay: 1,
            switch_traversal_delay: 1,
            stages: Stages::Pipelined,
            credit_delay: 2,
            vc_allocator: Allocator::Islip,
            switch_allocator: Allocator::Islip,
            allocation_iterations: 1,
            speedup_permille: 1000,
            input_speedup: 1,
            output_speedup: 1,
            output_buffer_flits: None,
            wait_for_tail_credit: false,
            busy_when_full: false,
            hold_switch: false,
            lock_outputs: false,
            vc_crossbar_outputs: false,
            whole_packets: false,
            vc_source_queues: false,
        }
    }
}

impl RouterModel {
    /// What an output queue of an input/output-queued router holds if nothing else is said.
    pub const OUTPUT_QUEUE_FLITS: u32 = 8;
    /// Longest delay of a stage, in cycles.
    pub const MOST_DELAY: u32 = 1_000;
    /// Most flits a buffer or an output queue can hold.
    pub const MOST_BUFFER_FLITS: u32 = u16::MAX as u32;
    /// Most rounds of the allocator in one step.
    pub const MOST_ITERATIONS: u32 = 64;
    /// Most allocation steps per cycle.
    pub const MOST_SPEEDUP: u32 = 16;
    /// More crossbar ports than this a port cannot have: no input has more virtual channels.
    pub const MOST_CROSSBAR_PORTS: u32 = VcSet::CAPACITY as u32;

    /// What the output queue of a virtual channel holds, in a router that has such queues.
    pub fn output_queue_flits(&self) -> Option<u32> {
        let flits = self.output_buffer_flits.unwrap_or(Self::OUTPUT_QUEUE_FLITS);
        (self.kind == RouterKind::InputOutputQueued).then_some(flits)
    }

    /// Flits that can cross to an output in a thousand cycles, if enough wait at its inputs.
    pub fn crossing_permille(&self) -> u32 {
        let outputs = match self.vc_crossbar_outputs {
            true => u32::from(self.virtual_channels),
            false => self.output_speedup,
        };
        self.speedup_permille * outputs
    }

    /// Can more flits cross to an output in a cycle than its channel takes?
    pub(crate) fn outruns_channels(&self) -> bool {
        self.speedup_permille > 1000
            || self.output_speedup > 1
            || self.vc_crossbar_outputs
            || self.crosses_in_batches()
    }

    /// Do flits that have crossed wait for their channel, in a queue that is no buffer of its own?
    pub fn waits_behind_crossbar(&self) -> bool {
        self.outruns_channels() && self.kind == RouterKind::InputQueued
    }

    /// Has every stage of an input a register? Then a flit is credited before its output is known.
    pub fn has_registers(&self) -> bool {
        self.stages == Stages::Registers
    }

    /// Are heads routed together that have come one after the other?
    pub(crate) fn routes_in_batches(&self) -> bool {
        self.stages == Stages::Batched && self.routing_delay > 1
    }

    /// Do flits cross together that have won the switch one after the other?
    pub(crate) fn crosses_in_batches(&self) -> bool {
        self.stages == Stages::Batched && self.switch_traversal_delay > 1
    }

    /// Cycles between winning the switch and having crossed it.
    pub(crate) fn crossing(&self) -> u32 {
        self.switch_allocation_delay - 1 + self.switch_traversal_delay
    }

    /// D, the cycles a head flit spends in a router without conflicts at speedup 1.
    pub fn pipeline(&self) -> u32 {
        u32::from(self.has_registers())
            + self.routing_delay
            + self.vc_allocation_delay
            + self.switch_allocation_delay
            + self.switch_traversal_delay
    }

    /// Cycles between a flit's leaving and the moment its buffer slot can be filled again
    /// by the same sender, over a channel of this latency.
    pub fn credit_round_trip(&self, latency: u32) -> u32 {
        // A flit spends its credit when it wins the switch, or when it leaves its output queue, and frees its slot when
        // it wins the next switch, or when it enters the first register.
        let crossing = match self.kind {
            RouterKind::InputQueued => self.crossing(),
            RouterKind::InputOutputQueued => 0,
        };
        let waiting = match self.has_registers() {
            true => 0,
            false => self.routing_delay + self.vc_allocation_delay,
        };
        2 + crossing + waiting + 2 * latency + self.credit_delay
    }

    /// Flits a cycle that a virtual channel carries at most, in packets of this length: a head is routed and given a virtual channel only
    /// when the packet before it has left the buffer. (With registers it is routed meanwhile.)
    pub fn lane_pace(&self, packet_flits: f64) -> f64 {
        self.lane_crossing(packet_flits).min(1.0)
    }

    /// Flits a cycle of a virtual channel that cross the switch at most, whether the channel behind it takes them or not.
    pub fn lane_crossing(&self, packet_flits: f64) -> f64 {
        let between = match self.has_registers() {
            true => self.vc_allocation_delay,
            false => self.routing_delay + self.vc_allocation_delay,
        };
        let steps = f64::from(self.speedup_permille) / 1000.0;
        steps * packet_flits / (packet_flits + f64::from(between))
    }

    /// What is wrong with the model, as (field, message).
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let longest = Self::MOST_DELAY;
        let delays = [
            ("injection_delay", self.injection_delay, 0),
            ("routing_delay", self.routing_delay, 0),
            ("vc_allocation_delay", self.vc_allocation_delay, 1),
            ("switch_allocation_delay", self.switch_allocation_delay, 1),
            ("switch_traversal_delay", self.switch_traversal_delay, 0),
            ("credit_delay", self.credit_delay, 0),
        ];
        for (field, delay, least) in delays {
            if !(least..=longest).contains(&delay) {
                return Err((
                    field,
                    format!("expected {least} to {longest} cycles, found {delay}"),
                ));
            }
        }
        if !(1..=VcSet::CAPACITY).contains(&self.virtual_channels) {
            let message = format!(
                "expected 1 to {} virtual channels, found {}",
                VcSet::CAPACITY,
                self.virtual_channels
            );
            return Err(("virtual_channels", message));
        }
        self.check_depths()?;
        if !(1..=Self::MOST_ITERATIONS).contains(&self.allocation_iterations) {
            return Err((
                "allocation_iterations",
                format!("expected 1 to {} iterations", Self::MOST_ITERATIONS),
            ));
        }
        for (field, ports) in [
            ("input_speedup", self.input_speedup),
            ("output_speedup", self.output_speedup),
        ] {
            if !(1..=Self::MOST_CROSSBAR_PORTS).contains(&ports) {
                let most = Self::MOST_CROSSBAR_PORTS;
                let message = format!("expected 1 to {most} crossbar ports, found {ports}");
                return Err((field, message));
            }
        }
        if !(1000..=1000 * Self::MOST_SPEEDUP).contains(&self.speedup_permille) {
            let message = format!("expected a speedup of 1 to {}", Self::MOST_SPEEDUP);
            return Err(("internal_speedup", message));
        }
        self.check_registers()?;
        if self.wait_for_tail_credit && self.flow_control == FlowControl::Bubble {
            return Err(("wait_for_tail_credit", "a bubble is free space behind a packet, which an atomic virtual channel never gives away".into()));
        }
        if self.output_buffer_flits == Some(0) {
            return Err((
                "output_buffer_flits",
                "an output buffer holds at least one flit".into(),
            ));
        }
        if let Some(flits) = self.output_queue_flits()
            && flits > Self::MOST_BUFFER_FLITS
        {
            let message = format!(
                "expected 1 to {} flits, found {flits}",
                Self::MOST_BUFFER_FLITS
            );
            return Err(("output_buffer_flits", message));
        }
        Ok(())
    }

    /// What does not go together with registers behind the stages of inputs.
    fn check_registers(&self) -> Result<(), (&'static str, String)> {
        if !self.has_registers() {
            return Ok(());
        }
        for (field, delay) in [
            ("routing_delay", self.routing_delay),
            ("vc_allocation_delay", self.vc_allocation_delay),
            ("switch_allocation_delay", self.switch_allocation_delay),
        ] {
            if delay != 1 {
                let message = format!("a stage with a register takes 1 cycle, found {delay}");
                return Err((field, message));
            }
        }
        let others = [
            ("internal_speedup", self.speedup_permille != 1000),
            ("wait_for_tail_credit", self.wait_for_tail_credit),
            ("hold_switch", self.hold_switch),
        ];
        match others.into_iter().find(|&(_, given)| given) {
            None => Ok(()),
            Some((field, _)) => {
                let message = "stages with registers know nothing of this".into();
                Err((field, message))
            }
        }
    }
}

/// How long a run goes on, and what of it is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// A window is measured.
    Window(Phases),
    /// Everything is measured, until all agents are done and every message has arrived.
    ToCompletion {
        /// The run ends here at the latest.
        limit: u64,
    },
}

impl Schedule {
    /// The same as phases: a window from the first cycle to the limit, if the run is one to completion.
    pub(crate) fn phases(self) -> Phases {
        match self {
            Self::Window(phases) => phases,
            Self::ToCompletion { limit } => Phases {
                warmup: 0,
                measure: limit,
                drain: false,
                limit,
            },
        }
    }

    /// Does the run end when there is nothing left to do?
    pub(crate) fn to_completion(self) -> bool {
        matches!(self, Self::ToCompletion { .. })
    }
}

/// When to measure, and when to give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phases {
    /// Cycles before anything is recorded.
    pub warmup: u64,
    /// Cycles of the measurement window; packets created in it are recorded.
    pub measure: u64,
    /// Keep the load up until every recorded packet has arrived? Without it, the run ends
    /// with the window, and latencies are those of the packets that made it.
    pub drain: bool,
    /// The run ends here at the latest.
    pub limit: u64,
}

impl Default for Phases {
    fn default() -> Self {
        Self {
            warmup: 3_000,
            measure: 10_000,
            drain: true,
            limit: 1_000_000,
        }
    }
}
