//! The course of a run: what was injected, accepted and delivered in intervals of equal length.

use crate::measure::Delivery;

/// Intervals of warm-up and window, at most.
const MOST: u64 = 100;

/// What happened in one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// Flits of packets created in it.
    pub injected_flits: u64,
    /// Flits of packets that arrived, to the tail, in it.
    pub accepted_flits: u64,
    /// Delivered packets that were created in it.
    pub packets: u64,
    /// The sum of their latencies, in cycles.
    pub latency: u64,
    /// How many of them took more channels than necessary.
    pub nonminimal: u64,
}

/// Intervals from cycle 0 to the end of the measurement window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Series {
    /// Logarithm of an interval's cycles to base 2, so that nothing has to be divided.
    shift: u32,
    intervals: Vec<Interval>,
}

impl Series {
    pub(crate) fn until(end: u64) -> Self {
        let shift = end
            .div_ceil(MOST)
            .max(1)
            .next_power_of_two()
            .trailing_zeros();
        let count = end.div_ceil(1 << shift);
        Self {
            shift,
            intervals: vec![Interval::default(); count as usize],
        }
    }

    /// Cycles of an interval; the last one may end before its time.
    pub fn interval_cycles(&self) -> u64 {
        1 << self.shift
    }

    /// The intervals in order.
    pub fn intervals(&self) -> &[Interval] {
        &self.intervals
    }

    #[inline]
    fn at(&mut self, cycle: u64) -> Option<&mut Interval> {
        self.intervals.get_mut((cycle >> self.shift) as usize)
    }

    #[inline]
    pub(crate) fn created(&mut self, cycle: u64, flits: u16) {
        if let Some(interval) = self.at(cycle) {
            interval.injected_flits += u64::from(flits);
        }
    }

    pub(crate) fn not_created(&mut self, cycle: u64, flits: u16) {
        if let Some(interval) = self.at(cycle) {
            interval.injected_flits -= u64::from(flits);
        }
    }

    #[inline]
    pub(crate) fn delivered(&mut self, delivery: &Delivery, latency: u64) {
        if let Some(interval) = self.at(delivery.arrived) {
            interval.accepted_flits += u64::from(delivery.flits);
        }
        if let Some(interval) = self.at(delivery.created) {
            interval.packets += 1;
            interval.latency += latency;
            interval.nonminimal += u64::from(delivery.nonminimal);
        }
    }

    /// Adds what another part of the network has seen of the same run.
    pub(crate) fn add(&mut self, other: &Self) {
        for (ours, theirs) in self.intervals.iter_mut().zip(&other.intervals) {
            ours.injected_flits += theirs.injected_flits;
            ours.accepted_flits += theirs.accepted_flits;
            ours.packets += theirs.packets;
            ours.latency += theirs.latency;
            ours.nonminimal += theirs.nonminimal;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_at_most_a_hundred_intervals() {
        for (end, count, cycles) in [
            (0, 0, 1),
            (1, 1, 1),
            (100, 100, 1),
            (101, 51, 2),
            (13_000, 51, 256),
        ] {
            let series = Series::until(end);
            assert_eq!(series.intervals().len(), count, "{end}");
            assert_eq!(series.interval_cycles(), cycles, "{end}");
        }
    }

    #[test]
    fn packets_count_where_they_are_created_and_flits_where_they_arrive() {
        let mut series = Series::until(200);
        series.created(3, 4);
        series.created(199, 4);
        series.not_created(199, 4);
        series.created(200, 4);
        let delivery = Delivery {
            source: 0,
            destination: 1,
            flits: 4,
            created: 3,
            injected: 5,
            arrived: 20,
            routers: 2,
            nonminimal: true,
        };
        series.delivered(&delivery, 17);
        let intervals = series.intervals();
        let created = Interval {
            injected_flits: 4,
            accepted_flits: 0,
            packets: 1,
            latency: 17,
            nonminimal: 1,
        };
        assert_eq!(intervals[1], created);
        assert_eq!(intervals[10].accepted_flits, 4);
        assert_eq!(intervals[99], Interval::default());
    }
}
