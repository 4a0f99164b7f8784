//! The router microarchitecture and the phases of a run, as data.

use turnwise_network::{FlowControl, Vc, VcSet};

/// How virtual channels and the crossbar are allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Allocator {
    /// iSLIP (McKeown 1999): every output grants, every input accepts, round robin both
    /// times; pointers move only when a grant of the first iteration is accepted.
    #[default]
    Islip,
    /// Every input picks one output, then every output one input; round robin both times,
    /// pointers move only on success.
    SeparableInputFirst,
}

/// An input-queued virtual-channel router: stages, buffers, flow control.
///
/// Stage delays are in cycles. A head flit received in cycle `T` leaves the router in
/// `T + D - 1` if nothing is in its way, where `D` is [`pipeline`](Self::pipeline), and
/// reaches the next one `latency + 1` cycles later. The default is the router of
/// BookSim2's examples with unit delays (see `docs/simulator.md`).
#[derive(Clone, Debug, PartialEq)]
pub struct RouterModel {
    /// Virtual channels of every channel.
    pub virtual_channels: Vc,
    /// Buffer depth of every virtual channel, in flits.
    pub buffer_flits: u32,
    /// What a head must find downstream before it may advance.
    pub flow_control: FlowControl,
    /// Route computation; 0 means look-ahead (the route is known on arrival).
    pub routing_delay: u32,
    /// Virtual-channel allocation, at least 1.
    pub vc_allocation_delay: u32,
    /// Switch allocation, at least 1.
    pub switch_allocation_delay: u32,
    /// Crossbar traversal.
    pub switch_traversal_delay: u32,
    /// Processing of an arriving credit.
    pub credit_delay: u32,
    /// How conflicts are resolved.
    pub allocator: Allocator,
    /// Rounds of the allocator in one step.
    pub allocation_iterations: u32,
    /// Allocation steps per cycle, in thousandths: 1000 is one step, 2000 two.
    pub speedup_permille: u32,
    /// Flits an output queue may hold when the speedup exceeds one; `None` is unlimited.
    pub output_buffer_flits: Option<u32>,
    /// May an output virtual channel be given away only after the tail's credit has come back?
    pub wait_for_tail_credit: bool,
}

impl Default for RouterModel {
    fn default() -> Self {
        Self {
            virtual_channels: 1,
            buffer_flits: 16,
            flow_control: FlowControl::Wormhole,
            routing_delay: 1,
            vc_allocation_delay: 1,
            switch_allocation_delay: 1,
            switch_traversal_delay: 1,
            credit_delay: 2,
            allocator: Allocator::Islip,
            allocation_iterations: 1,
            speedup_permille: 1000,
            output_buffer_flits: None,
            wait_for_tail_credit: false,
        }
    }
}

impl RouterModel {
    /// D, the cycles a head flit spends in a router without conflicts at speedup 1.
    pub fn pipeline(&self) -> u32 {
        self.routing_delay
            + self.vc_allocation_delay
            + self.switch_allocation_delay
            + self.switch_traversal_delay
    }

    /// Cycles between a flit's leaving and the moment its buffer slot can be filled again
    /// by the same sender, over a channel of this latency.
    pub fn credit_round_trip(&self, latency: u32) -> u32 {
        1 + self.pipeline() + 2 * latency + self.credit_delay
    }

    /// What is wrong with the model, as (field, message).
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let longest = 1_000;
        let delays = [
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
        if !(1..=u32::from(u16::MAX)).contains(&self.buffer_flits) {
            return Err((
                "buffer_flits",
                format!(
                    "expected 1 to {} flits, found {}",
                    u16::MAX,
                    self.buffer_flits
                ),
            ));
        }
        if !(1..=64).contains(&self.allocation_iterations) {
            return Err((
                "allocation_iterations",
                "expected 1 to 64 iterations".into(),
            ));
        }
        if !(1000..=16_000).contains(&self.speedup_permille) {
            return Err(("internal_speedup", "expected a speedup of 1 to 16".into()));
        }
        if self.wait_for_tail_credit && self.flow_control == FlowControl::Bubble {
            return Err(("wait_for_tail_credit", "a bubble is free space behind a packet, which an atomic virtual channel never gives away".into()));
        }
        if self.output_buffer_flits == Some(0) {
            return Err((
                "output_buffer_flits",
                "an output buffer holds at least one flit".into(),
            ));
        }
        Ok(())
    }
}

/// When to measure, and when to give up.
#[derive(Clone, Debug, PartialEq, Eq)]
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
