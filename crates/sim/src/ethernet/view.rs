//! What an adaptive routing sees of its switch: the output queues.

use super::frames::{NOWHERE, Queue};
use turnwise_network::{Congestion, Port, VcSet};

/// The output queues of one switch.
pub(super) struct View<'a> {
    /// By port, the channel that leaves.
    ports: &'a [u32],
    queues: &'a [Queue],
    priorities: usize,
    capacity: u32,
}

impl<'a> View<'a> {
    pub(super) fn new(
        ports: &'a [u32],
        queues: &'a [Queue],
        priorities: usize,
        capacity: u32,
    ) -> Self {
        Self {
            ports,
            queues,
            priorities,
            capacity,
        }
    }
}

impl Congestion for View<'_> {
    /// A frame that has left is nobody's any more: there are no credits.
    fn unacknowledged(&self, _: Port, _: VcSet) -> u32 {
        0
    }

    fn queued(&self, port: Port, vcs: VcSet) -> u32 {
        let channel = self.ports.get(usize::from(port)).copied();
        let Some(channel) = channel.filter(|&channel| channel != NOWHERE) else {
            return 0;
        };
        let first = channel as usize * self.priorities;
        let queues = (0..).zip(&self.queues[first..first + self.priorities]);
        queues
            .filter(|&(priority, _)| vcs.contains(priority))
            .map(|(_, queue)| queue.flits)
            .sum()
    }

    fn capacity(&self, _: Port) -> u32 {
        self.capacity
    }

    fn memory(&self) -> &[u32] {
        &[]
    }
}
