//! Sensors that are late: a router decides by what it saw some cycles ago.
//!
//! At the end of every cycle a router tells itself what has changed of each of its virtual channels, and hears of it that much
//! later. It hears nothing of what did not change, so idle channels cost nothing. The latency is that of SuperSim's congestion sensors,
//! for which what counts in the cycle of the decision itself is 1.
//!
//! Complexity: two words for each virtual channel of each router; a report looks at all of a router's virtual channels.

use super::delay::within;
use super::lens::{Lens, Through};
use std::sync::Arc;
use turnwise_network::{
    Congestion, Invalid, Mark, Network, Notice, Port, Receiver, RouterId, Routing, Sender, Sensing,
    Vc, VcSet,
};

/// A routing whose routers see themselves this many cycles late, if it is more than one. It must have routers tell nothing.
///
/// # Errors
/// No latency, or a very long one.
pub(crate) fn late(
    routing: Box<dyn Routing>,
    network: &Arc<Network>,
    field: &str,
    latency: u32,
) -> Result<Box<dyn Routing>, Invalid> {
    if within(1, field, latency)? == 1 {
        return Ok(routing);
    }
    let sensor = Sensor {
        vcs: routing.virtual_channels(),
        network: network.clone(),
        after: latency - 1,
    };
    Ok(Box::new(Through {
        routing,
        lens: Late(sensor),
    }))
}

struct Late(Sensor);

impl Lens for Late {
    fn look<T>(
        &self,
        _: RouterId,
        sees: &dyn Congestion,
        ask: impl FnOnce(&dyn Congestion) -> T,
    ) -> T {
        ask(&Past {
            sees,
            vcs: self.0.vcs,
        })
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        Some(&self.0)
    }
}

/// What every router tells itself.
struct Sensor {
    network: Arc<Network>,
    vcs: Vc,
    /// Cycles until it hears it.
    after: u32,
}

/// Words of a virtual channel: without a credit, and queued.
const WORDS: usize = 2;

impl Sensing for Sensor {
    fn words(&self, region: u32) -> usize {
        WORDS * usize::from(self.vcs) * self.network.radix(RouterId(region))
    }

    fn lines(&self, at: RouterId) -> Vec<Vec<Receiver>> {
        let own = Receiver::Region {
            region: at.0,
            after: self.after,
        };
        vec![vec![own]; usize::from(self.vcs) * self.network.radix(at)]
    }

    fn report(&self, _: RouterId, sees: &dyn Congestion, notices: &mut [Notice]) {
        for (line, notice) in notices.iter_mut().enumerate() {
            let vcs = usize::from(self.vcs);
            let (port, vc) = ((line / vcs) as Port, VcSet::one((line % vcs) as Vc));
            *notice = Notice([sees.unacknowledged(port, vc), sees.queued(port, vc)]);
        }
    }

    fn receive(&self, _: u32, from: Sender, notice: Notice, memory: &mut [u32]) -> bool {
        if let Some(words) = memory.get_mut(WORDS * from.line..WORDS * (from.line + 1)) {
            words.copy_from_slice(&notice.0);
        }
        false
    }
}

/// What a router has heard of itself.
struct Past<'a> {
    sees: &'a dyn Congestion,
    vcs: Vc,
}

impl Past<'_> {
    fn sum(&self, port: Port, vcs: VcSet, word: usize) -> u32 {
        let memory = self.sees.memory();
        let first = usize::from(port) * usize::from(self.vcs);
        let of = |vc: Vc| memory.get(WORDS * (first + usize::from(vc)) + word);
        let own = (0..self.vcs).filter(|&vc| vcs.contains(vc));
        own.filter_map(of).sum()
    }
}

impl Congestion for Past<'_> {
    fn unacknowledged(&self, port: Port, vcs: VcSet) -> u32 {
        self.sum(port, vcs, 0)
    }

    fn queued(&self, port: Port, vcs: VcSet) -> u32 {
        self.sum(port, vcs, 1)
    }

    fn capacity(&self, port: Port) -> u32 {
        self.sees.capacity(port)
    }

    fn memory(&self) -> &[u32] {
        &[]
    }

    fn mark(&self) -> Mark {
        self.sees.mark()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::WeightedAdaptive;
    use crate::common::phantom::Phantom;
    use crate::{Algorithm, Context};
    use turnwise_network::topologies::{Dragonfly, Topology};

    /// So many flits without a credit on virtual channel 1 of port 2, and a flit more in its queue.
    struct Now<'a>(u32, &'a [u32]);

    impl Congestion for Now<'_> {
        fn unacknowledged(&self, port: Port, vcs: VcSet) -> u32 {
            match port == 2 && vcs.contains(1) {
                true => self.0,
                false => 0,
            }
        }

        fn queued(&self, port: Port, vcs: VcSet) -> u32 {
            u32::from(self.unacknowledged(port, vcs) > 0)
        }

        fn capacity(&self, _: Port) -> u32 {
            32
        }

        fn memory(&self) -> &[u32] {
            self.1
        }
    }

    fn network() -> Arc<Network> {
        Arc::new(Dragonfly::default().build(None).unwrap())
    }

    #[test]
    fn a_router_sees_what_it_has_heard_of_itself_and_not_what_is() {
        let (network, at) = (network(), RouterId(3));
        let vcs = 5;
        let after = 7;
        let sensor = Sensor {
            network,
            vcs,
            after,
        };
        let lines = sensor.lines(at);
        let mut notices = vec![Notice::default(); lines.len()];
        sensor.report(at, &Now(6, &[]), &mut notices);
        let mut memory = vec![0; sensor.words(at.0)];
        for (line, notice) in notices.into_iter().enumerate() {
            assert_eq!(lines[line], [Receiver::Region { region: 3, after }]);
            sensor.receive(3, Sender { router: at, line }, notice, &mut memory);
        }
        let lens = Late(sensor);
        let (one, all) = (VcSet::one(1), VcSet::EVERY);
        let seen = lens.look(at, &Now(20, &memory), |sees| {
            let of = |port, vcs| (sees.unacknowledged(port, vcs), sees.queued(port, vcs));
            assert_eq!(sees.occupancy(2, one), 7);
            [of(2, one), of(2, all), of(2, VcSet::one(0)), of(1, all)]
        });
        assert_eq!(seen, [(6, 1), (6, 1), (0, 0), (0, 0)]);
    }

    #[test]
    fn latencies_that_make_no_sense_are_refused_by_name() {
        let place = |sensor_latency, phantom| {
            let algorithm = WeightedAdaptive {
                sensor_latency,
                phantom,
                ..WeightedAdaptive::default()
            };
            let built = algorithm.build(&network(), &Context::default());
            built.err().map(|error| error.place)
        };
        let phantom = Some(Phantom::default());
        assert_eq!(place(1, phantom), None);
        assert_eq!(place(Receiver::MOST_DELAY, None), None);
        for latency in [0, Receiver::MOST_DELAY + 1] {
            assert_eq!(place(latency, None).as_deref(), Some("sensor_latency"));
        }
        assert_eq!(place(2, phantom).as_deref(), Some("phantom"));
    }
}
