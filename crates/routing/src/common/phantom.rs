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

use super::lens::{Lens, Through};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_network::{Congestion, Invalid, Mark, Network, Port, RouterId, Routing, VcSet};

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

impl Phantom {
    /// What is subtracted for a channel of this latency that is busy all the time: of its flits those count that are not credited, so
    /// none that left more cycles ago than a credit takes.
    pub(crate) fn sent_in(&self, latency: u32, round_trip: u32) -> u32 {
        let lately = (f64::from(latency) * self.length_coefficient).min(f64::from(round_trip));
        (lately * self.value_coefficient) as u32
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
    let first = |at| network.port_range(at).start;
    let lens = Compensated {
        value: phantom.value_coefficient,
        windows: network.routers().flat_map(ports).collect(),
        first: network.routers().map(first).collect(),
    };
    Ok(Box::new(Through { routing, lens }))
}

struct Compensated {
    value: f64,
    /// By port: for how many cycles a flit counts as sent lately.
    windows: Vec<u32>,
    /// By router: its first port among all.
    first: Vec<usize>,
}

impl Lens for Compensated {
    fn look<T>(
        &self,
        at: RouterId,
        sees: &dyn Congestion,
        ask: impl FnOnce(&dyn Congestion) -> T,
    ) -> T {
        ask(&Waiting {
            sees,
            value: self.value,
            windows: &self.windows[self.first[at.index()]..],
        })
    }

    fn times(&self) -> bool {
        true
    }

    fn memory_bytes(&self) -> u64 {
        let own = self.windows.len() * size_of::<u32>() + self.first.len() * size_of::<usize>();
        own as u64
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
