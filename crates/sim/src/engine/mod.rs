//! The engine: what is simulated, and how large it may be.
//!
//! * `run`: a run from start to end; `domain`: routers and terminals simulated together, a cycle
//!   at a time; `router`: what one router does in a cycle; `source`: what a terminal does.
//! * `partition`, `parallel`, `mail`: which thread simulates what, how threads keep in step, and
//!   what they tell each other.
//! * `wiring`, `state`: the network and what changes in it; `block`, `storage`: a router, and where
//!   it lies in memory; `packets`, `itinerary`: what is inside, and the routes found so far;
//!   `timeline`, `wheel`: what is under way.
//! * `outputs`, `crossbar`: what routers have that are not plain input-queued ones.
//! * `matcher`: the allocators in general; `deadlock`, `check`: what can never move again, and invariants.

mod block;
mod check;
mod crossbar;
mod deadlock;
mod domain;
mod itinerary;
mod mail;
mod matcher;
mod outputs;
mod packets;
mod parallel;
mod partition;
mod router;
mod run;
mod source;
mod state;
mod storage;
mod timeline;
mod unchecked;
mod wheel;
mod wiring;

use crate::model::{Phases, RouterModel};
use crate::outcome::{Outcome, Violation};
use domain::is_plain;
use partition::Partition;
use run::Run;
use source::Source;
use turnwise_network::{ChannelId, FlowControl, Injector, Network, Routing, TerminalId};
use wiring::Wiring;

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
    /// Threads to simulate on; the outcome does not depend on them. Small networks, bubble flow
    /// control and runs with `check` use one.
    pub threads: usize,
}

/// One simulation.
///
/// The same setup gives the same outcome, bit for bit, on every machine.
pub struct Simulation<'a> {
    setup: Setup<'a>,
}

/// Bytes of the engine's arrays for a network and a router model, without packets and queues of events.
pub(crate) fn array_bytes(network: &Network, model: &RouterModel) -> u64 {
    use std::mem::size_of;
    let stride = u64::from(model.virtual_channels).next_power_of_two();
    let (mut radix, mut latency) = (0, 1);
    for router in network.routers() {
        radix = radix.max(network.radix(router) as u64);
    }
    for id in (0..network.total_channel_count()).map(ChannelId::from) {
        latency = latency.max(network.channel(id).latency);
    }
    let (routers, ports) = (network.router_count() as u64, network.port_count() as u64);
    let terminals = network.terminal_count() as u64;
    let words = (radix * stride).div_ceil(64).max(1);
    let of_routers = storage::bytes_of(routers, ports, stride, words);
    let cycles = timeline::cycles(state::longest_delay(latency, model));
    let queues = match words {
        1 => routers * 64,
        _ => ports * stride,
    };
    let wires = size_of::<wiring::Downstream>() + size_of::<wiring::Upstream>();
    // Beside its wires: its router, its rings, when it last sends, and its flits until now and before.
    let of_port = wires as u64 + 4 + 2 + 8;
    let of_outputs = match model.output_queue_flits() {
        Some(_) => outputs::OutputQueues::bytes_of(routers, ports, stride, words),
        None => 0,
    };
    let of_crossbars = match crossbar::Crossbar::is_needed(model) {
        true => crossbar::Crossbar::bytes_of(model, routers, ports),
        false => 0,
    };
    of_routers
        + of_outputs
        + of_crossbars
        + queues * size_of::<block::Queue>() as u64
        + cycles * timeline::places(routers as usize) as u64 * (16 * words + 1)
        + ports * of_port
        + terminals * (size_of::<Source>() as u64 + 2 * stride + wires as u64)
        + network.channel_count() as u64 * 8
}

/// Bytes of a packet inside the network.
pub(crate) const PACKET_BYTES: u64 = std::mem::size_of::<packets::Packet>() as u64 + 4;

/// Virtual channels of all ports and terminals together: a credit names one in 31 bits.
pub(crate) const MOST_CHANNELS: u64 = 1 << 31;

impl<'a> Simulation<'a> {
    /// A simulation that is ready to run.
    ///
    /// # Panics
    /// If the model has not passed [`RouterModel::check`], or if
    /// [`memory_bytes`](crate::memory_bytes) says that the network is too large.
    pub fn new(setup: Setup<'a>) -> Self {
        assert!(
            setup.model.check().is_ok(),
            "the router model must have been checked"
        );
        assert!(
            crate::memory_bytes(setup.network, setup.model) < u64::MAX,
            "the network must not have more virtual channels than can be numbered"
        );
        Self { setup }
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
    pub fn run_while(self, go_on: impl FnMut(u64) -> bool) -> Result<Outcome, Violation> {
        let Self { setup } = self;
        let model = setup.model;
        let wiring = Wiring::new(setup.network, model.virtual_channels, model.credit_delay);
        // How much room a bubble takes follows from the longest packet that any terminal has sent so far.
        let threads = match setup.check || model.flow_control == FlowControl::Bubble {
            true => 1,
            false => setup.threads,
        };
        let partition = Partition::new(&wiring, model, threads);
        match (wiring.words == 1, is_plain(model)) {
            (true, true) => Run::<true, true>::new(setup, &wiring, &partition).run_while(go_on),
            (true, false) => Run::<true, false>::new(setup, &wiring, &partition).run_while(go_on),
            (false, _) => Run::<false, false>::new(setup, &wiring, &partition).run_while(go_on),
        }
    }
}
