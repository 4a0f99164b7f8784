//! How often something is made anew.
//!
//! What counts is the processor time that making it took, not how long it took: on a busy machine most of that is
//! waiting, which nobody else feels.

use rustix::time::{ClockId, clock_gettime};
use std::time::{Duration, Instant};

/// For one per cent of the time: whoever else works on this machine must not feel it.
const SHARE: u32 = 100;
/// Once a second at most.
const LEAST: Duration = Duration::from_secs(1);
/// Of answers that are ready; nobody waits for longer than this.
const LONGEST_REST: Duration = Duration::from_millis(500);

/// For how long to rest after an answer that took so much work.
pub(crate) fn rest(took: Duration) -> Duration {
    (took * SHARE).min(LONGEST_REST)
}

/// A moment, and how long this thread has worked until then.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    at: Instant,
    worked: Duration,
}

impl Moment {
    /// Now, on the thread that asks.
    pub fn now() -> Self {
        let worked = clock_gettime(ClockId::ThreadCPUTime);
        Self {
            at: Instant::now(),
            // Processor time is never negative.
            worked: worked.try_into().unwrap_or_default(),
        }
    }

    /// How long the thread has worked since that moment.
    pub(crate) fn worked_since(&self, start: &Self) -> Duration {
        self.worked.saturating_sub(start.worked)
    }
}

/// Something that takes work to make, and may be a little old.
pub struct Pace<T> {
    last: Option<(T, Instant)>,
}

impl<T> Default for Pace<T> {
    fn default() -> Self {
        Self { last: None }
    }
}

impl<T> Pace<T> {
    /// What there is and would not be made anew at this time.
    pub fn fresh(&self, now: Moment) -> Option<&T> {
        let last = self.last.as_ref().filter(|(_, until)| now.at < *until);
        last.map(|(made, _)| made)
    }

    /// What there is, made anew by `make` if it is time to; `clock` tells the time.
    ///
    /// # Errors
    /// As `make`.
    pub fn get<E>(
        &mut self,
        clock: &dyn Fn() -> Moment,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<&T, E> {
        let start = clock();
        if self.fresh(start).is_none() {
            let made = make()?;
            let end = clock();
            let rest = end.worked_since(&start) * SHARE;
            self.last = Some((made, end.at + rest.max(LEAST)));
        }
        match &self.last {
            Some((made, _)) => Ok(made),
            None => unreachable!("it was made above"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// The milliseconds at which something is made that takes so many of them, `work` of them on the processor, if it is
    /// asked for every 100 ms.
    fn made(takes: u64, work: u64, until: u64) -> Vec<u64> {
        let start = Instant::now();
        let (now, worked) = (Cell::new(0), Cell::new(0));
        let clock = || Moment {
            at: start + Duration::from_millis(now.get()),
            worked: Duration::from_millis(worked.get()),
        };
        let mut pace = Pace::default();
        let mut times = Vec::new();
        while now.get() < until {
            let make = || {
                times.push(now.get());
                now.set(now.get() + takes);
                worked.set(worked.get() + work);
                Ok::<u64, ()>(now.get())
            };
            pace.get(&clock, make).unwrap();
            now.set(now.get() + 100);
        }
        times
    }

    #[test]
    fn what_is_quick_is_made_once_a_second() {
        assert_eq!(made(0, 0, 3_500), [0, 1_000, 2_000, 3_000]);
    }

    #[test]
    fn what_is_slow_is_made_for_one_per_cent_of_the_time() {
        assert_eq!(made(200, 200, 45_000), [0, 20_200, 40_400]);
    }

    #[test]
    fn waiting_for_a_processor_is_no_work() {
        assert_eq!(made(400, 4, 3_500), [0, 1_400, 2_800]);
    }

    #[test]
    fn work_is_what_this_thread_did() {
        let start = Moment::now();
        let mut sum = 0_u64;
        while Moment::now().worked_since(&start) == Duration::ZERO {
            sum = std::hint::black_box(sum + 1);
        }
        let slept = Moment::now();
        std::thread::sleep(Duration::from_millis(50));
        let woken = Moment::now();
        assert!(woken.worked_since(&slept) < woken.at - slept.at);
    }

    #[test]
    fn what_is_fresh_is_what_one_gets() {
        let start = Moment::now();
        let later = |rest| Moment {
            at: start.at + rest,
            ..start
        };
        let mut pace = Pace::default();
        assert_eq!(pace.fresh(start), None);
        assert_eq!(pace.get(&|| start, || Ok::<_, ()>(7)), Ok(&7));
        assert_eq!(pace.fresh(later(LEAST / 2)), Some(&7));
        assert_eq!(pace.fresh(later(LEAST)), None);
    }

    #[test]
    fn answers_are_followed_by_a_rest() {
        let rests = [0, 1, 100].map(|took| rest(Duration::from_millis(took)).as_millis());
        assert_eq!(rests, [0, 100, 500]);
    }

    #[test]
    fn what_failed_is_tried_again() {
        let mut pace = Pace::default();
        let clock = Moment::now;
        assert_eq!(pace.get(&clock, || Err::<u8, _>("no")), Err("no"));
        assert_eq!(pace.get(&clock, || Ok::<_, &str>(7)), Ok(&7));
        assert_eq!(
            pace.get(&clock, || Err("no")),
            Ok(&7),
            "seven is new enough"
        );
    }
}
