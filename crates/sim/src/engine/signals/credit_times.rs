//! How long credits take: when flits left their inputs that are not credited yet, and how late the last credit of each port came.
//!
//! Every output virtual channel has a queue of the cycles in which flits left. A credit takes the oldest out, and the
//! difference is the round trip: a credit time queue (Kim, Dally, Scott, Abts, ISCA 2008, section 4.3.2). Credits that overtake
//! each other are not told apart, as in hardware. A port's shortest round trip so far is what it takes without a queue behind it.
//!
//! O(1) a flit and a credit. Nothing is allocated unless a routing wants to know.

use std::collections::VecDeque;

/// Of all routers of a domain; empty if nobody asks.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct CreditTimes {
    /// By output virtual channel: when its flits left, the oldest first.
    left: Vec<VecDeque<u64>>,
    /// By port: the shortest round trip so far, and by how much the last one was longer.
    shortest: Vec<u64>,
    late: Vec<u64>,
}

impl CreditTimes {
    pub(super) fn new(ports: usize, lanes: usize) -> Self {
        Self {
            left: vec![VecDeque::new(); lanes],
            shortest: vec![u64::MAX; ports],
            late: vec![0; ports],
        }
    }

    /// A flit leaves.
    #[inline]
    pub(in super::super) fn leaves(&mut self, out: u32, now: u64) {
        if let Some(left) = self.left.get_mut(out as usize) {
            left.push_back(now);
        }
    }

    /// A flit is credited, by a port.
    #[inline]
    pub(in super::super) fn credited(&mut self, port: u32, out: u32, now: u64) {
        let left = self.left.get_mut(out as usize);
        if let Some(left) = left.and_then(VecDeque::pop_front) {
            let (taken, port) = (now - left, port as usize);
            self.shortest[port] = self.shortest[port].min(taken);
            self.late[port] = taken - self.shortest[port];
        }
    }

    /// Flits without a credit that left in cycle `from` or later. O(log of those without a credit).
    pub(super) fn since(&self, out: u32, from: u64) -> u32 {
        let left = self.left.get(out as usize);
        left.map_or(0, |left| {
            (left.len() - left.partition_point(|&cycle| cycle < from)) as u32
        })
    }

    /// By how many cycles more than without a queue the last credit of a port took.
    pub(in super::super) fn late(&self, port: u32) -> u64 {
        self.late.get(port as usize).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_trip_is_late_by_what_it_takes_longer_than_the_shortest() {
        let mut times = CreditTimes::new(2, 4);
        for now in [10, 11, 15] {
            times.leaves(2, now);
        }
        assert_eq!(
            [9, 10, 11, 12, 16].map(|from| times.since(2, from)),
            [3, 3, 2, 1, 0]
        );
        assert_eq!(times.since(3, 0), 0);
        times.credited(1, 2, 20);
        assert_eq!((times.late(1), times.since(2, 0)), (0, 2));
        times.credited(1, 2, 24);
        assert_eq!(times.late(1), 3);
        // Another virtual channel of the port was quicker: that is what it takes without a queue.
        times.leaves(3, 24);
        times.credited(1, 3, 31);
        times.credited(1, 2, 31);
        assert_eq!((times.late(0), times.late(1)), (0, 9));
    }

    #[test]
    fn nobody_asks() {
        let mut times = CreditTimes::default();
        times.leaves(2, 10);
        times.credited(1, 2, 20);
        assert_eq!((times.late(1), times.since(2, 0)), (0, 0));
    }
}
