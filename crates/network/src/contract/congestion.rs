//! What an adaptive algorithm sees of the router it is at, and of no other.

use super::sensing::Mark;
use crate::ids::{Port, VcSet};

/// What an adaptive algorithm may see of congestion: the output ports of the router it is at, and what
/// others have told this router.
///
/// A router knows its own buffers and credits, and nothing else in the same cycle. So there is no way to ask
/// for another router's:
///
/// ```
/// use turnwise_network::{Congestion, Port, RouterId, VcSet};
///
/// fn look(sees: &dyn Congestion, port: Port) -> u32 {
///     sees.unacknowledged(port, VcSet::EVERY)
/// }
/// ```
///
/// ```compile_fail,E0061
/// use turnwise_network::{Congestion, Port, RouterId, VcSet};
///
/// fn peek(sees: &dyn Congestion, neighbour: RouterId, port: Port) -> u32 {
///     sees.unacknowledged(neighbour, port, VcSet::EVERY)
/// }
/// ```
///
/// Figures are in flits. Ports and virtual channels that the router does not have are empty.
pub trait Congestion {
    /// Flits sent through a port on these virtual channels, for which no credit has come back: they are on
    /// the channel or in the buffer behind it, or their credits are on their way.
    fn unacknowledged(&self, port: Port, vcs: VcSet) -> u32;

    /// Flits in the port's output queues for these virtual channels; 0 in a router without such queues.
    fn queued(&self, port: Port, vcs: VcSet) -> u32;

    /// Of the flits that make up the [`occupancy`](Self::occupancy), those that have left their inputs in the last `cycles`
    /// cycles; 0 if routers do not note when they do ([`Sensing::times`](super::sensing::Sensing::times)).
    ///
    /// What has left within a round trip of the channel would be there without any queue.
    fn sent_within(&self, port: Port, vcs: VcSet, cycles: u32) -> u32 {
        let _ = (port, vcs, cycles);
        0
    }

    /// Flits of packets that this router has routed to a port and that have not crossed its switch, those included
    /// that have yet to come; 0 if routers do not count them ([`Sensing::counts_awaiting`](super::sensing::Sensing::counts_awaiting)).
    ///
    /// In a router that queues at its inputs this is the backlog of an output. Packets routed before in the same cycle count.
    fn awaiting(&self, port: Port) -> u32 {
        let _ = port;
        0
    }

    /// The most that can be unacknowledged at a port: what the buffers behind it hold, all virtual channels
    /// together.
    fn capacity(&self, port: Port) -> u32;

    /// What others have told this router, as its [`Sensing`](super::sensing::Sensing) has kept it; empty if nobody tells anything.
    fn memory(&self) -> &[u32];

    /// What routers have written on the packet that is asked about; nothing if they do not.
    fn mark(&self) -> Mark {
        Mark::default()
    }

    /// Flits that have left for a port and are not known to have gone on: queued and unacknowledged ones.
    fn occupancy(&self, port: Port, vcs: VcSet) -> u32 {
        self.unacknowledged(port, vcs) + self.queued(port, vcs)
    }

    /// The [`occupancy`](Self::occupancy) of each of these virtual channels by itself, in their order, in so many places as there are.
    fn occupancies(&self, port: Port, vcs: VcSet, flits: &mut [u32]) {
        for (vc, flits) in vcs.iter().zip(flits) {
            *flits = self.occupancy(port, VcSet::one(vc));
        }
    }

    /// The [`occupancy`](Self::occupancy), and what is [`awaiting`](Self::awaiting) the port, together.
    fn backlog(&self, port: Port, vcs: VcSet) -> u32 {
        self.occupancy(port, vcs) + self.awaiting(port)
    }

    /// The [`occupancy`](Self::occupancy), and the port's [`capacity`](Self::capacity), asked for at once.
    fn occupancy_of(&self, port: Port, vcs: VcSet) -> (u32, u32) {
        (self.occupancy(port, vcs), self.capacity(port))
    }
}

/// An empty network without limits: nothing is congested.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCongestion;

impl Congestion for NoCongestion {
    fn unacknowledged(&self, _: Port, _: VcSet) -> u32 {
        0
    }

    fn queued(&self, _: Port, _: VcSet) -> u32 {
        0
    }

    fn capacity(&self, _: Port) -> u32 {
        u32::MAX
    }

    fn memory(&self) -> &[u32] {
        &[]
    }
}
