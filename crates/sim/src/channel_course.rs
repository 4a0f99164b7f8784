//! Channels over time: how many flits each passes on in intervals of the measurement window.
//!
//! A mean over the window does not show what comes and goes: queues that move through the network, exchanges that
//! follow each other, groups that take turns.
//!
//! Complexity: nothing in a cycle, O(channels) an interval, for nothing is counted but what is counted anyway: how
//! many flits each channel has passed on.

use crate::model::Phases;

/// What channels passed on, by interval.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelCourse {
    /// The cycle in which the first interval begins.
    pub from: u64,
    /// Cycles of an interval; the last one of a run that ends by itself may be shorter.
    pub interval: u64,
    /// By interval and channel: flits.
    pub flits: Vec<Vec<u32>>,
}

/// Records them.
pub(crate) struct Recorder {
    course: ChannelCourse,
    /// The end of the window; unknown if the run ends by itself.
    to: Option<u64>,
    /// Flits that each channel had passed on when the last interval ended.
    before: Option<Vec<u32>>,
}

impl Recorder {
    /// In intervals of so many cycles, as many as fit into the window. A run that ends by itself (`open`) has twice
    /// as long ones whenever it would have more than [`ChannelCourse::MOST`].
    pub(crate) fn new(phases: &Phases, interval: u64, open: bool) -> Self {
        Self {
            course: ChannelCourse {
                from: phases.warmup,
                interval: interval.max(1),
                flits: Vec::new(),
            },
            to: (!open).then(|| phases.warmup.saturating_add(phases.measure)),
            before: None,
        }
    }

    /// When the interval that is recorded now ends.
    fn end(&self) -> u64 {
        self.course.from + (self.course.flits.len() as u64 + 1) * self.course.interval
    }

    /// The first cycle after this one in which an interval begins or ends, if there is one.
    pub(crate) fn next(&self, now: u64) -> Option<u64> {
        let next = match now < self.course.from {
            true => self.course.from,
            false => self.end(),
        };
        (next > now && self.to.is_none_or(|to| next <= to)).then_some(next)
    }

    /// It is a cycle in which something may begin or end; `passed` says how many flits each channel has passed on.
    pub(crate) fn look(&mut self, now: u64, passed: impl FnOnce() -> Vec<u32>) {
        if now == self.course.from && self.before.is_none() {
            self.before = Some(passed());
        } else if now == self.end() && self.to.is_none_or(|to| now <= to) {
            self.add(passed());
        }
    }

    fn add(&mut self, passed: Vec<u32>) {
        let Some(before) = self.before.replace(passed) else {
            return;
        };
        let now = self.before.iter().flatten();
        let flits = now
            .zip(before)
            .map(|(now, before)| now.wrapping_sub(before));
        self.course.flits.push(flits.collect());
        if self.course.flits.len() >= ChannelCourse::MOST {
            self.course.halve();
        }
    }

    /// What was recorded. A run that ended by itself has a last interval of what is left.
    pub(crate) fn finish(mut self, now: u64, passed: &[u32]) -> ChannelCourse {
        let begun = self.end() - self.course.interval;
        if self.to.is_none() && now > begun {
            self.add(passed.to_vec());
        }
        self.course
    }
}

impl ChannelCourse {
    /// Intervals of a run that ends by itself stay below this; windows have this many at most.
    pub const MOST: usize = 256;

    /// Makes one interval of any two.
    fn halve(&mut self) {
        let both = |pair: &[Vec<u32>]| -> Vec<u32> {
            let sums = pair[0].iter().zip(&pair[1]);
            sums.map(|(a, b)| a + b).collect()
        };
        self.flits = self.flits.chunks_exact(2).map(both).collect();
        self.interval *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PHASES: Phases = Phases {
        warmup: 100,
        measure: 45,
        drain: false,
        limit: 1_000,
    };

    /// What is recorded of a channel that has passed on `flits(now)` flits by then, in a run of so many cycles.
    fn of(open: bool, cycles: u64, flits: impl Fn(u64) -> u32) -> ChannelCourse {
        let phases = match open {
            true => Phases {
                warmup: 0,
                measure: 1_000_000,
                ..PHASES
            },
            false => PHASES,
        };
        let mut recorder = Recorder::new(&phases, 10, open);
        let mut now = 0;
        recorder.look(now, || vec![flits(now)]);
        while let Some(next) = recorder.next(now).filter(|&next| next <= cycles) {
            now = next;
            recorder.look(now, || vec![flits(now)]);
        }
        recorder.finish(cycles, &[flits(cycles)])
    }

    #[test]
    fn a_window_has_the_intervals_that_fit() {
        let course = of(false, 200, |now| now as u32 / 10);
        assert_eq!((course.from, course.interval), (100, 10));
        assert_eq!(course.flits, vec![vec![1]; 4], "five cycles are left over");
    }

    #[test]
    fn a_run_that_ends_by_itself_is_recorded_to_its_end() {
        let course = of(true, 25, |now| now as u32);
        assert_eq!(course.flits, [[10], [10], [5]]);
    }

    #[test]
    fn long_runs_have_longer_intervals_and_lose_no_flit() {
        let cycles = 10 * 3 * ChannelCourse::MOST as u64 + 7;
        let course = of(true, cycles, |now| now as u32);
        assert!(course.flits.len() < ChannelCourse::MOST && course.interval == 40);
        let all: u32 = course.flits.iter().flatten().sum();
        assert_eq!(u64::from(all), cycles);
    }
}
