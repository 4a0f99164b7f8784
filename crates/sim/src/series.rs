//! The course of a run: what was injected, accepted and delivered in intervals of equal length.
//!
//! A packet's latency counts twice: in the interval that created it and in the one it arrived in. The first is
//! what a transient is read from: it says what packets of that moment were in for, all of them once everything
//! has arrived, and a detour belongs to the moment it was chosen in. Arrivals tell late, by the very latency
//! that grows, and mix packets of before and after a switch.

use crate::measure::Delivery;
use serde::{Deserialize, Serialize};

/// Intervals of warm-up and window, at most, where nobody has asked for a length.
const USUAL: u64 = 100;
/// Intervals of a run whose end nobody knows, at most, where a length was asked for; then they become longer.
const MOST: u64 = 4_096;

/// What happened in one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    /// Flits of packets created in it.
    pub injected_flits: u64,
    /// Flits of packets that arrived, to the tail, in it.
    pub accepted_flits: u64,
    /// How many packets these were.
    pub arrived_packets: u64,
    /// The sum of their latencies, in cycles.
    pub arrived_latency: u64,
    /// Delivered packets that were created in it.
    pub packets: u64,
    /// The sum of their latencies, in cycles.
    pub latency: u64,
    /// How many of them took more channels than necessary.
    pub nonminimal: u64,
}

impl Interval {
    /// What happened in both, as if they were one.
    pub fn add(&mut self, other: &Self) {
        self.injected_flits += other.injected_flits;
        self.accepted_flits += other.accepted_flits;
        self.arrived_packets += other.arrived_packets;
        self.arrived_latency += other.arrived_latency;
        self.packets += other.packets;
        self.latency += other.latency;
        self.nonminimal += other.nonminimal;
    }
}

/// Intervals from cycle 0 to the end of the measurement window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Series {
    /// Logarithm of an interval's cycles to base 2, so that nothing has to be divided.
    shift: u32,
    intervals: Vec<Interval>,
    /// Do intervals become longer when the run does?
    grows: bool,
    /// The cycle behind them. What comes later in the time of the last one does not count.
    #[serde(default = "no_end")]
    end: u64,
}

fn no_end() -> u64 {
    u64::MAX
}

impl Series {
    /// The intervals until a cycle: no longer than asked for, or of a usual length.
    pub(crate) fn until(end: u64, longest: Option<u64>) -> Self {
        let usual = || end.div_ceil(USUAL).max(1).next_power_of_two();
        let shift = longest.unwrap_or_else(usual).max(1).ilog2();
        Self {
            end,
            ..Self::new(shift, end.div_ceil(1 << shift), false)
        }
    }

    /// From cycle 0 on, for nobody knows how long.
    pub(crate) fn open_ended(longest: Option<u64>) -> Self {
        match longest {
            None => Self::new(0, USUAL.next_power_of_two(), true),
            Some(cycles) => Self::new(cycles.max(1).ilog2(), MOST, true),
        }
    }

    fn new(shift: u32, count: u64, grows: bool) -> Self {
        Self {
            shift,
            intervals: vec![Interval::default(); count as usize],
            grows,
            end: no_end(),
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
        if cycle >= self.end {
            return None;
        }
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
            interval.arrived_packets += 1;
            interval.arrived_latency += latency;
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
    fn a_run_has_at_most_a_hundred_intervals_or_those_asked_for() {
        for (end, count, cycles) in [
            (0, 0, 1),
            (1, 1, 1),
            (100, 100, 1),
            (101, 51, 2),
            (13_000, 51, 256),
        ] {
            let series = Series::until(end, None);
            assert_eq!(series.intervals().len(), count, "{end}");
            assert_eq!(series.interval_cycles(), cycles, "{end}");
        }
        for (longest, cycles) in [(1, 1), (2, 2), (20, 16), (64, 64), (65, 64)] {
            let series = Series::until(13_000, Some(longest));
            assert_eq!(series.interval_cycles(), cycles, "{longest}");
            assert_eq!(series.intervals().len() as u64, 13_000_u64.div_ceil(cycles));
        }
    }

    #[test]
    fn packets_count_where_they_are_created_and_flits_where_they_arrive() {
        let mut series = Series::until(200, None);
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
            packets: 1,
            latency: 17,
            nonminimal: 1,
            ..Interval::default()
        };
        assert_eq!(intervals[1], created);
        let arrived = Interval {
            accepted_flits: 4,
            arrived_packets: 1,
            arrived_latency: 17,
            ..Interval::default()
        };
        assert_eq!(intervals[10], arrived);
        assert_eq!(intervals[99], Interval::default());
    }

    /// The last interval of 201 cycles is one cycle long.
    #[test]
    fn what_comes_behind_the_end_is_in_no_interval() {
        let mut series = Series::until(201, None);
        assert_eq!(series.interval_cycles(), 4);
        for cycle in 199..204 {
            series.created(cycle, 1);
        }
        let injected = series.intervals().iter().map(|it| it.injected_flits);
        assert_eq!(injected.collect::<Vec<_>>()[49..], [1, 1]);
    }

    /// Intervals that become longer lose nothing, and stay few however long the run is.
    #[test]
    fn a_series_that_grows_keeps_its_sums() {
        for interval in [None, Some(1), Some(20)] {
            let mut series = Series::open_ended(interval);
            for cycle in (0..1_000_000).step_by(997) {
                series.cover(cycle);
                series.created(cycle, 2);
            }
            series.end(1_000_000);
            let sum: u64 = series.intervals().iter().map(|at| at.injected_flits).sum();
            assert_eq!(sum, 2 * 1_000_000_u64.div_ceil(997));
            assert!(series.intervals().len() <= MOST as usize);
            assert!(series.intervals().len() > 50);
        }
    }
}
