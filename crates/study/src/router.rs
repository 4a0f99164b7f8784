//! `[router]` as written, and the model that it means.

use crate::buffers::{BufferFlits, WrittenDepth};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::{Diagnostic, Invalid};
use turnwise_config::document::Value;
use turnwise_config::units;
use turnwise_network::{FlowControl, Network, Vc};
use turnwise_routing::{OutputQueue, Outputs};
use turnwise_sim::{Allocator, Depth, RouterKind, RouterModel, Stages};
use turnwise_verify::Assumptions;

/// Named sets of router parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// BookSim2's input-queued router: unit delays, iSLIP, 16 flits a virtual channel.
    BooksimIq,
    /// SuperSim's input/output-queued router: unit delays, a crossbar port for each virtual channel on both sides,
    /// `tailored` buffers.
    SupersimIoq,
    /// SuperSim's input-queued router: the same without output queues.
    SupersimIq,
}

impl Preset {
    /// What is not said in the study.
    fn usual(self) -> RouterModel {
        let supersim = RouterModel {
            injection_delay: 2,
            credit_delay: 0,
            stages: Stages::Registers,
            lock_outputs: true,
            whole_packets: true,
            vc_source_queues: true,
            allocation_iterations: 2,
            ..RouterModel::default()
        };
        match self {
            Self::BooksimIq => RouterModel {
                stages: Stages::Batched,
                ..RouterModel::default()
            },
            Self::SupersimIoq => RouterModel {
                kind: RouterKind::InputOutputQueued,
                // The crossbar, and the one from the output queues onto the channel.
                switch_traversal_delay: 2,
                vc_crossbar_outputs: true,
                // Of 8 flits, with a register behind it for the one that asks for the channel.
                output_buffer_flits: Some(9),
                ..supersim
            },
            Self::SupersimIq => supersim,
        }
    }

    fn is_supersim(self) -> bool {
        matches!(self, Self::SupersimIoq | Self::SupersimIq)
    }

    fn buffer_flits(self) -> BufferFlits {
        BufferFlits::All(match self.is_supersim() {
            true => WrittenDepth::USUALLY_TAILORED,
            false => WrittenDepth::Flits(USUAL_BUFFER_FLITS),
        })
    }
}

/// The `[router]` table. What is not said is as in BookSim2's input-queued router.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RouterTable {
    /// Where flits wait: at the inputs, or at both sides of the crossbar. If not given: as the preset says, or else
    /// at the inputs.
    pub kind: Option<RouterKind>,
    /// A named set of parameters; fields given beside it win.
    pub preset: Option<Preset>,
    /// Virtual channels of every channel; as many as the routing needs if not given.
    pub virtual_channels: Option<u8>,
    /// Buffer depth of every virtual channel in flits; or `"round-trip"`, what keeps the channel that
    /// fills the buffer busy; or `{ tailored = 4 }`, so many for each cycle of its latency; or a table of these by class of
    /// that channel. If not given: 16, or what keeps the longest channel busy if that is more.
    pub buffer_flits: Option<BufferFlits>,
    /// What a head flit must find downstream before it advances. If not given: what the
    /// routing is made for, wormhole for most.
    pub flow_control: Option<FlowControl>,
    /// Cycles from a packet's creation to the first in which it may leave its terminal. If not given: 2 with the
    /// presets of SuperSim, 0 otherwise.
    #[schemars(range(max = RouterModel::MOST_DELAY), transform = units::cycles)]
    pub injection_delay: Option<u32>,
    /// Cycles of route computation; 0 is look-ahead routing.
    #[schemars(range(max = RouterModel::MOST_DELAY), transform = units::cycles)]
    pub routing_delay: Option<u32>,
    /// Cycles of virtual-channel allocation, at least 1.
    #[schemars(range(min = 1, max = RouterModel::MOST_DELAY), transform = units::cycles)]
    pub vc_allocation_delay: Option<u32>,
    /// Cycles of switch allocation, at least 1.
    #[schemars(range(min = 1, max = RouterModel::MOST_DELAY), transform = units::cycles)]
    pub switch_allocation_delay: Option<u32>,
    /// Cycles of crossbar traversal.
    #[schemars(range(max = RouterModel::MOST_DELAY), transform = units::cycles)]
    pub switch_traversal_delay: Option<u32>,
    /// What route computation and crossbar traversal do when they take several cycles, or registers for a flit behind
    /// each stage. If not given: batched with the preset `booksim-iq`, registers with those of SuperSim, pipelined otherwise.
    pub stages: Option<Stages>,
    /// Cycles a router takes to process a credit.
    #[schemars(range(max = RouterModel::MOST_DELAY), transform = units::cycles)]
    pub credit_delay: Option<u32>,
    /// How virtual channels and the crossbar are allocated.
    pub allocator: Option<Allocator>,
    /// How virtual channels are allocated; as `allocator` says if not given.
    pub vc_allocator: Option<Allocator>,
    /// How the crossbar is allocated; as `allocator` says if not given.
    pub switch_allocator: Option<Allocator>,
    /// Rounds of iSLIP in one step.
    #[schemars(range(min = 1, max = RouterModel::MOST_ITERATIONS))]
    pub allocation_iterations: Option<u32>,
    /// Allocation steps per cycle, 1 to 16; may be fractional.
    #[schemars(range(min = 1, max = RouterModel::MOST_SPEEDUP))]
    pub internal_speedup: Option<f64>,
    /// Crossbar inputs of every input port, 1 to 32; its virtual channels use them in turn.
    #[schemars(range(min = 1, max = RouterModel::MOST_CROSSBAR_PORTS))]
    pub input_speedup: Option<u32>,
    /// Crossbar outputs of every output port, 1 to 32; the input ports use them in turn.
    #[schemars(range(min = 1, max = RouterModel::MOST_CROSSBAR_PORTS))]
    pub output_speedup: Option<u32>,
    /// Flits an output queue holds. Input-queued routers have one for each output when a speedup
    /// exceeds one, unlimited if not given; input/output-queued ones have one for each output virtual
    /// channel, of 8 flits if not given; 9 with the preset `supersim-ioq`.
    #[schemars(range(min = 1), transform = units::flits)]
    pub output_buffer_flits: Option<u32>,
    /// May an output virtual channel be given away only after its last tail's credit is back?
    pub wait_for_tail_credit: bool,
    /// Is an output virtual channel that could not take a flit now kept from every head?
    pub busy_when_full: bool,
    /// Does a packet keep its way through the crossbar as long as its flits follow each other?
    pub hold_switch: bool,
    /// Does an output that has begun a packet serve no other one in a cycle in which it could go on? If not given:
    /// yes with the presets of SuperSim.
    pub lock_outputs: Option<bool>,
    /// Has every output virtual channel a crossbar output of its own, whatever `output_speedup` says? If not given:
    /// yes with the preset `supersim-ioq`.
    pub vc_crossbar_outputs: Option<bool>,
    /// Does a head cross the switch, and leave an output queue, only when there is room behind for its whole packet?
    /// If not given: yes with the presets of SuperSim.
    pub whole_packets: Option<bool>,
    /// Does a source of open-loop traffic give packets their virtual channel when it creates them, and keep a queue for
    /// each? If not given: yes with the presets of SuperSim.
    pub vc_source_queues: Option<bool>,
}

impl RouterTable {
    /// What a head flit must find downstream before it advances.
    pub fn flow_control(&self) -> FlowControl {
        self.flow_control.unwrap_or_default()
    }

    /// What a proof may assume of the routers.
    pub fn assumptions(&self) -> Assumptions {
        Assumptions {
            flow_control: self.flow_control(),
            one_packet_buffers: self.wait_for_tail_credit,
        }
    }

    /// The depth of buffers as far as the study fixes it.
    fn fixed_buffer_flits(&self) -> Option<BufferFlits> {
        let preset = self.preset.map(Preset::buffer_flits);
        self.buffer_flits.or(preset)
    }

    /// Does the study leave open what a complaint about this field is about?
    pub fn leaves_open(&self, field: &str) -> bool {
        let each = self.fixed_buffer_flits().map(BufferFlits::per_class);
        match (field, each) {
            ("buffer_flits", None) => true,
            ("buffer_flits.terminal", Some(each)) => each.terminal.is_none(),
            ("buffer_flits.local", Some(each)) => each.local.is_none(),
            ("buffer_flits.global", Some(each)) => each.global.is_none(),
            _ => false,
        }
    }

    /// The least depth of buffers between routers, if the study fixes it.
    pub(crate) fn least_buffer_flits(&self, network: &Network) -> Option<u32> {
        let fixed = self.fixed_buffer_flits()?;
        if let BufferFlits::All(WrittenDepth::Flits(flits)) = fixed {
            return Some(flits);
        }
        // With any buffers, virtual channels and packets a round trip takes as long.
        let model = self.model(1, 1, 1).ok()?;
        let round_trip = |latency| model.credit_round_trip(latency);
        let latencies = network.channels().map(|(_, channel)| channel.latency);
        let longest = latencies.max().map_or(0, round_trip);
        fixed.least_between_routers(network, USUAL_BUFFER_FLITS.max(longest), round_trip)
    }

    /// What lies between crossbars and channels, for packets of this length.
    pub(crate) fn outputs(&self, packet_flits: u16) -> Option<Outputs> {
        // With any buffers and packets the same; any but one virtual channel says that there are several.
        let model = self.model(2, 1, 1).ok()?;
        let waits = model.waits_behind_crossbar();
        let queue = match model.output_queue_flits() {
            Some(flits) => OutputQueue::OfVirtualChannel(flits),
            None if waits => OutputQueue::OfChannel(model.output_buffer_flits.unwrap_or(u32::MAX)),
            None => OutputQueue::None,
        };
        Some(Outputs {
            turnaround: model.credit_round_trip(0),
            crossing_permille: model.crossing_permille(),
            lane_permille: (1000.0 * model.lane_crossing(packet_flits.into())) as u32,
            queue,
        })
    }

    /// The router model, given what the routing needs and the longest channel's latency.
    ///
    /// # Errors
    /// (field, message) of a value that makes no sense.
    pub fn model(
        &self,
        needed_vcs: Vc,
        longest_latency: u32,
        packet_flits: u16,
    ) -> Result<RouterModel, (&'static str, String)> {
        let usual = self.preset.map_or_else(RouterModel::default, Preset::usual);
        let virtual_channels = self.virtual_channels.unwrap_or(needed_vcs.max(1));
        // In SuperSim virtual channels do not compete for their input.
        let input_speedup = match self.preset.is_some_and(Preset::is_supersim) {
            true => u32::from(virtual_channels),
            false => usual.input_speedup,
        };
        let speedup_permille = permille(self.internal_speedup.unwrap_or(1.0))?;
        let mut model = RouterModel {
            kind: self.kind.unwrap_or(usual.kind),
            virtual_channels,
            buffers: usual.buffers,
            flow_control: self.flow_control(),
            injection_delay: self.injection_delay.unwrap_or(usual.injection_delay),
            routing_delay: self.routing_delay.unwrap_or(usual.routing_delay),
            vc_allocation_delay: self
                .vc_allocation_delay
                .unwrap_or(usual.vc_allocation_delay),
            switch_allocation_delay: self
                .switch_allocation_delay
                .unwrap_or(usual.switch_allocation_delay),
            switch_traversal_delay: self
                .switch_traversal_delay
                .unwrap_or(usual.switch_traversal_delay),
            stages: self.stages.unwrap_or(usual.stages),
            credit_delay: self.credit_delay.unwrap_or(usual.credit_delay),
            vc_allocator: self.vc_allocator.or(self.allocator).unwrap_or_default(),
            switch_allocator: self.switch_allocator.or(self.allocator).unwrap_or_default(),
            allocation_iterations: self
                .allocation_iterations
                .unwrap_or(usual.allocation_iterations),
            speedup_permille,
            input_speedup: self.input_speedup.unwrap_or(input_speedup),
            output_speedup: self.output_speedup.unwrap_or(usual.output_speedup),
            output_buffer_flits: self.output_buffer_flits.or(usual.output_buffer_flits),
            wait_for_tail_credit: self.wait_for_tail_credit,
            busy_when_full: self.busy_when_full,
            hold_switch: self.hold_switch,
            lock_outputs: self.lock_outputs.unwrap_or(usual.lock_outputs),
            vc_crossbar_outputs: self
                .vc_crossbar_outputs
                .unwrap_or(usual.vc_crossbar_outputs),
            whole_packets: self.whole_packets.unwrap_or(usual.whole_packets),
            vc_source_queues: self.vc_source_queues.unwrap_or(usual.vc_source_queues),
        };
        model.check()?;
        let packet = u32::from(packet_flits);
        let least = model.least_flits(packet_flits);
        let most = RouterModel::MOST_BUFFER_FLITS;
        if least > most {
            let name = match model.whole_packets {
                true => "whole_packets",
                false => self.flow_control().name(),
            };
            let message = format!(
                "{name} needs buffers of {least} flits for packets of {packet}; at most {most} are possible"
            );
            return Err(("packet_flits", message));
        }
        let round_trip = model.credit_round_trip(longest_latency);
        // A buffer need not hold a long packet to keep a short channel busy.
        let busy = if round_trip <= most {
            (round_trip + packet).min(most)
        } else {
            round_trip
        };
        let usual = USUAL_BUFFER_FLITS.max(busy).max(least);
        model.buffers = match self.fixed_buffer_flits() {
            None => Depth::everywhere(usual),
            Some(fixed) => fixed.depths(packet_flits, usual),
        };
        model.check()?;
        model.check_packets(packet_flits)?;
        Ok(model)
    }
}

/// Buffers are never less deep than this unless the study says so.
const USUAL_BUFFER_FLITS: u32 = 16;

/// What to write where packets of several lengths meet bubble flow control.
pub(crate) const WITHOUT_BUBBLES: &str =
    "router.flow_control = \"virtual-cut-through\" with a routing that needs no bubbles";

/// A speedup in thousandths, which is how exactly the engine knows it.
fn permille(speedup: f64) -> Result<u32, (&'static str, String)> {
    let most = RouterModel::MOST_SPEEDUP;
    if !(1.0..=f64::from(most)).contains(&speedup) {
        let message = format!("expected a speedup of 1 to {most}, found {speedup}");
        return Err(("internal_speedup", message));
    }
    let thousandths = (speedup * 1000.0).round();
    // Decimals are no binary fractions: 1.001 times 1000 is not quite 1001.
    if (speedup * 1000.0 - thousandths).abs() > 1e-6 {
        let message = format!(
            "expected a speedup in thousandths, such as {}, found {speedup}",
            thousandths / 1000.0
        );
        return Err(("internal_speedup", message));
    }
    Ok(thousandths as u32)
}

/// What is wrong with the routers whatever they are used for. A simulation finds it too, but
/// only after the network is built and the routing has stumbled over it.
pub(crate) fn check(router: &RouterTable, document: &Value, errors: &mut Vec<Diagnostic>) {
    const SHORTEST: (u32, u16) = (1, 1);
    if let Err((field, message)) = router.model(1, SHORTEST.0, SHORTEST.1) {
        let table = document.at_path("router").unwrap_or(document);
        errors.push(Invalid::new(field, message).locate(table));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What routings assume of routers that nobody tells them of is what routers are if nothing is said.
    #[test]
    fn outputs_are_the_usual_ones_if_nothing_is_said() {
        assert_eq!(RouterTable::default().outputs(1), Some(Outputs::default()));
    }
}
