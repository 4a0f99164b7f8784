//! Phantom congestion: flits on their way look like a queue, and the longer the channel, the longer the queue.
//!
//! A router that takes unacknowledged flits for congestion takes an empty channel of latency `L` at rate `r` for a queue of
//! `2 L r` flits. Compensated, it sees
//!
//! ```text
//! occupancy - value_coefficient * (flits sent in the last length_coefficient * L cycles), at least 0
//! ```
//!
//! With both coefficients right, 1 and the round trip in latencies, what remains is what waits.
//!
//! A flit is sent when it crosses the switch, so that the time in an output queue counts like that on the channel. Of the flits sent only
//! those count that are not credited: SuperSim subtracts credited ones as well, if it looks back further than a round
//! trip. What is subtracted is rounded to whole flits.
//!
//! What routers tell each other is compensated as well. It is told when something changes, and not because time passes.
//!
//! Source: SuperSim (McDonald et al., ISPASS 2018), congestion sensor `buffer_occupancy` with `phantom`.
//!
//! Complexity: O(log of the flits under way) a virtual channel that is looked at, eight bytes a flit under way.

use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, Invalid, Mark, Network, Notice, Port, Receiver, RouterId, Routing,
    Sender, Sensing, Start, TerminalId, Vc, VcSet,
};

/// How flits on their way are told from waiting ones.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Phantom {
    /// How much of a flit that was sent lately is subtracted.
    #[schemars(range(min = 0, max = 1000))]
    pub value_coefficient: f64,
    /// For how many latencies of its channel a flit counts as sent lately.
    #[schemars(range(min = 0, max = 1000))]
    pub length_coefficient: f64,
}

impl Default for Phantom {
    /// All flits of a round trip.
    fn default() -> Self {
        Self {
            value_coefficient: 1.0,
            length_coefficient: 2.0,
        }
    }
}

/// The largest coefficient.
const MOST: f64 = 1000.0;

/// A routing that sees compensated occupancies, if anything is said of phantoms.
///
/// # Errors
/// A coefficient out of bounds.
pub(crate) fn compensated(
    routing: Box<dyn Routing>,
    network: &Network,
    phantom: Option<Phantom>,
) -> Result<Box<dyn Routing>, Invalid> {
    let Some(phantom) = phantom else {
        return Ok(routing);
    };
    for (field, value) in [
        ("phantom.value_coefficient", phantom.value_coefficient),
        ("phantom.length_coefficient", phantom.length_coefficient),
    ] {
        if !(0.0..=MOST).contains(&value) {
            let message = format!("expected 0 to {MOST}, found {value}");
            return Err(Invalid::new(field, message));
        }
    }
    let window = |at: RouterId, port: Port| {
        let channel = network.out_channel(at, port);
        let latency = channel.map_or(0, |channel| network.channel(channel).latency);
        (f64::from(latency) * phantom.length_coefficient) as u32
    };
    let ports = |at: RouterId| (0..network.radix(at) as Port).map(move |port| window(at, port));
    Ok(Box::new(Compensated {
        routing,
        value: phantom.value_coefficient,
        windows: network.routers().flat_map(ports).collect(),
        first: network
            .routers()
            .map(|at| network.port_range(at).start)
            .collect(),
    }))
}

struct Compensated {
    routing: Box<dyn Routing>,
    value: f64,
    /// By port: for how many cycles a flit counts as sent lately.
    windows: Vec<u32>,
    /// By router: its first port among all.
    first: Vec<usize>,
}

impl Compensated {
    fn seen<'a>(&'a self, at: RouterId, sees: &'a dyn Congestion) -> Waiting<'a> {
        Waiting {
            sees,
            value: self.value,
            windows: &self.windows[self.first[at.index()]..],
        }
    }
}

/// What a router sees of flits that wait.
struct Waiting<'a> {
    sees: &'a dyn Congestion,
    value: f64,
    /// Those of the router's ports, and of later ones.
    windows: &'a [u32],
}

impl Waiting<'_> {
    /// Flits sent lately.
    fn lately(&self, port: Port, vcs: VcSet) -> u32 {
        let window = self.windows.get(usize::from(port));
        window.map_or(0, |&cycles| self.sees.sent_within(port, vcs, cycles))
    }

    /// What remains of so many flits if so many of them were sent lately.
    fn rest(&self, flits: u32, lately: u32) -> u32 {
        flits.saturating_sub((f64::from(lately) * self.value).round() as u32)
    }
}

impl Congestion for Waiting<'_> {
    fn unacknowledged(&self, port: Port, vcs: VcSet) -> u32 {
        // The queue is in order: what is in it was sent last.
        let sent = |vcs: VcSet| {
            let queued = self.sees.queued(port, vcs);
            let lately = self.lately(port, vcs).saturating_sub(queued);
            self.rest(self.sees.unacknowledged(port, vcs), lately)
        };
        vcs.iter().map(|vc| sent(VcSet::one(vc))).sum()
    }

    fn queued(&self, port: Port, vcs: VcSet) -> u32 {
        self.sees.queued(port, vcs)
    }

    fn sent_within(&self, port: Port, vcs: VcSet, cycles: u32) -> u32 {
        self.sees.sent_within(port, vcs, cycles)
    }

    fn awaiting(&self, port: Port) -> u32 {
        self.sees.awaiting(port)
    }

    fn capacity(&self, port: Port) -> u32 {
        self.sees.capacity(port)
    }

    fn memory(&self) -> &[u32] {
        self.sees.memory()
    }

    fn mark(&self) -> Mark {
        self.sees.mark()
    }

    fn occupancy(&self, port: Port, vcs: VcSet) -> u32 {
        self.rest(self.sees.occupancy(port, vcs), self.lately(port, vcs))
    }
}

impl Routing for Compensated {
    fn virtual_channels(&self) -> Vc {
        self.routing.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.routing.start(source, destination)
    }

    fn starts(
        &self,
        source: TerminalId,
        destination: TerminalId,
        class: u8,
        starts: &mut Vec<Start>,
    ) {
        self.routing.starts(source, destination, class, starts);
    }

    fn chooses_start(&self) -> bool {
        self.routing.chooses_start()
    }

    fn choose_start(
        &self,
        source: TerminalId,
        destination: TerminalId,
        class: u8,
        rng: &mut Random,
    ) -> Option<Start> {
        self.routing.choose_start(source, destination, class, rng)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.routing.options(at, header, options);
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        self.routing
            .choose(at, header, &self.seen(at, congestion), rng)
    }

    fn asks_again(&self) -> bool {
        self.routing.asks_again()
    }

    fn choose_again(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        self.routing
            .choose_again(at, header, &self.seen(at, congestion), rng)
    }

    fn escape(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.routing.escape(at, header, options);
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.routing.settled(at, header)
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        Some(self)
    }

    fn distinguishes_terminals(&self) -> bool {
        self.routing.distinguishes_terminals()
    }

    fn memory_bytes(&self) -> u64 {
        let own = self.windows.len() * size_of::<u32>() + self.first.len() * size_of::<usize>();
        self.routing.memory_bytes() + own as u64
    }

    fn keeps_order(&self) -> bool {
        self.routing.keeps_order()
    }
}

/// What the routing has its routers tell, compensated; nothing if it has them tell nothing.
impl Sensing for Compensated {
    fn region(&self, at: RouterId) -> u32 {
        let inner = self.routing.sensing();
        inner.map_or(at.0, |inner| inner.region(at))
    }

    fn words(&self, region: u32) -> usize {
        let inner = self.routing.sensing();
        inner.map_or(0, |inner| inner.words(region))
    }

    fn lines(&self, at: RouterId) -> Vec<Vec<Receiver>> {
        let inner = self.routing.sensing();
        inner.map_or_else(Vec::new, |inner| inner.lines(at))
    }

    fn grain(&self, at: RouterId, port: Port) -> u32 {
        let inner = self.routing.sensing();
        inner.map_or(0, |inner| inner.grain(at, port))
    }

    fn report(&self, at: RouterId, sees: &dyn Congestion, notices: &mut [Notice]) {
        if let Some(inner) = self.routing.sensing() {
            inner.report(at, &self.seen(at, sees), notices);
        }
    }

    fn receive(&self, region: u32, from: Sender, notice: Notice, memory: &mut [u32]) -> bool {
        let inner = self.routing.sensing();
        inner.is_some_and(|inner| inner.receive(region, from, notice, memory))
    }

    fn counts_awaiting(&self) -> bool {
        let inner = self.routing.sensing();
        inner.is_some_and(|inner| inner.counts_awaiting())
    }

    fn times(&self) -> bool {
        true
    }

    fn most_withheld(&self) -> u32 {
        let inner = self.routing.sensing();
        inner.map_or(0, |inner| inner.most_withheld())
    }

    fn withholds(&self, at: RouterId, input: Port, output: Port) -> bool {
        let inner = self.routing.sensing();
        inner.is_some_and(|inner| inner.withholds(at, input, output))
    }

    fn marks(&self) -> bool {
        self.routing.sensing().is_some_and(|inner| inner.marks())
    }

    fn pass(&self, at: RouterId, port: Port, sees: &dyn Congestion, mark: &mut Mark) {
        if let Some(inner) = self.routing.sensing() {
            inner.pass(at, port, &self.seen(at, sees), mark);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Par;
    use crate::{Algorithm, Context};
    use std::sync::Arc;
    use turnwise_network::topologies::{Dragonfly, Topology};

    fn build(value_coefficient: f64, length_coefficient: f64) -> Option<Invalid> {
        let network = Arc::new(Dragonfly::default().build(None).unwrap());
        let par = Par {
            phantom: Some(Phantom {
                value_coefficient,
                length_coefficient,
            }),
            ..Par::default()
        };
        par.build(&network, &Context::default()).err()
    }

    #[test]
    fn coefficients_out_of_bounds_are_refused_by_name() {
        assert!(build(0.0, MOST).is_none() && build(MOST, 0.0).is_none());
        for wrong in [-0.1, MOST + 1.0, f64::NAN] {
            for (refused, field) in [
                (build(wrong, 1.0), "phantom.value_coefficient"),
                (build(1.0, wrong), "phantom.length_coefficient"),
            ] {
                assert_eq!(refused.map(|error| error.place), Some(field.into()));
            }
        }
    }

    /// What it sees is 10 flits queued and 10 without a credit, of which 14 were sent in any window of 20 cycles or more.
    struct Sent;

    impl Congestion for Sent {
        fn unacknowledged(&self, _: Port, _: VcSet) -> u32 {
            10
        }

        fn queued(&self, _: Port, _: VcSet) -> u32 {
            10
        }

        fn sent_within(&self, _: Port, _: VcSet, cycles: u32) -> u32 {
            if cycles < 20 { 0 } else { 14 }
        }

        fn capacity(&self, _: Port) -> u32 {
            32
        }

        fn memory(&self) -> &[u32] {
            &[]
        }
    }

    #[test]
    fn what_was_sent_lately_is_subtracted_and_never_more_than_there_is() {
        let seen = |value: f64, window: u32| {
            let waiting = Waiting {
                sees: &Sent,
                value,
                windows: &[window],
            };
            let one = VcSet::one(0);
            (waiting.occupancy(0, one), waiting.unacknowledged(0, one))
        };
        assert_eq!(seen(1.0, 19), (20, 10));
        // The last ten are in the queue.
        assert_eq!(seen(1.0, 20), (6, 6));
        assert_eq!(seen(0.5, 20), (13, 8));
        assert_eq!(seen(2.0, 20), (0, 2));
    }
}
