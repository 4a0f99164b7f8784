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

impl Interval {
    fn add(&mut self, other: &Self) {
        self.injected_flits += other.injected_flits;
        self.accepted_flits += other.accepted_flits;
        self.packets += other.packets;
        self.latency += other.latency;
        self.nonminimal += other.nonminimal;
    }
}

/// Intervals from cycle 0 to the end of the measurement window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Series {
    /// Logarithm of an interval's cycles to base 2, so that nothing has to be divided.
    shift: u32,
    intervals: Vec<Interval>,
    /// Do intervals become longer when the run does?
    grows: bool,
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
            grows: false,
        }
    }

    /// From cycle 0 on, for nobody knows how long.
    pub(crate) fn open_ended() -> Self {
        Self {
            shift: 0,
            intervals: vec![Interval::default(); MOST.next_power_of_two() as usize],
            grows: true,
        }
    }

    /// Ends with the interval before a cycle, if it grows.
    pub(crate) fn end(&mut self, end: u64) {
        if self.grows {
            self.intervals
                .truncate(end.div_ceil(1 << self.shift) as usize);
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

    /// Sees to it that a cycle has an interval, in a series that grows.
    pub(crate) fn cover(&mut self, cycle: u64) {
        while self.grows && (cycle >> self.shift) as usize >= self.intervals.len() {
            self.lengthen();
        }
    }

    /// Two intervals become one.
    fn lengthen(&mut self) {
        self.shift += 1;
        let count = self.intervals.len();
        let pairs = self.intervals.chunks(2).map(|pair| {
            let mut both = pair[0];
            pair[1..].iter().for_each(|second| both.add(second));
            both
        });
        self.intervals = pairs.collect();
        self.intervals.resize(count, Interval::default());
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
        while self.shift < other.shift {
            self.lengthen();
        }
        let together = self.shift - other.shift;
        for (index, theirs) in other.intervals.iter().enumerate() {
            if let Some(ours) = self.intervals.get_mut(index >> together) {
                ours.add(theirs);
            }
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
