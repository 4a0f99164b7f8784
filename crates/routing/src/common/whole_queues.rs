//! Whole queues: with the packets that wait in a router for a channel, beside what has left for it.
//!
//! Credits and output queues say what has left for a channel. In a router that queues at its inputs the backlog of a channel
//! waits there, and shows in credits only when the buffers behind the channel are full.
//!
//! Complexity: one counter a port.

use super::lens::{Lens, Through};
use turnwise_network::{Congestion, Mark, Port, RouterId, Routing, VcSet};

/// A routing that sees whole queues, if it is to.
pub(crate) fn whole(routing: Box<dyn Routing>, is_asked: bool) -> Box<dyn Routing> {
    match is_asked {
        true => Box::new(Through {
            routing,
            lens: WholeQueues,
        }),
        false => routing,
    }
}

struct WholeQueues;

impl Lens for WholeQueues {
    fn look<T>(
        &self,
        _: RouterId,
        sees: &dyn Congestion,
        ask: impl FnOnce(&dyn Congestion) -> T,
    ) -> T {
        ask(&Whole(sees))
    }

    fn counts_awaiting(&self) -> bool {
        true
    }

    fn shows_queues(&self) -> bool {
        true
    }
}

/// What a router sees then. What waits counts for any virtual channel of its port.
struct Whole<'a>(&'a dyn Congestion);

impl Congestion for Whole<'_> {
    fn unacknowledged(&self, port: Port, vcs: VcSet) -> u32 {
        self.0.unacknowledged(port, vcs)
    }

    fn queued(&self, port: Port, vcs: VcSet) -> u32 {
        self.0.queued(port, vcs) + self.0.awaiting(port)
    }

    fn sent_within(&self, port: Port, vcs: VcSet, cycles: u32) -> u32 {
        self.0.sent_within(port, vcs, cycles)
    }

    fn capacity(&self, port: Port) -> u32 {
        self.0.capacity(port)
    }

    fn memory(&self) -> &[u32] {
        self.0.memory()
    }

    fn mark(&self) -> Mark {
        self.0.mark()
    }

    fn occupancy(&self, port: Port, vcs: VcSet) -> u32 {
        self.0.occupancy(port, vcs) + self.0.awaiting(port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::{KuGcn, Par};
    use crate::{Algorithm, Context};
    use std::sync::Arc;
    use turnwise_network::random::{Purpose, Random};
    use turnwise_network::topologies::{Megafly, Topology};
    use turnwise_network::{Notice, TerminalId};

    /// Nothing has left for any port, and five flits wait for one.
    struct Backlog(Port);

    impl Congestion for Backlog {
        fn unacknowledged(&self, _: Port, _: VcSet) -> u32 {
            0
        }

        fn queued(&self, _: Port, _: VcSet) -> u32 {
            0
        }

        fn awaiting(&self, port: Port) -> u32 {
            if port == self.0 { 5 } else { 0 }
        }

        fn capacity(&self, _: Port) -> u32 {
            32
        }

        fn memory(&self) -> &[u32] {
            &[]
        }
    }

    #[test]
    fn packets_that_wait_for_the_minimal_channel_divert_others_if_they_count() {
        let megafly = Megafly {
            half_radix: 2,
            groups: 5,
            ..Megafly::default()
        };
        let network = Arc::new(megafly.build(None).unwrap());
        let (at, last) = (RouterId(0), TerminalId(network.terminal_count() as u32 - 1));
        let diverted = |whole_queues: bool| {
            let par = Par {
                whole_queues,
                ..Par::default()
            };
            let routing = par.build(&network, &Context::default()).unwrap();
            assert_eq!(
                routing
                    .sensing()
                    .is_some_and(|sensing| sensing.counts_awaiting()),
                whole_queues
            );
            let header = routing.start(TerminalId(0), last).unwrap().header;
            let hop = |port, number| {
                let mut rng = Random::new(1, Purpose::Routing, 0, number);
                routing
                    .choose(at, header, &Backlog(port), &mut rng)
                    .unwrap()
            };
            let minimal = hop(Port::MAX, 0).port;
            (0..50)
                .filter(|&number| hop(minimal, number).port != minimal)
                .count()
        };
        assert_eq!(diverted(false), 0);
        assert!(diverted(true) > 10);
    }

    #[test]
    fn and_count_in_what_is_told() {
        let network = Arc::new(Megafly::default().build(None).unwrap());
        let algorithm = KuGcn {
            whole_queues: true,
            ..KuGcn::default()
        };
        let routing = algorithm.build(&network, &Context::default()).unwrap();
        let sensing = routing.sensing().unwrap();
        let spine = network
            .routers()
            .find(|&at| !sensing.lines(at).is_empty())
            .unwrap();
        let line = sensing.queue_line(spine, 0).unwrap();
        let mut notices = vec![Notice::default(); sensing.lines(spine).len()];
        sensing.report(spine, &Backlog(line.port), &mut notices);
        assert_eq!(notices[0], Notice([5, 0]));
    }
}
