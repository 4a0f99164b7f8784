//! How long credits take: when flits left their inputs that are not credited yet, and how late the last credit of each port came.
//!
//! Every output virtual channel has a queue of the cycles in which flits left. A credit takes the oldest out, and the
//! difference is the round trip: a credit time queue (Kim, Dally, Scott, Abts, ISCA 2008, section 4.3.2). Credits that overtake
//! each other are not told apart, as in hardware. A port's shortest round trip so far is what it takes without a queue behind it.
//!
//! Cycles are kept modulo 2^32, which no round trip takes. O(1) a flit and a credit. Nothing is allocated unless a routing wants to know.

use std::collections::VecDeque;

/// Of all routers of a domain; empty if nobody asks.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct CreditTimes {
    /// By output virtual channel: when its flits left, the oldest first.
    left: Vec<VecDeque<u32>>,
    /// By port: the shortest round trip so far, the last one, and when that was over. Of several that were over in the same cycle, in
    /// whatever order they were found, the longest counts.
    shortest: Vec<u32>,
    last: Vec<u32>,
    over: Vec<u32>,
}

impl CreditTimes {
    pub(super) fn new(ports: usize, lanes: usize) -> Self {
        Self {
            left: vec![VecDeque::new(); lanes],
            shortest: vec![u32::MAX; ports],
            last: vec![0; ports],
            over: vec![0; ports],
        }
    }

    /// A flit leaves.
    #[inline]
    pub(in super::super) fn leaves(&mut self, out: u32, now: u64) {
        if let Some(left) = self.left.get_mut(out as usize) {
            left.push_back(now as u32);
        }
    }

    /// A flit is credited, by a port.
    #[inline]
    pub(in super::super) fn credited(&mut self, port: u32, out: u32, now: u64) {
        let (left, now) = (self.left.get_mut(out as usize), now as u32);
        if let Some(left) = left.and_then(VecDeque::pop_front) {
            let (taken, port) = (now.wrapping_sub(left), port as usize);
            self.shortest[port] = self.shortest[port].min(taken);
            self.last[port] = match self.over[port] == now {
                true => self.last[port].max(taken),
                false => taken,
            };
            self.over[port] = now;
        }
    }

    /// Flits without a credit that left in the `cycles` cycles before `now`. O(log of those without a credit).
    pub(super) fn within(&self, out: u32, cycles: u32, now: u64) -> u32 {
        let Some(left) = self.left.get(out as usize) else {
            return 0;
        };
        let is_older = |&cycle: &u32| (now as u32).wrapping_sub(cycle) > cycles;
        (left.len() - left.partition_point(is_older)) as u32
    }

    /// By how many cycles more than without a queue the last credit of a port took.
    pub(in super::super) fn late(&self, port: u32) -> u64 {
        let last = self.last.get(port as usize);
        // Nothing has come back yet: the shortest is longer than any.
        last.map_or(0, |last| last.saturating_sub(self.shortest[port as usize]))
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also where cycles are about to begin anew.
    #[test]
    fn a_round_trip_is_late_by_what_it_takes_longer_than_the_shortest() {
        for begin in [0, u64::from(u32::MAX) - 18] {
            let mut times = CreditTimes::new(2, 4);
            for now in [10, 11, 15] {
                times.leaves(2, begin + now);
            }
            let within = |cycles| times.within(2, cycles, begin + 20);
            assert_eq!([11, 10, 9, 8, 5, 4].map(within), [3, 3, 2, 1, 1, 0]);
            assert_eq!(times.within(3, 100, begin + 20), 0);
            times.credited(1, 2, begin + 20);
            assert_eq!((times.late(1), times.within(2, 100, begin + 20)), (0, 2));
            times.credited(1, 2, begin + 24);
            assert_eq!(times.late(1), 3);
            // Another virtual channel of the port is quicker: that is what it takes without a queue.
            times.leaves(3, begin + 24);
            let mut reverse = times.clone();
            for (times, order) in [(&mut times, [3, 2]), (&mut reverse, [2, 3])] {
                for out in order {
                    times.credited(1, out, begin + 31);
                }
                assert_eq!((times.late(0), times.late(1)), (0, 9));
            }
        }
    }

    #[test]
    fn nobody_asks() {
        let mut times = CreditTimes::default();
        times.leaves(2, 10);
        times.credited(1, 2, 20);
        assert_eq!((times.late(1), times.within(2, 100, 20)), (0, 0));
    }
}
